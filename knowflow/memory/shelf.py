"""Learned rules and templates: one document in YAML each, of the project that they were learned in.

A document holds the rule, or the template, in the language of the authored ones, the cases that it was learned from,
and what has become of it. It is read and checked as a file that a person wrote, wherever it is
(:mod:`knowflow.memory.places`).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yaml_text import written
from knowflow.ground.yamldoc import Document as YamlDocument
from knowflow.knowledge.documents import Loaded
from knowflow.knowledge.memory_settings import named_project
from knowflow.knowledge.rules import rule_problems
from knowflow.knowledge.template_check import template_problems
from knowflow.memory.case import Case
from knowflow.memory.generalise import who
from knowflow.memory.places import place
from knowflow.memory.trial import Tried
from knowflow.model.rule import Rule
from knowflow.model.template import Template
from knowflow.model.tool import Document, ToolSchema
from knowflow.question.patterns import pattern_of

# an expression that is found, or not, in one pass: words, and \S* for what stands up to the next space
_OF_WORDS = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^A-Za-z0-9]|\\S\*(?=\\?\s|$))*")
_LONGEST = 600

State = Literal["active", "proposed", "rejected", "retired"]
Tools = Mapping[str, ToolSchema]


class Kept(Document):
    """What was learned: what became of it and why, and the cases that it was learned from.

    ``proposed``: it waits for a person's approval, and is offered as long (:meth:`Shelf.offered`); ``rejected``: a
    person does not want it, nor anything like it; ``retired``: it was contradicted, or failed more often than it
    helped. ``approved``: a person said that it is right wherever it applies; ``imported``: it was learned in another
    project. ``tried`` is what became of it on generated scenes.
    """

    memory: Literal[1] = 1
    state: State = "active"
    why: str = Field("", description="why it is in this state")
    cases: tuple[Case, ...] = Field(min_length=1)
    tried: Tried | None = None
    approved: bool = False
    imported: bool = False

    @property
    def name(self) -> str:
        """What it is called, as its file is."""
        raise NotImplementedError

    @property
    def versions(self) -> tuple[Document, ...]:
        """The rules or templates that it was, the one that it is last."""
        raise NotImplementedError

    @property
    def told(self) -> tuple[str, str, str]:
        """Its title, what it does in a sentence, and why."""
        raise NotImplementedError

    def problems(self, document: YamlDocument, tools: Tools) -> Iterator[Problem]:
        """What is wrong with it, by the checks of what people write."""
        raise NotImplementedError


class Learned(Kept):
    """A learned rule; ``earlier`` are the rules that it was before."""

    rule: Rule
    earlier: tuple[Rule, ...] = ()

    @property
    def name(self) -> str:
        return self.rule.rule

    @property
    def versions(self) -> tuple[Document, ...]:
        return *self.earlier, self.rule

    @property
    def told(self) -> tuple[str, str, str]:
        return self.rule.title, self.rule.sentence(), self.rule.because

    def problems(self, document: YamlDocument, tools: Tools) -> Iterator[Problem]:
        yield from rule_problems(self.rule, document, ("rule",), tools)
        error = self.rule.if_.error or ""
        if len(error) > _LONGEST or not _OF_WORDS.fullmatch(error):
            expected = f"words of an error, at most {_LONGEST} letters, with \\S* for a word that differs"
            yield document.problem(("rule", "if", "error"), "bad_pattern", expected, shorten(error, 80))


class LearnedTemplate(Kept):
    """A learned template: ``deeds`` is what it does otherwise, in a few words, ``prepares`` the quantity to whose data
    alone it is done. ``earlier`` are those that it was before."""

    template: Template
    deeds: str
    prepares: str = ""
    earlier: tuple[Template, ...] = ()

    @property
    def name(self) -> str:
        return self.template.template

    @property
    def versions(self) -> tuple[Document, ...]:
        return *self.earlier, self.template

    @property
    def told(self) -> tuple[str, str, str]:
        sentence = f"IF {self.template.computes} is asked and {' and '.join(self.template.guards)} THEN {self.deeds}"
        return self.template.title, sentence, self.because

    @property
    def because(self) -> str:
        """Why it is used, in words."""
        runs = list(dict.fromkeys(case.run for case in self.cases))
        more = f" and {len(runs) - 1} more" if runs[1:] else ""
        return f"{who(self.cases)} changed a run on such data so ({runs[0]}{more}), and it went on to the end"

    def problems(self, document: YamlDocument, tools: Tools) -> Iterator[Problem]:
        own = {path[1:]: line for path, line in document.lines.items() if path[:1] == ("template",)}
        inner = YamlDocument(document.file, self.template.model_dump(by_alias=True), own)
        if self.template.computes is None or self.template.defines is not None:
            yield inner.problem(("template",), "missing_key", "computes: the operator that it is for", "none")
        else:
            try:
                pattern_of(self.template.computes)
            except ValueError as error:
                yield inner.problem(("computes",), "bad_pattern", "a pattern of an operator", str(error))
        for name, step in self.template.steps.items():
            if step.kind != "tool":
                yield inner.problem(("steps", name), "not_a_tool", "a tool", step.target)
        if not self.template.guards:
            yield inner.problem(("steps",), "no_guard", "a step with `when` and `else`: for which data it is", "none")
        yield from template_problems(self.template, inner, tools, {})


K = TypeVar("K", bound=Kept)


@dataclass(frozen=True, slots=True)
class Found(Generic[K]):
    """What is on a shelf, by name, and what is wrong with files that are left out."""

    learned: Mapping[str, K]
    problems: tuple[Problem, ...] = ()


def project_of(start: Path | None = None) -> str:
    """What the project whose ``.knowflow/`` is the nearest is called in memory: as its settings say, else by its
    folder; where there is none, no project."""
    if named := named_project(start):
        return named
    root = project_root(start)
    if root is None:
        return "no-project"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:8]
    return f"{''.join(c if c.isalnum() else '-' for c in root.parent.name)[:40]}-{digest}"


class ShelfOf(Generic[K]):
    """What was learned of one kind, in one project and one home folder."""

    def __init__(self, home: Path, project: str | None, kind: str, model: type[K]) -> None:
        project = project or project_of()
        self.folder = home / "memory" / project / kind
        self._place = place(self.folder, project, kind, self.folder.parent / "lock")
        self._model = model

    @property
    def where(self) -> str:
        """The folder, or the database, in words."""
        return self._place.where

    @property
    def empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self._place.empty

    def found(self, tools: Tools) -> Found[K]:
        """All that was learned, in order of name; files with errors are left out, and told."""
        learned: dict[str, K] = {}
        problems: list[Problem] = []
        for loaded in self._place.loaded(self._model):
            problems += loaded.problems
            if loaded.model is None:
                continue
            wrong = list(problems_of(loaded, tools))
            problems += wrong
            if not any(one.severity == "error" for one in wrong):
                learned[loaded.model.name] = loaded.model
        return Found(learned, tuple(problems))

    def has(self, name: str) -> bool:
        """Whether something is kept under a name, with errors or without."""
        return any(True for _ in self._place.loaded(self._model, name))

    def one(self, name: str, tools: Tools) -> K:
        """What was learned under a name.

        Raises:
            UnknownNameError: nothing was.
            DocumentError: its file has errors.
        """
        found = self.found(tools)
        if name in found.learned:
            return found.learned[name]
        for broken in self._place.loaded(self._model, name):
            wrong = tuple(one for one in found.problems if one.file == broken.document.file)
            where = broken.document.file
            raise DocumentError(f"what was learned as {name!r} has errors", where=where, problems=wrong)
        raise UnknownNameError(
            f"nothing was learned as {name!r}",
            expected="a name that `knowflow memory list` shows",
            found=name,
            hint=did_you_mean(name, found.learned, "see `knowflow memory list`"),
        )

    def changing(self) -> AbstractContextManager[None]:
        """While nobody else changes what is here."""
        return self._place.changing()

    def put(self, learned: K) -> None:
        """Keep what was learned, in the place of what has its name. Call within :meth:`changing`."""
        self._place.put(learned.name, as_text(learned))

    def forget(self, name: str) -> None:
        """Remove what was learned under a name. Call within :meth:`changing`."""
        self._place.remove(name)


class Shelf(ShelfOf[Learned]):
    """The learned rules of one project in one home folder."""

    def __init__(self, home: Path, project: str | None = None) -> None:
        super().__init__(home, project, "rules", Learned)

    def rules(self, tools: Tools) -> tuple[Rule, ...]:
        """The rules that are in use."""
        return tuple(one.rule for one in self.found(tools).learned.values() if one.state == "active")

    def offered(self, tools: Tools) -> tuple[Rule, ...]:
        """The rules that wait for a person, who is told what they would say; not those of another project."""
        known = self.found(tools).learned.values()
        return tuple(one.rule for one in known if one.state == "proposed" and not one.imported)


class TemplateShelf(ShelfOf[LearnedTemplate]):
    """The learned templates of one project in one home folder."""

    def __init__(self, home: Path, project: str | None = None) -> None:
        super().__init__(home, project, "templates", LearnedTemplate)


def as_text(learned: Kept) -> str:
    """What was learned as YAML that a person can read and change."""
    return written(_plain(learned.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"memory": 1}))


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    first = ("memory", "state", "why", "approved", "imported", "rule", "template", "deeds", "prepares", "tried")
    return {name: data[name] for name in (*first, "cases", "earlier") if name in data}


def problems_of(loaded: Loaded[K], tools: Tools) -> Iterator[Problem]:
    """What is wrong with what was learned, by the checks of what people write; its file is named after it."""
    learned = loaded.model
    if learned is None:
        return
    yield from learned.problems(loaded.document, tools)
    if loaded.path.suffix == ".yaml" and loaded.path.stem != learned.name:
        expected = f"the name of its file, {loaded.path.stem}"
        yield loaded.document.problem((), "other_name", expected, learned.name)
