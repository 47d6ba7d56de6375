"""Features of each of which something holds: by a statistic of each, and by no ground in them."""

from __future__ import annotations

from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import (
    And,
    Beyond,
    Distance,
    Expression,
    Holds,
    Not,
    Number,
    Or,
    Over,
    Polygons,
    Quantity,
    Within,
    children,
    walk,
)
from knowflow.question.reading.order import Clause, Test, Thing, closed, holding, typed
from knowflow.question.typing_of_features import are_rows, is_features, layer_of

_OF_THINGS = ("index", "radar", "fire", "mask")  # families of quantities
_OF_EACH = ("mean", "median", "maximum", "minimum", "sum", "range", "share")


def each_so(x: Expression | None, clause: Clause) -> Expression | None:
    """``districts whose mean temperature was above 25 degC``: by a statistic that is told it is so of each feature, and
    of no ground in them."""
    if x is None or not (isinstance(clause, Test) and clause.left.statistic in _OF_EACH):
        return None
    return those_of_each(x, clause)


def all_each_so(x: Expression | None, clause: Clause) -> Expression | None:
    """The same of all features of a file: ``where the mean rain was above 800 mm`` is ground of a single one."""
    return each_so(x, clause) if isinstance(x, Polygons) and not x.names and x.by is None else None


def those_of_each(x: Expression, clause: Clause) -> Expression | None:
    """Those features of each of which something holds, all in all."""
    features = is_features(x) and not are_rows(x)
    found = holding(clause, Polygons(layer=layer_of(x))) if features else None
    return None if found is None else _chosen(x, found)


def whole_features(x: Expression) -> Expression:
    """Features that are chosen by numbers of the ground as those of each of which it is so: what a file tells of them,
    it tells of all of each, and of no part."""
    truth = _of_each(x.where, Polygons(layer=layer_of(x))) if isinstance(x, Within) and is_features(x) else None
    return x if truth is None or not isinstance(x, Within) else _chosen(x.x, truth) or x


def _of_each(where: Expression, key: Polygons) -> Expression | None:
    """Whether it is so of each what a mask tells of pixels; None of what is no comparison of numbers."""
    if isinstance(where, And | Or | Not):
        every = [_of_each(part, key) for _, part in children(where)]
        parts = tuple(part for part in every if part is not None)
        if len(parts) < len(every):
            return None
        return Not(parts[0]) if isinstance(where, Not) else replace(where, parts=parts)
    if not isinstance(where, Beyond) or not isinstance(where.limit, Number) or (its := typed(where.x)) is None:
        return None
    numbers = its.of == "number" and its.space and not any(isinstance(part, Distance) for _, part in walk(where.x))
    left = closed(Thing(where.x), key) if numbers and not _tells_what_is_there(where.x, where.limit) else None
    return None if left is None else replace(where, x=left)


def _tells_what_is_there(x: Expression, limit: Number) -> bool:
    """Whether a limit tells a thing on the ground, as backscatter tells water, and a depth above 0 that there is some:
    a district whose mean is so is not flooded."""
    kinds = [quantity_kinds().get(part.kind) for _, part in walk(x) if isinstance(part, Quantity)]
    return limit.value == 0 or any(kind is None or kind.family in _OF_THINGS for kind in kinds)


def _chosen(x: Expression, truth: Expression) -> Expression | None:
    of = Within(x, Holds(truth))
    return of if typed(Over(of, "objects", "count")) is not None else None
