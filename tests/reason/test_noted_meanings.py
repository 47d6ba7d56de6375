"""What notes in a folder say that words for ground mean, and questions that speak by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.normal import equal
from knowflow.question.operators import And, Beyond, During, Not, Number, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import times
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory
from knowflow.reason.noted_meanings import noted_meanings
from knowflow.service.refusals import not_understood
from tests.question.reading.same_reading import assert_read_as


def _words(place: Path, note: str, *layers: str) -> DataWords:
    for layer in layers:
        write_raster(place / f"{layer}.tif", scale=0.01 if "percent" in layer else None)
    (place / "README.md").write_text(note)
    return data_words(take_inventory(place).as_called())


@pytest.mark.parametrize(
    ("note", "layers", "said", "other"),
    [
        (
            "Summer composites. We call a pixel green when NDVI is at least 0.55.",
            ("ndvi_20190601", "ndvi_20210601"),
            "How many hectares were green on 1 June 2021?",
            "How many hectares had NDVI of at least 0.55 on 1 June 2021?",
        ),
        (
            "Pixels with a snow depth above 20 cm are taken as snow.\n\nDEM in m.",
            ("snow_depth_cm_20190601", "elevation_m"),
            "What percentage was covered by snow on 1 June 2019?",
            "What percentage had a snow depth above 20 cm on 1 June 2019?",
        ),
        (
            "Bosco (forest) = canopy height of 5 m or more.",
            ("canopy_height_m",),
            "What share of the area is forest?",
            "What share of the area has a canopy height of at least 5 m?",
        ),
        (
            "We call a cell lit at 2 or more.",
            ("night_lights_nW_cm2_sr_2019", "night_lights_nW_cm2_sr_2021"),
            "How many km2 were lit in 2021?",
            "How many km2 had night lights of at least 2 nW/cm2/sr in 2021?",
        ),
        (
            "A pixel is lit when it has 5 nW cm-2 sr-1 or more.",
            ("night_lights_nW_cm2_sr_2019", "night_lights_nW_cm2_sr_2021"),
            "How many km2 were lit in 2021, going by our definition?",
            "How many km2 had night lights of at least 5 nW/cm2/sr in 2021?",
        ),
        (
            "Burned: dNBR >= 0.10. Severe: dNBR >= 0.44.",
            ("nbr_20210601", "nbr_20210701"),
            "How many hectares were severely burned?",
            "How many hectares had dNBR of at least 0.44?",
        ),
        (
            "Layers:\n- 'forest' in our work: canopy height of 5 m or more",
            ("canopy_height_m",),
            "What is the area of the forest (as our notes define it)?",
            "What is the area with a canopy height of at least 5 m?",
        ),
        (
            "Pixels with a snow depth of 20 cm or more are what we call snow-covered.",
            ("snow_depth_cm_20190601", "elevation_m"),
            "According to the readme, what percentage was snow-covered on 1 June 2019?",
            "What percentage had a snow depth of at least 20 cm on 1 June 2019?",
        ),
        (
            "Water: NDWI above 0.1.",
            ("ndwi_20190601", "ndwi_20210601"),
            "How many hectares turned from water into land between 2019 and 2021?",
            "How many hectares had NDWI above 0.1 in 2019 but not in 2021?",
        ),
    ],
)
def test_a_word_is_what_the_notes_take_for_it(
    tmp_path: Path, note: str, layers: tuple[str, ...], said: str, other: str
) -> None:
    data = _words(tmp_path, note, *layers)
    assert_read_as(said, other, data)


@pytest.mark.parametrize(
    "note",
    [
        "Made in 2019: see ndvi for 0.5 ha parcels.",
        "ndvi: values of 0.1 to 0.9",
        "Fields: 12 were visited in June.",
        "Water: 200 or more.",
    ],
)
def test_other_numbers_of_notes_are_no_meanings(tmp_path: Path, note: str) -> None:
    assert _words(tmp_path, note, "ndvi_20190601").meant == ()


@pytest.mark.parametrize(
    "note",
    [
        "We take pixels below -15 dB as water.",
        "We treat all cells with VV below -15 dB as water.",
    ],
)
def test_what_is_taken_for_a_word_may_stand_before_it(tmp_path: Path, note: str) -> None:
    write_raster(tmp_path / "VV_20220903.tif", descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})
    found = read("How many km2 were water on 3 September 2022?", _words(tmp_path, note)).expression
    assert found is not None
    assert {part.limit for _, part in walk(found) if isinstance(part, Beyond)} == {Number(-15.0, "dB")}


def test_a_word_that_notes_explain_and_nobody_reads_is_not_read_as_elsewhere(tmp_path: Path) -> None:
    note = "A pixel is flooded when it is water on that date and was not reported so by the farmers."
    for day in ("20220505", "20220619"):
        write_raster(tmp_path / f"VV_{day}.tif", descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})
    question = "How many km2 were flooded on 19 June 2022?"
    assert read(question, _words(tmp_path, note)).unread == ("flooded",)


def test_a_definition_is_that_of_what_is_asked(tmp_path: Path) -> None:
    data = _words(tmp_path, "We call a pixel green when NDVI is at least 0.55.", "ndvi_20190601", "ndvi_20210601")
    assert read("What was the mean NDVI on 1 June 2021, going by our definition?", data).expression is None
    assert read("How many hectares were green on 1 June 2021 by our definition?", data).expression is not None


@pytest.mark.parametrize(
    ("note", "layer", "said", "other"),
    [
        (
            "`dem_m.tif`: elevation of the reservoir floor, m a.s.l.",
            "dem_m",
            "What is the lowest floor level?",
            "What is the lowest elevation?",
        ),
        (
            "d50: median grain size of the sand in micrometres",
            "d50_2021",
            "What is the highest grain size?",
            "What is the highest d50?",
        ),
        ("Magnetometry in nT.", "magnetometry_nT_2019", "Highest magnetometer reading?", "Highest magnetometry?"),
    ],
)
def test_a_layer_is_called_as_notes_do(tmp_path: Path, note: str, layer: str, said: str, other: str) -> None:
    data = _words(tmp_path, note, layer)
    assert_read_as(said, other, data)


@pytest.mark.parametrize(
    ("note", "down"),
    [
        ("Velocities in mm/year, negative = moving away (subsiding).", -1),
        ("Velocities, projected to vertical; sinking is negative. Empty where coherence is low.", -1),
        ("Subsidence is given as positive values, uplift as negative ones.", 1),
        ("Velocities: positive values mean uplift.", -1),
        ("Velocities: positive = subsidence.", 1),
        ("Velocities in mm/year.", None),
    ],
)
def test_which_sign_goes_down_is_told_by_notes(tmp_path: Path, note: str, down: int | None) -> None:
    assert dict(_words(tmp_path, note, "los_velocity_mm_yr").down).get("line_of_sight_velocity") == down


def test_a_word_that_notes_take_for_less_than_elsewhere_means_so(tmp_path: Path) -> None:
    note = (
        "A pixel is water when VV is below -15 dB. Flooded = water that is not permanent water (`permanent_water.tif`)."
    )
    write_raster(tmp_path / "permanent_water.tif", dtype="uint8")
    vv = tmp_path / "VV_20220903.tif"
    write_raster(vv, descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})
    data = _words(tmp_path, note)
    found = read("How many km2 were flooded on 3 September 2022?", data).expression
    kept = {part.x for _, part in walk(found) if isinstance(part, Not)} if found is not None else set()
    assert {one.kind for part in kept for _, one in walk(part) if isinstance(one, Quantity)} == {"water_mask"}
    assert {part.kind for _, part in walk(found) if isinstance(part, Quantity)} == {"water_mask", "sigma0_db"}
    told = "Water rule: VV below -15 dB. 'Flooded' = water on 3 Sept 2022 and not permanent water."
    again = read("How many km2 were flooded on 3 September 2022?", _words(tmp_path, told)).expression
    assert again is not None
    assert equal(again, found)
    # on a day and not on another, whatever day is asked for
    write_raster(tmp_path / "VV_20220801.tif", descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})
    of_days = "Files\nWater = below -15 dB.\nFlooded = water on 3 September that was not water on 1 August."
    days = read("How many km2 were flooded?", _words(tmp_path, of_days)).expression
    wanted = "How many km2 had VV below -15 dB on 3 September 2022 but not on 1 August 2022?"
    assert days is not None
    assert {part.when.first for _, part in walk(days) if isinstance(part, During)} == {
        part.when.first for _, part in walk(read(wanted, data).expression) if isinstance(part, During)
    }
    assert {part.kind for _, part in walk(days) if isinstance(part, Quantity)} == {"sigma0_db"}
    assert read("How many km2 were flooded on 1 August 2022?", _words(tmp_path, of_days)).expression is None
    (tmp_path / "VV_20220801.tif").unlink()
    # by what nobody knows it is refused, and said why
    data = _words(tmp_path, note.replace("not permanent water (`permanent_water.tif`)", "not in rice"))
    unread = read("How many km2 were flooded on 3 September 2022?", data)
    assert unread.unread == ("flooded",)
    message = not_understood(unread, data, take_inventory(tmp_path)).message
    assert "notes beside the data say that 'flooded' is less" in message
    other = note.replace("Flooded =", "Flooded areas are mapped elsewhere:")
    assert read("How many km2 were flooded on 3 September 2022?", _words(tmp_path, other)).expression is not None


def test_an_area_that_notes_count_otherwise_is_not_that_of_another_limit(tmp_path: Path) -> None:
    note = "Thickness in metres. Ice area = concentration-weighted area."
    asked = "How large was the ice area on 15 March 2020?"
    assert read(asked, _words(tmp_path, note, "ice_thickness_m_20200315")).expression is None
    assert read(asked, _words(tmp_path, "Thickness in metres.")).expression is not None


@pytest.mark.parametrize(
    ("layer", "tags", "said"),
    [
        ("forest_mask", {"LEGEND": "0=open 1=forest"}, "How many hectares are open?"),
        ("permanent_water", {}, "How many hectares of permanent water are there?"),
    ],
)
def test_masks_have_the_names_of_files_and_of_what_they_do_not_mark(
    tmp_path: Path, layer: str, tags: dict[str, str], said: str
) -> None:
    write_raster(tmp_path / f"{layer}.tif", dtype="uint8", tags=tags)
    found = read(said, data_words(take_inventory(tmp_path).as_called())).expression
    assert found is not None
    assert any(isinstance(part, Not) for _, part in walk(found)) == bool(tags)


def test_a_limit_of_notes_without_a_unit_is_in_that_of_the_data(tmp_path: Path) -> None:
    note = "viirs_YYYY.tif: radiance in nW/cm2/sr. pop_2020.tif: people per pixel. Lit = radiance of 5 or more."
    for year in (2013, 2021):
        path = tmp_path / f"viirs_{year}.tif"
        write_raster(path, descriptions=("average radiance",), band_tags={"UNIT": "nW cm-2 sr-1"})
    data = _words(tmp_path, note, "pop_2020")
    lit = read("How many km2 were lit in 2013?", data).expression
    assert lit is not None
    assert equal(lit, read("How many km2 had night lights of at least 5 nW cm-2 sr-1 in 2013?", data).expression)


def test_notes_speak_of_files_in_the_folders_below_them(tmp_path: Path) -> None:
    for day in ("20190601", "20210601"):
        write_raster(tmp_path / "maps" / day / f"ndvi_{day}.tif")
    (tmp_path / "README.md").write_text("We call a pixel green when NDVI is at least 0.55 (all dates).")
    data = data_words(take_inventory(tmp_path).as_called())
    found = read("How many hectares were green on 1 June 2021?", data).expression
    assert found is not None
    assert equal(found, read("How many hectares had NDVI of at least 0.55 on 1 June 2021?", data).expression)


@pytest.mark.parametrize(
    ("note", "permanent"),
    [
        ("Water: VV below -16 dB. Flood = water that is not permanent water.", True),
        ("Water: VV below -16 dB (all dates).", True),
        ("Water: VV below -16 dB.", False),
    ],
)
def test_flooded_is_water_that_is_not_on_the_map_of_permanent_water(tmp_path: Path, note: str, permanent: bool) -> None:
    for day in ("20220801", "20220903"):
        write_raster(tmp_path / f"VV_{day}.tif", descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})
    if permanent:
        write_raster(tmp_path / "permanent_water_JRC.tif", dtype="uint8")
    data = _words(tmp_path, note)
    asked = "How many hectares were under water on 3 September 2022"
    wet = read(f"{asked}?", data).expression
    assert wet is not None
    assert not any(isinstance(part, Not) for _, part in walk(wet))
    flooded = read("How many hectares were flooded on 3 September 2022?", data).expression
    assert flooded is not None
    assert any(isinstance(part, Not) for _, part in walk(flooded)) == permanent
    assert equal(flooded, wet) != permanent


FLOODED = "How many km2 were flooded on 17 June 2022?"
WATER = "Open water: VV below -16 dB."


def _of_three_days(place: Path) -> None:
    for day in ("20220520", "20220617", "20220629"):
        write_raster(place / f"VV_{day}.tif", descriptions=("VV backscatter",), band_tags={"UNIT": "dB"})


@pytest.mark.parametrize(
    "note",
    [
        "Permanent water: water on 20 May 2022 (before the flood).",
        "Permanent water = water on 20 May 2022. Flooded: water on the later date but not on 20 May.",
        "Flooded = water on that day that was not water on 20 May 2022.",
        "A pixel is flooded when it is water on the date and was not on 20 May 2022.",
    ],
)
def test_flooded_is_water_that_was_none_on_the_day_that_notes_tell(tmp_path: Path, note: str) -> None:
    _of_three_days(tmp_path)
    data = _words(tmp_path, f"{WATER}\n{note}")
    vv = Quantity("sigma0_db", having=(("polarisation", "VV"),))
    wet, before = (Beyond(During(vv, times(day)), "below", Number(-16.0, "dB")) for day in ("2022-06-17", "2022-05-20"))
    for said in (FLOODED, FLOODED.replace("flooded", "newly flooded")):
        found = read(said, data).expression
        assert found is not None
        (both,) = (part for _, part in walk(found) if isinstance(part, And))
        assert equal(both, And((wet, Not(Over(before, "time", "any"))))), both


def test_permanent_water_counts_where_it_is_said_to_be_included(tmp_path: Path) -> None:
    _of_three_days(tmp_path)
    data = _words(tmp_path, f"{WATER}\nPermanent water: water on 20 May 2022.")
    wet = "How many km2 had VV below -16 dB on 17 June 2022?"
    under = FLOODED.replace("flooded", "under water")
    for said in (under, FLOODED):
        for more in (" (permanent water included)", ", including permanent water", ", permanent water counted as well"):
            assert_read_as(said.replace("?", f"{more}?"), wet, data)
    share = "% of the area under water on 17 June 2022"
    assert_read_as(f"{share} (all water)", share, data)
    less = under.replace("?", ", leaving out permanent water?")
    found = read(less, data).expression
    assert found is not None
    assert any(isinstance(part, Not) for _, part in walk(found))
    other = "What was the mean VV on 17 June 2022 (permanent water included)?"
    assert read(other, data).expression is None


def test_an_adjective_alone_is_of_what_is_told_before_it(tmp_path: Path) -> None:
    _of_three_days(tmp_path)
    write_raster(tmp_path / "permanent_water.tif", dtype="uint8")
    told = _words(tmp_path, f"{WATER} Flooded = water that is not permanent.")
    found = read(FLOODED, told).expression
    assert found is not None
    again = read(FLOODED, _words(tmp_path, f"{WATER} Flooded = water that is not permanent water.")).expression
    assert again is not None
    assert equal(found, again)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "We call a pixel green when NDVI >= 0.3 and lush when NDVI >= 0.6.",
            {"green": ("at_least", 0.3), "lush": ("at_least", 0.6)},
        ),
        (
            "We call a day a drought when NDVI is below 0.2, severe below 0.1.",
            {"drought": ("below", 0.2), "severe drought": ("below", 0.1)},
        ),
    ],
)
def test_one_sentence_tells_two_words(said: str, wanted: dict[str, tuple[str, float]]) -> None:
    found = dict(noted_meanings([said], DataWords(quantities=frozenset(("ndvi",)))))
    limits = {word: (x.side, x.limit.value) for word, x in found.items() if isinstance(x, Beyond)}
    assert limits == wanted


def test_two_limits_of_one_word_are_no_two_words() -> None:
    said = "We call a pixel green when NDVI is above 0.3 and NDWI is below 0.1."
    assert not dict(noted_meanings([said], DataWords(quantities=frozenset(("ndvi", "ndwi")))))


@pytest.mark.parametrize("said", ["We call a pixel snow when its value is 40 to 100.", "Snow = 40-100."])
def test_a_range_of_numbers_is_of_what_usually_tells_the_word(said: str) -> None:
    data = DataWords(quantities=frozenset(("ndsi", "elevation")), scales={"ndsi": 0.01})
    (found,) = dict(noted_meanings([said], data)).values()
    assert isinstance(found, Beyond)
    assert (found.x, found.side, found.limit, found.upper) == (Quantity("ndsi"), "between", Number(0.4), Number(1.0))


def test_of_a_word_that_nothing_tells_usually_a_range_is_of_nobody_knows_what() -> None:
    data = DataWords(quantities=frozenset(("ndsi", "elevation")))
    assert not dict(noted_meanings(["We call a pixel high when its value is 40 to 100."], data))
