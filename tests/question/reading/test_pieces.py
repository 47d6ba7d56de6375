"""Questions whose pieces stand in an order that no rule has, remarks beside them, and notes on signs."""

from __future__ import annotations

import random
from datetime import date
from itertools import permutations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal, normal
from knowflow.question.operators import Attribute, Number, Polygons, walk
from knowflow.question.reading.asked_anyway import holds_anyway
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read, read_by_rules
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.remarks import without_remarks
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words

DATA = DataWords(
    frozenset({"ndvi", "elevation", "land_cover_class", "canopy_height", "precipitation", "built_up_fraction"}),
    classes={"land_cover_class": ("forest", "cropland", "grassland")},
    objects=("Neudorf", "Weinsberg"),
    keys=(("district", "objects"), ("districts", "objects"), ("land cover", "classes")),
    dates=tuple(date(year, 7, 5) for year in (2018, 2020, 2023)),
    maps={"ndvi": 3},
    features=(FeatureLayer(None, 2, ("district", "districts"), ("Neudorf", "Weinsberg"), (), ()),),
)


def _told(reading: Reading) -> str:
    return str([reading.in_words(one) for one in reading.candidates()] or (reading.unread, reading.apart))


def _outcomes(text: str, other: str, data: DataWords = DATA) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
    """What two questions are in words, in their normal form, each with its unit."""
    readings = (read(text, data), read(other, data))
    first, second = (
        (_told(one) if one.expression is None else in_words(normal(one.expression)), one.unit) for one in readings
    )
    assert readings[1].expression is not None, other
    return first, second


PIECES = ("mean NDVI", "in 2020", "in the forest", "above 300 m elevation")


@pytest.mark.parametrize("seed", range(40))
def test_pieces_mean_the_same_in_any_order_and_in_brackets(seed: int) -> None:
    rng = random.Random(seed)
    order = rng.sample(list(permutations(PIECES[1:])), 1)[0]
    marked = [f"({piece})" if rng.random() < 0.5 else piece for piece in order]
    at = rng.randrange(len(marked) + 1)
    said = " ".join([*marked[:at], PIECES[0], *marked[at:]])
    found, wanted = _outcomes(said, "mean NDVI in the forest above 300 m elevation in 2020")
    assert found == wanted, said


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many hectares of forest do we have on the land cover map?", "How many hectares of forest are there?"),
        ("share of the area with land cover forest (%)", "What share of the area in percent is forest?"),
        ("average canopy height (only where there is forest)", "What is the mean canopy height in the forest?"),
        ("Which district has the highest mean NDVI (2020 map)?", "Which district has the highest mean NDVI in 2020?"),
        ("Which district (mean NDVI in 2020) is at the lowest?", "Which district had the lowest mean NDVI in 2020?"),
        (
            "Mean NDVI of the forest (2020) in each district",
            "What is the mean NDVI of the forest per district in 2020?",
        ),
    ],
)
def test_what_is_named_again_or_said_behind_is_part_of_it(said: str, other: str) -> None:
    found, wanted = _outcomes(said, other)
    assert found == wanted


@pytest.mark.parametrize(
    "said",
    [
        "mean NDVI in 2018 in 2020",  # two times
        "mean NDVI (not the forest)",  # a word with a force of its own
        "mean NDVI or the elevation in 2020",
        "Which of the forest had the best NDVI in 2020?",  # of which: nothing tells what is chosen
        "mean NDVI in 2020 (canopy height)",  # named again, and not in it
        "mean NDVI of the forest at 40 m elevation",  # exactly so much is nothing to restrict by
        "the distance to the forest above 300 m elevation (NDVI above 0.5)",
    ],
)
def test_what_pieces_do_not_settle_is_asked_back(said: str) -> None:
    reading = read(said, DATA)
    assert reading.expression is None, _told(reading)


def test_rules_alone_put_nothing_together() -> None:
    said = "How many hectares of forest do we have on the land cover map?"
    assert (read(said, DATA).expression is None, read_by_rules(said, DATA).expression is None) == (False, True)


