"""What names say beside words that nobody knows, by words of other languages, and by years that are no dates."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from knowflow.ground.quantities import quantity_kinds
from knowflow.reason.inventory.cognates import meaning_alike, sorted_spellings
from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.month_words import languages_in, month_in
from knowflow.reason.inventory.names import name_facts
from knowflow.reason.inventory.packings import packing_of
from knowflow.reason.inventory.usual_scales import usual_top


def _fact(name: str, fact: str, beside: tuple[str, ...] = (), folders: str = "") -> Any:
    told = cache(lambda: folder_dates((name, *beside), folders.split("/")))
    return name_facts(f"{name}.tif", folders=folders, beside=told).facts.value(fact)


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("GLO30_clip", "elevation"),
        ("GLO30_mosaico_final", "elevation"),  # words that say nothing of what is measured
        ("GLO30_wertvoll", None),  # nobody knows what was made of it
        ("spadki_GLO30", "slope"),
        ("SNW_XY_R2", None),  # R2 may be part of a code
        ("r2_ndvi", "coefficient_of_determination"),
    ],
)
def test_what_a_product_is_of_is_open_beside_a_word_that_nobody_knows(name: str, quantity: str | None) -> None:
    assert _fact(name, "quantity") == quantity


@pytest.mark.parametrize(
    ("name", "beside", "folders", "moment"),
    [
        ("SO2_gen21", ("SO2_lug21",), "", "2021-01-01"),
        ("SO2_gen21", (), "", None),  # a word of its own elsewhere
        ("AOD_23gen21", (), "", "2021-01-23"),
        ("turbidez_Nechad2009", (), "15-06-2022", "2022-06-15"),
        ("turbidez_Nechad2009", (), "", None),  # the year of a work
        ("ndvi_hill2009", ("ndvi_hill2010",), "", "2009-01-01"),
        ("202206_rate_of_something_2020", (), "", None),  # when it was published, or of which it is
        ("ndvi_24.5.", (), "2021", "2021-05-24"),
    ],
)
def test_dates_by_those_beside_them(name: str, beside: tuple[str, ...], folders: str, moment: str | None) -> None:
    assert _fact(name, "datetime", beside, folders) == moment


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("et_mm_por_dia", "mm day-1"),
        ("predkosc_los_mm_rok", "mm year-1"),
        ("built_s_kano", None),  # no kelvin in a year
    ],
)
def test_units_in_lengths_of_time_in_any_language(name: str, unit: str | None) -> None:
    told = [clue.value for clue in name_facts(f"{name}.tif").clues if clue.fact == "unit"]
    assert (_fact(name, "unit") or (told[0] if told else None)) in ((unit,) if unit else ("m2", None))


def test_words_that_begin_alike_mean_the_same_unless_they_disagree() -> None:
    known = sorted_spellings([("coherence", "a"), ("wilgotnosc", "b"), ("transpiration", "c"), ("transport", "d")])
    assert [meaning_alike(word, known) for word in ("koherencja", "wilgotn", "transpiracja")] == ["a", "b", "c"]
    assert [meaning_alike(word, known) for word in ("trans", "co", "harbour")] == [None] * 3


def test_a_short_month_is_of_the_languages_beside_it() -> None:
    assert languages_in(("lug", "gen")) == {"it"}
    assert (month_in("lip", {"pl"}), month_in("lip", {"hr"}), month_in("lip", {"pl", "hr"})) == (7, 6, None)


def test_scales_by_formulas_and_by_sensors() -> None:
    assert usual_top("evi") == pytest.approx(1.8, rel=0.5)
    kind = quantity_kinds()["net_primary_production"]
    look = Look(2_000, 5_000, 9_000, whole=True, physical=False)
    found = packing_of(look, kind, "uint16", "modis")
    assert found == (0.0001, 0.0, "kg m-2")
    assert packing_of(look, kind, "uint16") is None
