"""Quantities that no file holds over the ground, where a file of features tells them of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.reading_words import words_of
from knowflow.question.operators import (
    Attribute,
    Calculate,
    Expression,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    with_children,
)
from knowflow.question.reading.beside_points import is_held_against
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.order import typed
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.typing_of_features import are_rows, is_features, layer_of

_OF_AREA = {"population_density": "population_count"}
_PLAIN = ("mean", "maximum", "minimum")
"""Statistics of which a number that is told once is each."""


_AT = re.compile(r"\bat\s+(?!least\b|most\b|all\b|once\b|night\b|noon\b|present\b)", re.IGNORECASE)


def as_ground_at_them(question: str, data: DataWords) -> DataWords:
    """Data of which nobody asks what points were measured to have, where what is asked is of the ground at them:
    ``soil pH at sample A5``."""
    if not _AT.search(question):
        return data
    return replace(data, features=tuple(replace(one, measured=()) for one in data.features))


def told_of_features(x: Expression, held: Set[str], layers: Sequence[FeatureLayer]) -> Expression:
    """A question with what features are said to have in place of what would be measured at them, where nothing is held
    of which that could be: ``which of the cities lies highest``, by their elevations. What points were measured to have
    is theirs whatever maps there are: ``which sample has the lowest pH``.

    ``held`` are the kinds at hand.
    """
    if is_held_against(x):
        return x
    if isinstance(x, Over) and x.axes == "space" and x.statistic in _PLAIN:
        of: Expression | None = None
        inner = x.x
        if isinstance(inner, Split) and isinstance(inner.key, Polygons) and inner.key.by is None:
            of, inner = inner.key, inner.x
        elif isinstance(inner, Within) and is_features(inner.where):
            of, inner = inner.where, inner.x
        told = None if of is None or not isinstance(inner, Quantity) else _attribute(inner, of, held, layers)
        if told is None and isinstance(inner, Quantity) and not inner.having:
            told = _measured(inner, of, layers)
        if told is not None:
            return told if isinstance(x.x, Split) else Over(told, "objects", x.statistic)
    found = with_children(x, lambda part: told_of_features(part, held, layers))
    if not (isinstance(found, Over) and found.axes == "time" and found != x and typed(found) is None):
        return found
    return found.x if found.statistic in _PLAIN else x  # what is told once has no dates, and none are counted


def all_so_many(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """``of the five stakes``, ``rank the three classes``: features, or classes of a map, with how many there are, where
    there are so many; ``which five stakes`` are some of them."""
    of = {one.end for one in found if one.symbol in ("of", "in", "over", "all", "compare", "per", "for_all")}
    numbers = {one.end: one for one in found if one.symbol == "NUM" and one.start in of}
    counts: dict[tuple[str | None, str | None], int] = {
        (layer.name, by): len(texts) for layer in data.features for by, texts in layer.sorts
    }
    counts |= {(layer.name, None): layer.count for layer in data.features}
    for one in found:
        before = numbers.get(one.start) if one.symbol in ("NAMED_KEY", "SPOT_KEY") else None
        level = None if before is None else level_of(one.value)
        if before is None:
            continue
        if isinstance(level, Quantity):
            number = len(data.classes.get(level.kind, ())) or None
        elif isinstance(level, Polygons) and (level.by is None or are_rows(level)):
            number = counts.get((level.layer, level.by))
        else:
            number = None
        if before.value == number:
            yield replace(one, start=before.start)


def _attribute(x: Quantity, of: Expression, held: Set[str], layers: Sequence[FeatureLayer]) -> Expression | None:
    """The one column of a file that is called as a quantity is; of people per area the column of people, by how large
    each feature is."""
    layer = next((one for one in layers if one.name == layer_of(of)), None)
    if layer is None or x.kind in held or x.having or (are_rows(of) and layer.days):  # of which each has its time
        return None
    found = _called(x.kind, of, layer)
    whole = _called(_OF_AREA[x.kind], of, layer) if found is None and x.kind in _OF_AREA else None
    return found if whole is None else Calculate("ratio", whole, Over(of, "space", "area"))


def _measured(x: Quantity, of: Expression | None, layers: Sequence[FeatureLayer]) -> Attribute | None:
    """The one column of a file of points that is of a quantity."""
    layer = next((one for one in layers if of is not None and one.name == layer_of(of)), None)
    found = [] if layer is None else [(column, unit) for kind, column, unit in layer.measured if kind == x.kind]
    return Attribute(of, *found[0]) if of is not None and len(found) == 1 else None


def _called(kind: str, of: Expression, layer: FeatureLayer) -> Attribute | None:
    known = quantity_kinds().get(kind)
    names = set() if known is None else {words_of(name) for name in (known.name.replace("_", " "), *known.synonyms)}
    found = {(column, unit) for name, column, unit in layer.numbers if words_of(name) in names}
    return Attribute(of, *found.pop()) if len(found) == 1 else None
