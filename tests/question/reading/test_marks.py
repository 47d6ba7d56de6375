"""Times as people say them, and what stands at either end of a question: units, grounds, keys, in parentheses too."""

from __future__ import annotations

from datetime import date
from types import MappingProxyType

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import And, During, Expression, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times, times
from knowflow.question.words import in_words

_DATA = DataWords(
    quantities=frozenset(("land_cover_class", "ndvi", "elevation", "precipitation")),
    objects=("North Park", "Mill"),
    dates=(date(2000, 6, 1), date(2010, 6, 1), date(2020, 6, 1)),
    years=MappingProxyType({"land_cover_class": (2000, 2010, 2020)}),
)


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("Mean NDVI of June to August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI in June-August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI for June, July and August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI (2021)", "Mean NDVI in 2021", None),
        ("Mean NDVI over all available dates of 2021", "Mean NDVI in 2021", None),
        ("Mean NDVI for every year on record", "Mean NDVI for each year", None),
        ("How much rain fell over the area in 2019 in total (area mean, mm)?", "Total rainfall in 2019 in mm", "mm"),
        ("Mean dNBR (5 May minus 1 September 2017)", "Mean dNBR from 5 May 2017 to 1 September 2017", None),
        (
            "Map the difference in NDVI between 5 May 2021 and 1 October 2021 (October minus May).",
            "Map the difference in NDVI between 5 May 2021 and 1 October 2021",
            None,
        ),
        ("Mean NDVI on each of the three dates", "Mean NDVI on each date", None),
        ("On which date did the whole area have its highest mean NDVI?", "Date with the highest mean NDVI", None),
        (
            "On how many of the image dates was the mean NDVI above 0.5?",
            "Number of dates with mean NDVI above 0.5",
            None,
        ),
        (
            "Spatial correlation between NDVI and elevation in 2020",
            "Correlation between NDVI and elevation in 2020",
            None,
        ),
        ("Mean NDVI on land classed as water", "Mean NDVI of land that is water", None),
        ("How much was water on 1 June 2020? Give a percentage.", "Share of water on 1 June 2020 in percent", "%"),
        ("Mean NDVI in each of the three years", "Mean NDVI for each year", None),
        ("Rainfall of each county (mm, spatial mean)", "Total rainfall of each county in mm", "mm"),
        ("How much forest was there in 2020? Please answer in hectares.", "Forest area in 2020", "ha"),
        ("In km2, how much forest was there in 2020?", "Forest area in 2020", "km2"),
        ("List the annual mean NDVI for every year on record.", "Annual mean NDVI", None),
        ("Average NDVI in July and August 2020", "Average NDVI from July 2020 to August 2020", None),
        ("Total rainfall in the first half of 2020", "Total rainfall from January to June 2020", None),
        ("Rainfall in the last three months of 2020", "Rainfall from October to December 2020", None),
        ("Mean NDVI in summer 2020, forest only", "Mean NDVI of the forest in summer 2020", None),
        ("Monthly rainfall totals for 2020", "Total rainfall of each month of 2020", None),
        ("Mean NDVI for each district and each year", "Mean NDVI per district and year", None),
        (
            "How much of the forest is above 800 m, in hectares?",
            "How many hectares of the forest are above 800 m?",
            "ha",
        ),
        (
            "What share of the forest lies on slopes above 20 degrees?",
            "What share of the forest has a slope above 20 degrees?",
            None,
        ),
        ("Map the areas where NDVI was below 0.2", "Map where NDVI was below 0.2", None),
        ("Map the difference between NDVI in 2020 and 2010", "Map how NDVI changed from 2010 to 2020", None),
        ("Mean NDVI of 2010-2020", "Mean NDVI from 2010 to 2020", None),
        (
            "Map the difference in NDVI between 5 May 2021 and 1 October 2021 (May minus October).",
            "Map 5 May 2021 minus 1 October 2021 NDVI",
            None,
        ),
        ("NDVI change from 2010 to 2020 (later minus earlier)", "NDVI change from 2010 to 2020", None),
        ("Mean NDVI in 2020. Use only pixels with data.", "Mean NDVI in 2020 where pixels are known", None),
        ("How much rain fell in total in June and July 2020?", "Total rainfall from June to July 2020", None),
        (
            "What share of the area has NDVI above 0.5 and elevation below 320 m?",
            "What share of the area has NDVI above 0.5 and an elevation below 320 m?",
            None,
        ),
        (
            "What share of the area is forest above 320 m?",
            "What share of the area is forest and has an elevation above 320 m?",
            None,
        ),
        ("Tabulate the mean NDVI for all dates.", "Mean NDVI for each date", None),
        ("List the mean NDVI of all dates.", "Mean NDVI for each date", None),
        ("How many hectares had an NDVI below zero?", "How many hectares had an NDVI below 0?", "ha"),
        ("Map the forest of 2020: 1 for forest, 0 for everything else.", "Map the forest of 2020", None),
        ("NDVI in 2020: what is the median?", "Median NDVI in 2020", None),
        (
            "Rainfall summed over April to June 2020, averaged over the area",
            "Total rainfall of April to June 2020",
            None,
        ),
        (
            "Mean dNBR (before minus after) between 1 May and 1 June 2020",
            "Mean dNBR between 1 May and 1 June 2020",
            None,
        ),
        ("Annual maximum NDVI", "Maximum NDVI for each year", None),
        ("Mean NDVI of slopes of more than 10 degrees", "Mean NDVI where the slope is above 10 degrees", None),
        ("Mean NDVI above 700 m elevation", "Mean NDVI where the elevation is above 700 m", None),
        ("Mean NDVI above 700 m", "Mean NDVI where the elevation is above 700 m", None),
        (
            "Mean NDVI on slopes whose height is above 90 m",
            "Mean NDVI where the elevation is above 90 m",
            None,
        ),
        ("Mean NDVI of south-facing slopes", "Mean NDVI where the aspect is between 135 and 225 degrees", None),
        (
            "What share of the land faces south, that is, has an aspect between 135 and 225 degrees?",
            "What share of the land has an aspect between 135 and 225 degrees?",
            None,
        ),
        ("At what mean elevation was the forest?", "Mean elevation of the forest", None),
        ("Forest area in 2000, 2010 and 2020, in hectares", "Forest area in hectares in 2000, 2010 and 2020", None),
        ("Show on a map how NDVI changed from 2010 to 2020.", "Map how NDVI changed from 2010 to 2020", None),
        ("Map 2020 minus 2010 NDVI.", "Map how NDVI changed from 2010 to 2020", None),
        ("Maximum NDVI that each field reached in 2020", "Maximum NDVI of each field in 2020", None),
        ("Elevation range (highest minus lowest point) in metres", "Range of elevation in m", "m"),
        ("Mean NDVI in June 2010 and 2020", "Mean NDVI in June 2010 and June 2020", None),
        ("Hectares of forest, year by year", "Forest area of each mapped year, hectares", "ha"),
    ],
)
def test_both_ask_the_same(one: str, other: str, unit: str | None) -> None:
    first, second = read(one, _DATA), read(other, _DATA)
    assert first.expression is not None, first
    assert second.expression is not None, second
    assert equal(first.expression, second.expression)
    assert first.unit == unit


