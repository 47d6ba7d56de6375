"""Amounts that are told in words."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language import unclear, understand
from knowflow.reason.language.amounts import with_parts


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("steeper than half a degree", "steeper than 0.5 degree"),
        ("above three quarters of a kilometre", "above 0.75 kilometre"),
        ("over a quarter of a metre", "over 0.25 metre"),
        ("less than a third of a degree", "less than 0.333333 degree"),
        ("over two-fifths of a kilometre", "over 0.4 kilometre"),
        ("one half of a kilometre or a tenth of one metre", "0.5 kilometre or 0.1 metre"),
        ("on two dates of three", "on two dates of three"),
        ("half of the area", "half of the area"),
    ],
)
def test_a_part_of_a_unit_is_written_in_digits(text: str, written: str) -> None:
    assert with_parts(text) == written


def test_a_limit_in_words_is_a_limit() -> None:
    goal = understand("What share of the land lies above half a kilometre?")
    assert goal.value("threshold") == Threshold(0.5, "km", "above")
    assert goal.leftover == ()


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("Share of the ground with an elevation of over 20 m and below 90 m", Threshold(20, "m", "between", 90)),
        (
            "What share has a slope of at most 30 degrees but at least 12 degrees?",
            Threshold(12, "degree", "between", 30),
        ),
    ],
)
def test_two_limits_that_and_joins_are_a_range(text: str, limit: Threshold) -> None:
    goal = understand(text)
    assert goal.value("threshold") == limit
    assert goal.value("side") == "between"
    assert "conditions" not in goal.slots


@pytest.mark.parametrize(
    "text",
    [
        "Share of the area with NDVI above 0.6 in 2019 and below 0.4 in 2021",
        "Share of the area with NDVI below 0.2 and above 0.7",
        "Share of the area with a surface temperature of at least 10 degrees and at most 20 degrees",
        "Area with NDVI above 0.2, that is above 0.2, and below 0.7",
        "Share of the area with NDVI above 0.2 and a slope below 9 degrees",
    ],
)
def test_other_pairs_of_limits_are_no_range(text: str) -> None:
    assert understand(text).value("threshold").side != "between"


@pytest.mark.parametrize(
    "limit",
    [
        "not between 0.2 and 0.4",
        "outside of the range 0.2 to 0.4",
        "0.1 above the mean",
        "of 3 index units above the mean",
        "two standard deviations above the mean",
    ],
)
def test_limits_that_no_step_takes_are_asked_back(limit: str) -> None:
    goal = understand(f"What share of the area has an NDVI {limit}?")
    assert "threshold" not in goal.slots
    assert [item.slot for item in unclear(goal)] == ["threshold"]


def test_parts_of_the_area_in_words_limit_it() -> None:
    goal = understand("Number of days on which at least half of the area was warmer than 300 K")
    assert goal.value("share_threshold") == Threshold(50.0, "%", "above")


@pytest.mark.parametrize("words", ["in 2020", "on 4 May", "of sur_refl_b04,"])
def test_what_is_above_the_mean_at_a_time_is_such_a_limit(words: str) -> None:
    limit = understand(f"What share of the area has an NDVI {words} above the mean?").value("threshold")
    assert limit == Threshold(100.0, "%", "above", relative_to="mean")


def test_a_range_may_run_up_to_its_end() -> None:
    goal = understand("Share of the area with a slope from 10 up to 20 degrees")
    assert goal.value("threshold") == Threshold(10.0, "degree", "between", 20.0)


def test_an_inch_is_a_unit() -> None:
    assert understand("Share of the area with rainfall over 2 inches").value("threshold") == Threshold(2, "in", "above")


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("How many hectares are higher than 1.2 km?", "elevation"),
        ("Share of ground lower than 80 m", "elevation"),
        ("How many hectares have an NDMI higher than 0.3?", "ndmi"),
    ],
)
def test_higher_than_a_length_is_about_heights(text: str, quantity: str) -> None:
    assert understand(text).value("quantity") == quantity


@pytest.mark.parametrize(
    "part", ["over 25% of the urban surface", "more than a quarter of the area", "at least 25 % of the pixels"]
)
def test_so_much_of_the_area_and_a_comparative_are_two_limits_and_no_change(part: str) -> None:
    goal = understand(f"On how many days was {part} hotter than 300 K?")
    assert goal.value("share_threshold").value == 25.0
    assert goal.value("threshold") == Threshold(300.0, "K", "above")
    assert "moved" not in goal.slots
    assert not unclear(goal)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Mean and maximum of NDVI in 2021", ("mean", "maximum")),
        ("What were the lowest and the highest elevation?", ("minimum", "maximum")),
        ("Give the median, mean and standard deviation of slope", ("median", "mean", "standard_deviation")),
        ("The difference between the maximum and the minimum NDVI", None),
        ("Mean NDVI and maximum temperature", None),
        ("Maximum of the mean NDVI of each date", None),
    ],
)
def test_statistics_beside_each_other_are_all_asked_for(query: str, expected: tuple[str, ...] | None) -> None:
    assert understand(query).value("statistics") == expected
