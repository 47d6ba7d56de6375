"""Words in brackets behind a noun that name the same again, and those that do not."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Expression, Quantity, Within, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def kinds(expression: Expression) -> set[str]:
    return {part.kind for _, part in walk(expression) if isinstance(part, Quantity)}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("backscatter (gamma nought)", "gamma0"),
        ("backscatter (gamma nought, linear power)", "gamma0"),
        ("backscatter (sigma nought in linear units)", "sigma0"),
        ("backscatter (linear power)", "sigma0"),
        ("backscatter (decibel scale)", "sigma0_db"),
        ("soil pH (water)", "soil_ph"),
        ("pH of the soil (soil acidity)", "soil_ph"),
        ("surface temperature (LST)", "surface_temperature"),
        ("rainfall (precipitation)", "precipitation"),
    ],
)
@pytest.mark.parametrize("question", ["What was the mean {} in 2020?", "In 2020, what was the highest {}?"])
def test_what_names_the_same_again_joins_its_noun(said: str, kind: str, question: str) -> None:
    found = read(question.format(said), DataWords(quantities=frozenset({kind})))
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    assert kinds(found.expression) == {kind}
    assert not any(isinstance(part, Within) for _, part in walk(found.expression))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("backscatter (sigma nought, linear power)", "gamma0"),
        ("backscatter (decibel scale)", "gamma0"),
        ("backscatter (linear power)", "gamma0_db"),
        ("surface temperature (precipitation)", "surface_temperature"),
        ("rainfall (linear power)", "precipitation"),
        ("soil pH (chalk)", "soil_ph"),
        ("soil pH (acidity of blue soil)", "soil_ph"),
    ],
)
def test_what_names_something_else_is_not_left_out(said: str, kind: str) -> None:
    found = read(f"What was the mean {said} in 2020?", DataWords(quantities=frozenset({kind})))
    assert all(kinds(one) != {kind} for one in found.candidates())
