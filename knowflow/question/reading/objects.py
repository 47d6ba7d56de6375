"""What is asked of features themselves: which, how many, how long and how large, how far apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Attribute,
    Calculate,
    Distance,
    During,
    Expression,
    Extreme,
    Holds,
    Not,
    Number,
    Outline,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.reading.attributes import Bound, beyond_of
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.limits import EXACTLY
from knowflow.question.reading.nouns import PERCENT, fits, level_of, statistic_of, told_in
from knowflow.question.reading.of_each import each_so
from knowflow.question.reading.order import Clause, Level, Thing, holding, standing, typed
from knowflow.question.reading.restricted import of_one_year, within
from knowflow.question.reading.rules_of_areas import Extent, measured
from knowflow.question.reading.sorts import per_sort
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_features, is_of_years, layer_of


def of_key(key: str) -> Expression | None:
    """``lakes``, ``the lake``: the features of a layer."""
    level = level_of(key)
    return level if isinstance(level, Polygons) and level.by is None else None


def both(a: Expression, b: Expression) -> Expression | None:
    """``La Loma parcel``, ``red pistes``: what two names say of the features of one layer."""
    if not isinstance(a, Polygons) or not isinstance(b, Polygons) or (a.names and b.names and a.names != b.names):
        return None
    if a.layer != b.layer and (None not in (a.layer, b.layer) or are_rows(a) or are_rows(b)):
        return None
    return replace(a, names=a.names or b.names, layer=a.layer or b.layer)


def of_both(x: Expression, sort: Expression) -> Expression | None:
    """``private parcels that are zoned for houses``: those of one value that are of one of another attribute too."""
    plain = both(x, sort)
    if plain is not None or not isinstance(sort, Polygons) or not sort.names:
        return plain
    of = x
    while isinstance(of, Within):
        of = of.x
    if not isinstance(of, Polygons) or of.by is not None or of.names == sort.names:
        return None
    return Within(x, sort) if of.layer == sort.layer else None


def cut(x: Expression, where: Expression) -> Expression | None:
    """``schools in Eggenberg``, ``on cropland``: the part of features on a ground."""
    if is_features(where):
        return None if layer_of(where) == layer_of(x) else Within(x, where)
    if isinstance(where, Not) and isinstance(where.x, Polygons):
        return None if where.x.layer == layer_of(x) else Within(x, where)
    ground = standing(where) or where
    own = None if _from_afar(ground) else typed(ground)
    return Within(x, ground) if own is not None and own.of == "truth" and own.space and not own.keys else None


def _from_afar(ground: Expression) -> bool:
    """Whether it is so far from features: of other features that is measured from themselves."""
    return any(isinstance(part, Distance) for _, part in walk(ground))


def told_by(thing: Thing, layer: Expression) -> Thing | None:
    """``according to the parcel layer``: of what that layer holds; of some of it, by whose name nothing is judged."""
    if not isinstance(layer, Polygons) or layer.names:
        return None
    held = {part.layer for _, part in walk(thing.x) if isinstance(part, Polygons)}
    return thing if held == {layer_of(layer)} else None


def of_the_year(when: Times, x: Expression) -> Expression | None:
    """``the 2019 outline``: of features of which there are those of several years, or of which it is told when each
    was."""
    return During(x, when) if is_features(x) else None


def year_of_those(when: Times, every: Expression, named: Expression) -> Expression | None:
    """``the 2019 outline of Long Lake``."""
    told = of_the_year(when, every)
    return None if told is None else of_one_year(named, told)


def size_in_years(x: Expression) -> Thing | None:
    """``by how much did the lake shrink``: what there are outlines of several years of."""
    of = x.x if isinstance(x, Within) else x
    return all_of("area")(x) if is_of_years(of) else None


def part_of_place(place: Expression, clause: Clause) -> Expression | None:
    """``the granite ground steeper than 25 degrees``: of features the ground where something holds, or those of each of
    which it does."""
    ground = holding(clause, "pixel") if is_features(place) else None
    return each_so(place, clause) or (None if ground is None else within(ground, place))


def where_it_is(x: Expression, clause: Clause) -> Expression | None:
    """``the buildings that are flooded``."""
    ground = holding(clause, "pixel")
    return each_so(x, clause) or (None if ground is None else cut(x, ground))


def and_there(extent: Extent, clause: Clause, where: Expression) -> Thing | None:
    """``how many hectares have a slope below 10 degrees and lie outside the parks``: of how large it is, where it is
    no part of anything."""
    thing = measured(extent, clause) if extent.statistic == "area" else None
    return None if thing is None else within(thing, where)


def count(x: Expression) -> Thing | None:
    return fits(Thing(Over(x, "objects", "count")))


def each(what: str) -> Any:
    """The length of each, its area, the length of its outline."""
    if what == "perimeter":
        return lambda x: fits(Thing(Over(Outline(x), "space", "length")))
    return lambda x: fits(Thing(Over(x, "space", what)))  # type: ignore[arg-type]  # the rules list statistics


def all_of(what: str) -> Any:
    """The length of all together: of one it is its own."""

    def total(x: Expression) -> Thing | None:
        one = each(what)(x)
        return None if one is None else statistic_of("sum", one)

    return total


def each_or_all(what: str) -> Any:
    """The length of each; of those that are open of all together."""
    return lambda x: (all_of if isinstance(x, Within) and isinstance(x.where, Holds) else each)(what)(x)


def amount(unit: str, x: Expression) -> Thing | None:
    """``how many km of tram line``, ``how many hectares of almonds``: all of it, in that unit."""
    what = "length" if compatible(unit, "m") else "area" if compatible(unit, "m2") else ""
    total = all_of(what)(x) if what else None
    return None if total is None else told_in(unit, total)


def area_of_those(x: Expression, clause: Clause) -> Thing | None:
    """``area of the maize fields with a mean NDVI above 0.6``: of the features of a kind of each of which it is so, and
    of no ground in them."""
    those = each_so(x, clause)
    return None if those is None else all_of("area")(those)


def area_of_those_in(unit: str, x: Expression, clause: Clause) -> Thing | None:
    """``how many hectares of the maize fields had a mean NDVI above 0.6``."""
    those = each_so(x, clause)
    return None if those is None else amount(unit, those)


def total_of_those(said: str, extent: Extent, x: Expression, clause: Clause) -> Thing | None:
    """``total area of the maize fields with a mean NDVI above 0.6``."""
    return area_of_those(x, clause) if (said, extent.statistic) == ("sum", "area") else None


def outlined_by(extent: Extent, _: Expression, x: Expression) -> Thing | None:
    """``how large is the burnt area according to the fire perimeter``: what the outline holds."""
    plain = extent == replace(Extent("area"), unit=extent.unit)
    total = all_of("area")(x) if plain else None
    return total if total is None or extent.unit is None else told_in(extent.unit, total)


def sizes(said: str, extent: Extent, x: Expression) -> Thing | None:
    """``the average size of the winter wheat parcels``."""
    plain = extent == replace(Extent("area"), unit=extent.unit)
    each = fits(Thing(Over(x, "space", "area"))) if plain else None
    found = None if each is None else statistic_of(said, each)
    return found if found is None or extent.unit is None else told_in(extent.unit, found)


def in_money(thing: Thing, money: str) -> Thing | None:
    """``in euro``: of what is told in it."""
    held = {part.name for _, part in walk(thing.x) if isinstance(part, Attribute)}
    return thing if held and all(money in name.lower().split("_") for name in held) else None


def per_zone(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """``how many schools are there in each district``, ``length of roads per parish``: of all that lies in each."""
    if isinstance(key, Polygons) and key.by is not None and (found := per_sort(thing, key)) is not None:
        return found
    x = thing.x
    if isinstance(key, str) and isinstance(x, Over) and are_rows(x.x) and thing == Thing(x, unit=thing.unit):
        return fits(replace(thing, x=replace(x, x=Split(x.x, key))))  # type: ignore[arg-type]  # a grain
    if isinstance(x, Over) and isinstance(x.x, Over) and (x.axes, x.statistic) == ("objects", "sum"):
        x = x.x
    plain = thing == Thing(thing.x, unit=thing.unit)
    if not (plain and isinstance(x, Over) and is_features(x.x) and isinstance(key, Polygons) and key.by is None):
        return None
    return None if layer_of(x.x) == key.layer else fits(replace(thing, x=replace(x, x=Split(x.x, key))))


def ranked_zones(keys: Keys, said: str, thing: Thing) -> Expression | None:
    """``which district has the largest number of schools``, ``which category the largest total area``."""
    one = per_zone(thing, keys.level) if keys.when is None else None
    side = {"maximum": "highest", "minimum": "lowest"}.get(said)
    return None if one is None or side is None else Extreme(one.x, side)  # type: ignore[arg-type]  # both are sides


def most_in(keys: Keys, said: str, x: Expression) -> Expression | None:
    """``which district has the most schools``."""
    total = count(x)
    return None if total is None else ranked_zones(keys, said, total)


def share(x: Expression, where: Expression) -> Thing | None:
    """``what percentage of the stand lies in the fire perimeter``."""
    inside = cut(x, where)
    part, whole = (None if one is None else all_of("area")(one) for one in (inside, x))
    if part is None or whole is None or not is_features(where):
        return None
    return fits(Thing(Calculate("ratio", part.x, whole.x), unit=PERCENT))


def share_of_points(x: Expression, where: Expression) -> Thing | None:
    """``what percentage of the schools lies in the zone``: of points, of which a file alone tells that they are."""
    inside = cut(x, where)
    part, whole = (None if one is None else count(one) for one in (inside, x))
    return None if part is None or whole is None else fits(Thing(Calculate("ratio", part.x, whole.x), unit=PERCENT))


def sized_most(keys: Keys, side: str) -> Expression | None:
    """``which piste is the longest``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None:
        return None
    one = each("length")(level)
    return None if one is None else Extreme(one.x, side)  # type: ignore[arg-type]  # words list sides


