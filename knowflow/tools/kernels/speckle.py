"""Speckle filters for radar intensities: local statistics of windows, in which pixels without data take no part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Span = tuple[int, int, int]
"""A piece of a row of a window: (row, first column, last column), from the centre."""

REFINED_WINDOW = 7
_NO_SPAN: Span = (0, 0, -1)
_STRIP_PIXELS = 1 << 16


@dataclass(frozen=True, slots=True)
class LocalStatistics:
    """Mean and (population) variance of the data in the window around each pixel; NaN where there are none."""

    mean: Array
    variance: Array


def in_strips(
    work: Callable[[NDArray[np.floating]], Array], intensity: NDArray[np.floating], margin: int
) -> NDArray[np.float32]:
    """What ``work`` makes of an image, a few rows at a time: memory is bounded, and stays in the processor's cache.

    ``margin``: rows above and below that decide on a pixel.
    """
    rows, columns = intensity.shape
    step = max(margin, _STRIP_PIXELS // max(columns, 1), 1)
    found = np.empty(intensity.shape, dtype=np.float32)
    for first in range(0, rows, step):
        past = min(first + step, rows)
        top, bottom = max(first - margin, 0), min(past + margin, rows)
        found[first:past] = work(intensity[top:bottom])[first - top : past - top]
    return found


def lee(intensity: NDArray[np.floating], window: int, looks: float) -> Array:
    """Lee's filter of an intensity: ``mean + W (I - mean)`` with ``W = 1 - Cu^2 / Ci^2``, at least 0.

    ``Cu^2 = 1 / looks`` is the squared coefficient of variation of fully developed speckle, ``Ci`` that of the window.
    Source: Lee 1980 (doi:10.1109/TPAMI.1980.4766994).
    """
    values = np.asarray(intensity, dtype=np.float64)
    local = _statistics(values, square(window))
    speckle = np.square(local.mean) / looks
    share = np.divide(speckle, local.variance, out=np.ones(values.shape), where=local.variance > 0)
    weight = np.maximum(0.0, 1.0 - share)
    return local.mean + weight * (values - local.mean)


def refined_lee(intensity: NDArray[np.floating], looks: float) -> Array:
    """Lee's filter with the half of a 7 x 7 window that lies on the pixel's side of the strongest edge.

    The edge is found in the means of nine 3 x 3 windows. In the half chosen, ``I`` is estimated as
    ``mean + b (I - mean)``, with ``b = var(x) / var(z)`` and ``var(x) = (var(z) - mean^2 / looks) / (1 + 1 / looks)``.
    Source: Lee 1981 (doi:10.1016/S0146-664X(81)80018-4); Lee et al. 1999 (doi:10.1109/36.789635) for the estimate.
    """
    values = np.asarray(intensity, dtype=np.float64)
    local = _of_halves(values, _side_of_edge(values))
    mean, variance = local.mean, local.variance
    noise = 1.0 / looks
    signal = np.maximum(0.0, (variance - np.square(mean) * noise) / (1.0 + noise))
    weight = np.divide(signal, variance, out=np.zeros(values.shape), where=variance > 0)
    return np.asarray(mean + weight * (values - mean))


def frost(intensity: NDArray[np.floating], window: int, damping: float) -> Array:
    """Frost's filter of an intensity: a mean whose weights fall off with distance, faster where the window varies.

    Weights are ``exp(-damping Ci^2 d)`` with ``Ci`` the coefficient of variation of the window and ``d`` the distance
    in pixels. Source: Frost et al. 1982 (doi:10.1109/TPAMI.1982.4767223).
    """
    values = np.asarray(intensity, dtype=np.float64)
    local = _statistics(values, square(window))
    decay = damping * local.variance / np.square(local.mean)
    half = window // 2
    present = np.pad(np.isfinite(values), half)
    padded = np.pad(np.where(np.isfinite(values), values, 0.0), half)
    total, weights = np.zeros(values.shape), np.zeros(values.shape)
    rows, columns = values.shape
    for distance, offsets in _rings(half).items():
        weight = np.exp(-decay * distance)
        for row, column in offsets:
            part = slice(half + row, half + row + rows), slice(half + column, half + column + columns)
            total += weight * padded[part]
            weights += weight * present[part]
    return np.asarray(total / np.where(weights > 0, weights, np.nan))


def square(window: int) -> tuple[Span, ...]:
    """All rows of a square window of an odd number of pixels."""
    half = window // 2
    return tuple((row, -half, half) for row in range(-half, half + 1))


def _statistics(values: Array, spans: Sequence[Span]) -> LocalStatistics:
    """Of the same window around every pixel, by sums along its rows."""
    return _summed(values, lambda part: _window_sum(part, spans))


def _of_halves(values: Array, chosen: NDArray[np.int8]) -> LocalStatistics:
    """Of that half of the 7 x 7 window which is chosen for each pixel: its number among ``_HALVES``."""
    half = REFINED_WINDOW // 2
    width = values.shape[1] + 2 * half + 1  # of the running sums
    centres = np.add.outer((np.arange(values.shape[0]) + half) * width, np.arange(values.shape[1]) + half)
    ends = []
    for spans in zip_longest(*_HALVES, fillvalue=_NO_SPAN):
        before, last = np.array([(row * width + first, row * width + last + 1) for row, first, last in spans]).T
        ends.append((centres + before[chosen], centres + last[chosen]))

    def window_sum(part: Array) -> Array:
        running = _running(part, half)
        return sum((running.take(last) - running.take(before) for before, last in ends), np.zeros(values.shape))

    return _summed(values, window_sum)


def _summed(values: Array, window_sum: Callable[[Array], Array]) -> LocalStatistics:
    """Statistics by the sums of a window. Values are taken from their mean, for precision."""
    data = np.isfinite(values)
    centre = float(values.mean(where=data)) if data.any() else 0.0
    shifted = np.where(data, values - centre, 0.0)
    count, total, squares = (window_sum(part) for part in (data.astype(np.float64), shifted, shifted**2))
    mean = total / np.where(count > 0, count, np.nan)
    variance = np.maximum(squares / np.where(count > 0, count, np.nan) - np.square(mean), 0.0)
    return LocalStatistics(mean + centre, variance)


def _running(values: Array, reach: int) -> Array:
    """Sums along rows from their beginning, with ``reach`` zeros around, and one more before."""
    rows, columns = values.shape
    running = np.zeros((rows + 2 * reach, columns + 2 * reach + 1))
    np.cumsum(np.pad(values, reach), axis=1, out=running[:, 1:])
    return running


def _window_sum(values: Array, spans: Sequence[Span]) -> Array:
    """Sum over the spans around every pixel; nothing lies beyond the edge."""
    reach = max(max(abs(row), abs(first), abs(last)) for row, first, last in spans)
    rows, columns = values.shape
    running = _running(values, reach)
    total = np.zeros(values.shape)
    for row, first, last in spans:
        band = running[reach + row : reach + row + rows]
        total += (
            band[:, reach + last + 1 : reach + last + 1 + columns] - band[:, reach + first : reach + first + columns]
        )
    return total


def _halves() -> tuple[tuple[Span, ...], ...]:
    """The eight halves of the 7 x 7 window with its middle line: E, W, S, N, then the corners SE, NW, NE, SW."""
    half = REFINED_WINDOW // 2
    rows = range(-half, half + 1)
    return (
        tuple((row, 0, half) for row in rows),
        tuple((row, -half, 0) for row in rows),
        tuple((row, -half, half) for row in range(half + 1)),
        tuple((row, -half, half) for row in range(-half, 1)),
        tuple((row, -row, half) for row in rows),
        tuple((row, -half, -row) for row in rows),
        tuple((row, row, half) for row in rows),
        tuple((row, -half, row) for row in rows),
    )


_HALVES = _halves()
# towards which of the 3 x 3 windows each pair of halves lies (row, column), in the order of the halves
_TOWARDS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1))
_SPACING = 2  # pixels between the centres of the 3 x 3 windows: they overlap by a line


def _side_of_edge(values: Array) -> NDArray[np.int8]:
    """Which half of the window each pixel belongs to: across the strongest gradient, the side most like the centre."""
    means = np.where(np.isfinite(values), _statistics(values, square(3)).mean, np.nan)
    rows, columns = values.shape
    padded = np.pad(means, _SPACING, constant_values=np.nan)

    def at(towards: tuple[int, int]) -> Array:
        row, column = _SPACING * (1 + towards[0]), _SPACING * (1 + towards[1])
        found = padded[row : row + rows, column : column + columns]
        return np.where(np.isfinite(found), found, means)  # beyond the data nothing contrasts

    around = {(row, column): at((row, column)) for row in (-1, 0, 1) for column in (-1, 0, 1)}
    strongest = np.full(values.shape, -1.0)
    chosen = np.zeros(values.shape, dtype=np.int8)
    for number in range(0, len(_TOWARDS), 2):
        ahead, behind = _TOWARDS[number], _TOWARDS[number + 1]
        contrast = np.zeros(values.shape)
        for place, side in _gradient(ahead):
            (np.add if side > 0 else np.subtract)(contrast, around[place], out=contrast)
        np.abs(contrast, out=contrast)
        farther = np.abs(around[ahead] - means) > np.abs(around[behind] - means)
        np.copyto(chosen, np.int8(number) + farther.view(np.int8), where=contrast > strongest)
        np.maximum(strongest, contrast, out=strongest)
    return chosen


def _gradient(ahead: tuple[int, int]) -> Iterable[tuple[tuple[int, int], int]]:
    """The three windows ahead (above 0), the three behind (below), seen along one of the four directions."""
    for row in (-1, 0, 1):
        for column in (-1, 0, 1):
            side = row * ahead[0] + column * ahead[1]
            if side:
                yield (row, column), side


def _rings(half: int) -> dict[float, list[tuple[int, int]]]:
    """The offsets of a square window by their distance from its centre."""
    found: dict[float, list[tuple[int, int]]] = {}
    for row in range(-half, half + 1):
        for column in range(-half, half + 1):
            found.setdefault(float(np.hypot(row, column)), []).append((row, column))
    return found
