"""Words that grade without a name, sentences that go on, words that are explained, and what is taken for the whole."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.normal import equal
from knowflow.question.operators import Extreme, Over, Quantity
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many hectares are green (NDVI > 0.4)?", "How many hectares have an NDVI above 0.4?"),
        (
            "If NDVI above 0.4 counts as green, how many hectares are green?",
            "How many hectares have an NDVI above 0.4?",
        ),
        ("Share of the scene in drought, with TVDI above 0.6", "Share of the scene with TVDI above 0.6"),
        ("When was the vegetation greenest?", "When was the mean NDVI highest?"),
        ("When was the water most turbid?", "When was turbidity highest?"),
        ("Is the vegetation getting greener, and how fast per year?", "What is the trend of NDVI?"),
        ("Do NDVI and slope go together? Give the correlation coefficient.", "correlation between NDVI and slope"),
        ("Area lower than 10 m above sea level", "What area has an elevation below 10 m?"),
        ("Below which elevation do 90 % of the pixels lie?", "What is the 90th percentile of elevation?"),
        ("How green is each district? Mean NDVI, please.", "What is the mean NDVI of each district?"),
        ("Make a median composite of the NDVI scenes.", "Map of the median NDVI"),
        ("Yearly NDVI trend over 2020-2023", "NDVI trend from 2020 to 2023"),
        ("What is the mean NDVI, gaps left out?", "What is the mean NDVI?"),
        (
            "By what percentage did NO2 fall from 2019 to 2020?",
            "By how many percent did NO2 fall between 2019 and 2020?",
        ),
    ],
)
def test_both_ask_the_same(one: str, other: str) -> None:
    a, b = read(one), read(other)
    assert a.expression is not None, a
    assert b.expression is not None, b
    assert equal(a.expression, b.expression)


def test_what_fell_by_a_percentage_is_not_what_rose() -> None:
    fell, rose = (read(f"By what percentage did NO2 {way} from 2019 to 2020?").expression for way in ("fall", "rise"))
    assert fell is not None
    assert rose is not None
    assert not equal(fell, rose)


@pytest.mark.parametrize(
    "asked",
    [
        "How large is the moist area?",
        "How steep is each district? Mean elevation, please.",
        "How much does LST vary?",
    ],
)
def test_what_nothing_explains_is_not_read(asked: str) -> None:
    assert read(asked).expression is None


def test_why_percent_of_an_index_do_not_fit_is_told() -> None:
    assert "zero" in read("Percentage change of mean NDVI between 2019 and 2020").unfit


def test_a_place_that_the_data_do_not_name_is_taken_for_the_whole_and_told() -> None:
    found = read("What is the mean NDVI of the city?")
    assert found.expression is not None
    assert found.whole == ("city",)
    assert read("What is the mean NDVI of the area?").whole == ()


def test_a_place_that_the_data_name_is_that() -> None:
    found = read("What is the mean NDVI of the city?", DataWords(objects=("City", "Country")))
    assert found.whole == ()
    assert "polygons" in str(found.to_json()["expression"])


def test_a_word_that_grades_is_of_what_the_data_hold() -> None:
    asked = "When was it driest?"
    plain, dry = read(asked), read(asked, DataWords(quantities=frozenset({"tvdi"})))
    assert plain.expression is not None
    assert {"tvdi"} == {part for part in ("tvdi", "precipitation") if part in str(dry.to_json())}


@pytest.mark.parametrize(("number", "taken"), [("three", False), ("two", True)])
def test_the_number_of_summers_is_that_of_the_data(number: str, taken: bool) -> None:
    data = DataWords(dates=(date(2020, 7, 1), date(2020, 8, 1), date(2021, 7, 1)))
    assert (read(f"What is the mean NDVI over all {number} summers?", data).expression is not None) == taken


def test_what_a_word_is_said_to_be_is_told() -> None:
    assert read("How many hectares are bare soil (BSI > 0.1)?").explained == ("bare soil",)
    assert read("How many hectares have a BSI above 0.1?").explained == ()


def test_what_the_polygons_of_a_file_are_called_is_a_word_for_them() -> None:
    asked = "What is the mean NDVI of each oblast?"
    assert read(asked).expression is None
    assert read(asked, DataWords(keys=(("oblasts", "objects"), ("oblast", "objects")))).expression is not None


def test_a_name_means_the_quantity_that_the_data_hold_before_the_ground() -> None:
    asked = "What was the mean snow cover on 1 May 2021?"
    fraction, mask = (read(asked, DataWords(quantities=frozenset({kind}))) for kind in ("snow_fraction", "snow_mask"))
    assert "snow_fraction" in str(fraction.to_json()["expression"])
    assert "share" in str(mask.to_json()["expression"])


def test_the_unit_of_what_a_trend_is_of_is_told_per_year() -> None:
    assert read("Trend of the water area in hectares").unit == "ha year-1"


def test_the_trend_of_annual_rain_is_that_of_the_totals_of_years() -> None:
    yearly = read("What is the trend of the annual total precipitation?").expression
    assert read("What is the trend of annual rainfall?").expression == yearly
    assert read("What is the trend of annual NDVI?").expression != read("What is the NDVI trend per year?").expression


def test_it_is_not_what_was_chosen() -> None:
    assert read("In which month is NDVI highest on average, and what is it?").expression is None


def test_a_named_outline_among_others_is_not_the_whole() -> None:
    """Which of the polygons it is nobody knows here, and all of the ground it is not."""
    stands = tuple(f"stand {number}" for number in range(6))
    data = DataWords(objects=("fire of July", *stands), keys=(("fire perimeter", "objects"), ("stand", "objects")))
    found = read("average elevation of the land within the fire perimeter", data)
    assert (found.expression, found.whole) == (None, ())


@pytest.mark.parametrize(
    ("question", "statistic"),
    [
        ("How high does the terrain get?", "maximum"),
        ("How low does the ground get?", "minimum"),
        ("How high is the terrain at most?", "maximum"),
    ],
)
def test_how_high_it_gets_is_an_extreme(question: str, statistic: str) -> None:
    found = read(question, data=DataWords(frozenset({"elevation", "ndvi"}))).expression
    assert found == Over(Quantity("elevation"), "space", statistic)  # type: ignore[arg-type]  # one of its statistics


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Where was {name} highest in May 2020, which district?", "In which district was {name} highest in May 2020?"),
        ("Where is {name} lowest, in which district?", "Which district has the lowest {name}?"),
    ],
)
@pytest.mark.parametrize("name", ["NDVI", "NO2", "rainfall"])
def test_where_it_is_highest_is_told_of_the_places_that_are_named_behind_it(said: str, other: str, name: str) -> None:
    one, wanted = (read(text.format(name=name)).expression for text in (said, other))
    assert one is not None
    assert wanted is not None
    assert equal(one, wanted)


@pytest.mark.parametrize(
    "said", ["Where was NDVI highest, which month?", "Where was NDVI highest in May 2020, which year?"]
)
def test_a_time_is_no_place_where_it_is_highest(said: str) -> None:
    assert read(said).expression is None


@pytest.mark.parametrize(
    ("said", "which", "axis"),
    [
        ("How {is} was the {most} district in May 2020?", "Which district was {most} in May 2020?", "objects"),
        ("How {is} is the {most} district?", "Which is the {most} district?", "objects"),
        ("How {is} was the {most} year?", "Which was the {most} year?", "time"),
    ],
)
@pytest.mark.parametrize(
    ("adjective", "most", "statistic"),
    [("green", "greenest", "maximum"), ("hot", "hottest", "maximum"), ("bright", "darkest", "minimum")],
)
def test_how_much_it_is_of_the_most_is_the_number_that_ranks(
    said: str, which: str, axis: str, adjective: str, most: str, statistic: str
) -> None:
    one, named = (read(text.format(**{"is": adjective, "most": most})).expression for text in (said, which))
    assert isinstance(one, Over)
    assert isinstance(named, Extreme)
    assert one.statistic == statistic
    assert equal(one.x, named.x)
    assert one.axes == axis
