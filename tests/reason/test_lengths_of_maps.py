"""Of how long a time maps may be for what a question tells of times."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Beyond, During, Expression, Extreme, Number, Over, Polygons, Quantity, Split
from knowflow.question.times import Times
from knowflow.reason.compiling.lengths import lengths_of

RAIN = Quantity("precipitation")


def during(first: date, last: date) -> Expression:
    return During(RAIN, Times(first, last))


YEAR = during(date(2020, 1, 1), date(2020, 12, 31))
EACH = Over(Split(YEAR, Polygons()), "space", "mean")


@pytest.mark.parametrize(
    ("x", "first"),
    [
        (Over(YEAR, "time", "sum"), "years"),
        (Over(during(date(2020, 4, 1), date(2020, 6, 30)), "time", "sum"), "months"),
        (Over(during(date(2020, 4, 11), date(2020, 4, 20)), "time", "sum"), "days"),
        (Over(Split(YEAR, "month"), "time", "sum"), "months"),
        (Over(Beyond(YEAR, "above", Number(20.0, "mm")), "time", "count"), "days"),  # of dates
        (Extreme(Over(YEAR, "space", "mean"), "highest"), "days"),  # which date
        (Extreme(Over(EACH, "time", "sum"), "highest"), "years"),  # which polygon
        (
            Over(
                Beyond(Over(Split(YEAR, Polygons()), "space", "mean"), "above", Number(9.0, "mm")), "objects", "count"
            ),
            "years",
        ),
    ],
)
def test_the_longest_maps_that_a_time_is_made_of_come_first(x: Expression, first: str) -> None:
    assert lengths_of(x)[0] == first


def test_no_map_is_longer_than_what_is_asked() -> None:
    assert "years" not in lengths_of(during(date(2020, 4, 1), date(2020, 4, 30)))
    assert lengths_of(during(date(2020, 4, 11), date(2020, 4, 20))) == ("days", "parts of months")
