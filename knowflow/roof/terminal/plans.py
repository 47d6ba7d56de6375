"""A plan before it runs: the tree, what is assumed and inserted, what it costs; and why it is as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.console import Group as Lines
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from knowflow.graph.export import LAYER_TITLES, Group, folded, labels_of, sources_text
from knowflow.graph.justify import Justification
from knowflow.model.goal import Period, Threshold
from knowflow.model.plan import Assumption, Plan
from knowflow.roof.notation import duration, fact_of, literal, plain, shorten, size, words
from knowflow.roof.terminal.console import ACCENT, BAD, GOOD, QUIET, WARN, columns, said
from knowflow.roof.terminal.reading import reading_tree

if TYPE_CHECKING:
    from knowflow.knowledge.retrieval import Retrieval
    from knowflow.model.goal import QueryGoal
    from knowflow.question.reading.readings import Reading
    from knowflow.reason.llm.reading import ReadByModel
    from knowflow.service.advice import Advice
    from knowflow.service.results import PlanResult


def show_plan(console: Console, planned: PlanResult, *, tree: bool = True, notes: bool = True) -> None:
    """The plan with everything a person needs to agree to it: without ``notes``, which an answer comes with, and
    without its ``tree`` where only what it rests on is wanted."""
    plan, estimate = planned.plan, planned.estimate
    if tree:
        console.print(plan_tree(plan))
        console.print()
    if planned.by_model is not None:
        console.print(Text.assemble(("Read  ", f"bold {WARN}"), said(planned.by_model.sentence())))
        console.print()
    for part in (assumptions(plan.assumptions), insertions(plan)):
        if part is not None:
            console.print(part)
            console.print()
    if plan.understood.get("stated", {}).get("value"):
        stated = "  ".join(f"{name}={value}" for name, value in plan.understood["stated"]["value"].items())
        console.print(
            Text.assemble(("Stated  ", "bold"), said(stated), said("  (another with --set NAME=VALUE)", QUIET))
        )
        console.print()
    nodes = "1 node" if estimate.nodes == 1 else f"{estimate.nodes} nodes"
    cost = f"{nodes}, about {duration(estimate.seconds)} and {size(estimate.disk_bytes)} of disk"
    console.print(Text.assemble(("Estimate  ", "bold"), cost))
    if planned.check.missing:
        facts = sorted({(missing.source, missing.fact, missing.assume) for missing in planned.check.missing})
        console.print(Text("Nobody knows", style=f"bold {WARN}"))
        for source, fact, assume in facts:
            console.print(Text.assemble("  the ", said(fact), " of ", said(source), ": ", (plain(assume), ACCENT)))
    for note in planned.notes if notes else ():
        console.print(said(f"Note: {note}", QUIET))


def plan_tree(plan: Plan) -> Tree:
    """Layers, template steps and nodes; siblings folded, inserted nodes marked with ``+``."""
    groups = folded(plan.workflow)
    names = labels_of(plan, groups)
    root = Tree(said(plan.title or plan.template or "Plan", "bold"), guide_style=QUIET)
    for layer in sorted({group.head.layer for group in groups}):
        branch = root.add(Text(f"{layer}  {LAYER_TITLES.get(layer, 'other')}", style=QUIET))
        for group in groups:
            if group.head.layer == layer:
                branch.add(_group(group, ", ".join(sources_text(group, names))))
    for name in plan.outputs:
        root.add(Text.assemble(("→ ", GOOD), said(words(name), "bold")))
    return root


def _group(group: Group, sources: str) -> RenderableType:
    head = group.head
    line = Text()
    if head.inserted is not None:
        line.append("+ ", style=f"bold {WARN}")
    line.append(plain(group.label), style="bold")
    if head.tool != group.name:
        line.append(f"  {plain(head.tool)}", style=ACCENT)
    if sources:
        line.append(f"  ← {shorten(sources, 70)}", style=QUIET)
    return line


def assumptions(found: Sequence[Assumption]) -> RenderableType | None:
    if not found:
        return None
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(ratio=2)
    table.add_column(ratio=3)
    for one in found:
        what = (
            said(one.what)
            if one.value is True
            else Text.assemble((fact_of(one.what), "bold"), f" = {literal(one.value)}")
        )
        why = "you said so" if one.origin == "user" else plain(one.origin)
        named = one.because and one.origin != "template default"  # of these it is the name of a parameter
        table.add_row(what, Text(f"{why}; {plain(one.because)}" if named else why, style=QUIET))
    return Lines(Text("Assumed", style=f"bold {WARN}"), Padding(table, (0, 0, 0, 2)))


def insertions(plan: Plan) -> RenderableType | None:
    lines: list[RenderableType] = []
    for group in folded(plan.workflow):
        inserted = group.head.inserted
        if inserted is None:
            continue
        lines.append(Text.assemble(("  + ", f"bold {WARN}"), (plain(group.label), "bold")))
        reasons = Text(f"by {inserted.who}: {plain(group.reasons[0])}", style=QUIET)
        if len(group.reasons) > 1:
            reasons.append(f" (and {len(group.reasons) - 1} more reasons)")
        lines.append(Padding(reasons, (0, 0, 0, 4)))
        if inserted.lossy:
            lines.append(Padding(Text(f"loses information: {plain(inserted.lossy)}", style=WARN), (0, 0, 0, 4)))
    return Lines(Text("Inserted, no template names them", style=f"bold {WARN}"), *lines) if lines else None


def show_explanation(console: Console, planned: PlanResult, advice: Advice) -> None:
    """Why the plan is as it is: words understood, choices made, and what justifies each edge; and what is known of such
    questions, from experts and from earlier attempts."""
    for title, part in (
        ("What experts mind", _lines(f"{task}: {text}" for task, text in advice.guidance)),
        ("Earlier attempts at this over such data, latest first", _lines(one.sentence() for one in advice.earlier)),
        ("Asked", None if planned.by_model is None else exchange(planned.by_model)),
        ("Understood", _read(planned.reading)),
        ("Decided", decisions(planned.plan)),
        ("Edges", _edges(planned)),
    ):
        if part is not None:
            console.print()
            console.print(Text(title, style="bold"))
            console.print(Padding(part, (0, 0, 0, 2)))


def _lines(told: Iterable[str]) -> RenderableType | None:
    lines = [said(one) for one in told]
    return Lines(*lines) if lines else None


def _read(reading: Reading | None) -> RenderableType | None:
    return None if reading is None or reading.expression is None else reading_tree(reading, reading.expression)


def exchange(by: ReadByModel) -> RenderableType:
    """What a language model was asked for a reading, and each of its answers: those that went back with the reasons."""
    lines = []
    reasons = [*by.refused, ()]
    for number, one in enumerate(by.exchanges, start=1):
        answer = one.get("answer") or {}
        told = answer.get("data") if answer.get("data") is not None else answer.get("text", "nothing")
        said_so = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
        lines.append(Text.assemble((f"{number}  ", "bold"), (plain(shorten(said_so, 600)), ACCENT)))
        lines += [
            Text(f"  sent back: {plain(str(reason))}", style=QUIET) for reason in reasons[min(number, len(reasons)) - 1]
        ]
    return Lines(*lines, Text("every word of it is in the record: see docs/llm.md", style=QUIET))


def understood(goal: QueryGoal | None) -> RenderableType | None:
    """Every slot of a goal with its value and the words it came from."""
    if goal is None or not goal.slots:
        return None
    table = columns("slot", "value", "from")
    for name, slot in goal.slots.items():
        source = "default" if slot.default else f"“{plain(slot.words)}”" if slot.words else ""
        table.add_row(words(name), _value_text(slot.value), Text(source, style=QUIET))
    if goal.leftover:
        table.add_row(Text("not used", style=WARN), said(" ".join(goal.leftover)), "")
    return table


def _value_text(value: Any) -> str:
    """Thresholds and periods as people say them."""
    match value:
        case Threshold(value=limit, unit=unit, side=side, upper=upper):
            parts: tuple[Any, ...] = (side, limit, None if upper is None else "and", upper, unit)
        case Period(start=start, end=end):
            parts = (start, "to", end)
        case _:
            parts = (value,)
    return " ".join(literal(part) for part in parts if part is not None)


def retrieved(retrieval: Retrieval) -> RenderableType:
    """The hits with the terms of their score, best first; then, dim, those that did not reach the threshold."""
    found = (*retrieval.hits, *retrieval.near_misses)
    terms = list(dict.fromkeys(term.name for hit in found for term in hit.terms))
    table = columns("task", "score", *terms, "matched", right=("score", *terms), whole=("score", *terms))
    for hit in found:
        values = {term.name: term.value for term in hit.terms}
        matched = ", ".join(dict.fromkeys(word for term in hit.terms for word in term.words))
        style = "" if hit in retrieval.hits else QUIET
        cells = [f"{values[name]:.2f}" if name in values else "" for name in terms]
        table.add_row(said(hit.title), f"{hit.score:.2f}", *cells, said(shorten(matched, 40)), style=style)
    return Lines(table, Text(f"hits have a score of at least {retrieval.threshold:.2f}", style=QUIET))


def decisions(plan: Plan) -> RenderableType | None:
    """Every choice with its reason, and what was passed over."""
    lines = []
    for one in plan.decisions:
        line = Text.assemble((words(one.what), "bold"), ": ", said(one.chosen, ACCENT))
        if one.because:
            line.append(f", because {plain(one.because)}")
        lines.append(line)
        lines += [Text(f"  not {plain(name)}: {plain(why)}", style=QUIET) for name, why in one.rejected]
    return Lines(*lines) if lines else None


def _edges(planned: PlanResult) -> RenderableType | None:
    """Each edge once for siblings, with the effects of its source that its target needs."""
    groups = folded(planned.plan.workflow)
    names = {node.id: group.label for group in groups for node in group.nodes}
    lines: dict[str, Text] = {}
    for found in planned.check.edges:
        edge = found.edge
        title = f"{names.get(edge.source, edge.source)} → {names.get(edge.target, edge.target)}.{edge.param}"
        lines.setdefault(title, Text("\n").join(_reasons(title, found)))
    return Lines(*lines.values()) if lines else None


def _reasons(title: str, found: Justification) -> Iterator[Text]:
    yield said(title, "bold")
    if not found.justified:
        yield Text("  nothing justifies it", style=BAD)
    for effect, condition in _few(found.reasons):
        yield Text.assemble("  ", said(effect, GOOD), ("  serves  ", QUIET), said(condition))


def _few(reasons: Iterable[tuple[str, str]], most: int = 4) -> Iterator[tuple[str, str]]:
    for index, reason in enumerate(reasons):
        if index < most:
            yield reason
