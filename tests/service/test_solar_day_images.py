"""Tiles of one solar day as one image, held against a mosaic that plain NumPy makes of the whole files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyproj import Transformer

from knowflow.ground.opening import open_data
from knowflow.ground.references import sources_home
from knowflow.service.sources.images import Image, Piece, images_of
from knowflow.service.sources.items import Asset
from knowflow.tools.remote.fetch import fetch
from knowflow.tools.remote.headers import header_of, refer_to, window_of
from knowflow.tools.remote.vsi import state_of
from knowflow_bench.network import Served
from knowflow_bench.series import NODATA, PIXEL_M, Series, item_of, noise, write_tiled

DATE = "2022-06-01"
SIDE = 96


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("day")) as server:
        yield server


def tile(seed: int, gaps: bool, **grid: object) -> Series:
    made = noise([DATE], side=SIDE, seed=seed, **grid)
    numbers = made.numbers[DATE].copy()
    if gaps:
        numbers[np.random.default_rng(seed).random(numbers.shape) < 0.4] = NODATA
    return replace(made, numbers={DATE: numbers})


def imaged(served: Served, tiles: list[Series], extent: tuple[float, float, float, float] | None) -> list[Image]:
    pieces = []
    for number, one in enumerate(tiles):
        assert isinstance(served.folder, Path)
        path = write_tiled(one, served.folder / str(number))[0]
        address = f"{served.address}/{number}/{path.name}"
        asset = Asset({**item_of(path, one, served.address), "id": f"tile {number}"}, "ndvi", path.name, address)
        state = state_of(address)
        root = header_of(address, state)
        window = window_of(root, extent)
        if window is not None:
            pieces.append(Piece(asset, state, root, window))
    return images_of(pieces)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    places=st.lists(st.tuples(st.integers(-90, 90), st.integers(-90, 90)), min_size=1, max_size=3),
    seed=st.integers(0, 1000),
    gaps=st.booleans(),
)
def test_tiles_on_one_grid_are_what_numpy_puts_together(
    served: Served, places: list[tuple[int, int]], seed: int, gaps: bool
) -> None:
    tiles = [tile(seed, gaps)]
    for number, (down, right) in enumerate(dict.fromkeys(places)):
        west, north = 500_000.0 + right * PIXEL_M, 5_100_000.0 - down * PIXEL_M
        if (down, right) != (0, 0):
            tiles.append(tile(seed + number + 1, gaps, west=west, north=north))
    (image,) = imaged(served, tiles, None)
    mine = sources_home() / "sets" / "x" / "image.tif"
    refer_to(mine, image.root, image.parts)
    fetch(str(mine))
    with closing(open_data(mine)) as file:
        expected = np.full(file.shape, NODATA, dtype=np.int16)
        for one in reversed(tiles):
            column, row = (round(number) for number in ~file.transform @ (one.west, one.north))
            numbers = one.numbers[DATE]
            place = expected[row : row + SIDE, column : column + SIDE]
            place[numbers != NODATA] = numbers[numbers != NODATA]
        np.testing.assert_array_equal(file.read(1), expected)


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), shift=st.integers(-300, 300))
def test_a_tile_of_another_zone_goes_to_the_nearest_pixels(served: Served, seed: int, shift: int) -> None:
    first = replace(tile(seed, False), numbers={DATE: np.full((SIDE, SIDE), NODATA, dtype=np.int16)})
    to_other = Transformer.from_crs("EPSG:32633", "EPSG:32634", always_xy=True)
    left, top = to_other.transform(500_000.0 + shift, 5_100_000.0)
    other = tile(seed + 1, False, crs="EPSG:32634", west=float(round(left)), north=float(round(top)))
    (image,) = imaged(served, [first, other], None)
    mine = sources_home() / "sets" / "x" / "zones.tif"
    refer_to(mine, image.root, image.parts)
    fetch(str(mine))
    with closing(open_data(mine)) as file:
        found = file.read(1)
        rows, columns = np.indices(found.shape) + 0.5
        x, y = to_other.transform(*(file.transform @ (columns.ravel(), rows.ravel())))
    across, down = (x - other.west) / PIXEL_M, (other.north - y) / PIXEL_M
    inside = (across >= 0) & (across < SIDE) & (down >= 0) & (down < SIDE)
    expected = np.full(found.size, NODATA, dtype=np.int16)
    expected[inside] = other.numbers[DATE][down[inside].astype(int), across[inside].astype(int)]
    assert np.mean(found.ravel() == expected) > 0.97  # GDAL's warp is exact to an eighth of a pixel
    assert inside.sum() > 0.97 * SIDE**2
