"""Generated scenes are the files a user would have, with the truth in their pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
from scene_examples import read

from knowflow.ground.errors import DocumentError
from knowflow.model.template import Scene
from knowflow.testing.expressions import evaluate_truth
from knowflow.testing.scenes import layer_grid, scene_coordinates, scene_grid, write_scene, years_since


def scene(*layers: dict[str, Any], **more: Any) -> Scene:
    return Scene.model_validate({"layers": layers, **more})


def test_pixels_hold_the_truth_at_their_centres(tmp_path: Path) -> None:
    one = scene({"name": "dem", "quantity": "elevation", "values": "100 * x + 10 * y"}, size=(20, 40))
    (path,) = write_scene(one, tmp_path)
    x, y = scene_coordinates(one)
    np.testing.assert_allclose(read(path), 100 * x + 10 * y, rtol=1e-6)
    assert (x[0, 0], y[0, 0]) == (0.5 / 40, 0.5 / 20)


def test_the_share_below_a_round_threshold_is_exact(tmp_path: Path) -> None:
    (path,) = write_scene(scene({"quantity": "ndvi", "values": "x"}), tmp_path)
    assert (read(path) < 0.25).mean() == 0.25


def test_each_date_is_a_file_and_t_counts_years_since_the_first(tmp_path: Path) -> None:
    dates = ["2020-01-01", "2021-01-01", "2021-07-02T10:30:00"]
    paths = write_scene(scene({"name": "ndvi", "quantity": "ndvi", "values": "t + 10 * i", "dates": dates}), tmp_path)
    assert [path.name for path in paths] == ["ndvi_2020-01-01.tif", "ndvi_2021-01-01.tif", "ndvi_2021-07-02T103000.tif"]
    assert [float(read(path)[0, 0]) for path in paths] == pytest.approx([0, 366 / 365.25 + 10, 548.4375 / 365.25 + 20])
    with rasterio.open(paths[2]) as file:
        assert file.tags()["DATETIME"] == "2021-07-02T10:30:00"


def test_years_do_not_depend_on_the_time_zone_mark() -> None:
    assert years_since("2020-01-01", "2021-01-01T00:00:00Z") == pytest.approx(366 / 365.25)


def test_bands_are_files_with_the_tags_of_their_sensor(tmp_path: Path) -> None:
    layer = {
        "name": "S2",
        "quantity": "surface_bidirectional_reflectance",
        "sensor": "sentinel-2",
        "bands": {"red": "0.1 + 0.1 * x", "nir": "0.4"},
        "dates": ["2022-06-01"],
        "dtype": "uint16",
        "scale": 0.0001,
        "nodata": 0,
        "missing": "x > 0.9",
    }
    red, nir = write_scene(scene(layer), tmp_path)
    assert (red.name, nir.name) == ("S2_2022-06-01_red.tif", "S2_2022-06-01_nir.tif")
    with rasterio.open(red) as file:
        tags = file.tags()
        assert (tags["BAND"], tags["SENSOR"], tags["SCALE"], tags["UNIT"]) == ("B04", "sentinel-2", "0.0001", "1")
        assert (file.descriptions, file.scales, file.nodata, file.dtypes) == (("red",), (0.0001,), 0, ("uint16",))
        stored = file.read(1)
    x, _ = scene_coordinates(scene(layer))
    assert (stored[x > 0.9] == 0).all()
    np.testing.assert_allclose(stored[x <= 0.9] * 0.0001, (0.1 + 0.1 * x)[x <= 0.9], atol=5.1e-5)


def test_offset_and_scale_store_the_physical_value(tmp_path: Path) -> None:
    layer = {"quantity": "surface_temperature", "values": "300", "dtype": "uint16", "scale": 0.02, "offset": 100}
    (path,) = write_scene(scene(layer), tmp_path)
    assert (read(path) == 10000).all()


def test_a_unit_of_the_quantity_is_stated_unless_it_is_given_empty(tmp_path: Path) -> None:
    stated, silent = write_scene(
        scene(
            {"name": "a", "quantity": "surface_temperature", "values": "300"},
            {"name": "b", "quantity": "surface_temperature", "values": "27", "unit": ""},
        ),
        tmp_path,
    )
    with rasterio.open(stored := stated) as file:
        assert file.tags()["UNIT"] == "K", stored
    with rasterio.open(silent) as file:
        assert "UNIT" not in file.tags()


@pytest.mark.parametrize(
    "grid",
    [
        {"shift": (0.5, 0.25)},
        {"resolution": 20},
        {"crs": "EPSG:4326"},
        {"crs": "EPSG:3035", "resolution": 25},
        {"crs": "EPSG:32634", "size": (30, 30)},
    ],
)
def test_the_truth_at_a_place_does_not_depend_on_the_grid(tmp_path: Path, grid: dict[str, Any]) -> None:
    plain = {"name": "plain", "quantity": "elevation", "values": "50 * x - 20 * y"}
    both = scene(plain, {**plain, "name": "other", **grid})
    _, path = write_scene(both, tmp_path)
    other = layer_grid(both, both.layers[1])
    assert other != scene_grid(both)
    with rasterio.open(path) as file:
        transform, crs, shape, pixels = file.transform, file.crs, file.shape, file.read(1)
    assert shape == other.shape
    rows, columns = np.indices(shape)
    east, north = rasterio.transform.xy(transform, rows.ravel(), columns.ravel())
    from pyproj import Transformer

    to_scene = Transformer.from_crs(crs.to_wkt(), both.crs, always_xy=True)
    x, y = to_scene.transform(np.array(east), np.array(north))
    truth = evaluate_truth("50 * x - 20 * y", (x - 500000) / 640, (5100000 - y) / 640)
    np.testing.assert_allclose(pixels.ravel(), truth, atol=1e-3)


def test_a_shifted_grid_starts_where_it_says(tmp_path: Path) -> None:
    (path,) = write_scene(scene({"quantity": "ndvi", "values": "x", "shift": (0.5, 0.25)}), tmp_path)
    with rasterio.open(path) as file:
        assert (file.transform.c, file.transform.f) == (500005.0, 5099997.5)


def test_vectors_are_placed_in_the_scene(tmp_path: Path) -> None:
    half = {"type": "Polygon", "coordinates": [[[0, 0], [0.5, 0], [0.5, 1], [0, 1], [0, 0]]]}
    feature = {"type": "Feature", "geometry": half, "properties": {"name": "west", "number": 3}}
    collection = {"type": "FeatureCollection", "features": [feature]}
    one = scene({"quantity": "ndvi", "values": "x"}, vectors={"zones": collection})
    path = write_scene(one, tmp_path)[-1]
    info = pyogrio.read_info(path)
    assert (path.name, info["crs"], info["geometry_type"]) == ("zones.gpkg", "EPSG:32633", "Polygon")
    assert info["total_bounds"] == (500000.0, 5099360.0, 500320.0, 5100000.0)
    assert sorted(info["fields"]) == ["name", "number"]


@pytest.mark.parametrize(
    "layer",
    [
        {"quantity": "ndvi", "values": "x", "dtype": "uint8", "missing": "x > 0.5"},
        {"quantity": "ndvi", "values": "300", "dtype": "uint8"},
        {"quantity": "ndvi", "values": "x", "dates": ["not a date"]},
        {"quantity": "ndvi"},
        {"quantity": "ndvi", "values": "eval(x)"},
    ],
)
def test_a_scene_that_cannot_be_written_is_a_named_error(tmp_path: Path, layer: dict[str, Any]) -> None:
    with pytest.raises(DocumentError) as error:
        write_scene(scene(layer), tmp_path)
    assert error.value.found or error.value.expected
