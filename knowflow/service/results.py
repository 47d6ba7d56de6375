"""What the service hands back: typed, frozen, and plain data on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from knowflow.graph.check import WorkflowCheck
from knowflow.ground.report import Problem
from knowflow.model.literal import plain
from knowflow.model.plan import Assumption, Plan
from knowflow.model.trace import Repaired, Trace

if TYPE_CHECKING:
    from knowflow.question.reading.readings import Reading
    from knowflow.reason.llm.reading import ReadByModel

Status = Literal["completed", "failed", "refused", "interrupted", "planned"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will cost, from pixel counts and the tools' relative costs: an order of magnitude."""

    seconds: float
    disk_bytes: int
    nodes: int


@dataclass(frozen=True)
class PlanResult:
    """A plan with everything behind it. ``reading`` is how a question was read that became an expression, ``by_model``
    how a language model read it, where one was asked; ``request`` is what was asked for, as it was."""

    plan: Plan
    check: WorkflowCheck
    estimate: Estimate
    notes: tuple[str, ...] = ()
    by_model: ReadByModel | None = None
    reading: Reading | None = None
    request: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            **self.plan.to_json(),
            **({} if self.by_model is None else {"language_model": self.by_model.to_json()}),
            "edges": [
                {
                    "source": found.edge.source,
                    "target": found.edge.target,
                    "param": found.edge.param,
                    "because": [{"effect": effect, "condition": condition} for effect, condition in found.reasons],
                }
                for found in self.check.edges
            ],
            "missing": [
                {"node": m.node, "fact": m.fact, "of": m.source, "condition": m.condition, "assume": m.assume}
                for m in self.check.missing
            ],
            "problems": [problem.to_json() for problem in self.check.problems],
            "estimate": {
                "seconds": round(self.estimate.seconds, 2),
                "disk_bytes": self.estimate.disk_bytes,
                "nodes": self.estimate.nodes,
            },
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class RunResult:
    """How a run ended. ``answer`` is a number, a text or table rows, of a question with parts
    these by name; ``outputs`` are files by name. ``understood`` is
    what was asked in plain words, where it was asked as an expression."""

    query: str
    status: Status
    answer: Any = None
    unit: str | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    inserted: tuple[str, ...] = ()
    nodes: tuple[Mapping[str, Any], ...] = ()
    repairs: int = 0
    run_id: str | None = None
    report: str | None = None
    ui: str | None = None
    error: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    diagnoses: tuple[Mapping[str, Any], ...] = ()
    understood: str | None = None
    trace: Trace | None = field(default=None, repr=False, compare=False)

    @property
    def variants(self) -> Mapping[str, Any]:
        """The ways to answer that were compared, and how far they are apart; empty where none were."""
        return {} if self.trace is None else dict(self.trace.plan.understood.get("variants") or {}).get("value", {})

    @property
    def parts(self) -> Mapping[str, str]:
        """The names of the parts of a question that was one with parts, with what each is of, in words."""
        return {} if self.trace is None else self.trace.plan.parts

    def to_json(self) -> dict[str, Any]:
        return {
            "query": self.query,
            **({} if self.understood is None else {"understood": self.understood}),
            "status": self.status,
            "answer": self.answer,
            "unit": self.unit,
            "values": {name: dict(value) for name, value in self.values.items()},
            **({"variants": plain(self.variants)} if self.variants else {}),
            "outputs": dict(self.outputs),
            "repairs": self.repairs,
            "repaired": [] if self.trace is None else [_repaired(one) for one in self.trace.repairs],
            "diagnoses": [dict(diagnosis) for diagnosis in self.diagnoses],
            "nodes": [dict(node) for node in self.nodes],
            "inserted_nodes": list(self.inserted),
            "assumptions": [str(assumption) for assumption in self.assumptions],
            "run_id": self.run_id,
            "report": self.report,
            "ui": self.ui,
            "error": None if self.error is None else dict(self.error),
            "notes": list(self.notes),
        }


def _repaired(repair: Repaired) -> dict[str, Any]:
    """One repair without the graph before it: what failed, why, what was done and by whom."""
    return {
        "number": repair.number,
        "failed": repair.failed.node,
        "diagnosis": repair.diagnosis.to_json(),
        "by": repair.by,
        "sentence": repair.sentence,
        "because": repair.because,
        "edits": [edit.sentence() for edit in repair.edits],
        "new": list(repair.new),
        "changed": list(repair.changed),
        "lossy": repair.lossy,
        "seconds": round(repair.seconds, 3),
        "tokens": repair.tokens,
    }


@dataclass(frozen=True, slots=True)
class TemplateTestResult:
    """One test of one template: passed, or what was expected and found; and the methods that its plan chose.

    ``again`` are the words of the command that runs it on its scene, where that was kept.
    """

    template: str
    test: str
    passed: bool
    seconds: float
    problems: tuple[Problem, ...] = ()
    methods: tuple[str, ...] = ()
    again: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "template": self.template,
            "test": self.test,
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "methods": list(self.methods),
            "problems": [problem.to_json() for problem in self.problems],
            "again": list(self.again),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that ``knowflow doctor`` looked at."""

    name: str
    ok: bool
    found: str
    hint: str = ""
