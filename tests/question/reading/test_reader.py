"""Sentences are read into the expression they ask; what is not read is named, and nothing is taken."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import During, Expression, Over, Several, Within, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def expression(text: str) -> Expression:
    found, faults = expression_of(text)
    assert found is not None, faults
    return found


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "On how many dates in 2017 was the standard deviation of NDVI above 0.1?",
            "over(beyond(over(during(ndvi, 2017), space, deviation), above, 0.1), time, count)",
        ),
        (
            "What was the largest of the daily standard deviations of NDVI in 2017?",
            "over(over(during(ndvi, 2017), space, deviation), time, maximum)",
        ),
        (
            "What is the trend of annual maximum NDVI?",
            "trend(over(split(over(ndvi, space, mean), year), time, maximum))",
        ),
        (
            "What share of the forest is steeper than 15 degrees?",
            "over(within(beyond(slope, above, '15 degree'), is_class(land_cover_class, 'forest')), space, share)",
        ),
        (
            "On how many dates in 2017 was the median NDVI of each land cover class above 0.5?",
            "over(beyond(over(split(during(ndvi, 2017), land_cover_class), space, median), above, 0.5), time, count)",
        ),
        (
            "In which month of 2017 was the standard deviation of NDVI per class lowest?",
            "extreme(over(over(split(split(during(ndvi, 2017), month), land_cover_class), space, deviation), time,"
            " mean), lowest)",
        ),
        (
            "What was the area of the forest with NDVI above 0.6 on 2017-08-24?",
            "over(over(within(beyond(during(ndvi, '2017-08-24'), above, 0.6), is_class(land_cover_class, 'forest')),"
            " space, area), time, mean)",
        ),
        (
            "What share of the ground above 700 m has an NDVI above 0.6?",
            "over(over(within(beyond(ndvi, above, 0.6), beyond(elevation, above, '700 m')), space, share), time, mean)",
        ),
        (
            "When in 2017 did the mean NDVI first exceed 0.5?",
            "over(beyond(over(during(ndvi, 2017), space, mean), above, 0.5), time, first)",
        ),
        (
            "What was the longest spell in 2017 on which the range of NDVI was above 0.6?",
            "over(beyond(over(during(ndvi, 2017), space, range), above, 0.6), time, longest)",
        ),
        (
            "For how many days in a row did the mean NDVI stay below 0.3?",
            "over(beyond(over(ndvi, space, mean), below, 0.3), time, longest)",
        ),
        (
            "In 2017, by how much did the mean NDVI of the forest exceed the mean NDVI of the grassland?",
            "calculate(difference,"
            " over(over(within(during(ndvi, 2017), is_class(land_cover_class, 'forest')), space, mean), time, mean),"
            " over(over(within(during(ndvi, 2017), is_class(land_cover_class, 'grassland')), space, mean), time,"
            " mean))",
        ),
        (
            "By how much did P90 of NDVI differ between the summers of 2016 and 2017?",
            "calculate(difference, over(over(during(ndvi, 'summer 2017'), space, percentile, 90), time, mean),"
            " over(over(during(ndvi, 'summer 2016'), space, percentile, 90), time, mean))",
        ),
        (
            "Give the upper quartile of NDVI month by month for 2017.",
            "over(split(over(during(ndvi, 2017), space, percentile, 75), month), time, mean)",
        ),
        (
            "Tabulate the NDVI at longitude 14.55, latitude 46.05 for every season of every year.",
            "over(split(over(within(ndvi, point(14.55, 46.05)), space, mean), season), time, mean)",
        ),
        (
            "What was the NDVI range (maximum minus minimum) on 2017-08-24?",
            "over(over(during(ndvi, '2017-08-24'), space, range), time, mean)",
        ),
        (
            "How fast did the median NDVI rise or fall per year?",
            "trend(over(ndvi, space, median))",
        ),
    ],
)
def test_a_sentence_is_read_as_what_it_asks(question: str, asked: str) -> None:
    found = read(question)
    assert found.expression is not None, found
    assert equal(found.expression, expression(asked))


def test_a_time_behind_the_second_of_two_is_meant_of_both() -> None:
    found = read(
        "What was the difference between the mean NDVI of the forest and the mean NDVI of the grassland in 2017?"
    )
    assert found.expression is not None
    assert sum(isinstance(part, During) for _, part in walk(found.expression)) == 2


def test_a_ground_behind_the_second_of_two_is_its_own() -> None:
    found = read(
        "What was the difference between the mean NDVI of the ground above 700 m and the mean NDVI of the ground below"
        " 700 m in 2017?"
    )
    assert found.expression is not None, found.alike
    assert sum(isinstance(part, Within) for _, part in walk(found.expression)) == 2


@pytest.mark.parametrize(
    "asked", ["How fast did NDVI {} per year?", "By how many kelvin per year did surface temperature {}?"]
)
def test_what_fell_is_not_what_rose(asked: str) -> None:
    fell, rose = (read(asked.format(way)).expression for way in ("fall", "rise"))
    assert fell is not None
    assert rose is not None
    assert not equal(fell, rose)


def test_a_statistic_of_several_words_is_not_one_of_each() -> None:
    assert (
        read("What was the max-min range of NDVI per class?").expression == read("range of NDVI per class").expression
    )


def test_the_middle_percentile_is_the_median() -> None:
    assert read("What was the 50th percentile of NDVI?").expression == read("What was the median NDVI?").expression


def test_two_words_swapped_are_another_question() -> None:
    a = read("maximum of the monthly mean NDVI in 2017").expression
    b = read("mean of the monthly maximum NDVI in 2017").expression
    assert a is not None
    assert b is not None
    assert not equal(a, b)


def test_a_word_that_nothing_knows_is_named_and_nothing_is_taken() -> None:
    found = read("What was the mean NDVI of florbin forest in 2017?")
    assert found.expression is None
    assert found.unread == ("florbin",)


def test_the_words_behind_each_part_are_told() -> None:
    found = read("On how many dates in 2017 was the mean NDVI above 0.1?")
    assert found.behind(()) == ("On how many",)
    assert found.behind(("over", "x")) == ("above",)
    assert found.behind(("over", "x", "beyond", "x", "over", "x")) == ("2017",)


def test_names_of_the_data_are_known_with_the_data_alone() -> None:
    data = DataWords(objects=("Upper Meadow",))
    asked = expression("over(over(within(ndvi, polygons('Upper Meadow')), space, mean), time, mean)")
    with_data = read("mean NDVI in Upper Meadow", data).expression
    assert with_data is not None
    assert equal(with_data, asked)
    assert read("mean NDVI in Upper Field").unread == ("Upper",)


def test_two_dates_at_hand_are_before_and_after() -> None:
    data = DataWords(dates=(date(2020, 6, 1), date(2022, 6, 3)))
    found = read("How did the mean NDVI change?", data).expression
    told = read("How did the mean NDVI change between 2020-06-01 and 2022-06-03?").expression
    assert found is not None
    assert told is not None
    assert equal(found, told)
    assert read("How did the mean NDVI change?").expression is None


@pytest.mark.parametrize(
    ("said", "statistic"),
    [
        ("mean", "mean"),
        ("median", "median"),
        ("minimum", "minimum"),
        ("maximum", "maximum"),
        ("range of", "range"),
        ("standard deviation of", "deviation"),
        ("90th percentile of", "percentile"),
    ],
)
def test_a_statistic_of_ground_that_is_compared_pixel_by_pixel_is_over_the_dates(said: str, statistic: str) -> None:
    found = read(f"What share of the area had a {said} NDVI above 0.3?").expression
    assert found is not None
    taken = {part.statistic: part.axes for _, part in walk(found) if isinstance(part, Over)}
    assert taken == {"share": "space", statistic: "time"}


PARTS = {
    "What share of the area has NDVI above 0.6, and how large is it?": (
        "over(over(beyond(ndvi, above, 0.6), space, share), time, mean)",
        "over(over(beyond(ndvi, above, 0.6), space, area), time, mean)",
    ),
    "What is the mean NDVI in 2017, and how large is the area above 0.6?": (
        "over(over(during(ndvi, 2017), space, mean), time, mean)",
        "over(over(beyond(during(ndvi, 2017), above, 0.6), space, area), time, mean)",
    ),
    "What was the mean NDVI in 2017 of the forest and when was it highest in 2018?": (
        "over(over(within(during(ndvi, 2017), is_class(land_cover_class, forest)), space, mean), time, mean)",
        "extreme(over(within(during(ndvi, 2018), is_class(land_cover_class, forest)), space, mean), highest)",
    ),
    "What was the mean NDVI in 2016? What was the maximum NDVI?": (
        "over(over(during(ndvi, 2016), space, mean), time, mean)",
        "over(over(ndvi, space, maximum), time, maximum)",
    ),
    "What are the mean, the minimum and the maximum slope?": (
        "over(slope, space, mean)",
        "over(slope, space, minimum)",
        "over(slope, space, maximum)",
    ),
    "What are the mean slope and the mean elevation of the forest?": (
        "over(within(slope, is_class(land_cover_class, forest)), space, mean)",
        "over(within(elevation, is_class(land_cover_class, forest)), space, mean)",
    ),
    "the mean slope and the mean NDVI in 2017": (
        "over(slope, space, mean)",
        "over(over(during(ndvi, 2017), space, mean), time, mean)",
    ),
    "What is the mean slope of the forest and of the grassland?": (
        "over(within(slope, is_class(land_cover_class, forest)), space, mean)",
        "over(within(slope, is_class(land_cover_class, grassland)), space, mean)",
    ),
}


@pytest.mark.parametrize("question", PARTS)
def test_what_is_asked_together_is_a_question_with_parts(question: str) -> None:
    found = read(question).expression
    assert isinstance(found, Several), read(question)
    parts = [part for _, part in found.named]
    assert len(parts) == len(PARTS[question])
    assert all(equal(part, expression(asked)) for part, asked in zip(parts, PARTS[question], strict=True))


def test_each_part_is_told_in_the_unit_that_it_asks_for() -> None:
    assert read("What is the mean slope and what is the area of the forest in hectares?").units == (None, "ha")


def test_a_text_without_a_word_is_not_read_and_never_is_not_not() -> None:
    assert read("").expression is None
    assert read("Was the mean NDVI never below 0.2?").candidates() == ()


def test_it_is_what_was_named_before_or_nothing() -> None:
    assert read("When was it highest, and what was the mean NDVI?").expression is None
    assert read("What is the mean NDVI and the mean EVI, and when was it highest?").expression is None


SPOKEN = (
    *(
        "what is",
        "the mean",
        "maximum",
        "NDVI",
        "surface temperature",
        "of the forest",
        "in 2017",
        "in May",
        "when",
        "was",
    ),
    *(
        "highest",
        "above 0.3",
        "below",
        "300 K",
        "per month",
        "for each district",
        "how many",
        "dates",
        "and",
        "the first",
    ),
    *(
        "on which",
        "share of the area",
        "area",
        "where",
        "in hectares",
        "difference between",
        "2016",
        "than",
        "trend of",
        "it",
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SPOKEN), min_size=2, max_size=9))
def test_whatever_the_words_what_is_read_fits_and_the_rest_is_named(words: list[str]) -> None:
    found = read(" ".join(words))
    assert all(type_of(one) is not None for one in found.candidates())
    assert found.candidates() or found.unread or found.apart


def test_dates_that_are_found_may_stand_in_front() -> None:
    found = read("on the date with the highest mean surface temperature the mean NDVI").expression
    asked = (
        "over(over(during(ndvi, extreme(over(surface_temperature, space, mean), highest)), space, mean), time, mean)"
    )
    assert found is not None
    assert equal(found, expression(asked))
