"""Repair rules on the terminal: as sentences, one by one, their tests, and what they did in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import plain
from knowflow.roof.terminal.console import ACCENT, BAD, GOOD, QUIET, WARN
from knowflow.roof.terminal.problems import show_problems

if TYPE_CHECKING:
    from knowflow.model.diagnosis import Diagnosis
    from knowflow.model.rule import Rule
    from knowflow.reason.repair.scenarios import RuleTestResult
    from knowflow.service.rule_book import ExplainedRun

Record = Mapping[str, tuple[int, int]]


def show_rules(console: Console, rules: Sequence[Rule], record: Record) -> None:
    """Each rule as its name and its sentence."""
    for rule in rules:
        tries, successes = record.get(rule.rule, (0, 0))
        line = Text.assemble((plain(rule.rule), "bold"))
        if tries:
            line.append(f"  helped {successes} of {tries} times", style=QUIET)
        console.print(line, soft_wrap=True)
        console.print(Text(f"  {plain(rule.sentence())}"), soft_wrap=True)
    console.print(Text(f"{len(rules)} rules", style=QUIET))


def show_rule(console: Console, rule: Rule, record: tuple[int, int], file: str) -> None:
    console.print(Text.assemble((plain(rule.rule), "bold"), f"  {plain(rule.title)}"), soft_wrap=True)
    lines = [
        ("rule", rule.sentence()),
        ("because", rule.because),
        ("given up", rule.lossy),
        ("source", rule.source),
        ("record", f"tried {record[0]} times, helped {record[1]} times" if record[0] else "not tried yet"),
        ("file", file),
    ]
    for label, value in lines:
        if value:
            console.print(Text.assemble((f"  {label:<9}", QUIET), plain(value)), soft_wrap=True)


def show_rule_tests(console: Console, results: Sequence[RuleTestResult]) -> None:
    """Each test that failed with its reasons, and a count."""
    for one in results:
        mark, style = ("✓", GOOD) if one.passed else ("✗", BAD)
        line = Text.assemble((f"{mark} ", style), (plain(one.rule), "bold"), f"  {plain(one.test)}")
        console.print(line, soft_wrap=True)
        if one.problems:
            show_problems(console, one.problems)
    failed = sum(not one.passed for one in results)
    style = f"bold {BAD if failed else GOOD}"
    console.print(Text(f"{len(results) - failed} passed, {failed} failed", style=style))


def show_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """A cause with its evidence and what to do."""
    certainly = "" if diagnosis.confidence == "certain" else "probably "
    console.print(
        Text.assemble(("  cause     ", QUIET), (f"{certainly}{plain(diagnosis.title)}", WARN)), soft_wrap=True
    )
    where = diagnosis.file or " ".join(part for part in (diagnosis.node, diagnosis.parameter) if part)
    if where:
        console.print(Text.assemble(("  where     ", QUIET), (plain(where), ACCENT)), soft_wrap=True)
    for item in diagnosis.evidence:
        console.print(Text.assemble(("  evidence  ", QUIET), plain(str(item))), soft_wrap=True)
    if diagnosis.advice:
        console.print(Text.assemble(("  to do     ", QUIET), plain(diagnosis.advice)), soft_wrap=True)


def show_explained(console: Console, run: ExplainedRun) -> None:
    """Every failure of a run: its cause, what was done about it, and the rules that spoke for or against."""
    console.print(Text.assemble(("Run ", "bold"), plain(run.run_id), f"  {run.status}"), soft_wrap=True)
    if not run.failures:
        console.print(Text("Nothing failed; no rule was needed.", style=GOOD))
    for failure in run.failures:
        console.print(Text.assemble(("✗ ", BAD), (plain(failure.node), "bold")), soft_wrap=True)
        show_diagnosis(console, failure.diagnosis)
        done = failure.repaired
        if done is not None:
            line = Text.assemble(("  repair    ", QUIET), (f"{done.number}, by {plain(done.by)}: ", GOOD))
            console.print(line.append(plain(done.sentence)), soft_wrap=True)
            console.print(Text.assemble(("  because   ", QUIET), plain(done.because)), soft_wrap=True)
        for name in failure.applied:
            console.print(Text.assemble(("  applies   ", QUIET), plain(name)), soft_wrap=True)
        for name, why in failure.passed_over:
            console.print(Text.assemble(("  not       ", QUIET), f"{plain(name)}: {plain(why)}"), soft_wrap=True)
    for refusal in run.refusals:
        line = Text.assemble(("– refused  ", WARN), f"{plain(refusal.by)}: {plain(refusal.sentence)}")
        console.print(line, soft_wrap=True)
        for reason in refusal.reasons:
            console.print(Text(f"    {plain(reason)}", style=QUIET), soft_wrap=True)
