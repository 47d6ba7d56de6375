"""Verbs with limits in any order, runs of dates and periods, and what became of ground."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

MONTHLY = "over(split(over(precipitation, space, mean), month), time, sum)"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "In how many months did less than 20 mm fall on average?",
            f"over(beyond({MONTHLY}, below, '20 mm'), time, count)",
        ),
        (
            "How many months did the longest spell with under 30 mm of mean monthly rainfall last?",
            f"over(beyond({MONTHLY}, below, '30 mm'), time, longest_run)",
        ),
        (
            "On what share of the area did more than 900 mm fall in 2020?",
            "over(beyond(over(during(precipitation, 2020), time, sum), above, '900 mm'), space, share)",
        ),
        (
            "How large a share of the region received less than 400 mm in 2021?",
            "over(beyond(over(during(precipitation, 2021), time, sum), below, '400 mm'), space, share)",
        ),
        (
            "What area had more than 300 mm of rain in 2021?",
            "over(beyond(over(during(precipitation, 2021), time, sum), above, '300 mm'), space, area)",
        ),
        (
            "Map where precipitation was below 300 mm in 2021",
            "show(beyond(over(during(precipitation, 2021), time, sum), below, '300 mm'), map)",
        ),
        (
            "What is the largest area with precipitation above 50 mm in 2021?",
            "over(over(beyond(during(precipitation, 2021), above, '50 mm'), space, area), time, maximum)",
        ),
        (
            "On what date after 1 January 2021 did the mean NDVI first fall below 0.4?",
            "over(beyond(over(during(ndvi, '2021-01-02/..'), space, mean), below, 0.4), time, first)",
        ),
        (
            "On how many of the dates did water cover more than 20 % of the scene?",
            "over(beyond(over(water_mask, space, share), above, '20 %'), time, count)",
        ),
        (
            "After 16 February 2020, what was the first date on which water covered less than 100 hectares?",
            "over(beyond(over(during(water_mask, '2020-02-17/..'), space, area), below, '100 ha'), time, first)",
        ),
        (
            "In how many municipalities did water cover more than 5 %?",
            "over(beyond(over(over(split(water_mask, polygons()), space, share), time, mean), above, '5 %'), objects,"
            " count)",
        ),
        (
            "What was the largest number of consecutive acquisitions with a mean NDVI above 0.4?",
            "over(beyond(over(ndvi, space, mean), above, 0.4), time, longest_run)",
        ),
        (
            "Longest run of consecutive days with a mean NDVI above 0.4",
            "over(beyond(over(ndvi, space, mean), above, 0.4), time, longest)",
        ),
        (
            "How many years in a row did the mean NDVI stay below 0.4?",
            "over(beyond(over(split(over(ndvi, space, mean), year), time, mean), below, 0.4), time, longest_run)",
        ),
    ],
)
def test_a_verb_says_which_side_of_a_limit(question: str, expression: str) -> None:
    found = read(question, DataWords(frozenset({"ndvi", "precipitation", "water_mask"})))
    assert found.expression is not None, found
    assert equal(found.expression, expression_of(expression)[0]), found.expression


def was(year: int, name: str = "forest") -> str:
    return f"is_class(during(land_cover_class, {year}), [{name}])"


SWE = "over(over(split(during(snow_water_equivalent, '{}'), polygons()), space, mean), time, mean)"
LST = "over(during(surface_temperature, {}), time, mean)"
COOLED = f"calculate(difference, {LST}, {LST})"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "How many hectares of cropland of 2000 had become grassland by 2018?",
            f"over({was(2000, 'cropland')} and {was(2018, 'grassland')}, space, area)",
        ),
        (
            "By how many hectares per year did the forest shrink on average from 2000 to 2005?",
            f"calculate(ratio, calculate(difference, over({was(2000)}, space, area), over({was(2005)}, space, area)),"
            " '5 year')",
        ),
        (
            "In which zone was the most forest cleared between 2000 and 2020?",
            f"extreme(over(split({was(2000)} and not {was(2020)}, polygons()), space, area), highest)",
        ),
        (
            "Mean slope of the land that was forest in 2000 but not in 2020",
            f"over(within(slope, {was(2000)} and not {was(2020)}), space, mean)",
        ),
        (
            "Which catchment lost the largest percentage of its SWE between 1 March and 1 May 2022?",
            f"extreme(calculate(percent_change, {SWE.format('2022-05-01')}, {SWE.format('2022-03-01')}), lowest)",
        ),
        (
            "How many hectares stayed forest from 1990 to 2018?",
            f"over({was(1990)} and {was(2018)}, space, area)",
        ),
        (
            "How many hectares of cropland were converted to grassland between 1990 and 2018?",
            f"over({was(1990, 'cropland')} and {was(2018, 'grassland')}, space, area)",
        ),
        (
            "How many hectares turned from forest into cropland between 1990 and 2018?",
            f"over({was(1990)} and {was(2018, 'cropland')}, space, area)",
        ),
        (
            "How many hectares of forest in 1990 were no longer forest in 2018?",
            f"over({was(1990)} and not {was(2018)}, space, area)",
        ),
        (
            "What is the area that became forest between 1990 and 2018?",
            f"over(not {was(1990)} and {was(2018)}, space, area)",
        ),
        (
            "What percentage of the forest area of 1990 had disappeared by 2018?",
            f"over(within(not {was(2018)}, {was(1990)}), space, share)",
        ),
        (
            "Of the forest of 1990, what share was still forest in 2018?",
            f"over(within({was(2018)}, {was(1990)}), space, share)",
        ),
        (
            "At what average rate, in hectares per year, did the forest area shrink between 1990 and 2018?",
            f"calculate(ratio, calculate(difference, over({was(1990)}, space, area), over({was(2018)}, space, area)),"
            " '28 year')",
        ),
        (
            "How many hectares of forest were gained and lost between 1990 and 2018?",
            {
                "several": {
                    "gained": f"over(not {was(1990)} and {was(2018)}, space, area)",
                    "lost": f"over({was(1990)} and not {was(2018)}, space, area)",
                }
            },
        ),
        (
            "How many hectares became warmer between 2018 and 2020?",
            f"over(beyond({COOLED.format(2020, 2018)}, above, '0 K'), space, area)",
        ),
        (
            "Which district cooled the most between 2018 and 2020?",
            f"extreme(over(split({COOLED.format(2018, 2020)}, polygons()), space, mean), highest)",
        ),
        (
            "In which year did the water area drop most compared with the year before?",
            "extreme(along(over(split(over(water_mask, space, area), year), time, mean), change), lowest)",
        ),
    ],
)
def test_what_became_of_ground_and_of_quantities(question: str, expression: Any) -> None:
    found = read(question).expression
    assert found is not None
    assert equal(found, expression_of(expression)[0]), found


def test_what_was_lost_a_year_may_be_net_or_not() -> None:
    found = read("How many hectares of forest were lost per year on average between 1990 and 2018?")
    assert found.expression is None
    assert len(found.alike) == 2


@pytest.mark.parametrize(
    "question",
    [
        "On how many dates did the mean NDVI rise below 0.4?",
        "In how many months did less than 20 K fall?",
        "How many months did the longest spell of years with a mean NDVI above 0.4 last?",
        "In how many municipalities did water cover more than 5?",
    ],
)
def test_what_no_verb_says_so_is_asked_back(question: str) -> None:
    assert read(question).expression is None


LOST = "within(tree_cover_loss_year, not(is_class(tree_cover_loss_year, ['no loss'])))"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many hectares were lost per year?", f"over({LOST}, space, area)"),
        ("Forest loss by year in hectares", f"over({LOST}, space, area)"),
        ("Which year had the highest forest loss?", f"extreme(over({LOST}, space, area), highest)"),
    ],
)
def test_what_was_lost_each_year_is_the_area_of_each_class_of_the_map(question: str, wanted: str) -> None:
    found = read(question, data=DataWords(frozenset({"tree_cover_loss_year", "tree_cover_fraction"}))).expression
    expected, faults = expression_of(wanted)
    assert expected is not None, faults
    assert found is not None
    assert equal(found, expected)


def test_who_lost_the_most_is_told_by_the_area_of_what_was_lost() -> None:
    kinds = frozenset({"tree_cover_loss_year", "tree_cover_fraction"})
    data = DataWords(kinds, objects=("North", "South"), keys=(("settlement", "objects"),))
    found = read("Which settlement lost the most tree cover?", data=data).expression
    lost = "not(is_class(tree_cover_loss_year, ['no loss']))"
    expected, faults = expression_of(f"extreme(over(split({lost}, polygons()), space, area), highest)")
    assert expected is not None, faults
    assert found is not None
    assert equal(found, expected)
