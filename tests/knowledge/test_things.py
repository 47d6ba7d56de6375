"""Names of things in other languages."""

from __future__ import annotations

import pytest

from knowflow.knowledge.things import other_names, other_names_of_all


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Fichte", "spruce"),
        ("Picea abies", "spruce"),
        ("Tanne (fir)", "silver fir"),
        ("Zuckerrübe", "sugar beet"),
        ("Blé tendre d'hiver", "winter wheat"),
        ("huetten", "huts"),
        ("coniferous forest", "conifers"),
    ],
)
def test_things_are_called_in_english_too(name: str, said: str) -> None:
    assert said in other_names(name)


@pytest.mark.parametrize("name", ["Fichtenweg", "bark", "Spruce Street", "42", ""])
def test_parts_of_words_and_other_things_have_no_other_names(name: str) -> None:
    assert other_names(name) == ()


def test_what_is_another_name_of_two_is_that_of_none() -> None:
    assert dict(other_names_of_all(["Fichte", "Buche"]))["spruce"] == "Fichte"
    assert "spruce" not in dict(other_names_of_all(["Fichte", "Picea abies"]))
    assert "wheat" not in dict(other_names_of_all(["Weizen", "wheat"]))
