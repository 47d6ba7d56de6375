"""Nodes on a real worker of a real work pool: the same to the last bit, and nothing is lost with a flow run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from test_dask_runner import made, many, told
from test_prefect_runner import ask
from test_together import tools

from knowflow.execution import prefect_pool
from knowflow.execution.events import Event, NodeEnded, RunWaiting
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.prefect_pool import PoolRunner, pools_of
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import ServerError

Server = tuple[str, Path]


def flow_runs(api_url: str, pool: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(api_url, "flow_runs/filter", {"work_pools": {"name": {"any_": [pool]}}})
    return found


@pytest.fixture
def worker(server: Server, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of the pool `tests` as a user starts it."""
    environment = {**os.environ, "PREFECT_API_URL": server[0], "PREFECT_WORKER_QUERY_SECONDS": "1", "DO_NOT_TRACK": "1"}
    ask(server[0], "work_pools/", {"name": "tests", "type": "process", "concurrency_limit": 1})
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "tests", "--type", "process"]
    with (tmp_path / "worker.log").open("wb") as log:
        started = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        while "ONLINE" not in {one["status"] for one in ask(server[0], "work_pools/tests/workers/filter", {})}:
            assert started.poll() is None, (tmp_path / "worker.log").read_text()
            threading.Event().wait(0.2)
        yield started
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def _processes_of(folder: Path) -> list[int]:
    """The processes that beat in a folder of handed over groups."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            environment = (one / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ids = [word.partition(b"=")[2].decode() for word in environment if word.startswith(b"PREFECT__FLOW_RUN_ID=")]
        if any(list(folder.glob(f"*/beats/{name}")) for name in ids):
            found.append(int(one.name))
    return found


def test_a_run_on_a_pool_is_the_same_to_the_last_bit_though_a_flow_run_is_killed(
    server: Server, worker: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan, home = many(Path("scenes"), 8), tmp_path / "home"
    here = execute(plan, tools(), LocalRunner(), tmp_path / "local")
    finished: dict[str, float] = {}

    def kill(event: Event) -> None:
        if isinstance(event, NodeEnded) and not finished:
            finished.update(made(home))
            for pid in _processes_of(home / "handover"):
                os.kill(pid, signal.SIGKILL)

    there = execute(plan, tools(), PoolRunner(home, "tests", server[0]), home, on_event=kill)
    # what was finished when its maker was killed, and not given back, comes from the cache
    as_made = [(one, "done", *rest) for one, status, *rest in told(there) if status in ("done", "cached")]
    assert (there.status, sorted(as_made, key=str)) == ("completed", sorted(map(tuple, told(here)), key=str))
    assert finished
    assert pools_of(server[0])[-1] == ("tests", 1)
    assert {key: made(home)[key] for key in finished} == finished
    assert "CRASHED" in {one["state_type"] for one in flow_runs(server[0], "tests")}
    assert not list((home / "handover").iterdir())
    assert there.ui == f"{server[0].removesuffix('/api')}/work-pools/work-pool/tests"


def test_a_pool_without_workers_is_told_of_and_ctrl_c_takes_its_flow_runs_back(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(server[0], "work_pools/", {"name": "empty", "type": "process", "concurrency_limit": 3})
    plan, heard = many(tmp_path / "scenes", 2), list[str]()

    def interrupt(event: Event) -> None:
        if isinstance(event, RunWaiting):
            heard.append(event.what)
            while not flow_runs(server[0], "empty"):
                threading.Event().wait(0.1)
            os.kill(os.getpid(), signal.SIGINT)

    stopped = execute(plan, tools(), PoolRunner(tmp_path, "empty", server[0]), tmp_path, on_event=interrupt)
    assert stopped.status == "interrupted"
    assert "prefect worker start --pool empty --type process" in heard[0]
    assert {one["state_type"] for one in flow_runs(server[0], "empty")} == {"CANCELLED"}
    monkeypatch.setattr(prefect_pool, "_NOBODY_S", 0.1)
    with pytest.raises(ServerError, match="the work pool has no workers"):
        execute(plan, tools(), PoolRunner(tmp_path, "empty", server[0]), tmp_path)


def test_a_pool_that_is_not_there_is_named(server: Server, tmp_path: Path) -> None:
    plan = many(tmp_path / "scenes", 1)
    with pytest.raises(ServerError, match="there is no work pool 'nowhere'"):
        execute(plan, tools(), PoolRunner(tmp_path, "nowhere", server[0]), tmp_path)


@pytest.mark.parametrize(("codes", "calls"), [([503, 429], 3), ([], 1)])
def test_a_server_that_says_it_is_busy_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, codes: list[int], calls: int
) -> None:
    monkeypatch.setattr(prefect_pool, "_WAITS_S", (0.0, 0.0))
    said, made = iter(codes), []

    def call() -> str:
        made.append(1)
        if (code := next(said, None)) is not None:
            _answer(code)
        return "there"

    assert prefect_pool._patiently(call) == "there"
    assert len(made) == calls


@pytest.mark.parametrize(("codes", "calls"), [([500], 1), ([503, 503, 503], 3)])
def test_one_that_fails_or_stays_busy_is_not(monkeypatch: pytest.MonkeyPatch, codes: list[int], calls: int) -> None:
    monkeypatch.setattr(prefect_pool, "_WAITS_S", (0.0, 0.0))
    said, made = iter(codes), []

    def call() -> None:
        made.append(1)
        _answer(next(said))

    with pytest.raises(httpx.HTTPStatusError):
        prefect_pool._patiently(call)
    assert len(made) == calls


def _answer(code: int) -> None:
    request = httpx.Request("POST", "http://localhost/api/deployments/")
    raise httpx.HTTPStatusError("busy", request=request, response=httpx.Response(code, request=request))
