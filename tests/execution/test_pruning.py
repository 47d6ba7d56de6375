"""What is kept has an end: runs by age, number, size and status, results by when they were used last."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from execution_examples import node, plan, schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowflow.execution.cache import RESULT, Cache
from knowflow.execution.cache_limit import Trimmed, cache_limit, entries, trim
from knowflow.execution.events import NodeEnded
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.pruning import Which, prune
from knowflow.execution.run_store import OpenRun, list_runs, oldest_execution
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import RunStatus

PLAN = plan(node("a", "number", value=1.0))
TOOL = schema("note", {"output": {"type": "path", "role": "output"}})
DAY = 86400.0


def result(home: Path, name: str, size: int, used: float) -> str:
    """A result of a size in the cache, used last at a time."""
    cache, key = Cache(home), (name * 64)[:64]
    with cache.claim(key) as draft:
        (draft / "output.txt").write_bytes(bytes(size))
        cache.publish(key, draft, TOOL, {"output": Artifact("text", path=str(draft / "output.txt"))}, (), 0.0)
    os.utime(cache.folder(key) / RESULT, (used, used))
    return key


def ended(home: Path, status: RunStatus, age_days: float, now: float) -> str:
    run = OpenRun.start(PLAN, "local", home)
    begun = now - age_days * DAY
    (run.folder / "report.html").write_bytes(bytes(1000))
    run.end(replace(run.trace, status=status, started=begun, finished=begun + 1))
    return run.trace.run_id


def held(home: Path) -> set[str]:
    return {entry.key[0] for entry in entries(home)}


def test_what_was_used_least_recently_goes_until_the_rest_fits(home: Path) -> None:
    for used, name in enumerate("abcd", start=1):
        result(home, name, 100_000, float(used))
    assert Cache(home).find("a" * 64) is not None, "which is a use of it"
    total = sum(entry.size for entry in entries(home))
    assert trim(home, total) == Trimmed(0, 0, total)
    seen = trim(home, total - 150_000, dry_run=True)
    assert held(home) == set("abcd")
    assert trim(home, total - 150_000) == seen
    assert held(home) == {"a", "d"}
    assert seen.left == sum(entry.size for entry in entries(home))
    assert trim(home, None).results == 0


def test_what_a_run_needs_that_has_not_ended_stays(home: Path) -> None:
    result(home, "a", 10_000, 1.0)
    running = OpenRun.start(PLAN, "local", home)
    began = oldest_execution(home)
    assert began is not None
    result(home, "b", 10_000, began + 1)
    assert trim(home, 0).results == 1
    assert held(home) == {"b"}
    running.release()
    assert oldest_execution(home) is None
    trim(home, 0)
    assert held(home) == set()


def test_a_run_leaves_the_cache_no_larger_than_it_may_be(
    home: Path, catalogue: dict[str, ToolSchema], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = result(home, "a", 50_000, 1.0)
    monkeypatch.setenv("KNOWFLOW_CACHE_GB", "0.00002")
    trace = execute(PLAN, catalogue, LocalRunner(1), home)
    assert trace.status == "completed"
    assert {entry.key for entry in entries(home)} == {trace.record("a").key}
    assert old not in {entry.key for entry in entries(home)}


def test_a_result_that_went_under_a_run_is_made_again(home: Path, catalogue: dict[str, ToolSchema]) -> None:
    asked = plan(node("text", "note", text="hello"))
    first = execute(asked, catalogue, LocalRunner(1), home)
    path, went = Path(str(first.outputs["answer"].path)), []

    def meanwhile(event: object) -> None:
        if isinstance(event, NodeEnded) and not went:
            went.append(event.record.status)
            Cache(home).drop(first.record("text").key)

    second = execute(asked, catalogue, LocalRunner(1), home, on_event=meanwhile)
    assert (second.status, went, path.read_text()) == ("completed", ["cached"], "hello")
    assert len(second.notes) == 1


def test_the_size_of_the_cache_is_said_in_the_environment_or_in_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    monkeypatch.delenv("KNOWFLOW_CACHE_GB", raising=False)
    assert cache_limit() == 50_000_000_000
    for text, limit in (("size_gb: 2.5\n", 2_500_000_000), ("size_gb: null\n", None)):
        (tmp_path / "cache.yaml").write_text(text)
        assert cache_limit() == limit
    for said, limit in (("1", 1_000_000_000), ("none", None), ("0", 0)):
        monkeypatch.setenv("KNOWFLOW_CACHE_GB", said)
        assert cache_limit() == limit
    for nonsense in ("much", "-1", "nan"):
        monkeypatch.setenv("KNOWFLOW_CACHE_GB", nonsense)
        with pytest.raises(DocumentError):
            cache_limit()
    monkeypatch.delenv("KNOWFLOW_CACHE_GB")
    (tmp_path / "cache.yaml").write_text("size_gb: large\n")
    with pytest.raises(DocumentError):
        cache_limit()


def test_runs_go_by_what_is_said_of_them_and_never_one_that_has_not_ended(home: Path) -> None:
    now = time.time()
    old = ended(home, "completed", 40, now)
    bad = ended(home, "failed", 35, now)
    new = ended(home, "failed", 1, now)
    running = OpenRun.start(PLAN, "local", home)
    damaged = home / "runs" / "20200101-000000-dead"
    damaged.mkdir()
    (damaged / "trace.json").write_text("{")
    seen = prune(home, Which(older_than=30 * DAY, statuses=("failed",)), dry_run=True)
    assert ([run.run_id for run in seen.runs], seen.running) == ([bad], (running.trace.run_id,))
    assert len(list_runs(home)) == 4
    assert prune(home, Which(older_than=30 * DAY, statuses=("failed",))).runs == seen.runs
    assert {run.run_id for run in list_runs(home)} == {old, new, running.trace.run_id}
    assert [run.run_id for run in prune(home, Which(statuses=("unreadable",))).runs] == [damaged.name]
    assert [run.run_id for run in prune(home, Which(keep=1)).runs] == [old]
    assert seen.freed >= 1000
    everything = prune(home, Which(keep=0))
    assert [run.run_id for run in everything.runs] == [new]
    assert [run.run_id for run in list_runs(home)] == [running.trace.run_id]
    assert sorted(path.name for path in home.iterdir()) == ["runs"]
    running.release()
    with pytest.raises(KnowFlowError):
        prune(home, Which())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    # ages that a clock tells apart
    runs=st.lists(
        st.tuples(st.floats(0, 50).map(lambda days: round(days, 4)), st.sampled_from(("completed", "failed"))),
        max_size=5,
    ),
    keep=st.none() | st.integers(0, 4),
    days=st.none() | st.floats(0, 50),
    statuses=st.sampled_from(((), ("failed",), ("completed", "failed"))),
)
def test_a_run_goes_exactly_where_each_thing_that_is_said_agrees(
    tmp_path_factory: pytest.TempPathFactory,
    runs: list[tuple[float, RunStatus]],
    keep: int | None,
    days: float | None,
    statuses: tuple[str, ...],
) -> None:
    home, now = tmp_path_factory.mktemp("home"), time.time()
    ids = {ended(home, status, age, now): (age, status) for age, status in runs}
    which = Which(None if days is None else days * DAY, keep, statuses=statuses)
    if not which.names_runs:
        return
    newest = sorted(ids, key=lambda run_id: (-ids[run_id][0], run_id), reverse=True)
    expected = set()
    for run_id, (age, status) in ids.items():
        old = days is not None and age > days
        many = keep is not None and newest.index(run_id) >= keep
        if (old or many or (days is None and keep is None)) and (not statuses or status in statuses):
            expected.add(run_id)
    gone = {run.run_id for run in prune(home, which).runs}
    near = {run_id for run_id, (age, _) in ids.items() if days is not None and abs(age - days) < 0.01}
    assert gone - near == expected - near
    assert {run.run_id for run in list_runs(home)} == ids.keys() - gone
