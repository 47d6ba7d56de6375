"""Numbers of the rows of a table as nouns: closed by statistics over the rows, of all or of those of each key, and
restricted to rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.row_times import GRAINS
from knowflow.ground.units import compatible
from knowflow.question.check import type_of
from knowflow.question.operators import Attribute, During, Expression, Holds, Over, Polygons, Split, Statistic, Within
from knowflow.question.reading.features import MONEY
from knowflow.question.typing_of_features import AMOUNTS, are_rows, is_features, layer_of, of_rows

_SHORTEST = 4  # letters of a name cut short: prec


def usual_statistic(of: Attribute) -> Statistic | None:
    """What is meant by a number of rows of which no statistic is said: all of what there is so much of, the mean of
    what is so high or so fast; of bare numbers nobody knows."""
    if of.unit == "1":
        return "sum" if of.name.rpartition("_")[2].lower() in MONEY else None
    return "sum" if any(compatible(of.unit, one) for one in AMOUNTS) or _falls(of) else "mean"


def _falls(of: Attribute) -> bool:
    """Whether a number is so much of a span of time by the name of its column: the rain of each day."""
    words = [word for word in of.name.casefold().split("_") if len(word) >= _SHORTEST]
    if " ".join(words) in _of_states():  # the depth of snow, which is no snowfall
        return False
    return any(
        compatible(of.unit, unit) and any(name.startswith(word) for word in words) for name, unit in _of_spans().items()
    )


@kept()
def _of_spans() -> Mapping[str, str]:
    """The unit of each quantity that adds up over time, by its names."""
    kinds = [kind for kind in quantity_kinds().values() if kind.accumulates]
    return {name.replace("_", " "): kind.unit for kind in kinds for name in (kind.name, *kind.synonyms)}


@kept()
def _of_states() -> frozenset[str]:
    """The names of quantities that do not add up over time."""
    kinds = [kind for kind in quantity_kinds().values() if not kind.accumulates]
    return frozenset(name.replace("_", " ") for kind in kinds for name in (kind.name, *kind.synonyms))


def closed_rows(x: Expression, said: Statistic | None, p: float | None, key: object) -> Expression | None:
    """A statistic of rows, of all or of those of a key: a time, a column of theirs, or each row by itself."""
    of = of_rows(x)
    if of is None or x is not of:
        return None
    statistic = said or usual_statistic(of)
    if isinstance(key, Polygons) and key.by is None:  # each of them
        if key.layer != layer_of(of.x) or said not in (None, "mean", "sum", "maximum", "minimum"):
            return None
        some = those_rows(of.x, key)
        return None if some is None else replace(of, x=some)
    if key is not None:
        known = key in GRAINS if isinstance(key, str) else isinstance(key, Polygons) and key.layer == layer_of(of.x)
        if not known:
            return None
        x = Split(x, key)  # type: ignore[arg-type]  # a grain, or features
    if statistic is None:
        statistic = "sum" if key is not None else None
    if statistic is None:
        return x
    found = Over(x, "objects", statistic, p)
    return found if type_of(found) is not None else None


def those_rows(x: Expression, where: Expression) -> Expression | None:
    """Some of the rows: those of a name, or of what another layer has by that name."""
    if not are_rows(x):
        return None
    if isinstance(x, During):  # which of them, and then when
        those = those_rows(x.x, where)
        return None if those is None else replace(x, x=those)
    if isinstance(where, During) and are_rows(where) and layer_of(where) == layer_of(x):
        those = those_rows(x, where.x)
        return None if those is None else replace(where, x=those)
    if isinstance(where, Within) and are_rows(where) and layer_of(where) == layer_of(x):
        first = those_rows(x, where.x)
        return None if first is None else those_rows(first, where.where)
    if not (isinstance(where, Holds) or is_features(where)):
        return None
    whole, parts = _parts_of(x)
    if isinstance(where, Polygons) and where.layer == whole.layer:
        if where.names:
            parts.append(replace(where, by=None))
        return _joined(whole, parts) if where.names else x
    alike = [one for one in parts if is_features(one) and layer_of(one) == layer_of(where)]
    if isinstance(where, Polygons) and any(_are_others(where, one) for one in parts):
        return None
    if isinstance(where, Polygons) and not where.names and alike:  # all of which some are named
        return x
    every = [one for one in parts if not (isinstance(one, Polygons) and not one.names and one in alike)]
    return _joined(whole, [*every, where])


def _are_others(a: Polygons, b: Expression) -> bool:
    """Whether other features of a file of places are named: rows are of one of them."""
    named = isinstance(b, Polygons) and b.layer == a.layer and not are_rows(a) and a.names and b.names
    return bool(named) and not {*a.names} & {*b.names}  # type: ignore[attr-defined]  # both have names


def _parts_of(x: Expression) -> tuple[Polygons, list[Expression]]:
    """All rows of a table, and what some of them are chosen by."""
    if isinstance(x, Within):
        whole, parts = _parts_of(x.x)
        return whole, [*parts, x.where]
    assert isinstance(x, Polygons)
    return replace(x, names=()), [x] if x.names else []


def _joined(whole: Polygons, parts: list[Expression]) -> Expression:
    """Rows that are chosen by all of some parts, whatever their order."""
    first, *others = sorted(dict.fromkeys(parts), key=lambda one: (not _is_of(whole, one), repr(one)))
    x: Expression = first if _is_of(whole, first) else Within(whole, first)
    for other in others:
        x = Within(x, other)
    return x


def _is_of(whole: Polygons, part: Expression) -> bool:
    return isinstance(part, Polygons) and part.layer == whole.layer


def of_named_rows(x: Expression) -> bool:
    """Whether it is of those rows of a table that tell of one place."""
    of = of_rows(x)
    rows = of.x if of is not None else None
    while isinstance(rows, During):
        rows = rows.x
    return isinstance(rows, Polygons) and bool(rows.names)
