"""Share of the ground that green vegetation covers, from NDVI."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mixture = Literal["linear", "quadratic"]


def vegetation_fraction(ndvi: Array, ndvi_soil: float, ndvi_vegetation: float, mixture: Mixture) -> Array:
    """Vegetation cover, 0 to 1, from the place of NDVI between bare soil and full cover.

    ``linear``: Gutman and Ignatov 1998 (doi:10.1080/014311698215333); ``quadratic``: its square, Carlson and
    Ripley 1997 (doi:10.1016/S0034-4257(97)00104-1). Beyond the two ends it is 0 and 1.
    """
    place = np.clip((ndvi - ndvi_soil) / (ndvi_vegetation - ndvi_soil), 0.0, 1.0)
    return np.asarray(place if mixture == "linear" else place**2)
