"""Nodes on a real cluster of two worker processes: the same to the last bit, and nothing is lost with a worker."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_together import AREA, GREEN, MASKED, NDVI, node, planned, scene, tools

from knowflow.execution import dask_runner
from knowflow.execution.dask_runner import DaskRunner
from knowflow.execution.events import Event, NodeEnded, RunStarted
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.run_store import load_run
from knowflow.execution.scheduler import execute, resume
from knowflow.ground.errors import ServerError
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Node, Workflow

distributed = pytest.importorskip("distributed")
Cluster = Any
LARGE = (1100, 4200)  # nine blocks


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """An existing cluster of processes that are forked with all that they need, and look for idle ones all the time."""
    from knowflow_bench.workers.cluster import Cluster

    with Cluster(2, tmp_path_factory.mktemp("cluster")) as found:
        yield found


def seen(cluster: Cluster) -> int:
    """How many batches of blocks were sent so far; from here on, workers look for idle ones before each block."""

    def impatient() -> None:  # what is defined in here travels whole: no worker imports this module
        from knowflow.execution import dask_worker

        dask_worker._LOOK_S = 0.0

    def sent(dask_scheduler: Any) -> int:
        keys = {str(key) for key, *_ in dask_scheduler.transition_log}
        return sum(key.startswith("knowflow-blocks") for key in keys)

    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.run(impatient)
        return int(client.run_on_scheduler(sent))


def told(trace: Trace) -> list[Any]:
    """All that a run tells of its nodes, but for places and times."""
    return [
        (
            record.node,
            record.status,
            record.key,
            [(name, one.value, sorted((fact, str(known)) for fact, known in one.facts.items())) for name, one in
             record.outputs.items()],
            record.checks,
        )
        for record in trace.records.values()
    ]  # fmt: skip


def digest(artifact: Artifact) -> str:
    return hashlib.sha256(Path(str(artifact.path)).read_bytes()).hexdigest()


def test_a_large_scene_is_shared_among_the_workers_and_is_the_same_to_the_last_bit(
    cluster: Cluster, tmp_path: Path
) -> None:
    """In one pass where that goes, and where pixels look at their neighbours in other blocks."""
    inputs = scene(tmp_path, LARGE, 5, tiled=True, blockxsize=512, blockysize=512)
    wide = node("wide", "buffer_mask", mask=FromNode("green"), pixels=5)  # after the others: one is idle
    asked = {"answer": FromNode("area"), "map": FromNode("masked"), "wide": FromNode("wide")}
    plan = planned(inputs, NDVI, MASKED, GREEN, AREA, wide, outputs=asked)
    here = execute(plan, tools(), LocalRunner(), tmp_path / "local")
    before = seen(cluster)
    there = execute(plan, tools(), DaskRunner(tmp_path / "dask", cluster.address), tmp_path / "dask")
    assert seen(cluster) > before
    assert (here.status, there.status) == ("completed", "completed")
    assert told(there) == told(here)
    assert [digest(there.outputs[name]) for name in ("map", "wide")] == [
        digest(here.outputs[name]) for name in ("map", "wide")
    ]


def many(folder: Path, dates: int) -> Plan:
    """The area of each of some scenes: a group of nodes for each."""
    inputs: dict[str, Artifact] = {}
    nodes: list[Node] = []
    for number in range(dates):
        (folder / str(number)).mkdir(parents=True)
        inputs |= {f"{name}{number}": one for name, one in scene(folder / str(number), (64, 96), number).items()}
        bands = BandsOf({band: FromInput(f"{band}{number}") for band in ("red", "nir")})
        nodes += [
            node(f"ndvi{number}", "spectral_index", index="NDVI", bands=bands),
            node(f"masked{number}", "apply_mask", raster=FromNode(f"ndvi{number}"), mask=FromInput(f"cloud{number}")),
            node(f"mean{number}", "raster_mean", raster=FromNode(f"masked{number}")),
        ]
    return Plan("", "", Workflow(tuple(nodes)), inputs=inputs, outputs={"answer": FromNode(nodes[-1].id)})


def made(home: Path) -> dict[str, float]:
    """When each result in a cache was made; drafts beside them may be half written."""
    results = home.glob("cache/[0-9a-f][0-9a-f]/*/result.json")
    return {path.parent.name: json.loads(path.read_text())["made"] for path in results}


def test_workers_that_are_killed_cost_nothing_that_was_finished(cluster: Cluster, tmp_path: Path) -> None:
    plan, home = many(tmp_path / "scenes", 6), tmp_path / "dask"
    here = execute(plan, tools(), LocalRunner(), tmp_path / "local")
    finished: dict[str, float] = {}
    left = [0, 1]

    def kill(event: Event) -> None:
        if isinstance(event, NodeEnded) and left:
            assert cluster.kill("worker", left.pop())
            finished.update(made(home))
            cluster.mend()

    there = execute(plan, tools(), DaskRunner(home, cluster.address), home, on_event=kill)
    assert not left
    assert finished
    assert {key: made(home)[key] for key in finished} == finished
    # what a worker had finished when it was killed is found, and told as found
    found = [(node, "done" if status == "cached" else status, *rest) for node, status, *rest in told(there)]
    assert (there.status, sorted(found, key=str)) == ("completed", sorted(told(here), key=str))


def test_a_run_whose_cluster_is_gone_ends_and_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_runner, "_CONNECT_S", 1.0)
    plan, home, ids = many(tmp_path / "scenes", 6), tmp_path / "dask", list[str]()
    with distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=":0") as mortal:

        def end(event: Event) -> None:
            if isinstance(event, RunStarted):
                ids.append(event.run_id)
            if isinstance(event, NodeEnded):
                mortal.close()

        with pytest.raises(ServerError, match="the dask cluster is gone"):
            execute(plan, tools(), DaskRunner(home, mortal.scheduler_address), home, on_event=end)
    ended = load_run(ids[0], home)
    assert ended.status == "failed"
    before = made(home)
    assert before
    again = resume(ids[0], tools(), LocalRunner(), home)
    assert again.status == "completed"
    assert {key: made(home)[key] for key in before} == before


def test_a_cluster_without_workers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_runner, "_WORKERLESS_S", 0.2)
    plan = many(tmp_path / "scenes", 1)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=":0") as empty,
        pytest.raises(ServerError, match="has no workers"),
    ):
        execute(plan, tools(), DaskRunner(tmp_path, empty.scheduler_address), tmp_path)


def test_an_error_of_the_run_is_not_told_as_one_of_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    def fail(event: Event) -> None:
        if isinstance(event, NodeEnded):
            raise ValueError("of who looks on")

    with pytest.raises(ValueError, match="of who looks on"):
        execute(many(tmp_path / "scenes", 1), tools(), DaskRunner(tmp_path, cluster.address), tmp_path, on_event=fail)


def test_a_cluster_of_our_own_ends_with_the_run(tmp_path: Path) -> None:
    plan = many(tmp_path / "scenes", 1)
    before = {child.pid for child in multiprocessing.active_children()}  # of the cluster of the other tests
    trace = execute(plan, tools(), DaskRunner(tmp_path, workers=1), tmp_path)
    assert trace.status == "completed"
    assert {child.pid for child in multiprocessing.active_children()} <= before
