"""Tools, templates and runs as tables, and each of them alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import duration, literal, moment, place, plain, shorten, size, words
from knowflow.roof.terminal.console import ACCENT, BAD, GOOD, QUIET, WARN, columns, said
from knowflow.roof.terminal.repairs import show_repairs

if TYPE_CHECKING:
    from knowflow.execution.pruning import Pruned
    from knowflow.execution.run_store import RunSummary
    from knowflow.model.template import Template
    from knowflow.model.tool import Parameter, ToolSchema
    from knowflow.model.trace import Trace
    from knowflow.service.critic import Verdict
    from knowflow.service.run_differences import Difference

_CATALOGUES = {
    "spyndex": "an index of the spyndex catalogue, such as NDVI",
    "quantities": "a quantity kind, such as surface_temperature",
}
_WIDE = 100  # columns of a screen that has room for everything that is told of a run
_STATUS = {"completed": GOOD, "failed": BAD, "refused": BAD, "interrupted": WARN, "running": ACCENT}


def show_tools(console: Console, tools: Iterable[ToolSchema]) -> None:
    found = sorted(tools, key=lambda tool: (tool.kit, tool.tool))
    table = columns("tool", "kit", "layers", "what it does")
    for tool in found:
        table.add_row(said(tool.tool, "bold"), tool.kit, " ".join(map(str, tool.layers)), said(tool.title))
    console.print(table)
    kits = ", ".join(f"{kit} {number}" for kit, number in Counter(tool.kit for tool in found).items())
    console.print(Text(f"{len(found)} tools: {kits}", style=QUIET))


def show_tool(console: Console, tool: ToolSchema) -> None:
    """A tool as its schema tells it: parameters, what it needs, what it makes true."""
    console.print(Text.assemble((tool.tool, "bold"), f"  {plain(tool.title)}"))
    if tool.description:
        console.print(said(tool.description))
    table = columns("parameter", "type", "default", "meaning")
    for name, parameter in tool.parameters.items():
        table.add_row(said(name, "bold"), _type(parameter), _default(parameter), _meaning(parameter))
    if tool.returns is not None:
        table.add_row(said("value", "bold"), f"returns {tool.returns.type}", "", said(tool.returns.title))
    console.print(table)
    preserved = [f"{name}: {_preserved(kept)}" for name, kept in tool.effects.preserves.items()]
    for title, lines in (
        ("needs", [text for text, _ in tool.parsed_preconditions]),
        ("makes true", tool.effects.sets),
        ("preserves", preserved),
        ("ensures", tool.effects.ensures),
    ):
        for index, line in enumerate(lines):
            console.print(Text.assemble((f"{title if index == 0 else '':<11}", QUIET), plain(line)), soft_wrap=True)
    if tool.lossy:
        console.print(Text(f"loses      {plain(tool.lossy)}", style=WARN))
    rest = f"kit {tool.kit}, {tool.level}, layers {literal(tool.layers)}, runs {tool.run}"
    console.print(said(rest, QUIET), soft_wrap=True)
    if tool.source:
        console.print(said(tool.source, QUIET), soft_wrap=True)


def _preserved(kept: Any) -> str:
    facts = f"only {', '.join(kept.only)}" if kept.only else f"all but {', '.join(kept.except_) or 'nothing'}"
    return f"{facts} of {kept.from_}"


def _type(parameter: Parameter) -> Text:
    text = f"writes {parameter.produces}" if parameter.role == "output" else parameter.artifact_type
    text += f" in {parameter.unit}" if parameter.unit else ""
    return said(text, ACCENT)


def _default(parameter: Parameter) -> Text:
    if parameter.default is not None:
        return said(literal(parameter.default))
    return Text("optional" if parameter.optional else "", style=QUIET)


def _meaning(parameter: Parameter) -> Text:
    """The title, and which values are allowed."""
    parts = [Text(plain(text), style=style) for text, style in ((parameter.title, ""), (_allowed(parameter), QUIET))]
    return Text("\n").join(part for part in parts if part)


def _allowed(parameter: Parameter) -> str:
    low, high = parameter.minimum, parameter.maximum
    unit = f" {parameter.unit}" if parameter.unit else ""
    if parameter.choices:
        return f"one of {', '.join(literal(choice) for choice in parameter.choices)}"
    if parameter.choices_from is not None:
        return _CATALOGUES[parameter.choices_from]
    if low is not None and high is not None:
        return f"{literal(low)} to {literal(high)}{unit}"
    if low is not None:
        return f"at least {literal(low)}{unit}"
    return f"at most {literal(high)}{unit}" if high is not None else ""


def show_templates(console: Console, templates: Iterable[Template]) -> None:
    found = sorted(templates, key=lambda one: (one.layer, one.template))
    table = columns("template", "layer", "makes", "title")
    for one in found:
        table.add_row(
            said(one.template, "bold"), str(one.layer), said(one.method_of or one.defines or ""), said(one.title)
        )
    console.print(table)
    console.print(Text(f"{len(found)} templates", style=QUIET))


def show_template(console: Console, template: Template) -> None:
    console.print(Text.assemble((template.template, "bold"), f"  {plain(template.title)}"))
    if template.description:
        console.print(said(template.description))
    rows: list[tuple[str, str, str, str]] = []
    for name, taken in template.inputs.items():
        asked = ", ".join((*taken.quantity, *taken.bands, *taken.where))
        rows.append(("input", name, taken.type + (" (optional)" if taken.optional else ""), asked or taken.title))
    for name, parameter in template.parameters.items():
        default = "" if parameter.default is None else f" = {literal(parameter.default)}"
        rows.append(("parameter", name, f"{parameter.type}{default}", parameter.title))
    for name, step in template.steps.items():
        each = " for each" if step.for_each else ""
        note = step.title or (f"when {step.when}" if step.when else "")
        rows.append(("step", name, f"{step.kind} {step.target}{each}", note))
    for name, value in template.outputs.items():
        rows.append(("output", name, literal(value), ""))
    if template.computes is not None:
        rows.append(("computes", str(template.defines or ""), template.computes, ""))
    table = columns("", "name", "is", "")
    for kind, name, what, more in rows:
        table.add_row(Text(kind, style=QUIET), said(name, "bold"), said(what, ACCENT), said(shorten(more, 90)))
    console.print(table)
    said_of = {"quality": template.quality, "applies when": template.when, "answers": template.answers}
    for label, lines in {"takes for granted": template.assumes, **said_of}.items():
        if lines:
            console.print(Text.assemble((f"{label}  ", QUIET), plain("; ".join(lines))), soft_wrap=True)


def show_runs(console: Console, runs: Iterable[RunSummary], none: str = "No runs yet.") -> None:
    """A line for each run, or ``none``; on a narrow screen without the time of its start, with which its id begins."""
    runs = list(runs)
    homes = ["home"] if any(run.home for run in runs) else []
    names = ("run", "status", "nodes", "started", "took", *homes, "question")
    shown = names if console.width >= _WIDE else tuple(name for name in names if name != "started")
    table = columns(*shown, right=("nodes",), whole=names[:-1])
    count = 0
    for run in runs:
        count += 1
        spent = "" if run.status == "running" else duration(run.seconds)
        status = Text(run.status, style=_STATUS.get(run.status, ""))
        question = said(shorten(run.query or run.title, 60))
        nodes = f"{run.done}/{run.nodes}"
        home = [plain(run.home)] if homes else []
        cells = (said(run.run_id, "bold"), status, nodes, moment(run.started), spent)
        row: tuple[Text | str, ...] = (*cells, *home, question)
        table.add_row(*(cell for name, cell in zip(names, row, strict=True) if name in shown))
    if count:
        console.print(table)
    else:
        console.print(Text(none, style=QUIET))


def show_differences(console: Console, found: Sequence[Difference]) -> None:
    """What tells two runs apart, each as it is in the first and in the second."""
    for one in found:
        console.print(Text(plain(one.what), style="bold"), soft_wrap=True)
        for mark, text in (("-", one.before), ("+", one.after)):
            if text is not None:
                console.print(said(f"  {mark} {text}"), soft_wrap=True)
    if not found:
        console.print(Text("They differ in nothing but when they were run.", style=QUIET))


def show_pruned(console: Console, pruned: Pruned) -> None:
    """What went of runs and cache, or would go."""
    if pruned.runs:
        table = columns("run", "status", "started", "size", right=("size",))
        for run in pruned.runs:
            table.add_row(said(run.run_id, "bold"), said(run.status), moment(run.started), size(run.size))
        console.print(table)
    for run_id in pruned.running:
        console.print(said(f"{run_id} has not ended and stays", QUIET))
    count = f"{len(pruned.runs)} {'run' if len(pruned.runs) == 1 else 'runs'}"
    results = f"{pruned.cache.results} {'result' if pruned.cache.results == 1 else 'results'} of the cache"
    freed = "Would free" if pruned.dry_run else "Freed"
    console.print(f"{freed} {size(pruned.freed)}: {count}, {results}. The cache holds {size(pruned.cache.left)}.")


def show_verdict(console: Console, found: Verdict) -> None:
    """Each thing that was looked at in a run that ended, whether it holds, and why."""
    for one in found.findings:
        mark, style = ("–", QUIET) if one.truth is None else ("✓", GOOD) if one.truth else ("✗", BAD)
        line = Text.assemble((f"{mark} ", style), plain(one.what))
        console.print(line.append(f"  {plain(one.because)}", style=QUIET), soft_wrap=True)


def show_run(console: Console, trace: Trace) -> None:
    """One run, node by node."""
    console.print(Text.assemble((plain(trace.run_id), "bold"), "  ", (trace.status, _STATUS.get(trace.status, ""))))
    console.print(said(trace.plan.query))
    for one in trace.attempts:
        answered = "" if one["answer"] is None else f"the answer was {one['answer']}"
        why = str((one["error"] or {}).get("message") or answered)
        line = Text.assemble(("before  ", QUIET), moment(one["started"]), "  ")
        line.append(one["status"], style=_STATUS.get(one["status"], ""))
        console.print(line.append(f"  {plain(shorten(why, 90))}", style=QUIET), soft_wrap=True)
    table = columns("node", "tool", "status", "time", right=("time",))
    for node in trace.plan.workflow.nodes:
        record = trace.record(node.id)
        mark = "+ " if node.inserted is not None else ""
        spent = duration(record.seconds) if record.seconds is not None else ""
        style = {"failed": BAD, "done": GOOD, "cached": GOOD}.get(record.status, QUIET)
        table.add_row(said(mark + node.id, "bold"), said(node.tool), Text(record.status, style=style), spent)
    console.print(table)
    show_repairs(console, trace)
    _files(console, {**trace.delivered, **({"report": trace.report} if trace.report else {})})


def _files(console: Console, files: Mapping[str, str]) -> None:
    width = max((len(words(name)) for name in files), default=0) + 2
    for name, path in files.items():
        console.print(Text.assemble((words(name).ljust(width), "bold"), said(place(path))), soft_wrap=True)
