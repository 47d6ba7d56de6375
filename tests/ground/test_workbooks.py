"""Workbooks are tables of the same rows as text files of what they show."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbook_examples import cells, excel_of, write_workbook

from knowflow.ground.columns import read_table
from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.vectors import read
from knowflow.ground.workbooks import sheets_of, table_of

_GAPS = st.none()
_TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
_NUMBERS = st.floats(-1e9, 1e9, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-3)
_DAYS = st.dates(min_value=np.datetime64("1930-01-01").item(), max_value=np.datetime64("2090-01-01").item())
_COLUMNS = st.one_of(
    st.lists(_TEXTS | _GAPS, min_size=4, max_size=4),
    st.lists(_NUMBERS | _GAPS, min_size=4, max_size=4),
    st.lists(st.integers(-(10**9), 10**9), min_size=4, max_size=4),
    st.lists(_DAYS.map(lambda day: np.datetime64(day, "D")), min_size=4, max_size=4),
)


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
@given(columns=st.lists(_COLUMNS, min_size=1, max_size=5))
def test_columns_come_back_as_they_were_written(ending: str, columns: list[list[Any]]) -> None:
    named = {"name": ["a", "b", "c", "d"]} | {f"of {n}": column for n, column in enumerate(columns)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        write_workbook(path, named)
        told, count = read_table(path)
    assert (list(told), count) == ([*named], 4)
    for name, column in named.items():
        for one, text in zip(column, told[name], strict=True):
            assert _same(one, text), (name, one, text)


def _same(written: Any, told: str) -> bool:
    if written is None:
        return told == ""
    if isinstance(written, (int, float)):
        return math.isclose(float(told), written, rel_tol=1e-14, abs_tol=1e-16)
    return told == str(written)


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
@given(
    places=st.lists(st.tuples(st.floats(-179, 179), st.floats(-89, 89)), min_size=1, max_size=5),
    levels=st.lists(_NUMBERS | _GAPS, min_size=5, max_size=5),
)
def test_points_are_those_of_the_same_text_file(ending: str, places: list[Any], levels: list[Any]) -> None:
    columns = {
        "station": [f"s{n}" for n in range(len(places))],
        "lon": [round(place[0], 5) for place in places],
        "lat": [round(place[1], 5) for place in places],
        "level": levels[: len(places)],
    }
    rows = zip(*([*columns[name]] for name in columns), strict=True)
    with TemporaryDirectory() as folder:
        book, text = Path(folder) / f"stations{ending}", Path(folder) / "stations.csv"
        write_workbook(book, columns)
        lines = [",".join("" if one is None else str(one) for one in row) for row in rows]
        text.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
        (meta, _, points, found), (wanted, _, there, told) = read(book), read(text)
    assert (
        (meta["crs"], [*meta["fields"]]) == (wanted["crs"], [*wanted["fields"]]) == ("EPSG:4326", ["station", "level"])
    )
    assert [*points] == [*there]
    for one, other in zip(found[1].tolist(), told[1].tolist(), strict=True):
        assert one == other or math.isclose(one, other, rel_tol=1e-14) or (one != one and other != other)


def test_formats_of_cells_tell_days_and_percentages(tmp_path: Path) -> None:
    path = tmp_path / "yields.xlsx"
    header = cells("plot", "moisture", "harvested", "clay", "weighed")
    excel_of(path, {"2024": [header, cells("A", (0.125, 1), (45404, 2), (31.5, 3), (45404.4375, 4))]})
    assert table_of(path)[0].rows[1] == ("A", "12.5%", "2024-04-22", "31.5", "2024-04-22T10:30:00")
    excel_of(path, {"2024": [cells("plot", "harvested"), cells("A", (45404 - 1462, 2))]}, since_1904=True)
    assert table_of(path)[0].rows[1] == ("A", "2024-04-22")


def test_the_first_sheet_that_holds_a_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "survey.xlsx"
    table = [cells("plot", "kg"), cells("A", 1200), cells("B", 1300)]
    excel_of(path, {"About": [cells("made by us")], "Empty": [], "Plots": table, "Trees": table})
    sheet, others = table_of(path)
    assert (sheet.name, len(sheet.rows), others) == ("Plots", 3, ("About", "Trees"))


@pytest.mark.parametrize(
    ("above", "header"),
    [
        ([cells("Yields of 2024"), cells("by plot"), ""], ("plot", "kg")),
        ([], ("plot", "kg")),
        ([cells(None, "kg"), cells("C", 900)], ("", "kg")),  # the column of the rows' names has no title
    ],
)
def test_titles_empty_rows_and_empty_columns_are_none_of_the_table(
    tmp_path: Path, above: list[str], header: tuple[str, ...]
) -> None:
    path = tmp_path / "yields.xlsx"
    body = [cells("plot", "kg"), "", cells("A", 1200)]
    excel_of(path, {"all": [*above, *body]})
    assert table_of(path)[0].rows[0] == header
    excel_of(path, {"all": [cells(None, "plot", None, "kg"), cells(None, "A", None, 3)]})
    assert table_of(path)[0].rows == [("plot", "kg"), ("A", "3")]


def test_numbers_are_told_with_their_own_digits(tmp_path: Path) -> None:
    path = tmp_path / "levels.xlsx"
    numbers = ("16.600000000000001", "748123", "-2.9999999999999999E-7", "12345678901234567")
    excel_of(path, {"all": [cells("a", "b", "c", "d"), cells(*((one, 0) for one in numbers))]})
    assert table_of(path)[0].rows[1] == ("16.6", "748123", "-3e-07", "12345678901234567")


def _archive(path: Path, **parts: str) -> None:
    with ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr({"manifest": "META-INF/manifest.xml", "content": "content.xml"}[name], text)


@pytest.mark.parametrize(
    "name", ["old.xls", "locked.xlsx", "cut.xlsx", "text.ods", "locked.ods", "else.ods", "far.xlsx"]
)
def test_what_cannot_be_read_says_what_to_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    excel_of(path, {"all": [cells("a", "b"), cells(1, 2)]})
    whole = path.read_bytes()
    match name:
        case "old.xls" | "locked.xlsx":
            path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
        case "cut.xlsx":
            path.write_bytes(whole[: len(whole) // 2])
        case "text.ods":
            path.write_text("a,b\n1,2\n", encoding="utf-8")
        case "locked.ods":
            _archive(path, manifest="<m><file-entry><encryption-data/></file-entry></m>", content="\x01")
        case "else.ods":
            _archive(path, manifest="<m/>")
        case _:
            excel_of(path, {"all": ['<c r="ZZZZZZ1"><v>1</v></c>']})
    with pytest.raises(UnreadableDataError, match="cannot be read") as refused:
        sheets_of(path)
    assert "save it as .csv" in str(refused.value.hint)


@pytest.fixture(scope="module", params=[".xlsx", ".ods"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    path = tmp_path_factory.mktemp("whole") / f"table{request.param}"
    write_workbook(path, {"name": ["a", "b"], "day": [np.datetime64("2021-05-03"), np.datetime64("2021-06-02")]})
    return path.suffix, path.read_bytes()


@given(data=st.data())
def test_a_damaged_workbook_is_read_or_refused_by_name(whole: tuple[str, bytes], data: st.DataObject) -> None:
    ending, written = whole
    damaged = bytearray(written)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        path.write_bytes(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
        with suppress(UnreadableDataError):  # and nothing else
            rows = table_of(path)[0].rows
            assert len({len(row) for row in rows}) <= 1


@pytest.mark.parametrize("number", ["1e300", "nan", "-9e9", "inf"])
def test_a_date_that_is_no_day_is_refused_by_name(tmp_path: Path, number: str) -> None:
    path = tmp_path / "table.xlsx"
    excel_of(
        path, {"Sheet1": [cells("name", "day"), f'<row><c t="str"><v>a</v></c><c s="2"><v>{number}</v></c></row>']}
    )
    with pytest.raises(UnreadableDataError, match=r"table\.xlsx"):
        table_of(path)
