"""Several rasters into one: side by side (mosaic), or one over the other in time (composite)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Grid, Output, grid_of, map_stack
from knowflow.tools.raster.decibels import is_decibel, level, power, tell_power
from knowflow.tools.raster.output import TAGGED_FACTS, shared_tags
from knowflow.tools.raster.source import Handles, handles, open_source
from knowflow.tools.raster.warp import Resampler, chosen_method, fill_grid, is_categorical, is_continuous
from knowflow.tools.scaling import physical_like

_EDGE = 1e-6

MosaicMethod = Literal["first", "last", "mean", "maximum", "minimum", "feather"]
CompositeMethod = Literal["maximum", "minimum", "median", "mean", "sum", "latest", "earliest"]
_SORTED_AT_ONCE = 200_000  # values that stay in the processor's cache


def mosaic(series: Sequence[Artifact], output: Path, method: MosaicMethod = "first", feather: int = 64) -> None:
    """Write rasters side by side on the grid of the first, extended to hold all; physical values, classes as stored.

    Rasters of several bands keep them all.

    Where several have data, the ``first`` or ``last`` in the order given counts, or their mean, maximum or minimum, or
    with ``feather`` their mean weighted by the distance from the edge of each one's data, up to ``feather`` pixels: no
    seam shows. Those on another grid are resampled (nearest for classes, bilinear for the rest).
    """
    first = _require_same_meaning(series, method in ("mean", "maximum", "minimum", "feather"))
    categorical = is_categorical(first)
    grid = _union([grid_of(item) for item in series])
    target = Output.like(output, first) if categorical else physical_like(output, first)
    shared = shared_tags(series, TAGGED_FACTS)
    target = replace(target, tags={**shared, **{k: v for k, v in target.tags.items() if k in ("SCALE", "OFFSET")}})
    with handles() as opened:
        parts = tuple(
            Resampler(open_source(item, opened, f"series[{i}]", many_bands=True), grid, chosen_method(item, "auto"))
            for i, item in enumerate(series)
        )
    _require_as_many_bands(parts)
    target = target if categorical else target.wider(any(part.source.wide for part in parts))
    as_power = method in ("mean", "feather") and is_decibel(first)
    if as_power:
        tell_power("the mean where several have data", first)
    if method == "feather":
        fill_grid(partial(_feathered, parts, feather, as_power), grid, target)
    else:
        fill_grid(partial(_side_by_side, parts, method, not categorical, as_power), grid, target)


def _side_by_side(
    parts: Sequence[Resampler], method: MosaicMethod, physical: bool, as_power: bool, opened: Handles, window: Window
) -> np.ma.MaskedArray[Any, Any]:
    """One window of a mosaic; of every part only what lies in it is read."""
    total: NDArray[Any] | None = None
    count = np.zeros((len(parts[0].source.bands), int(window.height), int(window.width)), dtype=np.int32)
    for part in parts:
        numbers, missing = part.read(opened, window)
        values = part.source.physical(numbers, missing) if physical else numbers
        values = power(values) if as_power else values
        if total is None:
            total = np.zeros(values.shape, dtype=np.float64 if method == "mean" else values.dtype)
        fresh, again = ~missing & (count == 0), ~missing & (count > 0)
        np.copyto(total, values, where=fresh, casting="unsafe")
        if method == "last":
            np.copyto(total, values, where=again)
        elif method == "mean":
            np.add(total, values, out=total, where=again)
        elif method in ("maximum", "minimum"):
            (np.maximum if method == "maximum" else np.minimum)(total, values, out=total, where=again)
        count += ~missing
    assert total is not None
    if method == "mean":
        total = total / np.maximum(count, 1)
        total = level(total) if as_power else total
    return np.ma.MaskedArray(total, mask=count == 0)


def _feathered(
    parts: Sequence[Resampler], width: int, as_power: bool, opened: Handles, window: Window
) -> np.ma.MaskedArray[Any, Any]:
    """One window of a mosaic without seams; of every part what lies ``width`` pixels around is looked at."""
    from scipy.ndimage import distance_transform_edt

    rows, columns = int(window.height), int(window.width)
    around = Window(window.col_off - width, window.row_off - width, columns + 2 * width, rows + 2 * width)
    inner = slice(width, width + rows), slice(width, width + columns)
    total, weights = np.zeros((2, len(parts[0].source.bands), rows, columns))
    for part in parts:
        numbers, missing = part.read(opened, around)
        if missing[:, *inner].all():
            continue
        values = part.source.physical(numbers, missing)[:, *inner]
        values = power(values) if as_power else values
        for band, gone in enumerate(missing):
            depth = distance_transform_edt(~gone)[inner] if gone.any() else width  # no edge is near
            weight = np.where(gone[inner], 0.0, np.minimum(depth, width))
            total[band] += weight * np.where(weight > 0, values[band], 0.0)
            weights[band] += weight
    mean = total / np.where(weights > 0, weights, 1.0)
    mean = level(mean) if as_power else mean
    return np.ma.MaskedArray(mean, mask=weights == 0)


def _require_as_many_bands(parts: Sequence[Resampler]) -> None:
    counts = {len(part.source.bands) for part in parts}
    if len(counts) > 1:
        raise ToolError(
            "rasters of different numbers of bands are not put side by side",
            expected="as many bands in each",
            found=" and ".join(map(str, sorted(counts))),
            hint="pick one of each: select_band(raster, band)",
        )


def _union(grids: Sequence[Grid]) -> Grid:
    """The grid of the first, extended to whole pixels over the extent of all."""
    first = grids[0]
    corners = []
    for grid in grids:
        box = grid.bounds
        if grid.crs != first.crs:
            box = geo.transform_box(
                grid.require_crs("a mosaic of rasters in several CRS"),
                first.require_crs("a mosaic of rasters in several CRS"),
                box,
            )
        corners += [~first.transform @ (x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    columns, rows = np.array(corners).T
    left, right = int(np.floor(columns.min() + _EDGE)), int(np.ceil(columns.max() - _EDGE))
    top, bottom = int(np.floor(rows.min() + _EDGE)), int(np.ceil(rows.max() - _EDGE))
    return first.window(top, left, bottom - top, right - left)


def temporal_composite(series: Sequence[Artifact], output: Path, method: CompositeMethod = "median") -> None:
    """Write one value per pixel from a series in date order: what is nodata (clouds, where masked) takes no part.

    ``latest`` and ``earliest`` take the value of the last and first date that has one. A ``sum`` is nodata where one of
    the dates is: it would be too small by what is missing. Physical values; one grid.
    """
    first = _require_same_meaning(series, method not in ("latest", "earliest"))
    undated = tuple(name for name in TAGGED_FACTS if name != "datetime")
    shared = shared_tags(series, undated)
    if is_categorical(first):
        target = replace(Output.like(output, first), tags=shared)
        map_stack(partial(_of_classes, method == "latest"), series, target)
        return
    target = replace(physical_like(output, first), tags={**shared, "SCALE": "1", "OFFSET": "0"})
    if method == "mean" and is_decibel(first):
        tell_power("the mean over time", first)
        map_stack(lambda block: level(_over_time(method, power(block["series"]))), series, target)
        return
    map_stack(lambda block: _over_time(method, block["series"]), series, target)


def _over_time(method: CompositeMethod, stack: NDArray[Any]) -> NDArray[Any]:
    match method:
        case "maximum":
            return np.asarray(np.fmax.reduce(stack, axis=0))
        case "minimum":
            return np.asarray(np.fmin.reduce(stack, axis=0))
        case "mean":
            present = ~np.isnan(stack)
            return np.asarray(np.sum(stack, axis=0, where=present, dtype=np.float64) / present.sum(axis=0))
        case "median":
            return median_over_time(stack)
        case "sum":
            return np.asarray(np.sum(stack, axis=0, dtype=np.float64))
        case "latest":
            return _first_present(stack[::-1])
        case "earliest":
            return _first_present(stack)


def median_over_time(stack: NDArray[np.floating]) -> NDArray[np.floating]:
    """The median of the numbers of every pixel of a stack (time, rows, columns); NaN where there is none."""
    flat = stack.reshape(len(stack), -1)
    middle = np.empty(flat.shape[1], dtype=stack.dtype)
    step = max(1, _SORTED_AT_ONCE // len(stack))
    for start in range(0, flat.shape[1], step):
        part = flat[:, start : start + step]
        count = np.count_nonzero(~np.isnan(part), axis=0)
        ordered = part.T.copy()  # each series in one piece
        ordered.sort(axis=1)  # NaN last
        first = np.arange(0, ordered.size, len(stack))
        upper = first + np.minimum(count // 2, len(stack) - 1)
        lower = first + np.maximum((count - 1) // 2, 0)
        low, high = ordered.reshape(-1)[lower], ordered.reshape(-1)[upper]
        middle[start : start + step] = low + (high - low) / 2  # NaN where all are
    return middle.reshape(stack.shape[1:])


def _first_present(stack: NDArray[np.floating]) -> NDArray[np.floating]:
    found: NDArray[np.floating] = stack[0].copy()
    for layer in stack[1:]:
        np.copyto(found, layer, where=np.isnan(found))
    return found


def _of_classes(latest: bool, block: Block) -> NDArray[Any]:
    stored, valid = block.raw("series"), block.valid("series")
    order = slice(None, None, -1) if latest else slice(None)
    index = np.argmax(valid[order], axis=0)[None]
    chosen = np.take_along_axis(stored[order], index, axis=0)[0]
    return np.ma.MaskedArray(chosen, mask=~valid.any(axis=0))


def _require_same_meaning(series: Sequence[Artifact], computes: bool) -> Artifact:
    """The first of a series whose quantities and units agree, as far as they are known; ``ToolError`` otherwise."""
    if not series:
        raise ToolError("there is no raster to work on", expected="at least one raster", found="an empty series")
    for fact in ("quantity", "unit"):
        values = {str(item.fact(fact)) for item in series if item.fact(fact) is not None}
        if len(values) > 1:
            raise ToolError(
                f"rasters of more than one {fact} cannot be combined", expected="one", found=", ".join(sorted(values))
            )
    if computes and not is_continuous(series[0]):
        what = "classes" if is_categorical(series[0]) else "directions"
        raise ToolError(
            f"numbers of {series[0].fact('quantity')} are {what} and cannot be averaged or ordered",
            expected="first or last (earliest or latest)",
            found="a method that computes",
        )
    if is_categorical(series[0]):
        _require_same_type(series)
    return series[0]


def _require_same_type(series: Sequence[Artifact]) -> None:
    with handles() as opened:
        types = {open_source(item, opened, many_bands=True).dtype for item in series}
    if len(types) > 1:
        raise ToolError("classes of one series are stored in one type", expected="one type", found=", ".join(types))
