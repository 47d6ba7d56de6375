"""A second part that asks for more of what the first one ranks or compares, two beside each other, and dates as people
say them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowflow.question.normal import normal
from knowflow.question.operators import During, Polygons, Several, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    frozenset({"ndvi", "elevation", "land_cover_class", "precipitation", "surface_temperature", "snow_depth"}),
    classes={"land_cover_class": ("forest", "cropland", "grassland")},
    objects=("Neudorf", "Weinsberg"),
    keys=(("district", "objects"), ("districts", "objects"), ("land cover", "classes")),
    dates=tuple(date(2022, month, day) for month in (5, 6, 7) for day in (7, 28)),
    maps={"ndvi": 6, "precipitation": 6, "surface_temperature": 6},
    features=(FeatureLayer(None, 2, ("district", "districts"), ("Neudorf", "Weinsberg"), (), ()),),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        # when, where and how much it was
        ("Highest NDVI in Neudorf and on which day?", "Highest NDVI in Neudorf and when?"),
        ("Highest NDVI in Neudorf, and the day it happened", "Highest NDVI in Neudorf and when?"),
        ("hottest day in Neudorf, which date was it", "hottest day in Neudorf"),
        ("Which was the wettest month, and how many mm was it?", "Which was the wettest month in mm"),
        ("Which district had the wettest single month?", "Which district has the highest monthly precipitation"),
        # by how much
        (
            "Did the forest grow from May to July 2022, and by how many hectares?",
            "By how many hectares did the forest grow from May to July 2022?",
        ),
        (
            "In June 2022, is the forest cooler than the cropland?",
            "Is the forest cooler than the cropland in June 2022?",
        ),
        # of each, in an order
        ("Rank the three land cover classes by mean NDVI", "mean NDVI of each land cover class"),
        ("mean NDVI of each district, sorted from highest to lowest", "mean NDVI of each district"),
        # beside each other
        (
            "mean NDVI in Neudorf versus Weinsberg, what's the ratio?",
            "ratio of the mean NDVI in Neudorf to that in Weinsberg",
        ),
        (
            "compare the mean NDVI of Neudorf with Weinsberg in June",
            "mean NDVI of Neudorf compared with Weinsberg in June",
        ),
        (
            "ratio of forest to cropland in Neudorf",
            "ratio of the area of forest in Neudorf to the area of cropland in Neudorf",
        ),
        (
            "difference in height between the highest and the lowest district",
            "range of the mean elevation of each district",
        ),
        ("Does NDVI go with elevation? Correlation coefficient will do.", "correlation between NDVI and elevation"),
        ("Does NDVI drop with elevation?", "correlation between NDVI and elevation"),
        ("How much snow was there in Neudorf?", "mean snow depth in Neudorf"),
        ("Neudorf versus Weinsberg, mean NDVI in June", "mean NDVI in Neudorf versus Weinsberg in June"),
        ("How does Neudorf compare with Weinsberg in NDVI?", "NDVI of Neudorf compared with Weinsberg"),
        ("May versus June mean NDVI", "mean NDVI in May versus June"),
        ("ratio of the NDVI in May 2022 to June 2022", "ratio of the NDVI in May 2022 to the NDVI in June 2022"),
        ("top two months by precipitation", "the two wettest months"),
        ("How many hectares of forest are in Neudorf and how many in Weinsberg?", None),
        ("hottest and coldest day in Neudorf", None),
        ("Which is hotter in June, Neudorf or Weinsberg, and by how much?", None),
        ("mean NDVI in June, whole area", "mean NDVI in June"),
        ("mean NDVI in June, the entire farm", "mean NDVI in June"),
        ("mean NDVI in June (whole catchment)", "mean NDVI in June"),
        # dates
        ("mean NDVI on the 28th of June", "mean NDVI on 28 June 2022"),
        ("mean NDVI on 28.6.2022", "mean NDVI on 28 June 2022"),
        ("mean NDVI in Jun", "mean NDVI in June"),
        ("mean NDVI between the 7th and the 28th of June", "mean NDVI from 7 June to 28 June 2022"),
        ("total rain in the last ten days of June", "total rain from 21 June 2022 to 30 June 2022"),
        ("mean NDVI in the 2020s", "mean NDVI from 2020 to 2029"),
        ("mean NDVI in the second week of June", "mean NDVI from 8 June 2022 to 14 June 2022"),
        ("mean NDVI since June", "mean NDVI since 1 June 2022"),
        ("mean NDVI in winter 2021/22", "mean NDVI in winter 2022"),
        ("mean NDVI for each June", "mean NDVI of each year in June"),
        (
            "area that was over 40 °C on both the 7th and the 28th of June",
            "area that was over 40 °C both on 7 June 2022 and on 28 June 2022",
        ),
    ],
)  # fmt: skip
def test_what_is_asked_in_two_parts_or_beside_each_other_is_read_as(said: str, other: str | None) -> None:
    found = read(said, DATA)
    assert found.expression is not None, (said, found.apart, found.unread)
    if other is None:
        assert isinstance(found.expression, Several)
        return
    wanted = read(other, DATA)
    assert wanted.expression is not None, other
    assert normal(found.expression) == normal(wanted.expression)


def test_what_ground_turned_into_is_the_area_of_each_class_where_it_was() -> None:
    maps = replace(DATA, years={"land_cover_class": (2000, 2020)})
    told = read("What did the forest of 2000 turn into by 2020?", maps)
    assert told.expression is not None
    words = "the area of each class of land cover class in 2020 where land cover class in 2000 is “forest”"
    assert told.in_words(told.expression) == words
    grew = read("Did the forest grow, and by how much, over the twenty years?", maps).expression
    assert grew == read("How much did the forest grow from 2000 to 2020?", maps).expression is not None


def test_a_month_of_some_years_is_chosen_among_these() -> None:
    years = replace(DATA, dates=tuple(date(year, 9, 5) for year in range(2015, 2023)))
    found = read("Which September between 2018 and 2021 had the highest NDVI?", years).expression
    assert found is not None
    assert {str(part.when) for _, part in walk(found) if isinstance(part, During)} == {
        "september",
        "2018-01-01/2021-12-31",
    }


def test_a_name_of_a_polygon_is_no_word_for_all_of_the_ground() -> None:
    basin = replace(DATA, objects=("Basin", "Foreland"), features=())
    found = read("highest NDVI and when in the Basin", basin).expression
    assert found == read("highest NDVI in the Basin and when", basin).expression is not None
    assert any(isinstance(part, Polygons) for _, part in walk(found))


def test_a_day_alone_is_of_the_only_month_that_the_data_have() -> None:
    june = replace(DATA, dates=tuple(date(2022, 6, day) for day in (7, 14, 28)))
    assert read("mean NDVI on the 28th", june).expression == read("mean NDVI on 28 June 2022", june).expression
    assert read("mean NDVI on the 28th", DATA).expression is None


def test_whether_and_by_how_much_are_of_the_same_time_and_ground() -> None:
    found = read("Is the forest cooler than the cropland, and by how many degrees, on 28 June 2022?", DATA).expression
    assert isinstance(found, Several)
    assert [name for name, _ in found.named] == ["whether", "by"]
    for _, part in found.named:
        assert len([one for _, one in walk(part) if isinstance(one, During)]) == 2


@pytest.mark.parametrize("said", ["whole Zork", "whole zorky farm", "farm", "whole farm of Zork"])
def test_the_whole_of_a_place_that_nobody_knows_is_not_all(said: str) -> None:
    assert not read(f"What was the mean NDVI in June, {said}?").candidates()
