"""Slopes under the sun: the light as GDAL sees it, and a scene of one reflectance seen as one again."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from drawn_rasters import draw, read
from pyproj import Transformer

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels.topography import illumination
from knowflow.tools.terrain_light import solar_illumination, topographic_correction

SUN = {"sun_elevation": 40.0, "sun_azimuth": 150.0}
SHAPE = (70, 90)


def hills(shape: tuple[int, int] = SHAPE, height: float = 60.0) -> np.ndarray:
    y, x = np.indices(shape) * 10.0
    return (400 + height * np.sin(x / 130) * np.cos(y / 110)).astype(np.float32)


def light_on(dem: np.ndarray) -> np.ndarray:
    """From slope and aspect: cos z cos s + sin z sin s cos(azimuth - aspect), by central differences."""
    rows, columns = np.gradient(dem.astype(float), 10.0)
    slope, aspect = np.arctan(np.hypot(rows, columns)), np.arctan2(-columns, rows)
    zenith, azimuth = math.radians(50), math.radians(150)
    return np.cos(zenith) * np.cos(slope) + np.sin(zenith) * np.sin(slope) * np.cos(azimuth - aspect)


def scene(folder: Path, sky: float = 0.0, reflectance: float = 0.3) -> tuple[Artifact, Artifact]:
    """Ground of one reflectance: what the sun sends straight grows with the light, what the sky sends does not."""
    dem = hills()
    side = 10.0 / 0.9996  # on the ground: UTM is that much smaller at its central meridian
    lit = illumination(dem.astype(float), (side, 0.0, 0.0, -side), 40.0, 150.0)
    seen = reflectance * (np.maximum(lit, 0) + sky) / (math.sin(math.radians(40)) + sky)
    facts = {"quantity": "surface_bidirectional_reflectance", "unit": "1", "datetime": "2022-06-01", **SUN}
    raster = draw(folder / "r.tif", seen.astype(np.float32), **facts)
    return raster, draw(folder / "dem.tif", dem, quantity="elevation", unit="m")


def test_the_light_follows_from_slope_and_aspect(tmp_path: Path) -> None:
    solar_illumination(draw(tmp_path / "dem.tif", hills()), tmp_path / "out.tif", **SUN)
    found, about = read(tmp_path / "out.tif")
    np.testing.assert_allclose(found[1:-1, 1:-1], light_on(hills())[1:-1, 1:-1], atol=2e-3)
    assert about["QUANTITY"] == "solar_illumination"


def test_the_light_is_that_of_gdals_hillshade(tmp_path: Path) -> None:
    """GDAL writes 1 + 254 cos i, with Horn's gradient as we have it, where the ground is lit."""
    from knowflow.ground.resources import packaged_root
    from knowflow.ground.yamldoc import load
    from knowflow.model.tool import ToolSchema
    from knowflow.tools.registry import bind

    dem = draw(tmp_path / "dem.tif", hills(height=200.0), quantity="elevation", unit="m")
    schema = ToolSchema.model_validate(load(packaged_root("schemas") / "gdal" / "hillshade.yaml").data)
    bind(schema)(dem=dem, azimuth=150.0, altitude=40.0, output=tmp_path / "hillshade.tif")
    solar_illumination(dem, tmp_path / "out.tif", **SUN)
    ours, theirs = read(tmp_path / "out.tif")[0][1:-1, 1:-1], read(tmp_path / "hillshade.tif")[0][1:-1, 1:-1]
    lit = ours > 0.02
    assert lit.mean() > 0.7
    np.testing.assert_allclose(1 + 254 * ours[lit], theirs[lit], atol=0.6)


@pytest.mark.parametrize(("method", "sky"), [("cosine", 0.0), ("c", 0.0), ("c", 0.25)])
def test_ground_of_one_reflectance_is_seen_as_such_again(method: str, sky: float, tmp_path: Path) -> None:
    raster, dem = scene(tmp_path, sky)
    before = read(tmp_path / "r.tif")[0]
    topographic_correction(raster, dem, tmp_path / "out.tif", method=method)  # type: ignore[arg-type]
    found, about = read(tmp_path / "out.tif")
    inner = slice(1, -1), slice(1, -1)
    assert np.nanstd(before) > 0.03
    np.testing.assert_allclose(found[inner], 0.3, atol=1e-4)
    assert (about["QUANTITY"], about["DATETIME"]) == ("surface_bidirectional_reflectance", "2022-06-01")


def test_the_cosine_alone_makes_faintly_lit_slopes_too_bright(tmp_path: Path) -> None:
    raster, dem = scene(tmp_path, sky=0.25)
    topographic_correction(raster, dem, tmp_path / "out.tif", method="cosine")
    lit = light_on(hills())
    found = read(tmp_path / "out.tif")[0]
    assert np.nanmean(found[lit < 0.45]) > 0.33
    assert np.nanmean(found[lit > 0.8]) < 0.3


