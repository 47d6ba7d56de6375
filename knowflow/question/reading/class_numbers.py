"""Classes said by their name and their number in the map: ``rainfed cropland (class 10)``, ``class 3 (water)``.

Both have to be those of one class, which the map tells; where it names no classes the number decides, and that the
name is that of it is told as what the question says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from knowflow.knowledge.legends import name_of, with_number
from knowflow.question.operators import IsClass, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.explained import STRANGE
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.types import type_of_kind

_CALLED = ("class", "code", "category", "value")
_GROUNDS = ("GROUND", "BODY")
_NAMES = (*_GROUNDS, "QUANTITY", "HELD", *STRANGE)
_LAND_COVER = "land_cover_class"
_LIKELIER = -2  # than that of the name alone, whose number would be left out
_ALONE = 2  # brackets of a number alone, which is that of a class behind what lies on the ground
_NO_NUMBER = 1000  # which in brackets may be a year


def numbered_classes(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Ground of one class, by its name with its number behind or in front."""
    spoken = {place for one in found if one.symbol not in STRANGE for place in range(one.start, one.end)}
    for first in (at for at, word in enumerate(words) if word == "(" and ")" in words[at:]):
        close = words.index(")", first)
        code, before = _number_in(words[first + 1 : close]), _number_in(words[max(first - 2, 0) : first], alone=False)
        span = (first, close + 1) if code is not None else (first - 2, close + 1)
        if code is None and before is None:
            continue
        inside = (first + 1, close)
        symbols = _NAMES if close - first > _ALONE else _GROUNDS
        named = [one for one in found if one.symbol in symbols]
        for start, end, kind in _names(named, spoken, words, first if code is not None else None, inside):
            where = kind or _map_of(data)
            if where is not None:
                said = with_number(" ".join(words[start:end]), code if code is not None else before or 0)
                x = IsClass(Quantity(where), (said,))
                yield Entity("GROUND", min(start, span[0]), span[1], x, _LIKELIER)


def _names(
    found: Sequence[Entity], spoken: Set[int], words: Sequence[str], end: int | None, inside: tuple[int, int]
) -> Iterator[tuple[int, int, str | None]]:
    """The names that end before the brackets, or are all that stands in them, each with the map that it is of."""
    for one in found:
        if one.end == end if end is not None else (one.start, one.end) == inside:
            known = isinstance(one.value, IsClass) and isinstance(one.value.x, Quantity)
            yield one.start, one.end, one.value.x.kind if known else None
    start, last = (end, end) if end is not None else inside
    while end is not None and start > 0 and start - 1 not in spoken:
        start -= 1
    if start < last and spoken.isdisjoint(range(start, last)):
        yield start, last, None


def _number_in(words: Sequence[str], alone: bool = True) -> int | None:
    """The number of ``class 10``; ``alone``: of ``10`` as well."""
    match words:
        case [called, number] if called in _CALLED and number.isdigit():
            return int(number)
        case [number] if alone and number.isdigit() and int(number) < _NO_NUMBER:
            return int(number)
    return None


def _map_of(data: DataWords) -> str | None:
    """The kind of the map of classes that is meant where only one is held, or one of land cover."""
    own = {kind: type_of_kind(kind) for kind in data.quantities}
    maps = sorted(kind for kind, one in own.items() if one is not None and one.of == "class")
    return maps[0] if len(maps) == 1 else _LAND_COVER if _LAND_COVER in maps else None


def is_explained(one: Entity, data: DataWords) -> bool:
    """Whether words say a class by its number whose name no map at hand is known to have."""
    if one.symbol != "GROUND" or not isinstance(one.value, IsClass) or not isinstance(one.value.x, Quantity):
        return False
    named = [name_of(name) for name in one.value.names]
    return all(name is not None and name not in data.classes.get(one.value.x.kind, ()) for name in named)
