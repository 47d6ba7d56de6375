"""Yes or no of all of something, or of any of it."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import During, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_KINDS = ("ndvi", "precipitation", "air_temperature", "wind_speed", "no2_column")
_DATA = DataWords(
    quantities=frozenset(_KINDS),
    objects=("North Park", "Mill"),
    dates=tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13)),
)
_SEA = DataWords(quantities=frozenset(("sea_surface_temperature",)), objects=("Mill",), dates=_DATA.dates)


def assert_means(question: str, expression: str, data: DataWords = _DATA) -> None:
    found, wanted = read(question, data), expression_of(expression)[0]
    assert found.expression is not None, found
    assert wanted is not None
    assert equal(found.expression, wanted), found.expression


_NDVI = "split(over(during(ndvi, 2020), space, mean), month)"
_RAIN = "over(over(split(precipitation, polygons()), space, mean), time, sum)"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "Did the mean NDVI stay above 0.3 in every month of 2020?",
            f"over(beyond(over({_NDVI}, time, mean), above, 0.3), time, all)",
        ),
        (
            "Was the mean NDVI below 0.3 in any month of 2020?",
            f"over(beyond(over({_NDVI}, time, mean), below, 0.3), time, any)",
        ),
        (
            "Did the mean NDVI ever exceed 0.8?",
            "over(beyond(over(ndvi, space, mean), above, 0.8), time, any)",
        ),
        (
            "Is it true that the mean NDVI was above 0.1 in every month of 2020?",
            f"over(beyond(over({_NDVI}, time, mean), above, 0.1), time, all)",
        ),
        (
            "Did all districts get more than 300 mm?",
            f"over(beyond({_RAIN}, above, '300 mm'), objects, all)",
        ),
        (
            "Was any district drier than 300 mm?",
            f"over(beyond({_RAIN}, below, '300 mm'), objects, any)",
        ),
    ],
)
def test_all_or_any_of_something_have_one_yes_or_no(question: str, expression: str) -> None:
    assert_means(question, expression, _DATA)


def test_what_a_medium_has_somewhere_is_held_against_its_limit() -> None:
    assert_means(
        "Did the sea at Mill stay below 30 C in July 2020?",
        "beyond(over(over(within(during(sea_surface_temperature, '2020-07'), polygons(['Mill'])), space, mean), time,"
        " mean), below, '30 degC')",
        _SEA,
    )


@pytest.mark.parametrize(
    "question",
    [
        "Was NDVI in the forest above 0.3 and the rest of it cloudy in every month of 2020?",
        "Did North Park of NDVI in every month?",
        "Were mean NDVI 0.3 in North Park?",
    ],
)
def test_pieces_make_no_number_of_what_asks_for_yes_or_no(question: str) -> None:
    assert read(question, _DATA).expression is None


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "Area with NDVI above 0.3 in every month of 2020",
            "over(over(over(split(beyond(during(ndvi, 2020), above, 0.3), month), time, any), time, all), space, area)",
        ),
        ("Was there a trend in NDVI?", "trend(over(ndvi, space, mean), linear)"),
    ],
)
def test_other_questions_stay_as_they_are(question: str, expression: str) -> None:
    found = read(question, _DATA)
    wanted = expression_of(expression)[0]
    assert wanted is not None
    assert found.expression is None or equal(found.expression, wanted)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Was the mean NDVI above 0.3 in May 2020 (yes or no)?", "Was the mean NDVI above 0.3 in May 2020?"),
        ("Was the mean NDVI above 0.3 in May 2020? Yes or no", "Was the mean NDVI above 0.3 in May 2020?"),
        ("When (start date) did NDVI peak in 2021?", "When did NDVI peak in 2021?"),
        ("Which date had the highest mean NDVI? (date of the composite)", "Which date had the highest mean NDVI?"),
        (
            "What is the first date with a mean NDVI above 0.3? Give its start date",
            "What is the first date with a mean NDVI above 0.3?",
        ),
        (
            "Temperature anomaly of May 2020 against the mean of all Mays",
            "How much warmer was May 2020 than the mean of all Mays?",
        ),
    ],
)
def test_both_ask_the_same(one: str, other: str) -> None:
    first, second = read(one, _DATA), read(other, _DATA)
    assert first.expression is not None, first
    assert second.expression is not None, second
    assert equal(first.expression, second.expression), (first.expression, second.expression)


@pytest.mark.parametrize("question", ["Mean NDVI in May 2020 (yes or no)?", "Mean NDVI in May 2020 (start date)"])
def test_no_number_is_a_yes_or_a_date(question: str) -> None:
    assert read(question, _DATA).expression is None


def test_the_mean_of_all_months_of_a_name_is_of_no_year() -> None:
    found = read("How much did January 2021 rain deviate from the mean January?", _DATA).expression
    assert found is not None
    assert {str(part.when) for _, part in walk(found) if isinstance(part, During)} == {"2021-01", "january"}
