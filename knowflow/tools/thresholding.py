"""Masks from thresholds, what can be made of masks, and how much of an area they cover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.quantities import quantity_kind
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.facts import STORED_STATISTICS
from knowflow.tools.context import tell
from knowflow.tools.kernels.limits import above, below, between
from knowflow.tools.raster import Block, Output, grid_of, map_blocks, map_stack, reduce_blocks
from knowflow.tools.raster.pixel_area import weigh_alike

Side = Literal["above", "below", "between"]
Operation = Literal["and", "or", "xor", "not"]
WhenEmpty = Literal["fail", "missing"]
Counts = NDArray[np.int64]
Truths = NDArray[np.bool_]
UNKNOWN = 255
_SPECKLED = ("sigma0", "gamma0", "sigma0_db", "gamma0_db")
_MOST_NUMBERS = 1 << 16  # as many as 16 bits tell apart; beyond, whole numbers are binned like others
NEARLY_ALL = 0.95  # of the pixels: a sum of fewer is told to be one of what was seen
_SEPARABLE = 0.7  # share of the variance between two groups below which they are one


def threshold(
    raster: Artifact,
    threshold: float,
    output: Path,
    side: Side = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
    quantity: str = "mask",
) -> None:
    """Write a mask: 1 where values are above (or below) the threshold, or within threshold..upper, else 0.

    Strictly above or below; ``between`` includes its ends. The threshold is in ``threshold_unit``, else in the raster's
    own unit. ``quantity`` says what the mask is one of.
    """
    low, high = limits(raster, threshold, side, upper, threshold_unit)

    def kernel(block: Block) -> NDArray[np.uint8]:
        values = block["raster"]
        return as_mask(selected(values, side, low, high), np.isfinite(values), block.room)

    map_blocks(kernel, {"raster": raster}, Output.mask(output, _mask_kind(quantity)), pointwise=True)


def threshold_share(
    raster: Artifact,
    threshold: float,
    side: Side = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
    when_empty: WhenEmpty = "fail",
) -> float:
    """Share (0..1) of the area that is data whose value is above, below or between."""
    low, high = limits(raster, threshold, side, upper, threshold_unit)

    def kernel(block: Block) -> tuple[Truths, Truths]:
        values = block["raster"]
        return selected(values, side, low, high), np.isfinite(values)

    return _share(kernel, raster, None, when_empty)


def mask_share(mask: Artifact, ground: Artifact | None = None, when_empty: WhenEmpty = "fail") -> float:
    """Share (0..1) of the area that is data where the mask is 1.

    ``ground`` is the mask of what is asked about, where that is not all of it: where much of it has no data, it is told
    how much.
    """
    counts = counted(mask)
    if counts is not None and weigh_alike(grid_of(mask)):
        tell_what_was_seen("the share", mask, *counts[1:], ground)
        return counts[0] / counts[1]

    def kernel(block: Block) -> tuple[Truths, Truths]:
        values = block["raster"]
        return marked(values), np.isfinite(values)

    return _share(kernel, mask, ground, when_empty)


def class_share(raster: Artifact, classes: Sequence[float], when_empty: WhenEmpty = "fail") -> float:
    """Share (0..1) of the area that is data which belongs to one of the classes."""
    wanted = np.asarray(classes, dtype=np.float64)

    def kernel(block: Block) -> tuple[Truths, Truths]:
        return np.isin(block.raw("raster"), wanted), block.valid("raster")

    return _share(kernel, raster, None, when_empty)


def otsu_threshold(raster: Artifact, bins: int = 256) -> float:
    """The threshold that separates the values best into two groups, in the raster's unit (Otsu 1979).

    What ``skimage.filters.threshold_otsu`` gives: from a histogram with ``bins`` bins between the smallest and the
    largest value, of whole numbers with one bin per number. The threshold is the middle of the highest bin of the lower
    group: it is exact to half a bin, and the values above it in that bin fall to the upper group.
    Raises ``ToolError`` where all values are one, and for radar backscatter in which speckle hides the groups.
    """
    from skimage.filters import threshold_otsu

    low, high = value_limits(raster)
    if not low < high:
        raise ToolError(
            "there is nothing to separate: all pixels that are data have one value, or there are none",
            where=raster.path,
            expected="a raster of different values",
            found="no data" if np.isnan(low) else f"{low:.6g} everywhere",
        )

    edges = np.linspace(low, high, bins + 1)
    if _is_of_whole_numbers(raster) and high - low < _MOST_NUMBERS:
        edges = np.arange(low, high + 2) - 0.5

    def kernel(block: Block) -> Counts:
        values = block["raster"]
        counted = np.histogram(values[np.isfinite(values)].astype(np.float64), bins=edges)[0]
        return counted.astype(np.int64)

    counts = reduce_blocks(kernel, {"raster": raster}, np.zeros(len(edges) - 1, dtype=np.int64), _added)
    centres = (edges[:-1] + edges[1:]) / 2
    _require_two_groups(raster, counts, centres)
    return float(threshold_otsu(hist=(counts, centres)))


def _is_of_whole_numbers(raster: Artifact) -> bool:
    """Whether the pixels are stored as integers that mean themselves."""
    stored = raster.fact("dtype")
    plain = raster.fact("scale") in (None, 1) and raster.fact("offset") in (None, 0)
    return plain and stored is not None and np.issubdtype(np.dtype(str(stored)), np.integer)


def _require_two_groups(raster: Artifact, counts: Counts, centres: NDArray[np.float64]) -> None:
    """Refuse radar backscatter in which speckle hides the two groups.

    The measure is the share of the variance that lies between the groups (Otsu 1979, eq. 17): 0.64 for one group of
    normally distributed values, cut in the middle, and near 1 for two that stand apart.
    """
    if raster.fact("quantity") not in _SPECKLED:
        return
    share = counts / counts.sum()
    mean = float(share @ centres)
    below, moment = np.cumsum(share)[:-1], np.cumsum(share * centres)[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.nan_to_num((mean * below - moment) ** 2 / (below * (1 - below)))
    separability = float(between.max() / (share @ (centres - mean) ** 2))
    if separability < _SEPARABLE:
        raise ToolError(
            "the backscatter has too little contrast to fall into two groups",
            where=raster.path,
            expected=f"{_SEPARABLE:.0%} of the variance between the groups",
            found=f"{separability:.0%}",
            hint="filter the speckle first (despeckle), or give a threshold",
        )


def combine_masks(
    masks: Sequence[Artifact], output: Path, operation: Operation = "and", quantity: str = "mask"
) -> None:
    """Write the logical combination of masks on one grid; ``not`` takes one mask.

    What is unknown (nodata) in one mask stays unknown unless the others decide: false and unknown is false, true or
    unknown is true.
    """
    if operation == "not" and len(masks) != 1:
        raise ToolError("'not' takes one mask", expected="1 mask", found=f"{len(masks)} masks")

    def kernel(block: Block) -> NDArray[np.uint8]:
        return combined(block["series"], operation)

    map_stack(kernel, masks, Output.mask(output, _mask_kind(quantity)))


def combined(masks: NDArray[np.floating], operation: Operation) -> NDArray[np.uint8]:
    """Kleene's three-valued logic over (mask, rows, columns) of 1, 0 and NaN; 255 is unknown."""
    true, known = marked(masks), np.isfinite(masks)
    all_known = np.asarray(known.all(axis=0))
    if operation == "not":
        return as_mask(~true[0], all_known)
    if operation == "xor":
        return as_mask(np.logical_xor.reduce(true, axis=0), all_known)
    if operation == "or":
        some_true = np.asarray(true.any(axis=0))
        return as_mask(some_true, all_known | some_true)
    some_false = np.asarray((known & ~true).any(axis=0))
    return as_mask(~some_false, all_known | some_false)


