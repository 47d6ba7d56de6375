"""The columns of a table that name its rows, and numbers that have names, are found by what stands in them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.columns import name_field, named_numbers, read_legend, read_table, row_field, words_of

_NAMES = st.lists(
    st.text(st.characters(categories=["Ll"]), min_size=3, max_size=12), min_size=2, max_size=12, unique=True
)
_CODES = st.lists(st.integers(0, 999), min_size=12, max_size=12, unique=True)


@given(names=_NAMES, codes=_CODES, delimiter=st.sampled_from(",;\t|"))
def test_a_legend_is_read_whatever_stands_between_its_columns(
    names: list[str], codes: list[int], delimiter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("legend") / "legend.csv"
    rows = [(code, name, 255, 0, 255) for code, name in zip(codes, names, strict=False)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([("value", "label, in full", "R", "G", "B"), *rows])
    columns, count = read_table(path)
    assert (list(columns), count) == (["value", "label, in full", "R", "G", "B"], len(rows))
    assert read_legend(path) == {code: name for code, name, *_ in rows}


@pytest.mark.parametrize("between", [" = ", ": ", " ", "\t", " - "])
def test_lines_of_a_number_and_a_name_are_a_legend(tmp_path: Path, between: str) -> None:
    path = tmp_path / "classes.txt"
    path.write_text(f"Land cover classes\n1{between}Tree cover\n2{between}Built-up, dense\n10{between}Open water\n")
    assert read_legend(path) == {1: "Tree cover", 2: "Built-up, dense", 10: "Open water"}


@pytest.mark.parametrize("text", ["", "Notes\n\nThe data were downloaded on 3 May.\n", "1\n2\n3\n", "a,b\nx,y\n"])
def test_other_texts_are_no_legend(tmp_path: Path, text: str) -> None:
    path = tmp_path / "readme.txt"
    path.write_text(text)
    assert read_legend(path) == {}


@given(names=_NAMES)
def test_the_field_that_names_the_rows_is_found_among_identifiers_and_classes(names: list[str]) -> None:
    rows = range(len(names))
    columns = {
        "fid": list(rows),
        "code": [f"XY-{row:03d}" for row in rows],
        "kind": ["field" if row % 2 else "wood" for row in rows] if len(names) > 2 else ["wood"] * len(names),
        "district": names,
    }
    assert name_field(columns) == "district"
    assert words_of(columns)["kind"] == tuple(dict.fromkeys(columns["kind"]))


def test_a_field_that_is_called_a_name_goes_first() -> None:
    assert name_field({"remark": ["wet", "dry"], "NAME_1": ["North", "South"]}) == "NAME_1"


def test_numbers_and_names_belong_together_where_each_has_one_of_the_other() -> None:
    columns = {
        "RABA_ID": [1300, 1321, 2000, 1300],
        "LULC_ID": [3, 3, 2, 3],
        "LULC_NAME": ["grassland", "grassland", "forest", "grassland"],
    }
    found = named_numbers(columns)
    assert found is not None
    assert (found.code, found.name, dict(found.names)) == ("LULC_ID", "LULC_NAME", {3: "grassland", 2: "forest"})
    assert named_numbers({"a": [1, 2, 2], "b": ["x y", "x y", "z w"]}) is None


def test_rows_without_a_name_or_with_the_same_are_named_by_no_field() -> None:
    assert name_field({"owner": ["Anna", "Anna", "Boris", ""]}) is None
    assert name_field({"date": ["2020-01-01", "2020-02-01"], "nuts": ["AT11", "AT12"]}) is None


def test_rows_without_names_are_told_apart_by_their_identifiers() -> None:
    parcels = {"parcel_id": ["P01", "P02", "P03"], "crop": ["wheat", "wheat", "oats"]}
    assert row_field(parcels) == "parcel_id"
    assert row_field(parcels | {"name": ["Mill field", "Long acre", "The Hollow"]}) == "name"
    assert row_field({"parcel_id": ["P01", "P01", "P03"]}) is None
    assert row_field({"parcel_id": ["P01", None]}) is None
    assert row_field({"height": [3, 4], "code": [7, 8], "name": ["P1", "P2"]}) == "name"
    assert row_field({"height": [3, 4], "site": ["S-1", "S-2"]}) == "site"
    assert row_field({"height": [3, 4]}) is None
