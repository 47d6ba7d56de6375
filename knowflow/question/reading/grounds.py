"""Where something holds: shares, areas, patches and pixels of it, and ground to restrict to: functions of the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.question.operators import (
    And,
    Calculate,
    Classify,
    During,
    Expression,
    Extreme,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Polygons,
    Quantity,
    Statistic,
    walk,
    with_children,
)
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.limits import compare, compared_as
from knowflow.question.reading.nouns import PERCENT, fits, level_of, per, statistic_of, told_in
from knowflow.question.reading.of_each import all_each_so
from knowflow.question.reading.order import CLOUDLESS, Clause, Level, Test, Thing, holding, typed
from knowflow.question.reading.restricted import within
from knowflow.question.reading.sorts import areas_of

_MARKS = frozenset(("cloud_mask", "cloud_shadow_mask", "qa_bits", "scene_classification"))
"""What a quality band tells of the pixels of an image, each of which is one of them."""


def by_method(x: Expression, index: Quantity) -> Any:
    """``water by NDWI``, of a thing on the ground or of what is asked of it: the index that tells it is the method."""
    if quantity_kinds()[index.kind].family != "index" or index.having:
        return None

    def told(part: Expression) -> Expression:
        if isinstance(part, Quantity) and part.method is None and quantity_kinds()[part.kind].family == "mask":
            return replace(part, method=index.kind)
        return with_children(part, told)

    found = told(x)
    return None if found == x else found


def class_of_map(ground: Expression, key: str) -> Expression | None:
    """``high erosion risk``, ``loam soils``: a class with the name of its map behind it."""
    return ground if isinstance(ground, IsClass) and level_of(key) == ground.x else None


def share_where(clause: Clause, where: Expression | None = None, statistic: str = "share") -> Thing | None:
    """The share, the area or the patches of the ground where something holds; the area of the features of each of which
    it does, by a statistic of theirs."""
    those = all_each_so(where, clause) if statistic == "area" else None
    if those is not None:
        sizes = fits(Thing(Over(those, "space", "area")))
        return None if sizes is None else statistic_of("sum", sizes)
    x = holding(clause, "pixel")
    if x is None or x == where:
        return None
    own = typed(x)
    if own is None or not own.space:
        return None
    return fits(Thing(x if where is None else within(x, where), statistic))  # type: ignore[arg-type]


def largest(keys: Keys, said: str) -> Expression | None:
    """``which class has the largest area``."""
    areas = areas_per(keys.key) if keys.when is None else None
    side = {"maximum": "highest", "minimum": "lowest"}.get(said)
    return None if areas is None or side is None else Extreme(areas.x, side)  # type: ignore[arg-type]


def covering(ground: Clause, bound: tuple[str, Any, Any]) -> Clause | None:
    """``water covered more than 20 %``, ``less than 100 hectares``: its share, or its area."""
    unit = bound[1].unit if isinstance(bound[1], Number) else ""
    statistic = "share" if unit == PERCENT else "area" if unit and compatible(unit, "m2") else ""
    thing = share_where(ground, None, statistic) if statistic else None
    return None if thing is None else compare(thing, bound)


def in_share_of(clause: Clause, said: tuple[Any, Expression | None]) -> Test | None:
    """``above 8 in more than half of the lake``."""
    share = share_where(clause, said[1])
    return None if share is None else compare(share, said[0])


def somewhere(clause: Clause) -> Test | None:
    """``above 15 somewhere``: the highest of its pixels is, or the lowest is below."""
    if not isinstance(clause, Test) or clause.left.statistic is not None or clause.side == "between":
        return None
    said = "maximum" if clause.side in ("above", "at_least") else "minimum"
    left = statistic_of(said, clause.left)
    return None if left is None else replace(clause, left=left)


def at_some_time(clause: Clause) -> Test | None:
    """``below 0.3 at any time``: the lowest of its dates is; ``ever above``."""
    if not isinstance(clause, Test) or clause.left.then is not None or clause.side == "between":
        return None
    left = clause.left if clause.left.statistic is not None else statistic_of("mean", clause.left)
    said: Statistic = "maximum" if clause.side in ("above", "at_least") else "minimum"
    return None if left is None or left.keys else replace(clause, left=replace(left, then=said))


def class_shares(key: str | Level) -> Thing | None:
    """``the share of each class``: of what is mapped."""
    areas = areas_per(key) if isinstance(key, str) else class_areas(key)
    return areas and fits(Thing(Calculate("ratio", areas.x, Over(areas.x, "classes", "sum")), unit=PERCENT))


def shares_of(place: Expression, where: Expression) -> Thing | None:
    """``what share of the wetland is within the reserves``: of polygons by the parts of pixels that they cover."""
    if not isinstance(where, Polygons):
        return share_where(where, place)
    whole, own = area_of(place), typed(place)
    part = None if whole is None else within(whole, where)
    if whole is None or part is None or own is None or "date" in own.keys:
        return None
    return Thing(Calculate("ratio", Over(part.x, "space", "area"), Over(whole.x, "space", "area")), unit=PERCENT)


def class_there(key: str, place: Expression) -> Thing | None:
    """``what land cover is there at Post 3``."""
    classes = level_of(key)
    of = within(Thing(classes), place) if isinstance(classes, Quantity) else None
    return None if of is None else fits(Thing(Over(of.x, "space", "majority")))


def sized(ground: Clause, bound: tuple[str, Any, Any]) -> Clause | None:
    """``the lake was larger than 200 hectares``."""
    limit = bound[1]
    return covering(ground, bound) if isinstance(limit, Number) and compatible(limit.unit, "m2") else None


def slopes(x: Expression, named: tuple[str, str], limit: Any) -> Expression | None:
    """``slopes steeper than 10 degrees``, as a place."""
    test = compared_as(Thing(x), named, limit)
    return None if test is None else where_of(test)


def area_of(place: Expression) -> Thing | None:
    """How large a thing on the ground is."""
    return share_where(place, None, "area")


def class_areas(key: Level | tuple[Level, ...], unit: str | None = None) -> Thing | None:
    """``what area does each class take up``."""
    areas = areas_of(key) if isinstance(key, Quantity | Classify | Polygons) else None
    return areas if areas is None or unit is None else told_in(unit, areas)


def pixels(clause: Clause, where: Expression | None = None) -> Thing | None:
    """How many pixels there are in which something holds."""
    return share_where(clause, where, "count")


def whole(thing: Thing) -> Thing | None:
    """``the total area``, ``rain in total``: of what is one number as it is."""
    own = typed(thing.x)
    if own is not None and own.of == "number" and "time" in own.measure.adds and thing.statistic is None:
        return statistic_of("sum", thing)
    if own is not None and own.keys and not (own.space or thing.keys):
        return statistic_of("sum", thing)
    if own is not None and own.space and "space" in own.measure.adds and thing.statistic in (None, "sum"):
        return replace(thing, statistic="sum")
    return thing if thing.statistic in ("area", "count", "patches", "integral") else None


def in_unit_of(unit: str, thing: Thing | None) -> Thing | None:
    return None if thing is None else told_in(unit, thing)


def clear(thing: Thing) -> Thing | None:
    """Of ground that no cloud covers."""
    return within(thing, CLOUDLESS)


def per_area(unit: str, key: Level | tuple[Level, ...], clause: Clause) -> Thing | None:
    """``how many hectares of each district are water``."""
    area = share_where(clause, None, "area")
    keyed = None if area is None else per(area, key)
    return None if keyed is None else told_in(unit, keyed)


def area_in(unit: str, place: Expression | None, clause: Clause) -> Thing | None:
    """``how many hectares of the forest``."""
    return in_unit_of(unit, share_where(clause, place, "area"))


def per_share(key: Level | tuple[Level, ...], clause: Clause, statistic: str = "share") -> Thing | None:
    """``what share of each polygon``, or what area."""
    share = share_where(clause, None, statistic)
    return None if share is None else per(share, key)


def either(a: Expression, b: Expression) -> Expression | None:
    """Ground of one kind and of another: what is either; burned and unburned ground are two."""
    if Not(a) == b or Not(b) == a:
        return None
    if isinstance(a, IsClass) and isinstance(b, IsClass) and a.x == b.x:
        return IsClass(a.x, (*a.names, *b.names))
    if isinstance(a, Polygons) and isinstance(b, Polygons):
        return Polygons((*a.names, *b.names)) if a.names and b.names else None
    return Or((a, b)) if typed(Or((a, b))) is not None else None


def one_of_two(a: Expression, b: Expression) -> Expression | None:
    """``arable land or pasture``, ``cloud or cloud shadow``: two classes of one map, or grounds of two."""
    of_maps = typed(a), typed(b)
    if is_mark(a) and is_mark(b) and isinstance(a, Not) != isinstance(b, Not):
        return None  # free of cloud or shadow: of neither
    return either(a, b) if a != b and all(own is not None and own.of == "truth" for own in of_maps) else None


def both_marks(a: Expression, b: Expression) -> Expression | None:
    """``cloud and cloud shadow``, of which a pixel has one: both of them together."""
    return one_of_two(a, b) if is_mark(a) and is_mark(b) else None


def neither(a: Expression, b: Expression) -> Expression | None:
    """``free of cloud and cloud shadow``."""
    x = one_of_two(a, b)
    return None if x is None else Not(x)


def is_mark(x: Expression) -> bool:
    """Whether ground is what a quality band marks: cloud, shadow, cirrus."""
    kinds = {part.kind for _, part in walk(x) if isinstance(part, Quantity)}
    return bool(kinds) and kinds <= _MARKS and isinstance(x, Quantity | IsClass | During | Not | Or)


def where_of(clause: Clause) -> Expression | None:
    return holding(clause, "pixel")


def both_grounds(ground: Expression, clause: Clause) -> Expression | None:
    x = holding(clause, "pixel")
    found = None if x is None else And((ground, x))
    return found if found is not None and typed(found) is not None else None


def of_two_maps(a: Expression, b: Expression) -> Expression | None:
    """``dead spruce``: classes of two maps, of which the first stands as a word for what is so of the other."""
    apart = isinstance(a, IsClass) and isinstance(b, IsClass) and a.x != b.x
    return both_grounds(a, b) if apart else None


def areas_per(key: str) -> Thing | None:
    """``the area of each class``."""
    level = level_of(key)
    return areas_of(level) if isinstance(level, Quantity | Classify | Polygons) else None