def marked(values: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Where a mask (any shape; 1, 0 and NaN) says yes; the one answer of all tools that read masks.

    Raises ``ToolError`` where it holds any other number: whether that is a yes, nobody knows here.
    """
    true = np.asarray(values == 1)
    foreign = ~true & (values != 0) & np.isfinite(values)
    if foreign.any():
        raise ToolError(
            "a mask holds other numbers than 0 and 1",
            expected="1 for yes, 0 for no, nodata where it is not known",
            found=f"{values[foreign][0]:g}",
            hint="say which number marks: --assume 'FILE*:mark=NUMBER'",
        )
    return true


def counted(mask: Artifact) -> tuple[int, int, int] | None:
    """How many pixels of a mask say yes, how many are data, and how many there are: as the block writer counted them
    when a node wrote it, without a look at the pixels. None where nobody has, or it holds other numbers than 0 and 1.
    """
    known = [mask.known(name) for name in ("mean", "valid_fraction", "finite_fraction", "value_range")]
    if mask.key is None or any(fact is None or fact.source != STORED_STATISTICS for fact in known):
        return None
    mean, valid, finite, extent = (fact.value for fact in known if fact is not None)
    rows, columns = mask.fact("shape")
    plain = mask.fact("scale") in (None, 1) and mask.fact("offset") in (None, 0) and mask.fact("count") == 1
    data = round(valid * rows * columns)  # stored as a share in percent, whose last digit is rounded
    if not (
        plain
        and data == round(finite * rows * columns)
        and str(mask.fact("dtype")).startswith(("int", "uint"))
        and _binary(extent)
    ):
        return None
    return round(mean * data), data, rows * columns


def answers(block: Block, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """Where a mask says yes, as :func:`marked`, and where it says nothing (None: nowhere)."""
    source = block.source(name)
    plain = source.dtype == "uint8" and (source.scale, source.offset) == (1.0, 0.0)
    if plain and not source.masked and source.nodata not in (0, 1):
        stored = block.raw(name)
        if stored.max(initial=0) <= 1:  # as most parts of most masks are
            return stored.view(np.bool_), None
    return marked(block[name]), block.gone(name)


def _binary(extent: tuple[float, float]) -> bool:
    return extent[0] in (0, 1) and extent[1] in (0, 1)


def as_mask(
    true: NDArray[np.bool_], known: NDArray[np.bool_], out: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """1 and 0 where known, else 255; in ``out``, or in memory of its own."""
    found: NDArray[np.uint8] = np.subtract(known.view(np.uint8), np.uint8(1), out=out)
    found |= true.view(np.uint8)
    return found


def selected(values: NDArray[np.floating], side: Side, low: float, high: float) -> NDArray[np.bool_]:
    """Where values are above ``low``, below ``low``, or within low..high."""
    if side == "above":
        return above(values, low)
    return below(values, low) if side == "below" else between(values, low, high)


def limits(
    raster: Artifact, threshold: float, side: Side, upper: float | None, unit: str | None
) -> tuple[float, float]:
    """The threshold and the upper limit in the raster's unit; raises ``ToolError`` or ``MissingFactError``."""
    if side == "between" and (upper is None or upper < threshold):
        raise ToolError(
            "'between' needs an upper limit that is not below the threshold",
            expected=f"upper >= {threshold:g}",
            found="none" if upper is None else f"{upper:g}",
        )
    values = [float(threshold), float(threshold if upper is None else upper)]
    if unit is not None:
        own = raster.fact("unit")
        if own is None:
            raise MissingFactError(
                f"the threshold is in {unit}, and the unit of the raster is unknown",
                where=raster.path,
                hint=f"say it: --assume unit={unit}",
            )
        values = [float(convert(value, unit, own)) for value in values]
    return values[0], values[1]


def value_limits(raster: Artifact) -> tuple[float, float]:
    """Smallest and largest finite value; NaN where there is none."""

    def kernel(block: Block) -> tuple[float, float]:
        finite = block["raster"][np.isfinite(block["raster"])]
        return (float(finite.min()), float(finite.max())) if finite.size else (np.nan, np.nan)

    def wider(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        return float(np.fmin(a[0], b[0])), float(np.fmax(a[1], b[1]))

    return reduce_blocks(kernel, {"raster": raster}, (np.nan, np.nan), wider)


def nothing_to_count(raster: Artifact, when_empty: WhenEmpty) -> float:
    """NaN where that was asked for, else raises :func:`no_data`."""
    if when_empty == "missing":
        return float("nan")
    raise no_data(raster)


def tell_what_was_seen(what: str, raster: Artifact, known: float, whole: float, ground: Artifact | None = None) -> None:
    """Say that a share, a sum, a count or an area is of what was seen, where less than 95 % of the pixels are known: of
    all, or of those of the mask that is asked about, where it says yes or nothing."""
    if known < NEARLY_ALL * whole and ground is not None:
        yes, data, pixels = counted(ground) or reduce_blocks(_counts, {"mask": ground}, np.zeros(3), lambda a, b: a + b)
        whole = yes + pixels - data
    if known < NEARLY_ALL * whole:
        moment = raster.fact("datetime")
        on = f" on {str(moment)[:10]}" if moment is not None else ""
        tell(f"{what}{on} is of what was seen: {known / whole:.1%} of the pixels are data")


def no_data(raster: Artifact) -> ToolError:
    """The error for a raster of which no pixel is data: it has no share, no area and no mean."""
    return ToolError(
        "no pixel is data",
        where=raster.path or raster.name,
        expected="at least one pixel that is not nodata, clouded or masked out",
        found="none",
        hint="leave this scene out, or set when_empty to missing so that it does not count",
    )


def _counts(block: Block) -> NDArray[np.float64]:
    values = block["mask"]
    return np.array([np.count_nonzero(values > 0), np.count_nonzero(np.isfinite(values)), values.size], np.float64)


def _share(
    kernel: Callable[[Block], tuple[Truths, Truths]], raster: Artifact, ground: Artifact | None, when_empty: WhenEmpty
) -> float:
    """The part of what is known (pixels, or m2 where these differ in size) that is so: the kernel tells both."""

    def amounts(block: Block) -> NDArray[np.float64]:
        true, known = kernel(block)
        return np.array([block.amount(true & known), block.amount(known), np.count_nonzero(known), known.size])

    some, whole, known, pixels = reduce_blocks(amounts, {"raster": raster}, np.zeros(4), lambda a, b: a + b)
    if not whole:
        return nothing_to_count(raster, when_empty)
    tell_what_was_seen("the share", raster, known, pixels, ground)
    return float(some / whole)


def _added(a: Counts, b: Counts) -> Counts:
    return a + b


def _mask_kind(name: str) -> str:
    kind = quantity_kind(name.casefold())
    if kind.family != "mask":
        raise ToolError(
            f"{name} is not a kind of mask", expected="a quantity kind of the family mask", found=kind.family
        )
    return kind.name
