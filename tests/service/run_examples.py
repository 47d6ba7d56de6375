"""Runs of one node, kept as any run is, for tests of what finds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from knowflow.execution.run_store import OpenRun
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.plan import Plan
from knowflow.model.workflow import Given, Node, Workflow
from knowflow.service.run_index import runs_found

TOOLS = ("mean", "median", "maximum")
CAUSES = ("timeout", "too_cloudy")


def kept(number: int, home: Path, *, ended: bool = True) -> str:
    """A run of one node, kept as any run is; every second one failed."""
    tool, cause = TOOLS[number % len(TOOLS)], CAUSES[number % len(CAUSES)]
    plan = Plan(f"question {number}", "t", Workflow((Node("n", tool, {"x": Given((1, 2))}),)))
    run = OpenRun.start(plan, "local", home)
    if number % 2:
        run.find(Diagnosis(cause, "n", "n"))
    if ended:
        run.end(replace(run.trace, status="failed" if number % 2 else "completed", finished=run.trace.started + 1))
    else:
        run.release()
    return run.trace.run_id


def index_and_look(home: Path, numbers: Iterable[int]) -> None:
    """Keep runs, and look for some after each."""
    for number in numbers:
        kept(number, home)
        runs_found(home, tool=[TOOLS[0]])
