"""Groups of the classes of a legend, by their names and their numbers in it, whatever numbers the pixels have."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.knowledge.legends import legend
from knowflow.question.operators import IsClass, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

LEVEL3 = legend("corine_level3")
HELD = (111, 112, 142, 211, 212, 221, 231, 311, 312, 313, 324, 512)
NAMES = {code: LEVEL3.classes[code].name for code in HELD}


def data(names: tuple[str, ...] = tuple(NAMES.values())) -> DataWords:
    return DataWords(
        frozenset({"land_cover_class"}),
        classes={"land_cover_class": names},
        years={"land_cover_class": (2000, 2018)},
        maps={"land_cover_class": 2},
    )


def classes_in(question: str, words: DataWords | None = None) -> set[str] | None:
    found = read(question, words or data()).expression
    if found is None:
        return None
    return {name for _, part in walk(found) if isinstance(part, IsClass) for name in part.names}


def beginning(*prefixes: str) -> set[str]:
    return {name for code, name in NAMES.items() if str(code).startswith(prefixes)}


@given(
    st.sampled_from([code for code in HELD if code not in (221, 231)]), st.sampled_from(["", "CLC ", "class ", "code "])
)
def test_a_name_with_its_number_is_that_class(code: int, before: str) -> None:
    asked = f"How many hectares of {NAMES[code]} ({before}{code}) were there in 2018?"
    assert classes_in(asked) == {NAMES[code]}


@given(
    st.lists(st.sampled_from([311, 312, 313]), min_size=2, max_size=3, unique=True), st.sampled_from(["", " together"])
)
def test_several_numbers_are_all_of_these(codes: list[int], together: str) -> None:
    told = ", ".join(map(str, codes[:-1])) + f" and {codes[-1]}{together}"
    assert classes_in(f"Area of forest ({told}) in 2018, in ha") == {NAMES[code] for code in codes}


@pytest.mark.parametrize(
    ("said", "prefixes"),
    [
        ("artificial surfaces", ("1",)),
        ("artificial surfaces (CLC class 1)", ("1",)),
        ("forest (CLC 31x)", ("31",)),
        ("agricultural land (all 2xx classes)", ("2",)),
        ("arable land", ("21",)),
        ("arable land (21x)", ("21",)),
        ("CLC 22x", ("22",)),
    ],
)
def test_groups_have_names_and_numbers(said: str, prefixes: tuple[str, ...]) -> None:
    assert classes_in(f"How many hectares of {said} were there in 2018?") == beginning(*prefixes)


@pytest.mark.parametrize("said", ["forest (211)", "forest (41x)", "artificial surfaces (31x)", "pastures (999)"])
def test_a_number_of_something_else_is_not_left_out(said: str) -> None:
    held = classes_in(f"How many hectares of {said} were there in 2018?")
    assert held is None or all("class" in name for name in held)  # which the map has to say, or refuses


def test_maps_of_other_legends_have_no_such_groups() -> None:
    words = data(("tree cover", "cropland", "built-up", "permanent water bodies"))
    assert classes_in("How many hectares of artificial surfaces were there in 2018?", words) is None


def test_groups_are_those_of_some_classes() -> None:
    for prefix in LEVEL3.groups:
        assert any(str(code).startswith(prefix) for code in LEVEL3.classes)
    names = [name for called in LEVEL3.groups.values() for name in called]
    assert all(one != other for one, other in pairwise(sorted(names)))
