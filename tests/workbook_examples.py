"""Workbooks to read: those of the same rows as text files, and those whose cells are written one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from knowflow.ground.vectors import write

_DRIVERS = {".xlsx": "XLSX", ".ods": "ODS"}
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_FORMATS = ("General", "0.0%", "dd.mm.yyyy", '0.0" %"', "yyyy-mm-dd hh:mm:ss")
"""What the cells of a style are shown as, by its number."""


def write_workbook(path: Path, columns: Mapping[str, Sequence[Any]], sheet: str = "Sheet1") -> None:
    """A workbook of columns, as GDAL writes it: numbers, days and moments (of NumPy), texts and gaps (None)."""
    values = [np.array(column, dtype=_type_of(column)) for column in columns.values()]
    options: dict[str, Any] = {"driver": _DRIVERS[path.suffix], "layer": sheet, "append": path.exists()}
    write(path, None, values, np.array([*columns]), geometry_type=None, **options)


def as_workbook(table: Path, ending: str) -> None:
    """Put a workbook of the same columns in the place of a text file."""
    from pyogrio.raw import read

    meta, _, _, columns = read(table, AUTODETECT_TYPE="YES")
    told = {str(name): column for name, column in zip(meta["fields"], columns, strict=True)}
    write_workbook(table.with_suffix(ending), told)
    table.unlink()


def _type_of(column: Sequence[Any]) -> Any:
    if isinstance(column, np.ndarray):
        return column.dtype
    told = [one for one in column if one is not None]
    if all(isinstance(one, np.datetime64) for one in told) and told:
        return told[0].dtype
    if len(told) == len(column) and all(isinstance(one, int) for one in told):
        return np.int64
    return np.float64 if all(isinstance(one, int | float) for one in told) else object


def excel_of(path: Path, sheets: Mapping[str, Sequence[str]], since_1904: bool = False) -> None:
    """A workbook of Excel: of each sheet its rows, as XML; a style is the number of one of the formats above."""
    formats = "".join(f'<numFmt numFmtId="{200 + n}" formatCode="{_quoted(one)}"/>' for n, one in enumerate(_FORMATS))
    styles = "".join(f'<xf numFmtId="{200 + n}"/>' for n in range(len(_FORMATS)))
    named = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    links = "".join(f'<Relationship Id="r{n}" Target="worksheets/s{n}.xml"/>' for n in range(1, len(sheets) + 1))
    with ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><workbookPr date1904="{int(since_1904)}"/>'
            f"<sheets>{named}</sheets></workbook>",
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{_MAIN}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>',
        )
        for n, rows in enumerate(sheets.values(), 1):
            text = "".join(f"<row>{row}</row>" for row in rows)
            archive.writestr(f"xl/worksheets/s{n}.xml", f'<x:worksheet xmlns:x="{_MAIN}">{_named(text)}</x:worksheet>')


def cells(*values: Any) -> str:
    """The cells of a row in order: texts, numbers, (number, style), or nothing."""
    return "".join(_cell(value, f"{chr(65 + n)}1") for n, value in enumerate(values) if value is not None)


def _cell(value: Any, place: str) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{_quoted(value)}</t></is></c>'
    number, style = value if isinstance(value, tuple) else (value, 0)
    return f'<c r="{place}" s="{style}"><v>{number}</v></c>'


def _named(text: str) -> str:
    return f'<sheetData xmlns="{_MAIN}">{text}</sheetData>'


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
