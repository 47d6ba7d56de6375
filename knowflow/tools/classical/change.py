"""Change between two dates of the same bands, without a model: CVA, IR-MAD, and principal components of differences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.sample import flat, sample_pixels, stacked
from knowflow.tools.context import check_cancelled
from knowflow.tools.kernels.multivariate import Alteration, alteration, celik_features, patch_axes
from knowflow.tools.raster import Block, Output, grid_of, map_blocks, reduce_blocks
from knowflow.tools.raster.output import MASK_NODATA

Bands = Mapping[str, Artifact]
_MOST_SIGNS = 15  # of an int16


def paired(before: Bands, after: Bands) -> tuple[tuple[Artifact, ...], tuple[Artifact, ...]]:
    """The bands that both dates have, in the same order.

    Raises ``ToolError`` where they have none in common.
    """
    common = [name for name in before if name in after]
    if not common:
        raise ToolError(
            "the two dates have no band in common",
            expected=f"some of {', '.join(before)}",
            found=", ".join(after) or "none",
        )
    return tuple(before[name] for name in common), tuple(after[name] for name in common)


def change_vector_analysis(before: Bands, after: Bands, output: Path, direction: Path) -> None:
    """Write the length of the vector from before to after in the space of the bands, and its direction.

    The length is in the unit of the bands. The direction is the number of the sector: bit ``n`` is set where band ``n``
    (the first is 0) has grown; of 15 bands at most (Malila 1980).
    """
    first, second = paired(before, after)
    if len(first) > _MOST_SIGNS:
        raise ToolError(
            "a direction has a sign for each band, and there are too many",
            expected=f"at most {_MOST_SIGNS} bands that both dates have",
            found=f"{len(first)}",
        )

    def kernel(block: Block) -> dict[str, NDArray[Any]]:
        vector = block["after"] - block["before"]
        signs = (vector > 0).astype(np.uint16)
        sector = np.tensordot(1 << np.arange(len(first), dtype=np.uint16), signs, axes=1).astype(np.float32)
        gone = np.isnan(vector).any(axis=0)
        return {"output": np.sqrt(np.square(vector).sum(axis=0)), "direction": np.where(gone, np.nan, sector)}

    units = {str(band.fact("unit")) for band in first}
    described = {
        "output": Output(
            output, quantity="difference", unit=units.pop() if len(units) == 1 else None, keep=("sensor",)
        ),
        "direction": Output(direction, "int16", -1, quantity="class_label", unit="1", keep=("sensor",)),
    }
    map_blocks(kernel, {"before": first, "after": second}, described)


def ir_mad(
    before: Bands,
    after: Bands,
    output: Path,
    variates: Path,
    chi_square: Path,
    sample: int = 1_000_000,
    tolerance: float = 1e-4,
    most_iterations: int = 50,
) -> list[dict[str, Any]]:
    """Write the probability that nothing has changed, the MAD variates and their chi-square; a row per variate.

    Iteratively reweighted multivariate alteration detection (Nielsen 2007): canonical correlation of two dates, pixels
    weighted by their probability of no change, until the correlations stay the same to ``tolerance``. Linear
    differences between the dates, as of illumination or calibration, do not count. The iteration looks at a regular
    sample of about ``sample`` pixels, or all where there are fewer.
    """
    first, second = paired(before, after)
    pixels = sample_pixels((*first, *second), sample).astype(np.float64)
    found = alteration(pixels, len(first), tolerance, most_iterations, check_cancelled)

    def kernel(block: Block) -> dict[str, NDArray[Any]]:
        values, known = flat(np.concatenate([block["before"], block["after"]]))
        mads = np.full((len(first), *block.shape), np.nan, dtype=np.float32)
        squares = np.full(block.shape, np.nan, dtype=np.float32)
        same = squares.copy()
        mads[:, known] = found.variates(values).T
        squares[known] = found.chi_square(values)
        same[known] = found.no_change(values)
        return {"output": same, "variates": mads, "chi_square": squares}

    names = tuple(f"mad_{number}" for number in range(1, len(first) + 1))
    described = {
        "output": Output(output, quantity="probability", unit="1", keep=("sensor",)),
        "variates": Output(variates, quantity="difference", unit="1", keep=("sensor",), bands=names),
        "chi_square": Output(chi_square, quantity="difference", unit="1", keep=("sensor",)),
    }
    map_blocks(kernel, {"before": first, "after": second}, described)
    return _rows(found)


def _rows(found: Alteration) -> list[dict[str, Any]]:
    return [
        {"variate": number, "correlation": float(rho), "iterations": found.iterations, "converged": found.converged}
        for number, rho in enumerate(found.correlations, start=1)
    ]


def pca_change(
    before: Bands,
    after: Bands,
    output: Path,
    patch: int = 5,
    components: int = 3,
    sample: int = 200_000,
    seed: int = 0,
) -> float:
    """Write a mask of change; the share of pixels that have changed.

    Principal components of the neighbourhoods (``patch`` x ``patch`` pixels) of the length of the change vector, and
    k-means of two classes in their space; the one of the larger lengths is change (Celik 2009).
    """
    if patch % 2 == 0:
        raise ToolError("a neighbourhood has a middle", expected="an odd number of pixels", found=f"patch = {patch}")
    from sklearn.cluster import KMeans  # type: ignore[import-untyped,unused-ignore]

    first, second = paired(before, after)
    sources = {"before": first, "after": second}
    half = patch // 2
    axes = patch_axes(_patches(sources, patch, sample), components)

    def features(block: Block) -> NDArray[np.float32]:
        return celik_features(_length(block), axes)

    def taken(block: Block) -> NDArray[np.float32]:
        inside = features(block)[:, *block.inner].reshape(components, -1).T
        known = inside[np.isfinite(inside).all(axis=1)]
        every = max(1, len(known) * _blocks(first[0], block) // sample)
        return known[::every]

    points = stacked(taken, sources, half)
    if len(np.unique(points, axis=0)) < 2:
        raise ToolError("the two dates differ alike everywhere", expected="some change", found="none, or no data")
    model = KMeans(2, n_init=5, random_state=seed).fit(points)
    changed = int(np.argmax(model.cluster_centers_[:, 0]))  # the first component is the length itself, smoothed

    def kernel(block: Block) -> NDArray[np.uint8]:
        pixels, known = flat(features(block))
        result = np.full(block.shape, MASK_NODATA, dtype=np.uint8)
        if len(pixels):
            result[known] = model.predict(pixels) == changed
        return result

    map_blocks(kernel, sources, Output.mask(output, "change_mask", keep=("sensor",)), halo=half)
    mask = Artifact("raster", path=str(output))
    counts = reduce_blocks(_counted, {"mask": mask}, np.zeros(2, dtype=np.int64), lambda a, b: a + b)
    return float(counts[1] / counts.sum())


def _length(block: Block) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(np.square(block["after"] - block["before"]).sum(axis=0)))


def _patches(sources: Mapping[str, tuple[Artifact, ...]], patch: int, most: int) -> NDArray[np.float32]:
    """Whole neighbourhoods of the change vector's length, (neighbourhoods, patch x patch): of every pixel or, of many,
    of every n-th. Cut side by side they would be others with every row that a scene has more, and so would the axes.
    """
    half = patch // 2

    def kernel(block: Block) -> NDArray[np.float32]:
        around = np.pad(_length(block), half, constant_values=np.nan)
        squares = np.lib.stride_tricks.sliding_window_view(around, (patch, patch))[block.inner]
        rows, columns = np.nonzero(np.isfinite(squares[..., half, half]))
        every = max(1, len(rows) * _blocks(sources["before"][0], block) // most)
        cut = squares[rows[::every], columns[::every]].reshape(-1, patch * patch)
        return cut[np.isfinite(cut).all(axis=1)]

    found = stacked(kernel, sources, half)
    if len(found) < 2:
        raise ToolError(
            "there are too few pixels with data",
            expected=f"several patches of {patch} x {patch}",
            found=f"{len(found)}",
        )
    return found


def _blocks(image: Artifact, block: Block) -> int:
    """How many blocks of this size a scene has, about."""
    rows, columns = grid_of(image).shape
    return max(1, rows * columns // max(int(block.window.height) * int(block.window.width), 1))


def _counted(block: Block) -> NDArray[np.int64]:
    values = block.raw("mask")[block.valid("mask")]
    return np.array([np.count_nonzero(values == 0), np.count_nonzero(values == 1)], dtype=np.int64)
