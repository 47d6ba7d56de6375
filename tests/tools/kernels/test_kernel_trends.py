"""Trend kernels against pymannkendall and scipy."""

from __future__ import annotations

import numpy as np
import pymannkendall
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from knowflow.tools.kernels.mann_kendall import mann_kendall, seasonal_kendall
from knowflow.tools.kernels.regression import Comoments, correlation_of_stacks, linear_trend


def _stack(seed: int, dates: int, pixels: int, ties: bool, gaps: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.normal(size=(dates, pixels)) + np.linspace(0, 1, dates)[:, np.newaxis] * random.normal(size=pixels)
    if ties:
        values = np.round(values * 2) / 2
    values[random.random(values.shape) < gaps] = np.nan
    return values


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    dates=st.integers(4, 25),
    ties=st.booleans(),
    gaps=st.sampled_from([0.0, 0.2, 0.5]),
)
def test_mann_kendall_equals_pymannkendall_with_ties_and_gaps(seed: int, dates: int, ties: bool, gaps: float) -> None:
    stack = _stack(seed, dates, 12, ties, gaps)
    found = mann_kendall(stack, np.arange(dates, dtype=float))
    for pixel in range(stack.shape[1]):
        series = stack[:, pixel]
        observed = series[np.isfinite(series)]
        if observed.size < 4:
            assert np.isnan([found.slope[pixel], found.tau[pixel], found.p_value[pixel]]).all()
            continue
        expected = pymannkendall.original_test(observed)
        assert found.tau[pixel] == pytest.approx(expected.Tau, abs=1e-9)
        assert found.p_value[pixel] == pytest.approx(expected.p, abs=1e-9)
        # with gaps the slopes are over the actual dates, as in pymannkendall's sens_slope of the whole series
        assert found.slope[pixel] == pytest.approx(pymannkendall.sens_slope(series).slope, abs=1e-9)


def test_sen_slope_uses_the_actual_dates() -> None:
    stack = _stack(5, 17, 30, ties=False, gaps=0.3)
    times = np.sort(np.random.default_rng(1).uniform(2000, 2020, 17))
    found = mann_kendall(stack, times)
    for pixel in range(30):
        observed = np.isfinite(stack[:, pixel])
        expected = stats.theilslopes(stack[observed, pixel], times[observed]).slope
        assert found.slope[pixel] == pytest.approx(expected, abs=1e-12)


def test_a_constant_series_has_no_trend() -> None:
    found = mann_kendall(np.ones((6, 2, 3)), np.arange(6.0))
    assert (found.slope == 0).all()
    assert (found.tau == 0).all()
    assert (found.p_value == 1).all()
    assert found.slope.shape == (2, 3)


@pytest.mark.parametrize("times", [[0.0, 1.0, 1.0, 2.0], [0.0, 2.0, 1.0, 3.0], [0.0, 1.0, 2.0]])
def test_dates_that_do_not_increase_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="strictly increasing"):
        mann_kendall(np.zeros((4, 2)), np.array(times))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), dates=st.integers(3, 20), gaps=st.sampled_from([0.0, 0.3]))
def test_linear_trend_equals_linregress(seed: int, dates: int, gaps: float) -> None:
    stack = _stack(seed, dates, 10, ties=False, gaps=gaps) + 300.0
    times = np.sort(np.random.default_rng(seed).uniform(1985, 2024, dates))
    found = linear_trend(stack, times)
    for pixel in range(10):
        observed = np.isfinite(stack[:, pixel])
        if observed.sum() < 3:
            assert np.isnan(found.slope[pixel])
            assert np.isnan(found.p_value[pixel])
            continue
        expected = stats.linregress(times[observed], stack[observed, pixel])
        assert found.slope[pixel] == pytest.approx(expected.slope, rel=1e-7, abs=1e-9)
        assert found.intercept[pixel] == pytest.approx(expected.intercept, rel=1e-7, abs=1e-6)
        assert found.r[pixel] == pytest.approx(expected.rvalue, abs=1e-8)
        assert found.p_value[pixel] == pytest.approx(expected.pvalue, abs=1e-7)


def test_a_constant_pixel_has_slope_zero_and_certain_null_hypothesis() -> None:
    found = linear_trend(np.full((5, 1), 7.0), np.arange(5.0))
    assert (found.slope[0], found.intercept[0], found.r[0], found.p_value[0]) == (0.0, 7.0, 0.0, 1.0)


