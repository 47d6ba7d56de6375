"""Statistics of statistics, composed of the same parts in every order."""

from __future__ import annotations

import pytest

from knowflow.reason.language import distance, understand
from knowflow.reason.language.nested import nested


@pytest.mark.parametrize(
    ("text", "outer", "inner"),
    [
        ("Max of the per-date mean NDTI", "maximum", "mean"),
        ("the monthly mean of the daily pixel fraction above 315 K", "mean", "share"),
        ("What fraction of the pixels is hot each day? Then average these fractions.", "mean", "share"),
        ("For each scene compute the share of water. Then take the mean.", "mean", "share"),
        ("the spread of the monthly averages", "standard_deviation", "mean"),
        ("For each scene compute the share above 0.5 of it, then take the mean.", "mean", "share"),
        ("The mean day by day, what is the maximum?", "maximum", "mean"),
        ("The mean of every scene; then the maximum", "maximum", "mean"),
        ("lowest scene average of NDVI", "minimum", "mean"),
        ("Form the area mean of every date; out of these means the highest one", "maximum", "mean"),
        ("among all scene averages the smallest", "minimum", "mean"),
        ("Take the mean of each day, identify the day of the maximum, then the mean of all days.", "mean", "mean"),
        ("average of all daily maxima", "mean", "maximum"),
        ("Average the AOD for each day. Of these daily averages, tell me the highest.", "maximum", "mean"),
        ("The mean NO2 for every day. Among those means, which is the lowest?", "minimum", "mean"),
        ("range of the seasonal means", "range", "mean"),
        ("mean of all daily NDVI averages", "mean", "mean"),
    ],
)
def test_one_statistic_of_another_is_read_from_inside_out(text: str, outer: str, inner: str) -> None:
    assert [(one.outer, one.inner) for one in nested(text)] == [(outer, inner)]


@pytest.mark.parametrize(
    "text",
    [
        "What are the maximum and mean NDVI?",
        "maximum NDVI, mean LST",
        "mean temperature where the largest fires were",
        "mean sigma nought",
    ],
)
def test_statistics_beside_each_other_are_not_nested(text: str) -> None:
    assert nested(text) == ()


def test_a_word_for_several_tells_that_dates_are_grouped() -> None:
    (daily,) = nested("the highest daily mean")
    (plain,) = nested("the highest mean NDVI")
    assert daily.grouped
    assert not plain.grouped


def test_the_extreme_of_what_is_told_per_date_is_one_number() -> None:
    goal = understand("Max of the per-date mean NDTI, 2022?")
    assert goal.value("over_dates") == "maximum"
    assert goal.value("group_by") is None


def test_a_mean_of_extremes_is_asked_back_for_no_plan_makes_it() -> None:
    for text in ("Average of the per-image maxima of LST", "What is the mean of the largest NDWI of 2020?"):
        assert [one.slot for one in understand(text).ambiguities] == ["statistic"]
    assert understand("What are the mean and the maximum of LST?").ambiguities == ()


def test_the_mean_of_daily_means_is_one_number() -> None:
    assert understand("mean of all daily NDVI averages in 2021").value("group_by") is None


def test_a_text_is_read_once_however_often_it_is_asked() -> None:
    nested.cache_clear()
    understand("What was the highest mean NDVI of all dates in 2021?")
    assert nested.cache_info().misses == 1


def test_a_sentence_is_looked_through_once_for_all_its_words_of_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    sets_beside = distance._sets_beside
    monkeypatch.setattr(distance, "_sets_beside", lambda sentence: seen.append(sentence) or sets_beside(sentence))
    assert (
        distance.asks_for_distance("A " + "gap, a contrast, a difference, " * 20 + "and so on. A gap of 0.5 m.") is None
    )
    assert len(seen) == 2