def longer(side: str, limit: Number) -> Bound:
    return side, limit, None


def so_long(x: Expression, bound: Bound) -> Expression | None:
    one = each("length")(x)
    return None if one is None else beyond_of(one.x, bound)


def counted_so(test: Any) -> Any:
    """How many there are for which it holds."""

    def make(x: Expression, said: Any) -> Thing | None:
        found = test(x, said)
        return None if found is None else fits(Thing(Over(found, "objects", "count")))

    return make


def those_so(test: Any) -> Any:
    """Those for which it holds."""

    def make(keys: Keys, said: Any) -> Expression | None:
        level = keys.level if keys.when is None and isinstance(keys.level, Polygons) else None
        found = None if level is None else test(level, said)
        return None if found is None else Holds(found)

    return make


# --- how far ------------------------------------------------------------------------------------------------------


def apart(x: Expression, to: Expression) -> Thing | None:
    """``how far is the well from the pump house``: the shortest way from one to the nearest of the others."""
    return fits(Thing(Over(Distance(to, x), "objects", "minimum"))) if x != to else None


def each_apart(x: Expression, to: Expression) -> Thing | None:
    """``how far is each post from the nearest lake``."""
    return fits(Thing(Distance(to, x))) if x != to else None


def nearest(keys: Keys, side: str, to: Expression) -> Expression | None:
    """``which village is nearest to the river``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None or level == to:
        return None
    found = Extreme(Distance(to, level), side)  # type: ignore[arg-type]  # words list sides
    return found if typed(found) is not None else None


def higher(unit: str, a: Expression, b: Expression) -> Thing | None:
    """``how many metres higher is the hut than the village``: of the ground that they stand on."""
    if not compatible(unit, "m") or a == b:
        return None
    one, other = (Over(Within(Quantity("elevation"), x), "space", "mean") for x in (a, b))
    found = fits(Thing(Calculate("difference", one, other)))
    return None if found is None else told_in(unit, found)


def near(bound: Bound, to: Expression) -> tuple[Bound, Expression] | None:
    """``within 500 m of a road``."""
    limit = bound[1]
    if bound[0] == EXACTLY:
        return None
    return (bound, to) if isinstance(limit, Number) and limit.unit != "1" and compatible(limit.unit, "m") else None


def so_far(x: Expression | None, said: tuple[Bound, Expression]) -> Expression | None:
    """Which of them are so far from others; without any which pixels are."""
    return beyond_of(Distance(said[1], x), said[0]) if x != said[1] else None


def so_near(said: tuple[Bound, Expression]) -> Expression | None:
    """Ground that is so near."""
    return so_far(None, said)


def touching(to: Expression) -> tuple[Bound, Expression]:
    """``touch a protected area``: there is no way between them."""
    return ("at_most", Number(0.0, "m"), None), to
