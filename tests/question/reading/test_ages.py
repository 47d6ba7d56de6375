"""People of an age and a sex are those of the groups that make them up exactly."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.ages import Group, group_of, groups_of
from knowflow.question.operators import Calculate, Expression, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

STARTS = (0, 1, *range(5, 81, 5))
GROUPS = tuple(
    Group(sex, first, last)
    for sex in "fm"
    for first, last in (*((a, b - 1) for a, b in pairwise(STARTS)), (STARTS[-1], None))
)
KINDS = frozenset({"population_by_age", "population_count"})


def _data(groups: tuple[Group, ...] = GROUPS, kinds: frozenset[str] = KINDS) -> DataWords:
    chosen = tuple(Chosen("slice", str(one), ("population_by_age",)) for one in groups)
    return DataWords(quantities=kinds, chosen=chosen, maps=dict.fromkeys(kinds, 1))


def _years(first: int, last: int | None) -> range:
    return range(first, (120 if last is None else last) + 1)


def _read(asked: str, data: DataWords) -> Expression:
    found = read(asked, data=data)
    assert found.expression is not None, (asked, found.unread, found.apart, found.alike)
    return found.expression


def _groups_in(x: Expression) -> set[Group]:
    told = (part for _, part in walk(x) if isinstance(part, Quantity) and part.kind == "population_by_age")
    return {group for part in told for _, value in part.having if (group := group_of(value)) is not None}


@given(st.sampled_from(GROUPS))
def test_a_group_is_told_as_it_is_read(group: Group) -> None:
    assert group_of(str(group)) == group


@given(st.sets(st.sampled_from(GROUPS)), st.sampled_from("fmt"), st.integers(0, 90), st.integers(0, 90) | st.none())
def test_groups_make_up_exactly_those_who_are_asked_for(
    held: set[Group], sex: str, first: int, last: int | None
) -> None:
    found = groups_of(sex, first, last, held)
    wanted = [
        (each, age)
        for each in ("fm" if sex == "t" else sex)
        for age in range(first, (120 if last is None else last) + 1)
    ]
    counted = [(one.sex, age) for one in found for age in range(one.first, (120 if one.last is None else one.last) + 1)]
    if found:
        assert sorted(counted) == wanted
        assert {*found} <= held
        assert last is None or all(one.last is not None for one in found)


@pytest.mark.parametrize(
    ("asked", "sexes", "first", "last"),
    [
        ("How many children under five are there?", "fm", 0, 4),
        ("number of women aged 60 and over", "f", 60, None),
        ("How many people are over 65?", "fm", 65, None),
        ("total number of boys 5 to 9 years old", "m", 5, 9),
        ("How many girls under 5 years of age live here?", "f", 0, 4),
        ("How many men aged 20-24 are there?", "m", 20, 24),
        ("How many women between the ages of 15 and 49 are there?", "f", 15, 49),
    ],
)
def test_people_of_an_age_are_the_sum_of_their_groups(asked: str, sexes: str, first: int, last: int | None) -> None:
    found = _groups_in(_read(asked, _data()))
    assert found == {*groups_of("t" if len(sexes) > 1 else sexes, first, last, GROUPS)}


def test_all_people_are_the_map_of_all_where_there_is_one_and_all_groups_where_there_is_none() -> None:
    asked = "How many people live here?"
    assert not _groups_in(_read(asked, _data()))
    assert _groups_in(_read(asked, _data(kinds=frozenset({"population_by_age"})))) == {*GROUPS}


@pytest.mark.parametrize("asked", ["How many children under 3 are there?", "How many girls live here?"])
def test_no_others_are_counted_where_the_groups_do_not_make_up_who_is_meant(asked: str) -> None:
    assert read(asked, data=_data()).expression is None


def test_the_groups_are_added_and_none_is_taken_for_all() -> None:
    x = _read("How many children under five are there?", _data())
    assert any(isinstance(part, Calculate) and part.how == "sum" for _, part in walk(x))
