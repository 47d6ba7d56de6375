"""Failures and what was done about them: the cause, the repair and who made it, what was proposed in vain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import plain, shorten
from knowflow.roof.repair_words import edits_in_words, edits_text, failure_text, step_in_words, who, workflow_change
from knowflow.roof.terminal.console import ACCENT, BAD, GOOD, QUIET, WARN, said

if TYPE_CHECKING:
    from knowflow.model.diagnosis import Diagnosis
    from knowflow.model.trace import Refusal, Repaired, Trace
    from knowflow.service.run_edits import EditedRun

_MOST_EVIDENCE = 4
_MOST_CAUSES = 12
_MOST_REFUSALS = 6
_MOST_NODES = 8


def diagnosed(diagnosis: Diagnosis, step: str) -> Text:
    """The cause on one line, while the run goes on; ``step`` is what failed, in words."""
    told = diagnosis.sentence()
    if step and not diagnosis.file:
        told = told.replace(f" ({diagnosis.node}", f" ({step}", 1)
    return Text.assemble(("  cause  ", QUIET), said(shorten(told, 160), WARN))


def headline(repair: Repaired) -> Text:
    """The repair on one line: who did what."""
    what = "edit" if repair.by == "person" else "repair"
    return Text.assemble(
        ("↻ ", f"bold {WARN}"),
        (f"{what} {repair.number}", "bold"),
        f" by {plain(who(repair.by))}: ",
        edits_in_words(repair),
    )


def repaired(repair: Repaired) -> Text:
    """The repair while the run goes on: who did what, why, and what it gives up."""
    line = headline(repair)
    if repair.tokens:
        line.append(f"  ({repair.tokens:,} tokens)", style=QUIET)
    if repair.because:
        line.append(f"\n  because {plain(repair.because)}", style=QUIET)
    if repair.lossy:
        line.append(f"\n  gives up: {plain(repair.lossy)}", style=WARN)
    return line


def show_repairs(console: Console, trace: Trace) -> None:
    """Everything that went wrong in a run, and what became of it; nothing for a run in which nothing did."""
    for repair in trace.repairs:
        for line in _repair(repair):
            console.print(line, soft_wrap=True)
    for diagnosis in trace.diagnoses[:_MOST_CAUSES]:
        for line in _given_up(diagnosis, trace):
            console.print(line, soft_wrap=True)
    if len(trace.diagnoses) > _MOST_CAUSES:
        more = len(trace.diagnoses) - _MOST_CAUSES
        console.print(_labelled("", f"and {more} more failures that were given up", QUIET), soft_wrap=True)
    for line in _refused(trace.refusals):
        console.print(line, soft_wrap=True)


def _repair(repair: Repaired) -> Iterator[Text]:
    what = "Edit" if repair.by == "person" else "Repair"
    yield Text.assemble(("↻ ", f"bold {WARN}"), (f"{what} {repair.number}", "bold"), f"  by {plain(who(repair.by))}")
    if repair.diagnosis.failed:
        yield _labelled("failed", failure_text(repair), BAD)
        yield from _cause(repair.diagnosis)
    yield _labelled("edit", edits_text(repair), ACCENT)
    if repair.by.startswith(("rule:", "memory:")):
        yield _labelled("rule", repair.sentence, QUIET)
    if repair.because:
        yield _labelled("because", repair.because)
    if repair.lossy:
        yield _labelled("gives up", repair.lossy, WARN)
    change = workflow_change(repair)
    if change:
        yield _labelled("workflow", change)
    yield from _refused(repair.refused)


def _cause(diagnosis: Diagnosis) -> Iterator[Text]:
    sure = "" if diagnosis.confidence == "certain" else " (probably)"
    yield _labelled("cause", f"{diagnosis.title}{sure} [{diagnosis.cause}]", WARN)
    if diagnosis.node and diagnosis.node != diagnosis.failed:
        yield _labelled("guilty", diagnosis.node)
    for number, evidence in enumerate(diagnosis.evidence[:_MOST_EVIDENCE]):
        yield _labelled("evidence" if number == 0 else "", str(evidence), QUIET)


def _given_up(diagnosis: Diagnosis, trace: Trace) -> Iterator[Text]:
    step = step_in_words(trace.plan.workflow.nodes, diagnosis.failed)
    name = "" if step == diagnosis.failed else f"  {diagnosis.failed}"
    yield Text.assemble(("✗ ", f"bold {BAD}"), ("Not repaired", "bold"), f"  {plain(step)}", (plain(name), QUIET))
    yield from _cause(diagnosis)
    if diagnosis.advice:
        yield _labelled("to do", diagnosis.advice, GOOD)


def _refused(refusals: Sequence[Refusal]) -> Iterator[Text]:
    for refusal in refusals[:_MOST_REFUSALS]:
        reasons = "; ".join(refusal.reasons) or "no reason was kept"
        yield _labelled("refused", f"{who(refusal.by)}: {shorten(refusal.sentence, 120)}", QUIET)
        yield _labelled("", shorten(reasons, 300), QUIET)
    if len(refusals) > _MOST_REFUSALS:
        yield _labelled("", f"and {len(refusals) - _MOST_REFUSALS} more proposals that were refused", QUIET)


def _labelled(label: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"  {label:<9} ", QUIET), (plain(text), style))


def show_edit(console: Console, edited: EditedRun) -> None:
    """What a person's change of a run does, and what will be computed again."""
    console.print(Text.assemble(("Edit of run ", "bold"), (plain(edited.run_id), "bold")), soft_wrap=True)
    for sentence in edited.sentences:
        console.print(Text.assemble(("  ↻ ", WARN), said(sentence)), soft_wrap=True)
    for label, names, style in (
        ("new", edited.new, GOOD),
        ("changed", edited.changed, ACCENT),
        ("gone", edited.gone, QUIET),
        ("again", edited.again, WARN),
    ):
        if names:
            console.print(_labelled(label, _named(names), style), soft_wrap=True)
    kept, again = len(edited.kept), len(edited.again)
    rest = f"; {len(edited.rest)} had none yet" if edited.rest else ""
    counted = f"{kept} of {kept + again} results are kept, {again} computed again{rest}"
    console.print(Text(f"  {counted}", style="bold"), soft_wrap=True)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NODES} more" if len(names) > _MOST_NODES else ""
    return ", ".join(names[:_MOST_NODES]) + more
