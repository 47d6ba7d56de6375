"""A Prefect server that dies under a run costs the run nothing but its picture: it goes on, ends, and says so."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from execution_examples import node, plan

from knowflow.execution import prefect_flow_run, prefect_server
from knowflow.execution.action import Exhibit, Session
from knowflow.execution.events import Event, NodeEnded
from knowflow.execution.prefect_flow_run import ServerWatch
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.run_store import load_run
from knowflow.execution.scheduler import execute
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromNode, SeriesOf

Catalogue = Mapping[str, ToolSchema]


def test_a_run_whose_server_is_killed_goes_on_to_its_end_and_the_next_one_is_shown_again(
    catalogue: Catalogue, home: Path, server: tuple[str, Path], tmp_path: Path
) -> None:
    """Prefect alone asks the server that is gone for two minutes, and then loses the results."""
    mortal = tmp_path / "mortal"
    prefect_server.ensure_server(mortal)
    pid = prefect_server.server_status(mortal).pid
    assert pid is not None

    def kill(event: Event) -> None:
        if isinstance(event, NodeEnded) and event.record.node == "a":
            os.killpg(pid, signal.SIGKILL)

    def conclude(trace: Trace, session: Session) -> Trace:
        session.publish(Exhibit("markdown", "end", "The end", "of it"))
        return trace

    asked = plan(
        node("a", "number", value=2.0),
        node("b", "total", values=SeriesOf((FromNode("a"), FromNode("a")))),
        node("c", "total", values=SeriesOf((FromNode("b"), FromNode("b")))),
    )
    try:
        trace = execute(asked, catalogue, PrefectRunner(mortal), home, on_event=kill, conclude=conclude)
    finally:
        prefect_server.stop_server(mortal)
    assert pid not in prefect_server._CHILDREN
    assert (trace.status, trace.outputs["answer"].value) == ("completed", 8.0)
    (told,) = trace.notes
    assert "the Prefect server stopped answering" in told
    stored = load_run(trace.run_id, home)
    assert (stored.status, stored.notes) == ("completed", trace.notes)
    again = execute(asked, catalogue, PrefectRunner(server[1]), home)
    assert (again.status, again.notes) == ("completed", ())


class Clock:
    """The time, and a server that answers as the test says, after as long."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now, self.answer, self.takes = 1000.0, True, 0.0
        patch.setattr(prefect_flow_run.time, "monotonic", lambda: self.now)
        patch.setattr(prefect_flow_run, "answers", self.answers)

    def answers(self, api_url: str) -> bool:
        self.now += self.takes
        return self.answer

    def gone_after(self, watch: ServerWatch, seconds: float) -> bool:
        end = self.now + seconds
        while self.now < end and not watch.gone():
            self.now += 0.5
        return watch.gone()


@pytest.mark.parametrize(("takes", "still_there", "gone"), [(0.0, 3.0, 8.0), (5.0, 10.0, 30.0)])
def test_a_server_that_refuses_is_gone_soon_and_one_that_is_silent_later(
    monkeypatch: pytest.MonkeyPatch, takes: float, still_there: float, gone: float
) -> None:
    clock = Clock(monkeypatch)
    watch = ServerWatch("http://example.test/api")
    assert not clock.gone_after(watch, 60.0)
    clock.answer, clock.takes = False, takes
    assert not clock.gone_after(watch, still_there)
    assert clock.gone_after(watch, gone)


def test_a_server_that_nobody_looked_at_for_an_hour_is_not_gone_at_the_first_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock: Any = Clock(monkeypatch)
    watch = ServerWatch("http://example.test/api")
    clock.now += 3600.0
    clock.answer = False
    assert not watch.gone()
    assert clock.gone_after(watch, 10.0)
