"""What was learned, in service: looked at, decided on, handed to another project, and taken from one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DocumentError, OutputError
from knowflow.ground.report import Problem
from knowflow.ground.system import refusal
from knowflow.ground.yaml_text import written
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.rules import load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.memory.conflicts import contradicting
from knowflow.memory.shelf import Learned, Shelf, State, as_text, problems_of
from knowflow.memory.trial import tried
from knowflow.model.rule import Rule
from knowflow.reason.repair.scenarios import run_rule_tests


@dataclass(frozen=True, slots=True)
class Remembered:
    """A learned rule with its record, and the names of those in use, learned or authored, that say otherwise of the
    same kind of failure: of these none is followed."""

    learned: Learned
    tries: int = 0
    successes: int = 0
    contradicts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        one = self.learned
        return {
            "name": one.name,
            "state": one.state,
            "why": one.why,
            "title": one.rule.title,
            "sentence": one.rule.sentence(),
            "because": one.rule.because,
            "evidence": [{"run": case.run, "repair": case.number, "by": case.by} for case in one.cases],
            "scenes": 0 if one.tried is None else one.tried.scenes,
            "approved": one.approved,
            "tries": self.tries,
            "successes": self.successes,
            "contradicts": list(self.contradicts),
        }


class MemoryBook:
    """The memory of one project in one home folder."""

    def __init__(self, home: Path, catalogue: Catalogue, project: str | None = None) -> None:
        self._shelf = Shelf(home, project)
        self._tools = catalogue.tools
        self._home = home

    @property
    def folder(self) -> Path:
        return self._shelf.folder

    def all(self) -> tuple[tuple[Remembered, ...], tuple[Problem, ...]]:
        """Everything that was learned, and what is wrong with files that are left out."""
        found = self._shelf.found(self._tools)
        record = SuccessRecord(self._home).all()
        return tuple(self._remembered(one, found.learned, record) for one in found.learned.values()), found.problems

    def one(self, name: str) -> Remembered:
        """What was learned under a name.

        Raises:
            UnknownNameError, DocumentError: nothing was; its file has errors.
        """
        one = self._shelf.one(name, self._tools)
        return self._remembered(one, self._shelf.found(self._tools).learned, SuccessRecord(self._home).all())

    def text(self, name: str) -> str:
        """The file of a learned rule."""
        return as_text(self._shelf.one(name, self._tools))

    def differences(self, name: str) -> str:
        """What the last case changed of a rule, line by line; of one with a single case all of it."""
        one = self._shelf.one(name, self._tools)
        before = _lines(one.earlier[-1]) if one.earlier else []
        label = f"{name} (before)" if one.earlier else "nothing"
        return "\n".join(difflib.unified_diff(before, _lines(one.rule), label, name, lineterm="", n=2))

    def decide(self, name: str, state: State) -> Learned:
        """A person's word on a rule: ``active`` or ``rejected``.

        Raises:
            UnknownNameError, DocumentError: there is no such rule; its file has errors.
        """
        with self._shelf.changing():
            one = self._shelf.one(name, self._tools)
            decided = one.model_copy(update={"state": state, "why": "a person said so", "approved": state == "active"})
            self._shelf.put(decided)
            return decided

    def forget(self, names: Sequence[str]) -> None:
        """Remove what was learned, so that it may be learned again.

        Raises:
            UnknownNameError: nothing was learned under one of the names; then all stay.
        """
        with self._shelf.changing():
            for name in names:
                if not self._shelf.path(name).is_file():
                    self._shelf.one(name, self._tools)
            for name in names:
                self._shelf.forget(name)

    def export(self, folder: Path, names: Sequence[str] = ()) -> tuple[Path, ...]:
        """Write rules that are in use (or the named ones) into a folder, to be imported elsewhere. What tells of the
        runs stays here: the ids of runs are of no use there.

        Raises:
            UnknownNameError, DocumentError: there is no such rule. OutputError: the folder cannot be written to.
        """
        active = [one.learned for one in self.all()[0] if one.learned.state == "active"]
        chosen = [self._shelf.one(name, self._tools) for name in names] if names else active
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

    def take(self, path: Path) -> tuple[Learned, ...]:
        """Import rules from a file or a folder; they wait for approval. All are checked as authored files are, by their
        own tests and on generated scenes; where one does not pass its tests, none is taken.

        Raises:
            DocumentError: there is nothing to import, or something is wrong with it; all problems are listed.
        """
        files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
        taken: list[Learned] = []
        problems: list[Problem] = []
        for file in files:
            loaded = load_model(file, Learned)
            wrong = [*loaded.problems, *problems_of(loaded, self._tools)]
            if loaded.model is not None and not wrong:
                failed = [one for one in run_rule_tests([loaded.model.rule], self._tools) if not one.passed]
                wrong += [problem for one in failed for problem in one.problems]
            problems += [one for one in wrong if one.severity == "error"]
            taken += [loaded.model] if loaded.model is not None else []
        if problems or not taken:
            what = "what is to be imported has errors" if problems else "there is nothing to import"
            raise DocumentError(
                what, where=str(path), expected="files that `knowflow memory export` wrote", problems=problems
            )
        with self._shelf.changing():
            there = [one.name for one in taken if self._shelf.path(one.name).exists()]
            if there:
                raise OutputError(
                    f"{there[0]} is here already", where=str(self._shelf.path(there[0])), hint="forget it first"
                )
            kept = tuple(self._proposal(one, file) for one, file in zip(taken, files, strict=True))
            for one in kept:
                self._shelf.put(one)
        return kept

    def _proposal(self, one: Learned, file: Path) -> Learned:
        """A rule of another project, as it waits for a person."""
        found = tried(one.rule, one.cases, self._tools, lambda: load_rules(self._tools).rules.values())
        wrong = f"; it would speak of {found.wrong}, and be wrong" if found.wrong else ""
        why = f"imported from {file.name}{wrong}"
        return one.model_copy(
            update={"state": "proposed", "why": why, "tried": found, "approved": False, "imported": True}
        )

    def _remembered(
        self, one: Learned, known: Mapping[str, Learned], record: Mapping[str, tuple[int, int]]
    ) -> Remembered:
        learned = [two.rule for two in known.values() if two.state == "active"]
        others = [*learned, *load_rules(self._tools).rules.values()] if one.state == "active" else []
        return Remembered(one, *record.get(one.name, (0, 0)), tuple(contradicting(one.rule, others, self._tools)))


def _lines(rule: Rule) -> list[str]:
    return written(rule.model_dump(mode="json", by_alias=True, exclude_defaults=True)).splitlines()
