"""What notes in a folder call its vectors, their columns and the values in them, as facts and as words of questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely

from knowflow.ground.vectors import write
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory
from knowflow.reason.noted_words import noted_words, unit_said
from knowflow.reason.vector_words import held_by_vectors

COLUMNS = {
    "bj": np.array([1931, 1950, 2004]),
    "vrs": np.array([120.0, 400.5, 80.25]),
    "nutz": np.array(["wo", "gew", "wo"], dtype=object),
    "denk": np.array(["ja", "nein", "nein"], dtype=object),
    "ew_2010": np.array([4, 0, 7]),
    "ew_2020": np.array([5, 0, 6]),
}
NOTES = [
    "objekte.gpkg (houses): bj = year of construction, vrs: sum insured (kEUR);\n"
    "nutz: use (wo dwelling, gew workshop), denk = listed (ja yes, nein no), ew_YYYY = number of residents.",
    "# Data\n| file | holds |\n- `objekte.gpkg`: houses\n- `bj` year of construction\n"
    "- `vrs`: sum insured in thousand euros\n"
    "- nutz: use (wo = dwelling, gew = workshop)\n- `denk` listed\n- ew_2010, ew_2020: residents in that year\n"
    "- ew_YYYY: residents\n",
]


def folder(place: Path, text: str) -> Path:
    points = shapely.to_wkb(shapely.points([(0, 0), (10, 0), (20, 5)]))
    write(
        place / "objekte.gpkg", points, list(COLUMNS.values()), list(COLUMNS), geometry_type="Point", crs="EPSG:32633"
    )
    (place / "notes.md").write_text(text)
    return place


@pytest.mark.parametrize("text", NOTES)
def test_columns_and_values_have_the_names_of_notes(tmp_path: Path, text: str) -> None:
    artifacts = take_inventory(folder(tmp_path, text)).artifacts
    noted = noted_words(artifacts[0])
    assert (("houses",), {"residents"}) == (noted.features[0], {" ".join(one) for one in noted.of("ew_2010").names[:1]})
    assert {("nutz", "wo", "dwelling"), ("nutz", "gew", "workshop")} <= set(noted.values)
    (layer,) = held_by_vectors(artifacts).features
    assert {("sum insured", "vrs", "1"), ("residents 2020", "ew_2020", "1")} <= set(layer.numbers)
    assert dict(layer.years)["construction"] == "bj"
    assert ("listed", "denk") in layer.flags
    assert "residents" not in {name for name, *_ in layer.numbers}  # of which year is not said


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("glacier outlines (inventory)", ("glacier",)),
        ("boundaries of the six conservancies", ("conservancies",)),
        ("our study districts", ("districts",)),
        ("simplified parish boundaries", ("simplified", "parish")),
    ],
)
def test_features_are_called_as_what_their_outlines_are_of(tmp_path: Path, said: str, called: tuple[str, ...]) -> None:
    noted = noted_words(take_inventory(folder(tmp_path, f"objekte: {said}")).artifacts[0])
    assert called in noted.features


def test_features_are_not_called_as_what_they_are_measured_by(tmp_path: Path) -> None:
    noted = noted_words(take_inventory(folder(tmp_path, "objekte: nitrogen applied per zone")).artifacts[0])
    assert noted.features == ()


def test_what_another_file_is_said_to_hold_is_not_of_this_one(tmp_path: Path) -> None:
    folder(tmp_path, "objekte.gpkg: bj = year built. wege.gpkg: nutz = who pays")
    (tmp_path / "wege.gpkg").write_bytes((tmp_path / "objekte.gpkg").read_bytes())
    told = {item.name: noted_words(item) for item in take_inventory(tmp_path).artifacts}
    assert {name for name, one in told.items() if one.of("nutz").names} == {"wege"}


def test_a_name_ends_where_columns_or_values_follow(tmp_path: Path) -> None:
    folder(tmp_path, "objekte.gpkg = listed houses: wo = dwelling house, gew = workshop")
    noted = noted_words(take_inventory(tmp_path).artifacts[0])
    assert noted.features == (("listed", "houses"), ("houses",))
    assert noted.values == (("nutz", "wo", "dwelling house"), ("nutz", "gew", "workshop"))


def test_what_is_noticed_is_called_without_that_too(tmp_path: Path) -> None:
    folder(tmp_path, "objekte.gpkg: ew_2020 = fire alarms recorded in 2020, bj = year built")
    names = noted_words(take_inventory(tmp_path).artifacts[0]).of("ew_2020").names
    assert {("fire", "alarms"), ("fire", "alarms", "recorded")} <= {*names}


@pytest.mark.parametrize(
    ("text", "unit"),
    [("m3 per hectare", "m3 ha-1"), ("cubic metres per second", "m3 s-1"), ("kEUR", "1"), ("the valley", None)],
)
def test_units_are_read_in_words(text: str, unit: str | None) -> None:
    assert unit_said(text) == unit


@pytest.mark.parametrize(
    ("text", "columns", "name", "column", "unit"),
    [
        ("probes.csv: zinc grade in % of intervals of 2 m", "hole from_m zn_pct", "zinc grade", "zn_pct", "%"),
        ("Probes: pH in water and bottom oxygen (ml/l).", "site ph o2_ml_l", "bottom oxygen", "o2_ml_l", "ml l-1"),
        ("probes.csv: radiocarbon age in years BP.", "site age_bp error", "radiocarbon age", "age_bp", "year"),
        ("probes.csv: tonnes landed per port", "port cod_t", "cod landed", "cod_t", "t"),
        ("probes.csv: daily mean discharge Q in m3/s", "site Q", "discharge", "Q", "m3 s-1"),
    ],
)
def test_numbers_have_the_names_that_notes_tell_behind_that_of_the_file(
    tmp_path: Path, text: str, columns: str, name: str, column: str, unit: str
) -> None:
    titles = columns.split(" ")
    rows = [titles, *(["A", *(str(1.5 * n) for n in range(1, len(titles)))] for _ in range(2))]
    (tmp_path / "probes.csv").write_text("\n".join(map(",".join, rows)))
    (tmp_path / "README.txt").write_text(text)
    layer = data_words(take_inventory(tmp_path).as_called()).features[0]
    assert (name, column, unit) in layer.numbers
    assert not {"bottom", "radiocarbon", "landed"} & {called for called, *_ in layer.numbers}


def test_notes_tell_of_files_below_them_whose_name_no_other_has(tmp_path: Path) -> None:
    for place in ("zones", "posts/north", "posts/south"):
        (tmp_path / place).mkdir(parents=True)
        folder(tmp_path / place, "")
    (tmp_path / "zones" / "objekte.gpkg").rename(tmp_path / "zones" / "ta.gpkg")
    (tmp_path / "notes.md").write_text("zones/ta.gpkg: traditional authorities (TA). objekte.gpkg: posts")
    told = {str(item.path): noted_words(item) for item in take_inventory(tmp_path).artifacts if item.type == "vector"}
    by_folder = {Path(path).parent.name: one.features for path, one in told.items()}
    assert ("traditional", "authorities") in by_folder["zones"]
    assert by_folder["north"] == by_folder["south"] == ()  # of which of both it is said nobody knows
