"""What became of earlier attempts at the same instance: a question of one shape over data of one kind.

They are told to people and to a language model, latest first; nothing is decided by them.

A reflection says what failed or was doubted, and what mended it, in the words of the house: causes, tools, parameters,
facts. It has no answers, no file names and no text of files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from knowflow.ground.json_text import json_text
from knowflow.ground.yaml_text import written
from knowflow.memory.case import OF_A_KIND
from knowflow.memory.places import place
from knowflow.memory.shelf import project_of
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, ReplaceNode, SetParameter, StateFacts
from knowflow.model.facts import Fact, Origin
from knowflow.model.literal import plain
from knowflow.model.plan import Plan
from knowflow.model.tool import Document
from knowflow.model.trace import Trace
from knowflow.model.workflow import Workflow
from knowflow.question.form import expression_of
from knowflow.question.literals import literals
from knowflow.question.normal import normal
from knowflow.question.operators import Number, Polygons, walk

_MOST = 20  # of one instance
_STATED = (Number, Polygons)
_LONGEST = 300


class Reflection(Document):
    """One thing to mind the next time; ``source`` is what found it: a run, its critic, or ways that were compared."""

    source: Literal["run", "critic", "variants"]
    kind: Literal["failed", "mended", "doubted", "worked"]
    title: str
    text: str = ""
    run: str = ""
    when: str = ""  # it was last seen, ISO 8601, UTC

    @property
    def key(self) -> tuple[str, str, str]:
        return self.source, self.kind, self.title

    def sentence(self) -> str:
        return f"{self.kind}: {self.title}{f': {self.text}' if self.text else ''}"


class Kept(Document):
    """The file of one instance; the latest reflections first."""

    reflections: tuple[Reflection, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """What attempts have in common: the shape of what is asked, and the kinds of data it is asked of."""

    shape: str
    data: str

    @property
    def name(self) -> str:
        return f"{self.shape}-{self.data}"


def instance_of(plan: Plan) -> Instance:
    """The instance of a plan: equal for questions that differ in numbers, times and names of places alone, over files
    that are alike in what they hold, whoever made them and however they store it."""
    facts = {
        json_text({name: plain(known.value) for name in OF_A_KIND if (known := leaf.known(name)) and _of_file(known)})
        for one in plan.inputs.values()
        for leaf in one.leaves()
    }
    return Instance(_digest(_shape(plan)), _digest(sorted(facts)))


def _of_file(known: Fact) -> bool:
    """Whether a file says it, rather than somebody of it."""
    return known.origin in (Origin.DECLARED, Origin.MEASURED)


def _shape(plan: Plan) -> Any:
    asked, _ = expression_of(plain(dict(plan.understood.get("question") or {}).get("value")))
    if asked is None:
        return plan.template or sorted(node.tool for node in plan.workflow.nodes)
    asked = normal(asked)
    stated = {(one.at, one.field) for one in literals(asked).values()}
    return [
        [type(part).__name__, *(f"{name}={_own(getattr(part, name))}" for name in _fields(part, at, stated))]
        for at, part in walk(asked)
        if not isinstance(part, _STATED)
    ]


def _fields(part: Any, at: Any, stated: set[tuple[Any, str]]) -> Iterator[str]:
    yield from (name for name in part.__dataclass_fields__ if (at, name) not in stated)


def _own(value: Any) -> str:
    """What a part says itself; what is below it stands for itself."""
    return str(value) if isinstance(value, str) or value is None else type(value).__name__


def _digest(data: Any) -> str:
    return hashlib.sha256(json_text(data).encode()).hexdigest()[:12]


class Reflections:
    """The reflections of one project: a document for each instance."""

    def __init__(self, home: Path, project: str | None = None) -> None:
        project = project or project_of()
        folder = home / "reflections" / project
        self._place = place(folder, project, "reflections", folder / "lock")

    def of(self, instance: Instance) -> tuple[Reflection, ...]:
        """What earlier attempts at an instance came to, latest first; nothing where its document cannot be read."""
        return tuple(self._found(instance.name))

    def all(self) -> tuple[Reflection, ...]:
        """Everything, latest first."""
        return tuple(sorted(self._found(), key=lambda one: one.when, reverse=True))

    def keep(self, instance: Instance, found: Sequence[Reflection]) -> None:
        """Put reflections before the others of an instance; one that says the same takes the place of what there was.

        Raises:
            OSError, MemoryDatabaseError: they cannot be kept.
        """
        if not found:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        fresh = {one.key: one.model_copy(update={"when": one.when or now}) for one in found}
        with self._place.changing():
            others = (one for one in self._found(instance.name) if one.key not in fresh)
            kept = Kept(reflections=(*fresh.values(), *others)[:_MOST])
            self._place.put(instance.name, written(kept.model_dump(mode="json", exclude_defaults=True)))

    def forget(self) -> int:
        """Remove all reflections of the project; how many there were."""
        if self._place.empty:
            return 0
        with self._place.changing():
            count = len(self.all())
            for loaded in self._place.loaded(Kept):
                self._place.remove(loaded.path.stem)
        return count

    def _found(self, name: str | None = None) -> Iterator[Reflection]:
        for loaded in self._place.loaded(Kept, name):
            if loaded.model is not None:
                yield from loaded.model.reflections


def reflected(trace: Trace) -> Iterator[Reflection]:
    """What a run that ended says to the next attempt: what failed, and what mended it."""
    for repair in trace.repairs:
        diagnosis = repair.diagnosis
        if diagnosis.failed:
            done = ", ".join(dict.fromkeys(_done(edit, repair.before) for edit in repair.edits))
            text = f"{done}, by {repair.by.partition(':')[0]}"
            yield Reflection(
                source="run", kind="mended", title=_title(diagnosis, repair.before), text=text, run=trace.run_id
            )
    if trace.status in ("failed", "refused"):
        for diagnosis in trace.diagnoses:
            title, expected = _title(diagnosis, trace.plan.workflow), _expected(trace, diagnosis)
            yield Reflection(source="run", kind="failed", title=title, text=expected, run=trace.run_id)


def _title(diagnosis: Diagnosis, workflow: Workflow) -> str:
    node = workflow.by_id.get(diagnosis.node) or workflow.by_id.get(diagnosis.failed)
    return f"{node.tool}: {diagnosis.title}" if node is not None else diagnosis.title


def _expected(trace: Trace, diagnosis: Diagnosis) -> str:
    """The condition that was not met, which is the tool's own; what was found is of the data, and is not kept."""
    error = trace.record(diagnosis.failed).error or {}
    condition = str(error.get("expected") or "") if error.get("code") in ("precondition", "effect", "quality") else ""
    return f"needed {condition}"[:_LONGEST] if condition else ""


