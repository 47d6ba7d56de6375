"""Ground without clouds is that of each date, whatever else is asked of it; a part in a named place is of that one."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Beyond, Not, Over, Quantity, Within, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_CLEAR = Not(Quantity("cloud_mask"))


@pytest.mark.parametrize(
    "asked",
    [
        "What share of the cloud-free land above 3000 m had NDSI above 0.4 on 21 May 2021?",
        "mean NDSI of the cloud-free land above 3000 m on 21 May 2021",
    ],
)
def test_clear_ground_is_of_each_date(asked: str) -> None:
    found = read(asked, DataWords(quantities=frozenset(("ndsi", "elevation", "cloud_mask")))).expression
    assert found is not None
    grounds = [part.where for _, part in walk(found) if isinstance(part, Within)]
    assert _CLEAR in grounds
    assert any(isinstance(one, Beyond) and one.x == Quantity("elevation") for one in grounds)
    assert not [part for _, part in walk(found) if isinstance(part, Over) and part.statistic == "any"]


def test_a_part_in_a_named_place_is_of_no_other() -> None:
    data = DataWords(quantities=frozenset(("population_count", "elevation")), objects=("Mill",))
    whole = read("What share of the population of Mill lives where elevation is below 5 m?", data).expression
    assert whole is not None
    exposed = read("What share of the population of Mill is exposed (elevation below 5 m)?", data).expression
    if exposed is not None:
        places = [part for _, part in walk(exposed) if isinstance(part, Over) and part.statistic in ("sum", "share")]
        assert all("Mill" in repr(one) for one in places)
