"""Tiles in the order of a COG: the same pixels and header, nothing compressed again, read by others than us."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from raster_files import opened
from rasterio.enums import Resampling

from knowflow.ground.errors import ToolError
from knowflow.tools.raster import cog_layout
from knowflow.tools.raster.cog_layout import arrange, hollow

DTYPES = ("uint8", "int16", "uint16", "int32", "float32", "float64")


def tiled(path: Path, values: Any, **profile: Any) -> Path:
    height, width = values.shape
    said = {
        "driver": "GTiff",
        "dtype": values.dtype,
        "height": height,
        "width": width,
        "count": 1,
        "crs": "EPSG:32633",
        "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6),
        "tiled": True,
        "blockxsize": 64,
        "blockysize": 64,
        "compress": "zstd",
        **profile,
    }
    with rasterio.open(path, "w", **said) as dataset:
        dataset.write(values, 1)
        dataset.update_tags(QUANTITY="ndvi", NOTE="a text that does not fit into an entry")
        dataset.update_tags(1, STATISTICS_MEAN="0.5")
    return path


def with_overviews(path: Path, levels: list[int]) -> tuple[Path, Path]:
    configured = rasterio.Env(TIFF_USE_OVR=True, COMPRESS_OVERVIEW="DEFLATE", GDAL_TIFF_OVR_BLOCKSIZE=64)
    with configured, rasterio.open(path, "r+") as dataset:
        dataset.build_overviews(levels, Resampling.nearest)
    return path, path.with_name(f"{path.name}.ovr")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layout")


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(8, 300),
    columns=st.integers(8, 300),
    dtype=st.sampled_from(DTYPES),
    big=st.booleans(),
    halves=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_pixels_and_header_are_those_of_the_parts(
    folder: Path, rows: int, columns: int, dtype: str, big: bool, halves: int, seed: int
) -> None:
    values = np.random.default_rng(seed).integers(0, 100, (rows, columns)).astype(dtype)
    full = tiled(folder / "full.tif", values, nodata=0, bigtiff="YES" if big else "NO")
    overviews = None
    if halves:
        overviews = with_overviews(full, [2**n for n in range(1, halves + 1)])[1]
    target = folder / "cog.tif"
    arrange(full, overviews, target)
    with opened(full) as before, opened(target) as after:
        assert before.tags() == after.tags()
        assert before.tags(1) == after.tags(1)
        assert (before.crs, before.transform, before.nodata) == (after.crs, after.transform, after.nodata)
        np.testing.assert_array_equal(after.read(1), values)
        assert after.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert before.overviews(1) == after.overviews(1)
    for level in range(halves):
        with rasterio.open(full, overview_level=level) as before, rasterio.open(target, overview_level=level) as after:
            np.testing.assert_array_equal(before.read(1), after.read(1))
    for path in folder.glob("*"):
        path.unlink()


def test_directories_come_first_and_then_the_smallest_image(folder: Path) -> None:
    values = np.random.default_rng(0).normal(size=(300, 300)).astype(np.float32)
    full, overviews = with_overviews(
        tiled(folder / "order.tif", values, nodata=math.nan, compress="deflate"), [2, 4, 8]
    )
    arrange(full, overviews, folder / "order_cog.tif")
    with tifffile.TiffFile(folder / "order_cog.tif") as read:
        pages = list(read.pages)
        assert [page.shape for page in pages] == [(300, 300), (150, 150), (75, 75), (38, 38)]
        assert [page.tags[254].value for page in pages[1:]] == [1, 1, 1]
        directories = [page.offset for page in pages]
        data = [page.dataoffsets for page in pages]
        assert directories == sorted(directories)
        assert directories[-1] < min(min(offsets) for offsets in data)
        in_order = [offset for offsets in reversed(data) for offset in offsets]
        assert in_order == sorted(in_order)
        np.testing.assert_array_equal(pages[0].asarray(), values)


def test_a_file_beyond_four_gigabytes_counts_in_eight_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = tiled(folder / "large.tif", np.ones((130, 70), dtype=np.uint8))
    monkeypatch.setattr(cog_layout, "_LARGEST_CLASSIC", 1000)
    arrange(full, None, folder / "large_cog.tif")
    assert (folder / "large_cog.tif").read_bytes()[:4] == b"II\x2b\0"
    with opened(folder / "large_cog.tif") as written:
        assert written.read(1).sum() == 130 * 70


def test_what_has_no_tiles_is_refused_by_name(folder: Path) -> None:
    striped = tiled(folder / "strips.tif", np.ones((20, 20), dtype=np.uint8), tiled=False)
    with pytest.raises(ToolError, match="tiled"):
        arrange(striped, None, folder / "none.tif")


def test_a_file_that_was_cut_is_no_result(folder: Path) -> None:
    full = tiled(folder / "cut.tif", np.random.default_rng(1).normal(size=(200, 200)))
    content = full.read_bytes()
    full.write_bytes(content[: len(content) // 2])
    with pytest.raises((OSError, ToolError)):
        arrange(full, None, folder / "none.tif")


@settings(max_examples=15, deadline=None)
@given(rows=st.integers(8, 300), columns=st.integers(8, 300), big=st.booleans(), nodata=st.sampled_from([None, 0, 9]))
def test_another_header_goes_with_the_same_tiles(
    folder: Path, rows: int, columns: int, big: bool, nodata: int | None
) -> None:
    """All that is read of the pixels is their place: a file of the header alone has none."""
    values = np.random.default_rng(rows).integers(0, 100, (rows, columns)).astype("uint16")
    full = tiled(folder / "full.tif", values, nodata=nodata, bigtiff="YES" if big else "NO")
    before = full.read_bytes()
    header, target = folder / "header.tif", folder / "cog.tif"
    hollow(full, header)
    assert len(header.read_bytes().replace(b"\0", b"")) < 2500
    with rasterio.open(header, "r+") as said:
        said.update_tags(NOTE="ö" * 3000, UNIT="1")
        said.crs, said.nodata = "EPSG:32634", 7
    arrange(full, None, target, header)
    assert full.read_bytes() == before
    with opened(target) as after:
        assert (after.tags()["NOTE"], after.tags()["UNIT"], after.tags()["QUANTITY"]) == ("ö" * 3000, "1", "ndvi")
        assert (after.crs, after.nodata, after.tags(1)["STATISTICS_MEAN"]) == ("EPSG:32634", 7, "0.5")
        np.testing.assert_array_equal(after.read(1), values)
    for path in folder.glob("*"):
        path.unlink()
