"""Areas of pixels on the ellipsoid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def zone_area(south: Array, north: Array, width: float, semi_major: float, eccentricity_squared: float) -> Array:
    """Area (m2) between two parallels and two meridians on an ellipsoid of revolution.

    ``south`` and ``north`` are geodetic latitudes in radians, ``width`` the difference of longitudes in radians,
    ``semi_major`` in metres. Source: Snyder 1987, USGS Professional Paper 1395, equation 3-12 (authalic latitude).
    """
    difference = _authalic(north, eccentricity_squared) - _authalic(south, eccentricity_squared)
    return np.asarray(0.5 * semi_major**2 * abs(width) * np.abs(difference))


def metric(latitude: Array, semi_major: float, eccentricity_squared: float) -> Array:
    """Area (m2) per squared radian of longitude and latitude at a geodetic latitude (radians).

    The product of the radius of curvature in the meridian and the radius of the parallel (Snyder 1987, chapter 4).
    """
    bend = 1.0 - eccentricity_squared * np.sin(latitude) ** 2
    return np.asarray(semi_major**2 * (1.0 - eccentricity_squared) * np.cos(latitude) / bend**2)


def _authalic(latitude: Array, eccentricity_squared: float) -> Array:
    """Snyder's q: twice the area from the equator to a latitude, per radian and squared semi-major axis."""
    sine = np.sin(np.clip(latitude, -np.pi / 2, np.pi / 2))
    if eccentricity_squared == 0.0:
        return np.asarray(2.0 * sine)
    e = np.sqrt(eccentricity_squared)
    scaled = e * sine
    return np.asarray((1.0 - eccentricity_squared) * (sine / (1.0 - scaled**2) + np.arctanh(scaled) / e))
