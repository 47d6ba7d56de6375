"""Forms of words by rule."""

from __future__ import annotations

import pytest

from knowflow.ground.inflection import comparative, degrees, plural, verb_forms


@pytest.mark.parametrize(
    ("spoken", "forms"),
    [
        ("drop", ("drop", "drops", "dropping", "dropped")),
        ("widen", ("widen", "widens", "widening", "widened")),
        ("decline", ("decline", "declines", "declining", "declined")),
        ("rise rose risen", ("rise", "rises", "rising", "rose", "risen")),
        ("dry", ("dry", "dries", "drying", "dried")),
        ("go went gone + up", ("go up", "goes up", "going up", "went up", "gone up")),
        ("recover", ("recover", "recovers", "recovering", "recovered")),
        ("halve", ("halve", "halves", "halving", "halved")),
    ],
)
def test_verbs_take_their_other_forms_by_rule(spoken: str, forms: tuple[str, ...]) -> None:
    assert verb_forms(spoken) == forms


@pytest.mark.parametrize(
    ("adjective", "form"), [("big", "bigger"), ("dry", "drier"), ("large", "larger"), ("green", "greener")]
)
def test_comparatives_follow_by_rule(adjective: str, form: str) -> None:
    assert comparative(adjective) == form


@pytest.mark.parametrize(
    ("adjective", "forms"),
    [("murky", ("murky", "murkier", "murkiest")), ("big", ("big", "bigger", "biggest"))],
)
def test_an_adjective_has_three_degrees(adjective: str, forms: tuple[str, ...]) -> None:
    assert degrees(adjective) == forms


@pytest.mark.parametrize(
    ("noun", "form"),
    [
        ("scene", "scenes"),
        ("parish", "parishes"),
        ("patch", "patches"),
        ("date of acquisition", "dates of acquisition"),
        ("constituency", "constituencies"),
    ],
)
def test_nouns_take_their_plural_by_rule(noun: str, form: str) -> None:
    assert plural(noun) == form


@pytest.mark.parametrize("word", ["y", "x", "be", "qu", "é", "yy"])
def test_any_word_that_may_be_authored_has_its_forms(word: str) -> None:
    assert all([*verb_forms(word), *degrees(word), plural(word)])


def test_a_letter_has_a_plural() -> None:
    assert plural("y") == "ys"
