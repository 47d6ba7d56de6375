"""How a run ended: the answer with its unit, the files, and where to look further; or what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.console import Group as Lines
from rich.measure import Measurement
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from knowflow.roof.notation import also, literal, number, place, plain, unit_sign, words
from knowflow.roof.repair_words import repair_sentence
from knowflow.roof.report.answer import trend_told
from knowflow.roof.rows import readable
from knowflow.roof.terminal.console import GOOD, QUIET, WARN, columns, output, said, same_place
from knowflow.roof.terminal.plans import assumptions
from knowflow.roof.terminal.problems import show_error_data
from knowflow.roof.terminal.repairs import show_repairs
from knowflow.roof.ways import COLUMNS, NUMERIC, rows_of_ways, spread_in_words, verdict_in_words

if TYPE_CHECKING:
    from knowflow.service.results import PlanResult, RunResult

_MOST_ROWS = 12
_MOST_FILES = 8
_ANY_WIDTH = 10_000


def show_result(result: RunResult, messages: Console, planned: PlanResult | None = None) -> None:
    """The answer on standard output; what went wrong on the other console.

    ``planned`` is the plan that was shown before; where both write to one place, what it said is not said again.
    """
    console = output()
    told = planned if same_place(console, messages) else None
    if result.status in ("failed", "refused", "interrupted"):
        _show_failure(result, messages)
        return
    if result.status == "planned":
        console.print(Text(f"A dry run: {len(result.nodes)} nodes were planned, nothing was computed.", style=QUIET))
        _show_notes(result, console)
        return
    asked = result.query if result.understood is None else f"Understood as: {result.understood}"
    spread = spread_in_words(result.variants)
    lines = (said(asked), _answer(result), *((said(spread, QUIET),) if spread else ()))
    console.print(Panel(Lines(*lines), border_style=GOOD, expand=False))
    if len(result.variants.get("ways", ())) > 1:
        table = columns(*COLUMNS, right=NUMERIC, whole=NUMERIC)
        for cells in rows_of_ways(result.variants):
            table.add_row(*map(Text, cells))
        console.print(table)
        console.print(said(f"Looked at again: {verdict_in_words(result.variants)}", QUIET))
    if isinstance(result.answer, (list, tuple)) and result.answer:
        _rows(console, result.answer)
    for name in result.parts:
        rows = result.values.get(name, {}).get("value")
        if isinstance(rows, (list, tuple)) and rows:
            console.print(Text(words(name), style="bold"))
            _rows(console, rows)
    _show_provisos(result, console, told)
    for repair in () if result.trace is None else result.trace.repairs:
        console.print(Text.assemble(("↻ Repaired: ", f"bold {WARN}"), repair_sentence(repair)), soft_wrap=True)
    where = [(words(name), place(path)) for name, path in list(result.outputs.items())[:_MOST_FILES]]
    if len(result.outputs) > len(where):
        more = len(result.outputs) - len(where)
        where.append(("and more", f"{more} file{'' if more == 1 else 's'} beside them"))
    where += [("report", place(result.report))] if result.report else []
    where += [("watched at", result.ui)] if result.ui else []
    width = max((len(name) for name, _ in where), default=0) + 2
    for name, path in where:
        console.print(Text.assemble((plain(name).ljust(width), "bold"), said(path)), soft_wrap=True)
    _show_notes(result, console)


def _show_failure(result: RunResult, messages: Console) -> None:
    """What went wrong, what was tried, and how to go on."""
    if result.error is not None:
        show_error_data(messages, result.error)
    if result.trace is not None:
        show_repairs(messages, result.trace)
    _show_notes(result, messages)
    if result.status == "interrupted" and result.run_id is not None:
        messages.print(Text(f"Go on with it: knowflow runs resume {plain(result.run_id)}"), soft_wrap=True)
    if result.report is not None:
        messages.print(Text.assemble(("Report  ", "bold"), said(place(result.report))), soft_wrap=True)


def _show_provisos(result: RunResult, console: Console, told: PlanResult | None) -> None:
    """What the answer rests on: assumptions and inserted steps; those told with the plan are only counted."""
    before = () if told is None else told.plan.assumptions
    found = assumptions([one for one in result.assumptions if one not in before])
    if found is not None:
        console.print(found)
    if before:
        console.print(said(f"Assumed  {len(before)} {'thing' if len(before) == 1 else 'things'}, as said above", QUIET))
    if result.inserted and (told is None or result.inserted != told.plan.inserted_nodes):
        console.print(Text.assemble(("Inserted  ", f"bold {WARN}"), said(", ".join(result.inserted))))


def _show_notes(result: RunResult, console: Console) -> None:
    for note in result.notes:
        console.print(said(f"Note: {note}", QUIET))


def _answer(result: RunResult) -> Text:
    """The answer, and the other numbers that the run ended with."""
    answer = result.answer
    if (trend := None if result.trace is None or result.parts else trend_told(result.trace)) is not None:
        value, interval = trend
        number_told = Text.assemble((value, "bold"), f" {unit_sign(result.unit)}", (f"  ({interval})", QUIET))
        return Text("\n").join((number_told, *_others(result)))
    if isinstance(answer, (int, float)):
        told, others = _name(result), _others(result)
        named = told if others and told != "answer" else ""
        return Text("\n").join((_number(named, answer, result.unit, _quantity(result, "")), *others))
    if answer is None:
        files = [name for name in result.outputs if name != "values"]
        return Text("The result is in " + (", ".join(map(plain, files)) or "the files below"))
    if isinstance(answer, (list, tuple)):
        return Text(_rows_told(answer, result.unit))
    if result.parts:
        return Text("\n").join(_part(name, result) for name in result.parts)
    if isinstance(answer, Mapping):
        return Text("\n").join(Text.assemble(f"{words(str(k))}  ", (literal(v), "bold")) for k, v in answer.items())
    return Text("\n").join((said(answer, "bold"), *_others(result)))


def _rows_told(rows: Sequence[Any], unit: str | None) -> str:
    """How many rows there are, and in what unit their numbers are, where no column says it."""
    sign = unit_sign(unit)
    named = any(isinstance(row, Mapping) and "unit" in row for row in rows)
    return f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}{f', in {sign}' if sign and not named else ''}"


def _part(name: str, result: RunResult) -> Text:
    """The answer to one part of a question, and what it is of."""
    one = result.values.get(name, {})
    value = one.get("value")
    if isinstance(value, (int, float)):
        told = _number(name, value, one.get("unit"), _quantity(result, name))
    else:
        rows = _rows_told(value, one.get("unit")) if isinstance(value, (list, tuple)) else ""
        many = f"{rows}, below" if rows else "in the files below"
        told = Text.assemble(f"{words(name)}  ", (literal(value) if isinstance(value, str) else many, "bold"))
    return told.append(f"  {plain(result.parts[name])}", style=QUIET)


def _others(result: RunResult) -> list[Text]:
    """The numbers beside the answer, each by its name: a date and what was there on it."""
    told = _name(result)
    return [
        _number(name, value, one.get("unit"), _quantity(result, name))
        for name, one in result.values.items()
        if name != told and isinstance(value := one.get("value"), (int, float))
    ]


def _name(result: RunResult) -> str:
    """The output that is the answer; without the run at hand the first one that has its value."""
    if result.trace is not None:
        return result.trace.answer_name or "answer"
    same = (
        name
        for name, one in result.values.items()
        if (one.get("value"), one.get("unit")) == (result.answer, result.unit)
    )
    return next(same, "answer")


def _number(name: str, value: float, unit: str | None, quantity: str | None) -> Text:
    sign = unit_sign(unit)
    text = Text.assemble(f"{words(name)}  " if name else "", (number(value), "bold"), f" {sign}" if sign else "")
    easier = also(value, unit, quantity)
    return text.append(f"  ({easier})", style=QUIET) if easier else text


def _quantity(result: RunResult, name: str) -> str | None:
    """What an output (without a name: the answer) means, where the run is at hand."""
    if result.trace is None:
        return None
    artifact = result.trace.outputs.get(name) if name else result.trace.answer
    return None if artifact is None else artifact.fact("quantity")


def _rows(console: Console, rows: Sequence[Any]) -> None:
    """The first rows as a table; one row as names and values; columns that do not fit side by side in several tables,
    each with the first column."""
    shown = readable([row if isinstance(row, Mapping) else {"value": row} for row in rows[:_MOST_ROWS]])
    names = list(dict.fromkeys(str(name) for row in shown for name in row))
    if len(rows) == 1 and len(names) > 1:
        table = Table.grid(padding=(0, 2, 0, 0))
        for name in names:
            table.add_row(Text(words(name), style=QUIET), literal(shown[0].get(name, ""), 60))
        console.print(table)
        return
    for index, part in enumerate(_fitting(console, shown, names)):
        if index:
            console.print()
        console.print(_table(shown, part))
    if len(rows) > len(shown):
        console.print(Text(f"and {len(rows) - len(shown):,} more rows, in the files", style=QUIET))


def _fitting(console: Console, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[list[str]]:
    """The columns in parts that are no wider than the console."""
    key, *others = names
    part = [key]
    unbounded = console.options.update(width=_ANY_WIDTH)
    for name in others:
        wider = Measurement.get(console, unbounded, _table(rows, [*part, name])).maximum > console.width
        if wider and len(part) > 1:
            yield part
            part = [key]
        part.append(name)
    yield part


def _table(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table:
    numeric = tuple(name for name in names if all(isinstance(row.get(name), (int, float)) for row in rows))
    table = columns(*names, right=numeric)
    for row in rows:
        table.add_row(*(Text(literal(row.get(name, ""), 60)) for name in names))
    return table
