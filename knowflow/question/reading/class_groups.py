"""Classes of a legend whose numbers are in groups, as those of CORINE land cover: ``artificial surfaces``, ``forest
(CLC 31x)``, ``arable land (211)``. The numbers are those of the legend, whatever numbers the pixels of the map have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from knowflow.knowledge.legends import Legend, codes_of
from knowflow.knowledge.reading_words import words_of
from knowflow.question.operators import IsClass, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_CODE = re.compile(r"[1-9](?:\d{0,2}|\d?x|xx)")
_AROUND = frozenset({"clc", "corine", "class", "classes", "code", "codes", "all", "together", "and", "level", ",", "+"})
_BEFORE = frozenset({"clc", "corine", "class", "classes", "code", "codes"})
_LIKELIER = -3  # than that of the name and number of a pixel
_WHOLE = 3  # signs of a number of one class, or of all that begin so: 211, 31x


def grouped_classes(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Ground of the classes of a group, by its name, its numbers, or the one with the other in brackets."""
    for kind, names in data.classes.items():
        known = codes_of(names)
        if known is None:
            continue
        legend, codes = known
        groups = list(_named_groups(words, kind, legend, codes))
        yield from groups
        for first in (at for at, word in enumerate(words) if word == "(" and ")" in words[at:]):
            close = words.index(")", first)
            members = _said(words[first + 1 : close], codes)
            for one in (*found, *groups) if members else ():
                if one.end == first and one.symbol == "GROUND" and _fits(one, kind, members, legend, codes):
                    yield _ground(kind, members, one.start, close + 1, _LIKELIER)
        for at, word in enumerate(words[1:], start=1):
            members = _said([word], codes) if len(word) == _WHOLE and words[at - 1] in _BEFORE else set()
            if members:
                yield _ground(kind, members, at - 1, at + 1)


def _named_groups(words: Sequence[str], kind: str, legend: Legend, codes: Mapping[str, str]) -> Iterator[Entity]:
    """Groups by name; one that some class of the map is called like as well is that class."""
    own = {words_of(name.casefold()) for name in codes}
    for prefix, called in legend.groups.items():
        members = {name for name, code in codes.items() if code.startswith(prefix)}
        for name in called if members else ():
            spoken = [word for word in words_of(name) if word != "-"]
            for start in range(len(words)) if tuple(spoken) not in own else ():
                end = _end_of(words, start, spoken)
                if end:
                    yield _ground(kind, members, start, end, -1)


def _end_of(words: Sequence[str], start: int, spoken: Sequence[str]) -> int:
    """Where a name ends that begins at a word, hyphens or not; 0 where it is not said there."""
    at = start
    for word in spoken:
        at += at > start and words[at : at + 1] == ["-"]
        if words[at : at + 1] != [word]:
            return 0
        at += 1
    return at


def _said(words: Sequence[str], codes: Mapping[str, str]) -> Set[str]:
    """The classes of all numbers that are said, 31x for all that begin with 31; none where anything else is, or where
    one of them is of none."""
    told = [word for word in words if word not in _AROUND]
    found: set[str] = set()
    for word in told:
        prefix = word.rstrip("x")
        exact = len(word) == _WHOLE and prefix == word
        those = {name for name, code in codes.items() if code == word or (not exact and code.startswith(prefix))}
        if not _CODE.fullmatch(word) or not those:
            return set()
        found |= those
    return found


def _fits(one: Entity, kind: str, members: Set[str], legend: Legend, codes: Mapping[str, str]) -> bool:
    """Whether a name is that of the classes whose numbers stand behind it, or of what these are of."""
    if not isinstance(one.value, IsClass) or one.value.x != Quantity(kind):
        return False
    meant = {said for name in members for said in legend.classes[int(codes[name])].meant}
    said = {*one.value.names}
    return bool(said & {*members, *meant})


def _ground(kind: str, members: Set[str], start: int, end: int, cost: int = 0) -> Entity:
    return Entity("GROUND", start, end, IsClass(Quantity(kind), tuple(sorted(members))), cost)
