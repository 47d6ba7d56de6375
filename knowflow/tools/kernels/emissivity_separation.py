"""Temperature and emissivities from three or more thermal bands at once (TES)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.kernels.thermal import planck_radiance, planck_temperature

Array = NDArray[np.float64]

LARGEST_EMISSIVITY = 0.99
"""What the first guess takes as the largest emissivity of a pixel (Gillespie et al. 1998, section III-A)."""


@dataclass(frozen=True, slots=True)
class Separated:
    """``temperature`` (K), (rows, columns); ``emissivity``, (bands, rows, columns)."""

    temperature: Array
    emissivity: Array

    @property
    def contrast(self) -> Array:
        """Largest less smallest emissivity."""
        return np.asarray(self.emissivity.max(axis=0) - self.emissivity.min(axis=0))


def separate(brightness: Array, wavelengths: Sequence[float], reference: int) -> Separated:
    """Temperature and emissivities from brightness temperatures (K) at the surface, (bands, rows, columns).

    The normalised emissivity method gives a first spectrum; its shape, and the smallest emissivity that goes with such
    a shape, ``0.994 - 0.687 MMD^0.737``, give emissivities; ``reference`` (0-based) is the band whose emissivity then
    gives the temperature. ``wavelengths`` in um. Radiance of the sky that the ground reflects is not corrected for.
    Source: Gillespie et al. 1998 (doi:10.1109/36.700995), eq. 4 to 9; the regression is that of ASTER's five bands.
    """
    radiance = np.stack([planck_radiance(band, wave) for band, wave in zip(brightness, wavelengths, strict=True)])
    guesses = [
        planck_temperature(band / LARGEST_EMISSIVITY, wave) for band, wave in zip(radiance, wavelengths, strict=True)
    ]
    first = np.max(guesses, axis=0)
    spectrum = np.stack([band / planck_radiance(first, wave) for band, wave in zip(radiance, wavelengths, strict=True)])
    shape = spectrum / spectrum.mean(axis=0)
    lowest = smallest_emissivity(np.asarray(shape.max(axis=0) - shape.min(axis=0)))
    emissivity = shape * (lowest / shape.min(axis=0))
    temperature = planck_temperature(radiance[reference] / emissivity[reference], wavelengths[reference])
    return Separated(temperature, emissivity)


def smallest_emissivity(contrast: Array) -> Array:
    """The smallest emissivity of a surface by the contrast (MMD) of its spectrum (Gillespie et al. 1998, eq. 8)."""
    return np.asarray(0.994 - 0.687 * np.power(contrast, 0.737))
