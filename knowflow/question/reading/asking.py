"""An expression as people ask it: shorter than :mod:`knowflow.question.words` has it, and only what is asked often.

What the reader closes by itself is left out, as people leave it out. Whether it reads as the same again, is for the
caller to see: what is asked otherwise has no place in a list of questions to paste.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from knowflow.ground.units import in_a_sentence
from knowflow.knowledge.reading_words import reading_words
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import (
    Anomaly,
    Beyond,
    Calculate,
    Correlate,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Over,
    Point,
    Polygons,
    Quantity,
    Several,
    Show,
    Split,
    Trend,
    Within,
    walk,
    with_children,
)
from knowflow.question.phrases import digits, named_point, times_in_words
from knowflow.question.times import Times
from knowflow.question.types import Type, one_of
from knowflow.question.words import many, quantity_name

_SIDES = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
_SAID = {"deviation": "standard deviation of", "sum": "total", "range": "range of"}
_KEYS = {"objects": "polygon", "classes": "land cover class", "month_of_year": "calendar month"}
_MANY = {"objects": "polygons", "classes": "land cover classes", "month_of_year": "calendar months"}
_AGAIN = ("mean", "median", "minimum", "maximum", "sum")
_OF_KEYS = {
    "count": "{on} how many {many} {was} the {of}?",
    "share": "{on} what share of the {many} {was} the {of}?",
    "first": "What was the first {one} {on} which the {of_was}?",
    "last": "What was the last {one} {on} which the {of_was}?",
    "longest_run": "What was the largest number of consecutive {many} {on} which the {of_was}?",
    "longest": "How long was the longest spell of {many} {on} which the {of_was}?",
}


class _UnsaidError(Exception):
    """Nobody asks so."""


def question_of(expression: Expression) -> str | None:
    """The question that asks for an expression; None where there is no short one.

    >>> from knowflow.question.form import expression_of
    >>> question_of(expression_of("over(beyond(over(during(ndvi, 2017), space, maximum), above, 0.8), time, count)")[0])
    'On how many dates was the maximum NDVI in 2017 above 0.8?'
    """
    try:
        asked = _sentence(expression)
    except _UnsaidError:
        return None
    return asked[:1].upper() + asked[1:]


def _sentence(e: Expression) -> str:
    own = _type(e)
    was = "was" if any("date" in _type(part).keys for _, part in walk(e) if isinstance(part, Quantity)) else "is"
    match e:
        case Several(named=((_, a), (_, b))):
            return f"{_sentence(a).rstrip('?')}, and {_sentence(b)[:1].lower()}{_sentence(b)[1:]}"
        case Show(x=x, as_="map" | "picture" as how):
            pixels = " at every pixel" if isinstance(x, Trend) else ""
            return f"Show a {how} of the {_noun(x)}{pixels}"
        case Show(x=x):
            return f"Show a {e.as_} of the {_noun(x)}{_per_date(_type(x))}"
        case Extreme(x=x, side=side, n=n):
            key = own.keys[-1]
            keys = f"{digits(n)} {_many(key)}" if n > 1 else _one(key)
            area = key == "classes" and isinstance(x, Over) and x.statistic == "area" and isinstance(x.x, Quantity)
            return f"Which {keys} had the {side} {'area' if area else _noun(_unsplit(x, key))}?"
        case Holds(x=Beyond() as test) if test.side in _SIDES:
            key = own.keys[-1]
            return f"Which {_many(key)} had a {_noun(_unsplit(test.x, key))} {_limit(test)}?"
        case Over(x=Beyond() as test, statistic=statistic) if not _type(test).space and statistic in _OF_KEYS:
            return _of_keys(e, test, was)
        case Over(x=Calculate(how="difference", a=a, b=b), axes="space", statistic="mean") if b is not None:
            return _changed(a, b)
    if own.of not in ("number", "date") or own.space:
        raise _UnsaidError
    return f"What {was} the {_noun(e)}{_per_date(own)}?"


def _per_date(own: Type) -> str:
    return " per date" if own.keys[-1:] == ("date",) else ""


def _of_keys(e: Over, test: Beyond, was: str) -> str:
    """How many of the dates, which was the first, on what share of them something was beyond a limit."""
    key = _type(test).keys[-1]
    noun, limit, on = _noun(_unsplit(test.x, key)), _limit(test), "on" if key == "date" else "in"
    if key in ("objects", "classes"):
        if e.statistic != "count":
            raise _UnsaidError
        return f"How many {_many(key)} had a {noun} {limit}?"
    words = {"of": f"{noun} {limit}", "of_was": f"{noun} {was} {limit}", "was": was, "on": on}
    return _OF_KEYS[e.statistic].format(one=_one(key), many=_many(key), **words)


def _unsplit(e: Expression, key: str) -> Expression:
    """Without the split that the sentence around it tells."""
    if isinstance(e, Split) and _type(e).keys[:1] == (key,):
        return e.x
    return with_children(e, lambda child: _unsplit(child, key))


def _changed(after: Expression, before: Expression) -> str:
    """How the mean of the ground changed from one time to another, each with its dates taken together."""
    told = [(x, part.when) for x in (after, before) for _, part in walk(x) if isinstance(part, During)]
    if len(told) != 2 or not all(isinstance(when, Times) for _, when in told):
        raise _UnsaidError
    (_, last), (_, first) = told
    if not isinstance(after, Over) or after.axes != "time" or after.statistic != "mean":
        raise _UnsaidError
    x = _without_dates(after.x)
    if x != _without_dates(before.x if isinstance(before, Over) else before):
        raise _UnsaidError
    return f"How did the mean {_restricted(x)} change from {_bare(first)} to {_bare(last)}?"


def _without_dates(x: Expression) -> Expression:
    if isinstance(x, During):
        return x.x
    return Within(_without_dates(x.x), x.where) if isinstance(x, Within) else x


def _bare(when: Times | Expression) -> str:
    return _times(when).split(" ", 1)[1]


# --- nouns --------------------------------------------------------------------------------------------------------


def _noun(e: Expression) -> str:
    """What has a number, without an article; one per key of the sentence around it."""
    match e:
        case Over(x=Quantity(), axes="space", statistic="area") if _type(e.x).of == "class":
            return f"area per {_one('classes')}"
        case Over(axes="space", statistic="share" | "area" as statistic) if _type(e.x).of == "truth":
            return _of_ground(e.x, statistic)
        case Over(x=Split(x=x, key=str() as grain), axes=axes, statistic=then) if axes in ("time", "date"):
            return f"{_closed(x, then)} per {_one(grain)}"
        case Over(axes="time" | "date", statistic=then):
            return _closed(e.x, then)
        case Over(x=x, axes="space", statistic=statistic) if _type(x).of == "number":
            return _of_keyed(x, _said(statistic, e.p))
        case Trend(x=x, method="linear"):
            return f"trend of the {_noun(x)}"
        case Anomaly(x=x, as_="difference", base=None):
            return f"anomaly of the {_noun(x)}"
        case Correlate(a=a, b=b):
            return f"correlation between {_mapped(a)} and {_mapped(b)}"
        case Calculate(how="difference" | "ratio" as how, a=a, b=b) if b is not None:
            joins = ("between", "and") if how == "difference" else ("of", "to")
            return f"{how} {joins[0]} the {_noun(a)} {joins[1]} the {_noun(b)}"
    return _mapped(e)


def _mapped(e: Expression) -> str:
    """What has pixels, with its dates as they are or taken together by their mean."""
    return _restricted(e.x if isinstance(e, Over) and e.axes == "time" and e.statistic == "mean" else e)


def _closed(e: Expression, then: str) -> str:
    """One number per date with its dates taken together: left out where the reader takes them so."""
    if isinstance(e, Over) and e.axes == "space":
        adds = "time" in _type(e).measure.adds
        if then == (e.statistic if e.statistic in _AGAIN and not adds else "mean"):
            return _noun(e)
        if then == "sum" and adds and e.statistic == "mean":
            return f"total {_restricted(e.x)}"
        return f"{_said(then, None)} of the daily {_noun(e)}"
    if _type(e).space:
        return f"{_said(then, None)} {_restricted(e)}"
    raise _UnsaidError


def _said(statistic: str, p: float | None) -> str:
    return f"{digits(p)}th percentile of" if p is not None else _SAID.get(statistic, statistic)


def _of_keyed(x: Expression, said: str) -> str:
    if isinstance(x, Split) and isinstance(x.key, Expression):
        return f"{said} {_restricted(x.x)} per {_one(_type(x).keys[0])}"
    return f"{said} {_restricted(x)}"


def _of_ground(x: Expression, statistic: str) -> str:
    """The share or the area of ground where something holds."""
    ground = "area"
    if isinstance(x, Within):
        ground, x = _place(x.where), x.x
    when = f" {_times(x.when)}" if isinstance(x, During) else ""
    inner = x.x if isinstance(x, During) else x
    whole = f"share of the {ground}" if statistic == "share" else "area"
    if statistic == "area" and ground != "area":
        raise _UnsaidError
    if isinstance(inner, Beyond) and inner.side in _SIDES:
        return f"{whole} where the {_restricted(inner.x)} is {_limit(inner)}{when}"
    return f"{whole} covered by {_place(inner)}{when}"


# --- what restricts -----------------------------------------------------------------------------------------------


def _restricted(x: Expression) -> str:
    match x:
        case Quantity(method=None, having=()):
            return quantity_name(x)
        case During(x=inner, when=when):
            return f"{_restricted(inner)} {_times(when)}"
        case Within(x=inner, where=Point() as point):
            return f"{_restricted(inner)} at {named_point(point)}"
        case Within(x=inner, where=Beyond() as test):
            return f"{_restricted(inner)} where the {_restricted(test.x)} is {_limit(test)}"
        case Within(x=inner, where=where):
            return f"{_restricted(inner)} of the {_place(where)}"
    raise _UnsaidError


def _place(where: Expression) -> str:
    said = _grounds().get(where)
    if said is not None:
        return said
    match where:
        case IsClass(names=names):
            return " and ".join(name.replace("_", " ") for name in names)
        case Polygons(names=names) if names:
            return " and ".join(names)
    raise _UnsaidError


@cache
def _grounds() -> Mapping[Expression, str]:
    """Things on the ground with the name that stands first."""
    found: dict[Expression, str] = {}
    for phrase, readings in reading_words().phrases.items():
        for symbol, value in readings:
            expression = expression_of(value)[0] if symbol == "GROUND" else None
            if expression is not None:
                found.setdefault(expression, " ".join(phrase))
    return found


def _times(when: Times | Expression) -> str:
    if not isinstance(when, Times):
        raise _UnsaidError
    if when.first is not None and when.last is None:
        return f"since {when.first.day} {when.first:%B %Y}"
    return times_in_words(when).removesuffix(" of any year")


def _limit(test: Beyond) -> str:
    """``above 0.6``, ``between 300 and 500 m``, ``above the mean EVI``."""
    if test.side == "between" or isinstance(test.x, Not):
        raise _UnsaidError
    if isinstance(test.limit, Number):
        unit = "" if test.limit.unit == "1" else f" {in_a_sentence(test.limit.unit)}"
        return f"{_SIDES[test.side]} {digits(test.limit.value)}{unit}"
    return f"{_SIDES[test.side]} the {_noun(test.limit)}"


def _one(key: str) -> str:
    return _KEYS.get(key, one_of(key))


def _many(key: str) -> str:
    return _MANY.get(key, many(key))


def _type(e: Expression) -> Type:
    own = type_of(e)
    if own is None:
        raise _UnsaidError
    return own
