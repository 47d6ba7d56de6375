"""Runs of very many nodes in Prefect: a task run for each group of nodes that do the same, not one for each node.

The actions themselves are carried out by threads of our own. The body of a task run only tells of those of its group,
from the first that begins to the last that ends: how many there are, and which failed.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

from knowflow.execution.action import Action, Carry, Outcome
from knowflow.execution.local_runner import LocalSession
from knowflow.execution.prefect_flow_run import OpenFlowRun
from knowflow.execution.prefect_session import PrefectSession, ProgressArtifact
from knowflow.graph.export import Group, folded
from knowflow.ground.errors import RunInterruptedError
from knowflow.model.plan import Plan
from knowflow.model.trace import RunStatus

if TYPE_CHECKING:
    from prefect import Task
    from prefect.client.schemas.objects import RunInput, State
    from prefect.futures import PrefectFuture
    from prefect.task_runners import ThreadPoolTaskRunner

MANY = 1000  # nodes of a plan, from which on they are shown in groups
MOST_OPEN = 64  # groups that are shown at once; the actions of others do not wait for them
_MOST_ERRORS = 100  # of a group that are told one by one
_TELL_EVERY_S = 10.0
_PATIENCE_S = 10.0

_Key = tuple[str, int]


@dataclass(eq=False)
class _Shown:
    """A group as it is shown: what of it has ended, and what is to be told of it (None: all has been)."""

    title: str
    tags: tuple[str, ...]
    size: int
    told: SimpleQueue[tuple[str, Outcome] | None] = field(default_factory=SimpleQueue)
    ended: int = 0
    failed: int = 0
    cached: int = 0
    future: PrefectFuture[Any] | None = None


class GroupedSession(PrefectSession):
    """Actions in threads, and the groups that they belong to as task runs of the current flow run."""

    def __init__(
        self,
        carry: Carry,
        threads: ThreadPoolTaskRunner[Any],
        workers: int,
        plan: Plan,
        flow_run: OpenFlowRun | None = None,
    ) -> None:
        from prefect import task

        super().__init__(carry, threads, workers, flow_run)
        self._local = LocalSession(self._carried, workers)
        self._groups = {node.id: group for group in folded(plan.workflow) for node in group.nodes}
        self._lock = threading.Lock()
        self._open: dict[_Key, _Shown] = {}
        self._all: list[_Shown] = []
        self._key_of: dict[str, _Key] = {}
        self._ids: dict[_Key, Any] = {}
        self._show: Task[..., Any] = task(name="group", persist_result=False)(self._run_group)

    def submit(self, action: Action) -> None:
        nodes = [action.node] if action.group is None else [step.node.id for step in action.group.steps]
        group = self._groups.get(nodes[-1])
        key = (action.schema.tool if group is None else group.head.id, len(nodes))
        with self._lock:
            if key not in self._open:
                self._begin(key, action, group, len(nodes))
            self._key_of |= dict.fromkeys(nodes, key)
        self._local.submit(action)

    def wait_any(self) -> Outcome | None:
        return self._local.wait_any()

    def cancel(self) -> None:
        super().cancel()
        self._local.cancel()

    def dismiss(self) -> None:
        """Have all threads end: of task runs that wait for more to tell of, too."""
        self._local.dismiss()
        with self._lock:
            for shown in self._open.values():
                shown.told.put(None)
            self._open.clear()

    def close(self, status: RunStatus, message: str) -> tuple[str, ...]:
        self.dismiss()
        until = time.monotonic() + _PATIENCE_S
        for shown in self._all:
            if shown.future is not None:
                shown.future.wait(timeout=max(0.1, until - time.monotonic()))
        return super().close(status, message)

    def _begin(self, key: _Key, action: Action, group: Group | None, steps: int) -> None:
        """Show a group as a task run that waited for those of which it takes something."""
        from prefect.client.schemas.objects import TaskRunResult

        size = 1 if group is None else len(group.nodes)
        title = action.title if group is None or size == 1 else f"{group.title}, {size} nodes"
        together = f" (with {steps - 1} nodes before each, in one pass)" if steps > 1 and size > 1 else ""
        shown = self._open[key] = _Shown(f"{title}{together}", action.tags, size)
        self._all.append(shown)
        before = {self._key_of[node] for node in action.depends_on if node in self._key_of} - {key}
        uses: set[RunInput] = {TaskRunResult(id=self._ids[one]) for one in before}
        named = self._show.with_options(name=action.schema.tool, task_run_name=cast("Any", lambda: shown.title))
        shown.future = self._threads.submit(
            named, {"number": len(self._all) - 1, "uses": tuple(one for one, _ in before)}, dependencies={"uses": uses}
        )
        self._ids[key] = shown.future.task_run_id

    def _carried(self, action: Action, on_progress: Any = None) -> Outcome:
        outcome = self._carry(action)
        nodes = len(outcome.parts) if action.group is not None else 1
        with self._lock:
            key = self._key_of[action.node]
            shown = self._open.get(key)
            if shown is None or (nodes == 0 and outcome.error is None):  # its nodes come again, one by one
                return outcome
            shown.ended += 1
            shown.failed += outcome.error is not None and not isinstance(outcome.error, RunInterruptedError)
            shown.cached += all(part.cached for part in outcome.parts or (outcome,))
            shown.told.put((action.title, outcome))
            if shown.ended >= shown.size:
                shown.told.put(None)
                del self._open[key]
        return outcome

    def _run_group(self, number: int, uses: tuple[str, ...]) -> State[Any]:
        """The body of a task run: it tells of a group until all of that has ended."""
        from prefect.states import Cancelled, Completed, Failed

        shown = self._all[number]
        self.tell_ourselves(shown.tags)
        progress = ProgressArtifact(shown.title, self._postbox)
        count = errors = 0
        last = time.monotonic()
        while (told := shown.told.get()) is not None:
            title, outcome = told
            count += 1
            progress(count / shown.size)
            if outcome.error is not None and not isinstance(outcome.error, RunInterruptedError):
                errors += 1
                if errors <= _MOST_ERRORS:
                    self._postbox.note(logging.ERROR, f"{title}: {outcome.error}")
            if time.monotonic() - last > _TELL_EVERY_S:
                last = time.monotonic()
                self._postbox.note(logging.INFO, f"{count} of {shown.size}")
        said = f"{shown.ended} of {shown.size}, {shown.cached} from the cache, {shown.failed} failed"
        self._postbox.note(logging.ERROR if shown.failed else logging.INFO, said)
        if shown.failed:
            return Failed(message=said)
        if self._cancelled and shown.ended < shown.size:
            return Cancelled(message="stopped on request")
        return Completed(name="Cached", message=said) if shown.cached == shown.ended else Completed(message=said)
