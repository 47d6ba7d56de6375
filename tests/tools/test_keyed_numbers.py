"""Numbers by key against Python's own arithmetic, and against Kleene's tables."""

from __future__ import annotations

import math
import statistics
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools import keyed_numbers as tools

NAN = float("nan")
NUMBERS = st.lists(st.floats(-50, 50).map(lambda one: round(one, 3)), min_size=3, max_size=9)


def known(value: float, unit: str) -> Artifact:
    return Artifact(type="scalar", value=value, facts=Facts().put("unit", unit, Origin.DERIVED, "test"))


def of(values: list[float], statistic: str, **options: object) -> float:
    given_ = {"unit": "1", "result_unit": "1", **options}
    return tools.list_statistic(values, statistic, **given_)  # type: ignore[arg-type]


@given(NUMBERS)
def test_statistics_leave_missing_numbers_out(numbers: list[float]) -> None:
    values = [NAN, *numbers, NAN]
    assert of(values, "mean") == pytest.approx(statistics.fmean(numbers))
    assert of(values, "median") == pytest.approx(statistics.median(numbers))
    assert of(values, "deviation") == pytest.approx(statistics.stdev(numbers), abs=1e-9)
    assert of(values, "sum") == pytest.approx(math.fsum(numbers), abs=1e-9)
    assert of(values, "count") == len(numbers)
    assert of(values, "range") == pytest.approx(max(numbers) - min(numbers))
    assert of(values, "variety", nature="class") == len(set(numbers))
    quartiles = statistics.quantiles(numbers, n=4, method="inclusive")
    assert of(values, "percentile", p=25.0) == pytest.approx(quartiles[0], abs=1e-9)


@given(NUMBERS, st.floats(-50, 50).map(lambda one: round(one, 3)))
def test_a_limit_parts_numbers_as_comparison_does(numbers: list[float], limit: float) -> None:
    above = sum(one > limit for one in numbers)
    assert of([*numbers, NAN], "count", side="above", limit=limit) == above
    assert of([*numbers, NAN], "share", side="at_most", limit=limit) == pytest.approx(
        100 * (len(numbers) - above) / len(numbers)
    )
    assert of(numbers, "any", side="above", limit=limit) == float(above > 0)
    for number in numbers:
        assert tools.number_comparison(number, limit, "at_least", "1") == float(number >= limit)


@pytest.mark.parametrize("statistic", ["mean", "sum", "count", "share", "majority"])
def test_nothing_known_is_nothing(statistic: str) -> None:
    assert math.isnan(of([NAN, NAN], statistic, nature="truth"))


DAYS = [date(2017, 1, day).toordinal() for day in (1, 11, 21, 31)]


@pytest.mark.parametrize(
    ("held", "longest", "first", "last"),
    [
        ([1, 1, 0, 1], 11, 1, 31),
        ([0, 1, 1, 1], 21, 11, 31),
        ([1, NAN, 1, 0], 1, 1, 21),
        ([0, 0, 0, 0], 0, None, None),
    ],
)
def test_spells_and_first_days(held: list[float], longest: int, first: int | None, last: int | None) -> None:
    keys = {"starts": DAYS, "ends": DAYS, "joined": [1, 1, 1], "nature": "truth"}
    assert of(held, "longest", **keys) == longest
    for name, day in (("first", first), ("last", last)):
        found = of(held, name, **keys)
        assert math.isnan(found) if day is None else date.fromordinal(int(found)).day == day


def test_a_gap_ends_a_spell() -> None:
    keys = {"starts": DAYS, "ends": DAYS, "joined": [1, 0, 1], "nature": "truth"}
    assert of([1, 1, 1, 1], "longest", **keys) == 11
    assert of([1, 1, 1, 1], "longest_run", **keys) == 2


def test_directions_go_around_and_decibels_are_power() -> None:
    assert of([350.0, 10.0], "mean", nature="angle", unit="degree") == pytest.approx(0.0, abs=1e-9)
    assert of([10.0, 20.0], "mean", nature="level", unit="dB") == pytest.approx(10 * math.log10(55))


def test_units_are_those_that_are_asked_for() -> None:
    assert of([known(5.0, "degC"), known(280.0, "K")], "mean", unit="K") == pytest.approx((278.15 + 280) / 2)  # type: ignore[list-item]
    assert tools.number_calculation(
        known(20.0, "degC"), "difference", "K", "K", "K", known(290.0, "K")
    ) == pytest.approx(3.15)
    assert tools.number_comparison(known(2.0, "km"), 1500.0, "above", "m") == 1.0


KLEENE = {(1, 1): (1, 1), (1, 0): (0, 1), (0, 0): (0, 0), (1, None): (None, 1), (0, None): (0, None)}


@pytest.mark.parametrize(("pair", "expected"), [*KLEENE.items(), ((None, None), (None, None))])
def test_truths_are_joined_as_kleene_has_it(
    pair: tuple[int | None, int | None], expected: tuple[int | None, ...]
) -> None:
    truths = [NAN if one is None else float(one) for one in pair]
    for how, wanted in zip(("and", "or"), expected, strict=True):
        for order in (truths, truths[::-1]):
            found = tools.truths_combined(order, how)  # type: ignore[arg-type]
            assert math.isnan(found) if wanted is None else found == wanted
    assert tools.truths_combined([1.0], "not") == 0.0


