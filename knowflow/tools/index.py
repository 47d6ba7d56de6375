"""Spectral indices: any of the spyndex catalogue, from rasters of single bands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.bands import substitutes
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.indices import SpectralIndex
from knowflow.ground.indices import spectral_index as catalogue_entry
from knowflow.model.artifact import Artifact
from knowflow.tools.formula import compile_formula
from knowflow.tools.raster import Block, Output, map_blocks

_LARGEST = np.finfo(np.float32).max
_ROUNDING = np.float32(1e-6)


def spectral_index(
    index: str, bands: Mapping[str, Artifact], output: Path, constants: Mapping[str, float] | None = None
) -> None:
    """Write a spectral index; its name (``NDVI``, ``evi``) is the catalogue's, its formula too.

    ``bands`` are physical rasters (reflectance 0..1, temperature in K, backscatter linear) by common band name, on one
    grid. ``constants`` replace the catalogue's defaults (``L`` of SAVI...) and supply what has none (``PAR``, kernels).
    Where a band is missing, the result is nodata; so it is where the formula has no finite value, or one that it cannot
    have for non-negative bands: an NDVI of 3 comes of a reflectance below zero (dark pixels, after atmospheric
    correction) and means nothing.

    Source: Montero et al. (2023), https://doi.org/10.1038/s41597-023-02096-0

    Raises ``UnknownNameError`` (no such index), ``ToolError`` (a band or constant is lacking) and
    ``MissingFactError`` (a wavelength is needed and the sensor is not known).
    """
    entry = catalogue_entry(index)
    chosen, numbers = formula_parts(entry, bands, constants or {})
    formula = compile_formula(entry.formula)
    low, high = entry.range
    lowest = -_LARGEST if low is None else np.float32(low) - _ROUNDING
    highest = _LARGEST if high is None else np.float32(high) + _ROUNDING

    def kernel(block: Block) -> NDArray[Any]:
        values = {symbol: block[name] for symbol, name in chosen.items()}
        result = np.asarray(formula({**numbers, **values}, out=block.room))
        # both leave NaN out, so that they are NaN only where nothing is left
        if not (np.fmin.reduce(result, axis=None) < lowest or np.fmax.reduce(result, axis=None) > highest):
            return result
        return np.where((result >= lowest) & (result <= highest), result, np.float32(np.nan))

    sources = {name: bands[name] for name in dict.fromkeys(chosen.values())}
    written = Output(output, quantity=entry.name, unit="1", bands=(entry.name,))
    map_blocks(kernel, sources, written, pointwise=True)


def formula_parts(
    entry: SpectralIndex, bands: Mapping[str, Artifact], constants: Mapping[str, float]
) -> tuple[dict[str, str], dict[str, float]]:
    """What the symbols of an index stand for: of bands their names, of all others their values.

    Raises: as :func:`spectral_index`.
    """
    if not entry.bands:
        raise ToolError(
            f"{entry.short_name} is not made of bands",
            expected="an index whose formula names bands",
            found=f"{entry.formula}, of kernels between bands",
            hint="take an index of the same domain that is: knowflow tools show spectral_index",
        )
    chosen = {symbol: _band(entry, name, bands) for symbol, name in entry.symbols.items()}
    return chosen, _numbers(entry, bands, constants)


def _band(entry: SpectralIndex, name: str, bands: Mapping[str, Artifact]) -> str:
    if name in bands:
        return name
    close = [other for other in substitutes(name) if other in bands]
    raise ToolError(
        f"{entry.short_name} needs the band {name}",
        expected=", ".join(entry.bands),
        found=", ".join(bands) or "no bands",
        hint=f"{close[0]} may stand in for it: give it under the name {name}" if close else None,
    )


def _numbers(entry: SpectralIndex, bands: Mapping[str, Artifact], constants: Mapping[str, float]) -> dict[str, float]:
    """The value of every symbol that is not a band."""
    allowed = {*entry.constants, *entry.wavelengths, *entry.inputs}
    unknown = [name for name in constants if name not in allowed]
    lacking = [name for name in entry.inputs if name not in constants]
    if unknown or lacking:
        raise ToolError(
            f"the constants do not fit {entry.short_name}: {entry.formula}",
            expected=", ".join([*entry.inputs, *(f"{name} (default {v})" for name, v in entry.constants.items())]),
            found=", ".join(constants) or "none",
        )
    waves = {
        symbol: _wavelength(entry, bands[name], name)
        for symbol, name in entry.wavelengths.items()
        if symbol not in constants
    }
    return {**entry.constants, **waves, **{name: float(value) for name, value in constants.items()}}


def _wavelength(entry: SpectralIndex, raster: Artifact, name: str) -> float:
    """The centre wavelength in nm of a band: what is known of the raster, else of its sensor."""
    known = raster.fact("wavelength")
    if known is not None:
        return float(known)
    sensor = raster.fact("sensor")
    found = None if sensor is None else sensor_band(str(sensor), name)
    if found is None or found.centre is None:
        raise MissingFactError(
            f"{entry.short_name} needs the wavelength of the {name} band",
            expected="a known sensor, or the wavelength itself",
            found=f"sensor {sensor or 'unknown'}",
            hint="say it: --assume sensor=sentinel-2",
        )
    return float(found.centre)
