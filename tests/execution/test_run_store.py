"""Traces on disk survive whatever happens to the process that writes them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from execution_examples import node, plan

from knowflow.execution.run_store import OpenRun, RunInUseError, full_id, list_runs, load_run, run_folder, save
from knowflow.ground.errors import UnknownNameError, UnreadableDataError
from knowflow.model.artifact import scalar
from knowflow.model.trace import NodeRecord

PLAN = plan(node("a", "number", value=1.0), node("b", "number", value=2.0))


def test_run_ids_say_when_and_runs_are_listed_newest_first(home: Path) -> None:
    runs = [OpenRun.start(PLAN, "local", home) for _ in range(3)]
    for run in runs:
        assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", run.trace.run_id)
        run.release()
    assert [run.run_id for run in list_runs(home)] == [run.trace.run_id for run in reversed(runs)]


def test_every_change_is_on_disk_at_once(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    run.record(NodeRecord("a", "running", started=1.0))
    assert load_run(run.trace.run_id, home).record("a").status == "running"
    run.record(NodeRecord("a", "done", outputs={"value": scalar(float("nan"))}, started=1.0, finished=2.0))
    found = load_run(run.trace.run_id, home)
    assert (found.status, found.record("a").status, found.record("a").seconds) == ("running", "done", 1.0)
    assert str(found.record("a").outputs["value"].value) == "nan"
    run.release()


def test_a_home_that_is_a_file_holds_no_runs_to_be_told_of(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "nothing yet") == ()
    (tmp_path / "file").write_text("")
    for look in (lambda: list_runs(tmp_path / "file"), lambda: load_run("2026", tmp_path / "file")):
        with pytest.raises(UnreadableDataError) as error:
            look()
        assert error.value.found == "a file, in place of a folder"
        assert "KNOWFLOW_HOME" in str(error.value.hint)


def test_a_run_whose_process_is_gone_counts_as_interrupted(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    run.record(NodeRecord("a", "done"))
    run.release()
    found = load_run(run.trace.run_id, home)
    assert (found.status, found.record("a").status) == ("interrupted", "done")


def test_a_change_that_was_cut_by_a_crash_is_as_if_it_had_not_begun(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    run.record(NodeRecord("a", "done"))
    run.release()
    (journal,) = run.folder.glob("changes-*.jsonl")
    with journal.open("a") as stream:
        stream.write('{"node": "b", "sta')
    found = load_run(run.trace.run_id, home)
    assert (found.record("a").status, found.record("b").status) == ("done", "pending")


def test_an_edit_of_the_plan_is_not_undone_by_older_changes(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    run.record(NodeRecord("b", "failed"))
    (old,) = run.folder.glob("changes-*.jsonl")
    content = old.read_text()
    run.replace(replace(run.trace, plan=plan(node("a", "number", value=5.0)), records={}))
    old.write_text(content)  # as if the process had died before it removed the old journal
    found = load_run(run.trace.run_id, home)
    assert found.records == {}
    assert found.plan.workflow.by_id.keys() == {"a"}
    run.release()


def test_an_ended_run_is_one_document(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    run.record(NodeRecord("a", "done"))
    run.end(replace(run.trace, status="completed"))
    assert load_run(run.trace.run_id, home).status == "completed"
    assert sorted(path.name for path in run.folder.iterdir()) == ["lock", "trace.json"]
    save(replace(run.trace, report="report.html"), home)
    assert load_run(run.trace.run_id, home).report == "report.html"


def test_a_run_took_the_time_of_its_executions_and_not_the_time_between_them(home: Path) -> None:
    first = OpenRun.start(PLAN, "local", home)
    first.end(replace(first.trace, status="failed", started=1000.0, finished=1010.0))
    second = OpenRun.resume(first.trace.run_id, "local", home)
    assert (second.trace.started, second.trace.seconds) == (1000.0, 10.0)
    begun = second.trace.resumed
    assert begun is not None
    second.record(NodeRecord("a", "done", started=begun, finished=begun + 3.0))
    second.release()  # as if the process had died: what its records tell counts
    third = OpenRun.resume(first.trace.run_id, "local", home)
    assert third.trace.seconds == pytest.approx(13.0)
    assert third.trace.resumed is not None
    third.end(replace(third.trace, status="completed", finished=third.trace.resumed + 2.0))
    assert list_runs(home)[0].seconds == pytest.approx(15.0)


def test_a_run_has_one_executor(home: Path) -> None:
    run = OpenRun.start(PLAN, "local", home)
    with pytest.raises(RunInUseError):
        OpenRun.resume(run.trace.run_id, "local", home)
    run.release()
    OpenRun.resume(run.trace.run_id, "local", home).release()


def test_the_beginning_of_an_id_is_enough_where_it_is_one_runs(home: Path) -> None:
    ids = ("20260101-000000-aaaa", "20260101-000000-abbb")
    for run_id in ids:
        run_folder(run_id, home).mkdir(parents=True)
        save(replace(OpenRun.start(PLAN, "local", home).trace, run_id=run_id), home)
    assert full_id("20260101-000000-ab", home) == ids[1]
    assert full_id(ids[0], home) == ids[0]
    for vague in ("20260101", "", "1999"):
        with pytest.raises(UnknownNameError) as caught:
            full_id(vague, home)
        assert ids[0] in str(caught.value.expected)


def test_a_damaged_trace_is_a_named_error_and_does_not_hide_the_others(home: Path) -> None:
    good, bad = (OpenRun.start(PLAN, "local", home) for _ in range(2))
    for content, found in (("{", "JSONDecodeError"), ('{"format": 99}', "no key 'run_id'")):
        (bad.folder / "trace.json").write_text(content)
        with pytest.raises(UnreadableDataError) as caught:
            load_run(bad.trace.run_id, home)
        assert found in str(caught.value.found)
        assert "ask again" in str(caught.value.hint)
    assert [run.run_id for run in list_runs(home)] == [good.trace.run_id]
    for run in (good, bad):
        run.release()


def test_without_any_run_there_is_nothing_to_list(home: Path) -> None:
    assert list_runs(home) == ()
    with pytest.raises(UnknownNameError):
        load_run("2026", home)
