"""Three bands as the red, green and blue of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.quicklook import thinned

Stretch = Literal["common", "each"]
_WAVELENGTHS = {"blue": 0.49, "green": 0.56, "red": 0.665}  # of the bands of common sensors, micrometres
_SUN = 0.5  # cosine of the zenith angle of the sun; the scattering angle seen from above has the same, but for its sign


def colour_picture(
    bands: Mapping[str, Artifact],
    output: Path,
    shown_as: tuple[str, ...],
    stretch: Stretch = "common",
    size: int = 1200,
) -> None:
    """Write a PNG of three bands, (rows, columns) as they lie, at most ``size`` pixels along the longer side.

    ``shown_as`` are the bands that are shown as red, green and blue. Colours span the 2nd to the 98th percentile:
    ``common`` of the three together, which keeps colours as they are, or of ``each`` by itself, which shows most. What
    is seen from above the atmosphere is shown without its blue veil: from each band is taken what the darkest ground
    has of it, but no more than air alone scatters (Chavez 1988). Where a band is nodata the picture is transparent.

    Raises:
        ToolError: there are not three, one of them is not among the bands, or nowhere do all have data.

    Example:
        ``colour_picture(scene, Path("picture.png"), ("nir", "red", "green"), stretch="each")``
    """
    from matplotlib.image import imsave

    absent = [name for name in shown_as if name not in bands]
    if len(shown_as) != 3 or absent:
        found = f"{', '.join(shown_as)}; there are {', '.join(bands)}"
        raise ToolError("a picture needs three bands of the scene", expected="red, green and blue", found=found)
    values = np.stack([thinned(bands[name], size).values for name in shown_as], axis=-1)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(values).all(axis=-1))
    if not known.any():
        raise ToolError("there is nothing to show", expected="pixels with all three bands", found="none")
    values -= [_veil(bands[name], name, values[known][:, at]) for at, name in enumerate(shown_as)]
    low, high = np.percentile(values[known], (2, 98), axis=None if stretch == "common" else 0)
    width = np.maximum(high - low, np.finfo(np.float32).tiny)
    share = np.clip((np.where(known[:, :, np.newaxis], values, low) - low) / width, 0.0, 1.0)
    pixels = np.dstack([np.rint(share * 255), np.where(known, 255, 0)]).astype(np.uint8)
    output.parent.mkdir(parents=True, exist_ok=True)
    imsave(output, pixels, format="png", metadata={"Software": "KnowFlow"})


def _veil(band: Artifact, name: str, values: NDArray[np.float32]) -> float:
    """What the atmosphere adds to a band of top-of-atmosphere reflectance; 0 of all else.

    The darkest percentile is taken for ground that reflects nothing. It is at most what molecules scatter (Hansen and
    Travis 1974) under a sun at 60 degrees from the zenith, so that bright scenes keep their colours.
    """
    if band.fact("quantity") != "toa_bidirectional_reflectance" or name not in _WAVELENGTHS:
        return 0.0
    wave = _WAVELENGTHS[name]
    depth = 0.008569 * wave**-4 * (1 + 0.0113 * wave**-2 + 0.00013 * wave**-4)
    most = depth * 0.75 * (1 + _SUN**2) / (4 * _SUN)
    return float(np.clip(np.percentile(values, 1), 0.0, most))
