"""All measurements of the raster core: alternating runs, medians, ratios."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow_bench.raster.kernels import hot_spots, trend
from knowflow_bench.raster.scenes import make_bands, make_series

SCENES = 150
DATES = 36
TREND_SIDE = 2400
_COMMAND = "import sys; from knowflow.bench import load; load('raster.variants').main(*sys.argv[1:])"
_Run = dict[str, float]


def measure(size: int, repeats: int = 5, folder: Path | None = None, scenes: int = SCENES) -> dict[str, Any]:
    """Time and memory of an index, of statistics of many scenes, of trends and of hot spots.

    ``size`` is the side of the scene of the index, in pixels; scenes of the series have a ninth of it, the stack of the
    trends at most 2400. ``folder`` is where scenes are made and removed again.

    Raises:
        ToolError: a run failed.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        return {
            **_index(size, repeats, Path(made)),
            "statistics": _statistics(max(size // 9, 64), repeats, Path(made), scenes),
            "trend": trend(DATES, min(size, TREND_SIDE), sample=600),
            "hot_spots": hot_spots(min(size, 1000)),
        }


def _index(size: int, repeats: int, folder: Path) -> dict[str, Any]:
    """The index beside its limit and whole arrays; and its peak on a scene of half the size."""
    scene, half = folder / "scene", folder / "half"
    for place, side in ((scene, size), (half, max(size // 2, 1))):
        place.mkdir()
        make_bands(place, side)
    runs = _alternating(("index", "limit", "whole"), scene, repeats)
    seconds, busy, peaks = (_medians(runs, what) for what in ("seconds", "cpu", "peak_mb"))
    return {
        "size": size,
        "repeats": repeats,
        "index_s": seconds["index"],
        "limit_s": seconds["limit"],
        "whole_array_s": seconds["whole"],
        "index_over_limit": seconds["index"] / seconds["limit"],
        "index_cpu_over_limit": busy["index"] / busy["limit"],
        "whole_array_over_index": seconds["whole"] / seconds["index"],
        "peak_mb": peaks["index"],
        "peak_half_size_mb": _run("index", half)["peak_mb"],
        "limit_peak_mb": peaks["limit"],
        "whole_array_peak_mb": peaks["whole"],
        "runs_s": {variant: [round(run["seconds"], 3) for run in found] for variant, found in runs.items()},
    }


def _statistics(side: int, repeats: int, folder: Path, scenes: int) -> dict[str, Any]:
    """Statistics of many scenes beside reading them."""
    place = folder / "series"
    place.mkdir()
    make_series(place, scenes, side)
    runs = _alternating(("statistics", "statistics_limit"), place, repeats)
    seconds, busy = (_medians(runs, what) for what in ("seconds", "cpu"))
    return {
        "scenes": scenes,
        "side": side,
        "statistics_s": seconds["statistics"],
        "limit_s": seconds["statistics_limit"],
        "statistics_over_limit": seconds["statistics"] / seconds["statistics_limit"],
        "statistics_cpu_over_limit": busy["statistics"] / busy["statistics_limit"],
        "peak_mb": _medians(runs, "peak_mb")["statistics"],
        "runs_s": {variant: [round(run["seconds"], 3) for run in found] for variant, found in runs.items()},
    }


def _alternating(variants: Sequence[str], folder: Path, repeats: int) -> dict[str, list[_Run]]:
    """Runs in rounds; the first two, which are compared, take turns in following what a round ends with.

    A round before them is not counted: it finds the files that were just made on their way to the disk.
    """
    for variant in variants:
        _run(variant, folder)
    runs: dict[str, list[_Run]] = {variant: [] for variant in variants}
    for number in range(repeats):
        pair = variants[:2] if number % 2 == 0 else variants[1::-1]
        for variant in (*pair, *variants[2:]):
            runs[variant].append(_run(variant, folder))
    return runs


def _medians(runs: Mapping[str, Sequence[_Run]], what: str) -> dict[str, float]:
    return {variant: statistics.median(run[what] for run in found) for variant, found in runs.items()}


def _run(variant: str, folder: Path) -> _Run:
    """One run in a process of its own."""
    command = [sys.executable, "-c", _COMMAND, variant, str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ToolError(f"the run of {variant} failed", found=done.stderr.strip().rpartition("\n")[2])
    found: _Run = json.loads(done.stdout)
    return found
