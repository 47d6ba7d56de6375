"""The raster tools of GDAL that have conditions of ours, each against an independent oracle."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
import rasterio.warp
import shapely
from gdal_scenes import GRID, NORTH, PIXEL, UTM, WEST, call, dem, hills, patches, raster, read, schema_of
from numpy.typing import NDArray
from rasterio.enums import Resampling
from scipy import ndimage

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.raster.source import unreferenced_is_fine

ROWS, COLUMNS = hills().shape


def _bands(path: Path) -> NDArray[Any]:
    with rasterio.open(path) as dataset:
        found: NDArray[Any] = dataset.read()
        return found


def _polygons(path: Path, boxes: dict[int, Any]) -> Artifact:
    geometry = np.array([shapely.to_wkb(shape) for shape in boxes.values()], dtype=object)
    values = [np.array(list(boxes), dtype=np.int64)]
    pyogrio.raw.write(path, geometry, values, fields=["value"], layer="zones", crs=UTM, geometry_type="Polygon")
    return Artifact("vector", path=str(path), facts=Facts.of(Origin.MEASURED, crs=UTM))


def _box(left: int, top: int, right: int, bottom: int) -> Any:
    """Pixels as a rectangle on the ground."""
    return shapely.box(WEST + PIXEL * left, NORTH - PIXEL * bottom, WEST + PIXEL * right, NORTH - PIXEL * top)


@pytest.mark.parametrize("resampling", ["nearest", "bilinear", "cubic", "average", "mode"])
def test_reprojecting_is_what_rasterio_does(tmp_path: Path, resampling: str) -> None:
    source = dem(tmp_path / "in.tif")
    arguments = {"dst_crs": "EPSG:3035", "resolution": [12, 12], "resampling": resampling, "error_threshold": 0}
    call(schema_of("gdal_raster_reproject"), tmp_path / "out.tif", input=source, **arguments)
    with rasterio.open(tmp_path / "out.tif") as found:
        expected = np.full(found.shape, np.nan, np.float32)
        rasterio.warp.reproject(
            hills(),
            expected,
            src_transform=GRID,
            src_crs=UTM,
            dst_transform=found.transform,
            dst_crs="EPSG:3035",
            src_nodata=np.nan,
            dst_nodata=np.nan,
            resampling=Resampling[resampling],
            tolerance=0,
        )
        assert found.crs.to_epsg() == 3035
        np.testing.assert_array_equal(np.isnan(found.read(1)), np.isnan(expected))
        np.testing.assert_allclose(found.read(1), expected, atol=1e-3)


def test_a_box_and_a_window_cut_whole_pixels(tmp_path: Path) -> None:
    source = dem(tmp_path / "in.tif")
    box = [WEST + 100, NORTH - 300, WEST + 400, NORTH - 100]
    for number, arguments in enumerate(({"bbox": box}, {"window": [10, 10, 30, 20]})):
        call(schema_of("gdal_raster_clip"), tmp_path / f"{number}.tif", input=source, **arguments)
        np.testing.assert_array_equal(read(tmp_path / f"{number}.tif"), hills()[10:30, 10:40])


def test_features_cut_a_raster_and_what_none_touches_is_missing(tmp_path: Path) -> None:
    triangle = shapely.Polygon([(WEST + 100, NORTH - 100), (WEST + 396, NORTH - 100), (WEST + 100, NORTH - 409)])
    outline = _polygons(tmp_path / "outline.gpkg", {1: triangle})
    call(schema_of("gdal_raster_clip"), tmp_path / "out.tif", input=dem(tmp_path / "in.tif"), like=outline)
    rows, columns = np.mgrid[10:41, 10:40]
    x, y = WEST + PIXEL * columns, NORTH - PIXEL * rows
    touched = shapely.area(shapely.intersection(triangle, shapely.box(x, y - PIXEL, x + PIXEL, y))) > 0
    expected = np.where(touched, hills()[10:41, 10:40], np.nan)
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), expected)


def test_a_mosaic_holds_all_and_the_last_counts(tmp_path: Path) -> None:
    left = dem(tmp_path / "left.tif", hills()[:, :40])
    shifted = GRID @ rasterio.Affine.translation(30, 0)
    right = dem(tmp_path / "right.tif", hills()[:, 30:] + 1, transform=shifted)
    call(schema_of("gdal_raster_mosaic"), tmp_path / "last.tif", input=(left, right))
    expected = hills().copy()
    expected[:, 30:] += 1
    np.testing.assert_array_equal(read(tmp_path / "last.tif"), expected)
    call(schema_of("gdal_raster_mosaic"), tmp_path / "mean.tif", input=(left, right), pixel_function="mean")
    expected = hills().copy()
    expected[:, 30:40] += 0.5
    expected[:, 40:] += 1
    np.testing.assert_allclose(read(tmp_path / "mean.tif"), expected, rtol=1e-6)


def test_halving_by_average_is_the_mean_of_four(tmp_path: Path) -> None:
    arguments = {"size": ["50%", "50%"], "resampling": "average"}
    call(schema_of("gdal_raster_resize"), tmp_path / "out.tif", input=dem(tmp_path / "in.tif"), **arguments)
    expected = hills().reshape(ROWS // 2, 2, COLUMNS // 2, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-6)


def _pair() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    first = hills()
    first[3, 4] = np.nan
    return first, (hills().T[:ROWS, :ROWS].repeat(2, axis=1)[:, :COLUMNS] / 3).astype(np.float32)


@pytest.mark.parametrize("function", schema_of("gdal_raster_calc").parameters["calc"].choices)
def test_pixel_functions_are_what_numpy_makes_of_the_pixels(tmp_path: Path, function: str) -> None:
    a, b = _pair()
    both: dict[str, Any] = {
        "argmax": lambda: 1.0 + (b > a),
        "argmin": lambda: 1.0 + (b < a),
        "diff": lambda: a - b,
        "div": lambda: a / b,
        "geometric_mean": lambda: np.sqrt(a * b),
        "harmonic_mean": lambda: 2 / (1 / a + 1 / b),
        "max": lambda: np.maximum(a, b),
        "mean": lambda: (a + b) / 2,
        "median": lambda: (a + b) / 2,
        "min": lambda: np.minimum(a, b),
        "mode": lambda: a,
        "mul": lambda: a * b,
        "norm_diff": lambda: (a - b) / (a + b),
        "sum": lambda: a + b,
    }
    one: dict[str, Any] = {
        "exp": np.exp,
        "inv": np.reciprocal,
        "log10": np.log10,
        "sqrt": np.sqrt,
    }
    if function in one:
        a = a / 100
        inputs, expected = (dem(tmp_path / "a.tif", a),), one[function](a)
    else:
        inputs, expected = (dem(tmp_path / "a.tif", a), dem(tmp_path / "b.tif", b)), both[function]()
        expected = np.where(np.isnan(a), np.nan, expected)
    call(schema_of("gdal_raster_calc"), tmp_path / "out.tif", input=inputs, calc=function)
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-5)


def test_zones_get_the_statistics_of_their_pixels(tmp_path: Path) -> None:
    windows = {3: (5, 5, 20, 15), 7: (30, 20, 60, 45)}
    zones = _polygons(tmp_path / "zones.gpkg", {value: _box(*window) for value, window in windows.items()})
    arguments = {"zones": zones, "stat": ["mean", "count", "max", "stdev"], "include_field": ["value"]}
    call(schema_of("gdal_raster_zonal_stats"), tmp_path / "out.gpkg", input=dem(tmp_path / "in.tif"), **arguments)
    meta, _, _, columns = pyogrio.raw.read(tmp_path / "out.gpkg")
    table = dict(zip(meta["fields"], columns, strict=True))
    assert list(table["value"]) == [3, 7]
    for row, (left, top, right, bottom) in enumerate(windows.values()):
        inside = hills()[top:bottom, left:right].astype(np.float64)
        assert table["count"][row] == inside.size
        assert table["mean"][row] == pytest.approx(inside.mean())
        assert table["max"][row] == pytest.approx(inside.max())
        assert table["stdev"][row] == pytest.approx(inside.std())


def test_pansharpening_keeps_the_ratio_of_the_bands_and_the_detail_of_the_sharp_one(tmp_path: Path) -> None:
    """Weighted Brovey (Gillespie, Kahle and Walker 1987): each band times pan over the weighted mean of the bands."""
    weights = {"red": 0.3, "nir": 0.7}
    coarse = {"red": np.full((25, 35), 100, np.float32), "nir": np.full((25, 35), 300, np.float32)}
    wide = GRID @ rasterio.Affine.scale(2)
    spectral = {name: raster(tmp_path / f"{name}.tif", values, transform=wide) for name, values in coarse.items()}
    arguments = {"spectral": spectral, "weights": list(weights.values()), "resampling": "nearest"}
    call(schema_of("gdal_raster_pansharpen"), tmp_path / "out.tif", input=dem(tmp_path / "pan.tif"), **arguments)
    pseudo = 0.3 * 100 + 0.7 * 300
    expected = np.stack([hills() * 100 / pseudo, hills() * 300 / pseudo])
    np.testing.assert_allclose(_bands(tmp_path / "out.tif"), expected, rtol=1e-5)


def test_a_stack_has_the_rasters_as_bands_and_their_numbers_as_meant(tmp_path: Path) -> None:
    stored = (hills() * 10).astype(np.int16)
    scaled = raster(tmp_path / "scaled.tif", stored, {"scale": 0.1, "offset": 0.0})
    plain = dem(tmp_path / "plain.tif")
    call(schema_of("gdal_raster_stack"), tmp_path / "out.tif", input=(scaled, plain))
    np.testing.assert_allclose(_bands(tmp_path / "out.tif"), np.stack([stored * np.float32(0.1), hills()]), rtol=1e-6)


def test_bands_are_selected_in_the_order_asked_for(tmp_path: Path) -> None:
    stack = np.stack([hills(), hills() + 1, hills() + 2])
    call(schema_of("gdal_raster_select"), tmp_path / "out.tif", input=dem(tmp_path / "in.tif", stack), band=["3", "1"])
    np.testing.assert_array_equal(_bands(tmp_path / "out.tif"), stack[[2, 0]])


def _picture(path: Path) -> Artifact:
    values = (patches() * 60 + 10).astype(np.uint8)
    return raster(path, values, {"quantity": "class_label"})


def test_tiles_hold_the_pixels_of_the_picture(tmp_path: Path) -> None:
    arguments = {"tiling_scheme": "raster", "resampling": "nearest", "tile_size": 64, "max_zoom": 1, "min_zoom": 1}
    call(schema_of("gdal_raster_tile"), tmp_path / "tiles.zip", input=_picture(tmp_path / "in.tif"), **arguments)
    with zipfile.ZipFile(tmp_path / "tiles.zip") as archive:
        tiles = {name: archive.read(name) for name in archive.namelist() if name.endswith(".png")}
    assert sorted(tiles) == ["1/0/0.png", "1/1/0.png"]
    with unreferenced_is_fine, rasterio.open(BytesIO(tiles["1/0/0.png"])) as tile:
        found = tile.read()
    np.testing.assert_array_equal(found[0][:ROWS], (patches() * 60 + 10)[:, :64])
    assert (found[-1][ROWS:] == 0).all()


def test_tiles_for_the_web_lie_where_the_mercator_grid_has_them(tmp_path: Path) -> None:
    arguments = {"min_zoom": 12, "max_zoom": 12, "resampling": "nearest"}
    call(schema_of("gdal_raster_tile"), tmp_path / "tiles.zip", input=_picture(tmp_path / "in.tif"), **arguments)
    with zipfile.ZipFile(tmp_path / "tiles.zip") as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".png")]
    zoom, column, row = (int(part) for part in name.removesuffix(".png").split("/"))
    (x,), (y,) = rasterio.warp.transform(UTM, "EPSG:3857", [WEST + 300], [NORTH - 200])
    side = 2 * 20037508.342789244 / 2**12
    assert (zoom, column, row) == (12, int((x + 20037508.342789244) / side), int((20037508.342789244 - y) / side))


def test_ranges_become_classes(tmp_path: Path) -> None:
    mapping = {"mapping": "(-inf,480)=1;[480,520)=2;DEFAULT=3", "output_data_type": "Byte"}
    values = hills()
    call(schema_of("gdal_raster_reclassify"), tmp_path / "out.tif", input=dem(tmp_path / "in.tif", values), **mapping)
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), 1 + np.digitize(values, [480, 520]))
    with rasterio.open(tmp_path / "out.tif") as dataset:
        assert dataset.tags()["QUANTITY"] == "class_label"


def test_focal_statistics_are_those_of_scipy(tmp_path: Path) -> None:
    source, inner = dem(tmp_path / "in.tif"), (slice(2, -2), slice(2, -2))
    for method, oracle in (("median", ndimage.median_filter), ("max", ndimage.maximum_filter)):
        path = tmp_path / f"{method}.tif"
        arguments = {"kernel": ["equal"], "method": [method], "size": 5}
        call(schema_of("gdal_raster_neighbors"), path, input=source, **arguments)
        np.testing.assert_allclose(read(path)[inner], oracle(hills(), size=5)[inner], rtol=1e-5)
    weights = {"kernel": ["[[1,0,-1],[2,0,-2],[1,0,-1]]"], "method": ["sum"]}
    call(schema_of("gdal_raster_neighbors"), tmp_path / "sobel.tif", input=source, **weights)
    expected = ndimage.correlate(hills(), np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], np.float32))
    np.testing.assert_allclose(read(tmp_path / "sobel.tif")[1:-1, 1:-1], expected[1:-1, 1:-1], atol=1e-2)


def test_stored_numbers_become_physical_ones(tmp_path: Path) -> None:
    stored = np.arange(ROWS * COLUMNS, dtype=np.uint16).reshape(ROWS, COLUMNS)
    source = raster(tmp_path / "in.tif", stored, {"scale": 0.5, "offset": -3.0}, nodata=0)
    call(schema_of("gdal_raster_unscale"), tmp_path / "out.tif", input=source)
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), np.where(stored == 0, np.nan, stored * 0.5 - 3))


def test_colours_lie_between_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "colours.txt").write_text("400 0 0 0\n600 200 100 0\n")
    source = dem(tmp_path / "in.tif")
    call(
        schema_of("gdal_raster_color_map"), tmp_path / "out.tif", input=source, color_map=str(tmp_path / "colours.txt")
    )
    share = (np.clip(hills(), 400, 600) - 400) / 200
    red, green, blue = _bands(tmp_path / "out.tif").astype(float)
    np.testing.assert_allclose(red, 200 * share, atol=1)
    np.testing.assert_allclose(green, 100 * share, atol=1)
    assert (blue == 0).all()


def test_pixels_become_points_with_their_values(tmp_path: Path) -> None:
    values = hills()
    values[0, 1] = np.nan
    source = dem(tmp_path / "in.tif", values)
    call(schema_of("gdal_raster_as_features"), tmp_path / "out.gpkg", input=source, include_row_col=True)
    meta, _, geometry, columns = pyogrio.raw.read(tmp_path / "out.gpkg")
    table = dict(zip((name.lower() for name in meta["fields"]), columns, strict=True))
    assert len(geometry) == values.size - 1
    x, y = shapely.get_coordinates(shapely.from_wkb(geometry)).T
    column, row = (x - WEST) / PIXEL - 0.5, (NORTH - y) / PIXEL - 0.5
    np.testing.assert_allclose(table["band_1"], values[np.rint(row).astype(int), np.rint(column).astype(int)])
    np.testing.assert_array_equal(table["row"], np.rint(row))
    np.testing.assert_array_equal(table["col"], np.rint(column))


def test_the_value_at_a_place_is_that_of_its_pixel(tmp_path: Path) -> None:
    place = {"position": [WEST + 123, NORTH - 77], "position_crs": "dataset"}
    said = json.loads(call(schema_of("gdal_raster_pixel_info"), input=dem(tmp_path / "in.tif"), **place))
    (band,) = said["features"][0]["properties"]["bands"]
    assert band["raw_value"] == pytest.approx(float(hills()[7, 12]))


def test_an_integer_type_rounds_and_keeps_its_limits(tmp_path: Path) -> None:
    values = np.array([[-3.0, 12.6, 300.0, 7.4]], np.float32)
    call(
        schema_of("gdal_raster_set_type"),
        tmp_path / "out.tif",
        input=dem(tmp_path / "in.tif", values),
        output_data_type="Byte",
    )
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), [[0, 13, 255, 7]])


def test_what_gdal_cannot_do_is_said_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="gdal raster clip failed") as refused:
        call(schema_of("gdal_raster_clip"), tmp_path / "out.tif", input=dem(tmp_path / "in.tif"), bbox=[0, 0, 1, 1])
    assert "outside" in str(refused.value.found)