QUESTION = "What is the mean NDVI of the forest?"
REMARKS = (
    "Those are the slopes that I am most worried about.",
    "The control team wants to know where to begin.",
    "We promised it to the council.",
    "I wonder.",
)
BINDING = (
    "We want it only where it is steep.",
    "We need the cropland, too.",
    "I want 2020.",
    "Those are above 0.5.",
    "We count what is above 300 m.",
    "We are only interested in districts.",
    "Show it as a map.",
    "The mean is useful.",
)


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("form", ["{question} {remark}", "{remark} {question}"])
def test_a_remark_is_put_aside_and_told(form: str, remark: str) -> None:
    reading = read(form.format(question=QUESTION, remark=remark), DATA)
    assert reading.expression == read(QUESTION, DATA).expression
    assert reading.aside == (remark,)
    assert reading.to_json()["aside"] == [remark]


@pytest.mark.parametrize("said", BINDING)
def test_a_sentence_that_may_mean_something_is_none(said: str) -> None:
    assert without_remarks(f"{QUESTION} {said}", DATA) == (f"{QUESTION} {said}", ())


DROP = "over(calculate(difference, {0}, {1}), space, mean)"
OF = {year: f"over(during(ndvi, {year}), time, mean)" for year in (2018, 2023)}


@pytest.mark.parametrize(
    ("note", "first"),
    [
        ("(negative where it fell)", 2023),
        ("(positive = gain)", 2023),
        ("(minus = greenness lost)", 2023),
        ("(positive number = drop)", 2018),
        ("(negative means that it rose)", 2018),
        ("(plus where it is greener)", 2023),
    ],
)
@pytest.mark.parametrize("asked", ["mean NDVI change from 2018 to 2023", "How much did NDVI drop from 2018 to 2023?"])
def test_a_difference_has_the_sign_that_is_told(asked: str, note: str, first: int) -> None:
    reading = read(f"{asked} {note}", DATA)
    wanted = expression_of(DROP.format(OF[first], OF[4041 - first]))[0]
    assert reading.expression is not None, _told(reading)
    assert wanted is not None
    assert equal(reading.expression, wanted), _told(reading)


def test_columns_are_called_by_their_words_and_attributes_are_ranked() -> None:
    numbers = (("claim", "claim_2023_eur", "1"), ("claims", "claim_2023_eur", "1"))
    layer = FeatureLayer(None, 3, ("policy", "policies"), ("P-1", "P-2"), (), numbers)
    data = DataWords(frozenset({"ndvi"}), keys=(("policy", "objects"), ("policies", "objects")), features=(layer,))
    found = read("Which policy has the largest claim?", data).expression
    assert found is not None
    assert Attribute(Polygons(), "claim_2023_eur") in [part for _, part in walk(found)]


SNOW = DataWords(
    frozenset({"snow_depth", "elevation"}),
    keys=(("piste", "objects"), ("pistes", "objects")),
    objects=("Familie",),
    dates=(date(2024, 12, 20), date(2025, 2, 20)),
    maps={"snow_depth": 2},
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("mean snow depth above 2000 m on 20 February", "mean snow depth on 20 February 2025 above 2000 m elevation"),
        (
            "Which piste had the least snow on 20 December?",
            "Which piste had the lowest mean snow depth on 20 December 2024?",
        ),
        (
            "Which piste had the most snow on 20 December?",
            "Which piste had the highest mean snow depth on 20 December 2024?",
        ),
        ("How much snow was there on average in Familie?", "What is the mean snow depth in Familie?"),
    ],
)
def test_how_much_there_is_of_what_is_measured_and_numbers_that_are_no_years(said: str, other: str) -> None:
    found, wanted = _outcomes(said, other, SNOW)
    assert found == wanted


BURN = DataWords(
    frozenset({"class_label", "land_cover_class", "coherence"}),
    classes={"class_label": ("unburned", "low", "high"), "land_cover_class": ("pine forest",)},
)


@pytest.mark.parametrize(
    ("said", "unit"),
    [("share of the area with coherence below 0.4, %", "%"), ("area with coherence below 0.4, ha", "ha")],
)
def test_a_unit_behind_a_number_and_a_comma_is_that_of_the_answer(said: str, unit: str) -> None:
    reading = read(said, BURN)
    assert reading.expression is not None
    assert Number(0.4) in [part for _, part in walk(reading.expression)]
    assert reading.unit == unit


