"""From radiance at the sensor to reflectance and brightness temperature, and an estimate of what the air adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)

SOLAR_IRRADIANCE: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "landsat-4-5-tm": {"B1": 1983.0, "B2": 1796.0, "B3": 1536.0, "B4": 1031.0, "B5": 220.0, "B7": 83.44},
        "landsat-7-etm": {
            "B1": 1997.0,
            "B2": 1812.0,
            "B3": 1533.0,
            "B4": 1039.0,
            "B5": 230.8,
            "B7": 84.90,
            "B8": 1362.0,
        },
    }
)
"""Mean solar irradiance outside the atmosphere at 1 au, W m-2 um-1, by sensor and band.

Source: Chander, Markham and Helder 2009 (doi:10.1016/j.rse.2009.01.007), tables 3 and 4; for the Thematic Mappers that
of Landsat 5, from which that of Landsat 4 differs by less than 0.3%. None is published for Landsat 8 and 9, whose
metadata give reflectance directly.
"""

THERMAL_CONSTANTS: Mapping[str, Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "landsat-4": {"B6": (671.62, 1284.30)},
        "landsat-5": {"B6": (607.76, 1260.56)},
        "landsat-7": {"B6": (666.09, 1282.71)},
        "landsat-8": {"B10": (774.8853, 1321.0789), "B11": (480.8883, 1201.1442)},
        "landsat-9": {"B10": (799.0284, 1329.2405), "B11": (475.6581, 1198.3494)},
    }
)
"""K1 (W m-2 sr-1 um-1) and K2 (K) by satellite and band.

Sources: Chander et al. 2009, table 7; for Landsat 8 and 9 the constants in the products' own metadata (LSDS-1822).
"""


def brightness_temperature(radiance: Array, k1: float, k2: float) -> Array:
    """Temperature (K) of a black body of that radiance in a band: ``K2 / ln(K1 / L + 1)``; NaN where L is not above 0.

    Source: Chander et al. 2009 (doi:10.1016/j.rse.2009.01.007), eq. 4.
    """
    positive = np.where(radiance > 0, radiance, np.nan)
    return np.asarray(k2 / np.log1p(k1 / positive))


def reflectance(radiance: Array, solar_irradiance: float, distance: float, sun_elevation: float) -> Array:
    """Reflectance at the top of the atmosphere: ``pi L d^2 / (E sin(elevation))``.

    ``solar_irradiance`` E (W m-2 um-1) at 1 au, ``distance`` d (au), ``sun_elevation`` (degrees).
    Source: Chander et al. 2009, eq. 2.
    """
    return np.asarray(math.pi * radiance * distance**2 / (solar_irradiance * math.sin(math.radians(sun_elevation))))


def sun_distance(date: datetime) -> float:
    """Distance of the earth from the sun (au), to 1e-4. Source: The Astronomical Almanac, low precision formulas."""
    days = (date - _J2000).total_seconds() / 86400
    anomaly = math.radians(357.528 + 0.9856003 * days)
    return 1.00014 - 0.01671 * math.cos(anomaly) - 0.00014 * math.cos(2 * anomaly)


def without_path(reflectance_toa: Array, path: float, transmittance: float) -> Array:
    """Surface reflectance, where the air adds ``path`` reflectance and lets ``transmittance`` of the sunlight through.

    ``(rho - path) / transmittance``: the image-based model of Chavez 1996, Photogrammetric Engineering and Remote
    Sensing 62(9), 1025-1036; with transmittance 1 that of Chavez 1988 (doi:10.1016/0034-4257(88)90019-3).
    """
    return np.asarray((reflectance_toa - path) / transmittance)
