"""The rules of what is asked of features themselves: how many, how long and how large, their numbers, how far apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Calculate,
    Distance,
    Expression,
    Extreme,
    Holds,
    Number,
    Outline,
    Over,
    Polygons,
    Within,
    walk,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import PERCENT, fits, level_of, statistic_of, told_in
from knowflow.question.reading.order import Clause, Thing, holding, standing, typed, within
from knowflow.question.reading.rules_of_areas import Extent

Bound = tuple[str, Any, Any]


def of_key(key: str) -> Expression | None:
    """``lakes``, ``the lake``: the features of a layer."""
    level = level_of(key)
    return level if isinstance(level, Polygons) and level.by is None else None


def both(a: Expression, b: Expression) -> Expression | None:
    """``La Loma parcel``, ``red pistes``: what two names say of the features of one layer."""
    if not isinstance(a, Polygons) or not isinstance(b, Polygons) or (a.names and b.names and a.names != b.names):
        return None
    if a.layer != b.layer and None not in (a.layer, b.layer):
        return None
    return replace(a, names=a.names or b.names, layer=a.layer or b.layer)


def cut(x: Expression, where: Expression) -> Expression | None:
    """``schools in Eggenberg``, ``on cropland``: the part of features on a ground."""
    if _is_features(where):
        return None if _layer(where) == _layer(x) else Within(x, where)
    ground = standing(where) or where
    own = None if _from_afar(ground) else typed(ground)
    return Within(x, ground) if own is not None and own.of == "truth" and own.space and not own.keys else None


def _is_features(x: Expression) -> bool:
    return isinstance(x, Polygons) or (isinstance(x, Within | Outline) and _is_features(x.x))


def _layer(x: Expression) -> str | None:
    return x.layer if isinstance(x, Polygons) else _layer(x.x) if isinstance(x, Within | Outline) else None


def _from_afar(ground: Expression) -> bool:
    """Whether it is so far from features: of other features that is measured from themselves."""
    return any(isinstance(part, Distance) for _, part in walk(ground))


def told_by(thing: Thing, layer: Expression) -> Thing | None:
    """``according to the parcel layer``: of what that layer holds."""
    held = {part.layer for _, part in walk(thing.x) if isinstance(part, Polygons)}
    return thing if held == {_layer(layer)} else None


def where_it_is(x: Expression, clause: Clause) -> Expression | None:
    """``the buildings that are flooded``."""
    ground = holding(clause, "pixel")
    return None if ground is None else cut(x, ground)


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


def amount(unit: str, x: Expression) -> Thing | None:
    """``how many km of tram line``, ``how many hectares of almonds``: all of it, in that unit."""
    what = "length" if compatible(unit, "m") else "area" if compatible(unit, "m2") else ""
    total = all_of(what)(x) if what else None
    return None if total is None else told_in(unit, total)


def outlined_by(extent: Extent, _: Expression, x: Expression) -> Thing | None:
    """``how large is the burnt area according to the fire perimeter``: what the outline holds."""
    plain = extent == replace(Extent("area"), unit=extent.unit)
    total = all_of("area")(x) if plain else None
    return total if total is None or extent.unit is None else told_in(extent.unit, total)


def in_money(thing: Thing, money: str) -> Thing | None:
    """``in euro``: of what is told in it."""
    held = {part.name for _, part in walk(thing.x) if isinstance(part, Attribute)}
    return thing if held and all(money in name.lower().split("_") for name in held) else None


def share(x: Expression, where: Expression) -> Thing | None:
    """``what percentage of the stand lies in the fire perimeter``."""
    inside = cut(x, where)
    part, whole = (None if one is None else all_of("area")(one) for one in (inside, x))
    if part is None or whole is None or not _is_features(where):
        return None
    return fits(Thing(Calculate("ratio", part.x, whole.x), unit=PERCENT))


# --- numbers of theirs --------------------------------------------------------------------------------------------


def number_of(of: Attribute, x: Expression) -> Thing | None:
    """``the depth of the wells``: of each."""
    return fits(Thing(replace(of, x=x))) if _layer(of.x) == _layer(x) else None


def one_number(of: Attribute, x: Expression) -> Thing | None:
    """``the depth of Pozo Sur``."""
    one = number_of(of, x)
    return None if one is None else statistic_of("sum", one)


def all_numbers(of: Attribute, x: Expression) -> Thing | None:
    """``how many pupils go to schools in the zone``: all together, of what counts."""
    return one_number(of, x) if of.unit == "1" else None


def graded_by(keys: Keys, by: tuple[Attribute, str], n: float = 1) -> Expression | None:
    """``which well is the deepest``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None or n != int(n) or n < 1:
        return None
    one = number_of(by[0], level)
    return None if one is None else Extreme(one.x, by[1], int(n))  # type: ignore[arg-type]  # words list sides


