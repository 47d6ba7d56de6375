"""The tables of faults: what is injected, what must come of it, and the questions that it is tried on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.model.causes import CAUSES
from knowflow.model.template import Scene, SceneLayer
from knowflow.model.tool import Document

FOLDER = "faults"
When = Literal["throughout", "data", "between", "planned", "tool", "parameter", "request", "plan", "machine", "llm"]
By = Literal["", "plan", "insert", "set", "replace", "drop", "retry"]


class TrueOutput(Document):
    """What is true of one output, in the language of :mod:`knowflow_bench.truth`: never what a tool said.

    One of ``value`` (a number, a date or a list of numbers), ``map`` (at every pixel; of a series at every pixel of
    every date) and ``rows`` (by the column ``by``; columns that are not named are not judged).
    """

    value: str | None = None
    map: str | None = None
    rows: tuple[dict[str, str | float], ...] = ()
    by: str = ""
    unit: str | None = None

    @model_validator(mode="after")
    def _one(self) -> TrueOutput:
        if (self.value is not None) + (self.map is not None) + bool(self.rows) != 1 or bool(self.rows) != bool(self.by):
            raise ValueError("a truth is one of value, map, and rows with the column that they go by")
        return self


class Question(Document):
    """A sentence, the layers of a scene that answers it, and the true answer by the formulas of these layers.

    ``truth`` is by the names of outputs, ``answer`` standing for what is asked; ``tolerance`` is how far the method may
    be from it by its nature. Of a question about real data ``files`` are patterns in the folder that is given, the
    layers only say what the files are whose names begin like theirs, and the truth is of the undamaged files' numbers.
    """

    name: str
    asked: str = Field(min_length=1, description="the sentence, which is read as anybody's")
    truth: dict[str, TrueOutput] = Field(min_length=1)
    tolerance: float = Field(1e-6, ge=0, description="relative")
    layers: tuple[SceneLayer, ...]
    size: tuple[int, int] = (48, 48)
    place: dict[str, Any] = Field(default_factory=dict, description="CRS and origin of the scene, where not the usual")
    files: tuple[str, ...] = ()

    def scene(self) -> Scene:
        return Scene(layers=self.layers, size=self.size, **self.place)


class Injection(Document):
    """One thing that is done to a case: the injector's name, when it acts, and what it is told.

    What is done ``between`` is done after a first run of the same question, which is planned again then.
    """

    inject: str
    when: When = "data"
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")


class Fault(Document):
    """One kind of fault: what is done, on which questions, and what the truth about it is.

    ``fails``: a run that does nothing about it has no right answer. ``repairable``: it can be repaired without knowing
    more than the data and the tools say, ``by`` the kind of edit. ``cause`` are the true causes. ``tolerance`` is how
    far, relative, an answer may be from the truth. ``says`` are words of which a note must have one to name the cause,
    in the place of those of the causes. ``also`` is injected together with it.
    """

    kind: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    questions: tuple[str, ...] = Field(min_length=1)
    inject: str
    when: When = "data"
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")
    also: tuple[Injection, ...] = ()
    fails: bool
    repairable: bool = False
    by: By = ""
    cause: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    truth: dict[str, TrueOutput] = Field(default_factory=dict, description="where the fault changes what is true")
    tolerance: float = Field(1e-6, ge=0)

    @model_validator(mode="after")
    def _whole(self) -> Fault:
        unknown = [cause for cause in self.cause if cause not in CAUSES]
        if unknown:
            raise ValueError(f"unknown causes: {', '.join(unknown)}")
        if self.fails != bool(self.cause):
            raise ValueError("a fault that fails has a cause, a harmless one has none")
        if self.repairable != bool(self.by) or (self.repairable and not self.fails):
            raise ValueError("a repairable fault fails, and says by what it is repaired")
        return self

    @property
    def injections(self) -> tuple[Injection, ...]:
        own = Injection.model_validate({"inject": self.inject, "when": self.when, "with": self.with_})
        return (own, *self.also)


class _Words(Document):
    words: dict[str, tuple[str, ...]]


class _Questions(Document):
    questions: tuple[Question, ...]


class _Table(Document):
    kinds: tuple[Fault, ...]


def questions() -> Mapping[str, Question]:
    """The questions of the campaigns by name."""
    found = _Questions.model_validate(_content("questions"))
    return {question.name: question for question in found.questions}


@lru_cache(maxsize=1)
def words() -> Mapping[str, tuple[str, ...]]:
    """The words of which a note has one where it names a cause, by the cause."""
    return _Words.model_validate(_content("words")).words


def names_cause(fault: Fault, note: str) -> bool:
    """Whether a note names the cause of a fault: nothing else makes another answer one that is told."""
    wanted = fault.says or [word for cause in fault.cause for word in words().get(cause, ())]
    return any(re.search(rf"(?<!\w){word}", note, re.IGNORECASE) for word in wanted)


def table(name: str) -> tuple[Fault, ...]:
    """A table of faults (``first``, ``second``), in order.

    Raises:
        UnknownNameError: there is no such table.
        DocumentError: a question that it names does not exist, or a kind is named twice.
    """
    found = _Table.model_validate(_content(name)).kinds
    known = questions()
    unknown = sorted({one for fault in found for one in fault.questions} - known.keys())
    kinds = [fault.kind for fault in found]
    if unknown or len(set(kinds)) < len(kinds):
        twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
        raise DocumentError(
            f"the table of faults {name!r} is not sound",
            expected="known questions, and every kind once",
            found=", ".join(unknown + twice),
        )
    return found


def _content(name: str) -> Any:
    path = packaged_root("benchmarks") / FOLDER / f"{name}.yaml"
    if not path.is_file():
        there = sorted(file.stem for file in path.parent.glob("*.yaml") if file.stem not in ("questions", "words"))
        raise UnknownNameError("there is no such table of faults", expected=", ".join(there), found=name)
    return load(path).data