@given(NUMBERS)
def test_slopes_are_those_of_scipy(numbers: list[float]) -> None:
    days = [date(1990 + place, 6, 1 + place % 5) for place in range(len(numbers))]
    dates, years = [str(day) for day in days], [day.toordinal() / 365.25 for day in days]
    expected = stats.linregress(years, numbers).slope
    assert tools.list_trend([*numbers, NAN], [*dates, "2089-06-01"], "1", "year-1") == pytest.approx(expected, abs=1e-9)
    sen = stats.theilslopes(numbers, years).slope
    assert tools.list_trend(numbers, dates, "1", "year-1", "theil_sen") == pytest.approx(sen, abs=1e-9)
    assert math.isnan(tools.list_trend(numbers[:2], dates[:2], "1", "year-1"))


def test_seasons_are_no_trend_unless_they_are_to_be_kept() -> None:
    days = [date(2015 + month // 12, 1 + month % 12, 15) for month in range(20)]  # from winter to summer
    years = np.array([day.toordinal() / 365.25 for day in days])
    values = 0.02 * years + 0.4 * np.sin(2 * np.pi * years - 1.9)
    dates = [str(day) for day in days]
    months = np.array([[day.month == month for month in range(1, 13)] for day in days], float)
    fitted = np.linalg.lstsq(np.column_stack([years - years.mean(), months]), values, rcond=None)[0][0]
    found = tools.list_trend(list(values), dates, "1", "year-1")
    assert found == pytest.approx(fitted, abs=1e-9)
    assert found == pytest.approx(0.02, abs=0.01)
    kept = tools.list_trend(list(values), dates, "1", "year-1", seasons="kept")
    assert kept == pytest.approx(stats.linregress(years, values).slope, abs=1e-9)
    assert abs(kept - 0.02) > 0.03


@given(NUMBERS)
def test_departures_are_from_the_mean_of_at_least_three(numbers: list[float]) -> None:
    mean = statistics.fmean(numbers)
    assert tools.number_departure(7.0, numbers, "1", "1") == pytest.approx(7 - mean)
    assert math.isnan(tools.number_departure(7.0, numbers[:2], "1", "1"))


def test_correlation_is_that_of_pairs_that_are_known() -> None:
    a, b = [1.0, 2.0, NAN, 4.0, 7.0], [2.0, 1.0, 5.0, 6.0, NAN]
    assert tools.list_correlation(a, b) == pytest.approx(np.corrcoef([1, 2, 4], [2, 1, 6])[0, 1])
    assert math.isnan(tools.list_correlation(a[:2], b[:2]))


@given(NUMBERS, st.integers(1, 3), st.sampled_from(["highest", "lowest"]))
def test_extremes_are_the_ends_of_the_order(numbers: list[float], n: int, side: str) -> None:
    chosen = [number for place, number in enumerate(numbers) if tools.is_extreme(numbers, place, side, n) == 1]  # type: ignore[arg-type]
    assert sorted(chosen) == sorted(sorted(numbers, reverse=side == "highest")[:n])
    assert tools.is_extreme([*numbers, NAN], len(numbers), "highest", 99) == 0


def test_classes_days_and_truths_have_words() -> None:
    assert tools.class_of_number(0.4, [0.2, 0.4], "1") == 3
    assert tools.is_one_of(3.0, [1.0, 3.0]) == 1.0
    assert tools.in_words(3.0, "class", ["", "low", "middle", "high"]) == "high"
    assert tools.in_words(float(date(2017, 5, 3).toordinal()), "day") == "2017-05-03"
    assert tools.in_words(0.0, "truth") == "no"
    for call in (lambda: tools.in_words(NAN, "day"), lambda: tools.answer_of(NAN, "1")):
        with pytest.raises(ToolError, match="no answer"):
            call()
    assert tools.answer_of(known(2e6, "m2"), "km2") == pytest.approx(2.0)


def test_a_table_has_a_row_for_each_key_that_is_there() -> None:
    rows = tools.table_of_keys(
        [0.1, NAN, 0.3, 0.2], ["a", "1", "b", "1", "c", "1", "d", "1"], ["place", "n"], "1", present=[1, 1, 1, 0],
        order="highest",
    )  # fmt: skip
    assert rows == [{"place": "c", "n": "1", "value": 0.3}, {"place": "a", "n": "1", "value": 0.1}]
    with pytest.raises(ToolError, match="nothing is left"):
        tools.table_of_keys([NAN], ["a"], ["place"], "1")


def test_a_number_is_missing_where_its_key_is_not_there() -> None:
    assert tools.number_where(known(3.0, "K"), 1.0) == 3.0
    assert math.isnan(tools.number_where(known(3.0, "K"), NAN))


@given(st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=2, max_size=8))
def test_the_longest_spell_is_that_of_a_walk(held: list[float]) -> None:
    """By hand: runs of truths on days ten apart."""
    days = [10 * place + 1 for place in range(len(held))]
    keys = {"starts": days, "ends": days, "joined": [1 for _ in pairwise(held)], "nature": "truth"}
    if all(map(math.isnan, held)):
        return
    runs = "".join("x" if one == 1 else " " for one in held).split()
    expected = max((10 * (len(run) - 1) + 1 for run in runs), default=0)
    assert of(held, "longest", **keys) == expected
    assert of(held, "longest_run", **keys) == max(map(len, runs), default=0)
