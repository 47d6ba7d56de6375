"""What practitioners say in two ways: both are read alike."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

BANDS = ("surface_bidirectional_reflectance",)
DATA = DataWords(
    frozenset({*BANDS, "precipitation", "ndvi", "elevation", "surface_temperature", "land_cover_class", "soil_loss"}),
    classes={"land_cover_class": ("Forest", "Water", "Wetland")},
    objects=("Upper", "Lower"),
    dates=tuple(date(year, month, 1) for year in (2018, 2020, 2022) for month in (4, 6, 8)),
    keys=(("subbasin", "objects"), ("block", "objects"), ("class", "classes")),
    years={"land_cover_class": (2018, 2020)},
    chosen=(
        *(Chosen("band", name, BANDS) for name in ("green", "nir", "swir16")),
        Chosen("daynight", "night", ("surface_temperature",)),
    ),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "By how much did NDVI change in each block from 1 April to 1 June 2020?",
            "By how much did NDVI change from 1 April to 1 June 2020 in each block?",
        ),
        (
            "Increase from 2018 to 2020 of the area with NDVI above 0.5, in km2",
            "By how many km2 did the area with NDVI above 0.5 increase from 2018 to 2020?",
        ),
        ("Change from 2018 to 2022 in mean NDVI", "Change in mean NDVI from 2018 to 2022"),
        ("Map the NDVI change from 2018 to 2022", "Map the change of NDVI from 2018 to 2022"),
        (
            "How much higher was mean NDVI below 900 m than above 1500 m in 2020?",
            "What is the difference between the mean NDVI in 2020 below 900 m and the mean NDVI in 2020 above 1500 m?",
        ),
        ("Mean NDVI in 2020, weighted by area", "Mean NDVI in 2020"),
        ("Mean NDVI in 2020 (weighted by area) in each block", "Mean NDVI in 2020 in each block"),
        (
            "What share of the area got less than 50 mm of rain on average from 2018 to 2022?",
            "What share of the area had a mean rainfall below 50 mm from 2018 to 2022?",
        ),
        ("Mean NDVI on land other than water", "Mean NDVI where it is not water"),
        (
            "By how many mm did the rain of 2022 fall short of that of 2020?",
            "By how many mm was the rain of 2022 below that of 2020?",
        ),
        (
            "Which two blocks had the highest mean NDVI in 2020, and give their NDVI.",
            "Which two blocks had the highest mean NDVI in 2020?",
        ),
        ("Mean NDVI of the latest image", "Mean NDVI on 1 August 2022"),
        ("Mean NDVI on the 1st of August of 2022", "Mean NDVI on 1 August 2022"),
        ("Mean NDVI on 1.8.2022", "Mean NDVI on 1 August 2022"),
        (
            "Height difference between the highest and the lowest block",
            "Difference in elevation between the highest and the lowest block",
        ),
        (
            "How cold did it get in the night to 1 June 2020?",
            "What was the lowest surface temperature in the night of 1 June 2020?",
        ),
        ("How hot did Upper get in 2020?", "What was the highest surface temperature of Upper in 2020?"),
        ("The highest NDVI in 2022 was what?", "What was the highest NDVI in 2022?"),
        ("Mean NDVI on 01/08/2022", "Mean NDVI on 1 August 2022"),
        ("Rain over 1 to 18 July 2022", "Rain from 1 to 18 July 2022"),
        ("Mean NDVI on the most recent date of 2020", "Mean NDVI on 1 August 2020"),
        ("Mean NDVI of the first and the last date", "Mean NDVI on 1 April 2018 and on 1 August 2022"),
        (
            "Map the change in NDVI from the first to the last image",
            "Map the NDVI change from 1 April 2018 to 1 August 2022",
        ),
        ("Mean NDVI of 2018 and 2022", "Mean NDVI in 2018 and in 2022"),
        ("In which year was soil loss worst?", "Which year had the highest soil loss?"),
        ("Which year brought the worst mean soil loss?", "Which year had the highest mean soil loss?"),
        ("Mean annual rainfall for each year", "Annual rainfall for each year"),
        ("Which sub-basin had the highest mean NDVI?", "Which block had the highest mean NDVI?"),
        (
            "How much more rain did Upper receive than Lower in 2020?",
            "How much more rain fell in Upper than in Lower in 2020?",
        ),
        ("Which class shrank most in area from 2018 to 2020?", "Which class lost the most area from 2018 to 2020?"),
        ("Which block warmed most in LST from 2018 to 2022?", "Which block warmed most from 2018 to 2022?"),
        (
            "What was the temperature of the hottest pixel on 1 June 2020?",
            "What was the highest temperature on 1 June 2020?",
        ),
        ("Scene-wide mean NDVI per date", "Mean NDVI per date"),
        ("Monthly area-mean NDVI in 2020", "Monthly mean NDVI in 2020"),
        ("Mean NDVI over the 30 days 1 to 30 June 2020", "Mean NDVI from 1 to 30 June 2020"),
        ("In the land cover map, what share is wetland?", "What share of the area is wetland?"),
        ("Share of wetland in the land cover map, in percent", "What share of the area is wetland, in percent?"),
        ("From the NDVI series, what was the mean NDVI in 2020?", "What was the mean NDVI in 2020?"),
        ("What was the mean NDVI in the 2020 NDVI images?", "What was the mean NDVI in 2020?"),
        ("Driest year in the rainfall record?", "Which year was the driest?"),
        ("How many hectares are forest according to the land cover map?", "How many hectares are forest?"),
        ("Mean NDWI (green and near infrared) in 2020", "Mean NDWI in 2020"),
        ("Map where NDVI is above 0.6 (1 = yes, 0 = no).", "Map where NDVI is above 0.6."),
        ("Map the water with 1 for water and 0 elsewhere.", "Map the water."),
        ("Mean NDVI per block in 2020 (polygon means)", "Mean NDVI per block in 2020"),
        ("Mean NDVI of south-facing ground (aspect 135° to 225°)", "Mean NDVI where aspect is from 135° to 225°"),
        (
            "How much warmer was Upper than Lower in 2020 (difference of mean LST, K)?",
            "How many K warmer was Upper than Lower in 2020?",
        ),
        ("Land cover areas 2020 in ha, by class", "Area of each land cover class in 2020 in ha"),
        ("Which year was drier, 2018 or 2019?", "Which year had less rain, 2018 or 2019?"),
        ("Years with mean NDVI above 0.5", "Which years had a mean NDVI above 0.5?"),
        ("How many blocks were above 300 K in 2020?", "How many blocks had a mean LST above 300 K in 2020?"),
        ("Highest elevation without water", "Highest elevation where it is not water"),
        ("Rank the blocks by mean NDVI", "Compare the blocks by mean NDVI"),
        ("Sum of rainfall in 2020, area average", "Total rainfall in 2020"),
        ("For how many dates is there less than 10 % water?", "On how many dates did water cover less than 10 %?"),
        (
            "In how many years did Upper average an NDVI above 0.5?",
            "In how many years was the mean NDVI of Upper above 0.5?",
        ),
    ],
)
def test_both_are_read_alike(one: str, other: str) -> None:
    first, second = read(one, DATA), read(other, DATA)
    assert first.expression is not None, first
    assert second.expression is not None, second
    assert equal(first.expression, second.expression)
    assert first.unit == second.unit


@pytest.mark.parametrize(
    "question",
    [
        "Mean NDVI over the 30 days 1 to 20 June 2020",
        "Mean NDWI (near infrared and short-wave infrared 1) in 2020",
        "Share of wetland in the NDVI images",
        "Map the water with 0 for water and 1 elsewhere.",
        "Map the mean NDVI (1 = yes, 0 = no).",
        "Which block lies highest?",
        "Mean NDVI of water and not water in 2020",
        "What was the mean rainfall per day in 2020?",
        "Which block warmed most in NDVI from 2018 to 2022?",
        "In which month is NDVI highest on average, and what is it?",
    ],
)
def test_what_contradicts_itself_is_asked_back(question: str) -> None:
    assert read(question, DATA).expression is None


MASTS = DataWords(
    frozenset({"ndvi", "precipitation", "surface_temperature", "land_cover_class"}),
    classes={"land_cover_class": ("Forest", "Water")},
    objects=("North mast", "South mast"),
    dates=tuple(date(2020, 6, day) for day in range(1, 6)),
    keys=(("mast", "objects"), ("masts", "objects")),
    spots=(("mast", "objects"), ("masts", "objects")),
    maps={"precipitation": 5, "ndvi": 5, "surface_temperature": 5},
    seasonal=frozenset({"precipitation", "ndvi", "surface_temperature"}),
)


_FOREST = "is_class(land_cover_class, ['forest'])"
_ON_FOREST = f"over(split({_FOREST}, polygons()), space, any)"
_AT_NORTH = "over(within(during(ndvi, '2020-06-01'), polygons(['North mast'])), space, mean)"
_LATER, _EARLIER = (f"over(during(ndvi, '2020-06-0{day}'), time, mean)" for day in (5, 1))


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("How many masts are on forest?", f"over(within(polygons(), {_FOREST}), objects, count)"),
        ("What share of the masts stand in forest?", f"over({_ON_FOREST}, objects, share)"),
        ("What was the NDVI in the cell containing the North mast on 1 June 2020?", f"over({_AT_NORTH}, time, mean)"),
        ("Map the maximum NDVI in each cell", "show(over(ndvi, time, maximum), map)"),
        ("Map the five-day rainfall", "show(over(precipitation, time, sum), map)"),
        ("Mean of the seasonal maximum NDVI", "over(over(ndvi, time, maximum), space, mean)"),
        (
            "Map the NDVI of 5 June 2020 minus the NDVI of 1 June 2020",
            f"show(calculate(difference, {_LATER}, {_EARLIER}), map)",
        ),
        ("Mean NDVI, averaging the five dates equally", "over(over(ndvi, space, mean), time, mean)"),
        ("Mean rainfall (simple mean over days)", "over(over(precipitation, space, mean), time, mean)"),
    ],
)
def test_points_pixels_and_notes(question: str, expression: str) -> None:
    found = read(question, MASTS)
    wanted = expression_of(expression)[0]
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    assert wanted is not None
    assert equal(found.expression, wanted), found.in_words(found.expression)


def test_a_second_limit_may_leave_its_noun_out() -> None:
    one = read("What share of the area had NDVI below 0.3 on 1 June 2020 and above 0.5 on 5 June 2020?", MASTS)
    other = read("What share of the area had NDVI below 0.3 on 1 June 2020 and NDVI above 0.5 on 5 June 2020?", MASTS)
    assert one.expression is not None
    assert one.expression == other.expression
