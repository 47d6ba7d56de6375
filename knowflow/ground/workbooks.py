"""The rows of workbooks, Excel's and OpenDocument's, as texts: what a text file of the same table would hold.

Both are archives of XML. Excel (ECMA-376, part 1: 18.3 worksheets, 18.4 shared strings, 18.8 styles) keeps a date as a
number of days and a percentage as its hundredth, which only the format of the cell tells; OpenDocument (part 3,
``office:value-type``) tells with the cell what it is. Both are drivers of GDAL's, which give a percentage as a plain
number. Formulas are not computed: what was kept with them is read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple
from xml.etree import ElementTree as Xml
from zipfile import BadZipFile, ZipFile
from zlib import error as CorruptError  # noqa: N812  (an error by its name)

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.table_endings import WORKBOOKS

_COMPOUND = b"\xd0\xcf\x11\xe0"  # an old workbook, or one that is locked by a password
_LARGEST = 2**30  # bytes of one part, unpacked
_MOST_COLUMNS, _MOST_CELLS = 2**14, 5 * 10**6
_BUILT_IN = {9: "0%", 10: "0%", **dict.fromkeys((*range(14, 18), 22, *range(27, 37), *range(50, 59)), "d")}
_BUILT_IN |= dict.fromkeys((*range(18, 22), *range(45, 48)), "h")
_KINDS = (("%", "%"), ("d", "dy"), ("h", "hs"), ("d", "m"))  # of numbers, by the letters of their format
_NO_FORMAT = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
_MOMENT, _MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+"), "T00:00:00"
_LONG = 15  # digits of a number that are not all the writer's

Rows = Sequence[Sequence[str]]


class Sheet(NamedTuple):
    """A sheet that holds something: what it is called, and its rows without empty rows and columns."""

    name: str
    rows: Rows

    @property
    def is_table(self) -> bool:
        """Whether there are rows of several columns below a header."""
        return len(self.rows) > 1 and len(self.rows[0]) > 1


def table_of(path: Path) -> tuple[Sheet, tuple[str, ...]]:
    """The first sheet of a workbook that holds a table, and what the others are called that hold anything.

    Raises ``UnreadableDataError`` where it is locked, damaged or of an old format, and ``OSError``.
    """
    stat = path.stat()
    return _table_of(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2)  # who asks for a table asks for its titles, its rows and its places
def _table_of(path: Path, *_: int) -> tuple[Sheet, tuple[str, ...]]:
    sheets = sheets_of(path)
    first = next((one for one in sheets if one.is_table), sheets[0] if sheets else Sheet("", ()))
    return first, tuple(one.name for one in sheets if one is not first)


def sheets_of(path: Path) -> list[Sheet]:
    """The sheets of a workbook that hold anything, in their order. Raises as :func:`table_of`."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_COMPOUND))
            if start == _COMPOUND or path.suffix.casefold() not in WORKBOOKS:
                raise _refused(path, "an old workbook, or one that is locked by a password")
            with ZipFile(stream) as archive:
                read = _open_document if path.suffix.casefold() == ".ods" else _excel
                found = [Sheet(name, _table(rows)) for name, rows in read(archive)]
    except (BadZipFile, Xml.ParseError, CorruptError, LookupError, ValueError, OverflowError, EOFError) as error:
        raise _refused(path, f"a damaged file ({error})") from error
    except NotImplementedError as error:
        raise _refused(path, f"an archive packed in a way that is not known ({error})") from error
    except RuntimeError as error:  # of an archive with a password
        raise _refused(path, "a workbook that is locked by a password") from error
    return [one for one in found if one.rows]


def text_of(path: Path, folder: Path) -> Path:
    """A text file in a folder, called as a workbook is, with the rows of its table. Raises as :func:`table_of`."""
    copy = folder / f"{path.stem}.csv"
    with copy.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(table_of(path)[0].rows)
    return copy


def _refused(path: Path, found: str) -> UnreadableDataError:
    return UnreadableDataError(
        f"{path.name} cannot be read",
        where=str(path),
        expected="a workbook (.xlsx or .ods) without a password",
        found=found,
        hint="open it where it was made and save it as .csv or .xlsx, without a password",
    )


