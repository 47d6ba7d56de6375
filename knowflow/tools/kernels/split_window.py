"""Surface temperature from two thermal bands at 11 and 12 um: the split-window method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WATER_VAPOUR = 2.0
"""Column (g cm-2) taken where none is known: it enters with the emissivity only, 0.1 K for 1 g cm-2 over most land."""
EMISSIVITY = 0.985
"""Mean emissivity at 11 and 12 um taken where none is known: vegetation, moist soil, water and snow within 0.01."""


def split_window(
    band31: Array, band32: Array, emissivity31: Array, emissivity32: Array, water_vapour: float = WATER_VAPOUR
) -> Array:
    """Surface temperature (K) from the brightness temperatures (K) of MODIS bands 31 and 32 and their emissivities.

    ``T31 + 1.02 + 1.79 d + 1.20 d^2 + (34.83 - 0.68 W)(1 - e) + (-73.27 - 5.19 W) de`` with ``d = T31 - T32``,
    ``e`` the mean of the emissivities, ``de = e31 - e32`` and W in g cm-2: Sobrino, El Kharraz and Li 2003
    (doi:10.1080/0143116031000102502). NaN where an emissivity is not above 0 and at most 1.
    """
    difference = band31 - band32
    mean = (emissivity31 + emissivity32) / 2.0
    step = emissivity31 - emissivity32
    atmosphere = 1.02 + 1.79 * difference + 1.20 * difference**2
    surface = (34.83 - 0.68 * water_vapour) * (1.0 - mean) + (-73.27 - 5.19 * water_vapour) * step
    physical = (np.minimum(emissivity31, emissivity32) > 0) & (np.maximum(emissivity31, emissivity32) <= 1.0 + 1e-6)
    return np.where(physical, band31 + atmosphere + surface, np.nan)
