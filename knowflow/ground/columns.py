"""What columns of a table, or attributes of a vector, are: names of the rows, and numbers that have names.

A *name field* holds texts that tell nearly every row from the others and are no identifiers. *Named numbers* are two
columns that stand for each other: every number has one name, every name one number, such as the classes of a legend.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.delimited import delimited_rows, titles_of

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""The values of each column, by its name, in the order of the rows."""

MOST_ROWS = 20_000
_MOST_NUMBERS, _MOST_WORDS, _MOST_FIELDS, _LONGEST = 400, 60, 12, 80
_MOST_LINES = 1000
_NEARLY_ALL = 0.95
_CALLED = re.compile(r"name|nom(?![a-z])|nome|nombre|naam|navn|namn|nazwa|naziv|label|title|descr", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(^|_)(id|fid|gid|oid|uid|uuid|guid|code|index|iso\w*)\d*$|id$", re.IGNORECASE)
_COUNTED = re.compile(r"\W*[A-Za-z]{0,4}[-_ ./]?\d[\d\-_./: ]*\W*|[0-9A-Fa-f-]{16,}")
# a line of a legend without columns: "10 = Tree cover", "10: Tree cover", "10 Tree cover"
_LINE = re.compile(r"\s*(\d{1,5})\s*(?:[=:;,\t-]\s*|\s)\s*([^\d\s#].*?)\s*")


def name_field(columns: Columns) -> str | None:
    """The column that names the rows: the first that is called so, else the first that could."""
    found = [name for name, values in columns.items() if _names_rows(name, [_text(value) for value in values])]
    return next((name for name in found if _CALLED.search(name)), found[0] if found else None)


def row_field(columns: Columns) -> str | None:
    """The column that tells the rows apart: the one that names them, else one of short names or numbers.

    That is one that is called a name (``P1``, ``a``), else an identifier, else one of texts.
    """
    named = name_field(columns)
    if named is not None:
        return named
    texts = {name: [_text(value) for value in values] for name, values in columns.items()}
    apart = [name for name, said in texts.items() if None not in said and len(set(said)) == len(said) > 0]
    names, identifiers = (list(filter(form.search, apart)) for form in (_CALLED, _IDENTIFIER))
    said = [name for name in apart if all(isinstance(one, str) for one in columns[name])]
    return next(iter((*names, *identifiers, *said)), None)


def distinct(values: Sequence[Any]) -> tuple[str, ...]:
    """The different texts of a column, in the order of the rows."""
    return tuple(dict.fromkeys(text[:_LONGEST] for value in values if (text := _text(value))))


def words_of(columns: Columns) -> Mapping[str, tuple[str, ...]]:
    """The texts of each column of words that has few different ones."""
    found = {name: distinct(values) for name, values in columns.items()}
    few = ((name, words) for name, words in found.items() if 0 < len(words) <= _MOST_WORDS and _are_words(words))
    return dict(islice(few, _MOST_FIELDS))


@dataclass(frozen=True, slots=True)
class NamedNumbers:
    """Two columns that stand for each other, and the name of each number."""

    code: str
    name: str
    names: Mapping[int, str]


def named_numbers(columns: Columns) -> NamedNumbers | None:
    """The columns of which one names the numbers of the other; of several pairs that whose titles are most alike."""
    found: list[tuple[float, NamedNumbers]] = []
    texts = {name: [_text(value) for value in values] for name, values in columns.items()}
    called = {name: values for name, values in texts.items() if _are_words(distinct(values))}
    for place, (code, numbers) in enumerate((name, _whole_numbers(values)) for name, values in columns.items()):
        for name, names in called.items() if numbers else ():
            pairs = {(number, text) for number, text in zip(numbers, names, strict=True) if number is not None and text}
            codes, said = {number for number, _ in pairs}, {text for _, text in pairs}
            if 1 < len(pairs) == len(codes) == len(said) <= _MOST_NUMBERS:
                rank = _alike(code, name) + bool(_CALLED.search(name)) - place / 1000
                found.append((rank, NamedNumbers(code, name, {number: str(text) for number, text in pairs})))
    return max(found, key=lambda one: one[0])[1] if found else None


def read_table(path: Path) -> tuple[Columns, int]:
    """The columns of a text file of a header and rows, and how many rows it has; values of the first ``MOST_ROWS``.

    Raises ``csv.Error``, ``UnicodeDecodeError`` and ``OSError``; there are no columns in an empty file.
    """
    rows = delimited_rows(path)
    titles = titles_of(next(rows, []))
    kept = list(islice(rows, MOST_ROWS))
    count = len(kept) + sum(1 for _ in rows)
    return {name: [row[n].strip() if n < len(row) else "" for row in kept] for n, name in enumerate(titles)}, count


def read_legend(path: Path) -> Mapping[int, str]:
    """The named numbers of a text file: columns of a table, or lines such as ``10 = Tree cover``.

    There are none in any other text, nor in what cannot be read.
    """
    try:
        rows = list(islice(delimited_rows(path), _MOST_LINES))
        lines = path.read_text(encoding="utf-8-sig").splitlines()[:_MOST_LINES]
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    width = len(rows[0]) if rows else 0
    if width > 1 and all(len(row) == width for row in rows):
        titled = not any(_whole_numbers([title]) for title in rows[0])
        titles = rows[0] if titled else [str(number) for number in range(width)]
        columns = {title: [row[n] for row in rows[titled:]] for n, title in enumerate(titles)}
        if found := named_numbers(columns):
            return found.names
    matches = [match for line in lines if (match := _LINE.fullmatch(line))]
    said = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if len(matches) < 2 or len(matches) < len(said) - 1:  # but for a title
        return {}
    return {int(match[1]): match[2].strip(" \"'")[:_LONGEST] for match in matches}


_YES = frozenset(("yes", "y", "true", "t", "ja", "oui", "si", "sí", "sim", "tak", "ano", "da", "1"))
_NO = frozenset(("no", "n", "false", "f", "nein", "non", "nee", "nej", "não", "nie", "ne", "0"))


def yes_or_no(value: Any) -> bool | None:
    """What a value says that is yes or no in one of the languages of the field; None where it says anything else.

    >>> yes_or_no("Ja"), yes_or_no("false"), yes_or_no(3)
    (True, False, None)
    """
    if isinstance(value, bool):
        return value
    said = value.strip().casefold() if isinstance(value, str) else ""
    return True if said in _YES else False if said in _NO else None


_DAY = re.compile(r"(?:1[7-9]|20)\d\d-[01]\d-[0-3]\d")


def day_column(columns: Columns) -> tuple[str, list[str]] | None:
    """The one column of days, and the day of each row, "" where it says none; None without one, or of several.

    >>> day_column({"site": ["A", "B"], "seen": ["2021-06-30", None]})
    ('seen', ['2021-06-30', ''])
    """
    told = {name: ["" if one is None else str(one) for one in values] for name, values in columns.items()}
    found = [(name, days) for name, days in told.items() if any(days) and all(map(is_day, filter(None, days)))]
    return found[0] if len(found) == 1 else None


def is_day(text: str) -> bool:
    """Whether a text is a day that there is, as in ISO 8601.

    >>> is_day("2020-02-29"), is_day("2021-02-29")
    (True, False)
    """
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def numbers_in(values: Sequence[Any]) -> list[float]:
    """The numbers of a column, of yes and no 1 and 0; not a number where it says nothing.

    Raises ``ValueError`` and ``TypeError`` where it says anything else.
    """
    return [
        nan if one is None or one == "" else float(one if (told := yes_or_no(one)) is None else told) for one in values
    ]


def on_side(
    numbers: Sequence[float] | NDArray[np.float64], side: str, limit: float, upper: float | None
) -> NDArray[np.bool_]:
    """Which numbers are on a side of a limit: above, at_least, below, at_most, or between it and another, both
    included; not a number is on none."""
    given = np.asarray(numbers, dtype=np.float64)
    match side:
        case "above":
            return given > limit
        case "at_least":
            return given >= limit
        case "below":
            return given < limit
        case "at_most":
            return given <= limit
    return (given >= limit) & (given <= (limit if upper is None else upper))


def _names_rows(name: str, values: list[str | None]) -> bool:
    said = [text for text in values if text]
    distinct = set(said)
    unique = len(distinct) >= _NEARLY_ALL * len(said) and len(said) >= _NEARLY_ALL * len(values)
    return bool(said) and unique and not _IDENTIFIER.search(name) and _are_words(tuple(distinct))


def _are_words(values: tuple[str, ...]) -> bool:
    """Whether texts are words, and not numbers, dates or identifiers."""
    counted = sum(1 for text in values if _COUNTED.fullmatch(text) or not re.search(r"[^\W\d_]{2}", text))
    return bool(values) and counted <= (1 - _NEARLY_ALL) * len(values)


def _whole_numbers(values: Sequence[Any]) -> list[int | None]:
    """The whole numbers of a column, None where it says nothing; no list where it holds anything else."""
    found: list[int | None] = []
    for value in values:
        text = _text(value)
        if text is None:
            found.append(None)
            continue
        try:
            number = float(text)
        except ValueError:
            return []
        if not (number.is_integer() and abs(number) < 1 << 31):
            return []
        found.append(int(number))
    return found


def _alike(one: str, other: str) -> float:
    """How much of two titles is the same from the start: ``LULC_ID`` and ``LULC_NAME``."""
    same = 0
    for a, b in zip(one.casefold(), other.casefold(), strict=False):
        if a != b:
            break
        same += 1
    return same / max(len(one), len(other), 1)


def _text(value: Any) -> str | None:
    """A value as text; None where it says nothing."""
    if value is None or value != value:  # not a number
        return None
    return str(value).strip() or None