def test_what_the_classes_of_the_ground_tell_already_is_not_asked() -> None:
    for text in ("over(within({0}, {1}), space, share)",):
        for held in ("is_class(class_label, ['high'])", "not(is_class(class_label, ['unburned']))"):
            told = expression_of(text.format(held, "is_class(class_label, ['high'])"))[0]
            open_ = expression_of(text.format(held, "is_class(land_cover_class, ['pine forest'])"))[0]
            assert told is not None
            assert open_ is not None
            assert (holds_anyway(told), holds_anyway(open_)) == (True, False)
    water = "is_class(during(land_cover_class, '2021-04'), ['water'])"
    dated = expression_of(f"over(within({water}, is_class(land_cover_class, ['meadow'])), space, share)")[0]
    assert dated is not None
    assert holds_anyway(dated, {"land_cover_class": 1})
    assert not holds_anyway(dated, {"land_cover_class": 2})


def test_an_average_of_the_area_is_of_the_ground_alone() -> None:
    data = DataWords(frozenset({"precipitation"}), maps={"precipitation": 12})
    found = [
        read(f"Annual rainfall 2022{told}", data) for told in ("", ", average of the area", ", mean over the area")
    ]
    assert found[0].expression is not None
    assert {one.expression for one in found} == {found[0].expression}


FLIGHTS = DataWords(
    frozenset({"snow_water_equivalent", "flood_mask"}),
    objects=("wheat", "beet"),
    keys=(("parcel", "objects"), ("parcels", "objects")),
    dates=tuple(date(2023, month, 5) for month in range(1, 7)),
    features=(FeatureLayer(None, 2, ("parcel", "parcels"), ("wheat", "beet"), (), ()),),
)


@pytest.mark.parametrize(
    "asked",
    [
        "What was the snow density in May 2023?",  # no noun of how much water it holds
        "What was the snow concentration in May 2023?",
        "What was the depth of the snow in May 2023?",
        "Which wheat parcel had the lowest mean snow water equivalent?",  # others touch its pixels
        "mean snow water equivalent per parcel in the polygon wheat",
    ],
)
def test_what_is_another_thing_than_the_data_hold_is_not_read_as_what_they_hold(asked: str) -> None:
    assert not read(asked, FLIGHTS).candidates()


def test_so_many_of_the_months_are_counted_and_no_share() -> None:
    found = read("area in ha that was flooded in at least four of the months", FLIGHTS)
    assert found.expression is not None
    assert "the number of months" in found.in_words(found.expression)
    half = read("area in ha that was flooded in at least 50 % of the months", FLIGHTS)
    assert half.expression is not None
    assert "the share of months" in half.in_words(half.expression)


@pytest.mark.parametrize(
    "asked",
    [
        "area in ha that was flooded in four months",  # in four, or in four or more
        "area flooded in exactly three months",
        "on how many dates was the share of flooded area above 40?",  # that is 40 %, and no share is 40
    ],
)
def test_limits_that_nothing_can_be_beyond_are_not_read(asked: str) -> None:
    assert not read(asked, FLIGHTS).candidates()


FLOOD = DataWords(
    frozenset({"flood_mask", "elevation", "population_count", "surface_temperature"}),
    objects=("Jao", "Duba"),
    keys=(("camp", "objects of camps"), ("camps", "objects of camps")),
    dates=tuple(date(2023, month, 1) for month in (3, 4, 5)),
    maps={"flood_mask": 3, "surface_temperature": 3, "population_count": 1},
    spots=(("camp", "objects of camps"), ("camps", "objects of camps")),
    features=(FeatureLayer("camps", 2, ("camp", "camps"), ("Jao", "Duba"), (), ()),),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("mean elevation of the ground that was flooded in April", "mean elevation of the ground flooded in April"),
        ("people living where it was hotter than 38 °C", "population where the surface was hotter than 38 °C"),
        ("For how many months was Jao camp flooded?", "In how many months was Jao flooded?"),
        ("hectares flooded in every one of the three months", "hectares flooded in all three months"),
        ("hectares flooded in every single month", "hectares flooded in all three months"),
        ("hectares flooded on at least one of the dates", "hectares flooded on at least one date"),
        ("Which of the camps stands on the highest ground?", "Which camp has the highest elevation?"),
        ("Which camp was the nicest in May (highest mean surface temperature)?",
         "Which camp had the highest mean surface temperature in May?"),
        ("flood-free area in May", "area free of flood in May"),
    ],
)  # fmt: skip
def test_clauses_have_the_time_beside_them_and_words_what_explains_them(said: str, other: str) -> None:
    found, wanted = _outcomes(said, other, FLOOD)
    assert found == wanted


