"""One pass beside its peers: alternating runs, medians of processor time, ratios."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow_bench.fused.scenes import make_dates, make_scene

_COMMAND = "import sys; from knowflow.bench import load; load('fused.variants').main(*sys.argv[1:])"
_TINY = 96
_AGREE = 1e-3  # by so much the answers of others may differ from ours, of themselves
_OF_ONE = ("fused", "unfused", "whole", "least")
_Run = dict[str, float]


def measure(size: int, dates: int, repeats: int, folder: Path | None = None) -> dict[str, Any]:
    """Ratios of processor time, and the peak of one pass; scenes of the many dates have a fifth of the
    ``size``. ``over_dask`` is of the median over time, the composite that is usual where clouds may be left.
    ``most_over_whole_array`` is what ``over_whole_array`` would be of a pass that decodes and computes, and no more.

    Raises:
        ToolError: a run failed, or its answer is another than that of its peers.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        scene, tiny, many, few = (Path(made) / name for name in ("scene", "tiny", "many", "few"))
        make_scene(scene, size)
        make_scene(tiny, _TINY)
        side = max(size // 5, 64)
        make_dates(many, dates, side)
        make_dates(few, 4, _TINY)
        one = _rounds(_OF_ONE, scene, tiny, repeats)
        over = _rounds(("median_fused", "median_dask", "mean_fused", "mean_dask"), many, few, repeats)
    _require_agreement(one, _OF_ONE)
    _require_agreement(over, ("mean_fused", "mean_dask"))
    _require_agreement(over, ("median_fused", "median_dask"))
    beside_dask = {name: over[f"{name}_dask"]["cpu"] / over[f"{name}_fused"]["cpu"] for name in ("mean", "median")}
    return {
        "size": size,
        "dates": dates,
        "side": side,
        "repeats": repeats,
        "over_whole_array": one["whole"]["cpu"] / one["fused"]["cpu"],
        "over_unfused": one["unfused"]["cpu"] / one["fused"]["cpu"],
        "most_over_whole_array": one["whole"]["cpu"] / one["least"]["cpu"],
        "peak_mb": one["fused"]["peak_mb"],
        "over_dask": beside_dask["median"],
        "over_dask_by_method": beside_dask,
        "peak_mb_over_time": max(over[f"{name}_fused"]["peak_mb"] for name in beside_dask),
        "peak_mb_dask": min(over[f"{name}_dask"]["peak_mb"] for name in beside_dask),
        "cpu_s": {name: round(run["cpu"], 3) for name, run in {**one, **over}.items()},
        "wall_s": {name: round(run["seconds"], 3) for name, run in {**one, **over}.items()},
    }


def _rounds(variants: Sequence[str], place: Path, tiny: Path, repeats: int) -> dict[str, _Run]:
    """Medians of runs in rounds, after one round that is not counted where there are several."""
    runs: dict[str, list[_Run]] = {variant: [] for variant in variants}
    for number in range(repeats + (repeats > 1)):
        for variant in variants:
            found = run(variant, place, tiny)
            if number or repeats == 1:
                runs[variant].append(found)
    return {
        variant: {what: statistics.median(one[what] for one in found) for what in found[0]}
        for variant, found in runs.items()
    }


def _require_agreement(runs: dict[str, _Run], variants: Sequence[str]) -> None:
    answers = {variant: runs[variant]["answer"] for variant in variants}
    low, high = min(answers.values()), max(answers.values())
    if high - low > _AGREE * max(abs(low), abs(high)):
        raise ToolError("the variants do not tell the same", expected="one answer", found=str(answers))


def run(variant: str, place: Path, tiny: Path) -> _Run:
    """One run in a process of its own."""
    command = [sys.executable, "-c", _COMMAND, variant, str(place), str(tiny)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ToolError(f"the run of {variant} failed", found=done.stderr.strip().rpartition("\n")[2])
    found: _Run = json.loads(done.stdout)
    return found
