"""The index of runs in a real Postgres, where there is one: several homes and processes at once, kill -9 among them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from pathlib import Path

import pytest
from postgres_server import NEEDS_POSTGRES
from run_examples import index_and_look, kept

from knowflow.execution.run_store import load_run, run_folder
from knowflow.ground.errors import UnknownNameError
from knowflow.service.run_index import FILE, TraceIndexError, runs_found, tell_others, trace_anywhere

pytestmark = NEEDS_POSTGRES


def _work(home: Path, numbers: range, dies: bool) -> None:
    index_and_look(home, numbers)
    if dies:
        kept(99, home, ended=False)
        os.kill(os.getpid(), signal.SIGKILL)


def test_processes_at_once_share_the_index_of_a_server_though_one_is_killed(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_TRACES", postgres_url)
    home, other = tmp_path / "one", tmp_path / "other"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(home, range(4 * n, 4 * n + 4), n == 3)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, -signal.SIGKILL]
    assert {one.query for one in runs_found(home)} == {f"question {n}" for n in (*range(16), 99)}
    assert {one.query for one in runs_found(home, ["interrupted"])} == {"question 99"}
    cloudy = {f"question {n}" for n in range(1, 16, 2)} | {"question 99"}
    assert {one.query for one in runs_found(home, cause=["too_cloudy"])} == cloudy
    second = kept(0, other)
    assert [one.run_id for one in runs_found(other)] == [second]
    assert len(runs_found(home)) == 17
    assert not (home / FILE).exists()


def test_runs_of_one_home_are_seen_in_another(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_TRACES", postgres_url)
    here, there = tmp_path / "here", tmp_path / "there"
    run = kept(1, here)
    assert runs_found(there) == ()
    tell_others(here)
    (seen,) = [one for one in runs_found(there, every_home=True, cause=["too_cloudy"]) if one.run_id == run]
    assert (seen.query, seen.status, seen.folder) == ("question 1", "failed", run_folder(run, here))
    assert f"{here} " in seen.home
    assert trace_anywhere(run, there) == load_run(run, here)
    with pytest.raises(UnknownNameError):
        trace_anywhere("nothing", there)
    shutil.rmtree(run_folder(run, here))
    tell_others(here)
    with pytest.raises(UnknownNameError):
        trace_anywhere(run, there)
    monkeypatch.delenv("KNOWFLOW_TRACES")
    with pytest.raises(TraceIndexError, match="other homes"):
        runs_found(here, every_home=True)
