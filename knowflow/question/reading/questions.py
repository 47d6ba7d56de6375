"""The rules of whole questions, and the grammar of all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    GRAINS,
    Anomaly,
    Beyond,
    Calculate,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Number,
    Over,
    Polygons,
    Quantity,
    Several,
    Show,
    Split,
    Statistic,
    Trend,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import afterwards, per, statistic_of, told_in
from knowflow.question.reading.order import (
    CLOUDLESS,
    Clause,
    Level,
    Test,
    Thing,
    closed,
    holding,
    of_all_times,
    totalled,
    typed,
)
from knowflow.question.reading.restricted import during, grounded, within
from knowflow.question.reading.sentence import ITS
from knowflow.question.reading.spans import grain_of
from knowflow.question.times import Times

NAMES = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is asked, and the unit that it is to be told in: of a question with parts one for each.

    ``bare`` is whether no word asks: a noun alone may stand in a list of what one word asks for.
    """

    expression: Expression
    unit: str | None = None
    units: tuple[str | None, ...] = ()
    bare: bool = False


def answer(thing: Thing) -> Answer | None:
    """What a noun asks for: one number, or one per key that it names."""
    x = closed(thing)
    if x is None and thing == Thing(thing.x) and isinstance(thing.x, Calculate):
        x = thing.x  # of which the reader tells why it does not fit
    return None if x is None else Answer(x, thing.unit)


def alone(thing: Thing) -> Answer | None:
    found = answer(thing)
    return None if found is None else replace(found, bare=True)


def displayed(thing: Thing) -> Answer | None:
    """``show the mean NDVI``; of what has no statistic a map may be meant, or a picture, which has to be said."""
    own = typed(thing.x)
    reduced = thing.statistic or thing.then or thing.keys or (own is not None and not own.space)
    return answer(thing) if reduced else None


def answered_in(one: Answer, unit: str) -> Answer | None:
    """``How large is the lake? In hectares, please.``; a map is told in the unit that it has."""
    own = typed(one.expression)
    if own is None or one.unit is not None or any(one.units):
        return None
    if isinstance(one.expression, Several):
        each = [answered_in(Answer(part), unit) for _, part in one.expression.named]
        return None if None in each else replace(one, units=(unit,) * len(each), bare=False)
    if isinstance(one.expression, Show):
        shown_in = typed(one.expression.x)
        told = shown_in is not None and shown_in.of == "number" and compatible(shown_in.measure.unit, unit)
        if not told or one.expression.as_ == "map":
            return replace(one, unit=unit) if told else None
        shown = one.expression.x if one.expression.as_ == "table" else one.expression
        return replace(one, expression=shown, unit=unit)
    found = told_in(unit, Thing(one.expression)) if own.of == "number" and not own.space else None
    return None if found is None else replace(one, unit=unit, bare=False)


def plain(x: Expression | Answer) -> Answer:
    return x if isinstance(x, Answer) else Answer(x)


def with_change(change: Callable[[Expression], Expression | None], one: Answer) -> Answer | None:
    x = change(one.expression)
    return None if x is None else replace(one, expression=x)


def cloudless(one: Answer) -> Answer | None:
    """A question about ground that no cloud covers."""
    x = within(one.expression, CLOUDLESS)
    return None if x is None or typed(x) is None else replace(one, expression=x)


def per_key(key: Level, thing: Thing) -> Answer | None:
    own = per(thing, key)
    return None if own is None else answer(own)


# --- several ------------------------------------------------------------------------------------------------------


def several(answers: Iterable[Answer | None], names: Sequence[str] = NAMES) -> Answer | None:
    """A question with a part for each answer, those of parts one by one."""
    flat: list[Answer] = []
    for one in answers:
        if one is None:
            return None
        units = one.units or (one.unit,)
        parts = [part for _, part in one.expression.named] if isinstance(one.expression, Several) else [one.expression]
        for part, unit in zip(parts, units, strict=True):
            flat.append(Answer(_of_before(part, [before.expression for before in flat]), unit))
    if not 2 <= len(flat) <= len(names) or len({one.expression for one in flat}) < len(flat):
        return None
    names = (_times_apart(flat) or names) if names is NAMES else names
    named = tuple(zip(names, (one.expression for one in flat), strict=False))
    return Answer(Several(named), units=tuple(one.unit for one in flat))


