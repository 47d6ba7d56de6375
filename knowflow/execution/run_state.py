"""Where a run stands: its record, what of it can start, what is under way, and who is told of it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from knowflow.execution.action import Runner, Session
from knowflow.execution.agenda import Agenda
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.content import FileDigests
from knowflow.execution.events import (
    Event,
    NodeEnded,
)
from knowflow.execution.grouping import Grouping, may_fuse, reclaimed
from knowflow.execution.hooks import Hooks
from knowflow.execution.keys import Keyring
from knowflow.execution.run_store import OpenRun
from knowflow.execution.shared_setting import shared_cache
from knowflow.graph.check import structure_problems
from knowflow.ground.errors import PlanningError
from knowflow.ground.garbage import uncollected
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import Node, Workflow


@uncollected
def must_be_sound(plan: Plan, catalogue: Mapping[str, ToolSchema]) -> None:
    """Refuse a plan that is no workflow that could run.

    Raises:
        PlanningError: a cycle, an unknown tool, a dangling reference.
    """
    problems = [problem for problem in structure_problems(plan.workflow, catalogue) if problem.severity == "error"]
    if problems:
        raise PlanningError("the plan cannot be executed", problems=problems)


class RunState:
    """The state of one execution of one run. Every change of it is on disk before the next decision."""

    def __init__(
        self,
        run: OpenRun,
        catalogue: Mapping[str, ToolSchema],
        runner: Runner,
        home: Path,
        digests: FileDigests,
        hooks: Hooks,
    ) -> None:
        # lazily imported there: a registry knows every kit
        from knowflow.tools.registry import implementation_digest

        self._run = run
        self._catalogue = catalogue
        self._runner = runner
        self._on_event = hooks.get("on_event")
        self._exhibits = hooks.get("exhibits", tuple)
        self._repair = hooks.get("repair")
        self._retell = hooks.get("retell")
        self._conclude = hooks.get("conclude")
        self._session: Session | None = None
        self._telling = threading.Lock()
        self._home = home
        self._cache = Cache(home, shared_cache())
        self._cache.sweep()
        self._digests = digests
        self._workshop = Workshop(self._cache, Keyring(digests, implementation_digest), run.logs)
        self._under_way: dict[str, Node] = {}
        self._grouping = Grouping(catalogue, hooks.get("fuse", may_fuse()), spread=hasattr(runner, "elsewhere"))
        self._stale: set[str] = set()
        self._damaged: set[str] = set()
        self._stopping = False
        self._waits = ""
        self._arrange()

    @property
    def _trace(self) -> Trace:
        return self._run.trace

    @property
    def _workflow(self) -> Workflow:
        return self._run.trace.plan.workflow

    def _tell(self, event: Event) -> None:
        if self._on_event is not None:
            with self._telling:
                self._on_event(event)

    def _output(self, node_id: str, output: str) -> Artifact:
        """An output of a finished node; an empty name means the primary one."""
        schema = self._catalogue[self._workflow.node(node_id).tool]
        return self._trace.record(node_id).outputs[output or schema.primary_output]

    def _note(self, *told: str) -> None:
        self._run.replace(replace(self._trace, notes=(*self._trace.notes, *told)))

    def _keep(self, record: NodeRecord) -> None:
        self._run.record(record)
        node = self._workflow.node(record.node)
        self._settled += 1
        self._tell(NodeEnded(node.title or node.id, record, self._settled, len(self._workflow)))

    def _again(self, nodes: Collection[str]) -> None:
        """Have nodes wait to be started, as if they had not been."""
        for node in nodes:
            self._under_way.pop(node, None)
            self._stale.discard(node)
            if node in self._workflow.by_id:
                self._run.record(NodeRecord(node))
        self._arrange()

    @uncollected
    def _arrange(self) -> None:
        """Work out from the workflow and the records what can start, and what of it together."""
        for node in reclaimed(self._workflow, self._trace):
            self._run.record(NodeRecord(node))
        records = [self._trace.record(node.id) for node in self._workflow.nodes]
        self._settled = sum(record.status not in ("pending", "running") for record in records)
        free = {one.node for one in records if one.status == "pending"} - self._under_way.keys()
        groups = self._grouping.arranged(self._trace.plan, free)
        self._agenda = Agenda(self._workflow, lambda node: self._run.trace.record(node), self._under_way, groups)
