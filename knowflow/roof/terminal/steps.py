"""What a run does, told by kind of step: the nodes that do the same to each date are one line, not one each."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowflow.graph.export import folded
from knowflow.model.trace import NodeRecord
from knowflow.model.workflow import Workflow
from knowflow.roof.notation import duration


@dataclass(slots=True)
class Step:
    """Nodes that do the same to different items, and what became of those that have ended."""

    title: str
    size: int
    ended: dict[str, NodeRecord] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.title if self.size == 1 else f"{self.title} × {self.size}"

    @property
    def whole(self) -> bool:
        return len(self.ended) == self.size

    @property
    def status(self) -> str:
        """The worst that happened to any of them, of those that were not simply left where they were."""
        found = {record.status for record in self.ended.values()}
        return next((status for status in ("failed", "skipped", "done", "cached") if status in found), "")

    def spent(self) -> str:
        """From the first start to the last end; and how many were taken from the cache, or not started."""
        records = self.ended.values()
        cached, skipped = (sum(r.status == status for r in records) for status in ("cached", "skipped"))
        if cached == self.size:
            return "from cache"
        if skipped == self.size:
            return "not started"
        ran = [r for r in records if r.status not in ("cached", "skipped")]
        starts = [r.started for r in ran if r.started is not None]
        ends = [r.finished for r in ran if r.finished is not None]
        told = [duration(max(ends) - min(starts))] if starts and ends else []
        told += [f"{cached} from cache"] if cached else []
        told += [f"{skipped} not started"] if skipped else []
        return ", ".join(told)


class Steps:
    """The steps of a workflow, by the nodes in them. An edit of the workflow keeps what was told of before."""

    def __init__(self) -> None:
        self._of: dict[str, Step] = {}

    def arrange(self, workflow: Workflow) -> None:
        before = self._of
        self._of = {}
        for group in folded(workflow):
            step = Step(group.title, len(group.nodes))
            for node in group.nodes:
                self._of[node.id] = step
                record = before[node.id].ended.get(node.id) if node.id in before else None
                if record is not None:
                    step.ended[node.id] = record

    def of(self, node: str, title: str) -> Step:
        """The step that a node is part of; by itself where the workflow was not told."""
        return self._of.setdefault(node, Step(title or node, 1))

    def again(self, node: str) -> None:
        """A node starts; if it had ended before, that does not count any more."""
        if node in self._of:
            self._of[node].ended.pop(node, None)

    def begun(self) -> list[Step]:
        """Those of which some nodes have ended, and others have not."""
        found = {id(step): step for step in self._of.values() if step.ended and not step.whole}
        return list(found.values())
