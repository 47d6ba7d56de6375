"""Files of rows and columns: texts, in whatever is put between the columns, and workbooks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from knowflow.ground.table_endings import WORKBOOKS

DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')


def delimiter_of(header: str) -> str:
    """What stands between the columns of a header: a comma, a semicolon, a tab or a bar; a comma where nothing does."""
    bare = _QUOTED.sub("", header)
    return max(DELIMITERS, key=bare.count)


def delimited_rows(path: Path) -> Iterator[list[str]]:
    """The rows of a file, the header first, without empty ones; of a workbook those of its first table.

    Raises ``OSError``, ``UnicodeDecodeError`` and ``csv.Error``, and ``UnreadableDataError`` for a workbook.
    """
    if path.suffix.casefold() in WORKBOOKS:
        from knowflow.ground.workbooks import table_of

        yield from map(list, table_of(path)[0].rows)
        return
    with path.open(newline="", encoding="utf-8-sig") as stream:
        first = stream.readline()
        stream.seek(0)
        yield from (row for row in csv.reader(stream, delimiter=delimiter_of(first)) if row)


def titles_of(header: list[str]) -> list[str]:
    """What the columns of a header are called; one without a title has none.

    Raises ``csv.Error`` where two are called the same: nobody can say which of them is meant.
    """
    titles = [title.strip() for title in header]
    twice = next((title for n, title in enumerate(titles) if title and title in titles[:n]), None)
    if twice is not None:
        raise csv.Error(f"two columns are called {twice!r}")
    return titles