def _part(archive: ZipFile, name: str) -> IO[bytes]:
    if archive.getinfo(name).file_size > _LARGEST:
        raise ValueError(f"{name} is larger than {_LARGEST} bytes")
    return archive.open(name)


def _root(archive: ZipFile, name: str) -> Xml.Element:
    with _part(archive, name) as stream:
        return Xml.parse(stream).getroot()


def _of_kind(stream: IO[bytes], kind: str) -> Iterator[Xml.Element]:
    """The elements of a name, one after the other, of which nothing is kept."""
    for _, element in Xml.iterparse(stream):
        if _own(element) == kind:
            yield element
            element.clear()


def _own(element: Xml.Element) -> str:
    return element.tag.rpartition("}")[2]


def _said(element: Xml.Element, name: str, other: str = "") -> str:
    """An attribute by its own name, in whichever name space."""
    return next((text for key, text in element.items() if key.rpartition("}")[2] == name), other)


# Excel


def _excel(archive: ZipFile) -> Iterator[tuple[str, list[list[str]]]]:
    book = _root(archive, "xl/workbook.xml")
    links = {_said(one, "Id"): _said(one, "Target") for one in _root(archive, "xl/_rels/workbook.xml.rels")}
    texts, formats = _shared_texts(archive), _formats(archive)
    told = book.find("{*}workbookPr")
    since_1904 = told is not None and told.get("date1904") in ("1", "true")
    first = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
    for sheet in book.iterfind("{*}sheets/{*}sheet"):
        target = links[next((text for key, text in sheet.items() if key.endswith("}id")), "")]
        name = target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl") / target)
        if "worksheet" in name:  # and no chart
            with _part(archive, name) as stream:
                rows = [_excel_row(row, texts, formats, first) for row in _of_kind(stream, "row")]
            yield _said(sheet, "name"), rows


