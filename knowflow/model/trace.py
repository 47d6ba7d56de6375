"""Traces: the complete record of one execution of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from knowflow.model.artifact import Artifact, in_unit
from knowflow.model.literal import plain
from knowflow.model.plan import Plan

NodeStatus = Literal["pending", "running", "done", "cached", "failed", "skipped"]
RunStatus = Literal["running", "completed", "failed", "refused", "interrupted"]


@dataclass(frozen=True, slots=True)
class Check:
    """A condition checked before or after a node, with the evidence."""

    phase: Literal["before", "after", "quality"]
    condition: str
    truth: bool | None
    because: str = ""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """What happened to one node. Times are seconds since the epoch."""

    node: str
    status: NodeStatus = "pending"
    key: str = ""
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    error: Mapping[str, Any] | None = None
    started: float | None = None
    finished: float | None = None

    @property
    def seconds(self) -> float | None:
        if self.started is None or self.finished is None:
            return None
        return self.finished - self.started

    @property
    def ready(self) -> bool:
        """Its outputs can be used."""
        return self.status in ("done", "cached")

    def to_json(self) -> dict[str, Any]:
        return {
            "node": self.node,
            "status": self.status,
            "key": self.key,
            "outputs": {name: artifact.to_json() for name, artifact in self.outputs.items()},
            "checks": [
                {"phase": c.phase, "condition": c.condition, "truth": c.truth, "because": c.because}
                for c in self.checks
            ],
            "error": plain(self.error),
            "started": self.started,
            "finished": self.finished,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NodeRecord:
        return cls(
            node=data["node"],
            status=data["status"],
            key=data.get("key", ""),
            outputs={name: Artifact.from_json(item) for name, item in data.get("outputs", {}).items()},
            checks=tuple(Check(**check) for check in data.get("checks", ())),
            error=data.get("error"),
            started=data.get("started"),
            finished=data.get("finished"),
        )


@dataclass(frozen=True)
class Trace:
    """One run: its plan, what became of every node, and how it ended."""

    run_id: str
    plan: Plan
    status: RunStatus = "running"
    records: Mapping[str, NodeRecord] = field(default_factory=dict)
    runner: str = "local"
    started: float = 0.0
    finished: float | None = None
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    delivered: Mapping[str, str] = field(default_factory=dict)
    quality: tuple[Check, ...] = ()
    error: Mapping[str, Any] | None = None
    report: str | None = None
    ui: str | None = None
    version: str = ""

    @property
    def answer_name(self) -> str | None:
        """The output that answers the query: the one its plan names, else ``answer``, else the first."""
        return next((name for name in (self.plan.answer, "answer", *self.outputs) if name in self.outputs), None)

    @property
    def answer(self) -> Artifact | None:
        """What answers the query, in the unit that it asks for where it can be told in it."""
        name = self.answer_name
        return None if name is None else in_unit(self.outputs[name], self.plan.unit)

    def record(self, node: str) -> NodeRecord:
        return self.records.get(node, NodeRecord(node))

    def with_record(self, record: NodeRecord) -> Trace:
        return replace(self, records={**self.records, record.node: record})

    def to_json(self) -> dict[str, Any]:
        return {
            "trace": 1,
            "run_id": self.run_id,
            "status": self.status,
            "runner": self.runner,
            "version": self.version,
            "started": self.started,
            "finished": self.finished,
            "ui": self.ui,
            "report": self.report,
            "error": plain(self.error),
            "outputs": {name: artifact.to_json() for name, artifact in self.outputs.items()},
            "delivered": dict(self.delivered),
            "quality": [
                {"phase": c.phase, "condition": c.condition, "truth": c.truth, "because": c.because}
                for c in self.quality
            ],
            "records": [record.to_json() for record in self.records.values()],
            "plan": self.plan.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        return cls(
            run_id=data["run_id"],
            plan=Plan.from_json(data["plan"]),
            status=data["status"],
            records={item["node"]: NodeRecord.from_json(item) for item in data.get("records", ())},
            runner=data.get("runner", "local"),
            started=data.get("started", 0.0),
            finished=data.get("finished"),
            outputs={name: Artifact.from_json(item) for name, item in data.get("outputs", {}).items()},
            delivered=data.get("delivered", {}),
            quality=tuple(Check(**check) for check in data.get("quality", ())),
            error=data.get("error"),
            report=data.get("report"),
            ui=data.get("ui"),
            version=data.get("version", ""),
        )
