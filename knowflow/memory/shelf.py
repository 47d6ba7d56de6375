"""Learned rules on disk: one YAML file each, in a folder of the project that they were learned in.

A file holds the rule in the language of the authored ones, the cases that it was learned from, and what has become of
it. It is read and checked as a file that a person wrote. Every change is made under a lock and replaces the file in one
step: several processes may learn at once, and a process that is killed leaves the old file or the new one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.locks import locked
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yaml_text import written
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.knowledge.rules import rule_problems
from knowflow.memory.case import Case
from knowflow.memory.trial import Tried
from knowflow.model.rule import Rule
from knowflow.model.tool import Document, ToolSchema

State = Literal["active", "proposed", "rejected", "retired"]
Tools = Mapping[str, ToolSchema]


class Learned(Document):
    """A learned rule: what it says, what became of it and why, and the cases that it was learned from.

    ``proposed``: it waits for a person's approval, and is offered as long (:meth:`Shelf.offered`); ``rejected``: a
    person does not want it, nor anything like it; ``retired``: it was contradicted, or failed more often than it
    helped. ``approved``: a person said that it is right wherever it applies; ``imported``: it was learned in another
    project. ``tried`` is what became of it on generated scenes, ``earlier`` are the rules that it was before.
    """

    memory: Literal[1] = 1
    state: State = "active"
    why: str = Field("", description="why it is in this state")
    rule: Rule
    cases: tuple[Case, ...] = Field(min_length=1)
    tried: Tried | None = None
    approved: bool = False
    imported: bool = False
    earlier: tuple[Rule, ...] = ()

    @property
    def name(self) -> str:
        return self.rule.rule


@dataclass(frozen=True, slots=True)
class Found:
    """What is on a shelf: learned rules by name, and what is wrong with files that are left out."""

    learned: Mapping[str, Learned]
    problems: tuple[Problem, ...] = ()


def project_of(start: Path | None = None) -> str:
    """The name of the folder for what is learned here: of the project whose ``.knowflow/`` is the nearest, else of no
    project."""
    root = project_root(start)
    if root is None:
        return "no-project"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:8]
    return f"{''.join(c if c.isalnum() else '-' for c in root.parent.name)[:40]}-{digest}"


class Shelf:
    """The learned rules of one project in one home folder."""

    def __init__(self, home: Path, project: str | None = None) -> None:
        self.folder = home / "memory" / (project or project_of()) / "rules"

    @property
    def empty(self) -> bool:
        """Whether nothing was learned yet: without a look into any file."""
        try:
            with os.scandir(self.folder) as entries:
                return not any(entry.name.endswith(".yaml") for entry in entries)
        except OSError:
            return True

    def found(self, tools: Tools) -> Found:
        """All that was learned, in order of name; files with errors are left out, and told."""
        learned: dict[str, Learned] = {}
        problems: list[Problem] = []
        for path in sorted(self.folder.glob("*.yaml")) if not self.empty else ():
            loaded = _loaded(path, path.stat().st_mtime_ns, path.stat().st_size)
            problems += loaded.problems
            if loaded.model is None:
                continue
            wrong = list(problems_of(loaded, tools))
            problems += wrong
            if not any(one.severity == "error" for one in wrong):
                learned[loaded.model.name] = loaded.model
        return Found(learned, tuple(problems))

    def rules(self, tools: Tools) -> tuple[Rule, ...]:
        """The rules that are in use."""
        return tuple(one.rule for one in self.found(tools).learned.values() if one.state == "active")

    def offered(self, tools: Tools) -> tuple[Rule, ...]:
        """The rules that wait for a person, who is told what they would say; not those of another project."""
        known = self.found(tools).learned.values()
        return tuple(one.rule for one in known if one.state == "proposed" and not one.imported)

    def one(self, name: str, tools: Tools) -> Learned:
        """What was learned under a name.

        Raises:
            UnknownNameError: nothing was.
            DocumentError: its file has errors.
        """
        found = self.found(tools)
        if name in found.learned:
            return found.learned[name]
        path = self.path(name)
        if path.is_file():
            wrong = tuple(one for one in found.problems if one.file == str(path))
            raise DocumentError(f"what was learned as {name!r} has errors", where=str(path), problems=wrong)
        raise UnknownNameError(
            f"nothing was learned as {name!r}",
            expected="a name that `knowflow memory list` shows",
            found=name,
            hint=did_you_mean(name, found.learned, "see `knowflow memory list`"),
        )

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.yaml"

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While nobody else changes what is here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder.parent / "lock"):
            yield

    def put(self, learned: Learned) -> None:
        """Keep what was learned, in the place of what has its name. Call within :meth:`changing`."""
        temporary = self.folder / f".{learned.name}.{os.getpid()}"
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(as_text(learned))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path(learned.name))
        finally:
            temporary.unlink(missing_ok=True)

    def forget(self, name: str) -> None:
        """Remove what was learned under a name. Call within :meth:`changing`."""
        self.path(name).unlink(missing_ok=True)


def as_text(learned: Learned) -> str:
    """What was learned as YAML that a person can read and change."""
    return written(_plain(learned.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"memory": 1}))


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    order = ("memory", "state", "why", "approved", "imported", "rule", "tried", "cases", "earlier")
    return {name: data[name] for name in order if name in data}


def problems_of(loaded: Loaded[Learned], tools: Tools) -> Iterator[Problem]:
    """What is wrong with a learned rule, by the checks of authored ones; its file is named after it."""
    learned = loaded.model
    if learned is None:
        return
    yield from rule_problems(learned.rule, loaded.document, ("rule",), tools)
    if loaded.path.suffix == ".yaml" and loaded.path.stem != learned.name:
        expected = f"the name of its file, {loaded.path.stem}"
        yield loaded.document.problem(("rule", "rule"), "other_name", expected, learned.name)


@lru_cache(maxsize=512)
def _loaded(path: Path, changed: int, size: int) -> Loaded[Learned]:
    """A file of memory, parsed once for as long as nobody changes it."""
    return load_model(path, Learned)
