"""Mann-Kendall test with Sen's slope: a stack of 36 dates x 600 x 600 pixels, against a loop of pymannkendall.

The loop runs over a sample of the same pixels in the same process; its time is extrapolated. ``--files`` also times the
tool itself, from 36 GeoTIFFs to three.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from affine import Affine

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.raster import Grid, Output, write_array
from knowflow.tools.trend import mann_kendall as mann_kendall_tool
from knowflow_bench.raster.kernels import trend
from knowflow_bench.raster.scenes import stack_of


def measure_files(dates: int, side: int, gaps: float) -> float:
    """Seconds of the tool: files in, files out."""
    grid = Grid("EPSG:32633", Affine(10, 0, 500_000, 0, -10, 5_100_000), (side, side))
    with tempfile.TemporaryDirectory() as folder:
        items = []
        for number, layer in enumerate(stack_of(dates, side, side, gaps)):
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
    found = trend(options.dates, options.side, options.sample, options.gaps)
    if options.files:
        found["tool_s"] = measure_files(options.dates, options.side, options.gaps)
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        for name, value in found.items():
            print(f"{name:34} {value:,.4g}" if isinstance(value, float) else f"{name:34} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
