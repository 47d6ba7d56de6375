"""How slopes are lit by the sun, and reflectance as it would be on level ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


Axes = tuple[Array | float, Array | float, Array | float, Array | float]


def illumination(elevation: Array, axes: Axes, sun_elevation: float, sun_azimuth: float) -> Array:
    """Cosine of the angle between the sun and the normal of the ground, -1 to 1; below 0 the ground is in shade.

    ``elevation`` (rows, columns) in a unit of length; ``axes`` in the same: how far one column leads east and north on
    the ground, and how far one row does, at each pixel or everywhere. The sun in degrees, its azimuth clockwise from
    north. The gradient is Horn's 1981 (doi:10.1109/PROC.1981.11918), NaN where one of the 3 x 3 elevations is missing
    and along the edge.
    """
    east, north = _gradient(elevation, axes)
    zenith, azimuth = math.radians(90.0 - sun_elevation), math.radians(sun_azimuth)
    towards_sun = math.sin(zenith) * (math.sin(azimuth) * east + math.cos(azimuth) * north)
    return np.asarray((math.cos(zenith) - towards_sun) / np.sqrt(1.0 + east**2 + north**2))


def level_ground(reflectance: Array, lit: Array, sun_elevation: float, c: float = 0.0) -> Array:
    """Reflectance as on level ground: ``rho (cos z + C) / (cos i + C)``, z the sun's zenith angle.

    ``c`` 0 is the cosine correction, which makes faintly lit slopes too bright; the C correction has the C of the
    scene, which stands for light from the sky. NaN where the ground is in shade, or the divisor not above 0.
    Source: Teillet, Guindon and Goodenough 1982 (doi:10.1080/07038992.1982.10855028).
    """
    divisor = lit + c
    usable = (lit > 0) & (divisor > 0)
    return np.where(usable, reflectance * (math.sin(math.radians(sun_elevation)) + c) / divisor, np.nan)


def _gradient(elevation: Array, axes: Axes) -> tuple[Array, Array]:
    """Change of height per length to the east and to the north.

    A step (column, row) leads J (column, row) on the ground, so that the gradient there is the transposed inverse of J
    times that of columns and rows.
    """
    z = np.pad(elevation, 1, constant_values=np.nan)
    up, middle, down = z[:-2], z[1:-1], z[2:]

    def side(columns: slice) -> Array:
        return np.asarray(up[:, columns] + 2 * middle[:, columns] + down[:, columns])

    def edge(row: Array) -> Array:
        return np.asarray(row[:, :-2] + 2 * row[:, 1:-1] + row[:, 2:])

    per_column = (side(slice(2, None)) - side(slice(None, -2))) / 8
    per_row = (edge(down) - edge(up)) / 8
    column_east, column_north, row_east, row_north = axes
    determinant = column_east * row_north - column_north * row_east
    east = (per_column * row_north - per_row * column_north) / determinant
    north = (per_row * column_east - per_column * row_east) / determinant
    known = np.isfinite(elevation)
    return np.where(known, east, np.nan), np.where(known, north, np.nan)
