"""What points were measured to have, held against a map of the same: ``by how much is the lab pH above the map``.
Which side is meant is said by a word for it: the lab, the stations; the map, the satellite, the name of a product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from knowflow.question.operators import (
    Attribute,
    Calculate,
    Correlate,
    During,
    Expression,
    Over,
    Polygons,
    Quantity,
    Split,
    walk,
)
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.order import typed
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, layer_of

_OF_FILE = ("NAMED_KEY", "SPOT_KEY")
_PLACES = (
    "lab",
    "laboratory",
    "station",
    "gauge",
    "rain gauge",
    "field",
    "sample",
    "soil sample",
    "ground",
    "sensor",
    "probe",
)
_MAPS = ("map", "raster", "grid", "satellite", "model", "pixel", "product")
_TOLD = ("value", "data", "measurement", "reading", "result", "record", "analysis", "estimate", "sample", "observation")
_ALONE = ("lab", "laboratory", "station", "gauge", "rain gauge", "sample", "soil sample", "observation", "measurement")
_MEASURED = {
    *("in situ", "ground truth", "observed", "measured", "sampled", "reading", "readings", "lab analyses", "lab"),
    *(f"{one}{end}" for one in _ALONE for end in ("", "s")),
    *(f"{place} {told}{end}" for place in (*_PLACES, "in situ", "measured") for told in _TOLD for end in ("", "s")),
}
_MAPPED = {
    *(
        "map",
        "mapped",
        "raster",
        "grid",
        "gridded",
        "satellite",
        "model",
        "modelled",
        "modeled",
        "estimated",
        "predicted",
    ),
    *(f"{one} {told}{end}" for one in (*_MAPS, "mapped", "gridded") for told in _TOLD for end in ("", "s")),
}
"""What the two sides are called. These words mean nothing where there are no two, as most are names of things."""
_LONGEST = 3  # words


@dataclass(frozen=True, slots=True)
class Pair:
    """A column of a file of points, the quantity that it is of, which maps hold too, and how many maps of it there are;
    ``days`` are those that the file tells of its points, each of its own."""

    column: Attribute
    kind: str
    maps: int
    days: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One side: the map, or what was measured, of some pairs; ``own`` is the map as it is called."""

    measured: bool
    pairs: tuple[Pair, ...] = ()
    own: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Apart:
    """How far one side is above the other, of each point, at a time or all."""

    first: Told
    pair: Pair
    own: Quantity
    when: Times | None = None

    @property
    def sides(self) -> tuple[Expression, Expression] | None:
        """What is told of each point by the side that is named first, and by the other; None where the points, or the
        maps, are of several times, of which none is said."""
        points: Expression = self.pair.column.x
        days = {day for day in self.pair.days if self.when is None or self._holds(day)}
        if (self.pair.maps > 1 and self.when is None) or (self.pair.days and self.pair.maps and len(days) != 1):
            return None
        x: Expression = self.own if self.when is None else During(self.own, self.when)
        if self.when is not None and self.pair.days:
            points = During(points, self.when)
        mapped: Expression = Over(Split(x, points), "space", "mean")
        own = typed(mapped)
        if own is None:
            return None
        if "date" in own.keys:
            mapped = Over(mapped, "time", "sum" if "time" in own.measure.adds else "mean")
        measured = replace(self.pair.column, x=points)
        return (measured, mapped) if self.first.measured else (mapped, measured)

    @property
    def each(self) -> Expression | None:
        """By how much the one is above the other, of each point."""
        two = self.sides
        found = None if two is None else Calculate("difference", *two)
        return found if found is not None and typed(found) is not None else None

    def _holds(self, day: str) -> bool:
        return self.when is not None and self.when.holds(date.fromisoformat(day))


def pairs_of(data: DataWords) -> tuple[Pair, ...]:
    """The columns of points of which maps hold the quantity; of a quantity that several columns are of, none."""
    found = []
    for layer in data.features:
        points = Polygons(layer=layer.name)
        for kind, column, unit in () if are_rows(points) else layer.measured:
            alone = [one for one, *_ in layer.measured].count(kind) == 1
            if alone and kind in data.quantities:
                dated = kind not in data.undated
                days = layer.days[1] if layer.days is not None and dated else ()
                found.append(Pair(Attribute(points, column, unit), kind, data.maps.get(kind, 0) if dated else 0, days))
    return tuple(found)


def sides_said(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """The words that say which side is meant, where points and maps tell the same."""
    pairs = pairs_of(data)
    layers = {layer_of(one.column) for one in pairs}
    kinds = {one.kind for one in pairs}
    for start in range(len(words)) if pairs else ():
        for end in range(start + 1, start + _LONGEST + 1):
            said = " ".join(words[start:end])
            if end <= len(words) and (said in _MEASURED or said in _MAPPED):
                yield Entity("BESIDE", start, end, Told(said in _MEASURED, pairs))
    for one in found if pairs else ():
        level = level_of(one.value) if one.symbol in _OF_FILE else None
        if isinstance(level, Polygons) and level.layer in layers:
            of = tuple(pair for pair in pairs if layer_of(pair.column.x) == level.layer)
            yield replace(one, symbol="BESIDE", value=Told(True, of), cost=0)
        elif one.symbol == "PRODUCT" and kinds & {*one.value.kinds}:
            of = tuple(pair for pair in pairs if pair.kind in one.value.kinds)
            yield replace(one, symbol="BESIDE", value=Told(False, of), cost=0)
        elif isinstance(one.value, Quantity) and one.value.kind in kinds and _is_product(one):
            of = tuple(pair for pair in pairs if pair.kind == one.value.kind)
            yield replace(one, symbol="BESIDE", value=Told(False, of, one.value), cost=0)


def _is_product(one: Entity) -> bool:
    """Whether a quantity is called by a product, which makes it that of the map: CHIRPS."""
    return one.symbol == "QUANTITY" and any(fact == "product" for fact, _ in one.value.having)


def of_kind(side: Told, x: Quantity) -> Told | None:
    """``the lab pH``, ``the pH of the map``: of the quantity that is said, by its product or not."""
    pairs = tuple(one for one in side.pairs if one.kind == x.kind)
    return replace(side, pairs=pairs, own=None if side.measured else x) if pairs else None


def of_column(side: Told, of: Attribute) -> Told | None:
    """``the measured Corg``: by the name of the column."""
    pairs = tuple(one for one in side.pairs if one.column == of) if side.measured else ()
    return replace(side, pairs=pairs) if pairs else None


def both_words(side: Told, other: Told) -> Told | None:
    """``lab samples``, ``the SoilGrids map``: two words for one side."""
    pairs = tuple(one for one in side.pairs if one in other.pairs)
    return replace(side, pairs=pairs) if side.measured == other.measured and pairs else None


def apart(first: Told, other: Told) -> Apart | None:
    """One side above the other, of the one quantity that both are of."""
    if first.measured == other.measured:
        return None
    on_map, on_ground = (other, first) if first.measured else (first, other)
    pairs = [one for one in on_ground.pairs if not on_map.pairs or one in on_map.pairs]
    own = on_map.own
    pairs = [one for one in pairs if own is None or own.kind == one.kind]
    if len(pairs) != 1:
        return None
    return Apart(first, pairs[0], own or Quantity(pairs[0].kind))


def is_held_against(x: Expression) -> bool:
    """Whether what points were measured to have is held against something else there, which is no column of theirs."""
    two = (x.a, x.b) if isinstance(x, Calculate | Correlate) else ()
    return any(isinstance(one, Attribute) for one in two) and any(
        isinstance(part, Split) for one in two if one is not None for _, part in walk(one)
    )
