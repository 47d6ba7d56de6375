"""Words of movement, whatever verb and form, and what they ask together with a measure or a time."""

from __future__ import annotations

import pytest

from knowflow.reason.language.movements import (
    asks_for_movement,
    asks_for_speed,
    grew_markedly,
    moved_by,
    movements,
)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("the lake has shrunk", "down"),
        ("the city keeps expanding", "up"),
        ("the lake got bigger", "up"),
        ("the water became much clearer", "down"),
        ("NDVI came back", "up"),
        ("NO2 went down", "down"),
        ("how the index evolved", "either"),
    ],
)
def test_movements_are_heard_in_every_form_of_their_words(text: str, way: str) -> None:
    assert [one.way for one in movements(text)] == [way]


@pytest.mark.parametrize(
    ("text", "found"), [("the growing season", ["growing"]), ("wet grounds", []), ("a thinly wooded upland", [])]
)
def test_words_within_words_are_no_movements(text: str, found: list[str]) -> None:
    assert [one.words for one in movements(text)] == found


@pytest.mark.parametrize(
    "text",
    ["The water got bigger by how many hectares?", "How far has NDVI sunk?", "The sea gained how many degrees?"],
)
def test_a_measure_beside_a_movement_asks_how_large_it_is(text: str) -> None:
    assert asks_for_movement(text) is not None


def test_a_count_of_dates_asks_for_no_movement() -> None:
    assert asks_for_movement("How many days after the rise was it?") is None


@pytest.mark.parametrize(
    "text",
    [
        "How quickly does NBR come back per year?",
        "How much NDVI is lost each year?",
        "By how many hectares did the lake shrink a year?",
        "By how much is it getting warmer per decade?",
        "rate of decline of the snow cover",
    ],
)
def test_a_time_beside_a_movement_asks_how_fast_it_is(text: str) -> None:
    assert asks_for_speed(text) is not None


@pytest.mark.parametrize(
    ("text", "way", "value", "percent", "limit"),
    [
        ("NDVI dwindled by more than 0.3", "down", 0.3, False, True),
        ("a loss of NDVI over 0.25", "down", 0.25, False, True),
        ("the turbidity increase is over 30 %", "up", 30.0, True, True),
        ("a 30% increase in turbidity", "up", 30.0, True, False),
        ("night lights rose in the city by at least 5", "up", 5.0, False, True),
        ("it fell by 0.2", "down", 0.2, False, False),
    ],
)
def test_how_far_something_moved_is_read_with_its_way(
    text: str, way: str, value: float, percent: bool, limit: bool
) -> None:
    (moved,) = moved_by(text)
    assert (moved.way, moved.value, moved.percent, moved.limit) == (way, value, percent, limit)


def test_a_limit_on_a_value_is_no_movement() -> None:
    assert moved_by("Area where NDVI is above 0.3 and did not change") == ()


@pytest.mark.parametrize(
    "text",
    [
        "By how much did NDVI fall by 2020 compared with 2015?",
        "Mean NDVI loss by 1 July 2020",
        "a loss by 2020-07-01",
        "NDVI dropped by July 2020",
    ],
)
def test_a_date_is_no_amount(text: str) -> None:
    assert moved_by(text) == ()


def test_an_amount_beside_a_date_is_one() -> None:
    (moved,) = moved_by("Hectares where NDVI fell by 0.3 by 2020")
    assert moved.value == 0.3


@pytest.mark.parametrize(
    "text", ["intensity significantly increased", "burned markedly more intensely", "rose strongly"]
)
def test_a_marked_rise_is_heard_however_it_is_worded(text: str) -> None:
    assert grew_markedly(text)
    assert not grew_markedly("it significantly decreased")


@pytest.mark.parametrize(("said", "value"), [("0.3", 0.3), (".3", 0.3), ("30", 30.0), ("2.5", 2.5)])
def test_how_far_is_a_number_however_it_is_written(said: str, value: float) -> None:
    assert [one.value for one in moved_by(f"NDVI fell by more than {said}")] == [value]
    assert [one.value for one in moved_by(f"a {said} % increase")] == [value]