@pytest.mark.parametrize(
    ("held", "said", "other"),
    [
        ("no2_concentration", "mean NO2", "mean NO2 concentration"),
        ("slope_percent", "area with a slope below 5 %", "area with a slope percent below 5 %"),
        ("line_of_sight_displacement", "mean displacement", "mean line of sight displacement"),
    ],
)
def test_what_the_data_hold_is_called_by_a_part_of_its_name(held: str, said: str, other: str) -> None:
    data = DataWords(frozenset({held}), maps={held: 1})
    found, wanted = _outcomes(said, other, data)
    assert found == wanted
    assert held.replace("_", " ") in found[0]


def test_the_highest_of_what_is_the_highest_itself_is_asked_back() -> None:
    data = DataWords(frozenset({"bathymetry"}), maps={"bathymetry": 1}, stated=(("bathymetry", "maximum"),))
    assert len(read("max water depth", data).alike) == 2
    assert len(read("mean max water depth", data).candidates()) == 1


@pytest.mark.parametrize(
    "note", [", loss as negative numbers", " (a loss should be negative)", ". Negative where it fell"]
)
def test_notes_of_a_sign_need_no_brackets(note: str) -> None:
    asked = "By what percentage did the forest area change from 2018 to 2023"
    found, wanted = _outcomes(asked + note, asked)
    assert found == wanted


SITES = DataWords(
    frozenset(
        {"ndvi", "soil_moisture", "elevation", "surface_temperature", "vegetation_health_index", "land_cover_class"}
    ),
    classes={"land_cover_class": ("forest", "maize")},
    objects=("Neudorf", "Weinsberg"),
    keys=(("hut", "objects"), ("huts", "objects")),
    dates=tuple(date(2023, month, 1) for month in (3, 4, 5)),
    maps={"ndvi": 3, "vegetation_health_index": 3, "surface_temperature": 3, "soil_moisture": 3},
    spots=(("hut", "objects"), ("huts", "objects")),
    features=(FeatureLayer(None, 2, ("hut", "huts"), ("Neudorf", "Weinsberg"), (), ()),),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Total favourable breeding area (NDVI > 0.15 and soil moisture > 0.08), km2",
         "area with NDVI above 0.15 and soil moisture above 0.08 in km2"),
        ("What area (ha) of forest lies above 300 m?", "What area of forest lies above 300 m, in ha?"),
        ("Red flags: area with NDVI above 0.6", "area with NDVI above 0.6"),
        ("Which of the huts is highest?", "Which hut has the highest elevation?"),
        ("Which hut stands on the hottest ground?", "Which hut is the hottest?"),
        ("mean warmth (surface temperature) in May", "mean surface temperature in May"),
        ("mean NDVI per hut as a table", "table of mean NDVI per hut"),
        ("area with VHI under 40", "area with VHI below 40 %"),
        ("mean NDVI over our map in May", "mean NDVI in May"),
    ],
)  # fmt: skip
def test_words_that_what_follows_explains_and_numbers_that_nothing_is(said: str, other: str) -> None:
    found, wanted = _outcomes(said, other, SITES)
    assert found == wanted


def test_words_that_nothing_explains_stay_unread() -> None:
    assert read("Total favourable breeding area in km2", SITES).unread == ("favourable", "breeding")
    assert read("What was the murkiest quarter (see the file of Anna)?", SITES).unread


def test_words_that_are_explained_are_told() -> None:
    assert read("favourable breeding area (NDVI above 0.2) in km2", SITES).explained == ("favourable breeding",)


def test_a_share_of_a_class_in_a_place_is_of_the_place() -> None:
    found, wanted = _outcomes("share of maize in Neudorf", "What share of Neudorf is maize?", SITES)
    assert found[0] == wanted[0]
    assert (
        read("What share of the maize lies in Neudorf?", SITES).expression
        != read("share of maize in Neudorf", SITES).expression
    )


def test_no_key_is_asked_for_but_the_one_behind_the_word_that_asks() -> None:
    assert read("Which district had the lowest precipitation in a year?", DATA).expression is None