def _times_apart(answers: Sequence[Answer]) -> tuple[str, ...]:
    """What parts are called that differ in their time alone: by these."""
    found = [of_all_times(one.expression) for one in answers]
    times = [str(told[0]) for _, told in found if len(told) == 1]
    alike = len({x for x, _ in found}) == 1 and len(set(times)) == len(answers)
    return tuple(times) if alike else ()


def with_area(one: Answer, unit: str = "") -> Answer | None:
    """``what share is green, and how large is it``: beside the share the area of the same ground."""

    def of_area(x: Expression) -> Expression:
        if isinstance(x, Over) and (x.axes, x.statistic) == ("space", "share"):
            own = typed(x.x)
            return x if own is None or own.of != "truth" else replace(x, statistic="area")
        return with_children(x, of_area)

    shown = one.expression
    if isinstance(shown, Show) and (own := typed(shown.x)) is not None and own.of == "truth" and own.space:
        area = closed(Thing(shown.x, "area"))
        return None if area is None else several((one, Answer(area, unit or None)), ("map", "area"))
    area = of_area(one.expression)
    return None if area == one.expression else several((one, Answer(area, unit or None)), ("share", "area"))


def map_of(ground: Expression | None) -> Expression | None:
    """``where is the snow``: a map of where it is."""
    ground = None if ground is None else totalled(ground)
    own = None if ground is None else typed(ground)
    return Show(ground, "map") if ground is not None and own is not None and own.space else None


def statistics(said: tuple[str, ...], thing: Thing) -> Answer | None:
    """``the mean and the maximum of``: a part for each, by its name."""
    things = (afterwards(thing, one) if thing.keys else statistic_of(one, thing) for one in said)
    return several((None if one is None else answer(one) for one in things), [one.replace(" ", "_") for one in said])


def restricted_each(restrict: Callable[[Thing, Any], Thing | None], thing: Thing, each: Sequence[Any]) -> Answer | None:
    """The same at several times, of several grounds: a part for each. Of what is one per year that of each is one."""
    if (
        thing.keys
        and not thing.outer
        and all(isinstance(when, Times) and thing.keys == (grain_of(when),) for when in each)
    ):
        thing = replace(thing, keys=())
    called = [_name_of(which) for which in each]
    named = called if all(called) and len(set(called)) == len(called) else NAMES
    return several((None if (one := restrict(thing, which)) is None else answer(one) for which in each), named)


def one_of_a_kind(a: Expression, b: Expression) -> bool:
    """Whether two grounds are such as are told apart from each other: two places, two classes of a map, two heights. A
    slope and a distance are told of one and the same ground."""
    if isinstance(a, IsClass | Beyond):
        return isinstance(b, type(a)) and a.x == b.x
    return type(a) is type(b)


def _name_of(which: Any) -> str:
    """What a part is called that is of one time, layer or polygon; "" of what has no short name."""
    if isinstance(which, Polygons):
        return which.names[0] if len(which.names) == 1 else ""
    return str(which) if isinstance(which, Times) else str(getattr(which, "value", ""))


def listed(things: tuple[Thing, ...]) -> Answer | None:
    found = [answer(one) for one in things]
    one_ground = None not in found and _of_one_ground(found[0].expression, found[-1].expression)  # type: ignore[union-attr]
    return None if one_ground else several(found)


def together(a: Thing, b: Thing | tuple[Thing, ...]) -> tuple[Thing, ...] | None:
    """Nouns of a list. What restricts or splits the last alone does so with all, and is told of them all."""
    things = (a, *b) if isinstance(b, tuple) else (a, b)
    if things[-1].keys and not all(one.keys for one in things[:-1]):
        return None
    return None if _loose(things[-1].x) and not any(_loose(one.x) for one in things[:-1]) else things


