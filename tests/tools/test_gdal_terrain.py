"""Terrain tools against formulas written down independently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gdal_scenes import PIXEL, call, dem, hills, read, schema_of
from numpy.typing import NDArray
from scipy import ndimage

INNER = (slice(1, -1), slice(1, -1))


def _beyond(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Elevations with one pixel more on each side, extrapolated linearly as GDAL does at the edges."""
    return np.pad(values.astype(np.float64), 1, mode="reflect", reflect_type="odd")


def _horn(values: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Change per metre towards east and north (Horn 1981, equation 3)."""
    weights = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / (8 * PIXEL)
    padded = _beyond(values)
    east = ndimage.correlate(padded, weights)[INNER]
    north = ndimage.correlate(padded, -weights.T)[INNER]
    return east, north


def _zevenbergen(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Slope in degrees (Zevenbergen and Thorne 1987, equations 9 and 10)."""
    padded = _beyond(values)
    east = (padded[1:-1, 2:] - padded[1:-1, :-2]) / (2 * PIXEL)
    north = (padded[:-2, 1:-1] - padded[2:, 1:-1]) / (2 * PIXEL)
    return np.degrees(np.arctan(np.hypot(east, north)))


def _but_corners(values: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """All but the four corner pixels, for whose outer neighbours there are several ways to extrapolate."""
    corners = np.zeros(values.shape, dtype=bool)
    corners[np.ix_([0, -1], [0, -1])] = True
    return values[~corners]


def assert_equal(path: Path, expected: NDArray[np.float64], tolerance: float = 1e-3) -> None:
    np.testing.assert_allclose(_but_corners(read(path)), _but_corners(expected), atol=tolerance)


def _neighbours(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """The eight neighbours of the inner pixels, (8, rows - 2, columns - 2)."""
    height, width = values.shape
    shifts = [(row, column) for row in range(3) for column in range(3) if (row, column) != (1, 1)]
    return np.stack([values[r : height - 2 + r, c : width - 2 + c].astype(np.float64) for r, c in shifts])


def test_slope_is_that_of_horn_edges_included(tmp_path: Path) -> None:
    call(schema_of("slope"), tmp_path / "slope.tif", dem=dem(tmp_path / "dem.tif"))
    east, north = _horn(hills())
    assert_equal(tmp_path / "slope.tif", np.degrees(np.arctan(np.hypot(east, north))))


def test_slope_is_that_of_zevenbergen_and_thorne_when_asked(tmp_path: Path) -> None:
    call(schema_of("slope"), tmp_path / "slope.tif", dem=dem(tmp_path / "dem.tif"), gradient="ZevenbergenThorne")
    assert_equal(tmp_path / "slope.tif", _zevenbergen(hills()))


def test_a_plane_has_the_slope_and_aspect_that_it_was_made_with(tmp_path: Path) -> None:
    rows, columns = np.mgrid[0:20, 0:30]
    falling_to_south_east = (1000 - 0.3 * PIXEL * columns - 0.3 * PIXEL * rows).astype(np.float32)
    plane = dem(tmp_path / "dem.tif", falling_to_south_east)
    call(schema_of("slope"), tmp_path / "slope.tif", dem=plane)
    call(schema_of("aspect"), tmp_path / "aspect.tif", dem=plane)
    assert_equal(tmp_path / "slope.tif", np.full((20, 30), np.degrees(np.arctan(0.3 * np.sqrt(2)))))
    assert_equal(tmp_path / "aspect.tif", np.full((20, 30), 135.0))


def test_aspect_is_the_azimuth_of_steepest_descent(tmp_path: Path) -> None:
    call(schema_of("aspect"), tmp_path / "aspect.tif", dem=dem(tmp_path / "dem.tif"))
    east, north = _horn(hills())
    expected = np.degrees(np.arctan2(-east, -north))
    turned = (read(tmp_path / "aspect.tif") - expected + 180) % 360 - 180
    np.testing.assert_allclose(_but_corners(turned), 0, atol=0.01)


def test_flat_ground_has_no_aspect(tmp_path: Path) -> None:
    flat = dem(tmp_path / "dem.tif", np.full((10, 10), 300, np.float32))
    call(schema_of("aspect"), tmp_path / "aspect.tif", dem=flat)
    assert np.isnan(read(tmp_path / "aspect.tif")).all()


@pytest.mark.parametrize(("azimuth", "altitude", "exaggeration"), [(315, 45, 1), (90, 20, 1), (200, 60, 2.5)])
def test_hillshade_is_the_cosine_of_the_angle_to_the_light(
    tmp_path: Path, azimuth: float, altitude: float, exaggeration: float
) -> None:
    arguments = {"azimuth": azimuth, "altitude": altitude, "exaggeration": exaggeration}
    call(schema_of("hillshade"), tmp_path / "shade.tif", dem=dem(tmp_path / "dem.tif"), **arguments)
    east, north = (exaggeration * part for part in _horn(hills()))
    light = np.radians(azimuth), np.radians(altitude)
    towards_light = np.cos(light[1]) * (-east * np.sin(light[0]) - north * np.cos(light[0])) + np.sin(light[1])
    cosine = towards_light / np.sqrt(1 + east**2 + north**2)
    expected = np.where(cosine <= 0, 1, 1 + 254 * cosine)
    assert_equal(tmp_path / "shade.tif", expected, 0.51)


def test_position_ruggedness_and_roughness_are_what_they_are_defined_as(tmp_path: Path) -> None:
    values, source = hills(), dem(tmp_path / "dem.tif")
    centre, around = values[INNER].astype(np.float64), _neighbours(values)
    differences = around - centre
    everything = np.concatenate([around, centre[None]])
    expected = {
        "tpi": (centre - around.mean(axis=0), {}),
        "tri": (np.sqrt((differences**2).sum(axis=0)), {}),
        "roughness": (everything.max(axis=0) - everything.min(axis=0), {}),
    }
    for tool, (wanted, arguments) in expected.items():
        call(schema_of(tool), tmp_path / f"{tool}.tif", dem=source, **arguments)
        np.testing.assert_allclose(read(tmp_path / f"{tool}.tif")[INNER], wanted, atol=1e-3, err_msg=tool)
    call(schema_of("tri"), tmp_path / "wilson.tif", dem=source, algorithm="Wilson")
    np.testing.assert_allclose(read(tmp_path / "wilson.tif")[INNER], np.abs(differences).mean(axis=0), atol=1e-3)


@pytest.mark.parametrize("tool", ["slope", "aspect", "hillshade", "tpi", "tri", "roughness"])
def test_missing_elevation_stays_missing_and_harms_no_distant_pixel(tmp_path: Path, tool: str) -> None:
    values = hills()
    gap = values.copy()
    gap[20:23, 30:35] = -9999
    call(schema_of(tool), tmp_path / "whole.tif", dem=dem(tmp_path / "a.tif", values))
    call(schema_of(tool), tmp_path / "gap.tif", dem=dem(tmp_path / "b.tif", gap, nodata=-9999))
    whole, found = read(tmp_path / "whole.tif"), read(tmp_path / "gap.tif")
    missing = (found == 0) if tool == "hillshade" else np.isnan(found)
    np.testing.assert_array_equal(missing, gap == -9999)
    far = ~ndimage.binary_dilation(gap == -9999, np.ones((3, 3)))
    np.testing.assert_array_equal(found[far], whole[far])


def test_elevation_in_feet_over_metres_is_never_mistaken() -> None:
    """GDAL would take any unit it does not know for metres: the schema does not let it."""
    for tool in ("slope", "hillshade", "tpi", "tri", "roughness", "viewshed"):
        assert "unit(dem) == 'm'" in schema_of(tool).preconditions
