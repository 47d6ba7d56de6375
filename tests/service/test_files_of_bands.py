"""Files that hold several things: questions about their bands and dates, and tools that take all bands at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio.transform import Affine
from service_examples import Command

from knowflow import KnowFlow

SCALE = 0.0001
SAID = f"scene:bands=[blue,green,red,nir],quantity=surface_bidirectional_reflectance,scale={SCALE}"
DATES = ("2018-01-31", "2018-02-28", "2018-03-31")


def written(path: Path, bands: NDArray[np.generic]) -> Path:
    path.parent.mkdir(exist_ok=True)
    count, height, width = bands.shape
    place = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500000, 0, -10, 5100000)}
    with rasterio.open(
        path, "w", driver="GTiff", count=count, height=height, width=width, dtype=bands.dtype, **place
    ) as file:
        file.write(bands)
    return path


@pytest.fixture
def bands() -> NDArray[np.uint16]:
    return np.random.default_rng(1).integers(300, 4000, (4, 24, 20)).astype(np.uint16)


@pytest.fixture
def file(bands: NDArray[np.uint16], tmp_path: Path) -> Path:
    return written(tmp_path / "data" / "scene.tif", bands)


def test_an_index_is_made_of_the_bands_that_the_user_names(
    file: Path, bands: NDArray[np.uint16], tmp_path: Path
) -> None:
    found = KnowFlow(tmp_path / "home").run("mean NDVI", file.parent, assume=[SAID], out=tmp_path / "out")
    assert found.status == "completed", found.error
    red, nir = bands[2].astype(float), bands[3].astype(float)
    assert found.answer == pytest.approx(float(((nir - red) / (nir + red)).mean()), rel=1e-5)


def test_each_date_of_a_stack_that_the_user_dates_has_its_mean(tmp_path: Path) -> None:
    stack = np.random.default_rng(2).uniform(0, 0.8, (3, 24, 20)).astype(np.float32)
    written(tmp_path / "data" / "stack.tif", stack)
    said = "stack:dates=2018-01-31/P1M,quantity=ndvi"
    found = KnowFlow(tmp_path / "home").run(
        "mean NDVI on each date", tmp_path / "data", assume=[said], out=tmp_path / "out"
    )
    assert found.status == "completed", found.error
    rows = {row["date"]: row["mean"] for row in found.answer}
    assert rows == {date: pytest.approx(float(band.mean()), rel=1e-5) for date, band in zip(DATES, stack, strict=True)}


def made(knowflow: Command, tool: str, out: Path, *arguments: str) -> NDArray[np.float64]:
    """The bands that a tool writes, missing pixels as NaN."""
    found = knowflow("tools", "run", tool, *arguments, "--assume", SAID.replace("scene:", "*:"), "--out", out)
    assert found.result["status"] == "completed", found.error
    with rasterio.open(out / "output.tif") as file:
        read: NDArray[np.float64] = file.read(masked=True).astype(float).filled(np.nan)
    return read


def test_tools_take_all_bands_of_a_file_whose_quantity_is_known(
    knowflow: Command, file: Path, bands: NDArray[np.uint16], tmp_path: Path
) -> None:
    box = "bbox=500030,5099880,500110,5099950"
    assert np.array_equal(
        made(knowflow, "clip", tmp_path / "clip", f"raster={file}", box, "bbox_crs=raster"), bands[:, 5:12, 3:11]
    )
    assert np.allclose(made(knowflow, "apply_scale", tmp_path / "scaled", f"raster={file}"), bands * SCALE)
    every_second = made(knowflow, "resample", tmp_path / "r", f"raster={file}", "resolution=20", "resampling=max")
    assert np.array_equal(every_second, bands.reshape(4, 12, 2, 10, 2).max(axis=(2, 4)))
    assert made(knowflow, "reproject", tmp_path / "p", f"raster={file}", "crs=EPSG:3035").shape[0] == 4
    assert np.array_equal(made(knowflow, "select_band", tmp_path / "one", f"raster={file}", "band=nir")[0], bands[3])
    assert np.array_equal(made(knowflow, "align_to", tmp_path / "a", f"raster={file}", f"like={file}"), bands)
    assert knowflow("tools", "run", "inspect", f"raster={file}", "--assume", SAID).result["status"] == "completed"


@pytest.mark.parametrize("method", ["first", "last", "mean", "maximum", "feather"])
def test_rasters_of_several_bands_are_put_side_by_side_band_by_band(
    knowflow: Command, bands: NDArray[np.uint16], tmp_path: Path, method: str
) -> None:
    one = written(tmp_path / "data" / "a.tif", bands)
    other = written(tmp_path / "data" / "b.tif", bands)
    found = made(knowflow, "mosaic", tmp_path / "m", f"series={one},{other}", f"method={method}")
    assert np.allclose(found, bands * SCALE)


def test_rasters_of_other_numbers_of_bands_are_not_put_side_by_side(
    knowflow: Command, file: Path, bands: NDArray[np.uint16], tmp_path: Path
) -> None:
    other = written(tmp_path / "data" / "b.tif", bands[:2])
    found = knowflow("tools", "run", "mosaic", f"series={file},{other}", "--assume", "*:scale=0.0001")
    assert found.failed("tool", "2 and 4")


def test_the_bands_of_a_result_have_the_names_that_the_user_gave(knowflow: Command, file: Path, tmp_path: Path) -> None:
    made(knowflow, "resample", tmp_path / "r", f"raster={file}", "resolution=20")
    with rasterio.open(tmp_path / "r" / "output.tif") as result:
        assert result.descriptions == ("blue", "green", "red", "nir")


def test_the_dates_of_a_stack_are_the_series_that_a_tool_takes(knowflow: Command, tmp_path: Path) -> None:
    stack = np.random.default_rng(3).uniform(0, 0.8, (3, 24, 20)).astype(np.float32)
    file = written(tmp_path / "data" / "stack.tif", stack)
    said = ("--assume", "stack:dates=2018-01-31/P1M,quantity=ndvi")
    found = knowflow("tools", "run", "temporal_composite", f"series={file}", "method=mean", *said, "--out", tmp_path)
    assert found.result["status"] == "completed", found.error
    with rasterio.open(tmp_path / "output.tif") as result:
        assert np.allclose(result.read(1), stack.mean(axis=0), atol=1e-6)
