"""What becomes of failures: damaged results are made again, plans are repaired, and what cannot start is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from knowflow.execution.events import (
    Diagnosed,
    PlanEdited,
    PlanRepaired,
)
from knowflow.execution.grouping import ends_of, upstream
from knowflow.execution.run_state import RunState, must_be_sound
from knowflow.graph.topology import changed, downstream
from knowflow.ground.errors import NoNumberError
from knowflow.model.plan import Plan
from knowflow.model.repair import Reply
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import Node, Workflow


class Mending(RunState):
    """A run whose plan may change under way."""

    def _lost_results(self) -> bool:
        """Whether results that the plan ends with turned out to be damaged, and are computed again."""
        keys = {record.key for record in map(self._trace.record, ends_of(self._trace.plan)) if record.ready}
        damaged = frozenset(key for key in sorted(keys) if not self._cache.whole(key))
        return bool(damaged) and not self._stopping and self._once_more(damaged)

    def _unfolded(self, nodes: Collection[str]) -> bool:
        """Have rasters that were not kept, and lead to some nodes, made one by one, and these nodes after them: whoever
        looks for a cause sees all that there is. Whether there are any."""
        unkept = {one for one in upstream(self._workflow, nodes) if self._trace.record(one).told_only}
        if unkept:
            self._grouping.alone |= unkept
            self._again({*unkept, *(node for node in nodes if self._trace.record(node).status == "failed")})
        return bool(unkept)

    def _once_more(self, keys: Collection[str], *nodes: str) -> bool:
        """Have damaged results made again, each once, and then the nodes that need them; whether that is done."""
        makers = [record.node for record in self._trace.records.values() if record.ready and record.key in keys]
        if not makers or self._damaged & set(keys):
            return False
        self._damaged |= set(keys)
        titles = [self._workflow.node(maker).title or maker for maker in makers]
        self._note(*(f"{title} was computed again: its result in the cache was damaged or gone" for title in titles))
        for node in (*makers, *nodes):
            self._run.record(NodeRecord(node))
        self._arrange()
        return True

    def _answer_failure(self, node: Node) -> None:
        """A repair of the plan, where there is one; else nothing that depends on the node is started."""
        if self._repair is not None and not self._stopping and self._unfolded({node.id}):
            return
        if self._repair is None or self._stopping or not self._took(self._repair.failure(self._trace, node.id)):
            self._skip_dependents(node)

    def _improved(self, trace: Trace) -> bool:
        """Whether the plan was repaired because its results are not good enough."""
        missed = any(check.truth is False for check in trace.quality)
        unknown = (trace.error or {}).get("code") == NoNumberError.code
        if not (missed or unknown) or self._repair is None or self._stopping:
            return False
        if self._unfolded(ends_of(trace.plan)):
            return True
        reply = self._repair.quality(trace)
        return reply is not None and self._took(reply)

    def _took(self, reply: Reply) -> bool:
        """Keep what was found out about a failure; whether there is a repaired plan to go on with."""
        failed = self._workflow.by_id.get(reply.diagnosis.failed)
        self._tell(Diagnosed(reply.diagnosis.failed if failed is None else failed.title or failed.id, reply.diagnosis))
        if reply.plan is None or reply.repaired is None:
            self._run.find(reply.diagnosis, reply.refused, reply.exchanges)
            return False
        trace = replace(self._trace, exchanges=(*self._trace.exchanges, *reply.exchanges))
        self._run.replace(replace(trace, repairs=(*trace.repairs, reply.repaired)))
        self._tell(PlanRepaired(reply.repaired))
        self._adopt(reply.plan, again=reply.repaired.changed)
        if self._retell is not None and self._session is not None:
            for exhibit in self._retell(self._trace):
                self._session.publish(exhibit)
        return True

    def _skip_dependents(self, failed: Node) -> None:
        because = f"not started, because {failed.title or failed.id} failed"
        for node in map(self._workflow.node, self._agenda.dependents(failed.id)):
            if self._trace.record(node.id).status == "pending":
                error = {"code": "skipped", "message": because, "where": node.title or node.id}
                self._keep(NodeRecord(node.id, "skipped", error=error))

    def _adopt(self, plan: Plan, again: Sequence[str]) -> None:
        """Go on with an edited plan: what the edit does not touch keeps its record. ``again`` runs as it is."""
        must_be_sound(plan, self._catalogue)
        old = self._workflow.by_id
        touched = {*changed(self._trace.plan, plan), *again}
        touched |= downstream(plan.workflow, touched)
        self._stale |= self._under_way.keys() & (touched | (old.keys() - plan.workflow.by_id.keys()))
        records = {
            node.id: self._trace.records[node.id]
            for node in plan.workflow.nodes
            if node.id in self._trace.records
            and node.id not in touched
            and self._trace.records[node.id].status != "skipped"
        }
        self._run.replace(replace(self._trace, plan=plan, records=records))
        if plan.workflow != Workflow(tuple(old.values())):
            because = ", ".join(sorted(touched - old.keys())) or "changed"
            self._tell(PlanEdited(because, len(plan.workflow), plan.workflow))
        self._arrange()
        for record in tuple(records.values()):
            if record.status == "failed":
                self._skip_dependents(plan.workflow.node(record.node))
