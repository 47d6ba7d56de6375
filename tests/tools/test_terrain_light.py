"""Slopes under the sun: the light as GDAL sees it, and a scene of one reflectance seen as one again."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

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
    lit = illumination(dem.astype(float), (10.0, 10.0), 40.0, 150.0)
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
    shade = illumination(dem.astype(float), (10.0, 10.0), 40.0, 150.0) <= 0
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
    degrees = draw(tmp_path / "d.tif", hills(), crs="EPSG:4326")
    with pytest.raises(ToolError, match="units of length"):
        solar_illumination(degrees, tmp_path / "out.tif", **SUN)
