"""``knowflow runs prune``: what goes, what stays, and what is told of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from knowflow.execution.run_store import OpenRun, list_runs
from knowflow.ground.resources import state_home
from knowflow.model.plan import Plan
from knowflow.model.workflow import Workflow
from knowflow.roof.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["runs", "prune", *arguments])
    written = capsys.readouterr()
    return int(ended.value.code or 0), written.out, written.err


@pytest.fixture
def kept() -> list[str]:
    """Three runs that have ended and one that has not, oldest first."""
    names = []
    for age, status in ((40, "failed"), (35, "completed"), (1, "failed")):
        run = OpenRun.start(Plan("a question", "t", workflow=Workflow()), "local", state_home())
        begun = run.trace.started - age * 86400.0
        run.end(replace(run.trace, status=status, started=begun, finished=begun + 1))
        names.append(run.trace.run_id)
    return names


def test_a_dry_run_tells_what_would_go_and_nothing_goes(kept: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--older-than", "30d", "--dry-run")
    assert code == 0
    assert [name in out for name in kept] == [True, True, False]
    assert "Would free" in out
    assert len(list_runs(state_home())) == 3


def test_what_goes_is_told_as_json_with_what_it_freed(kept: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    running = OpenRun.start(Plan("a question", "t", workflow=Workflow()), "local", state_home())
    code, out, _ = run(capsys, "--older-than", "30d", "--status", "failed", "--json")
    told = json.loads(out)
    assert (code, [one["run_id"] for one in told["runs"]]) == (0, kept[:1])
    assert told["running"] == [running.trace.run_id]
    assert told["freed_bytes"] == sum(one["bytes"] for one in told["runs"]) > 0
    assert {one.run_id for one in list_runs(state_home())} == {*kept[1:], running.trace.run_id}
    running.release()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ((), "--older-than"),
        (("--older-than", "long"), "30d"),
        (("--max-size", "5 apples"), "5GB"),
        (("--status", "running"), "unreadable"),
    ],
)
def test_what_is_not_read_is_refused_and_nothing_goes(
    kept: list[str], capsys: pytest.CaptureFixture[str], options: tuple[str, ...], named: str
) -> None:
    code, _, told = run(capsys, *options)
    assert code == 2
    assert named in told
    assert len(list_runs(state_home())) == 3


def test_the_cache_alone_may_be_made_smaller(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "--cache-size", "1GB", "--json")
    assert (code, json.loads(out)["cache"]) == (0, {"results": 0, "bytes": 0, "left_bytes": 0})