def test_months_of_every_year() -> None:
    found = read("Mean NDVI over April to September for each year", _DATA).expression
    assert found is not None
    assert _texts(found) == ["april-september"]


def _texts(x: Expression) -> list[str]:
    return [str(one.when) for _, one in walk(x) if isinstance(one, During)]


def test_a_time_before_those_of_a_list_stays() -> None:
    found = read("Give the January to October mean NDVI for 2010 and for 2020.", _DATA).expression
    assert found is not None
    assert sorted(_texts(found)) == ["2010", "2020", "january-october", "january-october"]


def test_months_up_to_another() -> None:
    span = times("april-september")
    assert span == Times(month=4, until=9)
    assert str(span) == "april-september"
    assert [month for month in range(1, 13) if span.holds(date(2021, month, 5))] == [4, 5, 6, 7, 8, 9]
    assert times("september-april") is None


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "Map the number of days in 2020 with more than 50 mm of rain",
            "show(over(beyond(during(quantity(precipitation), '2020'), above, '50 mm'), time, count), map)",
        ),
        (
            "How many hectares were water in every single year?",
            "over(over(over(split(water_mask, year), time, any), time, all), space, area)",
        ),
        (
            "How many hectares had more than 10 mm of rain on at least 2 days?",
            "over(beyond(over(beyond(precipitation, above, '10 mm'), time, count), at_least, 2), space, area)",
        ),
        (
            "What share of the area was under water on more than half of the dates?",
            "over(beyond(over(water_mask, time, share), above, '50 %'), space, share)",
        ),
        (
            "Mean elevation of the ground that burned between 1 May 2020 and 1 June 2020",
            "over(within(elevation, over(during(burned_area_mask, '2020-05-01/2020-06-01'), time, any)), space, mean)",
        ),
        (
            "Map the share of the years in which each pixel was water",
            "show(over(over(split(water_mask, year), time, any), time, share), map)",
        ),
        ("Map with 1 where NDVI is above 0.5 and 0 elsewhere", "show(beyond(ndvi, above, 0.5), map)"),
        (
            "Mean annual rainfall of each district",
            "over(over(split(over(split(precipitation, polygons()), space, mean), year), time, sum), time, mean)",
        ),
        (
            "What was the highest field-average NDVI that each field reached in 2020?",
            "over(over(split(during(ndvi, '2020'), polygons()), space, mean), time, maximum)",
        ),
        (
            "Forest area of each mapped year",
            "over(is_class(split(land_cover_class, year), forest), space, area)",
        ),
        (
            "In which year was the forest area smallest?",
            "extreme(over(is_class(split(land_cover_class, year), forest), space, area), lowest)",
        ),
        (
            "Linear trend of the forest area from 2000 to 2020",
            "trend(over(is_class(split(during(land_cover_class, '2000-01-01/2020-12-31'), year), forest), "
            "space, area))",
        ),
        (
            "On how many hectares was there forest in all three years?",
            "over(over(is_class(split(land_cover_class, year), forest), time, all), space, area)",
        ),
        (
            "On how many hectares was there forest three years in a row?",
            "over(over(is_class(split(land_cover_class, year), forest), time, all), space, area)",
        ),
        (
            "What is the first year in which forest covered less than 60 ha?",
            "over(beyond(over(is_class(split(land_cover_class, year), forest), space, area), below, '60 ha'), "
            "time, first)",
        ),
        ("Map of the NDVI trend per year", "show(trend(ndvi), map)"),
    ],
)
def test_maps_and_tables(question: str, expression: str) -> None:
    found = read(question, _DATA).expression
    wanted, _ = expression_of(expression)
    assert found is not None
    assert equal(found, wanted)


