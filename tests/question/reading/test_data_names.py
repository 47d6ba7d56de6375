"""Names that the data bring, and words as people write them: units, bands, methods, clouds."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import Quantity, Several, Split, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

BANDS = ("surface_bidirectional_reflectance",)
DATA = DataWords(
    quantities=frozenset({"ndvi", "bathymetry", "ice_velocity", "pm25_concentration", "sigma0", *BANDS}),
    chosen=(
        Chosen("band", "red", BANDS, ("B04", "B4", "band 4")),
        Chosen("band", "nir08", BANDS, ("B5", "band 5")),
        Chosen("polarisation", "VV", ("sigma0",)),
        Chosen("daynight", "night", ("surface_temperature",)),
    ),
    names=(("bathy", "bathymetry"), ("sea depth", "bathymetry"), ("area", "bathymetry")),
)
RED = "quantity(surface_bidirectional_reflectance, having={'band': 'red'})"
NIR = "quantity(surface_bidirectional_reflectance, having={'band': 'nir08'})"
VV = "quantity(sigma0, having={'polarisation': 'VV'})"
NIGHT = "quantity(surface_temperature, having={'daynight': 'night'})"


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        (
            "Share of the area with NO2 above 150 µmol/m²",
            "over(over(beyond(no2_column, above, '150 umol m-2'), space, share), time, mean)",
            None,
        ),
        (
            "Share of the area with soil moisture below 0.15 m³/m³",
            "over(over(beyond(soil_moisture, below, 0.15), space, share), time, mean)",
            None,
        ),
        (
            "Share of the area with PM2.5 above 35 µg/m3",
            "over(over(beyond(pm25_concentration, above, '35 ug m-3'), space, share), time, mean)",
            None,
        ),
        ("Mean bathy of the scene", "over(bathymetry, space, mean)", None),
        ("Highest depth in km", "over(bathymetry, space, maximum)", "km"),
        ("Mean concentration of chlorophyll per date", "over(split(chlorophyll_a, date), space, mean)", None),
        ("Maximum velocity of ice per date", "over(split(ice_velocity, date), space, maximum)", None),
        ("NO2 column per date in mol m-2", "over(split(no2_column, date), space, mean)", "mol m-2"),
        ("Red reflectance per date", f"over(split({RED}, date), space, mean)", None),
        ("Reflectance of the red band per date", f"over(split({RED}, date), space, mean)", None),
        ("Surface reflectance at red wavelengths per date", f"over(split({RED}, date), space, mean)", None),
        ("Maximum of B4 per date", f"over(split({RED}, date), space, maximum)", None),
        ("Minimum of band 5 per date", f"over(split({NIR}, date), space, minimum)", None),
        ("Near-infrared reflectance per date", f"over(split({NIR}, date), space, mean)", None),
        ("VV backscatter per date", f"over(split({VV}, date), space, mean)", None),
        ("Water area by NDWI per date", "over(split(quantity(water_mask, ndwi), date), space, area)", None),
        ("Water area per date, by MNDWI", "over(split(quantity(water_mask, mndwi), date), space, area)", None),
        ("Trend of the mean PM2.5, per year", "trend(over(pm25_concentration, space, mean), linear)", None),
        ("Share of the area deeper than 20 m", "over(beyond(bathymetry, above, '20 m'), space, share)", None),
        ("Night-time LST per date", f"over(split({NIGHT}, date), space, mean)", None),
        ("LST at night per date", f"over(split({NIGHT}, date), space, mean)", None),
    ],
)
def test_what_people_write_is_read(question: str, expression: str, unit: str | None) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)
    assert found.unit == unit


@pytest.mark.parametrize(
    "question",
    [
        "Mean NDVI concentration",
        "Mean depth of NDVI",
        "Mean NDVI in foo/bar",
        "Green reflectance per date",
        "NDVI of the red band",
        "VH backscatter",
        "Mean NDVI by NDWI",
    ],
)
def test_what_means_nothing_is_asked_back(question: str) -> None:
    assert read(question, DATA).expression is None


CLEAR = "within(during(ndvi, '2020-07-06'), not cloud_mask)"


@pytest.mark.parametrize(
    "question",
    [
        "Leaving out clouds, what was the mean NDVI on 6 July 2020?",
        "What was the mean NDVI on 6 July 2020, ignoring clouds and cloud shadows?",
        "What was the mean NDVI on 6 July 2020, with clouds masked out?",
        "What was the mean NDVI on 6 July 2020? Ignore cloudy pixels.",
        "What was the mean NDVI on 6 July 2020, using only cloud-free pixels?",
        "For cloud-free pixels only, give the mean NDVI on 6 July 2020.",
        "Mean cloud-free NDVI on 6 July 2020",
        "Mean NDVI (cloud-free) on 6 July 2020",
        "Mean NDVI on 6 July 2020 of the pixels that are not cloudy",
        "Mean NDVI of the cloud-free area on 6 July 2020",
    ],
)
def test_clouds_are_left_out_wherever_it_is_said(question: str) -> None:
    wanted, _ = expression_of(f"over(over({CLEAR}, space, mean), time, mean)")
    assert wanted is not None
    found = read(question).expression
    assert found is not None
    assert equal(found, wanted)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("How cloudy was it on 6 July 2020?", "over(over(during(cloud_mask, '2020-07-06'), space, share), time, mean)"),
        ("When was the scene cloudiest?", "extreme(over(split(cloud_mask, date), space, share), highest)"),
        (
            "How much did the mean NDVI change from 7 April 2020 to 6 July 2020, disregarding clouds?",
            f"over(calculate(difference, over({CLEAR}, time, mean), "
            "over(within(during(ndvi, '2020-04-07'), not cloud_mask), time, mean)), space, mean)",
        ),
    ],
)
def test_clouds_are_asked_for_and_left_out_of_each_date(question: str, expression: str) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    found = read(question)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)


def test_no_name_of_data_says_what_is_done_with_them() -> None:
    data = DataWords(frozenset({"precipitation"}), names=(("total precipitation", "precipitation"),))
    wanted, _ = expression_of("show(over(during(precipitation, 2020), time, sum), map)")
    found = read("Map the total precipitation of 2020", data).expression
    assert wanted is not None
    assert found is not None
    assert equal(found, wanted)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("Mean bathymetry of the district", "over(bathymetry, space, mean)"),
        (
            "What percentage of the district has a bathymetry above 5 m?",
            "over(beyond(bathymetry, above, '5 m'), space, share)",
        ),
        ("Mean bathymetry of the districts", "over(within(bathymetry, polygons()), space, mean)"),
        ("Mean bathymetry of each district", "over(split(bathymetry, polygons()), space, mean)"),
    ],
)
def test_one_place_that_the_data_call_nothing_is_the_whole_and_each_is_not(question: str, expression: str) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)
    assert bool(found.whole) == ("the district " in f"{question} ".replace("?", " "))


MAPS = DataWords(
    quantities=frozenset({"land_cover_class"}),
    classes={"land_cover_class": ("Mangrove", "Soybeans", "Open water", "Pasture", "Grassland")},
    objects=("Long Field",),
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Area of mangroves in 2020", "Mangrove"),
        ("Area of mangrove in 2020", "Mangrove"),
        ("Soybean area in 2020", "Soybeans"),
        ("Area of soybeans in 2020", "Soybeans"),
        ("Area of open waters in 2020", "Open water"),
        ("Area of pasture in 2020", "Pasture"),  # which is grassland where the data call nothing so
        ("Area of pastures in 2020", "Pasture"),
        ("Area of meadows in 2020", "grassland"),
    ],
)
def test_classes_of_the_data_are_named_in_any_inflection(question: str, name: str) -> None:
    wanted, faults = expression_of(f"over(is_class(during(land_cover_class, '2020'), ['{name}']), space, area)")
    assert wanted is not None, faults
    found = read(question, MAPS)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)


def test_names_of_places_are_not_inflected() -> None:
    assert read("Area of mangroves in the long fields in 2020", MAPS).expression is None


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "What was the mean sea level anomaly in August 2019?",
            "over(over(during(sea_level_anomaly, '2019-08'), space, mean), time, mean)",
        ),
        (
            "Which month had the highest sea level anomaly?",
            "extreme(over(split(over(sea_level_anomaly, space, mean), month), time, mean), highest)",
        ),
        ("What was the total rain in 2020?", "over(over(during(precipitation, 2020), space, mean), time, sum)"),
    ],
)
def test_a_name_of_the_data_that_holds_a_word_of_an_operator_is_one_name(question: str, expression: str) -> None:
    """``anomaly`` is nothing that is done to a sea level that nobody knows; ``total`` is something done to rain."""
    expected, faults = expression_of(expression)
    found = read(question, DataWords(quantities=frozenset({"sea_level_anomaly", "precipitation"}))).expression
    assert expected is not None, faults
    assert found is not None
    assert equal(found, expected)
    if "anomaly" in question:
        assert read(question).expression is None, "where no data are of it, nothing is taken for its name"


LEVELS = DataWords(
    quantities=frozenset({"sea_level_anomaly", "soil_loss", "alt__m"}),
    called=(("alt__m", ("alt",)), ("alt__m", ("active", "thickness"))),
)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("Mean anomaly in May 2020", "over(over(during(sea_level_anomaly, '2020-05'), space, mean), time, mean)"),
        ("Which month of 2020 had the highest sea level?", "Which month of 2020 had the highest sea level anomaly?"),
        ("What was the median sea level anomaly in May 2020?", "What was the median anomaly in May 2020?"),
        ("What was the mean loss in 2021?", "over(over(during(soil_loss, '2021'), space, mean), time, mean)"),
        ("Mean active layer thickness in 2015", "over(over(during(alt__m, '2015'), space, mean), time, mean)"),
        ("Maximum thickness in 2015", "over(over(during(alt__m, '2015'), space, maximum), time, maximum)"),
    ],
)
def test_the_noun_at_the_end_of_a_name_is_one(question: str, expression: str) -> None:
    wanted = expression_of(expression)[0] or read(expression, LEVELS).expression
    found = read(question, LEVELS)
    assert found.expression is not None, found
    assert wanted is not None
    assert equal(found.expression, wanted)


def test_a_noun_that_two_names_end_in_is_none() -> None:
    two = DataWords(quantities=frozenset({"soil_loss", "sea_level_anomaly", "yield_loss__1"}))
    assert not read("What was the mean loss in 2021?", two).candidates()


@pytest.mark.parametrize(
    ("data", "ground"),
    [
        (DataWords(quantities=frozenset({"gsw__class"}), classes={"gsw__class": ("not water", "water")}),
         "is_class(gsw__class, ['water'])"),
        (DataWords(quantities=frozenset({"water__1", "precipitation"})), "beyond(water__1, above, 0)"),
        (DataWords(quantities=frozenset({"flood_mask", "elevation"})), "flood_mask"),
        (DataWords(quantities=frozenset({"surface_bidirectional_reflectance", "land_cover_class"}),
                   classes={"land_cover_class": ("Water",)}), "water_mask"),
    ],
)  # fmt: skip
def test_water_is_what_the_data_hold_of_it(data: DataWords, ground: str) -> None:
    found = read("How many hectares of open water were there in May 2020?", data).expression
    wanted, faults = expression_of(ground)
    assert wanted is not None, faults
    assert found is not None
    kinds = [part for _, part in walk(found) if type(part) is type(wanted)]
    assert {getattr(one, "names", None) for one in kinds} >= {getattr(wanted, "names", None)}
    assert {one.kind for _, one in walk(found) if isinstance(one, Quantity)} == {
        one.kind for _, one in walk(wanted) if isinstance(one, Quantity)
    }


def test_what_is_burned_is_what_the_map_of_severity_calls_so() -> None:
    classes = {"class_label": ("Unburned", "Low severity", "High severity")}
    held = DataWords(quantities=frozenset({"class_label", "soil_loss", *BANDS}), classes=classes)
    found = read("Mean soil loss on burned land", held).expression
    wanted, _ = expression_of("over(within(soil_loss, not(is_class(class_label, ['Unburned']))), space, mean)")
    assert found is not None
    assert wanted is not None
    assert str(wanted.x.where) in str(found)  # type: ignore[attr-defined]  # over is of within


def test_of_each_year_that_is_told_there_is_one_value() -> None:
    found = read("Give the annual mean sea level anomaly for 2019 and for 2020", LEVELS).expression
    assert isinstance(found, Several)
    assert [name for name, _ in found.named] == ["2019", "2020"]
    assert not any(isinstance(part, Split) for _, part in walk(found))


def test_names_are_read_with_other_accents_and_with_words_that_mean_nothing_else() -> None:
    data = DataWords(
        frozenset({"ndvi"}),
        objects=("Can Tho", "Öreghegy"),
        keys=(("alcaldia", "objects"), ("alcaldias", "objects")),
        features=(FeatureLayer(None, 2, ("alcaldia", "alcaldias"), ("Can Tho", "Öreghegy"), (), ()),),
    )
    for said, other in (
        ("Mean NDVI of Can Tho", "over(over(within(ndvi, polygons(['Can Tho'])), space, mean), time, mean)"),
        ("Mean NDVI of Oreghegy", "over(over(within(ndvi, polygons(['Öreghegy'])), space, mean), time, mean)"),
    ):
        found = read(said, data).expression
        assert found is not None
        assert equal(found, expression_of(other)[0])
    assert read("Which of the alcaldías has the highest NDVI?", data).expression is not None
