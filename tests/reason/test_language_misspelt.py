from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.misspelt import misspelt, slips


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("mean NDIV in 2021", "NDIV: did you mean NDVI"),
        ("mean surface tempreature", "tempreature: did you mean temperature?"),
    ],
)
def test_a_misspelt_name_is_guessed_at(question: str, hint: str) -> None:
    assert misspelt(understand(question)).startswith(hint)


@pytest.mark.parametrize("question", ["mean NDVI in 2021", "mean NDVI of Xyzzq", "share with high NDVI"])
def test_nothing_is_said_of_words_that_look_like_no_name(question: str) -> None:
    assert misspelt(understand(question)) == ""


@pytest.mark.parametrize(
    ("query", "word", "meant"),
    [
        ("What is the mean NDVI belwo 500 m?", "belwo", "below"),
        ("Share of the area that excedes 300 K", "excedes", "exceeds"),
        ("Mean NDVI in Juni 2021", "Juni", "June"),
        ("Mean NDVI in Novmber 2021", "Novmber", "November"),
    ],
)
def test_a_slip_in_a_limit_or_a_month_is_asked_back(query: str, word: str, meant: str) -> None:
    (slip,) = slips(understand(query))
    assert slip.unknown == (word,)
    assert meant in slip.hint


@pytest.mark.parametrize("query", ["Mean NDVI of Maribor 2021", "Mean NDVI over 2021", "Area above 300 K in May 2021"])
def test_places_and_what_is_read_are_no_slips(query: str) -> None:
    assert not [*slips(understand(query))]
