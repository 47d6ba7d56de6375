"""Vegetation cover and TVDI through files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.ground.errors import ToolError
from knowflow.tools.dryness import triangle_edges, tvdi
from knowflow.tools.vegetation import vegetation_fraction


def test_vegetation_fraction_lies_between_soil_and_full_cover(tmp_path: Path) -> None:
    ndvi = draw(tmp_path / "n.tif", np.array([[0.0, 0.455, 0.95, np.nan]], np.float32))
    vegetation_fraction(ndvi, tmp_path / "f.tif")
    found, about = read(tmp_path / "f.tif")
    np.testing.assert_allclose(found, [[0, 0.5, 1, np.nan]], atol=1e-6)
    assert (about["QUANTITY"], about["UNIT"]) == ("vegetation_fraction", "1")
    with pytest.raises(ToolError, match="must exceed"):
        vegetation_fraction(ndvi, tmp_path / "g.tif", ndvi_soil=0.9)


def _triangle(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """NDVI along the rows, in the middles of 40 classes; dryness along the columns, both ends included."""
    rows, columns = shape
    ndvi = np.repeat((np.floor(np.linspace(0, 39.999, rows)) + 0.5) / 40, columns).reshape(shape)
    dryness = np.tile(np.linspace(0, 1, columns), (rows, 1))
    wet, dry = 288.0 + 2.0 * ndvi, 322.0 - 18.0 * ndvi
    return ndvi, wet + dryness * (dry - wet), dryness


def test_tvdi_of_a_perfect_triangle_is_its_dryness_over_many_blocks(tmp_path: Path) -> None:
    ndvi, temperature, dryness = _triangle((1100, 1300))
    ndvi[0, 0] = np.nan
    temperature[0, 1] = np.nan
    ndvi[0, 2], temperature[0, 2] = -0.4, 400.0  # water does not shape the edges
    a = draw(tmp_path / "n.tif", ndvi.astype(np.float32))
    b = draw(tmp_path / "t.tif", temperature.astype(np.float32), unit="K")
    tvdi(a, b, tmp_path / "d.tif", bins=40)
    found, about = read(tmp_path / "d.tif")
    assert np.isnan(found[0, :3]).all()
    np.testing.assert_allclose(found[1:], dryness[1:], atol=1e-4)
    edges = triangle_edges(a, b, 0.0, 1.0, 40, 10, "sloping")
    assert (edges.dry_slope, edges.dry_intercept) == pytest.approx((-18.0, 322.0), abs=1e-3)
    assert (edges.wet_slope, edges.wet_intercept) == pytest.approx((2.0, 288.0), abs=1e-3)
    assert about["TVDI_DRY_EDGE"].startswith("322")


def test_a_scene_without_a_triangle_is_refused(tmp_path: Path) -> None:
    flat = draw(tmp_path / "n.tif", np.full((20, 20), 0.5, np.float32))
    warm = draw(tmp_path / "t.tif", np.random.default_rng(0).normal(300, 5, (20, 20)).astype(np.float32))
    with pytest.raises(ToolError, match="no triangle"):
        tvdi(flat, warm, tmp_path / "d.tif")
    spread = draw(tmp_path / "m.tif", np.linspace(0, 1, 400, dtype=np.float32).reshape(20, 20))
    same = draw(tmp_path / "s.tif", np.full((20, 20), 300, np.float32))
    with pytest.raises(ToolError, match="does not lie above"):
        tvdi(spread, same, tmp_path / "d.tif", bins=5)
    with pytest.raises(ToolError, match="range of NDVI"):
        tvdi(spread, warm, tmp_path / "d.tif", ndvi_minimum=1.0, ndvi_maximum=0.0)
