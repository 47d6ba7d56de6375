"""Problems and errors: where, what was expected, what was found, what to do. Never a traceback."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from knowflow.ground.report import Problem
from knowflow.roof.notation import duration, plain
from knowflow.roof.terminal.console import ACCENT, BAD, GOOD, QUIET, WARN, said

if TYPE_CHECKING:
    from knowflow.service.results import Diagnosis, TemplateTestResult

_MOST_PROBLEMS = 200


def show_problems(console: Console, problems: Sequence[Problem]) -> None:
    """Every problem at its place; a count at the end."""
    for problem in problems[:_MOST_PROBLEMS]:
        console.print(_problem(problem), soft_wrap=True)
    if len(problems) > _MOST_PROBLEMS:
        console.print(Text(f"and {len(problems) - _MOST_PROBLEMS} more", style=QUIET))
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    if not problems:
        console.print(Text("No problems.", style=GOOD))
        return
    counted = [(errors, "problem"), (warnings, "warning")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counted if count]
    console.print(Text(", ".join(parts), style=f"bold {BAD if errors else WARN}"))


def _problem(problem: Problem) -> Text:
    place = f"{problem.file}:{problem.line}" if problem.file else ""
    style = BAD if problem.severity == "error" else WARN
    text = Text.assemble((plain(place), "bold"), "  " if place else "", (plain(problem.code), style))
    if problem.where:
        text.append(f"  {plain(problem.where)}", style=ACCENT)
    for label, value in (("expected", problem.expected), ("found", problem.found), ("hint", problem.hint)):
        if value:
            text.append(f"\n    {label:<9}", style=QUIET).append(plain(value))
    return text


def show_error_data(console: Console, error: Mapping[str, Any]) -> None:
    """An error as errors and traces keep it."""
    text = Text.assemble(("Error: ", f"bold {BAD}"), said(error.get("message") or "the run failed", "bold"))
    if error.get("code"):
        text.append(f"  [{plain(error['code'])}]", style=QUIET)
    for label in ("where", "expected", "found", "hint"):
        if error.get(label):
            name = "to do" if label == "hint" else label
            text.append(f"\n  {name:<9}", style=QUIET).append(plain(error[label]))
    console.print(text, soft_wrap=True)
    for problem in _problems_of(error.get("problems") or ()):
        console.print(_problem(problem), soft_wrap=True)
    show_questions(console, error.get("instead") or ())


def show_questions(console: Console, questions: Sequence[str]) -> None:
    """Questions to ask instead, each on a line of its own, to be copied."""
    if questions:
        console.print(Text("These data can answer", style=QUIET))
    for question in questions:
        console.print(Text(f"  {plain(question)}", style=ACCENT), soft_wrap=True)


def _problems_of(items: Iterable[Mapping[str, Any]]) -> list[Problem]:
    names = Problem.__dataclass_fields__
    return [Problem(**{name: value for name, value in item.items() if name in names}) for item in items]


def show_diagnoses(console: Console, diagnoses: Sequence[Diagnosis]) -> None:
    width = max((len(one.name) for one in diagnoses), default=0) + 2
    for one in diagnoses:
        mark, style = ("✓", GOOD) if one.ok else ("✗", BAD)
        line = Text.assemble((f"{mark} ", style), (plain(one.name).ljust(width), "bold"), plain(one.found))
        console.print(line, soft_wrap=True)
        if one.hint and not one.ok:
            console.print(Text(f"    {plain(one.hint)}", style=WARN), soft_wrap=True)


def show_tests(console: Console, results: Sequence[TemplateTestResult]) -> None:
    """Each test of a template: passed, or what was expected and found."""
    for one in results:
        mark, style = ("✓", GOOD) if one.passed else ("✗", BAD)
        line = Text.assemble((f"{mark} ", style), (plain(one.template), "bold"), f"  {plain(one.test)}")
        console.print(line.append(f"  {duration(one.seconds)}", style=QUIET), soft_wrap=True)
        for problem in one.problems:
            console.print(_problem(problem), soft_wrap=True)
        if one.again:
            console.print(Text(f"  {plain(shlex.join(one.again))}", style=ACCENT), soft_wrap=True)
    failed = sum(not one.passed for one in results)
    passed = len(results) - failed
    console.print(Text(f"{passed} passed, {failed} failed", style=f"bold {BAD if failed else GOOD}"))
