"""The rules of whole questions and of questions with parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Apply,
    Attribute,
    Classify,
    Correlate,
    During,
    Expression,
    Extreme,
    Number,
    Point,
    Quantity,
    Show,
    Statistic,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import by_method, where_of
from knowflow.question.reading.keys import chosen
from knowflow.question.reading.nouns import adjective_per, level_of, per, statistic_of
from knowflow.question.reading.order import Level, Test, Thing, typed
from knowflow.question.reading.questions import (
    Answer,
    all_during,
    all_per,
    all_within,
    alone,
    answer,
    cloudless,
    counted_map,
    displayed,
    listed,
    map_of,
    marked,
    one_of_a_kind,
    pair,
    parts,
    per_key,
    plain,
    restricted_each,
    shown,
    statistics,
    together,
    whether_of,
    with_area,
    with_change,
)
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rows import usual_statistic
from knowflow.question.reading.spans import also, also_each
from knowflow.question.reading.topics import Topic, asked_during, averaged_already, of_each_time
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


def again_shown(one: Answer, how: str) -> Answer | None:
    """``... Give a table.``: a question, and how its answer is to be shown."""
    x = one.expression if isinstance(one.expression, Show) else Show(one.expression, how)  # type: ignore[arg-type]
    return replace(one, expression=x, bare=False) if x.as_ == how and typed(x) is not None else None


def topic_shown(topic: Topic, how: str, key: Level | tuple[Level, ...] = "date") -> Answer | None:
    """``how did NDVI develop? Give a table by date``."""
    each = per(topic.things[0], key) if len(topic.things) == 1 and how != "map" else None
    return None if each is None else shown(how, each)


_COUNTED: tuple[tuple[str, Statistic], ...] = (("how_many", "count"), ("how_much", "share"))


def _counted_for_each(said: Statistic) -> Callable[..., Expression | None]:
    """``for each cell, in how many months``."""
    return lambda keys, clause: counted_map("map", keys, clause, said)


def _only_one(one: Answer) -> Answer | None:
    """``the highest NO2 was what``: where one thing is asked for."""
    own = typed(one.expression)
    return one if own is not None and (isinstance(one.expression, Extreme) or not own.keys) else None


def _of_the_whole(one: Answer) -> Answer | None:
    """``the calls on 22 July, whole city``: of what there is so much of in each part all of it together."""
    of = one.expression
    if not isinstance(of, Attribute):
        return one
    adds = of.unit == "1" or usual_statistic(of) == "sum"
    thing = statistic_of("sum", Thing(of)) if adds else None
    told = None if thing is None else answer(thing)
    return None if told is None else replace(told, unit=one.unit)


def _classes_shown(how: str, key: str) -> Answer | None:
    """``map the severity classes``: of a quantity between limits."""
    level = level_of(key)
    return shown(how, Thing(level)) if isinstance(level, Classify) and how == "map" else None


RULES_OF_QUESTIONS: tuple[Line, ...] = (
    # whole questions
    ("Q <- E", plain),
    ("Q <- N", alone),
    ("Q <- what N", answer),
    ("Q <- Q be which", _only_one, 1),
    ("Q <- have N", answer, 3),
    ("Q <- have Q", lambda one: one, 3),
    *(
        (f"Q <- Q {word} SCOPE", lambda one, _: one if isinstance(one.expression, Show) else None, 1)
        for word in ("of", "in")
    ),
    *((f"E <- pixelwise {what} KEYS SAID", _counted_for_each(said)) for what, said in _COUNTED),
    *((f"E <- {what} KEYS SAID pixelwise", _counted_for_each(said)) for what, said in _COUNTED),
    ("Q <- compare N over NAMED_KEY", lambda thing, key: (x := per(thing, level_of(key))) and answer(x)),
    ("Q <- Q next CORRELATION pixelwise?", lambda one, _: one if isinstance(one.expression, Correlate) else None),
    ("Q <- in occasion Q", lambda one: one),
    ("Q <- Q in occasion", lambda one: one),
    ("Q <- preparing occasion Q", lambda one: one),
    ("Q <- asker asks Q", lambda one: one),
    ("Q <- first_of_all Q", lambda one: one),
    ("Q <- what Q", lambda one: replace(one, bare=False), 1),
    ("Q <- display N", displayed),
    ("Q <- how ADJECTIVE on_average be K", lambda kind, key: (x := adjective_per(kind, key)) and answer(x)),
    ("Q <- Q on_average", averaged_already, 1),
    ("Q <- Q together", lambda one: None if of_each_time(one) else one, 1),
    ("Q <- K what? N", per_key),
    ("Q <- Q judged QUANTITY", lambda one, x: (y := by_method(one.expression, x)) and replace(one, expression=y), 1),
    ("Q <- cloudless Q", cloudless, 1),
    ("Q <- Q cloudless", cloudless, 1),
    ("Q <- Q and cloudless", cloudless, 1),
    ("Q <- Q next cloudless", cloudless, 1),
    # several
    ("Q <- Q and Q", parts, 1),
    ("Q <- Q next Q", lambda a, b: None if b.bare else parts(a, b), 1),
    ("E <- where be SCOPE CL", lambda _, clause: map_of(where_of(clause))),
    ("E <- where be GROUND", map_of),
    ("HOW_LARGE <- how_large", lambda: ""),
    ("HOW_LARGE <- how_large that? SCOPE", lambda _: ""),
    ("HOW_LARGE <- HOW_LARGE in UNIT", lambda _, unit: unit),
    ("Q <- Q and HOW_LARGE", with_area),
    ("Q <- Q next HOW_LARGE", with_area),
    ("Q <- Q and how_many UNIT be?", with_area),
    ("Q <- NS", lambda things: (x := listed(things)) and replace(x, bare=True)),
    ("Q <- what NS", listed),
    ("NS <- N and N", together),
    ("NS <- N NS", together),
    ("NS <- NS T", all_during),
    ("NS <- NS W", all_within),
    ("NS <- NS K", all_per),
    ("NS <- N and M", pair),
    ("Q <- what? STATS of? N", statistics),
    ("Q <- K what? STATS of? N", lambda key, said, thing: (x := per(thing, key)) and statistics(said, x)),
    ("Q <- what? N STATS", lambda thing, said: statistics(said, thing)),
    ("STATS <- STAT and STAT", lambda a, b: (a, b)),
    ("STATS <- STAT STATS", lambda a, b: (a, *b)),
    ("Q <- what? N TIMES", lambda thing, times: restricted_each(during, thing, times)),
    ("TIMES <- T and T", also, 1),
    ("TIMES <- T and TIME", also, 1),
    ("TIMES <- T TIMES", also_each, 1),
    ("TIMES <- TIMES apart", lambda times: times),
    ("Q <- what? N GROUNDS", lambda thing, grounds: restricted_each(within, thing, grounds)),
    ("GROUNDS <- W and W", lambda a, b: (a, b) if one_of_a_kind(a, b) else None),
    ("GROUNDS <- W GROUNDS", lambda a, b: (a, *b) if one_of_a_kind(a, b[0]) else None),
    ("GROUNDS <- GROUNDS apart", lambda grounds: grounds),
    ("RB <- ITS NUMBER", lambda named, limit: Test(Thing(named[0]), named[1], limit), 1),
    ("E <- what? XT", lambda x: x),
    ("E <- which XT", lambda x: x),
    ("E <- which be XT", lambda x: x),
    ("E <- which KEYS SAID", chosen),
    ("E <- be N B", lambda thing, bound: whether_of(thing, bound)),
    ("E <- do N B", lambda thing, bound: whether_of(thing, bound)),
    ("Q <- Q next? what SHOWN", again_shown),
    ("Q <- TOPIC next? what SHOWN K?", topic_shown),
    ("Q <- Q next? display SHOWN", again_shown),
    ("ASK <- what", lambda: True),
    ("ASK <- display", lambda: True),
    ("E <- SHOWN of N", shown),
    ("E <- N SHOWN", lambda thing, how: shown(how, thing)),
    ("E <- SHOWN of? NAMED_KEY", _classes_shown),
    ("E <- NAMED_KEY SHOWN", lambda key, how: _classes_shown(how, key)),
    ("E <- N as SHOWN", lambda thing, how: shown(how, thing)),
    ("SHOWN <- ASK SHOWN", lambda _, how: how),
    ("SHOWN <- ASK on SHOWN", lambda _, how: how),
    *((f"E <- SHOWN of? {what} KEYS SAID", partial(counted_map, statistic=said)) for what, said in _COUNTED),
    ("E <- SHOWN have NUM where C and? NUM elsewhere", marked),
    ("E <- ASK N SHOWN", lambda _, thing, how: shown(how, thing)),
    ("E <- ASK N as SHOWN", lambda _, thing, how: shown(how, thing)),
    # what tools make by themselves
    ("ASKING <- ASKED", asking),
    *((f"ASKING <- ASKING {word} N", of_thing) for word in ("of?", "to")),
    *((f"ASKING <- ASKING {word} GROUND", of_ground) for word in ("of?", "to")),
    *((f"ASKING <- N {word} ASKING", lambda thing, one: of_thing(one, thing)) for word in ("", "as")),
    *((f"ASKING <- ASKING {word} NUMBER", with_number) for word in ("per", "of", "in", "have", "to", "at")),
    ("ASKING <- NUMBER ASKING", lambda number, one: with_number(one, number)),
    ("ASKING <- CHOICE ASKING", lambda choice, one: with_choice(one, choice)),
    *((f"ASKING <- ASKING {word} CHOICE", with_choice) for word in ("", "by", "have")),
    ("ASKING <- ASKING from POINT", from_place),
    ("ASKING <- ASKING at POINT", from_place),
    ("ASKING <- ASKING T", at_time),
    ("ASKING <- ASKING W", on_ground),
    ("Q <- ASKING", asked_answer),
    ("Q <- what ASKING", asked_answer),
    ("Q <- display ASKING", asked_answer),
    ("Q <- SHOWN of? ASKING", lambda _, one: asked_answer(one)),
    ("Q <- Q T", lambda one, when: with_change(lambda x: asked_during(x, when), one), 1),
    ("Q <- T Q", lambda when, one: with_change(lambda x: asked_during(x, when), one)),
    ("Q <- W Q", lambda where, one: with_change(lambda x: within(x, where), one)),
    ("Q <- Q unsaid", lambda x: x),
    ("Q <- Q the_whole", _of_the_whole),
    ("Q <- Q open the_whole close", _of_the_whole),
)
