"""Groups of people by sex and age, as layers are told apart by: ``females of 60 to 64 years``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SEXES = {"f": "females", "m": "males", "t": "people"}
_TOLD = re.compile(r"(females|males|people) of (\d+)(?: to (\d+) years| years and more)")


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """People of a ``sex``, f, m or t for both, from one age in years to another that still counts; None: and older.

    >>> str(Group("f", 60, 64)), str(Group("m", 80, None))
    ('females of 60 to 64 years', 'males of 80 years and more')
    """

    sex: str
    first: int
    last: int | None

    def __str__(self) -> str:
        until = " years and more" if self.last is None else f" to {self.last} years"
        return f"{_SEXES[self.sex]} of {self.first}{until}"


def group_of(told: str) -> Group | None:
    """The group that a text tells.

    >>> group_of("females of 60 to 64 years")
    Group(sex='f', first=60, last=64)
    """
    found = _TOLD.fullmatch(told)
    if found is None:
        return None
    sex = next(sex for sex, name in _SEXES.items() if name == found[1])
    return Group(sex, int(found[2]), int(found[3]) if found[3] else None)


def groups_of(sex: str, first: int, last: int | None, held: Iterable[Group]) -> tuple[Group, ...]:
    """The groups that people of a sex and of these ages are, together; none where those that are held leave some of
    them out, or count others as well. Of both sexes those of both, where there are none of them together.

    >>> held = [Group("f", 0, 0), Group("f", 1, 4), Group("f", 5, 9)]
    >>> [one.first for one in groups_of("f", 0, 4, held)], groups_of("f", 0, 3, held), groups_of("t", 0, 4, held)
    ([0, 1], (), ())
    """
    listed = sorted(set(held), key=lambda one: one.first)
    found: list[Group] = []
    at: int | None = first
    for one in (one for one in listed if one.sex == sex):
        inside = at is not None and one.first == at and (last is None or (one.last is not None and one.last <= last))
        if inside:
            found.append(one)
            at = None if one.last is None else one.last + 1
    whole = bool(found) and (at is None if last is None else at == last + 1)
    if whole:
        return tuple(found)
    both = [groups_of(each, first, last, listed) for each in "fm"] if sex == "t" else []
    return (*both[0], *both[1]) if both and all(both) else ()
