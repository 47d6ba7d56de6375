"""Quantities that no file holds over the ground, where a table tells them: its rows in place of pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from knowflow.question.operators import (
    Attribute,
    During,
    Expression,
    Extreme,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.features import FeatureLayer, tells_of
from knowflow.question.reading.rows import those_rows
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_chosen, is_features, layer_of, level_of_most


@dataclass(frozen=True, slots=True)
class _Column:
    layer: FeatureLayer
    name: str
    unit: str
    stated: str

    @property
    def of(self) -> Attribute:
        return Attribute(Polygons(layer=self.layer.name), self.name, self.unit)

    @property
    def grain(self) -> str | None:
        return None if self.layer.days is None else self.layer.days[0]


def told_of_rows(x: Expression, held: Set[str], layers: Sequence[FeatureLayer]) -> Expression:
    """A question with the column of a table in place of a quantity that nothing else holds: a statistic over the ground
    is one over the rows of each time. It stays as it is where several columns are of that quantity.

    ``held`` are the kinds at hand.
    """
    wanted = {part.kind for _, part in walk(x) if isinstance(part, Quantity) and part.kind not in held}
    if not wanted:
        return x
    named = {layer_of(part) for _, part in walk(x) if are_rows(part)}
    over_ground = {part.statistic for _, part in walk(x) if isinstance(part, Over) and part.axes == "space"}
    columns: dict[str, _Column] = {}
    for kind in wanted:
        found = [one for one in _columns_of(kind, layers) if not named or one.layer.name in named]
        if len(found) > 1:  # daily maxima and minima
            found = [one for one in found if one.stated in over_ground]
        if len(found) != 1:
            return x
        columns[kind] = found[0]
    told = _told(x, columns, layers)
    if any(isinstance(part, Quantity) and part.kind in wanted for _, part in walk(told)):
        return x
    stated = {one.stated for one in columns.values()} - {""}
    return told if not stated or over_ground <= stated else x  # of daily maxima is no mean of the day


def placed_by_rows(x: Expression, layers: Sequence[FeatureLayer]) -> Expression:
    """A question with the features that rows tell of by their names, where ground of the rows with the most of
    something is meant: they have none of their own."""
    x = with_children(x, lambda part: placed_by_rows(part, layers))
    if not isinstance(x, Within) or is_features(x.x):
        return x
    level = level_of_most(x.where) if isinstance(x.where, Extreme) else None
    if level is not None and are_rows(level):
        x = replace(x, where=Within(level, x.where))
    if not (are_rows(x.where) and is_chosen(x.where)):
        return x
    own = next((one for one in layers if one.name == layer_of(x.where)), None)
    texts = [] if own is None else [texts for _, texts in own.sorts] + [own.names]
    placed = [one for one in layers if not are_rows(Polygons(layer=one.name))]
    held = set() if own is None else {*own.values}
    found = [one for one in placed if any(tells_of(told, one.names) for told in texts) or {*one.names} <= held]
    return replace(x, where=Within(Polygons(layer=found[0].name), x.where)) if len(found) == 1 else x


def rows_as_ground(x: Expression, placed: bool = True) -> bool:
    """Whether something is asked of the ground of rows of a table, which have none; ``placed``: or of that of features
    which they tell of."""
    of = are_rows if placed else is_features
    return any(
        (isinstance(part, Within) and are_rows(part.where) and not of(part.x))
        or (isinstance(part, Split) and isinstance(part.key, Polygons) and are_rows(part.key) and not _in_rows(part.x))
        for _, part in walk(x)
    )


def rows_elsewhere(x: Expression, layers: Sequence[FeatureLayer]) -> bool:
    """Whether rows of a table are to be those of features of a name that none of its columns tells, and that have no
    place either: neither by themselves nor by the features that they name."""
    known = {layer.name: layer for layer in layers}
    for _, part in walk(x):
        if not (isinstance(part, Within) and are_rows(part.x) and isinstance(part.where, Polygons)):
            continue
        table = known.get(layer_of(part.x))
        told = set() if table is None else {*table.names, *table.values}
        texts = [] if table is None else [told, table.names, *(texts for _, texts in table.sorts)]
        placed = any(tells_of(some, one.names) for some in texts if some for one in layers if one is not table)
        if table is not None and part.where.names and told.isdisjoint(part.where.names) and not placed:
            return True
    return False


def days_as_ground(x: Expression, layers: Sequence[FeatureLayer]) -> bool:
    """Whether something is asked of the ground of the features of a day, where that day is asked: ``on the day with the
    most fires``."""
    days = {(layer.name, layer.days[0]) for layer in layers if layer.days is not None}
    for _, part in walk(x):
        where = part.where if isinstance(part, Within) and not is_features(part.x) else None
        most = where.where if isinstance(where, Within) else where
        keys = [one.key for _, one in walk(most) if isinstance(one, Split)] if isinstance(most, Extreme) else []
        if any(isinstance(key, Polygons) and (key.layer, key.by) in days for key in keys):
            return True
    return False


def as_told_by_rows(data: DataWords, asked: Iterable[Expression]) -> DataWords:
    """The words of data as those tables tell them of whose rows something is asked: of the quantities in their columns,
    in place of those over the ground."""
    named = {layer_of(part) for one in asked for _, part in walk(one) if are_rows(part)}
    kinds = frozenset(kind for layer in data.features if layer.name in named for kind, *_ in layer.kinds)
    return replace(data, quantities=kinds, told=kinds)


def _in_rows(x: Expression) -> bool:
    return are_rows(x) or (isinstance(x, Attribute) and are_rows(x.x))


def _columns_of(kind: str, layers: Sequence[FeatureLayer]) -> Iterator[_Column]:
    for layer in layers:
        yield from (_Column(layer, column, unit, said) for own, column, unit, said in layer.kinds if own == kind)


def _told(x: Expression, columns: dict[str, _Column], layers: Sequence[FeatureLayer]) -> Expression:
    if isinstance(x, Over) and x.axes in ("space", "both"):
        own = _of_each_row(x.x, columns)
        if own is not None:
            return own
        of = _rows_of(x.x, columns, layers)
        if of is not None:
            grain = next((columns[part.kind].grain for _, part in walk(x) if isinstance(part, Quantity)), None)
            plain = isinstance(of, Split) or grain is None or x.axes == "both"
            return Over(of if plain else Split(of, grain), "objects", x.statistic, x.p)  # type: ignore[arg-type]
    x = with_children(x, lambda part: _told(part, columns, layers))
    return _at_once(x) if isinstance(x, Over) else x


def _of_each_row(x: Expression, columns: dict[str, _Column]) -> Attribute | None:
    """What each row tells by itself, where rows have no times: ``which sample had the lowest pH``."""
    if not (isinstance(x, Split) and isinstance(x.x, Quantity) and x.x.kind in columns and not x.x.having):
        return None
    column, every = columns[x.x.kind], Polygons(layer=columns[x.x.kind].layer.name)
    return column.of if x.key == every and column.grain is None else None


def _at_once(x: Over) -> Expression:
    """Of the rows of each time, and then of the times: of all rows at once where that is the same, or where there is
    one row of each time."""
    inner = x.x
    if x.axes == "time" and isinstance(inner, Attribute) and are_rows(inner.x):
        return inner
    if x.axes != "time" or not isinstance(inner, Over) or inner.axes != "objects":
        return x
    split = inner.x if isinstance(inner.x, Split) else None
    of = inner.x if split is None else split.x
    if not isinstance(of, Attribute) or not are_rows(of.x):
        return x
    if split is None or isinstance(split.key, Polygons):  # of each place, or of what has no time
        return replace(inner, statistic=x.statistic, p=x.p)
    alike = inner.statistic == x.statistic and x.statistic in ("mean", "minimum", "maximum", "sum")
    return Over(of, "objects", x.statistic, x.p) if alike else x


def _rows_of(x: Expression, columns: dict[str, _Column], layers: Sequence[FeatureLayer]) -> Expression | None:
    """What is told of a quantity on some ground, at some time, as a column of rows."""
    if isinstance(x, Quantity):
        return columns[x.kind].of if x.kind in columns and not x.having else None
    if not isinstance(x, During | Within | Split):
        return None
    of = _rows_of(x.x, columns, layers)
    if isinstance(x, Split):
        key = x.key if isinstance(x.key, str) else _key_of(x.key, of, layers)
        return Split(of, key) if isinstance(of, Attribute) and key is not None else None
    attribute = of.x if isinstance(of, Split) else of
    if not isinstance(attribute, Attribute):
        return None
    rows: Expression | None
    if isinstance(x, During):
        rows = During(attribute.x, x.when) if isinstance(x.when, Times) else None
    else:
        rows = those_rows(attribute.x, x.where) if is_features(x.where) else None
    if rows is None:
        return None
    told = replace(attribute, x=rows)
    return replace(of, x=told) if isinstance(of, Split) else told


def _key_of(key: Expression, of: Expression | None, layers: Sequence[FeatureLayer]) -> Polygons | None:
    """The column of rows that tells of features of another layer by their names."""
    if not isinstance(key, Polygons) or not isinstance(of, Attribute):
        return None
    layer = layer_of(of.x)
    if key.layer == layer:
        return key if key.by is not None else None
    own = next((one for one in layers if one.name == layer), None)
    other = next((one for one in layers if one.name == key.layer), None)
    if own is None or other is None or key.by is not None or key.names:
        return None
    found = [by for by, texts in own.sorts if tells_of(texts, other.names)]
    return Polygons(by=found[0], layer=layer) if len(found) == 1 else None