def test_correlation_through_time_equals_scipy_over_common_dates() -> None:
    a, b = _stack(1, 15, 20, False, 0.2), _stack(2, 15, 20, False, 0.2)
    found = correlation_of_stacks(a, b)
    for pixel in range(20):
        both = np.isfinite(a[:, pixel]) & np.isfinite(b[:, pixel])
        assert found[pixel] == pytest.approx(stats.pearsonr(a[both, pixel], b[both, pixel])[0], abs=1e-12)
    assert np.isnan(correlation_of_stacks(a[:2], b[:2])).all()


@given(seed=st.integers(0, 2**31), cut=st.integers(0, 200))
@settings(max_examples=30, deadline=None)
def test_merged_comoments_equal_those_of_the_whole(seed: int, cut: int) -> None:
    x, y = _stack(seed, 200, 2, False, 0.1).T
    merged = Comoments.of(x[:cut], y[:cut]).merged(Comoments.of(x[cut:], y[cut:]))
    both = np.isfinite(x) & np.isfinite(y)
    assert merged.count == both.sum()
    assert merged.r == pytest.approx(np.corrcoef(x[both], y[both])[0, 1], abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), years=st.integers(2, 6), ties=st.booleans(), gaps=st.sampled_from([0.0, 0.2, 0.5]))
def test_seasonal_kendall_equals_pymannkendall(seed: int, years: int, ties: bool, gaps: float) -> None:
    stack = _stack(seed, 12 * years, 6, ties, gaps)
    year, month = np.divmod(np.arange(12 * years), 12)
    found = seasonal_kendall(stack, year + month / 12, year, month, 2)
    for pixel in range(6):
        series = stack[:, pixel]
        if np.isfinite(series.reshape(years, 12)).sum(axis=0).max() < 2:
            assert np.isnan([found.slope[pixel], found.tau[pixel], found.p_value[pixel]]).all()
            continue
        expected = pymannkendall.seasonal_test(series, period=12)
        assert found.slope[pixel] == pytest.approx(pymannkendall.seasonal_sens_slope(series, 12).slope, abs=1e-9)
        assert found.p_value[pixel] == pytest.approx(expected.p, abs=1e-9)
        assert found.lower[pixel] <= found.slope[pixel] <= found.upper[pixel]


def test_dates_of_one_month_of_one_year_are_one_observation_of_the_seasonal_test() -> None:
    months, years = np.array([0, 0, 1, 0, 1, 0]), np.array([0, 0, 0, 1, 1, 2])
    times = np.array([0.0, 0.02, 0.1, 1.01, 1.1, 2.01])
    values = np.array([1.0, 3.0, 9.0, 2.5, 9.4, 3.0])[:, np.newaxis]
    found = seasonal_kendall(values, times, years, months, 2)
    assert found.slope[0] == pytest.approx(np.median([0.5, 0.5, 0.5, 0.4]))
    assert found.tau[0] == 1.0


def test_the_interval_of_sens_slope_is_that_of_scipy() -> None:
    stack = _stack(8, 19, 20, ties=False, gaps=0.2)
    times = np.sort(np.random.default_rng(2).uniform(2000, 2020, 19))
    found = mann_kendall(stack, times)
    for pixel in range(20):
        observed = np.isfinite(stack[:, pixel])
        expected = stats.theilslopes(stack[observed, pixel], times[observed], alpha=0.95)
        assert (found.lower[pixel], found.upper[pixel]) == pytest.approx((expected.low_slope, expected.high_slope))


def test_departures_from_monthly_means_are_regression_with_a_constant_for_every_month() -> None:
    import statsmodels.api as sm

    months, years = np.tile(np.arange(12), 3), np.repeat(np.arange(3), 12)
    times = years + months / 12 + np.random.default_rng(0).uniform(0, 0.05, 36)
    stack = _stack(4, 36, 8, ties=False, gaps=0.3) + np.sin(2 * np.pi * times)[:, np.newaxis]
    found = linear_trend(stack, times, groups=months)
    for pixel in range(8):
        seen = np.isfinite(stack[:, pixel])
        constants = (months[seen, np.newaxis] == np.unique(months[seen])).astype(float)
        expected = sm.OLS(stack[seen, pixel], np.column_stack([times[seen], constants])).fit()
        low, high = expected.conf_int()[0]
        assert (found.slope[pixel], found.p_value[pixel]) == pytest.approx((expected.params[0], expected.pvalues[0]))
        assert (found.lower[pixel], found.upper[pixel]) == pytest.approx((low, high))
        assert found.error[pixel] == pytest.approx(expected.bse[0])
