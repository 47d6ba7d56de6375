"""A glance at the pixels of one layer: small windows spread over it, where no header says what has to be known."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.opening import open_data
from knowflow.model.artifact import Artifact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIDE, _WINDOWS = 64, 4  # pixels of a window, and how many along each side


def glance(item: Artifact) -> NDArray[np.number[Any]]:
    """Stored numbers of a raster, or of its first band, without those that mark missing data; none of what cannot be
    read."""
    import numpy as np
    from rasterio import Env
    from rasterio.errors import NotGeoreferencedWarning, RasterioError
    from rasterio.windows import Window

    parts = []
    try:
        with warnings.catch_warnings(), Env(GDAL_DISABLE_READDIR_ON_OPEN="TRUE"):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with open_data(Path(str(item.path))) as dataset:
                for row, column in _corners(dataset.height, dataset.width):
                    window = Window(column, row, min(_SIDE, dataset.width - column), min(_SIDE, dataset.height - row))
                    parts.append(dataset.read(item.band or 1, window=window).ravel())
    except (KnowFlowError, RasterioError, OSError):
        return np.zeros(0)
    values = np.concatenate(parts)
    nodata = item.fact("nodata")
    kept = np.isfinite(values) if nodata is None else np.isfinite(values) & (values != nodata)
    return np.asarray(values[kept])


def _corners(height: int, width: int) -> Iterator[tuple[int, int]]:
    for row in range(0, height, max(_SIDE, height // _WINDOWS)):
        for column in range(0, width, max(_SIDE, width // _WINDOWS)):
            yield row, column
