"""Objects found by their form: blobs, and copies of a template."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.sample import stacked, without_gaps
from knowflow.tools.features import boxes_on_map, write_features
from knowflow.tools.kernels.boxes import non_maximum_suppression
from knowflow.tools.learned.inputs import pixel_metres
from knowflow.tools.raster import Block, Grid, grid_of, read_array

Form = Literal["log", "dog"]
Polarity = Literal["bright", "dark"]
_SCALES = 8
_RATIO = 1.3  # between the scales of the difference of Gaussians
# of the scale-normalised Laplacian in the middle of a disc of contrast 1, at the scale that fits it: 2 / e
_RESPONSE = 2.0 / math.e
_SMALLEST_RADIUS, _LARGEST_RADIUS = 0.5, 120.0
_LARGEST_TEMPLATE = 512


def detect_blobs(
    raster: Artifact,
    output: Path,
    smallest: float,
    largest: float,
    contrast: float,
    polarity: Polarity = "bright",
    method: Form = "log",
    overlap: float = 0.5,
    radii: Literal["pixels", "metres"] = "pixels",
) -> int:
    """Write the middles of round spots with their radius and contrast, as points; how many there are.

    ``smallest`` and ``largest`` are radii. ``contrast``: how far a spot must stand out from what is around
    it, in the unit of the raster. ``log``: Laplacian of Gaussian over scales (Lindeberg 1998), ``dog``: difference of
    Gaussians. Of two spots that cover each other by more than ``overlap``, the clearer one is told.
    """
    grid = grid_of(raster)
    size = pixel_metres(grid) if radii == "metres" else 1.0
    smallest, largest = smallest / size, largest / size
    if not _SMALLEST_RADIUS <= smallest <= largest <= _LARGEST_RADIUS:
        expected = f"{_SMALLEST_RADIUS:g} <= smallest <= largest <= {_LARGEST_RADIUS:g} pixels"
        found_radii = f"{smallest:g} to {largest:g} pixels"
        raise ToolError("the radii are out of reach", expected=expected, found=found_radii)
    if not contrast > 0:
        raise ToolError("spots stand out by something", expected="contrast > 0", found=f"{contrast:g}")
    sign = 1.0 if polarity == "bright" else -1.0
    sigmas = smallest / math.sqrt(2), largest / math.sqrt(2)
    halo = math.ceil(4 * sigmas[1] * _RATIO + largest) + 2

    def kernel(block: Block) -> NDArray[np.float32]:
        return _spots(block, sign, sigmas, contrast, method, overlap)

    found = stacked(kernel, {"image": (raster,)}, halo)
    kept = found[_clearest(found, overlap)] if len(found) else found
    row, column, radius, clear = kept.astype(np.float64).T
    x, y = column + 0.5, row + 0.5
    fields = {"radius": radius, "contrast": clear, "x": x, "y": y}
    write_features(output, _points(x, y, grid), fields, grid.crs, "Point", "spots")
    return len(kept)


def _spots(
    block: Block, sign: float, sigmas: tuple[float, float], contrast: float, method: Form, overlap: float
) -> NDArray[np.float32]:
    """Spots of a block, whose middles lie inside its halo: row and column in the scene, radius, contrast."""
    from skimage.feature import blob_dog, blob_log

    values = block["image"][0].astype(np.float64)
    known = np.isfinite(values)
    if not known[block.inner].any():
        return np.empty((0, 4), dtype=np.float32)
    filled = sign * without_gaps(values, known)
    limits = {"min_sigma": sigmas[0], "max_sigma": sigmas[1], "threshold": 0.5 * _RESPONSE * contrast}
    settings: dict[str, Any] = {**limits, "overlap": overlap, "exclude_border": False}
    if method == "log":
        spots = blob_log(filled, num_sigma=_SCALES if sigmas[1] > sigmas[0] else 1, **settings)
    else:
        spots = blob_dog(filled, sigma_ratio=_RATIO, **{**settings, "max_sigma": sigmas[1] * _RATIO})
    if not len(spots):
        return np.empty((0, 4), dtype=np.float32)
    rows, columns = spots[:, 0].astype(int), spots[:, 1].astype(int)
    radius = spots[:, 2] * math.sqrt(2)
    clear = _contrasts(filled, rows, columns, radius)
    halo = block.halo
    inside = (rows >= halo) & (rows < block.shape[0] - halo) & (columns >= halo) & (columns < block.shape[1] - halo)
    kept = inside & known[rows, columns] & (clear >= contrast)
    place = rows + int(block.window.row_off) - halo, columns + int(block.window.col_off) - halo
    return np.asarray(np.stack([*place, radius, clear], axis=1)[kept], dtype=np.float32)


def _contrasts(
    image: NDArray[np.float64], rows: NDArray[Any], columns: NDArray[Any], radius: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far the inner half of each disc stands out from the ring 1.5 to 2 radii around it, by their means."""
    found = np.empty(len(rows))
    for number, (row, column, size) in enumerate(zip(rows, columns, radius, strict=True)):
        reach = math.ceil(2 * size) + 1
        top, left = max(row - reach, 0), max(column - reach, 0)
        part = image[top : row + reach + 1, left : column + reach + 1]
        y, x = np.ogrid[top - row : top - row + part.shape[0], left - column : left - column + part.shape[1]]
        distance = np.sqrt(x * x + y * y)
        ring = part[(distance >= 1.5 * size) & (distance <= 2 * size + 0.5)]
        disc = part[distance <= max(size / 2, 0.5)]
        found[number] = disc.mean() - ring.mean() if ring.size else 0.0
    return found


