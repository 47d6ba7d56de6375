"""Water vapour in the column of air, from how dark near-infrared reflectance is in its absorption bands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ALPHA, BETA = 0.02, 0.651
"""Of the exponential fit for mixed surfaces: Kaufman and Gao 1992 (doi:10.1109/36.175321), eq. 7."""
_NEAR, _FAR = 0.865, 1.24


def continuum(reflectance_865: Array, reflectance_1240: Array, wavelength: float) -> Array:
    """Reflectance (0..1) of the ground inside an absorption band, on the line between 0.865 and 1.24 um."""
    share = (wavelength - _NEAR) / (_FAR - _NEAR)
    return np.asarray(reflectance_865 + share * (reflectance_1240 - reflectance_865))


def column(transmittance: Array) -> Array:
    """Water vapour (g cm-2) by the transmittance of the 0.94 um band: ``((alpha - ln t) / beta)^2``.

    NaN where the transmittance is not above 0; 0 where no absorption is seen. Source: Kaufman and Gao 1992, eq. 7.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        depth = ALPHA - np.log(np.where(transmittance > 0, transmittance, np.nan))
    return np.asarray(np.square(np.maximum(depth, 0.0)) / BETA**2)
