"""Tables: lists of rows, as values, or as CSV files and workbooks."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from knowflow.ground.columns import name_field
from knowflow.ground.delimited import delimited_rows, titles_of
from knowflow.ground.errors import ToolError, UnreadableDataError
from knowflow.ground.units import known
from knowflow.model.artifact import Artifact

Row = Mapping[str, Any]


# how programs write that there is no number
_NOT_KNOWN = ("", "nan", "NaN", "inf", "-inf", "Infinity", "-Infinity")


def write_table(table: Artifact, output: Path) -> None:
    """Write a table as CSV (RFC 4180, UTF-8): a header and one line per row, missing values empty."""
    rows = rows_of(table)
    names = list(dict.fromkeys(name for row in rows for name in row))
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows({name: _plain(row.get(name)) for name in names} for row in rows)


def table_column(table: Artifact, column: str) -> list[Any]:
    """One column of a table as a list, None where a row has no value."""
    rows = rows_of(table)
    if not any(column in row for row in rows):
        known = dict.fromkeys(name for row in rows for name in row)
        raise ToolError(f"the table has no column {column!r}", expected=", ".join(known) or "a row", found=column)
    return [row.get(column) for row in rows]


_SEVERAL = 3
"""So many rows that are all the same have no extreme."""


def place_of_extreme(
    table: Artifact,
    column: str = "mean",
    which: Literal["maximum", "minimum"] = "maximum",
    label: str | None = None,
) -> str:
    """What the row of the largest (or smallest) number of a column is called; of several equal ones all names.

    Rows without a number do not count. Raises ``ToolError`` where no row has one, where three or more are all the same,
    or where the row has no ``label``.
    """
    rows = rows_of(table)
    numbers = table_column(table, column)
    known = [
        (number, row)
        for number, row in zip(numbers, rows, strict=True)
        if isinstance(number, (int, float)) and math.isfinite(number)
    ]
    if not known:
        raise ToolError("no row has a number", expected=f"numbers in {column!r}", found=f"{len(rows)} rows without one")
    best = (max if which == "maximum" else min)(number for number, _ in known)
    if len(known) >= _SEVERAL and all(number == best for number, _ in known):
        raise ToolError(
            "all rows are the same",
            expected="numbers that differ",
            found=f"{best:g} in all {len(known)} rows",
            hint="look at the table: a layer without values where there is none has a share of 1 everywhere",
        )
    columns = {name: [row.get(name) for row in rows] for name in rows[0]}
    called = name_field({name: values for name, values in columns.items() if not _tells_units(name, values)})
    names = (_name_of(row, table, label, called) for number, row in known if number == best)
    return ", ".join(dict.fromkeys(names))


def _name_of(row: Row, table: Artifact, label: str | None, called: str | None) -> str:
    """What a row is called: by the column ``label``, else by its name, the column ``called`` that names all rows, its
    first text, or its first number."""
    if label is not None:
        table_column(table, label)
        if row.get(label) in (None, ""):
            raise ToolError("the place has no name", expected=f"a name in {label!r}", found=str(dict(row)))
        return str(row[label])
    named = [str(value) for name, value in row.items() if name.lower() == "name" and value]
    named += [str(row[called])] if called is not None and row.get(called) else []
    texts = [
        value for name, value in row.items() if isinstance(value, str) and value and not _tells_units(name, [value])
    ]
    return next(iter((*named, *texts, " ".join(map(str, next(iter(row.items())))))))


def _tells_units(name: str, values: Sequence[Any]) -> bool:
    """Whether a column says in which unit a number is, and not which unit of an estate a row is of."""
    return name == "unit" and all(known(value) for value in values if isinstance(value, str) and value)


def rows_of(table: Artifact) -> Sequence[Row]:
    """The rows of a table: its value, else what its file holds (numbers as numbers, empty fields as None).

    Raises ``UnreadableDataError`` where the file is missing or is no such file.
    """
    if table.value is not None:
        return tuple(table.value)
    if table.path is None:
        raise ToolError("there is no table", expected="rows or a CSV file", found=table.type)
    try:
        rows = delimited_rows(Path(table.path))
        header = titles_of(next(rows, []))
        return tuple({name: _parsed(text) for name, text in zip_longest(header, row) if name} for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableDataError(
            "the table cannot be read", where=table.path, expected="a CSV file in UTF-8", found=str(error)
        ) from error


def _plain(value: Any) -> Any:
    """Numbers as Python writes them in full, missing values as nothing; what a spreadsheet would run stays text."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return f"'{value}"
    return value


def _parsed(text: str | None) -> Any:
    if text is None or text in _NOT_KNOWN:
        return None
    for kind in (int, float):
        try:
            return text if "_" in text else kind(text)  # Python reads 2021_07 as a number
        except ValueError:
            continue
    return text
