"""Expressions as data and as text: what is written is read, and all that is wrong is found at its place."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of, to_data
from knowflow.question.operators import (
    And,
    Beyond,
    Calculate,
    Classify,
    During,
    Not,
    Number,
    Over,
    Polygons,
    Quantity,
    Several,
    Split,
    Within,
)
from knowflow.question.times import times

NDVI = Quantity("ndvi")
YEAR = times("2017")
assert YEAR is not None
MEAN = Over(During(NDVI, YEAR), "space", "mean")

WRITTEN = [
    ("ndvi", NDVI),
    ({"quantity": "ndvi"}, NDVI),
    (
        {"quantity": {"kind": "ndvi", "having": {"orbit": "ascending"}}},
        Quantity("ndvi", None, (("orbit", "ascending"),)),
    ),
    ("quantity(ndvi, method=measured)", Quantity("ndvi", "measured")),
    ("over(during(ndvi, 2017), space, mean)", MEAN),
    ({"over": {"x": {"during": {"x": "ndvi", "when": 2017}}, "axes": "space", "statistic": "mean"}}, MEAN),
    ("not beyond(ndvi, below, -0.1)", Not(Beyond(NDVI, "below", Number(-0.1)))),
    ({"not": {"beyond": {"x": "ndvi", "side": "below", "limit": "-0.1"}}}, Not(Beyond(NDVI, "below", Number(-0.1)))),
    (
        "beyond(lst, above, '300 K') and water_mask",
        And((Beyond(Quantity("lst"), "above", Number(300, "K")), Quantity("water_mask"))),
    ),
    ("split(ndvi, month)", Split(NDVI, "month")),
    ("split(ndvi, polygons(['north', 'old town']))", Split(NDVI, Polygons(("north", "old town")))),
    ("within(ndvi, polygons(north))", Within(NDVI, Polygons(("north",)))),
    ("calculate(absolute, ndvi)", Calculate("absolute", NDVI)),
    ("classify(slope, [5, 15], [a, b, c], degree)", Classify(Quantity("slope"), (5, 15), ("a", "b", "c"), "degree")),
    (
        {"several": {"one": "ndvi", "other": "calculate(absolute, '$one')"}},
        Several((("one", NDVI), ("other", Calculate("absolute", NDVI)))),
    ),
]


@pytest.mark.parametrize(("data", "expression"), WRITTEN)
def test_what_is_written_is_read_and_written_again(data: object, expression: object) -> None:
    read, faults = expression_of(data)
    assert (read, faults) == (expression, ())
    assert read is not None
    assert expression_of(to_data(read)) == (expression, ())


@pytest.mark.parametrize(
    ("data", "at", "code"),
    [
        ("overr(ndvi, space, mean)", (), "unknown_operator"),
        ("over(ndvi, space, mean, 1, 2)", (), "unknown_field"),
        ("over(ndvi, space)", ("over",), "missing_field"),
        ("over(ndvi, space, maen)", ("over", "statistic"), "bad_value"),
        ("during(ndvi, 2017-13)", (), "not_an_expression"),
        ("__import__('os')", (), "unknown_operator"),
        ("ndvi.x", (), "not_an_expression"),
        ("ndvi >", (), "not_an_expression"),
        ("'ndvi'", (), "not_an_expression"),
        ("lambda: 0", (), "not_an_expression"),
        ("$other", (), "unknown_part"),
        (True, (), "not_an_expression"),
        (float("nan"), (), "not_an_expression"),
        (None, (), "not_an_expression"),
        ([], (), "not_an_expression"),
        ({"over": {"x": "ndvi", "axis": "space"}}, ("over", "axis"), "unknown_field"),
        ({"and": ["water_mask", {"nor": []}]}, ("and", "parts", 1), "unknown_operator"),
        ({"quantity": 3}, ("quantity", "kind"), "bad_value"),
        ({"extreme": {"x": "ndvi", "side": "highest", "n": 1.5}}, ("extreme", "n"), "bad_value"),
        ({"show": {"x": "ndvi", "as": "poem"}}, ("show", "as"), "bad_value"),
        ({"several": ["ndvi"]}, ("several", "named"), "bad_value"),
        ("not " * 3000 + "water_mask", (), "not_an_expression"),
    ],
)
def test_what_is_no_expression_is_told_where(data: object, at: tuple[str, ...], code: str) -> None:
    expression, faults = expression_of(data)
    assert expression is None
    assert (at, code) in [(fault.at, fault.code) for fault in faults]


def test_deep_data_are_refused_and_not_followed() -> None:
    data: object = "water_mask"
    for _ in range(300):
        data = {"not": data}
    assert [fault.code for fault in expression_of(data)[1]] == ["too_deep"]
