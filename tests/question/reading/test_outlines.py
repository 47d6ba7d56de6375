"""How large polygons are by their outlines: each, all together, the largest, those above a limit."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    quantities=frozenset({"ndvi", "land_cover_class"}),
    objects=("North Park", "Mill"),
    keys=(("park", "objects"), ("parks", "objects")),
)
EACH = "over(polygons(), space, area)"


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        ("Size of each park in hectares", EACH, "ha"),
        ("List the parks with their area in ha", EACH, "ha"),
        ("Park areas in square metres", EACH, "m2"),
        ("How many hectares does each park cover?", EACH, "ha"),
        ("Total area of all parks in hectares", f"over({EACH}, objects, sum)", "ha"),
        ("Average park size in hectares", f"over({EACH}, objects, mean)", "ha"),
        ("Average size of a park in hectares", f"over({EACH}, objects, mean)", "ha"),
        (
            "What percentage of the park area has NDVI above 0.5?",
            "over(over(within(beyond(ndvi, above, 0.5), polygons()), space, share), time, mean)",
            None,
        ),
        ("How large is the Mill?", "over(over(polygons('Mill'), space, area), objects, sum)", None),
        ("How many parks are there?", "over(polygons(), objects, count)", None),
        ("Which park is the largest?", f"extreme({EACH}, highest)", None),
        ("Which two parks are the smallest?", f"extreme({EACH}, lowest, 2)", None),
        ("Which parks are larger than 5 ha?", f"holds(beyond({EACH}, above, '5 ha'))", None),
        ("How many parks are smaller than 5 ha?", f"over(beyond({EACH}, below, '5 ha'), objects, count)", None),
    ],
)
def test_polygons_have_a_size_of_their_own(question: str, expression: str, unit: str | None) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)
    assert found.unit == unit


@pytest.mark.parametrize("question", ["Size of each park in 2018", "Area of the Mill in May 2020 in ha"])
def test_an_outline_has_no_dates(question: str) -> None:
    assert not read(question, DATA).candidates()
