"""Two workers, kills, and a plan of very many nodes: seconds until it is checked, and until its first node runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knowflow.execution.events import Event, NodeStarted
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.graph.check import check_plan
from knowflow.ground.errors import ToolError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow_bench.raster.variants import peak_mb
from knowflow_bench.workers.kills import measure_kills
from knowflow_bench.workers.plans import CHAIN, many_scenes, plan_of
from knowflow_bench.workers.sharing import measure_sharing

_COMMAND = "import sys; from knowflow.bench import load; load('workers.measure').main(*sys.argv[1:])"
_SIDE = 64
_SCENES, _GROUPS = 8, 100


def measure(
    nodes: int,
    kills: int,
    rounds: int,
    side: int,
    seed: int,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """What :func:`measure_sharing`, :func:`measure_kills` and :func:`measure_plan` find."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        shared = measure_sharing(Path(made) / "sharing", side, _SCENES, rounds, _GROUPS)
    say(json.dumps(shared))
    with tempfile.TemporaryDirectory(dir=folder) as made:
        killed = measure_kills(Path(made), kills, seed, say)
    return {**shared, **killed, **measure_plan(nodes, folder)}


def measure_plan(nodes: int, folder: Path | None = None) -> dict[str, Any]:
    """``plan_s`` to build and check a plan, ``first_node_s`` from there until its first node starts (s, wall time; with
    ``_cpu_s`` processor time, for a machine that others use); ``plan_peak_mb`` is the largest resident size until then.

    Raises:
        ToolError: the plan is not sound, or none of it was started.
    """
    with tempfile.TemporaryDirectory(dir=folder) as made:
        command = [sys.executable, "-c", _COMMAND, str(nodes), made]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ToolError("the plan was not begun", found=done.stderr.strip().rpartition("\n")[2])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(nodes: str, folder: str) -> None:
    """Print what the plan takes, and stop its run at the first node."""
    tools = load_catalogue().tools
    inputs = many_scenes(Path(folder), int(nodes) // CHAIN, _SIDE)
    began, busy = time.perf_counter(), time.process_time()
    plan = plan_of(inputs)
    if not check_plan(plan, tools).ok:
        raise ToolError("the plan is not sound")
    checked, checked_busy = time.perf_counter(), time.process_time()
    found: dict[str, float] = {}

    def heard(event: Event) -> None:
        if isinstance(event, NodeStarted) and not found:
            found.update(first_node_s=time.perf_counter() - checked, plan_peak_mb=peak_mb())
            found.update(first_node_cpu_s=time.process_time() - checked_busy)
            os.kill(os.getpid(), signal.SIGINT)  # as somebody who stops it

    execute(plan, tools, LocalRunner(), Path(folder) / "home", on_event=heard)
    if not found:
        raise ToolError("no node was started")
    told = {"nodes": len(plan.workflow), "plan_s": checked - began, "plan_cpu_s": checked_busy - busy, **found}
    print(json.dumps({name: round(value, 2) for name, value in told.items()}))
