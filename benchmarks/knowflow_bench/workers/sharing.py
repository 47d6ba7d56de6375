"""What two workers make of groups that one makes: the same, in how much of the time, and what a group costs."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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

_TINY, _FEW = 64, 4
_IDLE_S = 5.0
Run = dict[str, Any]
RunOn = Callable[[Plan, Cluster | None], Run]


def measure_sharing(folder: Path, side: int, scenes: int, rounds: int, groups: int) -> dict[str, Any]:
    """What is found of the sharing of groups, and of the blocks of one (wall time, medians of ``rounds``).

    ``efficiency``: time of one worker over twice that of two, for ``scenes`` of ``side`` x ``side`` pixels, one group
    each; ``efficiency_one_scene``: the same of one group whose blocks are shared. ``limit`` is what the machine has
    for two: time of one worker over that of one beside another that does the same for somebody else.
    ``identical``: whatever all tell is the same.
    """
    large = plan_of(many_scenes(folder / "large", scenes, side))
    one = _with_map(plan_of(many_scenes(folder / "one", 1, side)))
    few = plan_of(many_scenes(folder / "few", _FEW, _TINY))
    run = _runs(folder)
    with Cluster(1, folder) as alone, Cluster(1, folder) as other, Cluster(2, folder) as both:
        for cluster in (alone, other, both):
            run(few, cluster)  # they open what they need for the first time
        runs = [(run(large, alone), run(large, both)) for _ in range(rounds)]
        shared = [(run(one, alone), run(one, both)) for _ in range(rounds)]
        beside = [max(one["seconds"] for one in _side_by_side(run, large, alone, other)) for _ in range(rounds)]
        told = [{run["told"] for run in (*pairs[0], run(plan, None))} for plan, pairs in ((large, runs), (one, shared))]
        overhead = _overhead(folder, run, both, rounds, groups)
    once = statistics.median(first["seconds"] for first, _ in runs)
    return {
        "efficiency": statistics.median(first["seconds"] / (2 * second["seconds"]) for first, second in runs),
        "efficiency_one_scene": statistics.median(one["seconds"] / (2 * two["seconds"]) for one, two in shared),
        "limit": once / statistics.median(beside),
        "group_s": once / scenes,
        "cpu_over_one_worker": statistics.median(second["cpu"] / first["cpu"] for first, second in runs),
        **overhead,
        "identical": overhead["identical"] and all(len(same) == 1 for same in told),
        "rounds": rounds,
    }


def _overhead(folder: Path, run: RunOn, cluster: Cluster, rounds: int, groups: int) -> dict[str, Any]:
    """``group_overhead_ms``: processor time of a small group on the cluster, of all its processes and the one that
    asks, beyond that of the local runner; by how much more it is of ``groups`` than of a quarter of them. What does not
    grow with the groups is ``start_s``: the way to the cluster, and what each worker begins for a run. A cluster that
    waits takes ``idle_ms`` a second, which is in both as long as they take."""
    plans = [plan_of(many_scenes(folder / f"small{many}", many, _TINY)) for many in (groups // 4, groups)]
    pairs = [[(run(plan, None), run(plan, cluster)) for plan in plans] for _ in range(rounds)]
    beyond = [[there["cpu"] - here["cpu"] for here, there in each] for each in pairs]
    before = cluster.cpu_s()
    time.sleep(_IDLE_S)
    idle = (cluster.cpu_s() - before) / _IDLE_S
    each_group = statistics.median((many - some) / (groups - groups // 4) for some, many in beyond)
    return {
        "group_overhead_ms": 1000 * each_group,
        "idle_ms": 1000 * idle,
        "start_s": statistics.median(many for _, many in beyond) - groups * each_group,
        "group_wall_ms": statistics.median(1000 * there["seconds"] / groups for _, (_, there) in pairs),
        "identical": all(len({one["told"] for pair in pairs for one in pair[size]}) == 1 for size in (0, 1)),
    }


def _runs(folder: Path) -> RunOn:
    """Runs of plans, each in a home of its own: on a cluster, where None on the local runner."""
    count = iter(range(1_000_000))

    def run(plan: Plan, cluster: Cluster | None) -> Run:
        home = folder / f"home{next(count)}"
        before = 0.0 if cluster is None else cluster.cpu_s()
        found: Run = found_by(_run, plan, str(home), None if cluster is None else cluster.address)
        return {**found, "cpu": found["cpu"] + (0.0 if cluster is None else cluster.cpu_s() - before)}

    return run


def _side_by_side(run: RunOn, plan: Plan, *clusters: Cluster) -> list[Run]:
    """The same plan on several clusters at once."""
    with ThreadPoolExecutor(len(clusters)) as pool:
        return list(pool.map(lambda cluster: run(plan, cluster), clusters))


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
