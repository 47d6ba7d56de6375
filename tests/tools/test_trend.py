"""Trends of rasters and of numbers, against scipy and pymannkendall."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pymannkendall
import pytest
from drawn_rasters import draw, read
from scipy import stats

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import per_year
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools import trend as tools
from knowflow.tools.context import running

STARTS = date(2015, 1, 5)


def _series(tmp_path: Path, dates: int, shape: tuple[int, int] = (9, 11), seed: int = 0, **facts) -> tuple:
    random = np.random.default_rng(seed)
    days = np.sort(random.choice(2500, dates, replace=False))
    stack = random.normal(280, 5, (dates, *shape)).astype(np.float32)
    stack[random.random(stack.shape) < 0.3] = np.nan
    stack[:, 0, 0] = np.nan
    items = [
        draw(tmp_path / f"s{i}.tif", layer, datetime=str(STARTS + timedelta(days=int(day))), **facts)
        for i, (day, layer) in enumerate(zip(days, stack, strict=True))
    ]
    return tuple(items), (days - days[0]) / 365.25, stack


def test_linear_trend_of_pixels_equals_linregress_over_actual_dates(tmp_path: Path) -> None:
    items, years, stack = _series(tmp_path, 14, unit="degC")
    tools.temporal_trend(items[::-1], tmp_path / "slope.tif", tmp_path / "p.tif", tmp_path / "r.tif")
    slope, about = read(tmp_path / "slope.tif")
    p_value, r = read(tmp_path / "p.tif")[0], read(tmp_path / "r.tif")[0]
    assert np.isnan(slope[0, 0])
    for row, column in [(0, 1), (4, 5), (8, 10)]:
        pixel = stack[:, row, column].astype(float)
        seen = np.isfinite(pixel)
        expected = stats.linregress(years[seen], pixel[seen])
        assert slope[row, column] == pytest.approx(expected.slope, rel=1e-5)
        assert p_value[row, column] == pytest.approx(expected.pvalue, rel=1e-5)
        assert r[row, column] == pytest.approx(expected.rvalue, rel=1e-5)
    assert (about["QUANTITY"], about["UNIT"]) == ("trend_per_year", "K year-1")
    assert "DATETIME" not in about


def test_mann_kendall_of_pixels_equals_pymannkendall(tmp_path: Path) -> None:
    items, years, stack = _series(tmp_path, 12, seed=3, unit="1")
    tools.mann_kendall(items, tmp_path / "slope.tif", tmp_path / "p.tif", tmp_path / "tau.tif")
    slope, about = read(tmp_path / "slope.tif")
    p_value, tau = read(tmp_path / "p.tif")[0], read(tmp_path / "tau.tif")[0]
    assert about["UNIT"] == "year-1"
    for row, column in [(1, 1), (4, 5), (8, 10)]:
        pixel = stack[:, row, column].astype(float)
        seen = np.isfinite(pixel)
        expected = pymannkendall.original_test(pixel[seen])
        assert tau[row, column] == pytest.approx(expected.Tau, rel=1e-6)
        assert p_value[row, column] == pytest.approx(expected.p, rel=1e-5)
        assert slope[row, column] == pytest.approx(stats.theilslopes(pixel[seen], years[seen]).slope, rel=1e-5)


def test_too_few_observations_give_no_trend(tmp_path: Path) -> None:
    items, _, stack = _series(tmp_path, 6, seed=1)
    tools.mann_kendall(items, tmp_path / "s.tif", tmp_path / "p.tif", tmp_path / "t.tif", minimum_count=5)
    counts = np.isfinite(stack).sum(axis=0)
    np.testing.assert_array_equal(np.isnan(read(tmp_path / "s.tif")[0]), counts < 5)


def test_two_scenes_of_one_date_or_of_none_are_refused(tmp_path: Path) -> None:
    items, _, _ = _series(tmp_path, 4)
    outputs = (tmp_path / "s.tif", tmp_path / "p.tif", tmp_path / "r.tif")
    with pytest.raises(ToolError, match="same date"):
        tools.temporal_trend((*items, items[0]), *outputs)
    with pytest.raises(ToolError, match="too short"):
        tools.temporal_trend(items[:2], *outputs)
    undated = Artifact("raster", path=items[0].path)
    with pytest.raises(MissingFactError, match="date"):
        tools.temporal_trend((*items, undated), *outputs)
    assert not outputs[0].exists()


def test_significance_classes_need_both_slope_and_p(tmp_path: Path) -> None:
    slope = draw(tmp_path / "s.tif", np.array([[0.5, -0.5, 0.5, np.nan]], np.float32))
    p_value = draw(tmp_path / "p.tif", np.array([[0.01, 0.01, 0.2, 0.01]], np.float32))
    tools.trend_significance(slope, p_value, tmp_path / "c.tif")
    classes, about = read(tmp_path / "c.tif")
    np.testing.assert_array_equal(classes, [[1, -1, 0, np.nan]])
    assert about["dtype"] == "int8"


DATES = ["2020-01-01", "2021-01-01T12:00:00Z", "2022-01-05", "2023-02-01", "2024-01-01"]
VALUES = [1.0, 2.0, None, 2.5, 4.0]


def _years() -> np.ndarray:
    days = np.array([0, 366.5, 1127, 1461])
    return days / 365.25


def test_series_trend_equals_linregress_and_leaves_out_what_is_missing() -> None:
    expected = stats.linregress(_years(), [1.0, 2.0, 2.5, 4.0])
    (row,) = tools.series_trend_table(VALUES, DATES)
    assert row["slope"] == pytest.approx(expected.slope)
    assert (row["count"], row["first"], row["last"]) == (4, "2020-01-01", "2024-01-01")
    assert row["r_squared"] == pytest.approx(expected.rvalue**2)
    assert tools.series_trend(VALUES, DATES) == pytest.approx(expected.slope)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    (reversed_row,) = tools.series_trend_table(VALUES[::-1], DATES[::-1])
    assert reversed_row["intercept"] == pytest.approx(expected.intercept)


def test_series_mann_kendall_equals_scipy_and_pymannkendall() -> None:
    expected = pymannkendall.original_test([1.0, 2.0, 2.5, 4.0])
    assert tools.series_mann_kendall(VALUES, DATES) == pytest.approx(
        stats.theilslopes([1.0, 2.0, 2.5, 4.0], _years()).slope
    )
    (row,) = tools.series_trend_table(VALUES, DATES, "mann_kendall")
    assert row["p_value"] == pytest.approx(expected.p)
    assert row["tau"] == pytest.approx(expected.Tau)


def test_a_constant_series_has_no_trend() -> None:
    (row,) = tools.series_trend_table([2, 2, 2], DATES[:3])
    assert (row["slope"], row["r"], row["p_value"]) == (0.0, 0.0, 1.0)


def test_a_trend_needs_three_dates_and_different_ones() -> None:
    with pytest.raises(ToolError, match="three numbers"):
        tools.series_trend([1, 2, None], DATES[:3])
    with pytest.raises(ToolError, match="same date"):
        tools.series_trend([1, 2, 3], ["2020-01-01", "2020-01-01", "2021-01-01"])
    with pytest.raises(ToolError, match="one date for each"):
        tools.series_trend([1, 2, 3], DATES[:2])


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("K", "K year-1"), ("degC", "K year-1"), ("1", "year-1"), ("kg m-2", "kg m-2 year-1")],
)
def test_a_trend_is_in_the_unit_of_a_change_per_year(unit: str, expected: str) -> None:
    assert per_year(unit) == expected


def test_mann_kendall_of_real_cloudy_dates(tmp_path: Path, slovenia: Path) -> None:
    files = sorted((slovenia / "ndvi").glob("NDVI_*.tif"))[::2]
    items = tuple(
        Artifact("raster", facts=Facts.of(Origin.DECLARED, datetime=path.stem[5:15], unit="1"), path=str(path))
        for path in files
    )
    tools.mann_kendall(items, tmp_path / "slope.tif", tmp_path / "p.tif", tmp_path / "tau.tif")
    slope, tau = read(tmp_path / "slope.tif")[0], read(tmp_path / "tau.tif")[0]
    years = np.array([(date.fromisoformat(path.stem[5:15]) - STARTS).days for path in files]) / 365.25
    for row, column in [(0, 0), (50, 50), (99, 99)]:
        pixel = np.array([read(path)[0][row, column] for path in files])
        seen = np.isfinite(pixel)
        assert tau[row, column] == pytest.approx(pymannkendall.original_test(pixel[seen]).Tau, rel=1e-6)
        assert slope[row, column] == pytest.approx(stats.theilslopes(pixel[seen], years[seen]).slope, rel=1e-4)


def _cloudy_season(seed: int, years: float = 2.4) -> tuple[list[float], list[str], np.ndarray]:
    """A yearly cycle with a trend of 0.02 a year, seen through clouds that are thickest in winter."""
    random = np.random.default_rng(seed)
    days = np.arange(random.integers(5), years * 365.25, 5)
    phase = 2 * np.pi * (days / 365.25 - 0.55)
    values = 0.5 + 0.25 * np.cos(phase) + 0.02 * days / 365.25 + random.normal(0, 0.03, days.size)
    clear = random.random(days.size) < 0.25 + 0.25 * np.cos(phase)
    dates = [str(date(2018, 1, 1) + timedelta(days=int(day))) for day in days[clear]]
    return values[clear].tolist(), dates, days[clear] / 365.25


@pytest.mark.parametrize("method", ["linear", "mann_kendall"])
def test_a_trend_under_a_yearly_cycle_lies_in_its_own_interval(method: str) -> None:
    held, plain, found = 0, [], []
    for seed in range(40):
        values, dates, years = _cloudy_season(seed)
        (row,) = tools.series_trend_table(values, dates, method, "auto")
        assert "the seasons are removed" in row["seasons"]
        held += row["lower"] <= 0.02 <= row["upper"]
        found.append(row["slope"])
        plain.append(stats.linregress(years, values).slope)
    assert held >= 36
    assert abs(np.mean(found) - 0.02) < 0.005
    assert abs(np.mean(plain) - 0.02) > 0.02  # what the line through the raw dates tells instead


def test_the_map_and_the_numbers_of_a_seasonal_series_have_the_same_trend(tmp_path: Path) -> None:
    values, dates, _ = _cloudy_season(3)
    items = tuple(
        draw(tmp_path / f"n{i}.tif", np.full((2, 3), value, np.float32), datetime=day, unit="1")
        for i, (value, day) in enumerate(zip(values, dates, strict=True))
    )
    for method, tool in (("linear", tools.temporal_trend), ("mann_kendall", tools.mann_kendall)):
        slope, low, high = (tmp_path / f"{method}_{end}.tif" for end in ("slope", "low", "high"))
        tool(items, slope, tmp_path / "p.tif", tmp_path / "r.tif", seasons="auto", lower=low, upper=high)
        (row,) = tools.series_trend_table(values, dates, method, "auto")
        ends = [read(path)[0][1, 2] for path in (slope, low, high)]
        assert ends == pytest.approx([row["slope"], row["lower"], row["upper"]], rel=1e-3, abs=1e-6)


def test_a_trend_says_how_the_seasons_were_treated() -> None:
    values, dates, _ = _cloudy_season(5)
    told: list[str] = []
    with running(on_told=told.append):
        tools.series_trend(values, dates)
        tools.series_trend(values, dates, "auto")
        tools.series_trend([1, 2, 2.5], ["2020-06-01", "2021-06-20", "2022-06-10"], "auto")
        tools.series_trend([1, 2, None, 2.5, 2], ["2020-06-01", "2020-09-20", "2020-10-01", "2021-01-10", "2021-03-01"])
    plain, removed, one_season, short = told
    assert f"the seasons are not removed: {len(dates)} dates over 2.1 years; a yearly cycle may pass" in plain
    assert "the seasons are removed (departures from monthly means)" in removed
    assert "the dates are all of one season: 3 dates over 2.0 years" in one_season
    assert "4 of 5 dates, 2020-06-01 to 2021-03-01" in short
    assert all("95 % interval" in one and " p " in one for one in told)


def test_seasons_that_the_dates_do_not_tell_from_a_trend_cannot_be_removed() -> None:
    dates = ["2020-03-01", "2020-06-01", "2020-09-01", "2021-01-01", "2021-05-01"]
    with pytest.raises(ToolError, match="do not tell the seasons from a trend"):
        tools.series_trend([1, 2, 3, 2, 4], dates, "removed")
    assert tools.series_trend([1, 2, 3, 2, 4], dates, "auto") == tools.series_trend([1, 2, 3, 2, 4], dates)
