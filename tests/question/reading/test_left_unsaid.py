"""What a question leaves to the data: what it is of, which survey, which of two layers; times told twice, and verbs."""

from __future__ import annotations

import inspect
from datetime import date
from types import MappingProxyType

import pytest

import knowflow.question.reading.rules as tables
from knowflow.question.normal import equal
from knowflow.question.operators import SURVEYED, Correlate, During, Expression, Over, Quantity, Within, walk
from knowflow.question.reading.chart import rules_from
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

_MONTHS = tuple(date(2020 + n // 12, n % 12 + 1, 1) for n in range(24))
_RAIN = DataWords(
    frozenset({"precipitation", "elevation"}),
    dates=_MONTHS,
    maps=MappingProxyType({"precipitation": 24, "elevation": 1}),
)
_TEMPERATURES = DataWords(
    frozenset({"surface_temperature", "population_count"}),
    chosen=tuple(Chosen("daynight", value, ("surface_temperature",)) for value in ("day", "night")),
    maps=MappingProxyType({"surface_temperature": 6, "population_count": 1}),
    names=(("LST night", "surface_temperature"),),
)
_GROUND = DataWords(
    frozenset({"vertical_displacement", "elevation"}),
    surveyed=("elevation",),
    dates=(date(2004, 7, 1), date(2021, 7, 1)),
)


def taken(question: str, data: DataWords | None = None) -> Expression:
    found = read(question, data).expression
    assert found is not None, question
    return found


@pytest.mark.parametrize(
    ("one", "other", "data"),
    [
        (
            "In how many months did the area mean exceed 150 mm?",
            "In how many months did the area mean precipitation exceed 150 mm?",
            _RAIN,
        ),
        (
            "Over what area did the annual total of 2021 stay below 500 mm?",
            "What area had a precipitation below 500 mm in 2021?",
            _RAIN,
        ),
        ("What was the average total rainfall over 2021?", "What was the area mean rainfall of 2021?", _RAIN),
        ("Mean NDVI before the fire, on 4 June 2017.", "Mean NDVI on 4 June 2017.", None),
        ("Mean NDVI in the post-fire image of 14 July 2017", "Mean NDVI on 14 July 2017.", None),
        ("Mean NDVI in 2017 for the region as a whole?", "Mean NDVI in 2017?", None),
        (
            "What was the mean temperature in cells with more than 150 people?",
            "What was the mean temperature where the population is more than 150?",
            _TEMPERATURES,
        ),
        ("How many hectares had less than 10 % tree cover?", "What area has a tree cover below 10 %?", None),
        (
            "What area had sunk by more than 300 mm?",
            "What area has a vertical displacement below -300 mm?",
            _GROUND,
        ),
        (
            "What was the mean vertical displacement by July 2021?",
            "What was the mean vertical displacement in July 2021?",
            _GROUND,
        ),
        ("How did the surface change from 2004 to 2021?", "How did the elevation change from 2004 to 2021?", _GROUND),
        ("What is the mean elevation in the 2004 DEM?", "What was the mean elevation in 2004?", _GROUND),
        ("In which year was April wettest?", "Which year had the highest precipitation in April?", _RAIN),
        ("What area has a slope above 0?", "What area has a slope above 0 degrees?", None),
        ("How strongly does NDVI correlate with slope?", "What is the correlation of NDVI with slope?", None),
    ],
)
def test_both_ask_the_same(one: str, other: str, data: DataWords | None) -> None:
    assert equal(taken(one, data), taken(other, data))


@pytest.mark.parametrize(
    ("question", "data"),
    [
        ("In how many months did the area mean exceed 150 mm?", None),  # of what?
        ("What was the mean of the area?", _RAIN),
        ("What was the change in area from 2020 to 2021?", _RAIN),
        ("Mean NDVI before the fire on 4 June 2017", None),  # the fire was on that day
        ("What area rose by more than 300 mm?", _GROUND),
        ("Mean NDVI in 2017 before the flood, 2018", None),
    ],
)
def test_nothing_is_taken_that_is_not_said(question: str, data: DataWords | None) -> None:
    assert read(question, data).expression is None


@pytest.mark.parametrize("value", ["day", "night"])
@pytest.mark.parametrize(
    "question",
    [
        "mean {0} LST",
        "mean LST at {0}",
        "mean LST on 2 May 2021 by {0}",
        "area with {0} LST above 40 degrees C",
        "which date had the highest {0} LST",
    ],
)
def test_the_layer_that_is_named_is_never_left_out(question: str, value: str) -> None:
    found = read(question.format(value), _TEMPERATURES).expression
    kinds = {part for _, part in walk(found) if isinstance(part, Quantity)} if found is not None else set()
    assert kinds <= {Quantity("surface_temperature", having=(("daynight", value),))}


def test_what_adds_up_is_all_of_it_by_a_time_and_a_state_is_that_of_the_time() -> None:
    until, then = taken("How much rain fell by June 2021?", _RAIN), taken("How much rain fell in June 2021?", _RAIN)
    assert not equal(until, then)


def test_heights_of_a_time_are_those_of_its_survey() -> None:
    found = taken("mean elevation change from 2004 to 2021 for terrain that was above 1500 m in 2004", _GROUND)
    where = [part.where for _, part in walk(found) if isinstance(part, Within)]
    assert Quantity("elevation", having=(SURVEYED,)) in {part for one in where for _, part in walk(one)}


def test_a_map_that_is_alone_stands_for_the_days_of_another() -> None:
    data = DataWords(
        frozenset({"ice_thickness", "ice_velocity"}), maps=MappingProxyType({"ice_thickness": 1, "ice_velocity": 1})
    )
    found = taken("What is the correlation of ice thickness with ice velocity?", data)
    (both,) = (part for _, part in walk(found) if isinstance(part, Correlate))
    assert both.axes == "space"
    assert all(isinstance(part, Over) and part.axes == "time" for part in (both.a, both.b))


def test_the_highest_anywhere_of_periods_is_that_of_all_pixels_in_all_of_them() -> None:
    found = taken("What was the lowest annual rainfall of any pixel?", _RAIN)
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("both", "minimum")


def test_every_rule_takes_as_many_values_as_its_parts_have() -> None:
    lines = [line for name in dir(tables) if name.startswith("RULES_OF_") for line in getattr(tables, name)]
    rules = rules_from(lines)
    bound = [inspect.signature(one.make).bind(*(None for part in one.parts if part[0].isupper())) for one in rules]
    assert len(bound) == len(rules) > 1000  # binding raises where they do not fit


@pytest.mark.parametrize(
    "question",
    [
        "How many people live where the slope is above 10 degrees in 2020?",
        "In 2020, how many people live where the slope is above 10 degrees?",
    ],
)
def test_a_time_is_of_what_has_times(question: str) -> None:
    kinds = frozenset({"population_count", "slope"})
    found = read(question, data=DataWords(kinds, undated=frozenset({"slope"}))).expression
    assert found is not None
    timed = [part.x for _, part in walk(found) if isinstance(part, During)]
    assert timed
    assert all(Quantity("population_count") in {one for _, one in walk(x)} for x in timed)