def _loose(x: Expression) -> bool:
    """Whether it is restricted to one time, or to ground that is no whole of a share: as others may be as well."""
    times = {part.when for _, part in walk(x) if isinstance(part, During)}
    grounds = (typed(part) for _, part in walk(x) if isinstance(part, Within))
    return len(times) == 1 or any(own is not None and own.of != "truth" for own in grounds)


def all_during(things: tuple[Thing, ...], when: Times | Expression) -> tuple[Thing, ...] | None:
    """A list of nouns at a time: of those that have dates."""
    found = tuple(during(one, when) or (one if _stands(one) else None) for one in things)
    return found if None not in found and found != things else None  # type: ignore[return-value]  # none is None


def all_within(things: tuple[Thing, ...], where: Expression) -> tuple[Thing, ...] | None:
    found = tuple(within(one, where) for one in things)
    return found if None not in found else None  # type: ignore[return-value]  # none is None


def all_per(things: tuple[Thing, ...], key: Level) -> tuple[Thing, ...] | None:
    """``the mean elevation and the mean slope of each catchment``."""
    found = tuple(per(one, key) for one in things if not one.keys)
    return found if None not in found and len(found) == len(things) else None  # type: ignore[return-value]


def pair(a: Thing, b: Thing) -> tuple[Thing, ...] | None:
    """``the mean NDVI and the annual rainfall``: what is of periods by itself alone."""
    return (a, b) if b.keys and not a.keys and not _loose(b.x) else None


def beside(a: Thing, b: Thing) -> Answer | None:
    """``how does one compare with the other``: both, and by how much the first is more."""
    one, other = answer(a), answer(b)
    apart = None if one is None or other is None else Calculate("difference", one.expression, other.expression)
    if apart is None or a.unit is not None or typed(apart) is None:
        return None
    return several((one, other, Answer(apart)), ("first", "second", "difference"))


def _stands(thing: Thing) -> bool:
    """Whether it holds for all dates."""
    return not any("date" in own.keys for _, part in walk(thing.x) if (own := typed(part)) is not None)


def parts(a: Answer, b: Answer) -> Answer | None:
    """A question and another one, which may speak of what the first one names."""
    if _chooses(a.expression) and any(isinstance(one, Quantity) and one.having == ITS for _, one in walk(b.expression)):
        return None  # whether it is what was chosen, or what it was chosen by, is not said
    if _chooses(a.expression) and not any(isinstance(one, During | Within | Split) for _, one in walk(b.expression)):
        return None  # nor whether what tells no time and no ground is of what was chosen
    if b.bare and _keyed(b.expression) and not _keyed(a.expression):
        return None
    if (b.bare or b.unit) and _of_one_ground(a.expression, b.expression):
        return None
    return None if b.bare and _loose(b.expression) and not _loose(a.expression) else several((a, b))


def _of_one_ground(a: Expression, b: Expression) -> bool:
    """``the area of the shelf below 100 m and with little oxygen``: two areas, of which the first alone has a place."""
    areas = all(any(isinstance(part, Over) and part.statistic == "area" for _, part in walk(x)) for x in (a, b))
    return areas and grounded(a) and not grounded(b)


def _keyed(x: Expression) -> bool:
    """Whether it is told of each of something; of a list whether any of it is."""
    if isinstance(x, Several):
        return any(_keyed(part) for _, part in x.named)
    own = typed(x)
    return own is not None and own.keys != () and any(isinstance(part, Split) for _, part in walk(x))


def _chooses(x: Expression) -> bool:
    return any(isinstance(part, Extreme | Holds) for _, part in walk(x))


