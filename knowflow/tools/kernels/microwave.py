"""What brightness temperatures of microwave radiometers tell of snow and sea ice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# tie points of SSM/I over the Arctic, K: Comiso et al. 1997 (doi:10.1016/S0034-4257(96)00220-9), table 1
WATER_19H, WATER_19V, WATER_37V = 100.8, 177.1, 201.7
FIRST_YEAR_19H, FIRST_YEAR_19V, FIRST_YEAR_37V = 242.8, 258.2, 252.8


def normalised_difference(a: Array, b: Array) -> Array:
    """(a - b) / (a + b): the polarisation or gradient ratio of two channels."""
    return np.asarray((a - b) / (a + b))


POLARISATION_ICE = (FIRST_YEAR_19V - FIRST_YEAR_19H) / (FIRST_YEAR_19V + FIRST_YEAR_19H)
POLARISATION_WATER = (WATER_19V - WATER_19H) / (WATER_19V + WATER_19H)
GRADIENT_ICE = (FIRST_YEAR_37V - FIRST_YEAR_19V) / (FIRST_YEAR_37V + FIRST_YEAR_19V)
GRADIENT_WATER = (WATER_37V - WATER_19V) / (WATER_37V + WATER_19V)


def sea_ice_concentration(
    polarisation: Array,
    gradient: Array,
    polarisation_ice: float = POLARISATION_ICE,
    polarisation_water: float = POLARISATION_WATER,
    gradient_ice: float = GRADIENT_ICE,
    gradient_water: float = GRADIENT_WATER,
) -> Array:
    """Share of the surface under ice (0..1) from the polarisation ratio at 19 GHz and the gradient ratio of 37 and 19.

    Each ratio is placed between its values over open water and over ice; the concentration is the mean of the two.
    After the NASA Team algorithm's two ratios (Cavalieri et al. 1984, doi:10.1029/JD089iD04p05355), with one kind of
    ice instead of two.
    """
    by_polarisation = (polarisation - polarisation_water) / (polarisation_ice - polarisation_water)
    by_gradient = (gradient - gradient_water) / (gradient_ice - gradient_water)
    return np.asarray(np.clip((by_polarisation + by_gradient) / 2.0, 0.0, 1.0))


SNOW_DEPTH_PER_KELVIN = 1.59
"""Snow depth, cm per K of 18 H less 37 H GHz (Chang, Foster and Hall 1987, doi:10.3189/S0260305500200736)."""
SNOW_WATER_PER_KELVIN = 4.77
"""Snow water equivalent, mm per K of 18 H less 37 H GHz, for a density of 300 kg m-3 (Chang et al. 1987)."""
