"""What a list says once is said of all of it; a month without a year is of the year of what it stands beside; what is
said of the ground does not take away how dates are put together."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DATES = tuple(date(year, month, 1) for year in (2018, 2019) for month in range(1, 13))
_DATA = DataWords(
    frozenset({"precipitation", "ndvi", "elevation", "slope", "air_temperature"}),
    objects=("Upper Oued", "Lower Oued"),
    dates=_DATES,
    keys=(("basin", "objects"), ("sub basin", "objects")),
)
_RAIN = "over(over(during(precipitation, '{when}'), space, mean), time, sum)"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "What is the mean elevation and mean slope of each basin?",
            "several({'first': over(split(elevation, polygons()), space, mean), "
            "'second': over(split(slope, polygons()), space, mean)})",
        ),
        (
            "What is the mean elevation, the mean slope and the maximum slope per basin?",
            "several({'first': over(split(elevation, polygons()), space, mean), "
            "'second': over(split(slope, polygons()), space, mean), "
            "'third': over(split(slope, polygons()), space, maximum)})",
        ),
        (
            "What is the ratio of rainfall in April to rainfall in November 2019?",
            f"calculate(ratio, {_RAIN.format(when='2019-04')}, {_RAIN.format(when='2019-11')})",
        ),
        ("How much rain fell over the basin in 2019, as an area average?", _RAIN.format(when="2019")),
        ("Rainfall in 2019, averaged over the area", _RAIN.format(when="2019")),
        ("Monthly rainfall as a basin average", "over(split(over(precipitation, space, mean), month), time, sum)"),
        (
            "Basin means of elevation",
            "over(split(elevation, polygons()), space, mean)",
        ),
    ],
)
def test_what_is_said_once_is_of_all(question: str, expression: str) -> None:
    found = read(question, _DATA).expression
    wanted, problems = expression_of(expression)
    assert wanted is not None, problems
    assert found is not None
    assert normal(found) == normal(wanted)


def test_an_average_of_what_several_polygons_are_called_is_asked_back() -> None:
    """It may be that of each of them, or of all the ground."""
    found = read("In how many months was the basin average rainfall below 50 mm?", _DATA)
    assert found.expression is None
    assert len(found.alike) == 2
