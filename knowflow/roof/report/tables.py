"""Tables as the page shows them: their head, and charts of their columns, over time or as bars by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from markupsafe import Markup

from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.roof.notation import date_of, literal, number, plain, words
from knowflow.roof.report.behind import FEWEST, NO_QUANTITY, quantity_of
from knowflow.roof.report.charts import MOST_LINES, draw_bars, draw_lines, draw_series
from knowflow.roof.report.of_question import asked_of

MOST_ROWS = 25
MOST_CHARTS = 3
_COUNT = "count"
_OF_NUMBERS = ("mean", "median", "minimum", "maximum")  # columns in the numbers of a quantity itself


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with the sentence below it."""

    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Table:
    """The head of a table; ``more`` rows are only in the file."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    more: int


def table_of(rows: Sequence[Mapping[str, Any]]) -> Table | None:
    if not rows:
        return None
    held = {name for row in rows for name, value in row.items() if value not in (None, "")}
    columns = tuple(dict.fromkeys(name for row in rows for name in row if name in held or not held))
    shown = [[row.get(name) for name in columns] for row in rows[:MOST_ROWS]]
    numeric = tuple(
        all(isinstance(value, (int, float)) or value in (None, "") for value in column)
        for column in zip(*shown, strict=True)
    )
    cells = tuple(
        tuple(number(value, 5) if isinstance(value, (int, float)) else literal(value or "–") for value in row)
        for row in shown
    )
    return Table(tuple(words(name) for name in columns), cells, numeric, max(0, len(rows) - MOST_ROWS))


def charts_of(rows: Sequence[Mapping[str, Any]], artifact: Artifact, plan: Plan) -> tuple[Figure, ...]:
    """The numeric columns of a table of three rows or more: over time, where a column has their dates, a line for each
    name in another where they are few; else as bars by these names.

    How many pixels the others are of is told in the table alone. Of a single figure the title of the ``plan`` says what
    it shows, and the question the quantity.
    """
    if len(rows) < FEWEST:
        return ()
    asked, quantity = plan.title, quantity_of(asked_of(plan))
    dated, times = _dates(rows)
    named = _lines(rows, times) if dated else _names(rows)
    if dated and not named and len(set(times)) < len(times):
        return ()  # of several that nothing tells apart, or of too many
    figures: list[Figure] = []
    columns = [one for one in rows[0] if one not in (dated, named)] if dated or named else []
    drawn = [one for one in columns if one != _COUNT and any(_is_number(row.get(one)) for row in rows)]
    for column in drawn or columns:
        values = [value if _is_number(value := row.get(column)) else None for row in rows]
        if sum(value is not None for value in values) < FEWEST:
            continue
        unit, what = artifact.fact("unit") if not figures else None, words(column)
        label = f"{what} {quantity}" if column in _OF_NUMBERS and quantity != NO_QUANTITY else what
        if dated and named:
            svg, says = draw_lines(_by_name(rows, times, values, named), unit, label), f"{capital(what)} over time."
        elif dated:
            svg, says = draw_series(times, values, unit, label), f"{capital(what)} over time.{without_value(values)}"
        else:
            svg, says = draw_bars([str(row[named]) for row in rows], values, unit, what), f"{capital(what)}."
        figures.append(Figure(Markup(svg), says))
    if len(figures) == 1 and asked:
        says = figures[0].caption
        figures = [replace(figures[0], caption=f"{plain(asked)}{f': {says[0].lower()}{says[1:]}' if dated else '.'}")]
    return tuple(figures[:MOST_CHARTS])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _dates(rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[datetime]]:
    """The first column of at least three dates, and these; "" where there is none."""
    for column in rows[0]:
        found = [date_of(row.get(column)) for row in rows if not isinstance(row.get(column), (int, float))]
        real = [time for time in found if time is not None]
        if len(real) == len(rows) and len(set(real)) > 2 and any("-" in str(row.get(column)) for row in rows):
            return column, real
    return "", []


def _lines(rows: Sequence[Mapping[str, Any]], times: Sequence[datetime]) -> str:
    """The column whose few words tell rows of one date apart."""
    if len(set(times)) == len(times):
        return ""
    for column in rows[0]:
        names = [row.get(column) for row in rows]
        of_words = all(isinstance(name, str) and date_of(name) is None for name in names)
        if of_words and len(set(names)) <= MOST_LINES and len({*zip(names, times, strict=True)}) == len(rows):
            return column
    return ""


def _by_name(
    rows: Sequence[Mapping[str, Any]], times: Sequence[datetime], values: Sequence[float | None], column: str
) -> Mapping[str, tuple[list[datetime], list[float | None]]]:
    found: dict[str, tuple[list[datetime], list[float | None]]] = {}
    for row, time, value in zip(rows, times, values, strict=True):
        days, numbers = found.setdefault(str(row[column]), ([], []))
        days.append(time)
        numbers.append(value)
    return found


def _names(rows: Sequence[Mapping[str, Any]]) -> str:
    """The column whose words tell the rows apart, of a table short enough for bars."""
    if len(rows) > MOST_ROWS:
        return ""
    texts = [column for column in rows[0] if all(isinstance(row.get(column), str) for row in rows)]
    return next((one for one in texts if len(texts) == 1 and len({row[one] for row in rows}) == len(rows)), "")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def without_value(values: Sequence[float | None]) -> str:
    """What the marks at the foot of a chart are, where it has some."""
    none = sum(value is None or not math.isfinite(value) for value in values)
    return f" Marks at the foot: {none} {'date' if none == 1 else 'dates'} without a value." if none else ""
