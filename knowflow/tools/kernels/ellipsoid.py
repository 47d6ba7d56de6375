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


def on_authalic_sphere(longitude: Array, latitude: Array, semi_major: float, eccentricity_squared: float) -> Array:
    """Points of an ellipsoid of revolution on the sphere of the same area, which keeps the area of every figure.

    Angles in radians, ``semi_major`` in metres; the result is (..., 3), in metres from the centre of the sphere.
    Source: Snyder 1987, USGS Professional Paper 1395, equations 3-11 to 3-13 (authalic latitude and radius).
    """
    pole = _authalic(np.asarray(np.pi / 2), eccentricity_squared)
    sine = _authalic(latitude, eccentricity_squared) / pole
    cosine = np.sqrt(np.maximum(1.0 - sine**2, 0.0))
    radius = semi_major * np.sqrt(0.5 * pole)
    return np.asarray(radius * np.stack([cosine * np.cos(longitude), cosine * np.sin(longitude), sine], axis=-1))


def _authalic(latitude: Array, eccentricity_squared: float) -> Array:
    """Snyder's q: twice the area from the equator to a latitude, per radian and squared semi-major axis."""
    sine = np.sin(np.clip(latitude, -np.pi / 2, np.pi / 2))
    if eccentricity_squared == 0.0:
        return np.asarray(2.0 * sine)
    e = np.sqrt(eccentricity_squared)
    scaled = e * sine
    return np.asarray((1.0 - eccentricity_squared) * (sine / (1.0 - scaled**2) + np.arctanh(scaled) / e))
