"""Threads, and nothing else: for tests, benchmarks and bulk work, and wherever there is no Prefect."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from knowflow.execution.action import Action, Carry, Exhibit, Outcome, Session, next_outcome
from knowflow.ground.errors import RunInterruptedError
from knowflow.model.plan import Plan
from knowflow.model.trace import RunStatus

T = TypeVar("T")


class LocalRunner:
    """Carries out actions in ``workers`` threads of this process."""

    name = "local"
    ui: str | None = None
    exhibits = False

    def __init__(self, workers: int = 2) -> None:
        self._workers = workers

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        session = LocalSession(carry, self._workers)
        try:
            return drive(session)
        finally:
            session.dismiss()


class LocalSession:
    """A few threads that take actions from one queue and put outcomes into another.

    They are daemons: a tool that does not listen when asked to stop cannot keep the process from ending.
    """

    def __init__(self, carry: Carry, workers: int) -> None:
        self._carry = carry
        self._actions: SimpleQueue[Action | None] = SimpleQueue()
        self._outcomes: SimpleQueue[Outcome] = SimpleQueue()
        self._cancelled = threading.Event()
        self.capacity = workers
        for number in range(workers):
            threading.Thread(target=self._work, name=f"knowflow-{number}", daemon=True).start()

    def submit(self, action: Action) -> None:
        self._actions.put(action)

    def wait_any(self) -> Outcome | None:
        return next_outcome(self._outcomes)

    def cancel(self) -> None:
        self._cancelled.set()

    def publish(self, exhibit: Exhibit) -> None:
        """There is nowhere to show it."""

    def close(self, status: RunStatus, message: str) -> tuple[str, ...]:
        """There is nobody to tell."""
        return ()

    def dismiss(self) -> None:
        """Let the threads go when they have finished what they are at."""
        for _ in range(self.capacity):
            self._actions.put(None)

    def _work(self) -> None:
        while (action := self._actions.get()) is not None:
            if self._cancelled.is_set():
                self._outcomes.put(Outcome(action.node, error=RunInterruptedError("stopped on request")))
            else:
                self._outcomes.put(self._carry(action))


class WatchedSession(LocalSession):
    """A thread for each action that is under way elsewhere; while it waits it ends with what ``check`` raises."""

    def __init__(self, carry: Carry, capacity: int, check: Callable[[], None]) -> None:
        super().__init__(carry, capacity)
        self._check = check

    def wait_any(self) -> Outcome | None:
        self._check()
        return super().wait_any()
