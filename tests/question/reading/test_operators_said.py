"""Operators as people say them: how far extremes lie apart, what holds at two times, changes in relation to what there
was, which of some that are named, what comes in a year."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import Expression, Quantity, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import LAYERS, Chosen, DataWords

DATA = DataWords(
    frozenset({
        *("ndvi", "elevation", "surface_temperature", "precipitation", "water_mask", "built_up_fraction"),
        *("land_cover_class", "population_count", "flood_depth", "soil_organic_carbon"),
    }),
    classes={"land_cover_class": ("forest", "cropland", "grassland")},
    objects=("Altmarkt", "Neustadt", "Mill"),
    keys=(("district", "objects"), ("districts", "objects"), ("land cover class", "classes")),
    dates=tuple(date(year, month, 15) for year in (2020, 2021) for month in (4, 6, 8)),
    maps={"ndvi": 6, "surface_temperature": 6, "precipitation": 6, "water_mask": 6, "land_cover_class": 1},
    chosen=(
        *(Chosen("height", f"{a}-{b} cm", ("soil_organic_carbon",), (f"{a}-{b} cm",)) for a, b in ((0, 5), (5, 15))),
        Chosen(LAYERS, "0-5 cm, 5-15 cm", ("soil_organic_carbon",), ("0-15 cm", "top 15 cm")),
    ),
)  # fmt: skip
OUTLINES = DataWords(
    frozenset({"elevation"}),
    objects=("Allalin", "Rhone"),
    keys=(("glacier", "objects of outlines_{year}"), ("outlines", "objects of outlines_{year}")),
    features=(
        FeatureLayer(
            "outlines_{year}", 2, ("glacier", "glaciers"), ("Allalin", "Rhone"), (), (), versions=(2000, 2020)
        ),
    ),
)


def _read(said: str, data: DataWords = DATA) -> Expression:
    found = read(said, data)
    assert found.expression is not None, found
    return found.expression


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("What is the range of the elevation, highest minus lowest, in m?", "What is the range of elevation in m?"),
        ("What is the height difference between the highest and the lowest ground?", "What is the range of elevation?"),
        ("How many metres lie between the lowest and the highest point?", "What is the range of elevation?"),
        ("How much higher is the highest point than the lowest, in m?", "What is the range of elevation in m?"),
        ("Elevation range of the area in m (max - min)", "What is the range of elevation in m?"),
        (
            "What share of the forest in Altmarkt was under water in 2020?",
            "What share of the forest was under water in Altmarkt in 2020?",
        ),
        (
            "How much hotter was the hottest district than the coolest on 15 June 2021?",
            "What is the difference between the hottest and the coolest district on 15 June 2021?",
        ),
        (
            "By how many kelvin did the hottest district on 15 June 2021 differ from the coolest?",
            "What is the difference between the hottest and the coolest district on 15 June 2021?",
        ),
        (
            "How many hectares had NDVI above 0.6 in June 2021 but below 0.4 in August 2021?",
            "How many hectares had NDVI above 0.6 in June 2021 and NDVI below 0.4 in August 2021?",
        ),
        (
            "What area was hotter than 40 °C on 15 June 2021 but cooler than 30 °C on 15 August 2021?",
            "What area was hotter than 40 °C on 15 June 2021 and cooler than 30 °C on 15 August 2021?",
        ),
        (
            "What percentage of the land that was water in 2020 was dry again in 2021?",
            "What share of the water of 2020 was no longer water in 2021?",
        ),
        (
            "How much of the 2020 water was water again in 2021?",
            "How much of the water of 2020 was still water in 2021?",
        ),
        (
            "How much of the water of 2020 was water in 2021, in ha?",
            "How many hectares were water in 2020 and still water in 2021?",
        ),
        ("Which class covers more area, forest or cropland?", "Which had the larger area, cropland or forest?"),
        (
            "Which district was hotter on 15 June 2021: Altmarkt or Neustadt?",
            "Which had the higher surface temperature on 15 June 2021, Altmarkt or Neustadt?",
        ),
        (
            "In which district did the water shrink the most, relatively, from 2020 to 2021?",
            "In which district did the water shrink the most in relative terms, 2020 to 2021?",
        ),
        (
            "How many people live where more than 80 % of the ground is sealed?",
            "How many people live where the sealing is above 80 %?",
        ),
        (
            "How many people live on ground that is sealed by more than 80 %?",
            "How many people live where the sealing is above 80 %?",
        ),
        (
            "On average, how many hectares were water each year?",
            "How many hectares were under water each year on average?",
        ),
        ("Area-weighted mean surface temperature in June 2021", "Mean surface temperature in June 2021"),
        ("What was the mean NDVI in our files?", "What was the mean NDVI?"),
        ("Rain of 2021 at the Mill, all months added up", "Total rain of the Mill in 2021"),
        (
            "Map how much less soil organic carbon there is at 5-15 cm than at 0-5 cm",
            "Map the soil organic carbon at 0-5 cm minus that at 5-15 cm",
        ),
        (
            "Map the soil organic carbon difference between 0-5 cm and 5-15 cm",
            "Map the soil organic carbon at 0-5 cm minus that at 5-15 cm",
        ),
        (
            "Mean soil organic carbon over 0-15 cm, weighted by layer thickness",
            "What is the mean soil organic carbon of the top 15 cm?",
        ),
    ],
)  # fmt: skip
def test_what_is_said_otherwise_is_the_same(said: str, other: str) -> None:
    assert equal(_read(said), _read(other))


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        (
            "How many hectares had NDVI above 0.6 in June 2021 but below 0.4 in August 2021?",
            "over(beyond(over(during(ndvi, '2021-06'), time, mean), above, 0.6) and "
            "beyond(over(during(ndvi, '2021-08'), time, mean), below, 0.4), space, area)",
        ),
        (
            "How many hectares were under water each year on average?",
            "over(over(over(split(water_mask, year), time, any), space, area), time, mean)",
        ),
        (
            "Mean soil organic carbon of the top 15 cm",
            "over(over(calculate(ratio, calculate(sum, "
            "calculate(product, quantity(soil_organic_carbon, having={'height': '0-5 cm'}), 5), "
            "calculate(product, quantity(soil_organic_carbon, having={'height': '5-15 cm'}), 10)), 15), "
            "space, mean), time, mean)",
        ),
        (
            "What is the linear warming trend of the area mean, 2020-2021, in K per year?",
            "trend(over(during(surface_temperature, '2020-01-01/2021-12-31'), space, mean), linear)",
        ),
    ],
)
def test_what_is_said_is_this(said: str, expression: str) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    assert equal(_read(said), wanted)


@pytest.mark.parametrize(
    "said",
    [
        "Where it floods at all, how deep is the water on average?",
        "How deep is the water on average where it floods?",
        "Where the land is flooded, what is the mean flood depth?",
        "What is the mean flood depth where there is any flood?",
    ],
)
def test_what_is_asked_where_something_is_is_a_number_of_that_ground(said: str) -> None:
    floods = DataWords(frozenset({"flood_depth"}))
    wanted = "What is the mean flood depth where the flood depth is above 0 m?"
    assert equal(_read(said, floods), _read(wanted, floods))


def test_what_holds_the_most_on_average_has_the_most_in_its_mean() -> None:
    snow = replace(DATA, quantities=frozenset({"snow_water_equivalent"}))
    most, mean = "Which district held the most snow water{}?", "Which district had the highest mean snow water?"
    assert equal(_read(most.format(" on average"), snow), _read(mean, snow))
    assert not equal(_read(most.format(""), snow), _read(mean, snow))


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "How much area did the Allalin glacier lose between the 2000 and the 2020 outlines, in km2?",
            "How much smaller was Allalin in 2020 than in 2000, in km2?",
        ),
        (
            "Which glacier shrank the most in relative terms, 2000 to 2020?",
            "Which glacier lost the largest share of its area from 2000 to 2020?",
        ),
        (
            "What percentage of its area did Rhone lose between 2000 and 2020?",
            "By how many percent did Rhone shrink from 2000 to 2020?",
        ),
        ("Which glacier shrank the most from 2000 to 2020?", "Which glacier lost the most area from 2000 to 2020?"),
    ],
)
def test_what_has_outlines_of_years_changes_with_them(said: str, other: str) -> None:
    assert equal(_read(said, OUTLINES), _read(other, OUTLINES))


def test_a_severity_is_that_of_the_map_of_classes() -> None:
    fire = DataWords(
        frozenset({"nbr", "severity__class"}),
        classes={"severity__class": ("unburned", "low", "high")},
        keys=(("severity", "classes of severity__class"),),
    )
    found = _read("What share of the area burned at high severity?", fire)
    assert "dnbr" not in {part.kind for _, part in walk(found) if isinstance(part, Quantity)}


@pytest.mark.parametrize(
    "said",
    [
        "How much colder is the warmest district than the coolest on 15 June 2021?",
        "Which has less forest, forest or cropland?",
        "Mean clay of the top 15 cm",
    ],
)
def test_what_makes_no_sense_so_is_not_read(said: str) -> None:
    assert read(said, DATA).expression is None
