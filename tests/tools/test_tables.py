"""Tables: written, read back, cut into columns."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from knowflow.ground.errors import ToolError, UnreadableDataError
from knowflow.model.artifact import Artifact
from knowflow.tools.tables import place_of_extreme, rows_of, table_column, write_table

ROWS = ({"date": "2022-01-01", "mean": 0.1 + 0.2, "count": 3}, {"date": "2022-02-01", "mean": None, "note": 'a, "b"'})


def test_a_table_survives_writing_and_reading(tmp_path: Path) -> None:
    write_table(Artifact("table", value=ROWS), tmp_path / "t.csv")
    back = rows_of(Artifact("table", path=str(tmp_path / "t.csv")))
    assert back[0] == {"date": "2022-01-01", "mean": 0.1 + 0.2, "count": 3, "note": None}
    assert back[1] == {"date": "2022-02-01", "mean": None, "count": None, "note": 'a, "b"'}


def test_digits_that_an_underscore_parts_are_a_name(tmp_path: Path) -> None:
    write_table(Artifact("table", value=[{"plot": "2021_07", "count": 3}]), tmp_path / "t.csv")
    assert rows_of(Artifact("table", path=str(tmp_path / "t.csv")))[0] == {"plot": "2021_07", "count": 3}


def test_missing_numbers_are_empty_and_formulas_stay_text(tmp_path: Path) -> None:
    write_table(Artifact("table", value=[{"a": math.nan, "b": "=1+1", "c": -2}]), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b", "c"], ["", "'=1+1", "-2"]]


def test_a_column_keeps_its_gaps_and_must_exist() -> None:
    table = Artifact("table", value=ROWS)
    assert table_column(table, "mean") == [0.1 + 0.2, None]
    assert table_column(table, "count") == [3, None]
    with pytest.raises(ToolError, match="no column 'median'"):
        table_column(table, "median")


def test_the_place_of_an_extreme_is_called_by_its_name() -> None:
    classes = [{"class": 1, "name": "", "mean": 0.2}, {"class": 2, "name": "", "mean": 0.7}, {"class": 3, "mean": None}]
    fields = [{"id": 4, "crop": "maize", "mean": 0.3}, {"id": 9, "crop": "rye", "NAME": "west", "mean": 0.1}]
    assert place_of_extreme(Artifact("table", value=classes)) == "class 2"
    assert place_of_extreme(Artifact("table", value=classes), which="minimum") == "class 1"
    assert place_of_extreme(Artifact("table", value=fields)) == "maize"
    assert place_of_extreme(Artifact("table", value=fields), which="minimum") == "west"
    assert place_of_extreme(Artifact("table", value=fields), label="id") == "4"
    equal = [{"name": name, "mean": 0.5} for name in ("north", "south")]
    assert place_of_extreme(Artifact("table", value=[*fields, *equal])) == "north, south"


def test_what_is_no_number_is_no_extreme_and_a_place_without_a_name_is_told() -> None:
    rows = [{"id": 1, "mean": math.nan}, {"id": 2, "mean": 0.3}, {"id": None, "mean": 0.9}]
    assert place_of_extreme(Artifact("table", value=rows[:2])) == "id 2"
    with pytest.raises(ToolError, match="the place has no name"):
        place_of_extreme(Artifact("table", value=rows), label="id")


def test_without_a_number_no_place_is_extreme() -> None:
    with pytest.raises(ToolError, match="no row has a number"):
        place_of_extreme(Artifact("table", value=[{"class": 1, "mean": None}]))


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataError, match="cannot be read"):
        rows_of(Artifact("table", path=str(tmp_path / "none.csv")))
    with pytest.raises(ToolError, match="no table"):
        rows_of(Artifact("table"))
