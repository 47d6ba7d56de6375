"""Numbers, lists, boxes and series against scipy, pymannkendall, statsmodels and by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pymannkendall
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from knowflow.ground.errors import ToolError
from knowflow.tools.earth_agent import boxes, numbers, time_series
from knowflow.tools.kernels.change_points import change_points
from knowflow.tools.kernels.higher_moments import HigherMoments

SAMPLE = [3.1, 2.0, 7.5, 4.4, 4.4, 9.0, 1.2, 5.5]


def test_published_conventions_of_arithmetic() -> None:
    assert numbers.difference(2.0, 5.0) == 3.0
    assert numbers.division(4.0, 2.0) == 0.5
    assert numbers.percentage_change(2.0, 3.0) == 50.0
    assert numbers.percentage_change(-2.0, -3.0) == 50.0
    assert numbers.multiply("2.5", 4) == 10.0  # type: ignore[arg-type]
    assert numbers.ceil_number(9.01) == 10
    assert numbers.kelvin_to_celsius(300.0) == pytest.approx(26.85)
    assert numbers.celsius_to_kelvin(26.85) == pytest.approx(300.0)


@pytest.mark.parametrize("call", [lambda: numbers.division(0.0, 1.0), lambda: numbers.percentage_change(0.0, 1.0)])
def test_nothing_is_divided_by_zero(call: Callable[[], float]) -> None:
    with pytest.raises(ToolError, match="zero"):
        call()


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ToolError, match="a is not a number"):
        numbers.difference("lst.tif", 1.0)  # type: ignore[arg-type]


def test_extremes_keep_the_places_of_missing_numbers() -> None:
    assert numbers.max_value_and_index([None, 1.0, 5.0, math.nan, 5.0]) == [5.0, 2]
    assert numbers.min_value_and_index([None, 1.0, 5.0, math.nan, 1.0]) == [1.0, 1]
    assert numbers.get_list_object_via_indexes(["a", "b", "c"], [2, 0]) == ["c", "a"]
    with pytest.raises(ToolError, match="no such place"):
        numbers.get_list_object_via_indexes(["a"], [1])


def test_spread_and_shape_are_those_of_scipy() -> None:
    assert numbers.coefficient_of_variation(SAMPLE) == pytest.approx(stats.variation(SAMPLE, ddof=1))
    assert numbers.skewness(SAMPLE) == pytest.approx(stats.skew(SAMPLE, bias=False))
    assert numbers.skewness(SAMPLE, compat=True) == pytest.approx(stats.skew(SAMPLE))
    assert numbers.skewness(SAMPLE, bias=True) == pytest.approx(stats.skew(SAMPLE))
    for bias, fisher in itertools.product((True, False), repeat=2):
        expected = stats.kurtosis(SAMPLE, bias=bias, fisher=fisher)
        assert numbers.kurtosis(SAMPLE, bias, fisher) == pytest.approx(expected)
    published = stats.kurtosis(SAMPLE, bias=False) - 3
    assert numbers.kurtosis(SAMPLE, bias=False, compat=True) == pytest.approx(published)
    with pytest.raises(ToolError, match="no skewness"):
        numbers.skewness([1.0, 1.0, 1.0])


@given(st.lists(st.floats(-100, 100), min_size=6, max_size=40), st.integers(1, 5))
def test_moments_do_not_depend_on_how_the_sample_was_cut(values: list[float], cut: int) -> None:
    sample = np.array(values)
    if np.ptp(sample) < 1e-3:
        return
    whole = HigherMoments.of(sample)
    parts = HigherMoments.of(sample[:cut]).merged(HigherMoments.of(sample[cut:]))
    assert parts.skewness() == pytest.approx(whole.skewness(), rel=1e-6, abs=1e-6)
    assert parts.kurtosis() == pytest.approx(whole.kurtosis(), rel=1e-6, abs=1e-6)


def test_a_line_and_the_tests_for_trends() -> None:
    slope, intercept = time_series.compute_linear_trend([1.0, None, 5.0, 7.5], [2000, 2001, 2002, 2003])
    fit = stats.linregress([2000, 2002, 2003], [1.0, 5.0, 7.5])
    assert (slope, intercept) == pytest.approx((fit.slope, fit.intercept))
    with pytest.raises(ToolError, match="two different places"):
        time_series.compute_linear_trend([3.0], [1.0])
    assert time_series.compute_linear_trend([3.0], [1.0], compat=True) == pytest.approx([1.5, 1.5])
    expected = pymannkendall.original_test(SAMPLE)
    assert time_series.mann_kendall_test(SAMPLE) == [
        expected.trend,
        pytest.approx(expected.p),
        pytest.approx(expected.z),
        pytest.approx(expected.Tau),
    ]
    slope, slopes = time_series.sens_slope(SAMPLE)
    assert slope == pytest.approx(pymannkendall.sens_slope(SAMPLE).slope)
    assert slopes[:2] == pytest.approx([-1.1, 2.2])


def test_sens_slope_counts_the_steps_across_a_gap() -> None:
    assert time_series.sens_slope([0.0, None, 4.0]) == [2.0, [2.0]]


def test_autocorrelation_is_that_of_its_definition() -> None:
    x = np.array(SAMPLE) - np.mean(SAMPLE)
    expected = [float((x[: 8 - lag] * x[lag:]).sum() / (x * x).sum()) for lag in range(4)]
    assert time_series.autocorrelation_function(SAMPLE, 3) == pytest.approx(expected)
    with pytest.raises(ToolError, match="gaps"):
        time_series.autocorrelation_function([1.0, None, 2.0], 1)  # type: ignore[list-item]


def test_a_season_is_a_peak_and_a_slow_change_is_none() -> None:
    season = [float(np.sin(2 * np.pi * t / 6) + 0.01 * t) for t in range(48)]
    assert time_series.detect_seasonality_acf(season) == "6"
    ramp = [*np.linspace(0, 1, 15), *np.linspace(1, -1, 15)]
    assert time_series.detect_seasonality_acf(ramp) == time_series.NOT_CYCLICAL
    assert time_series.detect_seasonality_acf(ramp, compat=True) == "2"


def test_spikes_are_rises_above_the_threshold() -> None:
    assert time_series.count_spikes_from_values([0.5, None, 0.7, 0.3, 0.39, 0.6]) == 2
    assert time_series.count_spikes_from_values([0.78, 0.83], 0.05) == 0
    assert time_series.count_spikes_from_values([0.78, 0.83], 0.05, compat=True) == 1


def test_stl_takes_trend_and_season_apart() -> None:
    season = np.tile([3.0, -1.0, -2.0, 0.0], 10)
    found = time_series.stl_decompose(list(season + 0.5 * np.arange(40)), 4)
    assert [row["seasonal"] for row in found[8:32]] == pytest.approx(list(season[8:32]), abs=0.1)
    assert np.diff([row["trend"] for row in found[8:32]]) == pytest.approx(np.full(23, 0.5), abs=0.05)
    with pytest.raises(ToolError, match="two periods"):
        time_series.stl_decompose([1.0, 2.0, 3.0], 4)


@pytest.mark.parametrize("model", ["l2", "l1", "rbf"])
def test_change_points_are_where_the_level_changes(model: Any) -> None:
    rng = np.random.default_rng(0)
    signal = np.concatenate([rng.normal(level, 0.1, 12) for level in (0.0, 3.0, 1.0)])
    assert time_series.detect_change_points(list(signal), model, 2.0) == [12, 24, 36]
    assert time_series.detect_change_points([1.0] * 9, model, 2.0) == [9]


@given(st.lists(st.integers(-3, 3).map(float), min_size=4, max_size=9), st.floats(0.1, 5))
def test_no_other_segmentation_costs_less(values: list[float], penalty: float) -> None:
    signal = np.array(values)

    def cost(ends: tuple[int, ...]) -> float:
        parts = zip((0, *ends), (*ends, len(values)), strict=True)
        return sum(float(((signal[a:b] - signal[a:b].mean()) ** 2).sum()) for a, b in parts) + penalty * len(ends)

    inner = range(2, len(values) - 1)
    allowed = [
        ends
        for count in range(len(values) // 2)
        for ends in itertools.combinations(inner, count)
        if all(b - a >= 2 for a, b in zip((0, *ends), (*ends, len(values)), strict=True))
    ]
    found = change_points(signal, penalty)
    assert found[-1] == len(values)
    assert cost(tuple(found[:-1])) == pytest.approx(min(cost(ends) for ends in allowed), abs=1e-9)


def test_boxes_are_corners() -> None:
    box = [10.0, 20.0, 40.0, 60.0]
    assert boxes.bboxes2centroids([box]) == [[25.0, 40.0]]
    assert boxes.calculate_bbox_area([box, box]) == 2400.0
    assert boxes.calculate_bbox_area([box], gsd=0.5) == 300.0
    assert boxes.calculate_bbox_area([box], gsd=0.5, compat=True) == 600.0  # 40 wide, 60 high
    assert boxes.calculate_bbox_area([[40.0, 60.0, 10.0, 20.0]]) == 1200.0
    assert boxes.bbox_expansion([box], radius=5.0, gsd=0.5) == [[0.0, 10.0, 50.0, 70.0]]
    with pytest.raises(ToolError, match="four numbers"):
        boxes.bboxes2centroids([[1.0, 2.0]])


def test_the_nearest_and_the_farthest_pair() -> None:
    nearest, farthest = boxes.centroid_distance_extremes([[0, 0], [3, 4], [3, 5], [30, 40]])
    assert nearest == {"which": "min", "first": 1, "second": 2, "distance": 1.0}
    assert farthest == {"which": "max", "first": 0, "second": 3, "distance": 50.0}
    with pytest.raises(ToolError, match="two points"):
        boxes.centroid_distance_extremes([[0, 0]])
