"""From brightness temperature to surface temperature: Planck's law, emissivity and the atmosphere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

C1 = 1.191042972e8
"""First radiation constant for spectral radiance, 2 h c^2, in W um4 m-2 sr-1 (CODATA 2018)."""
C2 = 14387.76877
"""Second radiation constant h c / k, in um K (CODATA 2018)."""


def planck_radiance(temperature: Array, wavelength: float) -> Array:
    """Spectral radiance (W m-2 sr-1 um-1) of a black body at a temperature (K) and wavelength (um)."""
    return np.asarray(C1 / (wavelength**5 * np.expm1(C2 / (wavelength * temperature))))


def planck_temperature(radiance: Array, wavelength: float) -> Array:
    """Temperature (K) of a black body with that spectral radiance: the inverse of :func:`planck_radiance`."""
    return np.asarray(C2 / (wavelength * np.log1p(C1 / (wavelength**5 * radiance))))


def emissivity_corrected(brightness: Array, emissivity: Array, wavelength: float) -> Array:
    """Surface temperature (K) from brightness temperature (K) and emissivity, without an atmosphere.

    ``T = B / (1 + (wavelength B / c2) ln(emissivity))``: Artis and Carnahan 1982 (doi:10.1016/0034-4257(82)90043-8),
    as used by Weng, Lu and Schubring 2004 (doi:10.1016/j.rse.2003.11.005). ``wavelength`` in um.
    """
    return np.asarray(brightness / (1.0 + wavelength * brightness / C2 * np.log(emissivity)))


@dataclass(frozen=True, slots=True)
class ThermalBand:
    """What the single-channel algorithm knows of a thermal band.

    ``k1`` (W m-2 sr-1 um-1) and ``k2`` (K) are the sensor's calibration constants, ``b_gamma`` (K) is c2 over the
    effective wavelength; ``psi`` holds three polynomials in water vapour (g cm-2), highest power first.
    """

    k1: float
    k2: float
    b_gamma: float
    psi: tuple[tuple[float, float, float], ...]


# The constants are those of Landsat 5, 7 and 8; the near twins Landsat 4 and 9 differ by less than the method's error.
SINGLE_CHANNEL: Mapping[str, ThermalBand] = MappingProxyType(
    {
        "landsat-4-5-tm": ThermalBand(
            607.76,
            1260.56,
            1256.0,
            ((0.08735, -0.09553, 1.10188), (-0.69188, -0.58185, -0.29887), (-0.03724, 1.53065, -0.45476)),
        ),
        "landsat-7-etm": ThermalBand(
            666.09,
            1282.71,
            1277.0,
            ((0.07593, -0.07132, 1.08565), (-0.61438, -0.70916, -0.19379), (-0.02892, 1.46051, -0.43199)),
        ),
        "landsat-8-9-oli-tirs": ThermalBand(
            774.8853,
            1321.0789,
            1324.0,
            ((0.04019, 0.02916, 1.01523), (-0.38333, -1.50294, 0.20324), (0.00918, 1.36072, -0.27514)),
        ),
    }
)


def generalised_single_channel(brightness: Array, emissivity: Array, water_vapour: float, band: ThermalBand) -> Array:
    """Surface temperature (K) through an atmosphere with so much water vapour (g cm-2, up to about 3).

    ``T = gamma ((psi1 L + psi2) / emissivity + psi3) + delta`` with ``gamma = B^2 / (b_gamma L)`` and
    ``delta = B - B^2 / b_gamma``: Jimenez-Munoz et al. 2009 (doi:10.1109/TGRS.2008.2007125), with their coefficients
    for Landsat 5 and 7; those for Landsat 8 band 10 from Jimenez-Munoz et al. 2014 (doi:10.1109/LGRS.2014.2312032).
    """
    radiance = band.k1 / np.expm1(band.k2 / brightness)
    psi1, psi2, psi3 = (float(np.polyval(coefficients, water_vapour)) for coefficients in band.psi)
    gamma = brightness**2 / (band.b_gamma * radiance)
    delta = brightness - brightness**2 / band.b_gamma
    return np.asarray(gamma * ((psi1 * radiance + psi2) / emissivity + psi3) + delta)


def emissivity_from_ndvi(
    ndvi: Array,
    ndvi_soil: float = 0.2,
    ndvi_vegetation: float = 0.5,
    soil: float = 0.97,
    vegetation: float = 0.99,
    water: float = 0.991,
) -> Array:
    """Emissivity at 10 to 12 um by the NDVI thresholds method.

    Bare soil below ``ndvi_soil``, full cover above ``ndvi_vegetation``, between them a mixture by the share of
    vegetation Pv (Carlson and Ripley 1997) with the cavity term ``(1 - soil) vegetation 0.55 (1 - Pv)``; water where
    NDVI is negative. Source: Sobrino et al. 2008 (doi:10.1109/TGRS.2007.904834).
    """
    share = np.clip((ndvi - ndvi_soil) / (ndvi_vegetation - ndvi_soil), 0.0, 1.0) ** 2
    cavity = (1.0 - soil) * vegetation * 0.55 * (1.0 - share)
    mixed = vegetation * share + soil * (1.0 - share) + cavity
    land = np.where(ndvi < ndvi_soil, soil, np.where(ndvi > ndvi_vegetation, vegetation, mixed))
    return np.where(np.isnan(ndvi), np.nan, np.where(ndvi < 0.0, water, land))
