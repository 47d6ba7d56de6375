"""Plans: a workflow whose inputs and parameters are all bound to real files and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.literal import frozen, plain
from knowflow.model.workflow import Inserted, Node, Value, Workflow, from_json, to_json

PLAN_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something taken for granted: a user's ``--assume``, a template's default, a fact nobody declared."""

    what: str
    value: Any
    origin: str
    because: str = ""

    @property
    def statement(self) -> bool:
        """It is a sentence of its own rather than the value of something."""
        return self.value is True

    def __str__(self) -> str:
        if self.statement:
            return f"{self.what} ({self.because or self.origin})"
        return f"{self.what} = {self.value} ({self.origin}{'; ' + self.because if self.because else ''})"


@dataclass(frozen=True, slots=True)
class Quality:
    """A condition on the results that the template demands, with the values its names stand for."""

    condition: str
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice the planner made: what was chosen for what, why, and what was passed over with which reason."""

    what: str
    chosen: str
    because: str
    rejected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Plan:
    """Everything a run needs. Equal plans give equal results. ``answer`` names the output that the query asks for,
    ``unit`` the unit it is wanted in, where the query says one. ``files`` has the size of each input file when the plan
    was made and when it was written, by path."""

    query: str
    template: str
    workflow: Workflow
    inputs: Mapping[str, Artifact] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Value] = field(default_factory=dict)
    answer: str = ""
    unit: str = ""
    quality: tuple[Quality, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    decisions: tuple[Decision, ...] = ()
    title: str = ""
    understood: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def called(self) -> Mapping[str, str]:
        """What the data call quantities whose own names say little, by kind."""
        told: Mapping[str, str] = dict(self.understood.get("called") or {}).get("value", {})
        return told

    @property
    def parts(self) -> Mapping[str, str]:
        """The outputs that answer a question with parts, by name, with what each is of, in words; none of others."""
        told: Mapping[str, str] = dict(self.understood.get("parts") or {}).get("value", {})
        return {name: told[name] for name in self.outputs if name in told}

    @property
    def inserted_nodes(self) -> tuple[str, ...]:
        return tuple(node.id for node in self.workflow.nodes if node.inserted is not None)

    def to_json(self) -> dict[str, Any]:
        told: dict[int, dict[str, Any]] = {}
        return {
            "plan": PLAN_FORMAT,
            "query": self.query,
            "title": self.title,
            "template": self.template,
            "understood": plain(self.understood),
            "parameters": plain(self.parameters),
            "inputs": {name: artifact.to_json(told) for name, artifact in self.inputs.items()},
            "files": dict(self.files),
            "nodes": [node_to_json(node) for node in self.workflow.nodes],
            "outputs": {name: to_json(value) for name, value in self.outputs.items()},
            "answer": self.answer,
            "unit": self.unit,
            "quality": [
                {"condition": q.condition, "values": {name: to_json(v) for name, v in q.values.items()}}
                for q in self.quality
            ],
            "assumptions": [
                {"what": a.what, "value": plain(a.value), "origin": a.origin, "because": a.because}
                for a in self.assumptions
            ],
            "decisions": [
                {
                    "what": d.what,
                    "chosen": d.chosen,
                    "because": d.because,
                    "rejected": [list(r) for r in d.rejected],
                }
                for d in self.decisions
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        return cls(
            query=data.get("query", ""),
            title=data.get("title", ""),
            template=data.get("template", ""),
            understood=frozen(data.get("understood", {})),
            files=data.get("files", {}),
            parameters=frozen(data.get("parameters", {})),
            inputs={name: Artifact.from_json(item) for name, item in data.get("inputs", {}).items()},
            workflow=Workflow(tuple(node_from_json(item) for item in data.get("nodes", ()))),
            outputs={name: from_json(value) for name, value in data.get("outputs", {}).items()},
            answer=data.get("answer", ""),
            unit=data.get("unit", ""),
            quality=tuple(
                Quality(q["condition"], {name: from_json(v) for name, v in q.get("values", {}).items()})
                for q in data.get("quality", ())
            ),
            assumptions=tuple(Assumption(**frozen(item)) for item in data.get("assumptions", ())),
            decisions=tuple(
                Decision(d["what"], d["chosen"], d["because"], tuple((r[0], r[1]) for r in d.get("rejected", ())))
                for d in data.get("decisions", ())
            ),
        )


def node_to_json(node: Node) -> dict[str, Any]:
    data: dict[str, Any] = {"id": node.id, "tool": node.tool, "layer": node.layer}
    if node.title:
        data["title"] = node.title
    if node.step:
        data["step"] = node.step
    if node.of:
        data["of"] = node.of
    data["args"] = {name: to_json(value) for name, value in node.args.items()}
    if node.inserted is not None:
        data["inserted"] = {
            "by": node.inserted.by,
            "because": node.inserted.because,
            "goal": node.inserted.goal,
            "lossy": node.inserted.lossy,
        }
    return data


def node_from_json(data: Mapping[str, Any]) -> Node:
    inserted = data.get("inserted")
    return Node(
        id=data["id"],
        tool=data["tool"],
        args={name: from_json(value) for name, value in data.get("args", {}).items()},
        layer=data.get("layer", 1),
        title=data.get("title", ""),
        step=data.get("step", ""),
        of=data.get("of", ""),
        inserted=None if inserted is None else Inserted(**inserted),
    )