def most_of(keys: Keys, said: str, of: Attribute) -> Expression | None:
    """``which hut has the most beds``."""
    side = {"maximum": "highest", "minimum": "lowest"}.get(said)
    return None if side is None else graded_by(keys, (of, side))


def sized_most(keys: Keys, side: str) -> Expression | None:
    """``which piste is the longest``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None:
        return None
    one = each("length")(level)
    return None if one is None else Extreme(one.x, side)  # type: ignore[arg-type]  # words list sides


# --- how far ------------------------------------------------------------------------------------------------------


def apart(x: Expression, to: Expression) -> Thing | None:
    """``how far is the well from the pump house``: the shortest way from one to the nearest of the others."""
    return fits(Thing(Over(Distance(to, x), "objects", "minimum"))) if x != to else None


def nearest(keys: Keys, side: str, to: Expression) -> Expression | None:
    """``which village is nearest to the river``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None or level == to:
        return None
    found = Extreme(Distance(to, level), side)  # type: ignore[arg-type]  # words list sides
    return found if typed(found) is not None else None


def near(bound: Bound, to: Expression) -> tuple[Bound, Expression] | None:
    """``within 500 m of a road``."""
    limit = bound[1]
    if bound[0] == "exactly":
        return None
    return (bound, to) if isinstance(limit, Number) and limit.unit != "1" and compatible(limit.unit, "m") else None


def _tested(x: Expression | None, said: tuple[Bound, Expression]) -> Expression | None:
    test = compare(Thing(Distance(said[1], x)), said[0]) if x != said[1] else None
    if test is None or not isinstance(test.limit, Number):
        return None
    upper = test.upper if isinstance(test.upper, Number) else None
    found = Beyond(test.left.x, test.side, test.limit, upper)
    return found if typed(found) is not None else None


def so_near(said: tuple[Bound, Expression]) -> Expression | None:
    """Ground that is so near."""
    return _tested(None, said)


def count_near(x: Expression, said: tuple[Bound, Expression]) -> Thing | None:
    """``how many posts are within 1 km of the dike``."""
    found = _tested(x, said)
    return None if found is None else fits(Thing(Over(found, "objects", "count")))


def those_near(keys: Keys, said: tuple[Bound, Expression]) -> Expression | None:
    """``which villages are within 500 m of the river``."""
    level = keys.level if keys.when is None and isinstance(keys.level, Polygons) else None
    found = None if level is None else _tested(level, said)
    return None if found is None else Holds(found)


def touching(to: Expression) -> tuple[Bound, Expression]:
    """``touch a protected area``: there is no way between them."""
    return ("at_most", Number(0.0, "m"), None), to


