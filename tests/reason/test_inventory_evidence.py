"""Clues are weighed: what is well ahead becomes a fact, the rest stays open, and nothing depends on their order."""

from __future__ import annotations

import math
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue, clues_of, disagreements, weigh

weights = st.sampled_from([0.1, 0.3, 0.45, 0.5, 0.7, 0.9, 1.0])
clues = st.builds(
    Clue, st.sampled_from(["quantity", "unit", "datetime"]), st.sampled_from(["a", "b", "c"]), st.text("xyz"), weights
)


@given(st.lists(clues, max_size=8))
def test_every_fact_of_which_something_speaks_is_known_or_open_and_never_both(said: list[Clue]) -> None:
    facts, open = weigh(said)
    assert set(facts) | {one.fact for one in open} == {clue.fact for clue in said}
    assert not set(facts) & {one.fact for one in open}
    assert {(one.fact, one.value) for one in open} <= {(clue.fact, clue.value) for clue in said}


@given(st.lists(clues, max_size=8))
def test_clues_add_up_as_independent_hints_and_the_heaviest_is_the_fact(said: list[Clue]) -> None:
    facts, open = weigh(said)
    for fact, some in groupby(sorted(said, key=lambda clue: clue.fact), key=lambda clue: clue.fact):
        doubts: dict[str, float] = {}
        for clue in some:
            doubts[clue.value] = doubts.get(clue.value, 1.0) * (1 - clue.weight)
        if fact in facts:
            assert doubts[facts.value(fact)] == min(doubts.values()) <= 0.5
        else:
            assert all(math.isclose(one.weight, 1 - doubts[one.value]) for one in open if one.fact == fact)


@given(st.lists(clues, max_size=8).flatmap(lambda said: st.tuples(st.just(said), st.permutations(said))))
def test_the_order_of_clues_changes_nothing(both: tuple[list[Clue], list[Clue]]) -> None:
    (one, left), (other, also) = (weigh(said) for said in both)
    assert {name: fact.value for name, fact in one.items()} == {name: fact.value for name, fact in other.items()}
    assert {(item.fact, item.value) for item in left} == {(item.fact, item.value) for item in also}


def test_hints_make_candidates_and_enough_of_them_a_fact() -> None:
    hint = Clue("unit", "K", "values between 270 and 310", 0.4)
    facts, (candidate,) = weigh([hint])
    assert not facts
    assert (candidate.value, candidate.sources) == ("K", ("values between 270 and 310",))
    facts, open = weigh([hint, Clue("unit", "K", "sibling", 0.4)])
    assert (facts.value("unit"), facts["unit"].origin, open) == ("K", Origin.DECLARED, ())
    assert facts["unit"].source == "values between 270 and 310; sibling"


def test_one_certain_value_stands_against_hints_and_two_are_a_disagreement() -> None:
    said = [Clue("unit", "K", "tag UNIT"), Clue("unit", "degC", "file name", 0.9)]
    assert weigh(said)[0].value("unit") == "K"
    facts, open = weigh([*said, Clue("unit", "degC", "sidecar")])
    assert not facts
    assert disagreements(open) == ("unit is K by tag UNIT, degC by file name and sidecar; neither is used",)


def test_what_is_merely_usual_counts_where_nothing_else_speaks() -> None:
    usual = Clue("unit", "K", "usual", 1.0, Origin.ASSUMED)
    assert weigh([usual])[0]["unit"].origin == Origin.ASSUMED
    assert weigh([usual, Clue("unit", "degC", "tag")])[0].value("unit") == "degC"
    facts, open = weigh([usual, Clue("unit", "degC", "values", 0.45)])
    assert (len(facts), [one.value for one in open]) == (0, ["degC"])
    assert weigh([usual, Clue("unit", "degC", "values", 0.3)])[0].value("unit") == "K"  # one of many that may be


@given(st.lists(st.sampled_from(["blue", "green", "red"]), min_size=1, max_size=3))
def test_facts_are_clues_for_themselves_and_lists_are_pasted_as_lists(bands: list[str]) -> None:
    said = Facts.of(Origin.DECLARED, "tag", bands=bands, scale=1)
    assert weigh(clues_of(said)) == (said, ())
    _, (candidate,) = weigh([Clue("bands", bands, "four bands", 0.3)])
    assert candidate.assumption == f"bands=[{','.join(bands)}]"
