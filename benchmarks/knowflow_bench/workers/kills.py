"""Workers, schedulers, runs and Prefect servers that are killed at random moments: what is lost, and what is wrong?

A run meets kill after kill until it has come to its end. A moment is after a random number of further results, and a
random while. What was killed is put back, as a supervisor would; a run that was killed, or ended because its cluster
was gone, is resumed. A run whose Prefect server is killed is one on threads, as Prefect's is.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, Protocol

from knowflow.execution.action import Runner
from knowflow.execution.dask_runner import DaskRunner
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.prefect_server import ensure_server, server_status, stop_server
from knowflow.execution.run_store import list_runs, load_run
from knowflow.execution.scheduler import execute, resume
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode
from knowflow_bench.workers.cluster import Cluster, forked, found_by, until
from knowflow_bench.workers.plans import many_scenes, plan_of
from knowflow_bench.workers.sharing import told_by

_SCENES, _SIDE = 24, 64
_MOST_S = 0.5  # from a result to the kill after it
_OF_SERVERS = 20  # one kill of so many is that of a Prefect server
_HANGS_S = 400.0
_MOST_STARTS = 100
Say = Callable[[str], None]


@dataclass
class _Toll:
    killed: dict[str, int] = field(default_factory=dict)
    wrong: int = 0
    recomputed: int = 0
    hangs: int = 0
    resumed: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, what: str) -> None:
        self.killed[what] = self.killed.get(what, 0) + 1

    @property
    def kills(self) -> int:
        return sum(self.killed.values())


def measure_kills(folder: Path, kills: int, seed: int, say: Say = lambda _: None) -> dict[str, Any]:
    """``kills`` by what was ``killed``; runs with ``wrong`` results after them, finished results that were
    ``recomputed``, runs that did not end (``hangs``), and how often a run was ``resumed``."""
    chance, toll, runs, due = random.Random(seed), _Toll(), 0, kills // _OF_SERVERS
    plan, servers = _plan(folder / "scenes"), folder / "prefect"
    expected = str(found_by(_told, plan, str(folder / "expected")))
    try:
        with Cluster(2, folder) as cluster:
            while toll.kills < kills:
                of_server = due > 0 and (runs % 2 == 1 or toll.kills >= kills - due)
                place: _Place = _OnServer(servers) if of_server else _OnCluster(cluster)
                campaign = _Campaign(plan, folder / f"run{runs}", place, chance, toll, say)
                campaign.run(toll.kills + 1 if of_server else kills - due)
                due -= of_server
                campaign.judge(expected)
                runs += 1
    finally:
        stop_server(servers)
    return {
        "kills": toll.kills,
        "killed": toll.killed,
        "runs": runs,
        "wrong": toll.wrong,
        "recomputed": toll.recomputed,
        "hangs": toll.hangs,
        "resumed": toll.resumed,
        "failures": toll.failures,
    }


class _Place(Protocol):
    """Where a run is carried out, and what of it can be killed; ``most_results`` between a kill and the next."""

    kinds: tuple[str, ...]
    most_results: int

    def runner(self, home: Path) -> Runner: ...

    def mend(self) -> None:
        """Put back what has ended."""
        ...

    def kill(self, what: str, number: int) -> bool: ...


class _OnCluster:
    kinds: tuple[str, ...] = ("worker", "worker", "scheduler", "run")
    most_results = 8

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.mend, self.kill = cluster.mend, cluster.kill

    def runner(self, home: Path) -> Runner:
        return DaskRunner(home, self._cluster.address)


class _OnServer:
    """The server of Prefect is put back for the next run: one that has lost it goes on without."""

    kinds: tuple[str, ...] = ("server",)
    most_results = 3 * _SCENES

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def runner(self, home: Path) -> Runner:
        ensure_server(self._folder)
        return PrefectRunner(self._folder)

    def mend(self) -> None:
        pass

    def kill(self, what: str, number: int) -> bool:
        pid = server_status(self._folder).pid
        if pid is not None:
            os.killpg(pid, signal.SIGKILL)
        return pid is not None


class _Campaign:
    """One run, from its start to its end, whatever is killed meanwhile."""

    def __init__(self, plan: Plan, home: Path, place: _Place, chance: random.Random, toll: _Toll, say: Say) -> None:
        self._plan, self._home, self._place = plan, home, place
        self._chance, self._toll, self._say = chance, toll, say
        self._seen: dict[str, float] = {}

    def run(self, kills: int) -> None:
        """Kill until so many have been killed in all, or the run is at its end; then let it come to its end."""
        for _ in range(_MOST_STARTS):
            process = forked(_go_on, self._plan, str(self._home), self._place.runner(self._home))
            while process.is_alive():
                killing = self._toll.kills < kills
                results = self._chance.randrange(self._place.most_results + 1) if killing else None
                if not self._comes(process, results):
                    process.kill()
                    return self._fail("hangs", f"it does not end, {len(self._seen)} results")
                if killing and process.is_alive():
                    time.sleep(self._chance.uniform(0, _MOST_S))
                    self._kill(self._chance.choice(self._place.kinds), process)
                    self._place.mend()
            process.join()
            if _last(self._home) == "completed":
                return None
            self._toll.resumed += 1
        return self._fail("hangs", f"it does not end, begun {_MOST_STARTS} times")

    def _comes(self, process: ForkServerProcess, results: int | None) -> bool:
        """Wait for so many further results, or for the end of the process; whether either comes."""
        wanted = None if results is None else len(results_in(self._home)) + results

        def there() -> bool:
            return not process.is_alive() or (wanted is not None and len(results_in(self._home)) >= wanted)

        return until(there, _HANGS_S, self._place.mend)

    def _kill(self, what: str, process: ForkServerProcess) -> None:
        if what == "run":
            process.kill()
            process.join()
            killed = process.exitcode == -signal.SIGKILL
        else:
            killed = self._place.kill(what, self._chance.randrange(2))
        self._look()
        if killed:
            self._toll.add(what)
            self._say(f"{self._toll.kills} killed, last a {what}, {len(self._seen)} results: {self._toll}")

    def _look(self) -> None:
        """All results that were ever seen, with the time at which each was made first; made again, it has another."""
        for key, moment in made(self._home).items():
            if self._seen.setdefault(key, moment) != moment:
                self._seen[key] = moment
                self._toll.recomputed += 1
                self._toll.failures.append(f"{self._home.name}: made again: {key}")

    def judge(self, expected: str) -> None:
        """Compare what the run tells, and what it made, with what it ought to be."""
        self._look()
        runs = list_runs(self._home)
        if not runs or runs[0].status != "completed" or told_by(load_run(runs[0].run_id, self._home)) != expected:
            self._fail("wrong", str([run.status for run in runs]))

    def _fail(self, what: str, found: str) -> None:
        setattr(self._toll, what, getattr(self._toll, what) + 1)
        self._toll.failures.append(f"{self._home.name}: {what}: {found}")


def results_in(home: Path) -> list[str]:
    """The keys of the finished results in a cache."""
    return [path.name for path in home.glob("cache/??/*")]


def made(home: Path) -> dict[str, float]:
    """When each of the finished results in a cache was made."""
    found = {}
    for path in home.glob("cache/??/*/result.json"):
        try:
            found[path.parent.name] = float(json.loads(path.read_text())["made"])
        except (OSError, ValueError):  # it is being put there
            continue
    return found


def _last(home: Path) -> str:
    runs = list_runs(home)
    return runs[0].status if runs else "none"


def _plan(folder: Path) -> Plan:
    """Groups of four nodes, whose maps are kept."""
    plan = plan_of(many_scenes(folder, _SCENES, _SIDE))
    maps = {node.id: FromNode(node.id) for node in plan.workflow.nodes if node.tool == "apply_mask"}
    return Plan("", "", plan.workflow, inputs=plan.inputs, outputs={**plan.outputs, **maps})


def _go_on(plan: Plan, home: str, runner: Runner) -> None:
    """Ask; resume where a run of it is on record."""
    runs = list_runs(Path(home))
    try:
        if runs:
            resume(runs[0].run_id, load_catalogue().tools, runner, Path(home))
        else:
            execute(plan, load_catalogue().tools, runner, Path(home))
    except KnowFlowError:  # it is in the record of the run
        sys.exit(1)


def _told(plan: Plan, home: str) -> str:
    return told_by(execute(plan, load_catalogue().tools, LocalRunner(), Path(home)))
