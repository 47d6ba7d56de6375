"""Amounts that fall, changes in percent, and how many more there are, as people say them in short."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.normal import equal
from knowflow.question.operators import Beyond, Calculate, Number, Over, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_MONTHS = tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13))
_YEARS = (date(2015, 1, 1), date(2020, 1, 1))


def _data(*kinds: str, dates: tuple[date, ...] = _MONTHS) -> DataWords:
    maps = dict.fromkeys(kinds, len(dates))
    return DataWords(quantities=frozenset(kinds), objects=("Mill", "North Park"), dates=dates, maps=maps)


_RAIN = _data("precipitation")
_SPAN = "from December 2020 to February 2021"


def assert_same(one: str, other: str, data: DataWords) -> None:
    found = [read(question, data).expression for question in (one, other)]
    assert found[0] is not None
    assert equal(found[0], found[1]), found


@pytest.mark.parametrize(
    "question",
    [
        "How many mm fell from December 2020 to February 2021 together?",
        "How many mm fell from December 2020 to February 2021?",
        "How many mm came down between December 2020 and February 2021?",
    ],
)
def test_what_falls_is_an_amount_and_no_decrease(question: str) -> None:
    assert_same(question, f"How much rain fell {_SPAN}?", _RAIN)


def test_what_falls_on_a_place() -> None:
    assert_same(f"How many mm fell on Mill {_SPAN}?", f"How much rain fell on Mill {_SPAN}?", _RAIN)


def test_rain_that_falls_is_still_less_where_it_is_said_to_be() -> None:
    found = read("By how many mm did rainfall fall from December 2020 to February 2021?", _RAIN)
    assert found.expression is not None
    assert any(isinstance(part, Calculate) and part.how == "difference" for _, part in walk(found.expression))


@pytest.mark.parametrize("word", ["most", "least"])
def test_the_most_of_an_amount_is_that_of_a_pixel(word: str) -> None:
    statistic = {"most": "maximum", "least": "minimum"}[word]
    assert_same(f"What was the {word} rain in January 2021?", f"{statistic} rain of January 2021", _RAIN)


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Which of the months we have was the wettest?", "Which month was the wettest?"),
        ("Which month was the wettest on average?", "Which month was the wettest?"),
        ("By how many mm did rain in April 2021 differ from April 2020?", "Rain in April 2021 minus April 2020, mm"),
    ],
)
def test_the_same_in_other_words(question: str, plain: str) -> None:
    assert_same(question, plain, _RAIN)


_NO2 = _data("no2_column")


@pytest.mark.parametrize("end", ["in %", "in percent"])
@pytest.mark.parametrize("of", ["for each district", "in Mill"])
def test_a_change_in_percent_is_told_behind_all_else(end: str, of: str) -> None:
    two = "from March 2020 to March 2021"
    assert_same(f"Change of NO2 {two} {of}, {end}", f"Percentage change of NO2 {of} {two}", _NO2)


_PEOPLE = _data("population_count", dates=_YEARS)


@pytest.mark.parametrize(
    "question",
    [
        "How many more people were there in 2020 than in 2015?",
        "By how many people did the population rise from 2015 to 2020?",
        "How many fewer people were there in 2015 than in 2020?",
    ],
)
def test_how_many_more_people(question: str) -> None:
    assert_same(question, "By how much did the population rise from 2015 to 2020?", _PEOPLE)


@pytest.mark.parametrize("said", ["number of people", "people"])
def test_people_per_pixel(said: str) -> None:
    found = read(f"Mean {said} per pixel in 2015", _PEOPLE).expression
    assert found is not None
    assert [part.statistic for _, part in walk(found) if isinstance(part, Over) and part.axes == "space"] == ["mean"]


_BIOMASS = _data("aboveground_biomass", dates=_YEARS)


@pytest.mark.parametrize("verb", ["lost", "gained"])
def test_what_was_lost_is_of_the_only_quantity_of_its_unit(verb: str) -> None:
    plain = f"Area that {verb} more than 50 Mg/ha of biomass from 2015 to 2020"
    assert_same(f"Area that {verb} more than 50 Mg/ha from 2015 to 2020", plain, _BIOMASS)


_HEAT = _data("degree_heating_weeks")


@pytest.mark.parametrize("said", ["had DHW above 8", "reached a DHW above 8", "were at DHW above 8"])
def test_heat_stress_is_told_without_its_unit(said: str) -> None:
    found = read(f"How many km2 {said} in March 2020?", _HEAT)
    assert found.expression is not None
    assert [part.limit for _, part in walk(found.expression) if isinstance(part, Beyond)] == [Number(8.0, "K week")]


def test_a_bare_number_of_another_quantity_says_nothing() -> None:
    assert read("How many km2 had rain above 8 in March 2020?", _RAIN).expression is None


def test_how_much_in_a_unit_is_how_many_of_it() -> None:
    data = _data("tree_cover_fraction", dates=_YEARS)
    one = "How much of Mill had tree cover above 30 % in 2020, in hectares?"
    assert_same(one, "How many hectares of Mill had tree cover above 30 % in 2020?", data)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("What share of the area had reached 8 DHW or more?", "What share of the area had a DHW of 8 or more?"),
        ("On which date did DHW peak?", "On which date was DHW highest?"),
        ("Which district was hit hardest, by mean DHW?", "Which district had the highest mean DHW?"),
        (
            "Which district was worst affected in March 2020 by DHW?",
            "Which district had the highest DHW in March 2020?",
        ),
    ],
)
def test_heat_stress_in_other_words(said: str, plain: str) -> None:
    assert_same(said, plain, _HEAT)


def test_land_in_a_crop_is_that_crop() -> None:
    data = DataWords(
        frozenset(("land_cover_class",)),
        classes={"land_cover_class": ("Corn", "Soybeans")},
        years={"land_cover_class": (2019, 2020)},
        maps={"land_cover_class": 2},
    )
    one = "Of the land in soybeans in 2019, what share was corn in 2020?"
    assert_same(one, "Of the soybeans of 2019, what share was corn in 2020?", data)
