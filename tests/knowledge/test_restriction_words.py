"""The words that restrict, and those that do not: each of one kind, and checked like all knowledge."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.restrictions import check_restrictions, restriction_words
from knowflow.knowledge.words import stem


def test_the_packaged_lists_are_valid() -> None:
    assert check_restrictions() == ()


def test_extents_are_harmless_and_hours_are_not() -> None:
    words = restriction_words()
    assert stem("coastline") in words.harmless
    assert stem("directory") in words.harmless & words.data
    assert stem("sunrise") in words.daytimes
    assert not words.harmless & words.daytimes


def test_no_word_is_listed_that_the_lexicon_understands_wherever_it_stands() -> None:
    words, known = restriction_words(), lexicon()
    listed = words.harmless | words.occasions | words.daytimes
    assert {word for word in listed if word in known.common or known.scan(word)} == set()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("restrictions: mine\nidle: [two words]\n", "not_a_word"),
        ("restrictions: mine\nidle: [noon]\ndaytimes: [noon]\n", "two_meanings"),
        ("restrictions: mine\nidel: [a]\n", "unknown_key"),
        ("restrictions: mine\nidle: [sunrise]\n", "two_meanings"),  # an hour in the packaged list
        ("restrictions: mine\ndaytimes: [coastline]\n", "two_meanings"),
        ("restrictions: mine\nbeside: [omitting]\n", "two_meanings"),  # which leaves out, in the packaged list
        ("restrictions: mine\nbeside: ['1 km from']\n", "bad_value"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: str
) -> None:
    folder = tmp_path / ".knowflow" / "pkb" / "restrictions"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    problems = check_restrictions()
    assert [problem.code for problem in problems] == [code]
    assert problems[0].line == 2
