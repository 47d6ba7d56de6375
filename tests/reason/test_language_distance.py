"""Two like things set beside each other by whatever words of distance."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.distance import asks_for_distance


@pytest.mark.parametrize(
    "text",
    [
        "how far apart the two averages are",
        "How different were the two halves of the growing season?",
        "the absolute gap between the March and August means",
        "How far does the summer mean depart from the whole-year mean?",
        "|mean of the wet months - mean of the dry months|",
        "what is the summer/autumn contrast",
        "By how much do the districts differ from each other?",
    ],
)
def test_a_word_of_distance_that_binds_two_things_asks_for_a_difference(text: str) -> None:
    assert asks_for_distance(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "standard deviation of NDVI between the pixels",
        "the normalized difference vegetation index of both dates",
        "the mean variation Δε within hot zones",
        "a gap in the record",
    ],
)
def test_words_that_set_nothing_beside_another_thing_ask_for_none(text: str) -> None:
    assert asks_for_distance(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "How far apart are mean NDVI of June 2021 and of August 2021?",
        "How different was the mean NDVI of June 2021 from that of August 2021?",
        "By how many kelvin did the surface temperature climb from June to August 2021?",
        "From June to August 2021 the lake got bigger by how many hectares?",
        "How many more hectares are built up in 2022 than were in 2016?",
    ],
)
def test_a_distance_or_a_movement_that_is_measured_is_a_difference(text: str) -> None:
    assert understand(text).value("operation") == "difference"


@pytest.mark.parametrize(
    "text",
    [
        "NO2 went down how many percent, Mar 2020 vs Mar 2019?",
        "Night light growth in % from 2018 to 2021, using the means",
        "How many percent did NDVI lose between 2019 and 2021?",
    ],
)
def test_percent_of_a_movement_is_a_relative_change(text: str) -> None:
    assert understand(text).value("operation") == "percent_change"


def test_percent_of_an_area_stays_a_share() -> None:
    assert understand("What percentage of the area has NDVI above 0.6?").value("operation") == "share"


def test_rain_that_fell_has_not_changed() -> None:
    goal = understand("How much rain fell on 3 May 2021?")
    assert (goal.value("quantity"), goal.value("operation")) == ("precipitation", "sum")
    assert understand("By how much did the rainfall fall from 2020 to 2021?").value("operation") == "difference"
