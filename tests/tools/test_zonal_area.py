"""Areas by polygon, against shapely's areas of overlap and pyproj's geodesics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from drawn_rasters import UTM, draw
from pyogrio.raw import write
from pyproj import Geod
from rasterio.transform import Affine

from knowflow.model.artifact import Artifact
from knowflow.tools.zonal_area import area_by_polygon, class_areas_by_polygon, share_by_polygon

TRIANGLE = shapely.Polygon([(500_012, 5_099_987), (500_133, 5_099_931), (500_071, 5_099_803)])
FAR = shapely.box(600_000, 5_099_850, 600_010, 5_099_870)


def _zones(path: Path, geometries: list[shapely.Geometry], crs: str = "EPSG:32633") -> Artifact:
    names = np.array([f"zone {i}" for i in range(len(geometries))])
    shapes = np.array(shapely.to_wkb(geometries), dtype=object)
    write(path, geometry=shapes, field_data=[names], fields=["name"], crs=crs, geometry_type="Polygon", driver="GPKG")
    return Artifact("vector", path=str(path))


def _covered(polygon: shapely.Geometry, shape: tuple[int, int], grid: Affine = UTM) -> np.ndarray:
    """The share of each pixel that lies in the polygon."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    west, north = grid.c + columns * grid.a, grid.f + rows * grid.e
    pixels = shapely.box(west, north + grid.e, west + grid.a, north)
    return shapely.area(shapely.intersection(pixels, polygon)) / abs(grid.a * grid.e)


def test_a_mask_is_measured_by_the_part_of_each_pixel_in_the_polygon(tmp_path: Path) -> None:
    values = np.random.default_rng(1).choice([0, 1, 255], (20, 20), p=[0.4, 0.4, 0.2]).astype(np.uint8)
    mask = draw(tmp_path / "m.tif", values, nodata=255, quantity="water_mask")
    cut, far = area_by_polygon(mask, _zones(tmp_path / "z.gpkg", [TRIANGLE, FAR]), "ha")
    covered = _covered(TRIANGLE, values.shape)
    wet, known = covered[values == 1].sum(), covered[values != 255].sum()
    assert cut["name"] == "zone 0"
    assert cut["pixels"] == pytest.approx(wet, rel=1e-5)
    assert cut["count"] == pytest.approx(known, rel=1e-5)
    assert cut["area"] == pytest.approx(wet * 0.01, rel=1e-5)
    assert cut["share"] == pytest.approx(wet / known, rel=1e-5)
    assert (far["share"], far["area"], far["pixels"], far["count"]) == (None, None, 0, 0)


def test_a_share_is_told_in_its_unit(tmp_path: Path) -> None:
    values = np.random.default_rng(1).choice([0, 1, 255], (20, 20), p=[0.4, 0.4, 0.2]).astype(np.uint8)
    mask = draw(tmp_path / "m.tif", values, nodata=255, quantity="water_mask")
    cut, far = share_by_polygon(mask, _zones(tmp_path / "z.gpkg", [TRIANGLE, FAR]), "%")
    covered = _covered(TRIANGLE, values.shape)
    expected = 100 * covered[values == 1].sum() / covered[values != 255].sum()
    assert (cut["name"], cut["share"]) == ("zone 0", pytest.approx(expected, rel=1e-6))
    assert far["share"] is None
    assert cut.keys() == {"name", "count", "share"}


def test_areas_of_classes_fill_what_is_known_of_the_polygon(tmp_path: Path) -> None:
    values = np.random.default_rng(2).choice([3, 1, 7, 255], (20, 20)).astype(np.uint8)
    classes = draw(tmp_path / "c.tif", values, nodata=255, quantity="land_cover_class")
    rows = class_areas_by_polygon(classes, _zones(tmp_path / "z.gpkg", [TRIANGLE, FAR]), "m2")
    covered = _covered(TRIANGLE, values.shape)
    assert [(row["name"], row["class"]) for row in rows] == [("zone 0", 1), ("zone 0", 3), ("zone 0", 7)]
    for row in rows:
        assert row["area"] == pytest.approx(covered[values == row["class"]].sum() * 100, rel=1e-5)
        assert row["pixels"] == pytest.approx(covered[values == row["class"]].sum(), rel=1e-5)
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_a_class_map_without_nodata_is_known_everywhere(tmp_path: Path) -> None:
    classes = draw(tmp_path / "c.tif", np.full((20, 20), 4, dtype=np.uint8), quantity="land_cover_class")
    (row,) = class_areas_by_polygon(classes, _zones(tmp_path / "z.gpkg", [TRIANGLE]), "m2")
    assert row["area"] == pytest.approx(TRIANGLE.area, rel=1e-5)
    assert row["share"] == pytest.approx(1)


def test_areas_in_degrees_are_geodesic_and_weigh_the_shares(tmp_path: Path) -> None:
    grid = Affine(0.01, 0, 14.0, 0, -1.0, 60.0)  # rows far apart: southern pixels are larger
    mask = draw(tmp_path / "m.tif", np.array([[1], [0]], dtype=np.uint8), crs="EPSG:4326", transform=grid)
    zone = _zones(tmp_path / "z.gpkg", [shapely.box(14, 58, 14.01, 60)], "EPSG:4326")
    (row,) = area_by_polygon(mask, zone, "m2")
    sizes = [
        abs(Geod(ellps="WGS84").polygon_area_perimeter([14, 14.01, 14.01, 14], [south, south, north, north])[0])
        for south, north in ((59, 60), (58, 59))
    ]
    assert row["area"] == pytest.approx(sizes[0], rel=1e-4)
    assert row["share"] == pytest.approx(sizes[0] / sum(sizes), rel=1e-4)
    assert row["pixels"] == pytest.approx(1)
