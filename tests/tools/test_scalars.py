"""Reductions of lists: what is missing does not count."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import ToolError
from knowflow.tools import scalars as tools

NAN = math.nan
REDUCERS = (tools.mean, tools.median, tools.maximum, tools.minimum, tools.total, tools.first, tools.last)
numbers = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@given(numbers)
def test_reducers_equal_the_standard_library(x: list[float]) -> None:
    assert tools.mean(x) == pytest.approx(statistics.fmean(x), abs=1e-6)
    assert tools.median(x) == pytest.approx(statistics.median(x))
    assert (tools.maximum(x), tools.minimum(x)) == (max(x), min(x))
    assert tools.total(x) == pytest.approx(math.fsum(x))
    assert (tools.first(x), tools.last(x)) == (x[0], x[-1])
    assert tools.standard_deviation(x) == pytest.approx(statistics.stdev(x), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("reduce", REDUCERS)
def test_missing_numbers_do_not_count(reduce) -> None:
    assert reduce([None, 2.0, NAN, 4.0, None]) == reduce([2.0, 4.0])


@pytest.mark.parametrize("reduce", [*REDUCERS, tools.standard_deviation])
@pytest.mark.parametrize("x", [[], [None, NAN]])
def test_of_nothing_there_is_no_statistic(reduce, x) -> None:
    with pytest.raises(ToolError, match="no number is left"):
        reduce(x)


def test_comparisons_of_two_numbers() -> None:
    assert tools.difference_of(5, 3) == 2
    assert tools.percent_change(before=4, after=5) == 25
    assert tools.percent_change(before=-4, after=-5) == -25
    assert tools.ratio(6, 4) == 1.5
    for call in (lambda: tools.ratio(1, 0), lambda: tools.percent_change(0, 1)):
        with pytest.raises(ToolError, match="zero"):
            call()
    with pytest.raises(ToolError, match="a is missing"):
        tools.difference_of(NAN, 1)


def test_counting_beyond_a_threshold_is_strict_and_between_includes_its_ends() -> None:
    values = [1.0, 2.0, 3.0, None, 4.0]
    assert tools.count_where(values, 2.0) == 2
    assert tools.count_where(values, 2.0, "below") == 1
    assert tools.count_where(values, 2.0, "between", 3.0) == 2
    assert tools.share_where(values, 2.0, "between", 3.0) == 2 / len([one for one in values if one is not None])
    with pytest.raises(ToolError, match="upper limit"):
        tools.count_where(values, 2.0, "between")


def test_every_date_of_the_same_extreme_is_told() -> None:
    dates = ["2022-03-01", "2022-01-01", "2022-02-01", "2022-04-01"]
    assert tools.date_of_extreme([5, 5, 1, NAN], dates) == "2022-01-01, 2022-03-01"
    assert tools.date_of_extreme([5, 5, 1, NAN], dates, "minimum") == "2022-02-01"
    with pytest.raises(ToolError, match="one date for each"):
        tools.date_of_extreme([5, 5], dates)


def test_so_many_times_a_number_is_their_product() -> None:
    assert tools.multiple(2.5, 4) == 10
    with pytest.raises(ToolError):
        tools.multiple(float("nan"), 2)


def test_relative_changes_are_those_of_neighbours_and_missing_numbers_are_passed_over() -> None:
    assert tools.percent_changes([100, 110, None, 99]) == pytest.approx([10, -10])
    assert tools.percent_changes([5.0]) == []
    with pytest.raises(ToolError):
        tools.percent_changes([0, 1])


def test_quotients_go_pair_by_pair_and_what_is_missing_stays_missing() -> None:
    found = tools.quotients([2.0, 4.0, None], [1.0, 3.0, 5.0])
    assert found[:2] == [0.5, 0.75]
    assert math.isnan(found[2])
    with pytest.raises(ToolError, match="zero"):
        tools.quotients([0.0], [1.0])
    with pytest.raises(ToolError, match="go together"):
        tools.quotients([1.0], [1.0, 2.0])


def test_a_number_times_a_factor_and_relative_changes_of_neighbours() -> None:
    assert tools.multiple(2.0, 1.5) == 3.0
    assert tools.percent_changes([2.0, 3.0, NAN, 1.5]) == pytest.approx([50.0, -50.0])
