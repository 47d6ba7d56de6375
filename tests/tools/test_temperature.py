"""Surface temperature against a forward model, through files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools import temperature as tools
from knowflow.tools.kernels.thermal import planck_radiance, planck_temperature

SURFACE = np.linspace(280, 320, 24).reshape(4, 6)


def _scene(tmp_path: Path, unit: str = "K", **facts) -> tuple[Artifact, Artifact]:
    emissivity = np.full(SURFACE.shape, 0.97)
    emissivity[0, 0] = 0.0
    emissivity[0, 1] = np.nan
    brightness = planck_temperature(0.97 * planck_radiance(SURFACE, 10.895), 10.895)
    stored = brightness - (273.15 if unit == "degC" else 0)
    return (
        draw(tmp_path / "bt.tif", stored.astype(np.float32), unit=unit, datetime="2022-07-01", **facts),
        draw(tmp_path / "e.tif", emissivity.astype(np.float32), unit="1"),
    )


@pytest.mark.parametrize("unit", ["K", "degC"])
@pytest.mark.parametrize(
    ("facts", "wavelength"),
    [
        ({}, 10.895),
        ({"wavelength": 10895.0}, None),
        ({"sensor": "landsat-8", "bands": ("lwir11",)}, None),
    ],
)
def test_surface_temperature_is_recovered(tmp_path: Path, unit: str, facts, wavelength) -> None:
    brightness, emissivity = _scene(tmp_path, unit, **facts)
    tools.surface_temperature_single_channel(brightness, emissivity, tmp_path / "t.tif", wavelength)
    found, about = read(tmp_path / "t.tif")
    assert np.isnan(found[0, :2]).all()
    assert found.ravel()[2:] == pytest.approx(SURFACE.ravel()[2:], abs=0.06)
    assert (about["QUANTITY"], about["UNIT"], about["DATETIME"]) == ("surface_temperature", "K", "2022-07-01")


def test_an_unknown_or_optical_wavelength_is_refused(tmp_path: Path) -> None:
    brightness, emissivity = _scene(tmp_path)
    with pytest.raises(MissingFactError, match="wavelength"):
        tools.surface_temperature_single_channel(brightness, emissivity, tmp_path / "t.tif")
    optical, _ = _scene(tmp_path, wavelength=865.0)
    with pytest.raises(ToolError, match="thermal infrared"):
        tools.surface_temperature_single_channel(optical, emissivity, tmp_path / "t.tif")
    two_bands, _ = _scene(tmp_path, sensor="landsat-8")
    with pytest.raises(MissingFactError, match="wavelength"):
        tools.surface_temperature_single_channel(two_bands, emissivity, tmp_path / "t.tif")


def test_the_only_thermal_band_of_a_sensor_gives_its_wavelength(tmp_path: Path) -> None:
    brightness, _ = _scene(tmp_path, sensor="landsat-5")
    assert tools.thermal_wavelength(brightness) == 11.45


def test_a_band_that_the_file_is_named_after_gives_its_wavelength(tmp_path: Path) -> None:
    brightness, _ = _scene(tmp_path, sensor="landsat-8", band="10")
    assert tools.thermal_wavelength(brightness) == 10.895


def test_water_vapour_warms_the_surface_and_needs_a_landsat(tmp_path: Path) -> None:
    brightness, emissivity = _scene(tmp_path, sensor="LC08")
    results = []
    for vapour in (0.5, 2.0):
        tools.surface_temperature_water_vapour(brightness, emissivity, tmp_path / "t.tif", vapour)
        results.append(read(tmp_path / "t.tif")[0].ravel()[2:])
    # only where the surface is warmer than the air does the air hide some of its warmth
    assert (results[1] > results[0])[SURFACE.ravel()[2:] > 300].all()
    unknown, _ = _scene(tmp_path, sensor="modis")
    with pytest.raises(MissingFactError, match="Landsat only"):
        tools.surface_temperature_water_vapour(unknown, emissivity, tmp_path / "t.tif", 1.0)
    tools.surface_temperature_water_vapour(unknown, emissivity, tmp_path / "t.tif", 2.0, "landsat-8-9-oli-tirs")
    assert read(tmp_path / "t.tif")[0].ravel()[2:] == pytest.approx(results[1])


def test_emissivity_from_ndvi_writes_physical_values(tmp_path: Path) -> None:
    ndvi = draw(tmp_path / "n.tif", np.array([[-0.5, 0.1, 0.35, 0.9, np.nan]], np.float32))
    tools.emissivity_from_ndvi(ndvi, tmp_path / "e.tif")
    found, about = read(tmp_path / "e.tif")
    mixture = 0.99 * 0.25 + 0.97 * 0.75 + 0.03 * 0.99 * 0.55 * 0.75
    np.testing.assert_allclose(found, [[0.991, 0.97, mixture, 0.99, np.nan]], rtol=1e-6)
    assert about["QUANTITY"] == "surface_emissivity"
    with pytest.raises(ToolError, match="must exceed"):
        tools.emissivity_from_ndvi(ndvi, tmp_path / "x.tif", ndvi_soil=0.6)
