"""Things on the ground that the data hold under another name than the one that is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache

from knowflow.ground.called import is_unknown
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words
from knowflow.knowledge.words import stem
from knowflow.question.form import expression_of
from knowflow.question.operators import Beyond, Expression, IsClass, Not, Number, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import PLACE, same_words
from knowflow.question.reading.known import kinds_of
from knowflow.question.reading.vocabulary import DataWords

_IMAGES = ("radiometry", "radar", "index")  # families of kinds that tell of water, snow or plants themselves


def on_maps(
    words: Sequence[str], named: Set[tuple[str, ...]], found: Sequence[Entity], data: DataWords
) -> Iterator[Entity]:
    """Things on the ground that the data hold under another of their names: ``open water`` of a class ``water``, of
    unknown numbers called ``water``, or of a flood; images tell themselves where it is. ``Land`` is what a map calls
    so, beside water, and not all of the ground."""
    held = data.quantities
    made = any(quantity_kinds()[kind].family in _IMAGES for kind in held if kind in quantity_kinds())
    land = _land(data)
    for one in found:
        if land is not None and one.symbol == "SCOPE" and tuple(words[one.start : one.end]) in _SAY_LAND:
            yield replace(one, symbol="GROUND", value=land)
            continue
        opposite = _names_of_grounds().get(Not(one.value), ()) if one.symbol == "GROUND" else ()
        apart = [Not(each) for each in _called_one_of(frozenset(opposite), data)] if opposite else []
        if len(apart) == 1:  # burned, of a map on which some ground is unburned
            yield replace(one, value=apart[0])
        elif one.symbol in ("GROUND", "BODY") and held and not made and not kinds_of(one.value) & held:
            alike = [other.value for other in found if other.symbol == one.symbol and same_words(one, other)]
            names = frozenset[tuple[str, ...]]().union(*(_names_of_grounds().get(value, ()) for value in alike))
            instead = list(_called_one_of(names, data))
            if Quantity("water_mask") in alike and "flood_mask" in held and not instead:
                instead = [Quantity("flood_mask")]
            if len(instead) == 1:
                yield replace(one, value=instead[0])
            elif one.symbol == "BODY" and not (
                words[one.end - 1].endswith("s") or tuple(words[one.start : one.end]) in named
            ):
                # the lake, where nothing tells of it
                yield replace(one, symbol="SCOPE", value=PLACE, cost=one.cost + 1)
            else:
                yield one
        else:
            yield one


_SAY_LAND = frozenset({("land",), ("land", "area"), ("land", "surface")})
_OF_LAND = frozenset(map(stem, ("land", "mapped", "dry", "surface", "area")))


def _land(data: DataWords) -> Expression | None:
    """The one class of a map that is called land, where it has water as well."""
    found = [
        IsClass(Quantity(kind), (name,))
        for kind, classes in data.classes.items()
        if any(stem("water") in key_of(name) for name in classes)
        for name in classes
        if stem("land") in key_of(name) and {*key_of(name)} <= _OF_LAND
    ]
    return found[0] if len(found) == 1 else None


_SAY_NO_MORE = frozenset(
    map(stem, ("permanent", "inland", "open", "surface", "natural", "body", "area", "land", "cover"))
)
"""Words of the name of the only class of something that make it no other thing."""


def _called_one_of(names: Set[tuple[str, ...]], data: DataWords) -> Iterator[Expression]:
    """The classes of these names, or the one of a map that has such a word in its own: permanent water bodies."""
    words = {name[0] for name in names if len(name) == 1}
    for kind, classes in data.classes.items():
        whole = [name for name in classes if key_of(name) in names]
        part = [name for name in classes if words.intersection(key_of(name))]
        plain = [name for name in part if len(part) == 1 and words | _SAY_NO_MORE >= {*key_of(name)}]
        yield from (IsClass(Quantity(kind), (name,)) for name in whole or plain)
    for kind in data.quantities:
        if is_unknown(kind) and kind.endswith("__1") and key_of(kind.removesuffix("__1").replace("_", " ")) in names:
            yield Beyond(Quantity(kind), "above", Number(0.0))


@cache
def _names_of_grounds() -> Mapping[Expression, Set[tuple[str, ...]]]:
    """The names of each thing on the ground."""
    names: dict[Expression, set[tuple[str, ...]]] = {}
    for phrase, readings in reading_words().phrases.items():
        for symbol, value in readings:
            if symbol in ("GROUND", "BODY"):
                names.setdefault(expression_of(value)[0], set()).add(key_of(" ".join(phrase)))  # type: ignore[arg-type]
    return names
