"""Batch indices against spyndex on plain arrays; the defects of the published ones, off and on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spyndex
from numpy.typing import NDArray
from raster_files import opened, read, write

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.tools.earth_agent import index as tools

SHAPE = (12, 15)
SYMBOLS = {"nir": "N", "red": "R", "green": "G", "blue": "B", "swir16": "S1", "swir22": "S2"}


def bands(folder: Path, *names: str, scenes: int = 2) -> tuple[dict[str, list[str]], list[dict[str, NDArray[Any]]]]:
    """Reflectance x 10000 with a gap, one file per band and scene; and the reflectance, NaN in the gap."""
    rng = np.random.default_rng(7)
    files: dict[str, list[str]] = {name: [] for name in names}
    arrays = []
    for scene in range(scenes):
        arrays.append({})
        for name in names:
            stored = rng.integers(200, 6000, SHAPE).astype("int16")
            stored[0, 0] = -28672
            path = folder / f"{name}_{scene}.tif"
            write(path, stored, nodata=-28672, scale=0.0001)
            files[name].append(str(path))
            arrays[-1][name] = np.where(stored == -28672, np.nan, stored * 0.0001)
    return files, arrays


def written(folder: Path, count: int = 2) -> list[str]:
    return [str(folder / f"out_{number}.tif") for number in range(count)]


@pytest.mark.parametrize(
    ("tool", "index", "names"),
    [
        (tools.calculate_batch_ndvi, "NDVI", ("nir", "red")),
        (tools.calculate_batch_ndbi, "NDBI", ("swir16", "nir")),
        (tools.calculate_batch_nbr, "NBR", ("nir", "swir22")),
        (tools.calculate_batch_wri, "WRI", ("green", "red", "nir", "swir16")),
        (tools.calculate_batch_ndti, "NDTI", ("red", "green")),
        (tools.calculate_batch_ndsi, "NDSI", ("green", "swir16")),
        (tools.calculate_batch_evi, "EVI", ("nir", "red", "blue")),
        (tools.calculate_batch_ndwi, "NDMI", ("nir", "swir16")),
    ],
)
def test_an_index_is_that_of_spyndex_and_a_gap_stays_a_gap(
    tmp_path: Path, tool: Any, index: str, names: tuple[str, ...]
) -> None:
    files, arrays = bands(tmp_path, *names)
    tool(*(files[name] for name in names), written(tmp_path))
    for path, arrays_of_scene in zip(written(tmp_path), arrays, strict=True):
        parameters = {SYMBOLS[name]: arrays_of_scene[name] for name in names}
        if index == "EVI":
            parameters |= {"g": 2.5, "C1": 6.0, "C2": 7.5, "L": 1.0}
        expected = spyndex.computeIndex(index, parameters)
        np.testing.assert_allclose(read(Path(path)), expected, rtol=2e-4, atol=1e-5)
        assert np.isnan(read(Path(path))[0, 0])


def test_a_folder_takes_one_file_per_scene_in_order(tmp_path: Path) -> None:
    files, _ = bands(tmp_path, "nir", "red")
    tools.calculate_batch_ndvi(files["nir"], files["red"], tmp_path / "series")
    assert [path.name for path in sorted((tmp_path / "series").iterdir())] == ["1_nir_0.tif", "2_nir_1.tif"]


def test_lists_of_different_lengths_are_refused_or_cut(tmp_path: Path) -> None:
    files, _ = bands(tmp_path, "nir", "red")
    with pytest.raises(ToolError, match="different lengths"):
        tools.calculate_batch_ndvi(files["nir"], files["red"][:1], written(tmp_path))
    tools.calculate_batch_ndvi(files["nir"], files["red"][:1], written(tmp_path), compat=True)
    assert [Path(path).exists() for path in written(tmp_path)] == [True, False]


def test_published_indices_take_fill_for_data(tmp_path: Path) -> None:
    files, _ = bands(tmp_path, "nir", "red", scenes=1)
    tools.calculate_batch_ndvi(files["nir"], files["red"], written(tmp_path, 1), compat=True)
    assert read(Path(written(tmp_path, 1)[0]))[0, 0] == 0.0  # (fill - fill) / (fill + fill)


def test_a_green_second_band_makes_the_index_of_open_water(tmp_path: Path) -> None:
    files, arrays = bands(tmp_path, "nir", scenes=1)
    green = np.full(SHAPE, 1500, np.int16)
    write(tmp_path / "green.tif", green, scale=0.0001, descriptions=("green",))
    out = written(tmp_path, 1)
    tools.calculate_batch_ndwi(files["nir"], [str(tmp_path / "green.tif")], out)
    nir = arrays[0]["nir"]
    np.testing.assert_allclose(read(Path(out[0])), (0.15 - nir) / (0.15 + nir), rtol=1e-4, atol=1e-5)
    with opened(Path(out[0])) as dataset:
        assert dataset.tags()["QUANTITY"] == "ndwi"
    tools.calculate_batch_ndwi(files["nir"], [str(tmp_path / "green.tif")], out, compat=True)
    assert np.sign(read(Path(out[0]))[1, 1]) == np.sign(nir[1, 1] - 0.15)


def test_evi_needs_reflectance(tmp_path: Path) -> None:
    values = np.full(SHAPE, 3000, np.int16)
    paths = []
    for name in ("nir", "red", "blue"):
        write(tmp_path / f"{name}.tif", values, nodata=-9999)
        paths.append([str(tmp_path / f"{name}.tif")])
    with pytest.raises(MissingFactError, match="not reflectance"):
        tools.calculate_batch_evi(*paths, written(tmp_path, 1))
    tools.calculate_batch_evi(*paths, written(tmp_path, 1), compat=True)
    assert read(Path(written(tmp_path, 1)[0]))[0, 0] == 0.0


def test_vegetation_fraction_is_linear_in_ndvi(tmp_path: Path) -> None:
    files, arrays = bands(tmp_path, "nir", "red", scenes=1)
    out = written(tmp_path, 1)
    tools.calculate_batch_fvc(files["nir"], files["red"], out, ndvi_min=0.05, ndvi_max=0.8)
    nir, red = arrays[0]["nir"], arrays[0]["red"]
    expected = np.clip(((nir - red) / (nir + red) - 0.05) / 0.75, 0, 1)
    np.testing.assert_allclose(read(Path(out[0])), expected, rtol=1e-4, atol=1e-5)


def test_fire_masks_know_what_they_do_not_know(tmp_path: Path) -> None:
    write(tmp_path / "frp.tif", np.array([[0, 5, 40, -9]], np.float32), nodata=-9)
    out = written(tmp_path, 1)
    tools.calculate_batch_frp([str(tmp_path / "frp.tif")], out, fire_threshold=5)
    assert read(Path(out[0])).tolist() == [[0, 0, 1, 255]]


def test_extreme_loss_is_a_share_of_what_is_known(tmp_path: Path) -> None:
    write(tmp_path / "loss.tif", np.array([[1, 0, 0, 0, 255]], np.uint8), nodata=255)
    assert tools.calc_extreme_snow_loss_percentage_from_binary_map(str(tmp_path / "loss.tif")) == 0.25
    assert tools.calc_extreme_snow_loss_percentage_from_binary_map(str(tmp_path / "loss.tif"), compat=True) == 0.2


def test_tvdi_is_the_place_between_the_edges_of_a_known_triangle(tmp_path: Path) -> None:
    share = np.tile(np.linspace(0, 1, 40), (400, 1))
    ndvi = np.repeat(np.linspace(0.0025, 0.9975, 400)[:, None], 40, axis=1)
    temperature = 290 + share * (30 - 25 * ndvi)
    write(tmp_path / "ndvi.tif", np.rint(ndvi * 10_000).astype("int16"), scale=0.0001, nodata=-3000)
    write(tmp_path / "lst.tif", np.rint(temperature / 0.02).astype("uint16"), scale=0.02, nodata=0)
    tools.compute_tvdi(str(tmp_path / "ndvi.tif"), str(tmp_path / "lst.tif"), tmp_path / "tvdi.tif")
    np.testing.assert_allclose(read(tmp_path / "tvdi.tif"), share, atol=0.03)


def test_published_tvdi_takes_scales_for_granted(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    stored = rng.integers(1000, 9000, (40, 40)).astype("int16")
    write(tmp_path / "ndvi.tif", stored)
    write(tmp_path / "lst.tif", (15_000 - stored // 10).astype("uint16") + rng.integers(0, 500, (40, 40), "uint16"))
    with pytest.raises(MissingFactError):
        tools.compute_tvdi(str(tmp_path / "ndvi.tif"), str(tmp_path / "lst.tif"), tmp_path / "tvdi.tif")
    tools.compute_tvdi(str(tmp_path / "ndvi.tif"), str(tmp_path / "lst.tif"), tmp_path / "tvdi.tif", compat=True)
    found = read(tmp_path / "tvdi.tif")
    assert np.nanmin(found) >= 0
    assert np.nanmax(found) <= 1
