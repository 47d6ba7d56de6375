"""From what a sensor counts to reflectance and brightness temperature."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import dates_in, moment
from knowflow.tools.kernels import radiometry
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.statistics import distribution_of

Calibrated = Literal["toa_radiance", "toa_bidirectional_reflectance"]
Satellite = Literal["landsat-4", "landsat-5", "landsat-7", "landsat-8", "landsat-9"]
DarkObjectMethod = Literal["dos", "cost"]

RADIANCE_UNIT = "W m-2 sr-1 um-1"
_UNITS = {"toa_radiance": RADIANCE_UNIT, "toa_bidirectional_reflectance": "1"}
_KEPT = ("datetime", "sensor", "daynight", "band", "cloud_masked", "sun_elevation", "sun_azimuth")
_LOWEST_SUN = 5.0  # degrees: below, a flat earth's sine stands for nothing


def calibrate_counts(
    raster: Artifact,
    multiplier: float,
    addend: float,
    output: Path,
    quantity: Calibrated = "toa_radiance",
    sun_elevation: float | None = None,
) -> None:
    """Write radiance or reflectance at the top of the atmosphere: ``multiplier * count + addend``.

    Reflectance is divided by the sine of the sun's elevation (degrees; by default that of the data), as the metadata of
    Landsat Collection 2 ask for.
    """
    height = 1.0
    if quantity == "toa_bidirectional_reflectance":
        height = math.sin(math.radians(sun_above(raster, sun_elevation)))

    def kernel(block: Block) -> NDArray[np.float64]:
        return np.asarray((multiplier * block["raster"].astype(np.float64) + addend) / height)

    _write(kernel, raster, output, quantity, _UNITS[quantity])


def reflectance_from_radiance(
    radiance: Artifact,
    output: Path,
    solar_irradiance: float | None = None,
    sun_elevation: float | None = None,
) -> None:
    """Write reflectance at the top of the atmosphere from radiance, the sun's elevation and the date.

    ``solar_irradiance``: W m-2 um-1 at 1 au; by default that published for the band (Landsat 4 to 7).
    ``sun_elevation``: degrees; by default that of the data.
    """
    irradiance = _irradiance(radiance) if solar_irradiance is None else solar_irradiance
    elevation = sun_above(radiance, sun_elevation)
    (date,) = dates_in([radiance])
    distance = radiometry.sun_distance(moment(date))
    unit = radiance.fact("unit")

    def kernel(block: Block) -> NDArray[np.float64]:
        return radiometry.reflectance(_radiance(block, unit), irradiance, distance, elevation)

    _write(kernel, radiance, output, "toa_bidirectional_reflectance", "1")


def brightness_temperature(
    radiance: Artifact,
    output: Path,
    k1: float | None = None,
    k2: float | None = None,
    satellite: Satellite | None = None,
) -> None:
    """Write brightness temperature (K) from the radiance of a thermal band.

    ``k1`` (W m-2 sr-1 um-1) and ``k2`` (K) are the band's thermal constants: those given, else those of ``satellite``,
    else those that the metadata of the data state.
    """
    first, second = thermal_constants(radiance, k1, k2, satellite)
    unit = radiance.fact("unit")

    def kernel(block: Block) -> NDArray[np.float64]:
        return radiometry.brightness_temperature(_radiance(block, unit), first, second)

    _write(kernel, radiance, output, "toa_brightness_temperature", "K")


def dark_object_subtraction(
    raster: Artifact,
    output: Path,
    method: DarkObjectMethod = "dos",
    percentile: float = 0.1,
    dark_reflectance: float = 0.01,
    sun_elevation: float | None = None,
) -> None:
    """Write an estimate of surface reflectance: reflectance at the top of the atmosphere less what the air adds.

    The darkest objects of the scene (its ``percentile``) are taken to reflect ``dark_reflectance``; what they show more
    is the air's. ``cost`` also divides by the cosine of the sun's zenith angle, for the light that the air keeps.
    Raises ``ToolError`` where even the darkest objects reflect less than that: there is nothing to take away.
    """
    (darkest,) = distribution_of(raster).quantiles([percentile / 100.0])
    if not math.isfinite(darkest):
        raise ToolError("the raster holds no data", where=raster.path, expected="reflectances", found="none")
    transmittance = 1.0 if method == "dos" else math.sin(math.radians(sun_above(raster, sun_elevation)))
    path = max(0.0, float(darkest) - dark_reflectance * transmittance)

    def kernel(block: Block) -> NDArray[np.float64]:
        return radiometry.without_path(block["raster"].astype(np.float64), path, transmittance)

    _write(kernel, raster, output, "surface_bidirectional_reflectance", "1")


def sun_above(raster: Artifact, given: float | None = None) -> float:
    """The sun's elevation in degrees: the one given, else that of the data.

    Raises ``MissingFactError`` where nobody knows it, ``ToolError`` where the sun is too low for a flat earth.
    """
    known = raster.fact("sun_elevation") if given is None else given
    if known is None:
        raise MissingFactError(
            "the sun's elevation is unknown",
            where=raster.path,
            expected="the product's own metadata beside it, or sun_elevation",
            found="neither",
            hint="say it: --assume sun_elevation=45 (degrees)",
        )
    if not _LOWEST_SUN <= float(known) <= 90.0:
        raise ToolError(
            "the sun is too low", where=raster.path, expected=f"{_LOWEST_SUN:g} to 90 degrees", found=f"{known} degrees"
        )
    return float(known)


def _irradiance(raster: Artifact) -> float:
    for name in (raster.fact("band"), *(raster.fact("bands") or ())):
        found = sensor_band(str(raster.fact("sensor") or ""), str(name)) if name else None
        known = None if found is None else radiometry.SOLAR_IRRADIANCE.get(found.sensor, {}).get(found.name)
        if known is not None:
            return known
    raise MissingFactError(
        "the solar irradiance in the band is unknown",
        where=raster.path,
        expected="a reflective band of Landsat 4 to 7, or solar_irradiance",
        found=f"sensor {raster.fact('sensor') or 'unknown'}, band {raster.fact('band') or 'unknown'}",
        hint="set solar_irradiance (W m-2 um-1 at 1 au), or say sensor and band",
    )


def thermal_constants(
    raster: Artifact, k1: float | None, k2: float | None, satellite: Satellite | None
) -> tuple[float, float]:
    """The constants K1 (W m-2 sr-1 um-1) and K2 (K): those given, else of the satellite, else what the data state.

    Raises ``MissingFactError`` where nobody knows them.
    """
    if k1 is not None and k2 is not None:
        return k1, k2
    stated = raster.fact("thermal_constants")
    if satellite is not None:
        constants = radiometry.THERMAL_CONSTANTS[satellite]
        names = [raster.fact("band"), *(raster.fact("bands") or ())]
        found = [sensor_band(str(raster.fact("sensor") or satellite), str(name)) for name in names if name]
        own = [constants[one.name] for one in found if one is not None and one.name in constants]
        if own or len(constants) == 1:
            return own[0] if own else next(iter(constants.values()))
    elif isinstance(stated, tuple) and len(stated) == 2:
        return float(stated[0]), float(stated[1])
    raise MissingFactError(
        "the thermal constants of the band are unknown",
        where=raster.path,
        expected="the product's own metadata beside it, or k1 and k2, or satellite and band",
        found=f"sensor {raster.fact('sensor') or 'unknown'}, band {raster.fact('band') or 'unknown'}",
        hint="keep the MTL file beside the bands, or set k1 and k2",
    )


def _radiance(block: Block, unit: str | None) -> NDArray[np.float64]:
    values = block["raster"].astype(np.float64)
    return values if unit is None else np.asarray(convert(values, unit, RADIANCE_UNIT))


def _write(
    kernel: Callable[[Block], NDArray[np.float64]], raster: Artifact, output: Path, quantity: str, unit: str
) -> None:
    described = Output.like(output, raster, dtype="float32", nodata=math.nan, scale=1.0, offset=0.0, colormap=None)
    kept = {name: value for name, value in described.tags.items() if name.casefold() in _KEPT}
    map_blocks(kernel, {"raster": raster}, replace(described, quantity=quantity, unit=unit, tags=kept))