def test_ground_in_its_own_shade_is_not_known(tmp_path: Path) -> None:
    dem = hills(height=900.0)
    raster = draw(tmp_path / "r.tif", np.full(SHAPE, 0.2, np.float32), quantity="surface_bidirectional_reflectance")
    topographic_correction(raster, draw(tmp_path / "dem.tif", dem), tmp_path / "out.tif", method="cosine", **SUN)
    shade = illumination(dem.astype(float), (10.0, 0.0, 0.0, -10.0), 40.0, 150.0) <= 0
    assert 0.02 < shade.mean() < 0.6
    assert np.isnan(read(tmp_path / "out.tif")[0][shade]).all()


def test_level_ground_is_left_as_it_is(tmp_path: Path) -> None:
    values = np.random.default_rng(1).uniform(0.1, 0.4, SHAPE).astype(np.float32)
    raster = draw(tmp_path / "r.tif", values, quantity="surface_bidirectional_reflectance")
    topographic_correction(
        raster, draw(tmp_path / "dem.tif", np.full(SHAPE, 300, np.float32)), tmp_path / "o.tif", **SUN
    )
    np.testing.assert_array_equal(read(tmp_path / "o.tif")[0], values)


def test_a_sun_on_the_wrong_side_is_found_out(tmp_path: Path) -> None:
    raster, dem = scene(tmp_path)
    with pytest.raises(ToolError, match="not brighter") as error:
        topographic_correction(raster, dem, tmp_path / "out.tif", sun_azimuth=330.0)
    assert "azimuth" in str(error.value.hint)


def test_a_sun_that_nobody_knows_is_asked_for(tmp_path: Path) -> None:
    raster = draw(tmp_path / "r.tif", np.ones(SHAPE, np.float32), sun_elevation=40.0)
    dem = draw(tmp_path / "dem.tif", hills())
    with pytest.raises(MissingFactError, match="azimuth is unknown"):
        topographic_correction(raster, dem, tmp_path / "out.tif")
    nowhere = draw(tmp_path / "d.tif", hills(), crs=None)
    with pytest.raises(MissingFactError, match="coordinate reference system"):
        solar_illumination(nowhere, tmp_path / "out.tif", **SUN)


@pytest.mark.parametrize(
    ("crs", "place", "width", "height", "turn"),
    [
        ("EPSG:32733", (16.5, -34.0), 20, 20, 0),
        ("EPSG:4326", (15.0, 60.0), 4e-4, 2e-4, 0),
        ("EPSG:3857", (10.0, 60.0), 40, 40, 0),
        ("EPSG:3035", (-8.5, 40.0), 20, 20, 0),
        ("EPSG:3413", (30.0, 82.0), 20, 20, 0),
        ("EPSG:2272", (-76.0, 40.5), 60, 60, 0),
        ("EPSG:32633", (15.0, 46.0), 20, 20, 25),
        ("EPSG:32633", (15.0, 46.0), 20, -20, 0),
        ("EPSG:32633", (15.0, 46.0), 10, 40, 0),
    ],
)
def test_the_light_on_a_plane_is_one_on_whatever_grid_it_is_given(
    tmp_path: Path, crs: str, place: tuple[float, float], width: float, height: float, turn: float
) -> None:
    """A plane over metres east and north of the middle (azimuthal equidistant): cos i from its own normal."""
    x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(*place)
    turned = Affine.rotation(turn) @ Affine.scale(width, -height) @ Affine.translation(-20, -20)
    transform = Affine.translation(x, y) @ turned
    rows, columns = np.indices((40, 40)) + 0.5
    plane = f"+proj=aeqd +lon_0={place[0]} +lat_0={place[1]} +datum=WGS84"
    east, north = Transformer.from_crs(crs, plane, always_xy=True).transform(*(transform @ (columns, rows)))
    dem = draw(tmp_path / "dem.tif", (0.3 * east - 0.2 * north).astype(np.float32), crs=crs, transform=transform)
    solar_illumination(dem, tmp_path / "out.tif", **SUN)
    zenith, azimuth = math.radians(50), math.radians(150)
    sun = np.array([math.sin(zenith) * math.sin(azimuth), math.sin(zenith) * math.cos(azimuth), math.cos(zenith)])
    expected = sun @ np.array([-0.3, 0.2, 1.0]) / math.sqrt(1 + 0.3**2 + 0.2**2)
    np.testing.assert_allclose(read(tmp_path / "out.tif")[0][1:-1, 1:-1], expected, atol=2e-3)
