"""What a layer is called: the same under all names of one thing, its own name where these are of several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.meanings import Clause, Meaning, layer_names
from knowflow.reason.inventory.names import name_facts

words = st.lists(st.from_regex(r"[a-z]{3,8}", fullmatch=True), min_size=2, max_size=4, unique=True)


@given(words)
def test_names_of_one_thing_have_one_label(names: list[str]) -> None:
    one = Meaning("one", "One", (Clause({}, {"quantity": "ndvi"}, {}),))
    assert {layer.label for layer in layer_names(names, one).values()} == {names[0]}


@given(words, st.sampled_from(("name", "layer")))
def test_names_that_nothing_or_each_says_something_of_have_their_own(names: list[str], condition: str) -> None:
    apart = Clause({condition: names[-1]}, {"quantity": "ndvi"}, {})
    for clauses in ((), (Clause({}, {}, {}), apart)):
        labels = {layer.name: layer.label for layer in layer_names(names, Meaning("some", "Some", clauses)).values()}
        assert labels == {name: name for name in names}


def test_no_layer_of_a_product_is_called_by_what_is_another_thing() -> None:
    for known in load_lore().products.values():
        for layer in known.layers.values():
            if not layer.meaning.quantities and not layer.meaning.open:
                assert layer.label == layer.name, known.product.product


@pytest.mark.parametrize("method", ["short_crop", "tall_crop", "hargreaves", "thornthwaite", "makkink", "fao56"])
def test_evapotranspiration_of_a_reference_is_not_the_actual_one(method: str) -> None:
    assert name_facts(f"et_{method}_20210714.tif").facts.value("quantity") == "potential_evapotranspiration"


@pytest.mark.parametrize("method", ["penman", "priestley_taylor", "pm"])
def test_formulas_of_both_evapotranspirations_leave_open_which_one_it_is(method: str) -> None:
    read = name_facts(f"et_{method}_20210714.tif")
    told = {clue.value for clue in read.clues if clue.fact == "quantity"}
    assert "quantity" not in read.facts
    assert told == {"potential_evapotranspiration", "evapotranspiration"}
