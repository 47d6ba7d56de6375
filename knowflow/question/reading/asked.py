"""What tools and templates make by themselves, asked for by name: contour lines, a viewshed, clusters of land cover."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowflow.ground.units import compatible
from knowflow.question.operators import Apply, During, Expression, Number, Point, Quantity
from knowflow.question.reading.order import Thing, during, typed, within
from knowflow.question.reading.questions import Answer
from knowflow.question.reading.vocabulary import Asked
from knowflow.question.times import Times


@dataclass(frozen=True, slots=True)
class Asking:
    """A tool with what is said of it: what it is of, its numbers and its place, the time and the ground."""

    asked: Asked
    of: Expression | None = None
    settings: tuple[tuple[str, Expression], ...] = ()
    having: tuple[tuple[str, str], ...] = ()
    when: Times | Expression | None = None
    where: Expression | None = None


def asking(asked: Asked) -> Asking:
    return Asking(asked)


def of_thing(one: Asking, thing: Thing) -> Asking | None:
    """``contour lines of the NDVI``: of what lies over space, as it is."""
    return of_ground(one, thing.x) if thing == Thing(thing.x) else None


def of_ground(one: Asking, of: Expression) -> Asking | None:
    own = typed(of)
    fits = {"map": own is not None and own.space, "quantity": _is_of_time(of), "nothing": False}[one.asked.takes]
    return replace(one, of=of) if one.of is None and fits else None


def _is_of_time(of: Expression) -> bool:
    """Whether it is a quantity as it is named, of all times or of some."""
    if isinstance(of, During) and isinstance(of.when, Times):
        return _is_of_time(of.x)
    return isinstance(of, Quantity)


def with_choice(one: Asking, choice: str) -> Asking | None:
    """``by random forest``: the one parameter that has such a choice."""
    names = [name for name, text in one.asked.choices if text == choice and name not in dict(one.having)]
    return replace(one, having=(*one.having, (names[0], choice))) if len(names) == 1 else None


def with_number(one: Asking, number: Number) -> Asking | None:
    """``every 20 m``: the one parameter that has such a unit, or has none of its own."""
    open_ = [(name, unit) for name, unit in one.asked.numbers if name not in dict(one.settings)]
    fitting = [name for name, unit in open_ if unit is not None and compatible(unit, number.unit)]
    fitting = fitting or [name for name, unit in open_ if unit is None][:1]
    return replace(one, settings=(*one.settings, (fitting[0], number))) if len(fitting) == 1 else None


def from_place(one: Asking, place: Expression) -> Asking | None:
    """``from 14.5 E 46.1 N``."""
    name = one.asked.place
    if name is None or name in dict(one.settings) or not isinstance(place, Point):
        return None
    return replace(one, settings=(*one.settings, (name, place)))


def at_time(one: Asking, when: Times | Expression) -> Asking | None:
    return replace(one, when=when) if one.when is None else None


def on_ground(one: Asking, where: Expression) -> Asking | None:
    return replace(one, where=where) if one.where is None else None


def asked_answer(one: Asking) -> Answer | None:
    """What is asked, of the quantity that the tool is of where none is named."""
    settings, having = tuple(sorted(one.settings)), tuple(sorted(one.having))
    if one.asked.takes == "nothing":
        if one.where is not None or not isinstance(one.when, Times | None):
            return None
        return Answer(Apply(one.asked.tool, (), settings, having, one.when))
    of = one.of or (None if one.asked.of is None else Quantity(one.asked.of))
    thing = None if of is None else Thing(of)
    if thing is not None and one.when is not None:
        thing = during(thing, one.when)
    if thing is not None and one.where is not None:
        thing = within(thing, one.where)
    found = None if thing is None else Apply(one.asked.tool, (thing.x,), settings, having)
    if found is not None and one.asked.takes == "quantity" and not all(map(_is_of_time, found.parts)):
        return None
    return None if found is None or typed(found) is None else Answer(found)