def _shared_texts(archive: ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    with _part(archive, "xl/sharedStrings.xml") as stream:
        return [_text(one) for one in _of_kind(stream, "si")]


def _text(element: Xml.Element) -> str:
    """The text of a cell, of its parts in several scripts, without how it is pronounced."""
    parts = (*element.iterfind("{*}t"), *element.iterfind("{*}r/{*}t"))
    return "".join(one.text or "" for one in parts)


def _formats(archive: ZipFile) -> list[str]:
    """What the numbers of each style are written as: ``%``, ``d`` (days), ``h`` (hours), or "" for numbers."""
    if "xl/styles.xml" not in archive.namelist():
        return []
    root = _root(archive, "xl/styles.xml")
    own = {int(_said(one, "numFmtId")): _said(one, "formatCode") for one in root.iterfind("{*}numFmts/{*}numFmt")}
    found = []
    for style in root.iterfind("{*}cellXfs/{*}xf"):
        number = int(_said(style, "numFmtId", "0"))
        bare = _NO_FORMAT.sub("", own.get(number) or _BUILT_IN.get(number, "")).casefold()
        if "general" in bare:
            bare = ""
        found.append(next((kind for kind, letters in _KINDS if any(one in bare for one in letters)), ""))
    return found


def _excel_row(row: Xml.Element, texts: Sequence[str], formats: Sequence[str], first: datetime) -> list[str]:
    found: dict[int, str] = {}
    for place, cell in enumerate(row.iterfind("{*}c")):
        value, kind = cell.findtext("{*}v"), cell.get("t", "n")
        column = _column(cell.get("r")) if cell.get("r") else place
        if kind == "inlineStr":
            told = cell.find("{*}is")
            found[column] = "" if told is None else _text(told)
        elif value is None or kind == "e":  # an error of a formula is no value
            continue
        elif kind == "s":
            found[column] = texts[int(value)]
        elif kind == "b":
            found[column] = _truth(value == "1")
        elif kind == "n":
            style = int(cell.get("s", "0"))
            found[column] = _number(value, formats[style] if style < len(formats) else "", first)
        else:
            found[column] = value
    return [found.get(column, "") for column in range(max(found, default=-1) + 1)]


def _column(place: str | None) -> int:
    """The number of a column by its letters, from 0: 27 of ``AB12``."""
    number = 0
    for letter in (place or "").rstrip("0123456789"):
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    if not 0 < number <= _MOST_COLUMNS:
        raise ValueError(f"no cell is called {place}")
    return number - 1


def _number(text: str, kind: str, first: datetime) -> str:
    if kind == "%":
        return f"{float(text) * 100:.15g}%"
    if kind == "d" or (kind == "h" and float(text) >= 1):
        moment = first + timedelta(seconds=round(float(text) * 86400))
        return moment.isoformat()
    if kind == "h":
        return (first + timedelta(seconds=round(float(text) * 86400))).time().isoformat()
    return _plain(text)


def _plain(text: str) -> str:
    """A number with the digits that tell it from others: 16.6 of ``16.600000000000001``."""
    digits = sum(one.isdigit() for one in text)
    return repr(float(text)) if digits >= _LONG and not text.lstrip("-").isdigit() else text


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


# OpenDocument


def _open_document(archive: ZipFile) -> Iterator[tuple[str, list[list[str]]]]:
    if "META-INF/manifest.xml" in archive.namelist():
        with _part(archive, "META-INF/manifest.xml") as stream:
            if any(True for _ in _of_kind(stream, "encryption-data")):
                raise RuntimeError
    for sheet in _root(archive, "content.xml").iterfind(".//{*}spreadsheet/{*}table"):
        rows: list[list[str]] = []
        for row in sheet.iter():
            if _own(row) == "table-row":
                cells = _open_row(row)
                if any(cells):  # empty ones are told to the end of the sheet
                    rows += [cells] * min(int(_said(row, "number-rows-repeated", "1")), _MOST_CELLS)
        yield _said(sheet, "name"), rows


def _open_row(row: Xml.Element) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if _own(cell) in ("table-cell", "covered-table-cell"):
            text, times = _open_cell(cell), int(_said(cell, "number-columns-repeated", "1"))
            cells += [text] * min(times, _MOST_COLUMNS - len(cells))
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _open_cell(cell: Xml.Element) -> str:
    kind, value = _said(cell, "value-type"), _said(cell, "value")
    match kind:
        case "percentage":
            return f"{float(value) * 100:.15g}%"
        case "float" | "currency":
            return _plain(value)
        case "date":
            return _said(cell, "date-value")
        case "boolean":
            return _truth(_said(cell, "boolean-value") == "true")
    return "\n".join("".join(line.itertext()) for line in cell.iterfind("{*}p"))


# both


def _table(rows: Sequence[list[str]]) -> Rows:
    """The rows as wide as the widest, without those and the columns that hold nothing, and without titles above."""
    filled = [row for row in rows if any(one.strip() for one in row)]
    width = max(map(len, filled), default=0)
    if width * len(filled) > _MOST_CELLS:
        raise ValueError(f"{len(filled)} rows of {width} columns")
    even = [row + [""] * (width - len(row)) for row in filled]
    columns = [one for one in zip(*even, strict=True) if any(text.strip() for text in one)]
    found = [*zip(*map(_days, columns), strict=True)]
    return found[_titles_above(found) :]


def _days(column: Sequence[str]) -> Sequence[str]:
    """Moments that are all midnight as the days that they stand for."""
    moments = [one for one in column if _MOMENT.fullmatch(one)]
    if not all(one.endswith(_MIDNIGHT) for one in moments):
        return column
    return [one.removesuffix(_MIDNIGHT) if _MOMENT.fullmatch(one) else one for one in column]


def _titles_above(rows: Rows) -> int:
    """How many rows stand above the header: of their first cell alone, where a row of words alone follows."""
    number = next((n for n, row in enumerate(rows) if any(row[1:])), 0)
    words = [one for one in rows[number] if one] if rows else []
    return number if len(words) > 1 and not any(one[:1].isdigit() or one[:1] == "-" for one in words) else 0
