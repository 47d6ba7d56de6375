"""Long texts: what is looked through grows with the text, not with its square or cube.

What is nothing but one thing again and again is where expressions that may begin anywhere take minutes.
"""

from __future__ import annotations

import pytest

from knowflow.reason.language import places as naming
from knowflow.reason.language import understand
from knowflow.reason.language.imagery import understand_images
from knowflow.reason.language.restrictions import restrictions
from knowflow.service.question_text import LONGEST

OBJECTS = {"ship": ("boat",), "plane": ()}
SCENES = ("beach", "river", "forest")


def filled(text: str) -> str:
    return (text * LONGEST)[:LONGEST]


def test_every_word_of_a_run_of_capitals_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    plain_word = naming._plain_word
    monkeypatch.setattr(naming, "_plain_word", lambda *given: seen.append("") or plain_word(*given))
    understand("MEAN MAP OF THE AREA " * 20)
    assert len(seen) <= 100


@pytest.mark.parametrize("text", ["A B ", ". ", ", ", "1,", "ship ", "2020-01-01 "])
def test_a_question_of_one_thing_again_and_again_is_read(text: str) -> None:
    assert restrictions(understand(filled(text))) is not None


@pytest.mark.parametrize("text", ["x", "a-", "\n", "ship ", " "])
def test_a_question_about_photographs_of_one_thing_again_and_again_is_read(text: str) -> None:
    assert understand_images(filled(text), OBJECTS, {}, SCENES).value("quantity") == "image"


def test_blanks_and_empty_lines_in_a_question_about_photographs_say_nothing() -> None:
    text = "How many more ships than planes are there?\nClassify: \n- beach\n- river\n- forest"
    plain = understand_images(text, OBJECTS, {}, SCENES)
    loose = understand_images(text.replace(" ", " " * 200).replace("\n", "\n \n" * 50), OBJECTS, {}, SCENES)
    assert loose.slots == plain.slots
    assert plain.value("labels") == SCENES


def test_a_list_of_classes_may_begin_right_behind_a_mark() -> None:
    for mark in "-*•(":
        goal = understand_images(
            f"Which of the classes does each image show?\n{mark}beach\n-river\n-forest", {}, {}, SCENES
        )
        assert goal.value("labels") == SCENES