def _done(edit: Edit, before: Workflow) -> str:
    """What an edit does, without the names of files and steps."""

    def tool(node: str) -> str:
        return before.by_id[node].tool if node in before.by_id else "a step"

    match edit:
        case StateFacts(facts=facts):
            numbers = {name: value for name, value in facts.items() if isinstance(value, int | float)}
            told = (f"{name}={numbers[name]:.6g}" if name in numbers else name for name in facts)
            return f"said of the file: {', '.join(told)}"
        case SetParameter(node=node, parameter=parameter):
            return f"set {parameter} of {tool(node)}"
        case InsertNode(node=node, spots=spots):
            return f"put {node.tool} before {', '.join(dict.fromkeys(tool(one.node) for one in spots))}"
        case ReplaceNode(node_id=node, node=other):
            return f"took {other.tool} for {tool(node)}"
    return "left a step out"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One of several ways to answer: what it is made of, and whether it went well."""

    made_of: frozenset[str]
    well: bool
    run: str = ""


def contrast(attempts: Sequence[Attempt]) -> Iterator[Reflection]:
    """What all ways that failed have and none that went well, and the reverse; nothing where all ended alike."""
    well, ill = ([one for one in attempts if one.well is wanted] for wanted in (True, False))
    if not well or not ill:
        return
    for kind, own, others in (("failed", ill, well), ("worked", well, ill)):
        shared = frozenset.intersection(*(one.made_of for one in own)) - frozenset[str]().union(
            *(one.made_of for one in others)
        )
        for feature in sorted(shared):
            text = f"every way that {kind} has it ({len(own)}), no other ({len(others)})"
            yield Reflection(source="variants", kind=kind, title=feature, text=text, run=own[0].run)  # type: ignore[arg-type]
