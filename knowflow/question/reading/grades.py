"""Classes of a quantity between limits that have names: ``moderate-low severity``, ``high severity and worse``.

They are those that the notes of the data tell, or else the usual ones of a quantity (``pkb/reading``, ``grades``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Any

from knowflow.knowledge.reading_words import reading_words, usual_grades, words_of
from knowflow.question.operators import Beyond, Classify, Expression, Number, Quantity
from knowflow.question.reading.chart import Entity

GRADES_OF = "grades of "
"""What a key of classes between limits begins with: kind, unit, the limits and the names follow, a line each."""
_CLASSES = ("class", "classes", "category", "categories", "level", "levels", "grade", "grades")
_OF_FIRE = ("burn", "fire")
_BURNED = ("burned", "burnt")


@dataclass(frozen=True, slots=True)
class Grades:
    """The classes of a quantity, from the lowest: their ``labels``, the ``limits`` between them, in the ``unit`` of the
    quantity, and the ``nouns`` behind the labels. ``wider`` are labels of several of them, each with the first and the
    last. Words are known for those from the ``first`` on: what is less notes call otherwise."""

    kind: str
    limits: tuple[float, ...]
    labels: tuple[str, ...]
    nouns: tuple[str, ...]
    unit: str = "1"
    wider: tuple[tuple[str, str, str], ...] = ()
    first: int = 0

    def phrases(self) -> Iterator[tuple[str, str, Any]]:
        """What they are called, with the symbol and value of each: the classes, the ground of each, and of several."""
        key = "\n".join((f"{GRADES_OF}{self.kind}", self.unit, " ".join(map(repr, self.limits)), *self.labels))
        for noun in self.nouns:
            names = (name for said in _CLASSES for name in (f"{noun} {said}", f"{said} of {noun}"))
            listed = f"({' '.join(self.labels)})"
            yield from ((said, "NAMED_KEY", key) for name in names for said in (name, f"{name} {listed}"))
        known = self.labels[self.first :]
        yield from ((label, "GROUND", self.between(label, label)) for label in known if "-" in label)
        for low, high in combinations(range(self.first, len(self.labels)), 2):
            x = self.between(self.labels[low], self.labels[high])
            yield from ((said, "GROUND", x) for said in self._from(low, high))
        for label, first, last in (*((one, one, one) for one in known), *self.wider):
            x = self.between(first, last)
            yield from ((said, "GROUND", x) for said in self._named((label,)))

    def grounds(self) -> Iterator[tuple[str, Expression]]:
        """The labels that are words for ground without a noun, each with its ground: unburned."""
        for label in self.labels:
            if any(symbol == "GROUND" for symbol, _ in reading_words().phrases.get(words_of(label), ())):
                yield label, self.between(label, label)

    def between(self, first: str, last: str) -> Expression:
        """Where it is of one of the classes from the first to the last."""
        low, high = (self.labels.index(one) for one in (first, last))
        ends = (-inf, *self.limits, inf)
        least, most = (Number(end, self.unit) for end in (ends[low], ends[high + 1]))
        of = Quantity(self.kind)
        if ends[high + 1] == inf:
            return Beyond(of, "at_least", least)
        return Beyond(of, "below", most) if ends[low] == -inf else Beyond(of, "between", least, most)

    def _from(self, first: int, last: int) -> Iterator[str]:
        """The names of several classes: ``moderate or high severity``, ``at least moderate severity``."""
        named = self.labels[first : last + 1]
        if last == len(self.labels) - 1:
            lowest = named[0]
            yield from self._named((f"at least {lowest}", f"{lowest} or higher", f"{lowest} and higher"))
            yield from self._named((f"{lowest} or worse", f"{lowest} and above", f"{lowest} or more"))
            for noun in self.nouns:
                yield from (f"{lowest} {noun} or {more}" for more in ("higher", "worse", "more"))
                yield from (f"{lowest} {noun} and {more}" for more in ("higher", "worse", "above", "more"))
        if last == first + 1:
            yield from self._named(
                f"{one} {word} {other}" for one, other in (named, named[::-1]) for word in ("or", "and")
            )
            for noun in self.nouns:
                yield from (f"{named[0]} {noun} {word} {named[1]} {noun}" for word in ("or", "and"))
        else:
            yield from self._named((f"{named[0]} to {named[-1]}",))
            *rest, highest = named
            yield from self._named((f"{', '.join(rest)} or {highest}", f"{', '.join(rest)} and {highest}"))

    def _named(self, labels: Iterable[str]) -> Iterator[str]:
        """Labels with their noun, and of what burned: ``burned at high severity``."""
        for label in labels:
            for noun in self.nouns:
                yield from (f"{label} {noun}", f"{noun} {label}")
                if self.kind.endswith("nbr"):
                    yield from (f"{label} {word} {noun}" for word in _OF_FIRE)
                    yield from _of_what_burned(f"{label} {noun}")


def grades_of(
    told: tuple[Grades, ...], meant: tuple[tuple[str, Expression], ...], quantities: Set[str], classes: Set[str]
) -> Iterator[Grades]:
    """Those that notes tell, and the usual ones of other quantities that the data are made for; no map has classes of
    their names, and none of the words that notes explain is ``meant`` by other limits than these."""
    yield from told
    for one in usual_grades():
        mapped = any(words_of(label) == words_of(name) for name in classes for label in one.names)
        if one.of in {own.kind for own in told} or mapped or quantities.isdisjoint((one.of, *one.made_of)):
            continue
        noted = {limit for _, x in meant for limit in _limits(x, one.of)}
        if noted <= {*one.limits}:
            wider = tuple((label, ends[0], ends[-1]) for label, ends in one.wider.items())
            first = 0 if not noted else one.limits.index(min(noted)) + 1
            yield Grades(one.of, one.limits, one.names, one.nouns, wider=wider, first=first)


def _limits(x: Expression, kind: str) -> Iterator[float]:
    if isinstance(x, Beyond) and x.x == Quantity(kind):
        yield from (end.value for end in (x.limit, x.upper) if isinstance(end, Number))


def also_said(word: str) -> Iterator[str]:
    """How else a word is said that notes explain, where it is of the usual classes: ``burned at high severity``."""
    if any(word.endswith(f" {noun}") for one in usual_grades() for noun in one.nouns):
        yield from _of_what_burned(word)


def _of_what_burned(said: str) -> Iterator[str]:
    yield from (f"{word} {by} {said}" for word in _BURNED for by in ("at", "with"))
    yield from (f"{said} {word}" for word in _OF_FIRE)


def classes_of_grades(key: str) -> Classify:
    """The classes that a key of them names."""
    kind, unit, limits, *names = key.removeprefix(GRADES_OF).split("\n")
    return Classify(Quantity(kind), tuple(map(float, limits.split())), tuple(names), unit)


def without_parts(found: Sequence[Entity], words: Sequence[str]) -> Iterator[Entity]:
    """What words may stand for without the class at the end of what burned in it: ``burned at high severity`` is that
    class of the ground, and not of what burned."""
    whole = {
        (one.end, repr(one.value)): one.start
        for one in found
        if one.symbol == "GROUND" and words[one.start] in _BURNED and one.end > one.start + 1
    }
    for one in found:
        if not (one.symbol == "GROUND" and one.start > whole.get((one.end, repr(one.value)), one.start)):
            yield one
