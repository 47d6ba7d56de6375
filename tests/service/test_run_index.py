"""Runs are found by what they were of; the index follows the folders of runs, which are the truth."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from run_examples import TOOLS, index_and_look, kept
from service_examples import NDVI, Command, scene

from knowflow import KnowFlow
from knowflow.execution.run_store import OpenRun, list_runs, load_run, run_folder, runs_folder
from knowflow.ground.databases import sqlite_url
from knowflow.ground.errors import UnknownNameError
from knowflow.ground.resources import state_home
from knowflow.memory.trace_index import TraceIndex, entry_of
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import Node, Workflow
from knowflow.service.run_index import FILE, TraceIndexError, runs_found


def expected(home: Path, tool: str = "", status: str = "") -> set[str]:
    """The same from the files alone."""
    found = set()
    for folder in runs_folder(home).iterdir():
        trace = load_run(folder.name, home)
        if tool in ("", trace.plan.workflow.nodes[0].tool) and status in ("", trace.status):
            found.add(trace.run_id)
    return found


def test_runs_are_found_by_what_their_traces_say(tmp_path: Path) -> None:
    for number in range(12):
        kept(number, tmp_path, ended=number % 5 != 0)
    for tool in ("", *TOOLS):
        for status in ("", "completed", "failed", "interrupted"):
            found = runs_found(tmp_path, [status] if status else [], tool=[tool] if tool else [])
            assert {one.run_id for one in found} == expected(tmp_path, tool, status), (tool, status)
    everything = runs_found(tmp_path)
    assert [one.run_id for one in everything] == [one.run_id for one in list_runs(tmp_path)]
    cloudy = {f"question {number}" for number in range(1, 12, 2)}
    assert {one.query for one in runs_found(tmp_path, cause=["too_cloudy"])} == cloudy
    assert runs_found(tmp_path, cause=["timeout"]) == ()
    for one in everything:
        trace = load_run(one.run_id, tmp_path)
        assert (one.status, one.seconds, one.nodes) == (trace.status, trace.seconds, 1)


def test_the_index_follows_what_becomes_of_runs(tmp_path: Path) -> None:
    first, second = kept(0, tmp_path, ended=False), kept(1, tmp_path)
    assert {one.run_id: one.status for one in runs_found(tmp_path)} == {first: "interrupted", second: "failed"}
    run = OpenRun.resume(first, "local", tmp_path)
    assert {one.run_id for one in runs_found(tmp_path, ["running"])} == {first}
    run.end(replace(run.trace, status="completed"))
    shutil.rmtree(run_folder(second, tmp_path))
    assert [(one.run_id, one.status) for one in runs_found(tmp_path)] == [(first, "completed")]
    (tmp_path / FILE).write_bytes(b"no database at all, but a file of that name" * 100)
    assert [(one.run_id, one.status) for one in runs_found(tmp_path)] == [(first, "completed")]
    (run_folder(first, tmp_path) / "trace.json").write_text("{", encoding="utf-8")
    assert runs_found(tmp_path) == ()


def _work(home: Path, numbers: Sequence[int], dies: bool) -> None:
    index_and_look(home, numbers)
    if dies:
        kept(99, home, ended=False)
        os.kill(os.getpid(), signal.SIGKILL)


def test_processes_at_once_lose_no_run_though_one_is_killed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(tmp_path, range(8 * n, 8 * n + 8), n == 3)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, -signal.SIGKILL]
    assert {one.query for one in runs_found(tmp_path)} == {f"question {n}" for n in (*range(32), 99)}
    assert {one.query for one in runs_found(tmp_path, ["interrupted"])} == {"question 99"}


def test_homes_that_share_a_database_know_their_own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWFLOW_TRACES", sqlite_url(tmp_path / "shared.sqlite"))
    one, other = kept(0, tmp_path / "one"), kept(2, tmp_path / "other")
    assert [run.run_id for run in runs_found(tmp_path / "one")] == [one]
    assert [run.run_id for run in runs_found(tmp_path / "other")] == [other]
    monkeypatch.setenv("KNOWFLOW_TRACES", "postgresql+nothing://host/base")
    with pytest.raises(TraceIndexError):
        runs_found(tmp_path / "one")


def test_entries_are_replaced_whole(tmp_path: Path) -> None:
    index = TraceIndex(sqlite_url(tmp_path / "one.sqlite"), "home")
    trace = Trace("a", Plan("q", "", Workflow((Node("n", "mean"),))), status="running")
    index.put([entry_of(trace, "1")])
    again = Trace("a", Plan("q", "", Workflow((Node("n", "median"),))), status="completed")
    index.put([entry_of(again, "2")])
    assert (index.stamps(), len(index.found())) == ({"a": "2"}, 1)
    assert index.found(words={"tool": ["mean"]}) == ()
    assert len(index.found(["completed"], {"tool": ["median", "mean"]})) == 1
    index.close()


def test_the_commands_that_look_at_runs(knowflow: Command, tmp_path: Path) -> None:
    data = scene(tmp_path / "data", NDVI)
    query = "What was the mean NDVI in 2022?"
    ids = [KnowFlow().run(query, data, out=tmp_path / f"out{n}").run_id for n in range(2)]
    other = KnowFlow().run("What was the maximum NDVI in 2022?", data, out=tmp_path / "out").run_id
    assert len(knowflow("runs", "list", "--quantity", "ndvi").result["runs"]) == 3
    assert knowflow("runs", "list", "--quantity", "elevation").result["runs"] == []
    assert knowflow("runs", "list", "--cause", "no_such_cause").names("unknown_name")
    assert knowflow("runs", "diff", *ids).result["differences"] == []
    found = {one["what"]: one for one in knowflow("runs", "diff", ids[0], other).result["differences"]}
    assert {"question", "answer"} <= found.keys()
    assert any(what.startswith("step ") for what in found)
    assert not any(what.startswith("file ") for what in found)
    files = knowflow("runs", "export", ids[0], tmp_path / "exported").result["files"]
    assert {Path(file).name for file in files} >= {"trace.json", "plan.yaml"}
    trace = Trace.from_json(json.loads((tmp_path / "exported" / "trace.json").read_text(encoding="utf-8")))
    assert trace == KnowFlow().trace(str(ids[0]))
    again = KnowFlow().run(trace.plan, out=tmp_path / "again")
    assert again.answer == KnowFlow().trace(str(ids[0])).answer.value  # type: ignore[union-attr]
    with pytest.raises(UnknownNameError):
        KnowFlow().export_run("nothing", tmp_path / "none")
    assert state_home().joinpath(FILE).is_file()
