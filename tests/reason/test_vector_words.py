"""What columns of numbers are called: by words of their names, without units and years where that is clear."""

from __future__ import annotations

import pytest

from knowflow.reason.polygon_files import texts_among
from knowflow.reason.vector_words import counts_rows, names_of_numbers

_ROWS = [1.0, 2.5]


def called(*columns: str) -> dict[str, tuple[str, str]]:
    return {said: (column, unit) for said, column, unit in names_of_numbers(dict.fromkeys(columns, _ROWS))}


@pytest.mark.parametrize(
    ("column", "said", "unit"),
    [
        ("depth_m", "depth", "m"),
        ("claim_2023_eur", "claim", "1"),
        ("claim_2023_eur", "claim 2023", "1"),
        ("flow_l_s", "flow", "l s-1"),
        ("mean_flow_m3s", "mean flow", "m3 s-1"),
        ("yield_t_ha", "yield", "t ha-1"),
        ("households", "households", "1"),
        ("hours", "hours", "h"),
        ("fuel_l", "fuel", "l"),
        ("oxygen_mg_l", "oxygen", "mg l-1"),
        ("pop2017", "pop", "1"),
        ("pop2017", "people in 2017", "1"),
        ("pop2017", "pop2017", "1"),
        ("poblacion", "inhabitants", "1"),
        ("Einwohner", "people", "1"),
        ("nb_habitants", "population", "1"),
        ("tlu", "livestock units", "1"),
        ("capacidad", "capacity", "1"),
        ("rendimiento_t_ha", "yield", "t ha-1"),
    ],
)
def test_a_column_is_called_by_its_words(column: str, said: str, unit: str) -> None:
    assert called(column)[said] == (column, unit)


@pytest.mark.parametrize("column", ["habitat", "popularity", "pop_up", "level2"])
def test_what_only_begins_as_the_name_of_people_tells_none(column: str) -> None:
    assert not {"people", "inhabitants"} & called(column).keys()


def test_what_two_columns_could_be_is_neither() -> None:
    both = called("claim_2022_eur", "claim_2023_eur")
    assert ("claim" in both, both["claim 2022"][0], both["claim 2023"][0]) == (
        False,
        "claim_2022_eur",
        "claim_2023_eur",
    )


@pytest.mark.parametrize("column", ["id", "year", "station_id", "2023", "lon"])
def test_keys_and_places_are_no_numbers(column: str) -> None:
    assert called(column) == {}


def test_a_word_that_many_things_are_measured_by_is_no_name_alone() -> None:
    assert "depth" not in called("depth_of_snow_cm")


@pytest.mark.parametrize("values", [["yes", "no", "Yes"], ["ja", None, "nein"], ["true", "false"]])
def test_yes_and_no_are_no_names(values: list[str | None]) -> None:
    columns = {"name": ["North", "South", "East"], "open_all_year": values}
    assert list(texts_among(columns)) == ["name"]


@pytest.mark.parametrize(("values", "counts"), [(["3", "12", ""], True), ([4.0, 1.0], True), ([5392565.4, 1.0], False)])
def test_what_tells_how_many_each_row_is_of_is_a_whole_number(values: list[object], counts: bool) -> None:
    assert counts_rows("n", values) is counts
    assert not counts_rows("weight", values)
