"""The rules of what is more, or less, than another: by how much, how many times, by more than a limit, or at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.question.operators import Calculate, Expression, Number, Quantity
from knowflow.question.reading.amounts import all_of
from knowflow.question.reading.changes import at_two, calculated
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import (
    SIZE,
    Compared,
    Degree,
    Measure,
    Other,
    against,
    anomaly_of,
    arithmetic,
    at_both,
    at_its_time,
    by_how_much,
    in_measure,
    more,
    of_compared,
    restricted_alike,
    test_of,
    than_average,
    two_of,
)
from knowflow.question.reading.grounds import area_of, in_unit_of, where_of
from knowflow.question.reading.limits import compare, suggested
from knowflow.question.reading.nouns import PERCENT, chosen_of, fits, graded, on_average, per
from knowflow.question.reading.order import Test, Thing, holding, of_all_times
from knowflow.question.reading.questions import beside
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_sources import all_chosen, noun_of
from knowflow.question.reading.spans import span, than
from knowflow.question.reading.topics import more_of_years
from knowflow.question.reading.usual import beyond_usual
from knowflow.question.reading.vocabulary import Chosen
from knowflow.question.times import Times

Asked = tuple[Measure, Compared]


def _asked(measure: Measure, one: Compared | None) -> Asked | None:
    return None if one is None or one.thing.unit is not None else (measure, one)


def _beyond(measure: Measure, of: Any, side: str) -> Asked | None:
    """``by how much did it exceed``, ``how far was it below``."""
    return _asked(measure, more((side, ""), of)) if side in ("above", "below") else None


def _how_far(measure: Measure, side: str, other: Other, of: Any) -> Thing | None:
    """``how far above the average of the other years was it``."""
    asked = _beyond(measure, of, side)
    return None if asked is None else _told(asked, other)


def _more_there(told: tuple[Measure, str], x: Quantity, place: Expression) -> Asked | None:
    """``how much more rain did the Mill receive``."""
    thing = within(Thing(x), place)
    return None if thing is None else _asked(told[0], more((told[1], ""), thing))


def _more_of(change: Any, by: Any, degree: Degree, x: Quantity) -> Compared | None:
    """``did 2019 have more rain``, ``did Isiolo``."""
    one = more(degree, Thing(x))
    return None if one is None else of_compared(change, one, by)


def _of_times(how: str, a: Times, b: Times, thing: Thing) -> Thing | None:
    """``the difference between July and January mean temperature``, ``the ratio of July to January 2021 rain``."""
    return at_two(how, thing, than(a, b)[::-1])


def _ratio_of_times(how: str, a: Times, b: Times, thing: Thing) -> Thing | None:
    return _of_times(how, a, b, thing) if how == "ratio" else None


def _change(change: Any) -> Any:
    """A function of what is more and of what restricts it, or of that with how it is to be told."""

    def of(one: Compared | Asked, by: Any = None) -> Compared | Asked | None:
        if isinstance(one, Compared):
            return of_compared(change, one, by)
        return _asked(one[0], of_compared(change, one[1], by))

    return of


def _told_in(asked: Asked, other: Other, unit: str) -> Thing | None:
    return _told((in_measure(unit), asked[1]), other) if asked[0] == Measure() else None


def _mean_from(said: str, first: Times, last: Times) -> Other | None:
    """``the mean of 2011 to 2020``."""
    when = span(first, last)
    return None if said != "mean" or when is None else ("mean", when)


def _whether(one: Compared, other: Other) -> Expression | None:
    test = test_of(one, other)
    return None if test is None else holding(test)


def _of_what_it_was(bound: tuple[str, Any, Any], thing: Thing, when: Times | Expression) -> Test | None:
    """``in March had less than 80 % of their August radiance``: of what it was at another time."""
    x, told = of_all_times(thing.x)
    now = during(replace(thing, x=x), when) if len(told) == 1 and isinstance(when, Times) else None
    limits = [one for one in bound[1:] if one is not None]
    if now is None or told[0] == when or not all(isinstance(one, Number) and one.unit == PERCENT for one in limits):
        return None
    share = calculated("ratio", now, thing)
    return None if share is None else compare(share, bound)


def _more_then(measure: Measure, degree: Any, when: Times) -> Asked | None:
    """``how much warmer 9 July was``."""
    one = more(degree, True)
    return None if one is None else _asked(measure, of_compared(during, one, when))


def _layer(one: Chosen) -> Thing | None:
    """``how much deeper T300 is than T100``: a layer by what tells it apart."""
    alone = one.fact == "variant" and len(one.kinds) == 1
    return Thing(Quantity(one.kinds[0], having=((one.fact, one.value),))) if alone else None


def _at_layer(thing: Thing, one: Chosen) -> Thing | None:
    """``how much faster is the wind at 100 m``."""
    x = all_chosen(thing.x, one) if one.fact not in ("region", "variant") else None
    return None if x is None or x == thing.x else replace(thing, x=x)


def _between_layers(how: str, thing: Thing, a: Chosen, b: Chosen) -> Thing | None:
    """``the carbon difference between 0-5 cm and 15-30 cm``: of the first less the second."""
    first, last = (_at_layer(thing, one) or noun_of(thing, one) for one in (a, b))
    return None if first is None or last is None or a == b else calculated(how, first, last)


def _between_pixels(how: str, a: Chosen, b: Chosen, x: Quantity) -> Thing | None:
    """``day minus night LST``, ``the difference between day and night LST``: pixel by pixel, of which a map can be made
    and any statistic taken."""
    first, last = chosen_of(x, a), chosen_of(x, b)
    if how != "difference" or first is None or last is None or a.fact != b.fact or first == last:
        return None
    return fits(Thing(Calculate("difference", first, last)))


def _less_layer(thing: Thing, one: Chosen) -> Thing | None:
    """``the wind speed at 100 m minus that at 50 m``."""
    two = two_of(thing, ("chosen", one))
    return None if two is None else calculated("difference", *two)


def _told(asked: Asked, other: Other) -> Thing | None:
    return by_how_much(*asked, other)


def _from_layer_to_layer(measure: Measure, x: Quantity, way: str, a: Chosen, b: Chosen) -> Thing | None:
    """``by how much does clay drop from 0-5 cm to 5-15 cm``: of two layers, downwards where it falls."""
    first, last = chosen_of(x, a), chosen_of(x, b)
    if first is None or last is None or a.fact != b.fact or a == b:
        return None
    before, after = Thing(first), Thing(last)
    falls = way == "down" and measure.how == "difference"
    found = calculated(measure.how, *((before, after) if falls else (after, before)))
    return found if measure.unit is None else in_unit_of(measure.unit, found)


def _both(change: Any) -> Any:
    """A function of two that are told beside each other, and of what restricts or splits both."""

    def of(two: tuple[Thing, Thing], by: Any) -> tuple[Thing, Thing] | None:
        found = tuple(change(one, by) for one in two)
        return None if None in found else found

    return of


def _at_both_places(a: Expression, b: Expression, thing: Thing) -> tuple[Thing, Thing] | None:
    """``Neudorf versus Weinsberg, mean NDVI``."""
    one, other = within(thing, a), within(thing, b)
    return None if one is None or other is None or a == b else (one, other)


def _at_both_times(a: Times, b: Times, thing: Thing) -> tuple[Thing, Thing] | None:
    """``winter versus summer rainfall``."""
    one, other = during(thing, a), during(thing, b)
    return None if one is None or other is None or a == b else (one, other)


def _of_areas(how: str, a: Expression, b: Expression) -> Thing | None:
    """``the ratio of pasture to forest``: of how large they are."""
    one, other = area_of(a), area_of(b)
    return calculated(how, one, other) if how == "ratio" and one is not None and other is not None else None


_COMPARE = (("how do", "compare to"), ("compare", "to"), ("compare", "compared"))
_COMPARED = ("MOREOF", "ASKED_MORE", "ISMORE")

RULES_OF_COMPARISONS: tuple[Line, ...] = (
    # how a comparison is told
    ("N <- HOW do QUANTITY MOVED from CHOSEN until CHOSEN", _from_layer_to_layer),
    ("HOW <- how", Measure),
    ("HOW <- by_how_much", Measure),
    ("HOW <- how_far", Measure),
    ("HOW <- by_how_many UNIT", in_measure),
    ("HOW <- by_how_many points", Measure),
    ("HOW <- by_how_many STOCK", lambda _: in_measure("1"), 1),
    ("HOW <- by_percent", lambda: Measure("percent_change")),
    ("HOW <- how_many_times", lambda: Measure("ratio")),
    ("HOW <- HOW IU", lambda measure, unit: in_measure(unit) if measure == Measure() else None),
    # by what something is more, or less
    ("DEG <- high", lambda: ("above", "")),
    ("DEG <- low", lambda: ("below", "")),
    ("DEG <- larger", lambda: ("above", SIZE)),
    ("DEG <- smaller", lambda: ("below", SIZE)),
    ("DEG <- MORE", lambda named: (named[1], named[0])),
    ("DEG <- DEG or DEG", lambda a, b: a if a[1] == b[1] and a != b else None),
    ("OF <- N", lambda thing: thing),
    ("OF <- IT", lambda of: of),
    ("OF <- IT on_average", lambda of: of, 1),
    ("OF <- CHOSEN", _layer, 1),
    ("OF <- STUFF", lambda thing: thing, 1),
    *((f"N <- ARITHMETIC between {one} and {one} N", _of_times) for one in ("T", "TIME")),
    *((f"N <- ARITHMETIC of TIME to TIME {word} N", _ratio_of_times) for word in ("", "in", "of")),
    # what is said to be more, and what is asked of it
    ("MOREOF <- OF be? DEG", lambda of, degree: more(degree, of)),
    ("ISMORE <- be OF DEG", lambda of, degree: more(degree, of)),
    ("ISMORE <- be OF B DEG", lambda of, bound, degree: more(degree, of, bound)),
    ("ISMORE <- be more GROUND", lambda ground: more(("above", SIZE), ground)),
    ("ISMORE <- be less_of GROUND", lambda ground: more(("below", SIZE), ground)),
    ("ISMORE <- be DEG QUANTITY", lambda degree, x: more(degree, Thing(x)), 1),
    ("ISMORE <- do DEG QUANTITY happened?", lambda degree, x: more(degree, Thing(x)), 1),
    ("ISMORE <- do TIME have DEG QUANTITY", lambda when, *of: _more_of(during, when, *of), 1),
    ("ISMORE <- do PLACE have DEG QUANTITY", lambda place, *of: _more_of(within, place, *of), 1),
    ("MOREOF <- ISMORE", lambda one: one),
    ("MOREOF <- be? DEG", lambda degree: more(degree, True)),
    ("ISMORE <- be T DEG", lambda when, degree: (x := more(degree, True)) and of_compared(during, x, when)),
    ("MOREOF <- OF be? B DEG", lambda of, bound, degree: more(degree, of, bound)),
    ("ASKED_MORE <- HOW MOREOF", _asked),
    ("ASKED_MORE <- HOW DEG be OF", lambda measure, degree, of: _asked(measure, more(degree, of))),
    ("ASKED_MORE <- HOW DEG TIME be", _more_then),
    ("ASKED_MORE <- HOW DEG be TIME", _more_then),
    ("ASKED_MORE <- HOW DEG OF be", lambda measure, degree, of: _asked(measure, more(degree, of))),
    ("ASKED_MORE <- HOW DEG be", lambda measure, degree: _asked(measure, more(degree, True))),
    ("ASKED_MORE <- HOW do OF SIDE", _beyond),
    ("ASKED_MORE <- HOW be OF SIDE", _beyond),
    ("ASKED_MORE <- HOW do OF deviate", lambda how, of: _asked(how, more(("above", ""), of))),
    ("ASKED_MORE <- HOW DEG QUANTITY happened?", lambda measure, degree, x: _asked(measure, more(degree, Thing(x)))),
    ("HOW_MORE <- HOW more", lambda measure: (measure, "above")),
    ("HOW_MORE <- HOW less_of", lambda measure: (measure, "below")),
    ("HOW_MORE <- by_how_many more UNIT of?", lambda unit: (in_measure(unit), "above")),
    ("HOW_MORE <- by_how_many less_of UNIT of?", lambda unit: (in_measure(unit), "below")),
    ("ASKED_MORE <- HOW_MORE QUANTITY do PLACE have", _more_there),
    ("HOW_MORE <- by_how_many more", lambda: (Measure(), "above")),
    ("HOW_MORE <- by_how_many less_of", lambda: (Measure(), "below")),
    ("ASKED_MORE <- HOW_MORE STOCK be?", lambda told, x: _asked(told[0], more((told[1], ""), all_of(Thing(x))))),
    ("ASKED_MORE <- HOW_MORE STOCK do? PLACE have?", _more_there),
    ("HOW_MORE <- by_how_many UNIT more", lambda unit: (in_measure(unit), "above")),
    ("HOW_MORE <- by_how_many UNIT less_of", lambda unit: (in_measure(unit), "below")),
    ("ASKED_MORE <- HOW_MORE be? GROUND be?", lambda told, ground: _asked(told[0], more((told[1], SIZE), ground))),
    (
        "ASKED_MORE <- ASKED_MORE IU",
        lambda asked, unit: _asked(in_measure(unit), asked[1]) if asked[0] == Measure() else None,
    ),
    *((f"{one} <- {one} T", _change(during)) for one in ("MOREOF", "ASKED_MORE", "ISMORE")),
    *((f"{one} <- {one} W", _change(within), 1) for one in ("MOREOF", "ASKED_MORE", "ISMORE")),
    *((f"{one} <- {one} in CHOSEN", _change(noun_of)) for one in ("MOREOF", "ASKED_MORE", "ISMORE")),
    *((f"{one} <- {one} {word} CHOSEN", _change(_at_layer), 1) for one in _COMPARED for word in ("in", "at", "of")),
    ("ASKED_MORE <- HOW DEG QUANTITY be", lambda measure, degree, x: _asked(measure, more(degree, Thing(x)))),
    ("ASKED_MORE <- HOW DEG STUFF be", lambda measure, degree, x: _asked(measure, more(degree, x)), 1),
    ("N <- ARITHMETIC between CHOSEN and CHOSEN of? N", lambda how, a, b, x: _between_layers(how, x, a, b)),
    ("N <- N ARITHMETIC between CHOSEN and CHOSEN", lambda x, how, *two: _between_layers(how, x, *two)),
    *((f"N <- ARITHMETIC {word} N between CHOSEN and CHOSEN", _between_layers) for word in ("of", "in")),
    ("N <- CHOSEN minus CHOSEN N ARITHMETIC", lambda a, b, x, how: _between_layers(how, x, a, b)),
    ("N <- CHOSEN minus CHOSEN QUANTITY", lambda a, b, x: _between_pixels("difference", a, b, x)),
    ("N <- CHOSEN minus CHOSEN QUANTITY ARITHMETIC", lambda a, b, x, how: _between_pixels(how, a, b, x), 1),
    ("N <- ARITHMETIC between CHOSEN and CHOSEN of? QUANTITY", _between_pixels, 1),
    ("N <- N minus that_of CHOSEN", _less_layer),
    ("N <- N minus CHOSEN", _less_layer),
    *((f"{one} <- {one} on_average", _change(lambda thing, _: on_average(thing))) for one in ("MOREOF", "ASKED_MORE")),
    # than what
    ("VS <- than", lambda: True),
    ("VS <- compared", lambda: True),
    ("OTHER <- VS AGAINST", lambda _, other: other),
    ("OTHER <- VS T", lambda _, when: ("when", when)),
    ("OTHER <- VS W", lambda _, where: ("where", where)),
    ("OTHER <- VS HEIGHTS", lambda _, bound: (test := suggested("elevation")(bound)) and ("where", where_of(test))),
    ("OTHER <- OTHER T", at_its_time),
    ("OTHER <- VS LEVEL", lambda _, side: ("side", side)),  # above 2000 m than below
    ("OTHER <- VS PLACE", lambda _, where: ("where", where)),
    *((f"OTHER <- VS {word}", lambda _: ("rest", None)) for word in ("elsewhere", "in elsewhere", "outside")),
    *((f"OTHER <- VS {word} elsewhere of SCOPE", lambda *_: ("rest", None)) for word in ("", "in")),
    *((f"OTHER <- VS {word} CHOSEN", lambda _, one: ("chosen", one)) for word in ("", "in", "of", "at")),
    ("OTHER <- than_same T", lambda when: ("same", when)),
    ("AGAINST <- N", lambda thing: ("thing", thing)),
    ("AGAINST <- STUFF", lambda thing: ("thing", thing), 1),
    ("AGAINST <- that_of T", lambda when: ("that", when) if isinstance(when, Times) else ("when", when)),
    ("AGAINST <- that_of PLACE", lambda where: ("where", where)),
    ("AGAINST <- STAT T", lambda said, when: ("mean", when) if said == "mean" else None),
    ("AGAINST <- STAT of all TIME", lambda said, when: ("mean", when) if said == "mean" and when.month else None),
    ("AGAINST <- T STAT", lambda when, said: ("mean", when) if said == "mean" else None),
    ("AGAINST <- on_average T", lambda when: ("mean", when) if isinstance(when, Times) else None),
    ("AGAINST <- other_years", lambda: ("years", None)),
    ("N <- ASKED_MORE OTHER", lambda asked, other: _told(asked, other) if restricted_alike(asked[1], other) else None),
    ("N <- ASKED_MORE OTHER happened?", _told, 1),
    (
        "N <- ASKED_MORE AGAINST",
        lambda asked, other: _told(asked, other) if restricted_alike(asked[1], other) else None,
        1,
    ),
    ("N <- HOW SIDE AGAINST be OF", _how_far),
    ("N <- OTHER what? ASKED_MORE", lambda other, asked: _told(asked, other)),
    ("N <- ASKED_MORE TT", lambda asked, two: (x := at_both(asked[1], two)) and _told((asked[0], x), ("when", two[1]))),
    ("N <- ASKED_MORE OTHER IU", _told_in),
    ("C <- MOREOF OTHER", test_of),
    ("E <- ISMORE OTHER", _whether),
    ("E <- ISMORE T OTHER", lambda one, when, other: (x := of_compared(during, one, when)) and _whether(x, other)),
    ("N <- N OTHER", against),
    # one beside another: both, or what is reckoned of them
    ("PAIRED <- N compared AGAINST", two_of),
    ("PAIRED <- N compared T", lambda thing, when: two_of(thing, ("when", when))),
    *((f"PAIRED <- {one} compared TIME N", _at_both_times) for one in ("T", "TIME")),
    *((f"PAIRED <- N compared {one}", lambda thing, where: two_of(thing, ("where", where))) for one in ("W", "PLACE")),
    ("PAIRED <- how do N compare to AGAINST", two_of),
    ("PAIRED <- compare N to AGAINST", two_of),
    ("PAIRED <- compare N to PLACE", lambda thing, where: two_of(thing, ("where", where))),
    *((f"PAIRED <- {one} compared PLACE N", _at_both_places) for one in ("W", "PLACE")),
    *((f"PAIRED <- {verb} PLACE {word} PLACE in? N", _at_both_places) for verb, word in _COMPARE),
    ("PAIRED <- N PLACE compared PLACE", lambda thing, a, b: _at_both_places(a, b, thing)),
    ("PAIRED <- PAIRED T", _both(during)),
    ("PAIRED <- PAIRED W", _both(within), 1),
    ("PAIRED <- PAIRED K", _both(per)),
    ("Q <- what? PAIRED", lambda two: beside(*two), 1),
    ("N <- PAIRED and? next? what? ARITHMETIC", lambda two, how: calculated(how, *two)),
    ("N <- ARITHMETIC of GROUND to GROUND", _of_areas),
    ("AGAINST <- AGAINST T", at_its_time),
    ("N <- N ANOMALY T OTHER", anomaly_of),
    ("N <- N as_percent of T", lambda thing, when: in_unit_of(PERCENT, arithmetic("ratio", thing, ("that", when)))),
    ("CL <- have B of N T", _of_what_it_was),
    ("CL <- T have B of N", lambda when, bound, thing: _of_what_it_was(bound, thing, when)),
    ("N <- N as_percent of AGAINST", lambda thing, other: in_unit_of(PERCENT, arithmetic("ratio", thing, other))),
    ("N <- ARITHMETIC of N to AGAINST", lambda how, thing, other: arithmetic(how, thing, other)),
    # than the average of the periods that are spoken of
    ("C <- N be? SIDE other_years", beyond_usual),
    ("C <- be N SIDE other_years", beyond_usual),
    ("C <- be SIDE other_years N", lambda side, thing: beyond_usual(thing, side)),
    ("C <- N be? SIDE average", than_average),
    ("C <- be N SIDE average", than_average),
    ("C <- N be? SIDE T average", than_average),
    ("CL <- have N SIDE average", than_average),
    ("CL <- have N SIDE T average", than_average),
    ("AGAINST <- STAT of TIME until TIME", _mean_from),
    ("C <- IT be? COMPARED average", lambda of, named: (x := graded(named, of)) and than_average(x, named[1])),
    ("C <- be? COMPARED average", lambda named: (x := graded(named, True)) and than_average(x, named[1])),
    ("XT <- KEYS have DEG N TIME or TIME", lambda keys, degree, *given: more_of_years(keys, degree[0], *given)),
    ("CL <- have DEG N OTHER", lambda degree, thing, other: (x := more(degree, thing)) and test_of(x, other)),
)
