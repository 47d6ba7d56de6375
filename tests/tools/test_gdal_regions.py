"""Distances, regions, outlines and views against other implementations and against what must be so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio.features
import shapely
from gdal_scenes import GRID, NORTH, PIXEL, UTM, WEST, call, classes, dem, hills, patches, read, schema_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rasterio.fill import fillnodata
from scipy import ndimage

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin

few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _features(path: Path) -> list[tuple[Any, Any]]:
    """(value, geometry in normal form) of every feature."""
    _, _, geometries, fields = pyogrio.raw.read(path, columns=["value"])
    return list(zip(fields[0], shapely.normalize(shapely.from_wkb(geometries)), strict=True))


def test_proximity_is_the_distance_between_pixel_centres_in_metres(tmp_path: Path) -> None:
    values = np.zeros((60, 80), np.uint8)
    values[[3, 30, 50], [70, 12, 41]] = 1
    call(schema_of("proximity"), tmp_path / "out.tif", raster=classes(tmp_path / "in.tif", values))
    expected = PIXEL * ndimage.distance_transform_edt(values != 1)
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-6)


@few
@given(arrays(np.uint8, (12, 17), elements=st.integers(0, 2)))
def test_proximity_agrees_with_a_distance_transform(tmp_path: Path, values: np.ndarray) -> None:
    call(schema_of("proximity"), tmp_path / "out.tif", raster=classes(tmp_path / "in.tif", values), targets=[1, 2])
    if not values.any():
        assert np.isnan(read(tmp_path / "out.tif")).all()
    else:
        expected = PIXEL * ndimage.distance_transform_edt(values == 0)
        found = read(tmp_path / "out.tif")
        assert (found >= expected * (1 - 1e-6)).all()
        assert (found <= expected + 0.3 * PIXEL).all()  # GDAL sweeps lines: the nearest target may stay unseen
        assert np.isclose(found, expected, rtol=1e-6).mean() > 0.95


def test_proximity_is_missing_beyond_the_largest_distance(tmp_path: Path) -> None:
    values = np.zeros((30, 30), np.uint8)
    values[15, 15] = 1
    source = classes(tmp_path / "in.tif", values)
    call(schema_of("proximity"), tmp_path / "out.tif", raster=source, max_distance=5 * PIXEL)
    expected = PIXEL * ndimage.distance_transform_edt(values != 1)
    expected[expected > 5 * PIXEL] = np.nan
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-6)


def test_proximity_refuses_pixels_that_are_not_square(tmp_path: Path) -> None:
    source = classes(tmp_path / "in.tif", transform=rasterio.Affine(10, 0, WEST, 0, -20, NORTH))
    with pytest.raises(ToolError, match="square pixels"):
        call(schema_of("proximity"), tmp_path / "out.tif", raster=source)
    assert not (tmp_path / "out.tif").exists()


def test_pixels_that_are_square_but_for_rounding_are_square_enough(tmp_path: Path) -> None:
    source = classes(tmp_path / "in.tif", transform=rasterio.Affine(10, 0, WEST, 0, -10.004, NORTH))
    call(schema_of("proximity"), tmp_path / "out.tif", raster=source)
    expected = PIXEL * ndimage.distance_transform_edt(patches() != 1)
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-3)


@pytest.mark.parametrize("tool", ["proximity", "viewshed", "interpolate_linear", "gdal_vector_buffer"])
def test_what_gives_or_takes_metres_is_given_a_crs_in_metres(tool: str) -> None:
    schema = schema_of(tool)
    name = next(name for name, parameter in schema.inputs.items() if f"in_metres({name})" in schema.preconditions)
    assert f"true_lengths({name})" in schema.preconditions


@pytest.mark.parametrize(("min_pixels", "diagonals"), [(2, False), (10, False), (10, True), (60, False)])
def test_sieve_agrees_with_rasterio(tmp_path: Path, min_pixels: int, diagonals: bool) -> None:
    arguments = {"min_pixels": min_pixels, "diagonals": diagonals}
    call(schema_of("sieve"), tmp_path / "out.tif", raster=classes(tmp_path / "in.tif"), **arguments)
    expected = rasterio.features.sieve(patches(), min_pixels, connectivity=8 if diagonals else 4)
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), expected)


def test_sieve_neither_fills_gaps_nor_grows_them(tmp_path: Path) -> None:
    values = patches()
    values[10:12, 10:12] = 255
    values[30:40, 30:45] = 255
    call(schema_of("sieve"), tmp_path / "out.tif", raster=classes(tmp_path / "in.tif", values, nodata=255))
    np.testing.assert_array_equal(read(tmp_path / "out.tif") == 255, values == 255)


@pytest.mark.parametrize("diagonals", [False, True])
def test_polygons_are_those_of_rasterio(tmp_path: Path, diagonals: bool) -> None:
    values = patches()
    values[0:3, 0:3] = 255
    source = classes(tmp_path / "in.tif", values, nodata=255)
    call(schema_of("polygonize"), tmp_path / "out.gpkg", raster=source, diagonals=diagonals)
    shapes = rasterio.features.shapes(values, values != 255, connectivity=8 if diagonals else 4, transform=GRID)
    expected = {(int(value), shapely.normalize(shapely.geometry.shape(shape)).wkt) for shape, value in shapes}
    assert {(value, shape.wkt) for value, shape in _features(tmp_path / "out.gpkg")} == expected
    assert pyogrio.read_info(tmp_path / "out.gpkg")["crs"] == UTM


def _vector(path: Path, shapes: list[Any], values: list[int], crs: str = UTM) -> Artifact:
    geometries = np.array([shapely.to_wkb(shape) for shape in shapes], dtype=object)
    pyogrio.raw.write(path, geometries, [np.array(values)], ["value"], crs=crs, geometry_type="Polygon", driver="GPKG")
    return Artifact("vector", path=str(path), facts=Facts.of(Origin.DECLARED, crs=crs))


def _discs() -> tuple[list[Any], list[int]]:
    """Discs that overlap, lie partly outside or are smaller than a pixel."""
    places = [(101, 103, 78), (163, 122, 59), (694, 491, 47), (402, 251, 3), (304, 398, 111)]
    shapes = [shapely.Point(WEST + x, NORTH - y).buffer(radius) for x, y, radius in places]
    return shapes, [7, 3, 5, 9, 4]


@pytest.mark.parametrize("all_touched", [False, True])
def test_rasterized_features_are_where_rasterio_puts_them(tmp_path: Path, all_touched: bool) -> None:
    shapes, values = _discs()
    given_data = {"vector": _vector(tmp_path / "in.gpkg", shapes, values), "like": dem(tmp_path / "dem.tif")}
    call(
        *(schema_of("rasterize"), tmp_path / "out.tif"),
        **{**given_data, "field": "value", "all_touched": all_touched, "quantity": "class_label"},
    )
    pairs = list(zip(shapes, values, strict=True))
    grid = {"out_shape": hills().shape, "transform": GRID, "all_touched": all_touched}
    expected = rasterio.features.rasterize(pairs, fill=-1, dtype="float32", **grid)
    np.testing.assert_array_equal(np.nan_to_num(read(tmp_path / "out.tif"), nan=-1), expected)
    call(schema_of("rasterize_mask"), tmp_path / "mask.tif", **given_data, all_touched=all_touched)
    np.testing.assert_array_equal(read(tmp_path / "mask.tif"), expected != -1)


def test_a_polygon_layer_and_its_raster_are_two_forms_of_one_thing(tmp_path: Path) -> None:
    source = classes(tmp_path / "in.tif")
    call(schema_of("polygonize"), tmp_path / "polygons.gpkg", raster=source)
    polygons = Artifact("vector", path=str(tmp_path / "polygons.gpkg"))
    call(schema_of("rasterize"), tmp_path / "back.tif", vector=polygons, like=source, field="value")
    np.testing.assert_array_equal(read(tmp_path / "back.tif"), patches())


@pytest.mark.parametrize("strategy", ["invdist", "nearest"])
def test_gaps_are_filled_from_around_them_and_nothing_else_changes(tmp_path: Path, strategy: str) -> None:
    values = hills()
    values[20:26, 30:37] = -9999
    gap = values == -9999
    call(
        schema_of("fill_nodata"),
        tmp_path / "out.tif",
        raster=dem(tmp_path / "in.tif", values, nodata=-9999),
        strategy=strategy,
    )
    found = read(tmp_path / "out.tif")
    np.testing.assert_array_equal(found[~gap], values[~gap])
    rim = values[ndimage.binary_dilation(gap, iterations=2) & ~gap]
    assert rim.min() <= found[gap].min() <= found[gap].max() <= rim.max()
    if strategy == "invdist":
        np.testing.assert_allclose(found, fillnodata(values.copy(), ~gap, max_search_distance=100), atol=1e-3)


def test_gaps_wider_than_the_distance_stay_missing_inside(tmp_path: Path) -> None:
    values = hills()
    values[10:40, 20:60] = np.nan
    call(schema_of("fill_nodata"), tmp_path / "out.tif", raster=dem(tmp_path / "in.tif", values), max_distance=5)
    found = read(tmp_path / "out.tif")
    assert np.isnan(found[25, 40])
    assert np.isfinite(found[10:12, 30]).all()


def test_contours_of_a_plane_are_straight_and_at_their_levels(tmp_path: Path) -> None:
    rows, columns = np.mgrid[0:40, 0:60]
    plane = dem(tmp_path / "in.tif", (100 + 2.0 * columns + 1.0 * rows).astype(np.float32))
    call(schema_of("contour"), tmp_path / "out.gpkg", raster=plane, interval=20)
    features = _features(tmp_path / "out.gpkg")
    assert {value for value, _ in features} == {120, 140, 160, 180, 200, 220, 240}
    for value, line in features:
        x, y = shapely.get_coordinates(line).T
        column, row = (x - WEST) / PIXEL - 0.5, (NORTH - y) / PIXEL - 0.5
        inside = (column >= 0) & (column <= 59) & (row >= 0) & (row <= 39)
        np.testing.assert_allclose((100 + 2 * column + row)[inside], value, atol=1e-3)


def test_contours_may_be_asked_for_by_level(tmp_path: Path) -> None:
    call(schema_of("contour"), tmp_path / "out.gpkg", raster=dem(tmp_path / "in.tif"), levels=[480, 520.5])
    assert {value for value, _ in _features(tmp_path / "out.gpkg")} == {480, 520.5}


def test_the_footprint_is_the_outline_of_the_data(tmp_path: Path) -> None:
    values = np.full((50, 70), np.nan, np.float32)
    values[10:30, 20:55] = 1
    call(schema_of("footprint"), tmp_path / "out.gpkg", raster=dem(tmp_path / "in.tif", values))
    _, _, geometries, _ = pyogrio.raw.read(tmp_path / "out.gpkg")
    expected = shapely.box(WEST + 200, NORTH - 300, WEST + 550, NORTH - 100)
    assert shapely.from_wkb(geometries)[0].symmetric_difference(expected).area == pytest.approx(0, abs=1e-6)


def test_a_wall_hides_what_is_behind_it_and_nothing_else(tmp_path: Path) -> None:
    ground = np.zeros((41, 61), np.float32)
    ground[:, 40] = 100
    observer = [WEST + 10.5 * PIXEL, NORTH - 20.5 * PIXEL]
    call(schema_of("viewshed"), tmp_path / "out.tif", dem=dem(tmp_path / "in.tif", ground), position=observer, height=2)
    seen = read(tmp_path / "out.tif")
    assert seen[:, :41].all()
    assert not seen[:, 41:].any()


def test_an_observer_outside_of_the_terrain_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="outside of dem"):
        call(schema_of("viewshed"), tmp_path / "out.tif", dem=dem(tmp_path / "in.tif"), position=[15.0, 46.0])


def test_what_is_farther_than_one_looks_is_missing(tmp_path: Path) -> None:
    flat = dem(tmp_path / "in.tif", np.zeros((41, 41), np.float32))
    observer = [WEST + 20.5 * PIXEL, NORTH - 20.5 * PIXEL]
    call(schema_of("viewshed"), tmp_path / "out.tif", dem=flat, position=observer, height=2, max_distance=100)
    seen = read(tmp_path / "out.tif")
    y, x = np.mgrid[0 : seen.shape[0], 0 : seen.shape[1]]
    middle = (np.array(seen.shape) - 1) / 2
    distance = PIXEL * np.hypot(y - middle[0], x - middle[1])
    assert (seen[distance < 95] == 1).all()
    assert (seen[distance > 105] == 255).all()
