"""What was learned, in service: looked at, decided on, handed to another project, and taken from one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DocumentError, OutputError
from knowflow.ground.report import Problem
from knowflow.ground.system import refusal
from knowflow.ground.yaml_text import written
from knowflow.ground.yamldoc import load
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.success_record import SuccessRecord, expected
from knowflow.memory.conflicts import Contradictions
from knowflow.memory.shelf import (
    Kept,
    Learned,
    LearnedTemplate,
    Shelf,
    ShelfOf,
    State,
    TemplateShelf,
    as_text,
    problems_of,
)
from knowflow.memory.trial import tried
from knowflow.model.tool import Document
from knowflow.reason.repair.scenarios import run_rule_tests


@dataclass(frozen=True, slots=True)
class Remembered:
    """A learned rule or template with its record, and the names of rules in use, learned or authored, that say
    otherwise of the same kind of failure: of these none is followed. ``likely`` is how likely it is to help the next
    time, by its record."""

    learned: Kept
    tries: int = 0
    successes: int = 0
    contradicts: tuple[str, ...] = ()

    @property
    def likely(self) -> float:
        return expected(self.tries, self.successes)

    def to_json(self) -> dict[str, Any]:
        one = self.learned
        title, sentence, because = one.told
        return {
            "name": one.name,
            "state": one.state,
            "why": one.why,
            "kind": "template" if isinstance(one, LearnedTemplate) else "rule",
            "title": title,
            "sentence": sentence,
            "because": because,
            "evidence": [{"run": case.run, "repair": case.number, "by": case.by} for case in one.cases],
            "scenes": 0 if one.tried is None else one.tried.scenes,
            "approved": one.approved,
            "tries": self.tries,
            "successes": self.successes,
            "likely": round(self.likely, 3),
            "contradicts": list(self.contradicts),
        }


class MemoryBook:
    """The memory of one project in one home folder."""

    def __init__(self, home: Path, catalogue: Catalogue, project: str | None = None) -> None:
        self._shelves: tuple[ShelfOf[Any], ...] = (Shelf(home, project), TemplateShelf(home, project))
        self._catalogue = catalogue
        self._tools = catalogue.tools
        self._home = home

    @property
    def folder(self) -> Path:
        return self._shelves[0].folder.parent

    @property
    def where(self) -> str:
        """The folder, or the database and the project, in words."""
        return self._shelves[0].where.rpartition("/")[0]

    def all(self) -> tuple[tuple[Remembered, ...], tuple[Problem, ...]]:
        """Everything that was learned, what is most likely to help first, and what is wrong with files that are left
        out."""
        found = [shelf.found(self._tools) for shelf in self._shelves]
        known = {name: one for part in found for name, one in part.learned.items()}
        listed = sorted(self._remembered(known.values(), known), key=lambda one: -one.likely)
        return tuple(listed), tuple(problem for part in found for problem in part.problems)

    def one(self, name: str) -> Remembered:
        """What was learned under a name.

        Raises:
            UnknownNameError, DocumentError: nothing was; its file has errors.
        """
        known = {name: one for shelf in self._shelves for name, one in shelf.found(self._tools).learned.items()}
        (found,) = self._remembered([self._learned(name)], known)
        return found

    def _shelf(self, name: str) -> ShelfOf[Any]:
        """Where what has a name is kept; of an unknown one, where rules are."""
        return next((shelf for shelf in self._shelves if shelf.has(name)), self._shelves[0])

    def _learned(self, name: str) -> Kept:
        found: Kept = self._shelf(name).one(name, self._tools)
        return found

    def text(self, name: str) -> str:
        """The file of what was learned."""
        return as_text(self._learned(name))

    def differences(self, name: str) -> str:
        """What the last case changed, line by line; of what has a single case all of it."""
        *before, now = self._learned(name).versions
        label = f"{name} (before)" if before else "nothing"
        lines = _lines(before[-1]) if before else []
        return "\n".join(difflib.unified_diff(lines, _lines(now), label, name, lineterm="", n=2))

    def decide(self, name: str, state: State) -> Kept:
        """A person's word: ``active`` or ``rejected``.

        Raises:
            UnknownNameError, DocumentError: nothing of that name was learned; its file has errors.
        """
        shelf = self._shelf(name)
        with shelf.changing():
            one: Kept = shelf.one(name, self._tools)
            decided = one.model_copy(update={"state": state, "why": "a person said so", "approved": state == "active"})
            shelf.put(decided)
            return decided

    def forget(self, names: Sequence[str]) -> None:
        """Remove what was learned, so that it may be learned again.

        Raises:
            UnknownNameError: nothing was learned under one of the names; then all stay.
        """
        for name in names:
            shelf = self._shelf(name)
            if not shelf.has(name):
                shelf.one(name, self._tools)
        for name in names:
            shelf = self._shelf(name)
            with shelf.changing():
                shelf.forget(name)

    def export(self, folder: Path, names: Sequence[str] = ()) -> tuple[Path, ...]:
        """Write what is in use (or what is named) into a folder, to be imported elsewhere. What tells of the
        runs stays here: the ids of runs are of no use there.

        Raises:
            UnknownNameError, DocumentError: there is no such rule. OutputError: the folder cannot be written to.
        """
        active = [one.learned for one in self.all()[0] if one.learned.state == "active"]
        chosen = [self._learned(name) for name in names] if names else active
        written_to = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for one in chosen:
                path = folder / f"{one.name}.yaml"
                bare = {"earlier": (), "why": "", "tried": None, "approved": False, "imported": False}
                path.write_text(as_text(one.model_copy(update=bare)), encoding="utf-8")
                written_to.append(path)
        except OSError as error:
            raise refusal(error) from error
        return tuple(written_to)

    def take(self, path: Path) -> tuple[Kept, ...]:
        """Import rules and templates from a file or a folder; they wait for approval. All are checked as authored files
        are, rules by their own tests and templates on generated scenes; where one does not pass, none is taken.

        Raises:
            DocumentError: there is nothing to import, or something is wrong with it; all problems are listed.
        """
        files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
        taken: list[Kept] = []
        problems: list[Problem] = []
        for file in files:
            loaded = self._read(file)
            wrong = [*loaded.problems, *problems_of(loaded, self._tools)]
            if loaded.model is not None and not any(one.severity == "error" for one in wrong):
                wrong += self._failed(loaded.model, loaded)
            problems += [one for one in wrong if one.severity == "error"]
            taken += [loaded.model] if loaded.model is not None else []
        if problems or not taken:
            what = "what is to be imported has errors" if problems else "there is nothing to import"
            raise DocumentError(
                what, where=str(path), expected="files that `knowflow memory export` wrote", problems=problems
            )
        there = [one.name for one in taken if self._shelf_for(one).has(one.name)]
        if there:
            raise OutputError(f"{there[0]} is here already", where=self.where, hint="forget it first")
        kept = tuple(self._proposal(one, file) for one, file in zip(taken, files, strict=True))
        for one in kept:
            shelf = self._shelf_for(one)
            with shelf.changing():
                shelf.put(one)
        return kept

    def _proposal(self, one: Kept, file: Path) -> Kept:
        """What another project learned, as it waits for a person."""
        found, why = one.tried, f"imported from {file.name}"
        if isinstance(one, Learned):
            found = tried(one.rule, one.cases, self._tools, lambda: load_rules(self._tools).rules.values())
            why += f"; it would speak of {found.wrong}, and be wrong" if found.wrong else ""
        return one.model_copy(
            update={"state": "proposed", "why": why, "tried": found, "approved": False, "imported": True}
        )

    def _shelf_for(self, one: Kept) -> ShelfOf[Any]:
        return self._shelves[isinstance(one, LearnedTemplate)]

    def _read(self, file: Path) -> Loaded[Any]:
        """A file as what it begins like: a template where it has one, else a rule."""
        known = load(file).data
        return load_model(file, LearnedTemplate if isinstance(known, dict) and "template" in known else Learned)

    def _failed(self, one: Kept, loaded: Loaded[Any]) -> Iterator[Problem]:
        """What speaks against taking something that passes its checks."""
        if isinstance(one, Learned):
            yield from (wrong for test in run_rule_tests([one.rule], self._tools) for wrong in test.problems)
        elif isinstance(one, LearnedTemplate):
            from knowflow.service.template_trial import tried as on_scenes

            wrong = on_scenes(one.template, one.cases, self._catalogue).wrong
            if wrong:
                yield loaded.document.problem(("template",), "trial", "right on generated scenes", wrong)

    def _remembered(self, some: Iterable[Kept], known: Mapping[str, Kept]) -> Iterator[Remembered]:
        """What was learned, with its record and what contradicts it."""
        record = SuccessRecord(self._home).all()
        learned = [two.rule for two in known.values() if isinstance(two, Learned) and two.state == "active"]
        contradictions = Contradictions([*learned, *load_rules(self._tools).rules.values()], self._tools)
        for one in some:
            others = contradictions.of(one.rule) if isinstance(one, Learned) and one.state == "active" else ()
            yield Remembered(one, *record.get(one.name, (0, 0)), others)


def _lines(document: Document) -> list[str]:
    return written(document.model_dump(mode="json", by_alias=True, exclude_defaults=True)).splitlines()