def _clearest(spots: NDArray[np.float32], overlap: float) -> NDArray[np.intp]:
    """Of spots told by two blocks, or that cover each other, the clearest; as circumscribed squares, best first."""
    row, column, radius, clear = spots.astype(np.float64).T
    boxes = np.stack([column - radius, row - radius, column + radius, row + radius], axis=1)
    return non_maximum_suppression(boxes, clear, np.zeros(len(spots), dtype=np.int64), overlap)


def _points(x: NDArray[np.float64], y: NDArray[np.float64], grid: Grid) -> list[Any]:
    import shapely

    a, b, c, d, e, f = grid.transform[:6]
    return list(shapely.points(a * x + b * y + c, d * x + e * y + f))


def match_template(raster: Artifact, template: Artifact, output: Path, score: float = 0.7, overlap: float = 0.3) -> int:
    """Write the places that look like a template as boxes with their score; how many there are.

    The score is the normalised cross-correlation (Lewis 1995), -1 to 1, which does not mind brightness and contrast.
    ``template`` is a small raster with the same pixels. Places without data in part are passed over. Of two boxes that
    overlap by more than ``overlap`` (intersection over union), the better one is told.
    """
    pattern = read_array(template, _LARGEST_TEMPLATE**2).astype(np.float64)
    _require_pattern(pattern, template, grid_of(raster), grid_of(template))
    height, width = pattern.shape
    halo = max(height, width)

    def kernel(block: Block) -> NDArray[np.float32]:
        return _matches(block, pattern, score)

    found = stacked(kernel, {"image": (raster,)}, halo)
    row, column, scores = found.astype(np.float64).T
    boxes = np.stack([column, row, column + width, row + height], axis=1)
    kept = non_maximum_suppression(boxes, scores, np.zeros(len(scores), dtype=np.int64), overlap)
    boxes, scores = boxes[kept], scores[kept]
    grid = grid_of(raster)
    x1, y1, x2, y2 = boxes.T
    fields = {"score": scores, "x1": x1, "y1": y1, "x2": x2, "y2": y2}
    write_features(output, boxes_on_map(boxes, grid), fields, grid.crs, "Polygon", "matches")
    return len(kept)


def _require_pattern(pattern: NDArray[np.float64], template: Artifact, grid: Grid, own: Grid) -> None:
    if not np.isfinite(pattern).all() or not pattern.std() > 0:
        raise ToolError(
            "the template is no pattern",
            where=template.path,
            expected="data everywhere that differ",
            found="gaps, or one value",
        )
    sizes = grid.pixel_size, own.pixel_size
    if grid.georeferenced and own.georeferenced and not np.allclose(*sizes, rtol=1e-3):
        raise ToolError(
            "the template has other pixels than the raster",
            where=template.path,
            expected="x".join(f"{size:g}" for size in sizes[0]),
            found="x".join(f"{size:g}" for size in sizes[1]),
            hint="resample it first: resample(raster, resolution)",
        )


def _matches(block: Block, pattern: NDArray[np.float64], score: float) -> NDArray[np.float32]:
    """Local maxima of the correlation whose upper left pixel lies inside the halo: row, column, score."""
    from scipy.ndimage import maximum_filter, uniform_filter
    from skimage.feature import match_template as correlate

    values = block["image"][0].astype(np.float64)
    known = np.isfinite(values)
    if not known.any():
        return np.empty((0, 3), dtype=np.float32)
    height, width = pattern.shape
    middle = float(values[known].mean())
    found = correlate(np.where(known, values - middle, 0.0), pattern)
    # the share of data in the window of each upper left corner
    share = uniform_filter(
        known.astype(np.float64), (height, width), mode="constant", origin=(-(height // 2), -(width // 2))
    )
    whole = share[: found.shape[0], : found.shape[1]] > 1.0 - 0.5 / pattern.size
    found = np.where(whole, found, -np.inf)
    peaks = (found >= score) & (found == maximum_filter(found, size=3))
    halo = block.halo
    rows, columns = np.nonzero(peaks)
    inside = (rows >= halo) & (rows < block.shape[0] - halo) & (columns >= halo) & (columns < block.shape[1] - halo)
    rows, columns = rows[inside], columns[inside]
    place = rows + int(block.window.row_off) - halo, columns + int(block.window.col_off) - halo
    return np.stack([*place, found[rows, columns]], axis=1).astype(np.float32)
