"""Ctrl-C loses nothing, wherever it falls."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from execution_examples import node, plan

from knowflow.execution.action import Action, Outcome, Session
from knowflow.execution.interruption import Interruption
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.ground.waiting import hear, listening
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, SeriesOf

CHAIN = plan(
    node("a", "number", value=2.0),
    node("b", "number", value=3.0),
    node("sum", "total", values=SeriesOf((FromNode("a"), FromNode("b")))),
)


class _Pressed:
    """A session during one of whose calls somebody presses Ctrl-C."""

    def __init__(self, session: Any, when: str) -> None:
        self._session = session
        self._when = when

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def _press(self, when: str) -> None:
        if when == self._when:
            self._when = ""
            os.kill(os.getpid(), signal.SIGINT)

    def submit(self, action: Action) -> None:
        self._press("before a node is handed over")
        self._session.submit(action)
        self._press("after a node is handed over")

    def wait_any(self) -> Outcome | None:
        outcome: Outcome | None = self._session.wait_any()
        self._press("after a result is taken")
        return outcome


class PressedRunner(LocalRunner):
    def __init__(self, when: str) -> None:
        super().__init__()
        self._when = when

    def run(self, plan: Any, carry: Any, drive: Callable[[Session], Any]) -> Any:
        return super().run(plan, carry, lambda session: drive(_Pressed(session, self._when)))


@pytest.mark.parametrize(
    "when", ["before a node is handed over", "after a node is handed over", "after a result is taken"]
)
def test_a_run_ends_wherever_ctrl_c_falls_and_nothing_is_waited_for_in_vain(
    when: str, catalogue: Mapping[str, ToolSchema], home: Path
) -> None:
    trace = execute(CHAIN, catalogue, PressedRunner(when), home)
    assert trace.status == "interrupted"
    assert {record.status for record in trace.records.values()} <= {"done", "pending"}


def test_sigint_counts_until_it_is_heard_once_each() -> None:
    with Interruption() as interruption:
        interruption.hear()
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interruption.hear()
        interruption.hear()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_other_threads_leave_signals_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    within: list[Any] = []

    def enter() -> None:
        with Interruption() as interruption:
            within.append(signal.getsignal(signal.SIGINT))
            interruption.hear()

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert within == [before]


def test_in_another_thread_it_hears_what_its_starter_listens_to() -> None:
    """So a server stops the run of a client that cancelled its request."""
    asked = [KeyboardInterrupt]

    def ear() -> None:
        if asked:
            raise asked.pop()

    heard: list[str] = []

    def enter() -> None:
        with listening(ear), Interruption() as interruption, listening(interruption.hear):
            with pytest.raises(KeyboardInterrupt):
                hear()
            interruption.hear()
            heard.append("once")

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert heard == ["once"]
