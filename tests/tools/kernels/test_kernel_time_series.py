"""Series of many pixels, each as a library or a dense solution has it alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import savgol_filter

from knowflow.tools.kernels.time_series import fill_gaps, harmonics, savitzky_golay, whittaker

DAYS = np.cumsum(np.random.default_rng(3).integers(3, 20, 40)).astype(float)


def noisy(days: np.ndarray, pixels: int = 12, gaps: float = 0.3, seed: int = 4) -> np.ndarray:
    random = np.random.default_rng(seed)
    phase = random.uniform(0, 1, pixels)
    values = (
        0.5 + 0.3 * np.sin(2 * np.pi * (days[:, None] / 365.25 + phase)) + random.normal(0, 0.05, (len(days), pixels))
    )
    values[random.random(values.shape) < gaps] = np.nan
    return values


def test_gaps_lie_on_the_line_between_their_neighbours() -> None:
    values = noisy(DAYS)
    found = fill_gaps(values.reshape(len(DAYS), 3, 4), DAYS).reshape(values.shape)
    for pixel in range(values.shape[1]):
        seen = np.isfinite(values[:, pixel])
        expected = np.interp(DAYS, DAYS[seen], values[seen, pixel], left=np.nan, right=np.nan)
        np.testing.assert_allclose(found[:, pixel], expected)


def test_long_gaps_stay_and_ends_are_held_only_when_asked_for() -> None:
    nan = np.nan
    days = np.array([0.0, 10, 20, 30, 40, 100, 110, 150])
    values = np.array([nan, 1, nan, 3, nan, 7, nan, nan])[:, None]
    np.testing.assert_array_equal(fill_gaps(values, days)[:, 0], [nan, 1, 2, 3, 3 + 4 / 7, 7, nan, nan])
    np.testing.assert_array_equal(fill_gaps(values, days, longest=30)[:, 0], [nan, 1, 2, 3, nan, 7, nan, nan])
    held = fill_gaps(values, days, longest=30, ends="nearest")[:, 0]
    np.testing.assert_array_equal(held, [1, 1, 2, 3, nan, 7, 7, nan])
    assert np.isnan(fill_gaps(np.full((8, 2), nan), days, ends="nearest")).all()


@given(st.integers(0, 2**16), st.floats(0, 0.9))
def test_filling_changes_no_observation_and_invents_no_extreme(seed: int, gaps: float) -> None:
    values = noisy(DAYS, 5, gaps, seed)
    found = fill_gaps(values, DAYS, ends="nearest")
    seen = np.isfinite(values)
    np.testing.assert_array_equal(found[seen], values[seen])
    for pixel in range(5):
        if seen[:, pixel].any():
            assert found[:, pixel].min() >= values[seen[:, pixel], pixel].min() - 1e-12
            assert found[:, pixel].max() <= values[seen[:, pixel], pixel].max() + 1e-12


@pytest.mark.parametrize("smoothness", [0.1, 10.0, 5000.0])
def test_whittaker_is_the_dense_solution_with_gaps_and_uneven_dates(smoothness: float) -> None:
    values = noisy(DAYS)
    found = whittaker(values, DAYS, smoothness)
    time = DAYS / np.median(np.diff(DAYS))
    differences = np.zeros((len(DAYS) - 2, len(DAYS)))
    for i in range(len(DAYS) - 2):  # the second derivative of the parabola through three points
        inverse = np.linalg.inv(np.vander(time[i : i + 3] - time[i], 3))
        differences[i, i : i + 3] = 2 * inverse[0]
    for pixel in range(values.shape[1]):
        seen = np.isfinite(values[:, pixel])
        system = np.diag(seen.astype(float)) + smoothness * differences.T @ differences
        expected = np.linalg.solve(system, np.nan_to_num(values[:, pixel]))
        inside = np.zeros(len(DAYS), bool)
        inside[np.flatnonzero(seen)[0] : np.flatnonzero(seen)[-1] + 1] = True
        np.testing.assert_allclose(found[inside, pixel], expected[inside], rtol=1e-7)
        assert np.isnan(found[~inside, pixel]).all()


def test_whittaker_of_an_even_series_is_the_filter_of_hodrick_and_prescott() -> None:
    from statsmodels.tsa.filters.hp_filter import hpfilter

    days = 16.0 * np.arange(46)
    values = noisy(days, 4, gaps=0)
    found = whittaker(values, days, 100.0)
    for pixel in range(4):
        _, trend = hpfilter(values[:, pixel], lamb=100.0)
        np.testing.assert_allclose(found[:, pixel], trend, rtol=1e-8)


def test_savitzky_golay_of_an_even_series_is_scipys() -> None:
    days = 16.0 * np.arange(46)
    values = noisy(days, 4, gaps=0)
    np.testing.assert_allclose(savitzky_golay(values, days, 7, 3), savgol_filter(values, 7, 3, axis=0), rtol=1e-9)


@pytest.mark.parametrize("smooth", [lambda v: whittaker(v, DAYS, 10.0), lambda v: savitzky_golay(v, DAYS, 5, 2)])
def test_smoothing_keeps_a_straight_line_and_brings_noise_nearer_to_the_truth(smooth: object) -> None:
    line = np.repeat((0.2 + 0.001 * DAYS)[:, None], 3, axis=1)
    gappy = line.copy()
    gappy[5:9, 1] = np.nan
    np.testing.assert_allclose(smooth(gappy), line, atol=1e-9)  # type: ignore[operator]
    truth = 0.5 + 0.3 * np.sin(2 * np.pi * DAYS / 365.25)[:, None]
    values = truth + np.random.default_rng(1).normal(0, 0.05, (len(DAYS), 200))
    assert np.std(smooth(values) - truth) < 0.7 * np.std(values - truth)  # type: ignore[operator]


def test_too_few_observations_are_not_smoothed() -> None:
    values = np.full((len(DAYS), 2), np.nan)
    values[[3, 20], 0] = values[[3, 20, 30], 1] = 0.5
    for found in (whittaker(values, DAYS, 1.0), savitzky_golay(values, DAYS, 5)):
        assert np.isnan(found[:, 0]).all()
        np.testing.assert_allclose(found[3:31, 1], 0.5, atol=1e-9)


@pytest.mark.parametrize(("order", "trend"), [(1, False), (1, True), (2, True)])
def test_harmonics_are_the_regression_of_statsmodels(order: int, trend: bool) -> None:
    import statsmodels.api as sm

    years = 2019.3 + DAYS / 365.25
    values = noisy(DAYS) + 0.05 * DAYS[:, None] / 365.25
    found = harmonics(values, years, order, trend)
    time = years - (years[0] + years[-1]) / 2
    terms = [np.ones_like(years), *([time] if trend else [])]
    terms += [f(2 * np.pi * k * years) for k in range(1, order + 1) for f in (np.cos, np.sin)]
    for pixel in range(values.shape[1]):
        fit = sm.OLS(values[:, pixel], np.stack(terms, axis=1), missing="drop").fit()
        cosine, sine = fit.params[-2 * order], fit.params[-2 * order + 1]
        assert found.mean[pixel] == pytest.approx(fit.params[0])
        assert found.trend[pixel] == pytest.approx(fit.params[1] if trend else 0.0)
        assert found.amplitude[pixel] == pytest.approx(np.hypot(cosine, sine))
        assert found.residual[pixel] == pytest.approx(np.sqrt(fit.scale))
        assert found.count[pixel] == fit.nobs


@given(st.floats(0.0, 0.999), st.floats(0.05, 2.0))
def test_a_cycle_of_known_peak_is_found_from_uneven_dates(peak: float, amplitude: float) -> None:
    years = 2019.3 + DAYS / 365.25
    values = 0.4 + amplitude * np.cos(2 * np.pi * (years - peak))[:, None]
    found = harmonics(values, years)
    assert found.amplitude[0] == pytest.approx(amplitude, rel=1e-9)
    assert abs((found.peak[0] - peak + 0.5) % 1 - 0.5) < 1e-9
    assert found.residual[0] == pytest.approx(0, abs=1e-9)


def test_dates_that_cannot_tell_the_terms_apart_give_nothing() -> None:
    years = 2019.0 + np.arange(8)  # once a year, always on New Year's day
    found = harmonics(np.random.default_rng(1).normal(size=(8, 3)), years)
    assert np.isnan(found.amplitude).all()
    assert (found.count == 8).all()