RULES_OF_FEATURES: tuple[Line, ...] = (
    # which features
    ("OBJ <- NAMED_KEY", of_key, 1),
    ("OBJ <- OBJECTS", lambda x: x, 1),
    ("ONE <- ONE_FEATURE", lambda x: x),
    ("ONE <- OBJECTS", lambda x: x if len(x.names) == 1 else None),
    *((f"{one} <- {a} {b}", both) for one in ("OBJ", "ONE") for a, b in (("FEW", "OBJECTS"), ("OBJECTS", "FEW"))),
    ("FEW <- NAMED_KEY", of_key),
    *((f"{one} <- {one} layer", lambda x: x) for one in ("OBJ", "ONE")),
    ("OBJ <- all of? OBJ", lambda x: x),
    ("OBJ <- OBJ in_total", lambda x: x),
    ("OBJ <- OBJ have OBJECTS", both),
    ("OBJ <- OBJ judged FEW layer?", both),
    ("OBJ <- OBJ that? be? W", cut, 1),
    *(
        (f"OBJ <- OBJ {word} {place}", cut, 1)
        for word in ("that? be? in", "that? runs? in", "through")
        for place in ("OBJ", "PLACE")
    ),
    ("N <- N be in PLACE", within, 1),
    ("N <- A GROUND judged ONE layer?", outlined_by, 1),
    ("N <- N in MONEY", in_money),
    ("OBJ <- OBJ that? be? C", where_it_is, 2),
    ("PLACE <- FEW OBJECTS", both),
    ("PLACE <- OBJECTS FEW", both),
    ("PLACE <- ONE", lambda x: x, 1),
    ("TO <- ONE", lambda x: x),
    ("TO <- OBJ", lambda x: x, 1),
    ("TO <- edge_of TO", lambda x: None if isinstance(x, Outline) else Outline(x)),
    ("N <- N judged FEW layer?", told_by),
    ("N <- N judged ONE layer?", told_by),
    ("TO <- nearest_one TO", lambda x: x),
    # how many, how long, how large
    ("N <- how_many OBJ be?", count, 2),
    ("N <- how_many OBJ do SCOPE have", lambda x, _: count(x), 1),
    ("N <- how_many OBJ be? in? OBJ layer", lambda x, y: count(x) if x == y else None),
    ("N <- how_many OBJ be? W", lambda x, where: (y := cut(x, where)) and count(y), 1),
    ("N <- how_many OBJ be? C", lambda x, clause: (y := where_it_is(x, clause)) and count(y), 2),
    *(
        (f"N <- {said} {one}", make(what), cost)
        for one, make, cost in (("ONE", all_of, 0), ("OBJ", each, 1))
        for what, words in (("length", "length_of"), ("perimeter", "perimeter_of"))
        for said in (f"{words} of?", f"how_long be? {words} of", f"how_long {words} of")
    ),
    ("N <- how_long be? ONE", all_of("length")),
    ("N <- how_long be? OBJ", each("length"), 1),
    *((f"N <- {one} length_of", make("length")) for one, make in (("ONE", all_of), ("OBJ", each))),
    *((f"N <- {one} perimeter_of", make("perimeter")) for one, make in (("ONE", all_of), ("OBJ", each))),
    ("N <- how_many UNIT of? OBJ", amount, 2),
    ("N <- how_many UNIT of? OBJ do? have?", amount, 3),
    ("N <- how_many UNIT be ONE", amount),
    ("N <- how_many UNIT long be ONE", amount),
    ("N <- how_much OBJ be? W", share, 2),
    ("N <- A OBJ be? W", lambda extent, x, where: share(x, where) if extent.statistic == "share" else None, 2),
    # their numbers
    ("N <- ATTRIBUTE of? OBJ", number_of),
    ("N <- ATTRIBUTE of? ONE", one_number, -1),
    ("N <- OBJ ATTRIBUTE", lambda x, of: number_of(of, x), 1),
    ("N <- how_many ATTRIBUTE in_total? do? have? be? attend? in? OBJ", all_numbers, 1),
    ("N <- how_many ATTRIBUTE do ONE have", all_numbers),
    ("N <- how_many ATTRIBUTE do OBJ have in_total?", all_numbers, 1),
    ("XT <- KEYS that? be? RANKED_BY", graded_by),
    ("XT <- RANKED_BY KEYS", lambda by, keys: graded_by(keys, by)),
    ("XT <- NUM RANKED_BY KEYS", lambda n, by, keys: graded_by(keys, by, n)),
    ("XT <- KEYS that? have STAT ATTRIBUTE", most_of),
    ("XT <- KEYS that? have most ATTRIBUTE", lambda keys, of: most_of(keys, "maximum", of)),
    ("XT <- KEYS that? be? BY_LENGTH", sized_most),
    ("XT <- BY_LENGTH KEYS", lambda side, keys: sized_most(keys, side)),
    # how far
    *(
        (f"N <- {how} {frm}", apart)
        for how in ("how_far be?", "apart_by")
        for frm in ("from? ONE from TO", "from ONE to TO")
    ),
    ("N <- apart_by between ONE and TO", apart),
    ("N <- how_far be? ONE and ONE apart", apart),
    ("N <- N straight", lambda thing: thing),
    ("N <- straight N", lambda thing: thing),
    ("XT <- KEYS that? be? NEAREST to? TO", nearest),
    ("XT <- KEYS that? be? NEAREST from TO", nearest),
    ("XT <- NEAREST KEYS to TO", lambda side, keys, to: nearest(keys, side, to)),
    ("NEARBY <- in NUMBER of TO", lambda limit, to: near(("at_most", limit, None), to)),
    *((f"NEARBY <- B {word} TO", near) for word in ("from", "of", "to", "away_from")),
    ("NEARBY <- touch TO", touching),
    ("NEARBY <- NEARBY OBJ included", lambda said, x: said if said[1] == x else None),
    ("Q <- and Q", lambda one: one, 3),
    ("N <- how_many OBJ be? NEARBY", count_near),
    ("E <- which KEYS be? NEARBY", those_near),
    ("W <- NEARBY", so_near, 1),
    ("CL <- NEARBY", so_near),
)
