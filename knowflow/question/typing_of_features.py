"""The rules of operators of features: what is asked of polygons, lines and points themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.ground.table_endings import TABLES
from knowflow.ground.units import compatible, known
from knowflow.question.misfits import need
from knowflow.question.operators import (
    Attribute,
    Calculate,
    Distance,
    During,
    Expression,
    Extreme,
    Outline,
    Over,
    Point,
    Polygons,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.types import AREA, COUNTED, DISTANCE, LENGTH, Measure, Type

_OF_OBJECTS: Mapping[str, Measure] = {"area": AREA, "length": LENGTH}

Below = Mapping[str, Any]


def attribute(e: Attribute, below: Below) -> Type:
    """A number of each, as its file says it."""
    need(is_features(e.x), "features given with the data", below["x"])
    need(bool(e.name), "the name of an attribute", "none")
    need(known(e.unit), "a unit", repr(e.unit))
    adds = ("objects", "classes", *(("time",) if are_rows(e.x) else ()))
    whole = are_rows(e.x) and (is_count(e.unit) or any(compatible(e.unit, one) for one in AMOUNTS))
    return Type("number", Measure(e.unit, "amount", adds, from_zero=whole), keys=("objects",))


def distance(e: Distance, below: Below) -> Type:
    """A length from each of some features, or from each pixel."""
    need(is_features(e.to), "features given with the data", below["to"], field="to")
    need(not are_rows(e.to) and not are_rows(e.x), "features that have a place", NO_PLACE, field="to")
    if e.x is None:
        return Type("number", DISTANCE, space=True)
    need(is_features(e.x), "features given with the data", below["x"])
    return Type("number", DISTANCE, keys=("objects",))


def is_features(e: Expression | None) -> bool:
    """Whether it is features given with the data, or a part of them."""
    return isinstance(e, Polygons) or (isinstance(e, Within | Outline | During) and is_features(e.x))


AMOUNTS = ("kg", "J", "m3")
"""Units of what there is so much of."""


def is_count(unit: str) -> bool:
    """Whether numbers count something, as such or per time: vehicles per day."""
    return unit in ("1", "day-1", "hour-1", "year-1")


OF_TABLE = (*sorted(TABLES), ".nc", ".nc4", ".cdf")
"""What the names of layers end in that are tables, of which the rows are features without a place."""
NO_PLACE = "rows of a table, which have no place: none of its columns tells one"


def are_rows(e: Expression | None) -> bool:
    """Whether it is features without a place: rows of a table."""
    return is_features(e) and (layer_of(e) or "").endswith(OF_TABLE)


def of_rows(e: Expression | None) -> Attribute | None:
    """A number of rows, taken together by something or not, of which no statistic is taken yet."""
    inner = e.x if isinstance(e, Split) else e
    return inner if isinstance(inner, Attribute) and are_rows(inner.x) else None


OF_YEAR = "{year}"
"""What stands in the name of a layer for the year, where there are files of several that are called alike otherwise."""


def is_of_years(e: Expression | None) -> bool:
    """Whether it is features of which there are those of several years, of none of which it is yet."""
    return isinstance(e, Polygons) and OF_YEAR in (e.layer or "")


def layer_of(e: Expression | None) -> str | None:
    """The file that features are of; None where there is one alone."""
    return e.layer if isinstance(e, Polygons) else layer_of(e.x) if isinstance(e, Within | Outline | During) else None


def measured_of(e: Expression) -> Expression | None:
    """The features of which something is a number each: an attribute, a size, a distance to others."""
    if isinstance(e, Over):
        return e.x if e.axes == "space" and is_features(e.x) else None
    return e.x if isinstance(e, Attribute | Distance) else None


def measured_in(e: Expression, but: tuple[tuple[str, str], ...] | None = None) -> set[object]:
    """The quantities and columns that something is of; those with the facts of ``but`` are none of them."""
    parts = [part for _, part in walk(e)]
    kinds = {part.kind for part in parts if isinstance(part, Quantity) and part.having != but}
    return {*kinds, *((layer_of(part.x), part.name) for part in parts if isinstance(part, Attribute))}


def is_chosen(e: Expression | None) -> bool:
    """Whether it is the features with the most of something, or what is chosen by these: which, only the run finds."""
    if not is_features(e) or not isinstance(e, Within | Outline | During):
        return False
    by = e.where if isinstance(e, Within) else e.when if isinstance(e, During) else None
    return is_chosen(e.x) or isinstance(by, Extreme) or (isinstance(by, Expression) and is_chosen(by))


def level_of_most(e: Extreme) -> Polygons | None:
    """The features, or rows, of which some have the most; None where they are no such."""
    split = next((part for _, part in walk(e.x) if isinstance(part, Split)), None)
    key = None if split is None else split.key
    if isinstance(key, Polygons):
        return Polygons(layer=key.layer) if key.by is None or are_rows(key) else None
    of = None if split is not None else measured_of(e.x)
    return None if of is None else Polygons(layer=layer_of(of))


def is_sort_of(key: Expression | str, x: Expression | None) -> bool:
    """Whether a key is an attribute of features themselves, by which they are taken together."""
    return isinstance(key, Polygons) and key.by is not None and is_features(x) and key.layer == layer_of(x)


def outline(e: Outline, below: Below) -> Type:
    """Features again."""
    need(is_features(e.x), "features given with the data", below["x"])
    need(not are_rows(e.x), "features that have a place", NO_PLACE)
    return Type("object")


def of_objects(e: Over, x: Type) -> Type:
    """How many features there are, or how large or long each of them is, or all that lie in each of others."""
    need(not isinstance(e.x, Point), "features given with the data", x)
    if e.axes == "objects":
        need(e.statistic == "count", "of features as such their count", e.statistic)
        return Type("number", COUNTED, keys=x.keys)
    need(not are_rows(e.x), "features that have a place", NO_PLACE)
    told = f"a statistic of that ({', '.join(_OF_OBJECTS)})"
    need(e.statistic in _OF_OBJECTS, told, f"{e.statistic} of {x}")
    need(e.axes == "space", "the axis space, or objects to count them", e.axes)
    return Type("number", _OF_OBJECTS[e.statistic], keys=("objects",))


def is_per_area(unit: str) -> bool:
    """Whether a number of features is told per area, and all of it is that times how large they are."""
    parts = unit.split(" ")
    return len(parts) > 1 and any(one in parts for one in ("ha-1", "km-2", "m-2", "acre-1"))


def in_all(x: Expression) -> Expression:
    """Numbers of features as they are added up: of what is told per area each times the area of its feature."""
    per_area = isinstance(x, Attribute) and is_per_area(x.unit)
    return Calculate("product", x, Over(x.x, "space", "area")) if isinstance(x, Attribute) and per_area else x
