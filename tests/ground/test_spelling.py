from __future__ import annotations

import pytest

from knowflow.ground.spelling import did_you_mean, lookalikes, says

KNOWN = ("NDVI", "MNDWI", "slope", "aspect")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndv", "did you mean NDVI?"),
        ("SLOP", "did you mean slope?"),
        ("nothing like it", "see the list"),
    ],
)
def test_names_that_look_alike_are_offered_as_they_are_written(name: str, hint: str) -> None:
    assert did_you_mean(name, KNOWN, "see the list") == hint


def test_letters_changed_over_come_before_names_that_share_more() -> None:
    assert lookalikes("NDIV", ("NDSIWV", "NMDI", "NDVI"))[0] == "NDVI"


def test_no_more_are_offered_than_asked_for() -> None:
    assert lookalikes("ndvi", KNOWN, most=1) == ["NDVI"]
    assert did_you_mean("zzz", KNOWN) == ""


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("NDVI of the Yellow River in 2020", "YellowRiver", True),
        ("NDVI of the Yellow River's mouth", "yellow_river", True),
        ("The Great Lakes in July", "the_great_lake", True),
        ("NDVI of Alpha-2.", "Alpha_2", True),
        ("What was a mean?", "a", False),
        ("the basin", "Asin", False),
        ("NDVI of Alpha 20", "Alpha 2", False),
    ],
)
def test_a_name_is_said_by_whole_words_however_they_are_joined(text: str, name: str, said: bool) -> None:
    assert says(text, name) is said
