"""Areas on the ellipsoid against pyproj's geodesics; components in strips against scipy on the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod
from scipy.ndimage import generate_binary_structure, label

from knowflow.tools.kernels.components import ComponentJoiner, label_block
from knowflow.tools.kernels.ellipsoid import zone_area

WGS84 = Geod(ellps="WGS84")


@pytest.mark.parametrize("south", [-89.0, -45.0, 0.0, 10.0, 46.2, 88.5])
@pytest.mark.parametrize("size", [0.0001, 0.01, 1.0])
def test_zone_area_equals_the_geodesic_polygon_along_the_parallels(south: float, size: float) -> None:
    steps = np.linspace(0, size, 400)
    west_to_east = np.column_stack([steps, np.full(400, south)])
    east_to_west = np.column_stack([steps[::-1], np.full(400, south + size)])
    ring = np.concatenate([west_to_east, east_to_west])
    expected = abs(WGS84.polygon_area_perimeter(ring[:, 0], ring[:, 1])[0])
    edges = np.radians(np.array([south, south + size]))
    found = zone_area(edges[:1], edges[1:], np.radians(size), WGS84.a, WGS84.es)[0]
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("ellipsoid", ["WGS84", "sphere"])
def test_the_zones_of_the_globe_add_up_to_its_surface(ellipsoid: str) -> None:
    geod = Geod(ellps=ellipsoid)
    edges = np.radians(np.linspace(-90, 90, 181))
    total = zone_area(edges[:-1], edges[1:], 2 * np.pi, geod.a, geod.es).sum()
    polar = geod.a * (1 - geod.f)
    e = np.sqrt(geod.es)
    bulge = polar**2 / e * np.arctanh(e) if e else polar**2
    assert total == pytest.approx(2 * np.pi * (geod.a**2 + bulge), rel=1e-12)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    rows=st.integers(1, 25),
    height=st.integers(1, 8),
    width=st.integers(1, 20),
    density=st.sampled_from([0.0, 0.3, 0.45, 0.6, 1.0]),
    connectivity=st.sampled_from([4, 8]),
    minimum_size=st.sampled_from([1, 4]),
)
def test_components_of_blocks_are_those_of_the_whole(
    seed: int, rows: int, height: int, width: int, density: float, connectivity: int, minimum_size: int
) -> None:
    mask = np.random.default_rng(seed).random((rows, 17)) < density
    places = [(row, column) for row in range(0, rows, height) for column in range(0, 17, width)]
    blocks = [
        label_block(mask[row : row + height, column : column + width], row, column, connectivity)
        for row, column in places
    ]
    joiner = ComponentJoiner(17, connectivity)
    for block in blocks:
        joiner.add(block)
    found = joiner.result(minimum_size)
    labels = np.zeros(mask.shape, dtype=int)
    for block in blocks:
        part = found.labels(block)
        labels[block.row : block.row + part.shape[0], block.column : block.column + part.shape[1]] = part

    whole, count = label(mask, structure=generate_binary_structure(2, 1 if connectivity == 4 else 2))
    sizes = np.bincount(whole.ravel(), minlength=count + 1)[1:]
    kept = sizes >= minimum_size
    renumbered = np.concatenate([[0], np.where(kept, np.cumsum(kept), 0)])
    assert found.count == kept.sum()
    assert (found.sizes == sizes[kept]).all()
    assert (labels == renumbered[whole]).all()
