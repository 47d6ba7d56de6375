"""What is more or less than another, or than itself at another time or elsewhere; by how much, how many times."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    frozenset({"ndvi", "surface_temperature", "no2_column", "water_mask"}), objects=("Old Mill", "Hill Park")
)
YEARLY = "over(split(over(ndvi, space, mean), year), time, mean)"
_JUNE = "'2020-06-18'"
_OLD, _HILL = "polygons(['Old Mill'])", "polygons(['Hill Park'])"


def lst(where: str, when: str = "") -> str:
    x = f"during(surface_temperature, {when})" if when else "surface_temperature"
    return f"over(within({x}, {where}), space, mean)"


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        (
            "By how many percent did rainfall in 2021 deviate from the mean of 2011 to 2020?",
            "calculate(percent_change, over(over(during(precipitation, 2021), space, mean), time, sum), over(over("
            "split(over(during(precipitation, '2011-01-01/2020-12-31'), space, mean), year), time, sum), time, mean))",
            None,
        ),
        (
            "In how many years was the mean NDVI below average?",
            f"over(beyond({YEARLY}, below, over({YEARLY}, time, mean)), time, count)",
            None,
        ),
        (
            "How many degrees cooler was Hill Park than the Old Mill on 18 June 2020?",
            f"calculate(difference, over({lst(_OLD, _JUNE)}, time, mean), over({lst(_HILL, _JUNE)}, time, mean))",
            "degC",
        ),
        (
            "How many times higher was mean NO2 in Hill Park than in Old Mill in January 2020?",
            f"calculate(ratio, over(over(within(during(no2_column, '2020-01'), {_HILL}), space, mean), time, mean),"
            f" over(over(within(during(no2_column, '2020-01'), {_OLD}), space, mean), time, mean))",
            None,
        ),
        (
            "Count the months of 2020 in which mean NDVI was lower than in the same month of 2019.",
            "over(beyond(over(split(over(during(ndvi, 2020), space, mean), month_of_year), time, mean), below,"
            " over(split(over(during(ndvi, 2019), space, mean), month_of_year), time, mean)), time, count)",
            None,
        ),
        (
            "In how many months was Hill Park more than 0.5 K warmer than Old Mill?",
            f"over(beyond(over(split(calculate(difference, {lst(_HILL)}, {lst(_OLD)}), month), time, mean), above,"
            " '0.5 K'), time, count)",
            None,
        ),
        (
            "How many hectares did the water area of 2018 differ from the average of the other years?",
            "over(during(anomaly(over(water_mask, space, area), difference), 2018), time, mean)",
            "ha",
        ),
        (
            "By how many percent was the total rainfall of 2020 higher than that of 2019?",
            "calculate(percent_change, over(over(during(precipitation, 2020), space, mean), time, sum),"
            " over(over(during(precipitation, 2019), space, mean), time, sum))",
            None,
        ),
        (
            "In which months was Hill Park cooler than Old Mill?",
            f"holds(beyond(over(split({lst(_HILL)}, month), time, mean), below,"
            f" over(split({lst(_OLD)}, month), time, mean)))",
            None,
        ),
    ],
)
def test_what_is_compared(question: str, expression: str, unit: str | None) -> None:
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, expression_of(expression)[0]), found.expression
    assert found.unit == unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Was there more water in 2020 than in 2015?", "Was the water area larger in 2020 than in 2015?"),
        ("Was the mean NDVI in 2020 higher than in 2019?", "Was the mean NDVI higher in 2020 than in 2019?"),
        (
            "How much cooler is Hill Park than Old Mill on average?",
            "How much warmer is Old Mill than Hill Park?",
        ),
        (
            "How much higher was the rainfall in 2020 than in 2019, in percent?",
            "By how many percent was the rainfall in 2020 higher than in 2019?",
        ),
        (
            "What is the ratio of the water area in 2020 to that in 2015?",
            "How many times larger was the water area in 2020 than in 2015?",
        ),
        ("How many days was the lake larger than 200 hectares?", "On how many dates did water cover more than 200 ha?"),
        ("When did the mean NDVI last exceed 0.5?", "last date on which the mean NDVI was above 0.5"),
        ("Which 3 districts have the highest mean NDVI?", "Which three districts had the highest mean NDVI?"),
        (
            "How strongly is NDVI correlated with LST across the years?",
            "Correlation across the years between NDVI and LST",
        ),
        (
            "By how much was the mean NDVI of 2020 below that of 2019?",
            "How much did the mean NDVI fall from 2019 to 2020?",
        ),
        ("By how much did mean NDVI in 2020 exceed that of 2019?", "How did the mean NDVI change from 2019 to 2020?"),
        (
            "How many more hectares of water were there in 2018 than in 2010?",
            "How many hectares larger was the water area in 2018 than in 2010?",
        ),
        (
            "What share of the area was more than 0.1 greener in 2020 than in 2018?",
            "What share of the area was more than 0.1 greener in 2020 compared with 2018?",
        ),
    ],
)
def test_said_otherwise(one: str, other: str) -> None:
    a, b = read(one, DATA).expression, read(other, DATA).expression if other else None
    assert (a is None) == (b is None)
    assert a is None or b is None or equal(a, b)


@pytest.mark.parametrize(
    "question",
    [
        "By how many percent was the NDVI of 2020 higher than that of 2019 than in 2018?",
        "How much higher was the mean NDVI than in 2019?",
        "How many times higher was the mean NDVI of Hill Park than of Hill Park?",
    ],
)
def test_what_is_not_compared_with_another_is_asked_back(question: str) -> None:
    assert read(question, DATA).expression is None


@pytest.mark.parametrize(
    "question",
    [
        "Did 2019 have more rain than 2018?",
        "Was there more rain in 2019 than in 2018?",
        "Did more rain fall in 2019 than in 2018?",
        "Was 2019 wetter than 2018?",
    ],
)
def test_whether_there_is_more_of_something_is_a_yes_or_a_no(question: str) -> None:
    found = read(question, data=DataWords(frozenset({"precipitation"}))).expression
    years = (f"over(over(during(precipitation, {year}), space, mean), time, sum)" for year in (2019, 2018))
    expected = expression_of("beyond({}, above, {})".format(*years))[0]
    assert found is not None
    assert expected is not None
    assert equal(found, expected)
