"""The peak of a flood in names of files, resolutions told with a p, and limits of notes in other languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.operators import Beyond, Number
from knowflow.question.reading.vocabulary import DataWords
from knowflow.reason.inventory import take_inventory
from knowflow.reason.noted_meanings import noted_meanings


@pytest.mark.parametrize(
    ("name", "statistic"), [("ndvi_2022-06-18_peak", None), ("ndvi_peak_2022", "maximum"), ("ndvi_2022_max", "maximum")]
)
def test_the_peak_of_a_day_is_no_maximum(tmp_path: Path, name: str, statistic: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif")
    (item,) = take_inventory(tmp_path).rasters
    assert item.fact("statistic") == statistic


@pytest.mark.parametrize(("name", "statistic"), [("pm25_0p10_2020", None), ("pm25_p10_2020", "p10")])
def test_a_tenth_of_a_degree_is_no_percentile(tmp_path: Path, name: str, statistic: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif")
    (item,) = take_inventory(tmp_path).rasters
    assert item.fact("statistic") == statistic


@pytest.mark.parametrize(
    ("note", "side"),
    [
        ("Bosque = treecover2000 de 30 % o más", "at_least"),
        ("Floresta = copa >= 30 %", "at_least"),
        ("Floresta: cobertura de copas de pelo menos 30 %", "at_least"),
        ("Wald = Überschirmung mindestens 30 %", "at_least"),
        ("Bosco = copertura arborea superiore a 30 %", "above"),
        ("Forêt = couvert arboré inférieur à 30 %", "below"),
    ],
)
def test_notes_tell_limits_in_other_languages(note: str, side: str) -> None:
    data = DataWords(frozenset(("tree_cover_fraction",)))
    (found,) = dict(noted_meanings([note], data)).values()
    assert isinstance(found, Beyond)
    assert (found.side, found.limit) == (side, Number(30.0, "%"))


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("MCD64A1 burn date uncertainty days 03_2022", "day"),
        ("burn date uncertainty days 03_2022", "day"),
        ("cci AGB SD t per ha N50E010 2010", "Mg ha-1"),
    ],
)
def test_an_uncertainty_stays_one_in_whatever_unit(tmp_path: Path, name: str, unit: str) -> None:
    write_raster(tmp_path / f"{name}.tif")
    (item,) = take_inventory(tmp_path).rasters
    assert (item.fact("quantity"), item.fact("unit")) == ("uncertainty", unit)
