"""A reference is to the house what a copy of the raster would be: the same facts, the same pixels, window by window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rasterio.warp import transform_bounds
from rasterio.windows import Window

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import open_data
from knowflow.ground.references import reference_of, sources_home
from knowflow.reason.inventory import read_artifact
from knowflow.tools.remote.fetch import fetch
from knowflow.tools.remote.headers import header_of, refer
from knowflow.tools.remote.vsi import state_of
from knowflow_bench.network import Served

SIDE = 160
GRID = Affine(20, 0, 600_000, 0, -20, 5_000_000)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


@st.composite
def rasters(draw: st.DrawFn) -> dict[str, Any]:
    """The profile of a raster, what it says of its numbers, and whether it has a mask of its own."""
    dtype = draw(st.sampled_from(["uint8", "int16", "uint16", "float32", "float64"]))
    nodata = draw(st.sampled_from([None, 0, float("nan") if dtype.startswith("float") else 7]))
    tiled = draw(st.booleans())
    shape = {"height": draw(st.integers(20, SIDE)), "width": draw(st.integers(20, SIDE))}
    layout = {"tiled": True, "blockxsize": 32, "blockysize": 48} if tiled else {"blockysize": draw(st.integers(1, 30))}
    way = {
        "compress": draw(st.sampled_from(["deflate", "none"])),
        "interleave": draw(st.sampled_from(["pixel", "band"])),
    }
    said = {"scale": draw(st.sampled_from([1.0, 0.01])), "offset": draw(st.sampled_from([0.0, -3.0]))}
    masked = nodata is None and draw(st.booleans())
    count = draw(st.integers(1, 3))
    return {
        "profile": {"dtype": dtype, "nodata": nodata, "count": count, **shape, **layout, **way},
        "masked": masked,
        **said,
    }


def write(path: Path, raster: dict[str, Any], seed: int) -> None:
    random = np.random.default_rng(seed)
    profile = {"driver": "GTiff", "crs": "EPSG:32633", "transform": GRID, **raster["profile"]}
    shape = (profile["count"], profile["height"], profile["width"])
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK="YES"), rasterio.open(path, "w", **profile) as file:
        file.write(random.integers(0, 200, shape).astype(profile["dtype"]))
        file.scales, file.offsets = (raster["scale"],) * shape[0], (raster["offset"],) * shape[0]
        file.units = ("K",) * shape[0]
        file.descriptions = tuple(f"layer {number}" for number in range(shape[0]))
        file.update_tags(SENSOR="sentinel-2")
        file.update_tags(1, long_name="surface temperature")
        if raster["masked"]:
            file.write_mask(random.integers(0, 2, shape[1:]).astype(bool))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raster=rasters(), seed=st.integers(0, 1000), part=st.tuples(*[st.floats(0, 1)] * 4), whole=st.booleans())
def test_a_reference_has_the_facts_and_pixels_of_the_raster(
    served: Served, raster: dict[str, Any], seed: int, part: tuple[float, ...], whole: bool
) -> None:
    assert isinstance(served.folder, Path)
    path = served.folder / "one.tif"
    write(path, raster, seed)
    address = f"{served.address}/one.tif"
    state = state_of(address)
    profile = raster["profile"]
    rows, columns = profile["height"], profile["width"]
    top, bottom = sorted((part[0] * rows, part[1] * rows))
    left, right = sorted((part[2] * columns, part[3] * columns))
    window = Window(left, top, max(right - left, 1), max(bottom - top, 1))
    west, north = GRID @ (left, top)
    east, south = GRID @ (left + window.width, top + window.height)
    extent = None if whole else transform_bounds("EPSG:32633", "EPSG:4326", west, south, east, north)
    mine = sources_home() / "sets" / "x" / "one.tif"
    assert refer(mine, header_of(address, state), address, state, extent)
    reference = reference_of(mine)
    assert reference is not None
    own, theirs = read_artifact(mine), read_artifact(path)
    apart = {"transform", "shape", "bounds", "grid", "size"}
    assert {name: str(fact) for name, fact in own.facts.items() if name not in apart} == {
        name: str(fact) for name, fact in theirs.facts.items() if name not in apart
    }
    fetch(str(mine))
    with closing(open_data(mine)) as here, rasterio.open(path) as there:
        column, row = (round(number) for number in ~there.transform @ (here.transform.c, here.transform.f))
        place = Window(column, row, here.width, here.height)
        assert place.height * place.width >= window.height * window.width - 1 or whole
        np.testing.assert_array_equal(here.read(), there.read(window=place))
        np.testing.assert_array_equal(here.read_masks(), there.read_masks(window=place))
        assert (here.scales, here.offsets, here.units) == (there.scales, there.offsets, there.units)
        for axis, low, size, most in ((0, top, window.height, rows), (1, left, window.width, columns)):
            first, length = (place.row_off, place.height) if axis == 0 else (place.col_off, place.width)
            assert first <= max(low, 0)
            assert first + length >= min(low + size, most) - 1e-6


def test_a_reference_that_nobody_fetched_reads_as_nothing(served: Served) -> None:
    assert isinstance(served.folder, Path)
    raster = {"profile": {"dtype": "uint8", "count": 1, "height": 64, "width": 64}, "scale": 1.0, "offset": 0.0}
    write(served.folder / "two.tif", {**raster, "masked": False}, 0)
    address = f"{served.address}/two.tif"
    state = state_of(address)
    mine = sources_home() / "sets" / "x" / "two.tif"
    refer(mine, header_of(address, state), address, state, None)
    with closing(open_data(mine)) as file, pytest.raises(rasterio.errors.RasterioIOError):
        file.read()


def test_a_virtual_raster_elsewhere_is_no_reference(served: Served, tmp_path: Path) -> None:
    """What says of itself that it is one opens as any file of others does: not at all, where it names addresses."""
    forged = tmp_path / "sources" / "forged.tif"
    forged.parent.mkdir()
    forged.write_text(
        '<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/{served.address}/two.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    assert reference_of(forged) is None
    with pytest.raises(UnreadableDataError):
        open_data(forged)
