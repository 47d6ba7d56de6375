"""Directions: 359 and 1 degree are neighbours, and nothing averages them to 180."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import UTM, draw, read
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from knowflow.ground.errors import ToolError
from knowflow.tools.alignment import align_to, resample
from knowflow.tools.composite import temporal_composite
from knowflow.tools.kernels.directions import Directions
from knowflow.tools.statistics import raster_statistic, raster_statistics

ANGLES = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 360, width=32))
AROUND_NORTH = np.array([[350, 10, -9999], [355, 5, 0]], dtype=np.float32)


@given(st.lists(ANGLES, min_size=1, max_size=4))
def test_blocks_together_have_the_circular_moments_of_scipy(parts: list[NDArray[np.float64]]) -> None:
    whole, found = np.concatenate(parts), Directions()
    for part in parts:
        found = found.merged(Directions.of(np.append(part, np.nan)))
    assert found.count == whole.size
    length = abs(np.exp(1j * np.radians(whole)).mean())
    assume(length > 1e-3)
    mean = stats.circmean(whole, high=360)
    assert (found.mean - mean + 180) % 360 - 180 == pytest.approx(0, abs=1e-6)
    assert found.std == pytest.approx(stats.circstd(whole, high=360), abs=1e-4)


def test_the_mean_of_slopes_around_north_is_north(tmp_path: Path) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    mean = raster_statistic(aspect, "mean")
    assert (mean + 180) % 360 - 180 == pytest.approx(0, abs=1e-5)
    known = AROUND_NORTH[AROUND_NORTH >= 0]
    assert raster_statistic(aspect, "standard_deviation") == pytest.approx(stats.circstd(known.astype(float), high=360))


@pytest.mark.parametrize("statistic", ["minimum", "maximum", "median", "sum", "percentile"])
def test_directions_have_no_order(tmp_path: Path, statistic: str) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    with pytest.raises(ToolError, match="directions have no"):
        raster_statistic(aspect, statistic, percentile=50)  # type: ignore[arg-type]


def test_directions_that_cancel_out_have_no_mean(tmp_path: Path) -> None:
    opposed = np.array([[0, 180], [90, 270]], dtype=np.float32)
    aspect = draw(tmp_path / "a.tif", opposed, quantity="aspect", unit="degree")
    with pytest.raises(ToolError, match="cancel out"):
        raster_statistic(aspect, "mean")
    gone = draw(tmp_path / "b.tif", np.full((2, 2), -9999, np.float32), nodata=-9999, quantity="aspect", unit="degree")
    assert math.isnan(raster_statistic(gone, "mean", when_empty="missing"))


def test_the_row_of_statistics_tells_only_what_directions_have(tmp_path: Path) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    (row,) = raster_statistics(aspect)
    assert row["count"] == 5
    assert min(row["mean"], 360 - row["mean"]) == pytest.approx(0, abs=1e-5)
    assert 0 < row["std"] < 10
    assert {name for name, value in row.items() if value is None} == {
        *("minimum", "maximum", "sum", "median"),
        *("p5", "p25", "p75", "p95"),
    }


def test_directions_are_never_mixed(tmp_path: Path) -> None:
    columns = np.tile(np.array([350, 10], dtype=np.float32), (8, 4))
    aspect = draw(tmp_path / "a.tif", columns, quantity="aspect", unit="degree")
    between = draw(tmp_path / "like.tif", columns[:, 1:], transform=UTM @ UTM.translation(0.5, 0))
    align_to(aspect, between, tmp_path / "out.tif")
    resample(aspect, 20.0, tmp_path / "coarse.tif")
    for name in ("out", "coarse"):
        values, _ = read(tmp_path / f"{name}.tif")
        assert set(np.unique(values[np.isfinite(values)])) <= {350.0, 10.0}
    with pytest.raises(ToolError, match="would mix the directions"):
        align_to(aspect, between, tmp_path / "no.tif", resampling="bilinear")
    with pytest.raises(ToolError, match="cannot be averaged"):
        temporal_composite([aspect, aspect], tmp_path / "no.tif", "mean")
