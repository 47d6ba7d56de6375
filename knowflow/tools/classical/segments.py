"""Segments: neighbouring pixels that resemble each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.sample import without_gaps
from knowflow.tools.raster import Output, read_array, write_array

_NODATA = -1
_MAX_PIXELS = 16 << 20


def segment_slic(bands: Mapping[str, Artifact], output: Path, size: int = 100, compactness: float = 0.1) -> int:
    """Write superpixels of about ``size`` pixels, numbered from 1; how many there are.

    ``compactness`` weighs nearness against likeness: of bands scaled to 0..1, 0.1 follows edges, 1 gives squares.
    """
    from skimage.segmentation import slic

    image, known = _image(bands)
    count = max(1, round(np.count_nonzero(known) / size))
    labels = slic(image, count, compactness, mask=known, start_label=1, channel_axis=-1, enforce_connectivity=True)
    return _write(labels, known, bands, output)


def segment_watershed(bands: Mapping[str, Artifact], output: Path, smoothing: float = 1.0, depth: float = 0.05) -> int:
    """Write the catchment basins of the gradient of the bands, numbered from 1; how many there are.

    ``smoothing``: standard deviation (pixels) of the Gaussian that is laid over the bands first. ``depth``: basins of
    the gradient that are no deeper, on a scale where 1 is the largest gradient, are joined.
    """
    from scipy.ndimage import gaussian_filter, label
    from skimage.filters import sobel
    from skimage.morphology import h_minima
    from skimage.segmentation import watershed

    image, known = _image(bands)
    smooth = [gaussian_filter(image[..., band], smoothing) for band in range(image.shape[-1])]
    gradient = np.max([sobel(band) for band in smooth], axis=0)
    peak = float(gradient[known].max(initial=0.0))
    gradient = gradient / peak if peak else gradient
    markers = label(h_minima(gradient, depth) if peak else known, np.ones((3, 3)))[0]
    labels = watershed(gradient, np.where(known, markers, 0), mask=known)
    return _write(labels, known, bands, output)


def _image(bands: Mapping[str, Artifact]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The bands scaled to 0..1 by their 1st and 99th percentile, (rows, columns, bands), and where all are data.

    Gaps are filled from what is nearest, so that they make no edges of their own.
    """
    layers = np.stack([read_array(band, _MAX_PIXELS // len(bands)) for band in bands.values()], axis=-1)
    known = np.asarray(np.isfinite(layers).all(axis=-1))
    if not known.any():
        path = next(iter(bands.values())).path
        raise ToolError("there is nothing to segment", where=path, expected="data", found="nodata everywhere")
    low, high = np.percentile(layers[known].astype(np.float64), [1, 99], axis=0)
    scaled = np.clip((layers - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
    return without_gaps(scaled, known), known


def _write(labels: NDArray[Any], known: NDArray[np.bool_], bands: Mapping[str, Artifact], output: Path) -> int:
    """Write the segments numbered in the order of their first pixels; their number."""
    found, first, place = np.unique(np.where(known, labels, 0), return_index=True, return_inverse=True)
    real = found > 0
    number = np.zeros(len(found), dtype=np.int32)
    number[np.flatnonzero(real)[np.argsort(first[real])]] = np.arange(1, np.count_nonzero(real) + 1)
    result = np.where(known, number[place].reshape(labels.shape), _NODATA).astype(np.int32)
    described = Output(output, "int32", _NODATA, quantity="connected_component_label", unit="1")
    write_array(described, result, next(iter(bands.values())))
    return int(number.max(initial=0))
