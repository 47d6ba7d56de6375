"""What is named in the words of an expression: numbers, texts, points, times, and features by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from knowflow.ground.called import OBJECTS
from knowflow.ground.inflection import singular
from knowflow.question.operators import Expression, Point, Polygons
from knowflow.question.times import ANY_YEAR, MONTHS, Times
from knowflow.question.typing_of_features import are_rows


def digits(number: float) -> str:
    return repr(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(number)


def quoted(name: str) -> str:
    return f"“{name.replace('”', '””')}”"


def polygons_in_words(e: Polygons, called: Mapping[str, str]) -> str:
    names, what = " and ".join(map(quoted, e.names)), called.get(OBJECTS, OBJECTS)
    if e.layer is not None:
        what = "rows" if are_rows(e) else "features"
        return f"the {what}{f' called {names}' if e.names else ''} of {quoted(e.layer)}{_together(e)}"
    said = f"the {what}" if not e.names else f"the {what if len(e.names) > 1 else singular(what)} {names}"
    return said + _together(e)


def counted_polygons(e: Expression, called: Mapping[str, str]) -> str:
    """Polygons by a name that several may have, as they are counted; "" for others."""
    if not isinstance(e, Polygons) or not e.names or e.layer is not None:
        return ""
    return f"the {called.get(OBJECTS, OBJECTS)} called {' and '.join(map(quoted, e.names))}{_together(e)}"


def _together(e: Polygons) -> str:
    """By what features are taken together."""
    return "" if e.by is None else f" taken together by {quoted(e.by)}"


def group_in_words(e: Polygons, called: Mapping[str, str]) -> str:
    """What one of the polygons is, or those of one value of an attribute."""
    said = polygons_in_words(replace(e, by=None), called)
    return f"of {said}" if e.by is None else f"{quoted(e.by)} of {said}"


def named_point(e: Point) -> str:
    east, north = ("E" if e.longitude >= 0 else "W"), ("N" if e.latitude >= 0 else "S")
    return f"{digits(abs(e.longitude))} {east} {digits(abs(e.latitude))} {north}"


def times_in_words(times: Times) -> str:
    first, last = times.first, times.last
    if times.month:
        months = [MONTHS[one - 1].title() for one in (times.month, times.until) if one]
        return f"{'from' if times.until else 'in'} {' to '.join(months)} of any year"
    if times.season:
        return f"in {times.season} {times.year or 'of any year'}"
    if first is not None and last is not None:
        text = str(times)
        if first.year == ANY_YEAR:
            return f"in {first:%B} of any year"
        if len(text) == 4:
            return f"in {text}"
        if len(text) == 7:
            return f"in {first:%B %Y}"
        if len(text) == 10:
            return f"on {first.day} {first:%B %Y}"
        return f"from {first.day} {first:%B %Y} to {last.day} {last:%B %Y}"
    if first is not None:
        return f"from {first.day} {first:%B %Y} on"
    return f"up to {last.day} {last:%B %Y}" if last is not None else "at any time"
