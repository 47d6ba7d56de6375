"""Patterns of expressions: what fills their holes makes the expression again, and nothing else matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.operators import Expression
from knowflow.question.patterns import matches, pattern_of

SHARE = "over(beyond($x, $side, $limit), space, share)"


def read(text: str) -> Expression:
    found, faults = expression_of(text)
    assert found is not None, faults
    return found


@given(
    st.sampled_from(["ndvi", "during(ndvi, '2017')", "over(ndvi, time, mean)"]),
    st.sampled_from(["above", "below", "at_least"]),
    st.integers(-9, 9),
)
def test_what_fills_the_holes_makes_the_expression_again(x: str, side: str, limit: int) -> None:
    asked = read(f"over(beyond({x}, {side}, {limit}), space, share)")
    (holes,) = matches(pattern_of(SHARE), asked)
    assert (holes["x"], holes["side"], holes["limit"]) == (read(x), side, read(str(limit)))


@pytest.mark.parametrize(
    "other",
    [
        "over(beyond(ndvi, above, 0.4), time, share)",
        "over(beyond(ndvi, above, 0.4), space, area)",
        "over(beyond(ndvi, between, 0.4, 0.6), space, share)",  # a field that the pattern does not name
        "over(ndvi, space, mean)",
    ],
)
def test_another_operator_axis_or_field_is_another_expression(other: str) -> None:
    assert not list(matches(pattern_of(SHARE), read(other)))


def test_time_is_whichever_grain_is_taken_away() -> None:
    pattern = pattern_of("over($x, time, mean)")
    yearly = normal(read("over(over(split(ndvi, year), space, mean), time, mean)"))
    assert list(matches(pattern, yearly))
    assert not list(matches(pattern, read("over(ndvi, space, mean)")))


def test_the_same_hole_twice_is_the_same_value_in_either_order_of_a_product() -> None:
    own_mean = pattern_of("over(beyond($x, above, calculate(product, over($x, space, mean), $times)), space, share)")
    for product in ("over(ndvi, space, mean), 1.5", "1.5, over(ndvi, space, mean)"):
        asked = read(f"over(beyond(ndvi, above, calculate(product, {product})), space, share)")
        assert {str(one["times"]) for one in matches(own_mean, asked)} == {str(read("1.5"))}
    asked = read("over(beyond(ndvi, above, calculate(product, over(evi, space, mean), 1.5)), space, share)")
    assert not list(matches(own_mean, asked))


@pytest.mark.parametrize(
    ("text", "why"),
    [("above($x)", "above is no operator"), ("over($x, where=space)", "over has the fields"), ("$x", "no operator")],
)
def test_what_is_no_pattern_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        pattern_of(text)
