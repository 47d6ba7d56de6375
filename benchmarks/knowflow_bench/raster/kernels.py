"""Kernels beside loops of the libraries that people would use: trends per pixel, and hot spots."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from knowflow.tools.kernels.hot_spots import Population, getis_ord
from knowflow.tools.kernels.mann_kendall import mann_kendall
from knowflow_bench.raster.scenes import stack_of

_PIXELS = 40_000  # of a stack, that are made and worked on at a time


def trend(dates: int, side: int, sample: int, gaps: float = 0.2) -> dict[str, Any]:
    """Mann-Kendall with Sen's slope over ``side`` x ``side`` pixels, beside a loop of pymannkendall.

    The loop runs over ``sample`` of the pixels, which lie all over the stack; its time for all is extrapolated.
    """
    import pymannkendall

    times, width = np.arange(dates, dtype=np.float64), side
    height = max(1, _PIXELS // width)
    parts = range(0, side, height)
    each = -(-sample // len(parts))
    ours = theirs = largest = 0.0
    looped = 0
    for number, first in enumerate(parts):
        stack = stack_of(dates, min(height, side - first), width, gaps, seed=number)
        begun = time.perf_counter()
        found = mann_kendall(stack, times)
        ours += time.perf_counter() - begun
        pixels = np.random.default_rng(number).choice(stack[0].size, min(each, stack[0].size), replace=False)
        series = stack.reshape(dates, -1)[:, pixels].astype(np.float64).T
        begun = time.perf_counter()
        loop = [pymannkendall.original_test(one) for one in series]
        theirs += time.perf_counter() - begun
        looped += len(loop)
        # pymannkendall closes gaps before it takes slopes: tau and p do not depend on that
        tau = np.abs(np.array([one.Tau for one in loop]) - found.tau.ravel()[pixels]).max()
        p_value = np.abs(np.array([one.p for one in loop]) - found.p_value.ravel()[pixels]).max()
        largest = max(largest, float(tau), float(p_value))
    extrapolated = theirs / looped * side * side
    return {
        "dates": dates,
        "side": side,
        "trend_s": ours,
        "pymannkendall_s": extrapolated,
        "pymannkendall_pixels": looped,
        "pymannkendall_over_trend": extrapolated / ours,
        "largest_difference": largest,
    }


def hot_spots(side: int, reach: int = 2) -> dict[str, Any]:
    """Gi* over ``side`` x ``side`` pixels, beside the same formula pixel by pixel (as esda has it) at the edges."""
    values = np.random.default_rng(3).normal(10, 2, (side, side))
    values[:: max(side // 5, 1), ::3] = np.nan
    weights = np.ones((2 * reach + 1, 2 * reach + 1))
    known = values[np.isfinite(values)]
    population = Population(known.size, float(known.mean()), float(known.std()))
    begun = time.perf_counter()
    found = getis_ord(values, weights, population)
    ours = time.perf_counter() - begun
    rng = np.random.default_rng(4)
    places = [(0, 1), (side - 1, side - 1), (side // 2, 0), *rng.integers(0, side, (200, 2)).tolist()]
    pixels = [(row, column) for row, column in places if np.isfinite(values[row, column])]
    difference = 0.0
    for row, column in pixels:
        near = values[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]
        near, n = near[np.isfinite(near)], population.count
        spread = population.std * np.sqrt((n * near.size - near.size**2) / (n - 1))
        expected = (near.sum() - population.mean * near.size) / spread
        difference = max(difference, abs(float(found[row, column]) - float(expected)))
    return {"side": side, "hot_spots_s": ours, "pixels_compared": len(pixels), "largest_difference": difference}
