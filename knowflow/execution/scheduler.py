"""The scheduler: owns the graph of a run, decides what is ready, and keeps the trace of what became of every node.

Runners only carry out what they are handed. Every change is on disk before the next decision, so that a run can go on
after a crash, an interruption or an edit; what was finished comes from the cache then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from knowflow.execution.action import Action, Outcome, Runner, Session, action_of
from knowflow.execution.cache import DamagedResultError
from knowflow.execution.cache_limit import cache_limit, trim
from knowflow.execution.conclusion import concluded, interrupted, message_of
from knowflow.execution.content import DIGESTS, FileDigests
from knowflow.execution.events import (
    NodeProgress,
    NodeStarted,
    RunEnded,
    RunStarted,
    RunStopping,
    RunWaiting,
)
from knowflow.execution.hooks import Hooks
from knowflow.execution.interruption import Interruption
from knowflow.execution.mending import Mending
from knowflow.execution.run_state import must_be_sound
from knowflow.execution.run_store import OpenRun
from knowflow.execution.together import carried
from knowflow.graph.resolve import arguments_of
from knowflow.ground.errors import KnowFlowError, PlanningError, RunInterruptedError
from knowflow.ground.garbage import uncollected
from knowflow.ground.waiting import listening
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import Node


def execute(
    plan: Plan,
    catalogue: Mapping[str, ToolSchema],
    runner: Runner,
    home: Path,
    out: str = "",
    **hooks: Unpack[Hooks],
) -> Trace:
    """Execute a plan and return its trace; how it ended is ``trace.status``. Failed nodes do not raise.

    ``out`` is where the results go: kept for whoever goes on with the run.

    Raises:
        PlanningError: the plan is not a workflow that could run (cycle, unknown tool, dangling reference).
        ServerError: the runner needs a server and there is none.
    """
    must_be_sound(plan, catalogue)
    digests, told = _admitted(plan, home, hooks)
    run = OpenRun.start(plan, runner.name, home, out, hooks.get("begun"))
    return _Execution(run, catalogue, runner, home, digests, hooks).trace_of_run(told)


def resume(
    run_id: str,
    catalogue: Mapping[str, ToolSchema],
    runner: Runner,
    home: Path,
    out: str = "",
    **hooks: Unpack[Hooks],
) -> Trace:
    """Go on with a run (id, or its beginning) that was interrupted or failed; finished nodes come from the cache.

    Raises:
        UnknownNameError, RunInUseError, UnreadableDataError: there is no such run to go on with.
        PlanningError, ServerError: as in :func:`execute`.
    """
    run = OpenRun.resume(run_id, runner.name, home, out)
    try:
        must_be_sound(run.trace.plan, catalogue)
        digests, told = _admitted(run.trace.plan, home, hooks)
    except KnowFlowError:
        run.release()
        raise
    return _Execution(run, catalogue, runner, home, digests, hooks).trace_of_run(told)


@uncollected
def _admitted(plan: Plan, home: Path, hooks: Hooks) -> tuple[FileDigests, tuple[str, ...]]:
    """The memory of digests with the states of the files that a plan reads, and what is to be told of these."""
    digests = FileDigests(home / DIGESTS)
    digests.begin(leaf.path for one in plan.inputs.values() for leaf in one.leaves() if leaf.path is not None)
    admit = hooks.get("admit")
    return digests, () if admit is None else tuple(admit(plan))


class _Execution(Mending):
    """One execution of one run."""

    def trace_of_run(self, told: Sequence[str] = ()) -> Trace:
        """Run to the end, whichever it is, and keep it; ``told`` is to be known of the files that it reads."""
        try:
            if told:
                self._note(*told)
            return self._runner.run(self._trace.plan, self._carry, self._drive)
        except KeyboardInterrupt:
            return self._end(interrupted(self._trace))
        except KnowFlowError as error:
            self._end(replace(self._trace, status="failed", error=error.to_json(), finished=time.time()))
            raise
        finally:
            self._workshop.close()
            self._digests.keep()
            self._run.release()
            if self._workshop.made:
                with suppress(KnowFlowError, OSError):  # `knowflow doctor` tells of a limit that is none
                    trim(self._home, cache_limit())

    def _carry(self, action: Action, on_progress: Callable[[float], None] | None = None) -> Outcome:
        nodes = [action.node] if action.group is None else [one.node.id for one in action.group.steps]

        def progress(fraction: float) -> None:
            for node in nodes:
                self._tell(NodeProgress(node, fraction))
            if on_progress is not None:
                on_progress(fraction)

        for node in nodes:
            self._tell(NodeStarted(node, action.title if action.group is None else action.group.title_of(node)))
        elsewhere = getattr(self._runner, "elsewhere", None)
        if elsewhere is None:
            return carried(self._workshop, action, progress)
        outcome, told = elsewhere(action, self._run.logs, self._workshop.stopping)
        return self._workshop.agreed(outcome, told)

    def _drive(self, session: Session) -> Trace:
        self._session = session
        if self._trace.ui != self._runner.ui:
            self._run.replace(replace(self._trace, ui=self._runner.ui))
        plan = self._trace.plan
        workflow = plan.workflow
        self._tell(RunStarted(self._trace.run_id, plan.title or plan.query, len(workflow), self._runner.ui, workflow))
        with Interruption() as interruption, listening(interruption.hear):
            try:
                self._work(session, interruption)
                while self._lost_results() or self._improved(trace := concluded(self._trace, self._output)):
                    self._work(session, interruption)
                found = (
                    self._trace
                )  # what was found out about results that are not good enough came after the conclusion
                trace = replace(trace, diagnoses=found.diagnoses, refusals=found.refusals, exchanges=found.exchanges)
            except KeyboardInterrupt:
                self._stop(session, interruption)
                trace = interrupted(self._trace)
        trace = replace(trace, digests=dict(self._digests.told))
        self._run.replace(trace)
        try:
            if self._conclude is not None and trace.status != "interrupted":
                trace = self._conclude(trace, session)
        finally:
            told = session.close(trace.status, message_of(trace))
            trace = self._end(replace(trace, notes=(*trace.notes, *told)))
        return trace

    def _work(self, session: Session, interruption: Interruption) -> None:
        shown = False
        while True:
            interruption.hear()
            while self._agenda and len(self._under_way) - self._grouping.surplus < session.capacity:
                first = self._agenda.take()
                if len(group := self._agenda.group(first)) == 1:
                    self._submit(session, first)
                else:
                    self._submit_group(session, group)
            if not shown:  # drawn while the first nodes run, rather than before them
                for exhibit in self._exhibits():
                    session.publish(exhibit)
                shown = True
            if not self._under_way:
                return
            self._take(session)

    def _take(self, session: Session) -> None:
        """Record what has ended, if anything has."""
        outcome = session.wait_any()
        if outcome is None:
            waits = getattr(self._runner, "waits", "")
            if waits != self._waits:
                self._waits = waits
                if waits:
                    self._tell(RunWaiting(waits))
            return
        if new := [note for note in outcome.notes if note not in self._trace.notes]:
            self._note(*new)
        group = self._grouping.ended(outcome.node)
        if not group:
            self._settle(outcome)
        elif outcome.parts and self._stale.isdisjoint(group):
            for part in outcome.parts:
                self._settle(part)
        else:
            if not outcome.parts and not self._stopping:
                self._grouping.divide(self._workflow, group)
            self._again(group)

    def _submit_group(self, session: Session, group: tuple[str, ...]) -> None:
        """Have nodes carried out in one pass; one by one where it cannot be."""
        action = self._grouping.action(self._trace.plan, group, self._output)
        if action is None:
            self._arrange()
            return
        for node in group:
            self._under_way[node] = self._workflow.node(node)
            self._run.record(NodeRecord(node, "running", started=time.time()))
        session.submit(action)

    def _submit(self, session: Session, node_id: str) -> None:
        node = self._workflow.node(node_id)
        schema = self._catalogue[node.tool]
        self._under_way[node_id] = node
        try:
            arguments = arguments_of(node, schema, self._trace.plan.inputs, self._output)
        except (KnowFlowError, KeyError, IndexError) as error:
            named = error if isinstance(error, KnowFlowError) else _dangling(node, error)
            self._settle(Outcome(node_id, error=named, started=time.time(), finished=time.time()))
            return
        self._run.record(NodeRecord(node_id, "running", started=time.time()))
        made_by = (one for one in reversed(self._trace.repairs) if node_id in (*one.new, *one.changed, one.failed.node))
        session.submit(action_of(node, schema, arguments, next(made_by, None)))

    def _settle(self, outcome: Outcome) -> None:
        node = self._under_way.pop(outcome.node)
        if node.id in self._stale:  # it, or what feeds it, was edited while it ran; its result stays in the cache
            self._stale.discard(node.id)
            self._agenda.offer(node.id)
            return
        if isinstance(outcome.error, DamagedResultError) and self._once_more(outcome.error.keys, node.id):
            return
        record = NodeRecord(
            node.id,
            "failed" if outcome.error is not None else "cached" if outcome.cached else "done",
            outcome.key,
            outcome.outputs,
            outcome.checks,
            None if outcome.error is None else outcome.error.to_json(),
            outcome.started,
            outcome.finished,
        )
        if isinstance(outcome.error, RunInterruptedError):
            self._run.record(NodeRecord(node.id))
            return
        self._keep(record)
        if outcome.error is not None:
            self._answer_failure(node)
        elif not self._stopping:
            self._agenda.offer_followers(node.id)

    def _stop(self, session: Session, interruption: Interruption) -> None:
        """Ask what runs to end and wait for it; a second interruption stops the waiting."""
        self._stopping = True
        self._workshop.stop()
        session.cancel()
        self._run.replace(replace(self._trace, status="interrupted"))
        self._tell(RunStopping(tuple(self._under_way)))
        with suppress(KeyboardInterrupt):
            while self._under_way:
                interruption.hear()
                self._take(session)

    def _end(self, trace: Trace) -> Trace:
        self._run.end(trace)
        self._tell(RunEnded(trace.run_id, trace.status, message_of(trace)))
        return trace


def _dangling(node: Node, error: Exception) -> KnowFlowError:
    return PlanningError(
        f"an argument of {node.id} refers to what is not there",
        where=node.title or node.id,
        found=f"{type(error).__name__}: {error}",
    )
