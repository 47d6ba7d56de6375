"""Areas against pyproj's geodesics."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw
from pyproj import Geod, Transformer
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.facts import Origin
from knowflow.tools.area import area, area_by_class


def _mask(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).choice([0, 1, 255], shape, p=[0.5, 0.3, 0.2]).astype(np.uint8)


@pytest.mark.parametrize(("unit", "factor"), [("m2", 1.0), ("ha", 1e-4), ("km2", 1e-6)])
def test_area_in_the_plane_is_pixels_times_their_size(tmp_path: Path, unit: str, factor: float) -> None:
    values = _mask((600, 700))
    mask = draw(tmp_path / "m.tif", values, nodata=255)
    assert area(mask, unit) == pytest.approx((values == 1).sum() * 100.0 * factor, rel=1e-12)


def test_pixels_of_a_rotated_grid_have_the_area_of_their_parallelogram(tmp_path: Path) -> None:
    turned = Affine.translation(500_000, 5_100_000) @ Affine.rotation(30) @ Affine.scale(20, -10)
    mask = draw(tmp_path / "m.tif", np.ones((4, 5), dtype=np.uint8), transform=turned)
    assert area(mask, "m2") == pytest.approx(20 * 200.0)


def test_feet_are_not_metres(tmp_path: Path) -> None:
    grid = Affine(10, 0, 6_000_000, 0, -10, 2_100_000)
    mask = draw(tmp_path / "m.tif", np.ones((10, 10), dtype=np.uint8), crs="EPSG:2227", transform=grid)
    assert area(mask, "m2") == pytest.approx(100 * 100 * (1200 / 3937) ** 2, rel=1e-6)


@pytest.mark.parametrize("latitude", [-60.0, 0.0, 46.0, 75.0])
def test_area_in_degrees_is_geodesic(tmp_path: Path, latitude: float) -> None:
    grid = Affine(0.001, 0, 14.0, 0, -0.002, latitude)
    values = _mask((60, 50), seed=3)
    mask = draw(tmp_path / "m.tif", values, crs="EPSG:4326", transform=grid, nodata=255)
    geod = Geod(ellps="WGS84")
    expected = 0.0
    for row in range(60):
        south, north = latitude - 0.002 * (row + 1), latitude - 0.002 * row
        pixel = abs(geod.polygon_area_perimeter([14, 14.001, 14.001, 14], [south, south, north, north])[0])
        expected += pixel * (values[row] == 1).sum()
    assert area(mask, "m2") == pytest.approx(expected, rel=1e-6)


def test_a_projection_that_stretches_areas_is_measured_on_the_ellipsoid(tmp_path: Path) -> None:
    west, north = Transformer.from_crs(4326, 3857, always_xy=True).transform(14.0, 46.1)
    mask = draw(
        tmp_path / "m.tif",
        np.ones((700, 600), dtype=np.uint8),
        crs="EPSG:3857",
        transform=Affine(30, 0, west, 0, -30, north),
    )
    back = Transformer.from_crs(3857, 4326, always_xy=True)
    steps = np.linspace(0, 1, 200)
    xs = west + 18_000 * np.concatenate([steps, np.ones(200), steps[::-1], np.zeros(200)])
    ys = north - 21_000 * np.concatenate([np.zeros(200), steps, np.ones(200), steps[::-1]])
    expected = abs(Geod(ellps="WGS84").polygon_area_perimeter(*back.transform(xs, ys))[0])
    found = area(mask, "m2")
    assert found == pytest.approx(expected, rel=1e-5)
    assert found < 0.5 * 18_000 * 21_000  # the plane would say twice as much


def test_classes_add_up_to_the_data(tmp_path: Path) -> None:
    values = np.random.default_rng(1).choice([0, 1, 4, 11], (600, 600)).astype(np.uint8)
    raster = draw(tmp_path / "c.tif", values, nodata=0, quantity="scene_classification")
    rows = area_by_class(raster, "ha")
    assert [row["class"] for row in rows] == [1, 4, 11]
    assert [row["name"] for row in rows] == ["saturated_or_defective", "vegetation", "snow_or_ice"]
    assert [row["pixels"] for row in rows] == [(values == label).sum() for label in (1, 4, 11)]
    assert rows[1]["area"] == pytest.approx((values == 4).sum() * 0.01)
    assert sum(row["share"] for row in rows) == pytest.approx(1.0)


def test_without_georeference_there_is_no_area(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        plain = draw(tmp_path / "a.tif", np.ones((3, 3), np.uint8), crs=None, transform=Affine.identity())
        placed = draw(tmp_path / "b.tif", np.ones((3, 3), np.uint8), crs="EPSG:32633", transform=Affine.identity())
    with pytest.raises(MissingFactError, match="coordinate reference system"):
        area(plain)
    with pytest.raises(MissingFactError, match="size of the pixels"):
        area(placed)


def test_an_assumed_crs_and_resolution_make_an_area(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        plain = draw(tmp_path / "a.tif", np.ones((3, 3), np.uint8), crs=None, transform=Affine.identity())
    facts = plain.facts.put("crs", "EPSG:32633", Origin.USER).put("resolution", (10.0, 10.0), Origin.USER)
    assert area(plain.with_facts(facts), "m2") == pytest.approx(900.0)


def test_rotated_degrees_are_measured_too(tmp_path: Path) -> None:
    turned = Affine.translation(14, 46) @ Affine.rotation(10) @ Affine.scale(0.001, -0.001)
    mask = draw(tmp_path / "m.tif", np.ones((30, 30), np.uint8), crs="EPSG:4326", transform=turned)
    corners = [turned @ point for point in ((0, 0), (30, 0), (30, 30), (0, 30))]
    truth = abs(Geod(ellps="WGS84").polygon_area_perimeter(*zip(*corners, strict=True))[0])
    assert area(mask, "m2") == pytest.approx(truth, rel=1e-5)


def test_a_mask_of_nothing_but_gaps_has_no_area(tmp_path: Path) -> None:
    mask = draw(tmp_path / "m.tif", np.full((3, 3), 255, np.uint8), nodata=255)
    with pytest.raises(ToolError, match="no pixel is data"):
        area(mask)
    assert np.isnan(area(mask, when_empty="missing"))
    assert area(draw(tmp_path / "n.tif", np.zeros((3, 3), np.uint8), nodata=255)) == 0.0