def _of_before(x: Expression, before: Sequence[Expression]) -> Expression:
    """An expression with what it does not name again: as it is told, with time and ground, in those before it."""
    named = [part for one in before for _, part in walk(one)]

    def told(x: Expression, known: Expression | None = None) -> Expression:
        if isinstance(x, Quantity) and x.having == ITS:
            kind = replace(x, having=())
            found = (part for part in named if isinstance(part, During | Within | Quantity) and _of(part) == kind)
            return known or next(found, x)
        if isinstance(x, During):
            known = told(x.x)
            return x if known == x.x else replace(x, x=_without_times(known))
        return with_children(x, told)

    return told(x)


def _of(x: Expression) -> Expression:
    return _of(x.x) if isinstance(x, During | Within) else x


def _without_times(x: Expression) -> Expression:
    if isinstance(x, During):
        return _without_times(x.x)
    return replace(x, x=_without_times(x.x)) if isinstance(x, Within) else x


def shown(how: str, thing: Thing) -> Answer | None:
    """A map of it, or a chart or table of one per date or key."""
    own = typed(thing.x)
    if how == "map" and thing.statistic in ("maximum", "minimum") and own is not None and own.space and not own.keys:
        return None  # the highest of one date is a number, and no map
    thing = replace(thing, x=of_pixels(thing.x)) if how == "map" else thing
    x = closed(thing, "pixel" if how == "map" else next((key for key in thing.keys), "date"))
    if how == "table" and thing.unit is not None:
        return answer(thing) if thing.keys else None
    found = None if x is None else Show(x, how)  # type: ignore[arg-type]  # the words list ways to show
    return Answer(found, thing.unit) if found is not None and typed(found) is not None else None


def of_pixels(x: Expression) -> Expression:
    """What is told of means over the ground pixel by pixel: trends, anomalies, what is reckoned of two."""
    if isinstance(x, Trend | Anomaly):
        return replace(x, x=_without_ground(x.x))
    if isinstance(x, Calculate):
        a, b = of_pixels(_without_ground(x.a)), x.b and of_pixels(_without_ground(x.b))
        return replace(x, a=a, b=b)
    return replace(x, x=of_pixels(x.x)) if isinstance(x, During) else x


def _without_ground(x: Expression) -> Expression:
    own = typed(x.x) if isinstance(x, Over) else None
    if isinstance(x, Over) and x.axes == "space" and own is not None and own.of == "number":
        usual = "sum" if "space" in own.measure.adds else "mean"
        return x.x if x.statistic == usual else x
    return replace(x, x=_without_ground(x.x)) if isinstance(x, Over | Split | During) else x


def counted_map(how: str, keys: Keys, clause: Clause, statistic: Statistic) -> Expression | None:
    """``map the number of days with more than 50 mm``: per pixel, of dates or of periods for which it holds."""
    said = keys.of(clause) if how == "map" and keys.level in GRAINS else None
    if keys.key == "date" or said is None:
        x = None if said is None else holding(said, "pixel")
    elif isinstance(said, Test) and isinstance(said.limit, Number) and not isinstance(said.upper, Thing):
        of_each = closed(replace(said.left, keys=(keys.key,)), "pixel")
        x = None if of_each is None else Beyond(of_each, said.side, said.limit, said.upper)
    else:
        ground = holding(said, "pixel") if isinstance(said, Expression) else None
        x = None if ground is None else Over(Split(ground, keys.key), "time", "any")  # type: ignore[arg-type]
    return None if x is None else _mapped(Over(x, "time", statistic))


def marked(how: str, inside: float, clause: Clause, outside: float) -> Expression | None:
    """``a map with 1 where it holds and 0 elsewhere``."""
    where = holding(clause, "pixel") if (how, inside, outside) == ("map", 1, 0) else None
    return None if where is None else _mapped(where)


def _mapped(x: Expression) -> Expression | None:
    own = typed(x)
    return Show(x, "map") if own is not None and own.space and typed(Show(x, "map")) is not None else None


def whether_of(thing: Thing, bound: tuple[str, Any, Any]) -> Expression | None:
    """Whether something is beyond a limit, all in all."""
    test = compare(thing, bound)
    return None if test is None else holding(test)