def test_what_differs_in_a_word_differs() -> None:
    for one, other in (
        ("Mean NDVI above 700 m", "Mean NDVI below 700 m"),
        ("Mean NDVI of June to August 2021", "Mean NDVI of June to July 2021"),
        ("Mean NDVI on slopes facing south", "Mean NDVI on slopes facing north"),
        ("Map 2020 minus 2010 NDVI", "Map 2010 minus 2020 NDVI"),
        ("Mean NDVI on unburned ground", "Mean NDVI on burned ground"),
    ):
        first, second = read(one, _DATA).expression, read(other, _DATA).expression
        assert first is not None
        assert first != second


def test_a_class_map_of_other_years_gives_way_to_what_a_date_can_have() -> None:
    data = DataWords(
        quantities=frozenset(("land_cover_class", "sigma0_db")),
        classes=MappingProxyType({"land_cover_class": ("forest", "water")}),
        years=MappingProxyType({"land_cover_class": (2018,)}),
        dates=(date(2018, 1, 1), date(2020, 2, 16)),
    )
    for year, made in (("2020", True), ("2018", False)):
        found = read(f"How many hectares were covered by water on 16 February {year}?", data).expression
        assert found is not None
        kinds = {part.kind for _, part in walk(found) if isinstance(part, Quantity)}
        assert kinds == {"water_mask" if made else "land_cover_class"}


def test_other_years_are_not_meant_of_both_that_are_compared() -> None:
    assert read("How much greener was summer 2020 than the mean of the summers 2000 to 2010?", _DATA).expression is None


@pytest.mark.parametrize(
    "question",
    ["Mean NDVI for all dates", "Average water area per year", "Maximum NDVI averaged over all dates"],
)
def test_one_for_each_or_one_of_all_is_asked_back(question: str) -> None:
    assert len(read(question, _DATA).alike) == 2


def test_a_map_is_no_rank_that_could_be_told_with_its_value() -> None:
    assert read("Show the mean NDVI as a map and how high it was").expression is None


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "Area that was never seen as water during 2021",
            "over(over(not(during(water_mask, 2021)), time, all), space, area)",
        ),
        ("Area that was covered by water on all eight dates", "over(over(water_mask, time, all), space, area)"),
        (
            "How many consecutive image dates, at most, had a mean NDVI above 0.5?",
            "over(beyond(over(ndvi, space, mean), above, 0.5), time, longest_run)",
        ),
    ],
)
def test_what_is_so_at_several_times(question: str, expression: str) -> None:
    found = read(question).expression
    wanted, _ = expression_of(expression)
    assert found is not None
    assert wanted is not None
    assert equal(found, wanted)


@pytest.mark.parametrize(
    "question",
    [
        "Mean dNBR (1 September 2017 minus 5 May 2017)",
        "Was the mean NDVI never below 0.2?",
    ],
)
def test_a_note_that_says_otherwise_is_not_read(question: str) -> None:
    assert read(question).candidates() == ()


def test_both_of_two_times() -> None:
    found = read("What area was water in both April and October 2022?").expression
    assert found is not None
    assert [str(part.when) for _, part in walk(found) if isinstance(part, During)] == ["2022-04", "2022-10"]
    assert sum(isinstance(part, And) for _, part in walk(found)) == 1


@pytest.mark.parametrize(
    "said", ["On how many hectares was NDVI above 0.5 in every month?", "What area was water in every year?"]
)
def test_in_every_period_is_in_all_of_them_or_each_of_them(said: str) -> None:
    told = [in_words(one) for one in read(said, _DATA).candidates()]
    assert len(told) == 2, told
    assert read(said.replace("every", "every single"), _DATA).expression is not None
    assert read(said.replace("every", "each"), _DATA).expression is not None


@pytest.mark.parametrize("whole", ["over the three dates", "across all images", "of the whole period", "in the area"])
@pytest.mark.parametrize(
    "question",
    ["Which date {} had the highest mean NDVI?", "On how many dates {} was mean NDVI above 0.5?", "Mean NDVI {}"],
)
def test_what_is_all_there_is_restricts_nothing(question: str, whole: str) -> None:
    found, plain = read(question.format(whole), _DATA), read(question.replace(" {}", ""), _DATA)
    assert found.expression is not None, found
    assert plain.expression is not None
    assert equal(found.expression, plain.expression)
