"""The tables of faults: what is injected, what must come of it, and the questions that it is tried on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.model.causes import CAUSES
from knowflow.model.template import Scene, SceneLayer
from knowflow.model.tool import Document

FOLDER = "faults"
When = Literal["data", "planned", "tool", "parameter", "plan", "machine", "llm"]
By = Literal["", "plan", "insert", "set", "replace", "drop", "retry"]


class Question(Document):
    """A template with its parameters, and the layers of a scene that answers it.

    Of a question about real data ``files`` are patterns in the folder that is given, and the layers only say what the
    files are whose names begin like theirs.
    """

    name: str
    template: str
    asked: str = Field("", description="the sentence; by default the template's title")
    parameters: dict[str, Any] = Field(default_factory=dict)
    layers: tuple[SceneLayer, ...]
    size: tuple[int, int] = (48, 48)
    place: dict[str, Any] = Field(default_factory=dict, description="CRS and origin of the scene, where not the usual")
    files: tuple[str, ...] = ()

    def scene(self) -> Scene:
        return Scene(layers=self.layers, size=self.size, **self.place)


class Injection(Document):
    """One thing that is done to a case: the injector's name, when it acts, and what it is told."""

    inject: str
    when: When = "data"
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")


class Fault(Document):
    """One kind of fault: what is done, on which questions, and what the truth about it is.

    ``fails``: a run that does nothing about it has no right answer. ``repairable``: it can be repaired without knowing
    more than the data and the tools say, ``by`` the kind of edit. ``cause`` are the true causes. ``tolerance`` is how
    far, relative, an answer may be from the fault-free one. ``also`` is injected together with it.
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


class _Questions(Document):
    questions: tuple[Question, ...]


class _Table(Document):
    kinds: tuple[Fault, ...]


def questions() -> Mapping[str, Question]:
    """The questions of the campaigns by name."""
    found = _Questions.model_validate(_content("questions"))
    return {question.name: question for question in found.questions}


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
    path = packaged_root("pkb") / FOLDER / f"{name}.yaml"
    if not path.is_file():
        there = sorted(file.stem for file in path.parent.glob("*.yaml") if file.stem != "questions")
        raise UnknownNameError("there is no such table of faults", expected=", ".join(there), found=name)
    return load(path).data
