"""What is known of parts of a block that are measured together: sizes, ends, means and squares of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.raster.buffers import spare, zeroed

TAME = (1e-9, 1e9)  # ranges whose squares float32 holds as they are
RUN = 512  # values that are added up in their own type
FAR = 16.0  # variances between a mean and a guess of it that cost no digits
ONES = {kind: np.ones(RUN, dtype=kind) for kind in "fd"}

Known = tuple[int, float, float, float, float, int]  # size, minimum, maximum, mean, squares, pixels gone
Cell = Known | None


def cells(values: NDArray[Any], unit: int, holed: bool) -> tuple[list[Cell], bool]:
    """What is known of the parts (down, across) of decimal numbers (down, rows, columns), each ``unit`` columns wide,
    one after the other; None of those that are to be measured alone, because of infinity or of a range in which digits
    are lost. Last whether there are NaN among them; that they are ``holed`` is expected, and saves a sum.

    They are summed about what their range says, and where that is so far from their mean that digits would be lost,
    once more about what was found.
    """
    down, rows, columns = values.shape
    parts = down * (columns // unit)
    lows, highs = (
        end.reduce(end.reduce(values, axis=1).reshape(parts, unit), axis=1).tolist() for end in (np.fmin, np.fmax)
    )
    ranges = list(zip(lows, highs, strict=True))
    room = spare.take(values.shape, values.dtype)
    numbers, origins = _centred(values, [_origin(*ends) for ends in ranges], room)
    gone, holes = None, [0] * parts
    sums = None if holed else _sums_by_part(numbers, unit)
    if sums is None or not all(map(math.isfinite, sums[0])):
        gone = np.isnan(values)
        below = np.add.reduce(gone.view(np.uint8), axis=1, dtype=np.uint8).reshape(parts, unit)
        holes = np.add.reduce(below, axis=1, dtype=np.int64).tolist()
        numbers = zeroed(numbers, gone, room)
        sums = _sums_by_part(numbers, unit)
    sizes = [rows * unit - lost for lost in holes]
    found = [_cell(*known) for known in zip(sizes, holes, ranges, origins, *sums, strict=True)]
    far = [number for number, cell in enumerate(found) if cell is None and math.isfinite(sums[1][number])]
    if far:
        lacks = [sums[0][number] / sizes[number] if number in far else 0.0 for number in range(parts)]
        numbers, lacks = _centred(numbers, lacks, room)
        sums = _sums_by_part(numbers if gone is None else zeroed(numbers, gone, room), unit)
        origins = [origin + lack for origin, lack in zip(origins, lacks, strict=True)]
        again = zip(sizes, holes, ranges, origins, *sums, strict=True)
        found = [_cell(*known) if found[number] is None else found[number] for number, known in enumerate(again)]
    spare.give(room)
    return found, any(holes)


def marks(values: NDArray[Any], gone: NDArray[np.bool_] | None, unit: int) -> list[Cell]:
    """What is known of the parts of numbers of one byte, as of :func:`cells`; None of those that hold others than 0
    and 1, which need not be numbers to be counted."""
    _, rows, columns = values.shape
    stored = values.view(np.uint8)
    if gone is not None:
        lost = gone.view(np.uint8)
        stored = np.bitwise_and(stored, np.subtract(lost, 1))  # 255 where there is data
    narrow = np.uint8 if rows < 256 else np.uint32
    starts = range(0, columns, unit)

    def counted(marked: NDArray[np.uint8]) -> list[int]:
        below = np.add.reduce(marked, axis=1, dtype=narrow)
        each: list[int] = np.add.reduceat(below, starts, axis=1, dtype=np.int64).reshape(-1).tolist()
        return each

    highest = np.maximum.reduceat(np.maximum.reduce(stored, axis=1), starts, axis=1).reshape(-1).tolist()
    yes, missing = counted(stored), [0] * len(highest) if gone is None else counted(lost)
    pixels = [rows * min(unit, columns - left) for left in range(0, columns, unit)] * len(values)
    found: list[Cell] = []
    for most, ones, holes, all_ in zip(highest, yes, missing, pixels, strict=True):
        size = all_ - holes
        zeros = size - ones
        mean, squares = (ones / size, ones * zeros / size) if size else (0.0, 0.0)
        known = size, 0.0 if zeros else 1.0, 1.0 if ones else 0.0, mean, squares, holes
        found.append(known if most <= 1 else None)
    return found


def _origin(low: float, high: float) -> float:
    """What numbers between two are summed about: one that neighbours have in common, and 0 where that does."""
    spread, middle = high - low, low / 2 + high / 2
    if not _plain(low, high):
        return 0.0
    step = math.ldexp(1.0, math.frexp(spread)[1] - 1)
    return round(middle / step) * step


def _centred(values: NDArray[Any], about: Sequence[float], room: NDArray[Any]) -> tuple[NDArray[Any], list[float]]:
    """Numbers (down, rows, columns) less a number for each of their parts (down, across), in a ``room`` where that is
    not 0, and that number as it is in their type."""
    origins = np.array(about, dtype=values.dtype)
    own: list[float] = origins.tolist()
    if not any(own):
        return values, own
    if len(set(own)) == 1:
        np.subtract(values, origins[0], out=room)
    else:
        down, _, columns = values.shape
        rows = np.repeat(origins.reshape(down, -1), columns * down // len(own), axis=1)
        np.subtract(values, rows[:, None], out=room)
    return room, own


def _sums_by_part(values: NDArray[Any], unit: int) -> tuple[list[float], list[float]]:
    """The sums of numbers (down, rows, columns) and of their squares, of each ``unit`` columns."""
    down, rows, columns = values.shape
    run = unit if unit < RUN else math.gcd(unit, RUN)
    runs = values.reshape(down, rows, columns // unit, unit // run, run)
    both = np.empty((2, down, columns // unit, rows, unit // run), dtype=values.dtype)
    sums, squares = both.transpose(0, 1, 3, 2, 4)
    np.vecdot(runs, ONES[values.dtype.char][:run], out=sums)
    np.vecdot(runs, runs, out=squares)
    each = both.reshape(2, down * (columns // unit), -1)
    total, square = np.add.reduce(each, axis=2, dtype=np.float64).tolist()
    return total, square


def _plain(low: float, high: float) -> bool:
    """Whether float32 holds squares of differences in that range as they are."""
    return TAME[0] < high - low < TAME[1]


def _cell(size: int, gone: int, ends: tuple[float, float], origin: float, total: float, square: float) -> Cell:
    low, high = ends
    if not size or low == high:
        return (size, low, high, low, 0.0, gone) if not size or math.isfinite(low) else None
    excess = total * total / size
    if not (_plain(low, high) and excess <= FAR * (square - excess)):
        return None
    return size, low, high, origin + total / size, square - excess, gone
