"""Maps by key against the same done with NumPy for each pixel, and against numbers done alike."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest
import rasterio
from drawn_rasters import draw, noise
from scipy import stats

from knowflow.model.artifact import Artifact
from knowflow.tools import keyed_numbers, keyed_rasters
from knowflow.tools.kernels.keyed import Statistic

SHAPE = (12, 15)


@pytest.fixture
def stack(tmp_path: Path) -> tuple[list[Artifact], np.ndarray]:
    layers = [(100 * noise(SHAPE, seed=seed, gaps=0.3)).round(1) for seed in range(5)]
    series = [draw(tmp_path / f"s{n}.tif", layer, unit="K") for n, layer in enumerate(layers)]
    return series, np.stack(layers).astype(np.float64)


def pixels(path: Path) -> np.ndarray:
    with rasterio.open(path) as file:
        return np.asarray(file.read(1, masked=True).astype(np.float64).filled(np.nan))


STATISTICS: list[Statistic] = ["mean", "median", "deviation", "sum", "range", "count", "variety", "percentile"]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_statistic_of_every_pixel_is_that_of_its_numbers(
    statistic: Statistic, stack: tuple[list[Artifact], np.ndarray], tmp_path: Path
) -> None:
    series, values = stack
    p = 30.0 if statistic == "percentile" else None
    keyed_rasters.stack_statistic(series, tmp_path / "o.tif", statistic, "K", "K", p)
    found = pixels(tmp_path / "o.tif")
    for row, column in ((0, 0), (3, 7), (11, 14), (6, 2)):
        expected = keyed_numbers.list_statistic(list(values[:, row, column]), statistic, "K", "K", p)
        assert found[row, column] == pytest.approx(expected, rel=1e-5, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("statistic", ["count", "share", "any", "longest", "first"])
def test_limits_before_a_statistic(
    statistic: Statistic, stack: tuple[list[Artifact], np.ndarray], tmp_path: Path
) -> None:
    series, values = stack
    limit = float(np.nanmedian(values))
    keys = {"starts": [1, 11, 21, 41, 51], "ends": [1, 11, 21, 41, 51], "joined": [1, 1, 0, 1]}
    options = {"side": "above", "limit": limit, **(keys if statistic in ("longest", "first") else {})}
    keyed_rasters.stack_statistic(series, tmp_path / "o.tif", statistic, "K", "1", **options)  # type: ignore[arg-type]
    found = pixels(tmp_path / "o.tif")
    for row, column in ((0, 0), (3, 7), (11, 14), (6, 2)):
        expected = keyed_numbers.list_statistic(list(values[:, row, column]), statistic, "K", "1", **options)  # type: ignore[arg-type]
        assert found[row, column] == pytest.approx(expected, rel=1e-5, nan_ok=True)


def test_arithmetic_of_rasters_and_numbers(stack: tuple[list[Artifact], np.ndarray], tmp_path: Path) -> None:
    series, values = stack
    out = tmp_path / "o.tif"
    keyed_rasters.raster_calculation(series[0], out, "product", "K", "K2", "K", b=series[1])
    assert pixels(out) == pytest.approx(values[0] * values[1], rel=1e-5, nan_ok=True)
    keyed_rasters.raster_calculation(series[0], out, "ratio", "K", "K-1", "1", number=2.0, number_first=True)
    expected = np.divide(2.0, values[0], where=values[0] != 0, out=np.full(SHAPE, np.nan))
    assert pixels(out) == pytest.approx(expected, rel=1e-5, nan_ok=True)
    keyed_rasters.raster_calculation(series[0], out, "logarithm", "K", "1")
    logs = np.log(np.where(values[0] > 0, values[0], np.nan))
    assert pixels(out) == pytest.approx(logs, rel=1e-5, abs=1e-5, nan_ok=True)


def test_directions_differ_by_the_shorter_way(tmp_path: Path) -> None:
    a, b = (draw(tmp_path / f"{n}.tif", np.full((4, 4), value, np.float32), unit="degree") for n, value in
            (("a", 10.0), ("b", 350.0)))  # fmt: skip
    keyed_rasters.raster_calculation(
        a, tmp_path / "o.tif", "difference", "degree", "degree", "degree", b, circular=True
    )
    assert (pixels(tmp_path / "o.tif") == 20.0).all()
    keyed_rasters.raster_comparison(a, tmp_path / "m.tif", "between", "degree", number=340.0, upper_number=20.0,
                                    circular=True)  # fmt: skip
    assert (pixels(tmp_path / "m.tif") == 1.0).all()


@pytest.mark.parametrize(("side", "holds"), [("above", np.greater), ("at_most", np.less_equal), ("below", np.less)])
def test_rasters_are_compared_with_rasters(
    side: str, holds: np.ufunc, stack: tuple[list[Artifact], np.ndarray], tmp_path: Path
) -> None:
    series, values = stack
    keyed_rasters.raster_comparison(series[0], tmp_path / "o.tif", side, "K", limit=series[1])  # type: ignore[arg-type]
    unknown = np.isnan(values[0]) | np.isnan(values[1])
    assert pixels(tmp_path / "o.tif") == pytest.approx(
        np.where(unknown, np.nan, holds(values[0], values[1])), nan_ok=True
    )


def test_slopes_correlation_and_departures(stack: tuple[list[Artifact], np.ndarray], tmp_path: Path) -> None:
    series, values = stack
    days = [date(2000 + place, 7, 1 + place) for place in range(5)]
    years = [day.toordinal() / 365.25 for day in days]
    out, p_value = tmp_path / "t.tif", tmp_path / "p.tif"
    keyed_rasters.stack_trend(series, out, p_value, [str(day) for day in days], "K", "K year-1", "theil_sen")
    keyed_rasters.stack_correlation(series[:4], series[1:], tmp_path / "c.tif")
    keyed_rasters.stack_departure(series[0], series[1:], tmp_path / "d.tif", "K", "1", "deviations")
    slopes, r, away = (pixels(tmp_path / name) for name in ("t.tif", "c.tif", "d.tif"))
    for row, column in np.ndindex(SHAPE):
        one = values[:, row, column]
        known = np.isfinite(one)
        if known.sum() >= 3:
            expected = stats.theilslopes(one[known], np.array(years)[known]).slope
            assert slopes[row, column] == pytest.approx(expected, rel=1e-4, abs=1e-5)
        both = known[:4] & known[1:]
        if both.sum() >= 3 and np.ptp(one[:4][both]) > 0 and np.ptp(one[1:][both]) > 0:
            assert r[row, column] == pytest.approx(np.corrcoef(one[:4][both], one[1:][both])[0, 1], abs=1e-5)
        others = one[1:][known[1:]]
        if known[0] and others.size >= 3:
            assert away[row, column] == pytest.approx((one[0] - others.mean()) / others.std(ddof=1), rel=1e-4, abs=1e-5)
        elif others.size < 3:
            assert np.isnan(away[row, column])


def test_a_raster_is_there_where_a_truth_holds(stack: tuple[list[Artifact], np.ndarray], tmp_path: Path) -> None:
    series, values = stack
    for truth, expected in ((1.0, values[0]), (0.0, np.full(SHAPE, np.nan)), (None, np.full(SHAPE, np.nan))):
        keyed_rasters.raster_where(series[0], truth, tmp_path / "o.tif")
        assert pixels(tmp_path / "o.tif") == pytest.approx(expected, rel=1e-6, nan_ok=True)
