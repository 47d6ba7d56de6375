"""Whether ``how much`` asks for an area or for a share, by the words that ask: whatever the ground, and what it did."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from knowflow.question.operators import Expression, IsClass, Not, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DATA = DataWords(
    frozenset({"ndvi", "elevation", "slope", "land_cover_class", "tree_cover_loss_year", "surface_temperature"}),
    classes={"land_cover_class": ("oak", "beech", "heath", "moor")},
    objects=("Upper", "Lower"),
    dates=(date(2019, 6, 1), date(2020, 6, 1), date(2021, 6, 1)),
    keys=(("parish", "objects"),),
    years={"land_cover_class": (2019, 2020, 2021)},
    maps={"land_cover_class": 3, "ndvi": 3, "surface_temperature": 3, "elevation": 1, "slope": 1},
)
_GROUNDS = ("oak", "heath", "moor")
_SAID = (
    "{much} {ground} of 2019 was moor in 2021?",
    "{much} {ground} was warmer than 305 K in 2020?",
    "{much} {ground} lies above 800 m?",
    "{much} {ground} is steep?",
    "{much} {ground} was lost in 2020?",
    "{much} {ground} of 2019 had become beech by 2021?",
    "{much} {ground} had an NDVI above 0.5 on 1 June 2020?",
)
_PAIRS = [(said, ground) for said, ground in product(_SAID, _GROUNDS) if not ("moor" in said and ground == "moor")]


def _asked(question: str) -> Expression:
    found = read(question, _DATA).expression
    assert found is not None, question
    return found


def _statistics(x: Expression) -> set[str]:
    return {part.statistic for _, part in walk(x) if isinstance(part, Over) and part.axes == "space"}


@pytest.mark.parametrize(("said", "ground"), _PAIRS)
def test_how_much_of_something_is_an_area_and_how_much_of_it_a_share(said: str, ground: str) -> None:
    area, share = (_asked(said.format(much=much, ground=ground)) for much in ("How much", "How much of the"))
    assert _statistics(area) == {"area"}
    assert _statistics(share) == {"share"}


@pytest.mark.parametrize("said", [said for said in _SAID if "lost" not in said])
def test_a_part_that_is_asked_for_by_its_name_or_its_unit_stays_a_share(said: str) -> None:
    for much in ("What share of the", "What percentage of the", "What part of the"):
        assert _statistics(_asked(said.format(much=much, ground="heath"))) == {"share"}
    percent = f"{said.format(much='How much', ground='heath')[:-1]}, in percent?"
    found = read(percent, _DATA)
    assert found.expression is None or (_statistics(found.expression) == {"share"} and found.unit == "%")


@pytest.mark.parametrize("end", ["in Upper in 2015", "in each parish in 2015", "in Lower", "in 2015", ""])
def test_how_much_was_lost_is_an_area_wherever_it_was(end: str) -> None:
    assert _statistics(_asked(f"How much was lost {end}?")) == {"area"}


def test_a_limit_that_is_a_share_stays_one_beside_an_area() -> None:
    found = read("How much heath burned on the dates on which more than 20 % of the area was oak?", _DATA).expression
    assert found is None or "share" in _statistics(found)


def test_what_was_lost_since_a_year_is_told_by_the_years_before() -> None:
    years = tuple(str(year) for year in range(2001, 2015))
    since = Not(IsClass(Quantity("tree_cover_loss_year"), ("no loss", *years)))
    for said in ("in 2015 or later", "since 2015"):
        found = _asked(f"How much was lost in Upper {said}?")
        assert any(part == since for _, part in walk(found)), said
    until = IsClass(Quantity("tree_cover_loss_year"), ("2001", "2002", "2003"))
    assert any(part == until for _, part in walk(_asked("How many hectares were lost by 2003?")))
