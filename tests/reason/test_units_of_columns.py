"""What the names of columns, and notes beside them, say of the units of numbers."""

from __future__ import annotations

import pytest

from knowflow.reason.column_units import without_unit
from knowflow.reason.inventory.header_clues import not_of
from knowflow.reason.noted_words import unit_said
from knowflow.reason.vector_words import counts_rows


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("balance_m_we", "m"),
        ("winter_mm_we", "mm"),
        ("rain_in", "in"),
        ("built_in", "1"),
        ("tmax_F", "degF"),
        ("class_F", "1"),
        ("pounds", "lb"),
        ("ore_kt", "Gg"),
        ("response_min", "1"),  # which may be the least
        ("kWp", "kW"),
        ("minutes", "min"),
        ("hours_closed", "h"),
        ("capacity_hm3", "hm3"),
        ("supply_hours_per_day", "h day-1"),
        ("kg_ha", "kg ha-1"),
        ("t_ha", "t ha-1"),
        ("m3_ha", "m3 ha-1"),
    ],
)
def test_a_column_tells_its_unit(column: str, unit: str) -> None:
    assert without_unit(column.split("_"))[1] == unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("ug/m3", "ug m-3"),
        ("µg/m³", "ug m-3"),
        ("µg per m³", "ug m-3"),
        ("tonnes per hectare", "t ha-1"),
        ("million cubic metres", "hm3"),
        ("years", "year"),
    ],
)
def test_a_note_tells_a_unit_once(text: str, unit: str) -> None:
    """A sign that is short for a concentration in a question is none of a cubic metre more where that is said."""
    assert unit_said(text) == unit


@pytest.mark.parametrize(
    ("text", "of_it"),
    [
        ("terrain height above Adriatic", True),
        ("height above ground", False),
        ("canopy height above the terrain", False),
        ("elevation change", False),
    ],
)
def test_a_height_above_a_datum_by_name_is_one(text: str, of_it: bool) -> None:
    assert (not_of("elevation", [text]) == "") == of_it


def test_how_a_year_is_stored_makes_no_other_quantity() -> None:
    assert not_of("tree_cover_loss_year", ["year of forest loss minus 2000; 0 = no loss"]) == ""


def test_the_size_of_a_group_counts_for_its_row() -> None:
    assert counts_rows("group_size", [3, 1, 12])
    assert not counts_rows("grain_size", [3, 1, 12])
