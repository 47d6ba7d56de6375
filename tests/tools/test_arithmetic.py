"""Differences, ratios and departures against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, noise, read

from knowflow.tools import arithmetic as tools
from knowflow.tools.raster import GridMismatchError


def test_difference_and_ratio_equal_numpy_and_forget_the_date(tmp_path: Path) -> None:
    a, b = noise((600, 700), 1), noise((600, 700), 2)
    b[0, :5] = 0
    first = draw(tmp_path / "a.tif", a, unit="degC", datetime="2022-01-01")
    second = draw(tmp_path / "b.tif", b, unit="degC")
    tools.difference(first, second, tmp_path / "d.tif", quantity="temperature_difference")
    found, about = read(tmp_path / "d.tif")
    np.testing.assert_allclose(found, a - b, rtol=1e-6)
    assert (about["QUANTITY"], about["UNIT"]) == ("temperature_difference", "K")
    assert "DATETIME" not in about
    tools.ratio_of_rasters(first, second, tmp_path / "r.tif")
    expected = np.where(b == 0, np.nan, a / np.where(b == 0, 1, b))
    np.testing.assert_allclose(read(tmp_path / "r.tif")[0], expected, rtol=1e-6)


def test_rasters_on_different_grids_are_refused(tmp_path: Path) -> None:
    a, b = draw(tmp_path / "a.tif", noise((4, 4))), draw(tmp_path / "b.tif", noise((4, 5)))
    with pytest.raises(GridMismatchError):
        tools.difference(a, b, tmp_path / "d.tif")
    assert not (tmp_path / "d.tif").exists()


def test_anomaly_is_in_sample_standard_deviations_of_the_baseline(tmp_path: Path) -> None:
    past = np.stack([noise((5, 6), seed, gaps=0.3) for seed in range(6)])
    now = noise((5, 6), 99, gaps=0.0)
    past[:, 0, 0] = 0.25  # never varies
    past[2:, 1, 1] = np.nan  # two observations
    past[:2, 1, 1] = 0.1, 0.2
    baseline = tuple(draw(tmp_path / f"b{i}.tif", layer) for i, layer in enumerate(past))
    raster = draw(tmp_path / "now.tif", now, datetime="2022-01-01", unit="1")
    tools.anomaly(raster, baseline, tmp_path / "z.tif")
    found, about = read(tmp_path / "z.tif")
    count = np.isfinite(past).sum(axis=0)
    with np.errstate(divide="ignore"):
        expected = (now - np.nanmean(past, axis=0)) / np.nanstd(past, axis=0, ddof=1)
    expected[(count < 3)] = np.nan
    expected[0, 0] = np.nan
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert np.isnan(found[1, 1])
    assert (about["QUANTITY"], about["DATETIME"]) == ("standardized_anomaly", "2022-01-01")
    tools.departure_from_mean(raster, baseline, tmp_path / "d.tif")
    np.testing.assert_allclose(read(tmp_path / "d.tif")[0], now - np.nanmean(past, axis=0), rtol=1e-4, atol=1e-7)
