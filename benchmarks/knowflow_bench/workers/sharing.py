"""What two workers make of groups that one makes: the same, in how much of the time, and what a group costs."""

from __future__ import annotations

import hashlib
import statistics
import time
from pathlib import Path
from typing import Any

from knowflow.execution.action import Runner
from knowflow.execution.dask_runner import DaskRunner
from knowflow.execution.events import Event, RunEnded, RunStarted
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import ToolError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromNode
from knowflow_bench.workers.cluster import Cluster, found_by
from knowflow_bench.workers.plans import many_scenes, plan_of

_TINY = 64
Run = dict[str, Any]


def measure_sharing(folder: Path, side: int, scenes: int, rounds: int, groups: int) -> dict[str, Any]:
    """What is found of the sharing of groups, and of the blocks of one.

    ``efficiency``: time of one worker over twice that of two, for ``scenes`` of ``side`` x ``side`` pixels, one group
    each (median of ``rounds`` that alternate, wall time); ``efficiency_one_scene``: the same of one group whose blocks
    are shared; ``group_overhead_ms``: processor time of ``groups`` small groups on the cluster, of all its processes
    and the one that asks, beyond that of the local runner; ``identical``: whatever both tell is the same.
    """
    large = plan_of(many_scenes(folder / "large", scenes, side))
    one = _with_map(plan_of(many_scenes(folder / "one", 1, side)))
    small = plan_of(many_scenes(folder / "small", groups, _TINY))
    few = plan_of(many_scenes(folder / "few", 4, _TINY))
    count = iter(range(1_000_000))

    def run(plan: Plan, cluster: Cluster | None) -> Run:
        home = folder / f"home{next(count)}"
        before = 0.0 if cluster is None else cluster.cpu_s()
        found: Run = found_by(_run, plan, str(home), None if cluster is None else cluster.address)
        return {**found, "cpu": found["cpu"] + (0.0 if cluster is None else cluster.cpu_s() - before)}

    with Cluster(1, folder) as alone, Cluster(2, folder) as both:
        for cluster in (alone, both):
            run(few, cluster)  # they open what they need for the first time
        runs = [(run(large, alone), run(large, both)) for _ in range(rounds)]
        shared = [(run(one, alone), run(one, both)) for _ in range(rounds)]
        dear = [(run(small, None), run(small, both)) for _ in range(rounds)]
        told = [{run["told"] for run in (*pairs[0], run(plan, None))} for plan, pairs in ((large, runs), (one, shared))]
    told.append({run["told"] for pair in dear for run in pair})
    return {
        "efficiency": statistics.median(first["seconds"] / (2 * second["seconds"]) for first, second in runs),
        "efficiency_one_scene": statistics.median(one["seconds"] / (2 * two["seconds"]) for one, two in shared),
        "identical": all(len(same) == 1 for same in told),
        "group_overhead_ms": statistics.median(1000 * (two["cpu"] - one["cpu"]) / groups for one, two in dear),
        "group_wall_ms": statistics.median(1000 * two["seconds"] / groups for _, two in dear),
        "group_s": statistics.median(first["seconds"] for first, _ in runs) / scenes,
        "cpu_over_one_worker": statistics.median(second["cpu"] / first["cpu"] for first, second in runs),
        "rounds": rounds,
    }


def _with_map(plan: Plan) -> Plan:
    masked = next(node.id for node in plan.workflow.nodes if node.tool == "apply_mask")
    return Plan("", "", plan.workflow, inputs=plan.inputs, outputs={**plan.outputs, "map": FromNode(masked)})


def _run(plan: Plan, home: str, address: str | None) -> Run:
    """A run in this process: seconds from its start to its end, without the way to the cluster."""
    runner: Runner = LocalRunner() if address is None else DaskRunner(Path(home), address)
    at: dict[type[Event], float] = {}

    def heard(event: Event) -> None:
        at[type(event)] = time.perf_counter()

    busy = time.process_time()
    trace = execute(plan, load_catalogue().tools, runner, Path(home), on_event=heard)
    if trace.status != "completed":
        raise ToolError("a run of the benchmark failed", found=str(trace.error))
    return {
        "seconds": at[RunEnded] - at[RunStarted],
        "cpu": time.process_time() - busy,
        "told": told_by(trace),
    }


def told_by(trace: Trace) -> str:
    """A digest of all that a run tells of its nodes, and of the files that it ends with; of no times and places."""
    told = hashlib.sha256()
    for record in sorted(trace.records.values(), key=lambda one: one.node):
        facts = [
            (name, repr(one.value), sorted((fact, str(known)) for fact, known in one.facts.items()))
            for name, one in sorted(record.outputs.items())
        ]
        told.update(repr((record.node, record.key, facts, record.checks)).encode())
    for _, output in sorted(trace.outputs.items()):
        for leaf in output.leaves():
            if leaf.path is not None:
                told.update(Path(leaf.path).read_bytes())
    return told.hexdigest()
