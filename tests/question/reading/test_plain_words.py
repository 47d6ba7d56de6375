"""Plain words of practitioners: where something is so, what contains an extreme, which of several Julys, several
statistics at once, verbs of what was there."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.operators import walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DATES = tuple(date(year, month, 1) for year in range(2018, 2023) for month in (6, 7, 8))
_DATA = DataWords(
    frozenset(
        {"precipitation", "ndvi", "elevation", "air_temperature", "canopy_height", "snow_mask", "evi", "chlorophyll_a"}
        | {"land_cover_class"}
    ),
    classes={"land_cover_class": ("Forest", "Rice", "Wetland")},
    objects=("Upper", "Lower"),
    dates=_DATES,
    keys=(("ward", "objects"),),
    years={"land_cover_class": (2018, 2020)},
)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "On how many dates was NDVI above 0.6 somewhere?",
            "over(beyond(over(ndvi, space, maximum), above, 0.6), time, count)",
        ),
        (
            "On which dates did NDVI fall below 0.1 anywhere?",
            "holds(beyond(over(ndvi, space, minimum), below, 0.1))",
        ),
        (
            "What was the highest NDVI recorded anywhere?",
            "over(over(ndvi, space, maximum), time, maximum)",
        ),
        (
            "On how many dates was NDVI above 0.6 in more than half of the area?",
            "over(beyond(over(beyond(ndvi, above, 0.6), space, share), above, '50 %'), time, count)",
        ),
        (
            "Which ward contains the highest point?",
            "extreme(over(split(elevation, polygons()), space, maximum), highest)",
        ),
        (
            "Which July was the greenest?",
            "extreme(over(split(over(during(ndvi, july), space, mean), month), time, mean), highest)",
        ),
        (
            "Which of the months was the first to be green?",
            "",
        ),
        (
            "What are the mean and standard deviation of NDVI for each ward?",
            "several({'mean': over(over(split(ndvi, polygons()), space, mean), time, mean), 'deviation': "
            "over(over(split(ndvi, polygons()), space, deviation), time, mean)})",
        ),
        (
            "When was the snow at its greatest extent?",
            "extreme(over(snow_mask, space, area), highest)",
        ),
        (
            "On what date did Upper reach its peak NDVI?",
            "extreme(over(within(ndvi, polygons('Upper')), space, mean), highest)",
        ),
        (
            "What share of the area was planted with rice in 2020, in per cent?",
            "over(is_class(during(land_cover_class, '2020'), ['Rice']), space, share)",
        ),
        (
            "How many hectares of rice were grown in 2020?",
            "over(is_class(during(land_cover_class, '2020'), ['Rice']), space, area)",
        ),
        (
            "What percentage of the forest is taller than 10 m?",
            "over(over(within(beyond(canopy_height, above, '10 m'), is_class(land_cover_class, ['forest'])), "
            "space, share), time, mean)",
        ),
        (
            "What was the most widespread class in 2018?",
            "extreme(over(during(land_cover_class, '2018'), space, area), highest)",
        ),
        (
            "What share of the wetland is within the wards?",
            "calculate(ratio, over(within(is_class(land_cover_class, ['wetland']), polygons()), space, area), "
            "over(is_class(land_cover_class, ['wetland']), space, area))",
        ),
        (
            "First date on which more than 3 km2 were snow",
            "over(beyond(over(snow_mask, space, area), above, '3 km2'), time, first)",
        ),
        (
            "Correlate monthly NDVI with monthly chlorophyll",
            "correlate(over(split(over(ndvi, space, mean), month), time, mean), over(split(over(chlorophyll_a, "
            "space, mean), month), time, mean), time)",
        ),
        (
            "Was 2020 wetter than 2019?",
            "beyond(over(over(during(precipitation, '2020'), space, mean), time, sum), above, "
            "over(over(during(precipitation, '2019'), space, mean), time, sum))",
        ),
        (
            "How does the mean NDVI of Upper compare with that of Lower in 2020?",
            "several({'first': over(over(within(during(ndvi, '2020'), polygons('Upper')), space, mean), time, mean), "
            "'second': over(over(within(during(ndvi, '2020'), polygons('Lower')), space, mean), time, mean), "
            "'difference': calculate(difference, "
            "over(over(within(during(ndvi, '2020'), polygons('Upper')), space, mean), time, mean), "
            "over(over(within(during(ndvi, '2020'), polygons('Lower')), space, mean), time, mean))})",
        ),
        (
            "What was the highest NDVI, and when?",
            "several({'value': over(over(ndvi, space, maximum), time, maximum), "
            "'date': extreme(over(ndvi, space, maximum), highest)})",
        ),
        (
            "How has the forest area developed since 2018?",
            "over(is_class(split(during(land_cover_class, '2018-01-01/..'), year), ['forest']), space, area)",
        ),
        (
            "Mean elevation of the snow on 1 June 2021",
            "over(within(elevation, over(during(snow_mask, '2021-06-01'), time, any)), space, mean)",
        ),
        (
            "How strong is the relationship between annual rainfall and NDVI?",
            "correlate(over(split(over(precipitation, space, mean), year), time, sum), "
            "over(split(over(ndvi, space, mean), year), time, mean), time)",
        ),
        (
            "Which was the wettest month of 2020?",
            "extreme(over(split(over(during(precipitation, '2020'), space, mean), month), time, sum), highest)",
        ),
        (
            "What share of the forest lies on slopes over 20 degrees?",
            "over(within(beyond(slope, above, '20 degree'), is_class(land_cover_class, ['forest'])), space, share)",
        ),
        (
            "Share of each land cover class in 2018",
            "calculate(ratio, over(during(land_cover_class, '2018'), space, area), "
            "over(over(during(land_cover_class, '2018'), space, area), classes, sum))",
        ),
        (
            "Mean NDVI of the wettest year",
            "over(over(during(ndvi, extreme(over(split(over(precipitation, space, mean), year), time, sum), highest)), "
            "space, mean), time, mean)",
        ),
        (
            "In which wards did NDVI drop below 0.3 at any time?",
            "holds(beyond(over(over(split(ndvi, polygons()), space, mean), time, minimum), below, 0.3))",
        ),
        (
            "Total forest area per ward in hectares",
            "over(split(is_class(land_cover_class, ['forest']), polygons()), space, area)",
        ),
        (
            "Mean NDVI in spring and in autumn 2021",
            "several({'spring 2021': over(over(during(ndvi, 'spring 2021'), space, mean), time, mean), "
            "'autumn 2021': over(over(during(ndvi, 'autumn 2021'), space, mean), time, mean)})",
        ),
        (
            "Which ward has the highest variability in NDVI?",
            "extreme(over(over(split(ndvi, polygons()), space, deviation), time, mean), highest)",
        ),
        (
            "By how many mm per year did rainfall change?",
            "trend(over(precipitation, space, mean))",
        ),
        (
            "For each ward, give the minimum and the maximum NDVI on 1 June 2021",
            "several({'minimum': over(over(split(during(ndvi, '2021-06-01'), polygons()), space, minimum), time, "
            "minimum), 'maximum': "
            "over(over(split(during(ndvi, '2021-06-01'), polygons()), space, maximum), time, maximum)})",
        ),
        (
            "What was the rainfall of the third quarter of 2021?",
            "over(over(during(precipitation, '2021-07-01/2021-09-30'), space, mean), time, sum)",
        ),
        (
            "How much rain fell above 1000 m in June 2021?",
            "over(over(within(during(precipitation, '2021-06'), beyond(elevation, above, '1000 m')), space, mean), "
            "time, sum)",
        ),
        (
            "NDVI gap between the greenest and the least green ward in 2021",
            "over(over(over(split(during(ndvi, '2021'), polygons()), space, mean), time, mean), objects, range)",
        ),
        (
            "By how many percentage points did the share of forest change between 2018 and 2020?",
            "calculate(difference, over(is_class(during(land_cover_class, '2020'), ['forest']), space, share), "
            "over(is_class(during(land_cover_class, '2018'), ['forest']), space, share))",
        ),
        (
            "Mean NDVI at every date",
            "over(ndvi, space, mean)",
        ),
        (
            "What was the EVI anomaly of 2022 relative to the mean of 2018 to 2021?",
            "during(anomaly(over(evi, space, mean), difference, '2018-01-01/2021-12-31'), '2022')",
        ),
        (
            "What share of the land still had snow on 1 June 2021?",
            "over(over(during(snow_mask, '2021-06-01'), space, share), time, mean)",
        ),
    ],
)
def test_plain_words(question: str, expression: str) -> None:
    found = read(question, _DATA).expression
    if not expression:
        assert found is None
        return
    wanted, problems = expression_of(expression)
    assert wanted is not None, problems
    assert found is not None
    assert normal(found) == normal(wanted)


def test_how_much_of_something_is_no_height() -> None:
    """``more than 1 m of water`` is not ground above 1 m."""
    assert read("Area with more than 1 m of snow on 1 June 2021", _DATA).expression is None


@pytest.mark.parametrize("word", ["list", "file", "model", "catalogue"])
def test_a_word_for_data_asks_for_no_area(word: str) -> None:
    """``list the villages`` asks for no area, though ``area of the villages`` does."""
    found = read(f"{word} the forest", _DATA).expression
    assert found is None or not any(getattr(part, "statistic", "") == "area" for _, part in walk(found))
