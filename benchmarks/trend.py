"""Mann-Kendall test with Sen's slope: a stack of 36 dates x 600 x 600 pixels, against a loop of pymannkendall.

The loop runs over a sample of the same pixels in the same process; both are given as pixels per second, with the ratio
of the two. ``--files`` also times the tool itself, from 36 GeoTIFFs to three.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pymannkendall
from affine import Affine

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.kernels.mann_kendall import mann_kendall
from knowflow.tools.raster import Grid, Output, write_array
from knowflow.tools.trend import mann_kendall as mann_kendall_tool


def stack_of(dates: int, side: int, gaps: float) -> np.ndarray:
    """Float32 noise around a trend that differs from pixel to pixel, with gaps."""
    random = np.random.default_rng(1)
    trend = np.linspace(0, 1, dates, dtype=np.float32)[:, None, None] * random.normal(0, 0.1, (side, side))
    values = (0.4 + trend + random.normal(0, 0.1, (dates, side, side))).astype(np.float32)
    values[random.random(values.shape, dtype=np.float32) < gaps] = np.nan
    return values


def measure(dates: int, side: int, gaps: float, sample: int) -> dict[str, Any]:
    """Seconds, pixels per second, their ratio, and the largest difference on the sample."""
    stack = stack_of(dates, side, gaps)
    times = np.arange(dates, dtype=np.float64)
    started = time.perf_counter()
    found = mann_kendall(stack, times)
    ours = time.perf_counter() - started

    pixels = np.random.default_rng(2).choice(side * side, sample, replace=False)
    series = stack.reshape(dates, -1)[:, pixels].astype(np.float64).T
    started = time.perf_counter()
    loop = [pymannkendall.original_test(one) for one in series]
    theirs = time.perf_counter() - started

    # pymannkendall closes gaps before it takes slopes: compare tau and p, which do not depend on that
    tau = np.array([one.Tau for one in loop]) - found.tau.ravel()[pixels]
    p_value = np.array([one.p for one in loop]) - found.p_value.ravel()[pixels]
    return {
        "dates": dates,
        "pixels": side * side,
        "gaps": gaps,
        "seconds": ours,
        "pixels_per_second": side * side / ours,
        "pymannkendall_pixels": sample,
        "pymannkendall_seconds": theirs,
        "pymannkendall_pixels_per_second": sample / theirs,
        "ratio": (side * side / ours) / (sample / theirs),
        "largest_difference": float(max(np.abs(tau).max(), np.abs(p_value).max())),
    }


def measure_files(dates: int, side: int, gaps: float) -> float:
    """Seconds of the tool: files in, files out."""
    grid = Grid("EPSG:32633", Affine(10, 0, 500_000, 0, -10, 5_100_000), (side, side))
    with tempfile.TemporaryDirectory() as folder:
        items = []
        for number, layer in enumerate(stack_of(dates, side, gaps)):
            path = Path(folder, f"{number}.tif")
            write_array(Output(path), layer, grid)
            date = f"{2000 + number // 12}-{number % 12 + 1:02}-01"
            items.append(Artifact("raster", facts=Facts.of(Origin.DECLARED, datetime=date), path=str(path)))
        started = time.perf_counter()
        mann_kendall_tool(tuple(items), *(Path(folder, f"{name}.tif") for name in ("slope", "p", "tau")))
        return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dates", type=int, default=36)
    parser.add_argument("--side", type=int, default=600)
    parser.add_argument("--gaps", type=float, default=0.2, help="share of missing observations")
    parser.add_argument("--sample", type=int, default=1000, help="pixels for the loop of pymannkendall")
    parser.add_argument("--files", action="store_true", help="time the tool from files to files as well")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.dates, options.side, options.gaps, options.sample)
    if options.files:
        found["tool_seconds"] = measure_files(options.dates, options.side, options.gaps)
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        for name, value in found.items():
            print(f"{name:34} {value:,.4g}" if isinstance(value, float) else f"{name:34} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
