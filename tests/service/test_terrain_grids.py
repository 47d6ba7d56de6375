"""Slopes and directions of analytic ground in eight systems of coordinates, against their closed-form gradients.

The truth is in metres to the east and to the north of the middle of the scene, by an azimuthal equidistant projection
of its own, and knows nothing of the grid that the elevation is given on.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray
from pyproj import Transformer

from knowflow import KnowFlow

Array = NDArray[np.float64]
SIZE = 60
_TURNED = Affine.rotation(25)
# system of coordinates, longitude and latitude of the middle, width and height of a pixel there, what turns the grid
GRIDS: dict[str, tuple[str, float, float, float, float, Affine]] = {
    "utm north": ("EPSG:32633", 16.5, 46.0, 30, 30, Affine.identity()),
    "utm south": ("EPSG:32733", 16.5, -34.0, 30, 30, Affine.identity()),
    "degrees": ("EPSG:4326", 15.0, 60.0, 6e-4, 3e-4, Affine.identity()),
    "web mercator": ("EPSG:3857", 10.0, 60.0, 60, 60, Affine.identity()),
    "equal area of Europe": ("EPSG:3035", -8.5, 40.0, 30, 30, Affine.identity()),
    "polar stereographic": ("EPSG:3413", 30.0, 75.0, 30, 30, Affine.identity()),
    "feet": ("EPSG:2272", -76.0, 40.5, 100, 100, Affine.identity()),
    "rotated": ("EPSG:32633", 15.0, 46.0, 30, 30, _TURNED),
    "from south to north": ("EPSG:32633", 15.0, 46.0, 30, 30, Affine.scale(1, -1)),
    "oblong": ("EPSG:32633", 15.0, 46.0, 10, 40, Affine.identity()),
}


def heights(east: Array, north: Array) -> Array:
    return 500 + 0.25 * east - 0.15 * north + 60 * np.sin(east / 250) * np.cos(north / 300)


def gradient(east: Array, north: Array) -> tuple[Array, Array]:
    return (
        0.25 + 60 / 250 * np.cos(east / 250) * np.cos(north / 300),
        -0.15 - 60 / 300 * np.sin(east / 250) * np.sin(north / 300),
    )


def on_the_ground(path: Path, middle: tuple[float, float]) -> tuple[Array, Array]:
    """Metres east and north of the middle for each pixel of a raster."""
    with rasterio.open(path) as file:
        rows, columns = np.indices(file.shape) + 0.5
        x, y = file.transform @ (columns, rows)
        plane = f"+proj=aeqd +lon_0={middle[0]} +lat_0={middle[1]} +datum=WGS84"
        return Transformer.from_crs(file.crs.to_wkt(), plane, always_xy=True).transform(x, y)


def elevation(folder: Path, name: str) -> tuple[float, float]:
    """An elevation model on one of the grids; its middle in degrees."""
    crs, longitude, latitude, width, height, turned = GRIDS[name]
    x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(longitude, latitude)
    transform = (
        Affine.translation(x, y) @ turned @ Affine.scale(width, -height) @ Affine.translation(-SIZE / 2, -SIZE / 2)
    )
    folder.mkdir()
    profile = {"driver": "GTiff", "height": SIZE, "width": SIZE, "count": 1, "dtype": "float32"}
    with rasterio.open(folder / "dem.tif", "w", **profile, crs=crs, transform=transform):
        pass
    east, north = on_the_ground(folder / "dem.tif", (longitude, latitude))
    with rasterio.open(folder / "dem.tif", "r+") as file:
        file.write(heights(east, north).astype(np.float32), 1)
        file.update_tags(QUANTITY="elevation", UNIT="m")
    return longitude, latitude


def mapped(folder: Path, quantity: str, out: Path) -> tuple[Path, Array, Any]:
    found = KnowFlow(out / "home").run(
        f"What is the mean {quantity.replace('_', ' ')}?", folder, out=out, runner="local"
    )
    assert found.status == "completed", found.error
    path = Path(found.outputs["map"])
    with rasterio.open(path) as file:
        values = file.read(1, masked=True).astype(float).filled(np.nan)
    return path, values, found


def inner(values: Array) -> Array:
    """What lies some pixels off the edge of what is known: there gradients are one-sided."""
    from scipy.ndimage import binary_erosion

    return np.where(binary_erosion(np.isfinite(values), iterations=3), values, np.nan)


@pytest.mark.parametrize("name", GRIDS)
def test_slopes_are_rise_over_run_on_the_ground_and_face_where_true_north_says(name: str, tmp_path: Path) -> None:
    middle = elevation(tmp_path / "data", name)
    path, slopes, _ = mapped(tmp_path / "data", "slope", tmp_path / "out")
    east, north = gradient(*on_the_ground(path, middle))
    apart = inner(slopes) - np.degrees(np.arctan(np.hypot(east, north)))
    assert np.isfinite(apart).sum() > 500
    assert np.nanmax(np.abs(apart)) < 1.0
    assert abs(np.nanmean(apart)) < 0.3
    path, aspects, _ = mapped(tmp_path / "data", "aspect", tmp_path / "out")
    east, north = gradient(*on_the_ground(path, middle))
    turned = (inner(aspects) - np.degrees(np.arctan2(-east, -north)) + 180) % 360 - 180
    turned = turned[(np.hypot(east, north) > 0.1) & np.isfinite(turned)]
    assert turned.size > 400
    assert np.abs(turned).max() < 8.0  # up to 5 of them are the meridian's, where the grid is kept
    assert abs(turned.mean()) < 5.0


@pytest.mark.parametrize("name", ["oblong", "web mercator", "rotated"])
def test_no_slope_faces_north_that_does_not(name: str, tmp_path: Path) -> None:
    elevation(tmp_path / "data", name)
    with rasterio.open(tmp_path / "data" / "dem.tif", "r+") as file:
        east, north = on_the_ground(tmp_path / "data" / "dem.tif", (GRIDS[name][1], GRIDS[name][2]))
        file.write((500 - 0.3 * east - 0.2 * north).astype(np.float32), 1)  # falls to 56 degrees, north-east by east
    found = KnowFlow(tmp_path / "home").run(
        "What share of the area faces north?", tmp_path / "data", out=tmp_path / "out", runner="local"
    )
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(0.0, abs=0.03)  # the edge of a resampled raster knows one side alone
    assert math.degrees(math.atan2(0.3, 0.2)) == pytest.approx(56.3, abs=0.1)
