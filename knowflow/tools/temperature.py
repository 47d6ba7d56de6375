"""Surface temperature from thermal bands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.bands import band, sensor_bands
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels import thermal
from knowflow.tools.raster import Block, Output, map_blocks

Sensor = Literal["landsat-4-5-tm", "landsat-7-etm", "landsat-8-9-oli-tirs"]
THERMAL_NM = (8_000.0, 14_000.0)


def emissivity_from_ndvi(
    ndvi: Artifact,
    output: Path,
    ndvi_soil: float = 0.2,
    ndvi_vegetation: float = 0.5,
    emissivity_soil: float = 0.97,
    emissivity_vegetation: float = 0.99,
    emissivity_water: float = 0.991,
) -> None:
    """Write the surface emissivity by the NDVI thresholds method (Sobrino et al. 2008)."""
    if not ndvi_soil < ndvi_vegetation:
        raise ToolError(
            "the NDVI of vegetation must exceed that of soil", expected=f"> {ndvi_soil}", found=str(ndvi_vegetation)
        )

    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["ndvi"].astype(np.float64)
        parameters = (ndvi_soil, ndvi_vegetation, emissivity_soil, emissivity_vegetation, emissivity_water)
        return thermal.emissivity_from_ndvi(values, *parameters)

    map_blocks(kernel, {"ndvi": ndvi}, Output(output, quantity="surface_emissivity", unit="1"), pointwise=True)


def surface_temperature_single_channel(
    brightness_temperature: Artifact, emissivity: Artifact, output: Path, wavelength: float | None = None
) -> None:
    """Write the surface temperature (K): brightness temperature corrected for the emissivity of the surface.

    ``wavelength`` in um; by default that of the band. The air between is not corrected for (Weng et al. 2004): with
    water vapour at hand use the generalised method.
    """
    micrometres = thermal_wavelength(brightness_temperature) if wavelength is None else wavelength
    unit = brightness_temperature.fact("unit")

    def kernel(block: Block) -> NDArray[np.float64]:
        return thermal.emissivity_corrected(_kelvin(block, unit), _emissivity(block), micrometres)

    _write_temperature(kernel, brightness_temperature, emissivity, output)


def surface_temperature_water_vapour(
    brightness_temperature: Artifact,
    emissivity: Artifact,
    output: Path,
    water_vapour: float,
    sensor: Sensor | None = None,
) -> None:
    """Write the surface temperature (K) by the generalised single-channel method (Jimenez-Munoz et al. 2009, 2014).

    ``water_vapour``: total column in g cm-2 (numerically: cm of water), for which the fit holds up to about 3.
    ``sensor``: a Landsat instrument; by default that of the data.
    """
    constants = _single_channel(brightness_temperature, sensor)
    unit = brightness_temperature.fact("unit")

    def kernel(block: Block) -> NDArray[np.float64]:
        return thermal.generalised_single_channel(_kelvin(block, unit), _emissivity(block), water_vapour, constants)

    _write_temperature(kernel, brightness_temperature, emissivity, output)


def thermal_wavelength(raster: Artifact) -> float:
    """The centre wavelength (um) of a thermal band: the fact, else the band of its sensor, else the only one it has.

    Raises ``MissingFactError`` where neither is known, ``ToolError`` where the wavelength is not thermal infrared.
    """
    known = raster.fact("wavelength")
    nanometres = float(known) if isinstance(known, (int, float)) else _band_centre(raster)
    if nanometres is None:
        raise MissingFactError(
            "the wavelength of the thermal band is unknown",
            where=raster.path,
            expected="a wavelength, or a sensor with one thermal band",
            found=f"sensor {raster.fact('sensor') or 'unknown'}",
            hint="give it: --set wavelength=10.9 (um), or --assume sensor=landsat-8",
        )
    if not THERMAL_NM[0] <= nanometres <= THERMAL_NM[1]:
        raise ToolError(
            "the band is not in the thermal infrared",
            where=raster.path,
            expected="8 to 14 um",
            found=f"{nanometres / 1000:g} um",
        )
    return nanometres / 1000.0


def _band_centre(raster: Artifact) -> float | None:
    sensor = raster.fact("sensor")
    if sensor is None:
        return None
    said = raster.fact("band")  # as the file is named after it: BT10 is band 10, B10
    for name in (*(raster.fact("bands") or ()), *(() if said is None else (str(said), f"B{said}"))):
        found = band(str(sensor), str(name))
        if found is not None and found.centre is not None:
            return found.centre
    thermal_bands = [
        one.centre
        for one in sensor_bands(str(sensor))
        if one.centre is not None and THERMAL_NM[0] <= one.centre <= THERMAL_NM[1]
    ]
    return thermal_bands[0] if len(thermal_bands) == 1 else None


def _single_channel(raster: Artifact, sensor: Sensor | None) -> thermal.ThermalBand:
    stated = sensor or raster.fact("sensor")
    bands = sensor_bands(str(stated)) if stated else ()
    name = bands[0].sensor if bands else str(stated)
    constants = thermal.SINGLE_CHANNEL.get(name)
    if constants is None:
        raise MissingFactError(
            "the generalised single-channel method has coefficients for Landsat only",
            where=raster.path,
            expected=", ".join(thermal.SINGLE_CHANNEL),
            found="an unknown sensor" if stated is None else str(stated),
            hint="use surface_temperature_single_channel, or say the sensor: --assume sensor=landsat-8",
        )
    return constants


def _kelvin(block: Block, unit: str | None) -> NDArray[np.float64]:
    values = block["brightness"].astype(np.float64)
    return values if unit is None else np.asarray(convert(values, unit, "K"))


def _emissivity(block: Block) -> NDArray[np.float64]:
    """Emissivity where it is physical (0 < e <= 1), else NaN."""
    values = block["emissivity"].astype(np.float64)
    return np.where((values > 0) & (values <= 1.0 + 1e-6), values, np.nan)


def _write_temperature(
    kernel: Callable[[Block], NDArray[np.float64]], brightness: Artifact, emissivity: Artifact, output: Path
) -> None:
    sources = {"brightness": brightness, "emissivity": emissivity}
    map_blocks(kernel, sources, Output(output, quantity="surface_temperature", unit="K"), pointwise=True)
