"""Layers that are asked for by the words of their own names."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

CALLED = (
    ("yield_sugarcane__t_ha-1", ("yield", "sugarcane")),
    ("yield_soybeans__t_ha-1", ("yield", "soybeans")),
    ("distance", ("distance", "to", "road")),
    ("lossyear__1", ("lossyear",)),
    ("soil_resistance__ohm", ("soil", "resistance")),
)
DATA = DataWords(frozenset(kind for kind, _ in CALLED), called=CALLED)


def kinds(question: str) -> set[str]:
    expression = read(question, DATA).expression
    return set() if expression is None else {one.kind for _, one in walk(expression) if isinstance(one, Quantity)}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("mean sugarcane yield", "yield_sugarcane__t_ha-1"),
        ("average yield of soybean", "yield_soybeans__t_ha-1"),
        ("What is the maximum distance to the nearest road?", "distance"),
        ("minimum loss year", "lossyear__1"),
        ("mean soil resistance", "soil_resistance__ohm"),
        ("mean soybeans", "yield_soybeans__t_ha-1"),
    ],
)
def test_words_of_a_name_in_any_order_and_inflection_are_that_layer(question: str, kind: str) -> None:
    assert kinds(question) == {kind}


def test_words_that_several_layers_have_leave_it_open() -> None:
    data = DataWords(frozenset({"a__m", "b__m"}), called=(("a__m", ("gravel", "above")), ("b__m", ("gravel", "below"))))
    assert len(read("mean gravel", data).candidates()) == 2


@pytest.mark.parametrize("question", ["mean yield", "mean yield of the water"])
def test_what_many_things_are_measured_by_says_not_of_which(question: str) -> None:
    assert kinds(question) == set()


@pytest.mark.parametrize("question", ["mean rice yield", "mean soil moisture resistance", "mean distance to water"])
def test_no_word_beside_a_name_is_passed_over(question: str) -> None:
    assert kinds(question) == set()
