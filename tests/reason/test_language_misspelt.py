from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.misspelt import misspelt


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
