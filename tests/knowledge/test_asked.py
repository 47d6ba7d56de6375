"""Wordings of questions: which template a question is worded like, and when that is not clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import DocumentError
from knowflow.knowledge.asked import Likeness, check_asked, likeness

WORDINGS = {
    "date_of_most": [
        "On which day was the NDVI highest in 2021?",
        "Which day had the highest LST?",
        "The day of most rain?",
    ],
    "share": [
        "What share of the area has NDVI above 0.4?",
        "Share of pixels above 300 K?",
        "Which share lies above 5 m?",
    ],
    "mean": ["What was the mean LST in July 2022?", "Mean NDVI of June 2020", "What is the mean elevation?"],
}


def authored(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    """A project of one's own with a file of wordings."""
    (folder / ".knowflow" / "pkb" / "asked").mkdir(parents=True)
    (folder / ".knowflow" / "pkb" / "asked" / "own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    likeness.cache_clear()


@pytest.fixture(autouse=True)
def fresh() -> object:
    yield
    likeness.cache_clear()


@pytest.mark.parametrize(
    ("question", "template"),
    [
        ("On which day of 2019 was the NDWI highest?", "date_of_most"),
        ("share of pixels above 295 K", "share"),
        ("What was the mean NDSI in March 2018?", "mean"),
    ],
)
def test_a_question_is_worded_like_those_it_shares_its_words_with(question: str, template: str) -> None:
    read = Likeness(WORDINGS)
    assert read.nearest(question) == template
    scores = read.of(question)
    assert set(scores) == set(WORDINGS)
    assert max(scores, key=lambda name: scores[name]) == template


def test_months_years_and_numbers_are_as_good_as_any_other() -> None:
    read = Likeness(WORDINGS)
    assert read.of("What was the mean LST in July 2022?") == read.of("What was the mean LST in May 1999?")
    assert read.of("Share of pixels above 300 K?") == read.of("Share of pixels above 12.5 K?")


def test_what_was_asked_before_is_likest_to_itself() -> None:
    read = Likeness(WORDINGS)
    for template, texts in WORDINGS.items():
        for text in texts:
            scores = read.of(text)
            assert max(scores, key=lambda name: scores[name]) == template


@pytest.mark.parametrize("question", ["", "Who won the match?", "Mean or share?"])
def test_what_is_like_nothing_or_like_two_is_left_open(question: str) -> None:
    assert Likeness(WORDINGS).nearest(question) is None


def test_without_wordings_nothing_is_alike() -> None:
    assert Likeness({}).nearest("What was the mean LST?") is None
    assert Likeness({"mean": []}).of("What was the mean LST?") == {}


def test_the_wordings_at_hand_are_sound_and_a_place_changes_nothing() -> None:
    assert likeness().nearest("On how many days was the mean LST of Lombardy above 300 K?") == "count_of_dates_above"
    assert likeness().nearest("On how many days was the mean LST of Ruritania above 300 K?") == "count_of_dates_above"


def test_a_users_wordings_add_to_those_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slang = "Quo vadis, verdure?"
    assert likeness().nearest(slang) is None
    authored(monkeypatch, tmp_path, f'asked: own\nwordings:\n  pixel_trend: ["{slang}", "quo vadis, moisture?"]\n')
    assert likeness().nearest(slang) == "pixel_trend"


def test_a_users_wording_means_what_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packaged = "No. of days w/ mean AOD > 0.45"
    before = likeness().of(packaged)
    authored(monkeypatch, tmp_path, f"asked: own\nwordings:\n  pixel_trend:\n    - {packaged.lower()}\n")
    assert not [problem for problem in check_asked({"pixel_trend"}) if problem.code == "two_meanings"]
    after = likeness().of(packaged)
    assert after["pixel_trend"] > before["pixel_trend"]
    assert after["count_of_dates_above"] < before["count_of_dates_above"]


def test_everything_wrong_with_wordings_is_told_at_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = 'asked: own\nwordings:\n  mean: ["What of it?"]\n  share: ["what  of it?"]\n  shar: ["Which?"]\n'
    authored(monkeypatch, tmp_path, text)
    found = [problem for problem in check_asked({"mean", "share"}) if problem.file.endswith("own.yaml")]
    assert {(problem.code, problem.line) for problem in found} == {("two_meanings", 4), ("unknown_template", 5)}
    (tmp_path / ".knowflow" / "pkb" / "asked" / "own.yaml").write_text("asked: own\n", encoding="utf-8")
    likeness.cache_clear()
    with pytest.raises(DocumentError):
        likeness()


def test_a_blank_is_no_wording(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authored(monkeypatch, tmp_path, 'asked: own\nwordings:\n  mean:\n    - "What of it?"\n    - " "\n')
    found = [problem for problem in check_asked({"mean"}) if problem.file.endswith("own.yaml")]
    assert [(problem.code, problem.line, problem.expected) for problem in found] == [("bad_value", 5, "words")]
