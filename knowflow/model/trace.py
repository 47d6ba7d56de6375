"""Traces: the complete record of one execution of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from knowflow.model.amounts_of_spans import as_rate
from knowflow.model.artifact import Artifact, in_unit
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, edit_from_json
from knowflow.model.literal import plain
from knowflow.model.plan import Plan, node_from_json, node_to_json
from knowflow.model.workflow import Workflow

NodeStatus = Literal["pending", "running", "done", "cached", "failed", "skipped"]
_MOST_LATEST = 256  # changes that a state of a run does not share with the one before
RunStatus = Literal["running", "completed", "failed", "refused", "interrupted"]


@dataclass(frozen=True, slots=True)
class Check:
    """A condition checked before or after a node, with the evidence; or (``told``) what its tool says of its result."""

    phase: Literal["before", "after", "quality", "told"]
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

    @property
    def told_only(self) -> bool:
        """Its rasters are known, and were not kept: they were made in one pass with what was made of them."""
        return self.ready and any(one.type == "raster" and one.path is None for one in self.outputs.values())

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


@dataclass(frozen=True, slots=True)
class Refusal:
    """A repair that was proposed and not adopted, with every reason."""

    by: str
    sentence: str
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"by": self.by, "sentence": self.sentence, "reasons": list(self.reasons)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Refusal:
        return cls(data["by"], data["sentence"], tuple(data.get("reasons", ())))


@dataclass(frozen=True, slots=True)
class Repaired:
    """One repair that was adopted: the failure, its diagnosis, the edits, and the workflow before them.

    ``by`` is ``rule:NAME``, ``memory:NAME`` (a learned one), ``schema`` (what follows from the tools' effects), ``llm``
    or ``person``. ``new`` and
    ``changed`` are ids of nodes after the edits; ``lossy`` says what is given up by them. ``inputs`` are those of the
    plan of which the edits state facts, as they were.
    """

    number: int
    failed: NodeRecord
    diagnosis: Diagnosis
    by: str
    sentence: str
    because: str
    edits: tuple[Edit, ...]
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    before: Workflow = field(default_factory=Workflow)
    inputs: Mapping[str, Artifact] = field(default_factory=dict)
    lossy: str = ""
    refused: tuple[Refusal, ...] = ()
    seconds: float = 0.0
    tokens: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "failed": self.failed.to_json(),
            "diagnosis": self.diagnosis.to_json(),
            "by": self.by,
            "sentence": self.sentence,
            "because": self.because,
            "edits": [edit.to_json() for edit in self.edits],
            "new": list(self.new),
            "changed": list(self.changed),
            "before": [node_to_json(node) for node in self.before.nodes],
            "inputs": {name: artifact.to_json() for name, artifact in self.inputs.items()},
            "lossy": self.lossy,
            "refused": [refusal.to_json() for refusal in self.refused],
            "seconds": self.seconds,
            "tokens": self.tokens,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Repaired:
        return cls(
            number=data["number"],
            failed=NodeRecord.from_json(data["failed"]),
            diagnosis=Diagnosis.from_json(data["diagnosis"]),
            by=data["by"],
            sentence=data["sentence"],
            because=data["because"],
            edits=tuple(edit_from_json(edit) for edit in data["edits"]),
            new=tuple(data.get("new", ())),
            changed=tuple(data.get("changed", ())),
            before=Workflow(tuple(node_from_json(node) for node in data.get("before", ()))),
            inputs={name: Artifact.from_json(item) for name, item in data.get("inputs", {}).items()},
            lossy=data.get("lossy", ""),
            refused=tuple(Refusal.from_json(refusal) for refusal in data.get("refused", ())),
            seconds=data.get("seconds", 0.0),
            tokens=data.get("tokens", 0),
        )


class Records(Mapping[str, NodeRecord]):
    """The records of nodes, by node: what is put makes another mapping that shares all but the latest changes.

    A run of ten thousand nodes changes twenty thousand times, and each state of its trace is a value.
    """

    __slots__ = ("_earlier", "_latest")

    def __init__(self, earlier: dict[str, NodeRecord], latest: dict[str, NodeRecord]) -> None:
        self._earlier = earlier
        self._latest = latest

    @classmethod
    def of(cls, records: Mapping[str, NodeRecord]) -> Records:
        return records if isinstance(records, Records) else cls(dict(records), {})

    def put(self, record: NodeRecord) -> Records:
        latest = {**self._latest, record.node: record}
        if len(latest) < _MOST_LATEST:
            return Records(self._earlier, latest)
        return Records({**self._earlier, **latest}, {})

    def __getitem__(self, node: str) -> NodeRecord:
        return self._latest[node] if node in self._latest else self._earlier[node]

    def __iter__(self) -> Iterator[str]:
        yield from self._earlier
        yield from (node for node in self._latest if node not in self._earlier)

    def __len__(self) -> int:
        return len(self._earlier) + sum(node not in self._earlier for node in self._latest)

    def __repr__(self) -> str:
        return f"Records({dict(self)!r})"


@dataclass(frozen=True)
class Trace:
    """One run: its plan, what became of every node, how it was repaired, and how it ended.

    ``diagnoses`` has one for every failure that was given up, ``refusals`` what was proposed for them in vain;
    ``exchanges`` are the questions to a language model and its answers, in order. Times are seconds since the epoch:
    a run that is gone on with keeps when it was ``started``; ``resumed`` is when it was gone on with last, ``spent``
    the seconds it was executed before that. ``out`` is the folder that its results go to, as it was told last.
    ``written`` are all files that it delivered, with the time each was written
    (nanoseconds, as the file system tells it); ``digests`` are those of the files that it read, by path, ``made`` the
    SHA-256 of what it delivered last, by path; ``software`` has the versions that it ran with; ``notes`` say what went
    wrong beside the result. ``request`` is what was asked for, as it was; ``attempts`` tell of the executions before
    this one: when they were, how they ended, and what was found out.
    """

    run_id: str
    plan: Plan
    status: RunStatus = "running"
    records: Mapping[str, NodeRecord] = field(default_factory=dict)
    runner: str = "local"
    out: str = ""
    started: float = 0.0
    resumed: float | None = None
    finished: float | None = None
    spent: float = 0.0
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    delivered: Mapping[str, str] = field(default_factory=dict)
    quality: tuple[Check, ...] = ()
    error: Mapping[str, Any] | None = None
    report: str | None = None
    ui: str | None = None
    version: str = ""
    software: Mapping[str, str] = field(default_factory=dict)
    repairs: tuple[Repaired, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    exchanges: tuple[Mapping[str, Any], ...] = ()
    written: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    request: Mapping[str, Any] = field(default_factory=dict)
    attempts: tuple[Mapping[str, Any], ...] = ()

    @property
    def seconds(self) -> float:
        """How long the run was executed: without the time between an execution and the next that went on with it.

        Of an execution that did not end (it runs, or it crashed) what its records tell.
        """
        begun = self.started if self.resumed is None else self.resumed
        times = (time for record in self.records.values() for time in (record.started, record.finished))
        ended = max((time for time in times if time is not None), default=begun)
        return self.spent + max(0.0, (ended if self.finished is None else self.finished) - begun)

    @property
    def answer_name(self) -> str | None:
        """The output that answers the query: the one its plan names, else ``answer``, else the first."""
        return next((name for name in (self.plan.answer, "answer", *self.outputs) if name in self.outputs), None)

    @property
    def answer(self) -> Artifact | None:
        """What answers the query, in the unit that it asks for where it can be told in it."""
        name = self.answer_name
        return None if name is None else self._as_asked(self.outputs[name])

    @property
    def told(self) -> Mapping[str, Artifact]:
        """The outputs; those in the unit of what answers the query in the unit that it asks for, as that is."""
        name = self.answer_name
        own = None if name is None else self.outputs[name].fact("unit")
        return {key: self._as_asked(one) if one.fact("unit") == own else one for key, one in self.outputs.items()}

    def _as_asked(self, one: Artifact) -> Artifact:
        unit = self.plan.unit
        return in_unit(as_rate(one, self.plan.inputs.values(), unit) if unit else one, unit)

    def record(self, node: str) -> NodeRecord:
        return self.records.get(node, NodeRecord(node))

    def plan_before(self, repair: Repaired) -> Plan:
        """The plan with the graph and the inputs as they were before a repair."""
        inputs = dict(self.plan.inputs)
        for later in reversed(self.repairs[self.repairs.index(repair) :]):
            inputs |= later.inputs
        return replace(self.plan, workflow=repair.before, inputs=inputs)

    def plan_after(self, repair: Repaired) -> Plan:
        """The plan as a repair left it."""
        later = self.repairs[self.repairs.index(repair) + 1 :]
        return self.plan_before(later[0]) if later else self.plan

    def with_record(self, record: NodeRecord) -> Trace:
        return replace(self, records=Records.of(self.records).put(record))

    def with_findings(
        self, diagnosis: Diagnosis, refused: Iterable[Refusal] = (), exchanges: Iterable[Mapping[str, Any]] = ()
    ) -> Trace:
        """The trace with what was found out about a failure that was given up."""
        return replace(
            self,
            diagnoses=(*self.diagnoses, diagnosis),
            refusals=(*self.refusals, *refused),
            exchanges=(*self.exchanges, *exchanges),
        )

    def to_json(self) -> dict[str, Any]:
        return {**self.apart_from_plan(), "plan": self.plan.to_json()}

    def apart_from_plan(self) -> dict[str, Any]:
        """What :meth:`to_json` has but the plan, which stays the same from its last edit to the end of a run."""
        return {
            "trace": 1,
            "run_id": self.run_id,
            "status": self.status,
            "runner": self.runner,
            "out": self.out,
            "version": self.version,
            "software": dict(self.software),
            "started": self.started,
            "resumed": self.resumed,
            "finished": self.finished,
            "spent": self.spent,
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
            "repairs": [repair.to_json() for repair in self.repairs],
            "diagnoses": [diagnosis.to_json() for diagnosis in self.diagnoses],
            "refusals": [refusal.to_json() for refusal in self.refusals],
            "exchanges": plain(self.exchanges),
            "written": dict(self.written),
            "digests": dict(self.digests),
            "made": dict(self.made),
            "notes": list(self.notes),
            "request": plain(dict(self.request)),
            "attempts": plain(self.attempts),
        }

    def with_attempt(self) -> Trace:
        """The trace with its last execution among the earlier ones, as it is edited or gone on with."""
        began = self.started if self.resumed is None else self.resumed
        if any(one["started"] == began for one in self.attempts):
            return self
        value = None if self.answer is None else self.answer.value
        attempt = {
            "started": began,
            "finished": self.finished,
            "status": "interrupted" if self.status == "running" else self.status,
            "answer": value if isinstance(value, int | float | str) else None,
            "error": plain(self.error),
            "diagnoses": [diagnosis.to_json() for diagnosis in self.diagnoses],
            "refusals": [refusal.to_json() for refusal in self.refusals],
        }
        return replace(self, attempts=(*self.attempts, attempt))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        return cls(
            run_id=data["run_id"],
            plan=Plan.from_json(data["plan"]),
            status=data["status"],
            records={item["node"]: NodeRecord.from_json(item) for item in data.get("records", ())},
            runner=data.get("runner", "local"),
            out=data.get("out", ""),
            started=data.get("started", 0.0),
            resumed=data.get("resumed"),
            finished=data.get("finished"),
            spent=data.get("spent", 0.0),
            outputs={name: Artifact.from_json(item) for name, item in data.get("outputs", {}).items()},
            delivered=data.get("delivered", {}),
            quality=tuple(Check(**check) for check in data.get("quality", ())),
            error=data.get("error"),
            report=data.get("report"),
            ui=data.get("ui"),
            version=data.get("version", ""),
            software=data.get("software", {}),
            repairs=tuple(Repaired.from_json(item) for item in data.get("repairs", ())),
            diagnoses=tuple(Diagnosis.from_json(item) for item in data.get("diagnoses", ())),
            refusals=tuple(Refusal.from_json(item) for item in data.get("refusals", ())),
            exchanges=tuple(data.get("exchanges", ())),
            written=data.get("written", {}),
            digests=data.get("digests", {}),
            made=data.get("made", {}),
            notes=tuple(data.get("notes", ())),
            request=data.get("request", {}),
            attempts=tuple(data.get("attempts", ())),
        )
