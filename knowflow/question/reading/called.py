"""What a sentence says of layers and classes by the words of their own names, in any order and inflection: ``sugarcane
yield`` of ``yield_sugarcane_2021.tif``, ``beech`` of the class ``European beech``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from knowflow.ground.called import is_unknown
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.things import parts_of
from knowflow.knowledge.words import Token, stem
from knowflow.question.operators import Expression, IsClass, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

Span = tuple[int, int]
_Name = tuple[str, Expression, tuple[str, ...]]
"""A symbol, its value, and the words that it is called by."""
_BETWEEN = frozenset(
    {"of", "to", "from", "the", "in", "at", "per", "for", "by", "and", "nearest", "closest", "layer"}
) | {"-"}
"""Words that a name has or leaves out: ``distance to the nearest road``."""
MEASURES = frozenset(
    (
        *(
            "depth",
            "height",
            "thickness",
            "length",
            "width",
            "content",
            "density",
            "fraction",
            "concentration",
            "level",
        ),
        *(
            "index",
            "rate",
            "valu",
            "amount",
            "stock",
            "cover",
            "risk",
            "scor",
            "ratio",
            "probability",
            "distance",
            "speed",
        ),
        *("velocity", "number", "count", "age", "yield", "volum", "weight", "mass", "type", "class"),
        *("column", "power"),
        *("temperature", "surfac", "group", "layer", "unit", "total", "mean", "max", "min", "intensity", "percentag"),
    )
)
"""Stems of nouns that many things are measured by: alone they say not of which."""
_LONGEST = 10
LIGHT = frozenset(("event",))
"""Symbols of words that the data may use otherwise: hail of ``hail_size.tif``."""


_Meant = dict[tuple[str, Expression], bool]
"""What some words name, each with whether these are all of the words of a name."""


def of_called(kept: Sequence[Token], data: DataWords, taken: Iterable[Span]) -> Iterator[Entity]:
    """The quantities and classes that runs of words name: a layer by all of its words, or any by some that no other has
    and that mean nothing else. ``taken`` are the words that are something else."""
    layers: list[_Name] = [("QUANTITY", Quantity(kind), said) for kind, said in data.called]
    classes = [(kind, name) for kind, names in data.classes.items() for name in names]
    spelt = [(kind, name, part) for kind, name in classes for part in dict.fromkeys((name, *parts_of(name)))]
    names = [*layers, *(("GROUND", IsClass(Quantity(kind), (name,)), words_of(part)) for kind, name, part in spelt)]
    known, found = set(taken), _found([_as_named(one.text) for one in kept], names) if names else {}
    for span, meant in found.items():
        whole = [one for one, all_of_it in meant.items() if all_of_it and one[0] == "QUANTITY"]
        if whole:
            yield from (Entity(symbol, *span, value, -1 if span[1] - span[0] > 1 else 0) for symbol, value in whole)
        elif not any(_in_the_way(one, span) for one in known) and (said := _by_whole_name(meant)):
            yield from (Entity(symbol, *span, value) for symbol, value in said)  # fir, beside Douglas fir
        elif not any(_in_the_way(one, span) for one in known) and not _within_larger(span, found):
            yield from (Entity(symbol, *span, value) for symbol, value in _of_each_map(meant))


def _of_each_map(meant: _Meant) -> Iterator[tuple[str, Expression]]:
    """What some words name, of the classes of a map that all have them all of these: any oak of red and white oak."""
    maps: dict[Expression, tuple[str, ...]] = {}
    for symbol, value in meant:
        if symbol == "GROUND" and isinstance(value, IsClass):
            maps[value.x] = (*maps.get(value.x, ()), *value.names)
        else:
            yield symbol, value
    yield from (("GROUND", IsClass(x, names)) for x, names in maps.items())


def _by_whole_name(meant: _Meant) -> list[tuple[str, Expression]]:
    """The classes that are called so and no more; none where all are, or none."""
    whole = [one for one, all_of_it in meant.items() if all_of_it and one[0] == "GROUND"]
    return whole if len(whole) < len(meant) else []


def _found(words: Sequence[str], names: Sequence[_Name]) -> Mapping[Span, _Meant]:
    bags = [frozenset(map(stem, said)) - _BETWEEN for _, _, said in names]
    ours = frozenset[str]().union(*bags)
    of_layers: dict[Expression, frozenset[str]] = {}
    for (_, value, _), bag in zip(names, bags, strict=True):
        if isinstance(value, Quantity):
            of_layers[value] = of_layers.get(value, frozenset()) | bag
    together = [_together(said) for _, _, said in names]
    found: dict[Span, _Meant] = {}
    operators = reading_words().operators  # what is said in another order is done with what is named: map the yield
    for start, first in enumerate(words):
        said: list[str] = []
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1 if first not in _BETWEEN else 0):
            if words[end - 1] in _BETWEEN:
                continue
            said.append(words[end - 1])
            joined = "".join(said)
            if not ours.issuperset(said) and not any(one.startswith(joined) for some in together for one in some):
                break
            meant: _Meant = {}
            for (symbol, value, name), bag, ones in zip(names, bags, together, strict=True):
                layer = of_layers.get(value.x, frozenset()) if isinstance(value, IsClass) else frozenset()
                beside = len(bag) > 1 and bag < frozenset(said) and frozenset(said) - bag <= layer  # red avalanche zone
                whole = joined in ones or beside or (bag == frozenset(said) and operators.isdisjoint(name))
                known = isinstance(value, Quantity) and not is_unknown(value.kind)
                own = bag.issuperset(said) and not (known and operators.intersection(said))
                if whole or (own and not MEASURES.issuperset(said)):
                    meant[symbol, value] = meant.get((symbol, value), False) or whole
            if meant:
                found[start, end] = meant
    return found


def _as_named(word: str) -> str:
    """A word as names have it: what is covered is said of ground, and no cover."""
    own, root = word.lower(), stem(word.lower())
    return own if own.endswith("ed") and root in MEASURES else root


def _in_the_way(taken: Span, span: Span) -> bool:
    """Whether words that are something else hold a run, or a part of it and more."""
    (a, b), (start, end) = taken, span
    return (a <= start and end <= b) or a < start < b < end or start < a < end < b


def _within_larger(span: Span, found: Iterable[Span]) -> bool:
    return any(a <= span[0] and span[1] <= b and (a, b) != span for a, b in found)


@lru_cache(maxsize=1024)
def _together(name: tuple[str, ...]) -> frozenset[str]:
    """A name in one word: ``loss year`` of ``lossyear``."""
    return frozenset({"".join(map(stem, name)), stem("".join(name))})
