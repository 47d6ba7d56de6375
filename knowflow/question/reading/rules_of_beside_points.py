"""The rules of what points were measured to have beside a map of the same: bias, RMSE, correlation, which point differs
most, at how many points the one is above the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from knowflow.question.operators import (
    Beyond,
    Calculate,
    Correlate,
    Expression,
    Extreme,
    Holds,
    Number,
    Over,
    Polygons,
    Quantity,
)
from knowflow.question.operators import Side as SideOf
from knowflow.question.reading.beside_points import Apart, Told, apart, both_words, of_column, of_kind
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.nouns import fits, level_of
from knowflow.question.reading.order import Thing, typed
from knowflow.question.times import Times
from knowflow.question.typing_of_features import layer_of

_ENDS = {"maximum": "highest", "minimum": "lowest"}


def _mean(two: Apart) -> Thing | None:
    x = two.each
    return None if x is None else fits(Thing(Over(x, "objects", "mean")))


def _of(side: Told, x: Any) -> Told | None:
    return of_column(side, x) if not hasattr(x, "kind") else of_kind(side, x)


def _turned(side: str, two: Apart) -> Apart:
    """``the map is lower than the lab``: by how much the other one is above it."""
    return two if side == "above" else replace(two, first=replace(two.first, measured=not two.first.measured))


def _statistic(said: str, two: Apart) -> Thing | None:
    """``the mean difference``, ``the largest``."""
    x = two.each
    if x is None or said not in ("mean", "median", "maximum", "minimum", "deviation"):
        return None
    return fits(Thing(Over(x, "objects", said)))  # type: ignore[arg-type]


def _bias(two: Apart) -> Thing | None:
    """``the bias``: by how much the map is above what was measured, whichever is named first."""
    return _mean(replace(two, first=Told(False)))


def _absolute(two: Apart) -> Thing | None:
    x = two.each
    return None if x is None else fits(Thing(Over(Calculate("absolute", x), "objects", "mean")))


def _rmse(two: Apart) -> Thing | None:
    x = two.each
    if x is None:
        return None
    mean = Over(Calculate("power", x, Number(2.0)), "objects", "mean")
    return fits(Thing(Calculate("power", mean, Number(0.5))))


def _correlated(two: Apart) -> Thing | None:
    sides = two.sides
    return None if sides is None else fits(Thing(Correlate(*sides, "objects")))


def _of_each(two: Apart) -> Thing | None:
    """``the difference between map and lab``: of each point; of one that is named its own."""
    x, points = two.each, two.pair.column.x
    named = isinstance(points, Polygons) and len(points.names) == 1
    return None if x is None else fits(Thing(Over(x, "objects", "mean") if named else x))


def _is_of(level: Any, two: Apart) -> bool:
    return isinstance(level, Polygons) and layer_of(level) == layer_of(two.pair.column.x) and not level.names


def _farthest(keys: Keys, said: str, two: Apart) -> Expression | None:
    """``which sample shows the largest difference between map and lab``, whichever way."""
    x = two.each
    if x is None or said not in _ENDS or keys.when is not None or not _is_of(keys.level, two):
        return None
    found = Extreme(Calculate("absolute", x), _ENDS[said])  # type: ignore[arg-type]
    return found if typed(found) is not None else None


def _those(two: Apart, side: str) -> Beyond | None:
    x = two.each
    return None if x is None else Beyond(x, side, Number(0.0, _unit(x)))  # type: ignore[arg-type]


def _unit(x: Expression) -> str:
    own = typed(x)
    return "1" if own is None else own.measure.unit


def _differs_most(keys: Keys, first: Told, other: Told, *when: Times) -> Expression | None:
    """``at which station does the satellite differ most from the gauge``."""
    two = apart(first, other)
    return None if two is None else _farthest(keys, "maximum", replace(two, when=next(iter(when), None)))


def _number(keys: Keys, two: Apart) -> Thing | None:
    """``at how many stations is the map above the gauge``."""
    test = _those(two, "above") if keys.when is None and _is_of(keys.level, two) else None
    return None if test is None else fits(Thing(Over(test, "objects", "count")))


def _which(keys: Keys, two: Apart) -> Expression | None:
    test = _those(two, "above") if keys.when is None and _is_of(keys.level, two) else None
    found = None if test is None else Holds(test)
    return found if found is not None and typed(found) is not None else None


def _then(two: Apart, when: Times) -> Apart | None:
    return replace(two, when=when) if two.when is None else None


def _all(two: Apart) -> Apart:
    """``at the sample points``: at all of them."""
    return two


def _named(two: Apart, place: Any) -> Apart | None:
    """``CHIRPS minus gauge at Hawzen``: of the points of a name."""
    if isinstance(place, str):
        return two if _is_of(level_of(place), two) else None
    if not isinstance(place, Polygons) or layer_of(place) != layer_of(two.pair.column.x) or place.by is not None:
        return None
    if not place.names:
        return two
    return replace(two, pair=replace(two.pair, column=replace(two.pair.column, x=place)))


def _misjudged(first: Told, side: SideOf, *of: Told | Quantity) -> Apart | None:
    """``CHIRPS overestimates the rain``: above what was measured."""
    other: Told | None = Told(True, first.pairs)
    for one in of:
        other = one if isinstance(one, Told) else other and of_kind(other, one)
    two = None if first.measured or other is None else apart(first, other)
    return None if two is None else _turned(side, two)


def _above(first: Told, side: str, other: Told) -> Apart | None:
    two = apart(first, other)
    return None if two is None or side not in ("above", "below") else _turned(side, two)


def _so(two: Apart) -> Expression | None:
    """``is the lab pH higher than the map on average``."""
    mean = _mean(two)
    return None if mean is None else Beyond(mean.x, "above", Number(0.0, _unit(mean.x)))


_JOINED = ("between? SD and SD", "of SD and SD", "of? SD compared SD", "of SD to SD", "SD minus SD", "in SD and SD")
_DIFFERS = ("do SD deviate SD", "do SD on_average deviate SD", "do SD did_change on_average? from SD")
_ABOVE = ("be SD SIDE SD", "do SD MISJUDGED SD", "do SD MISJUDGED QUANTITY", "do SD MISJUDGED")
_OF_ALL = (("bias", _bias), ("mean_error", _absolute), ("rmse", _rmse))

_AT = tuple(f"{word} {key}" for word in ("at", "in", "of") for key in ("PLACE", "OBJECTS"))


def _tails(of: str) -> Iterator[Line]:
    """When it is, and at which points."""
    yield f"{of} <- {of} T", _then
    yield f"{of} <- {of} at_them", _all
    for at in _AT:
        yield f"{of} <- {of} {at}", _named


RULES_OF_BESIDE_POINTS: tuple[Line, ...] = (
    ("SD <- BESIDE", lambda side: side),
    ("BESIDE <- BESIDE BESIDE", both_words),
    *((f"SD <- BESIDE {of}", _of) for of in ("QUANTITY", "ATTRIBUTE")),
    *((f"SD <- QUANTITY {word} BESIDE", lambda x, side: of_kind(side, x)) for word in ("of", "in", "from", "by", "at")),
    ("SD <- QUANTITY BESIDE", lambda x, side: of_kind(side, x)),
    *((f"SD <- {words}", lambda side: side) for words in ("SD values", "SD at_them", "BESIDE one", "one from BESIDE")),
    # the one beside the other, of each point
    *((f"APART <- {words}", apart) for words in _JOINED),
    *((f"ABOVE_BY <- by_how_much {words}", apart) for words in _DIFFERS),
    ("ABOVE_BY <- by_how_much be SD SIDE SD", _above),
    *((f"ABOVE_BY <- {how} high be SD than SD", apart) for how in ("by_how_much", "how_much")),
    *((f"ABOVE_BY <- {how} low be SD than SD", lambda a, b: apart(b, a)) for how in ("by_how_much", "how_much")),
    *((f"ABOVE_BY <- by_how_much {words}", _misjudged) for words in _ABOVE[1:]),
    ("SO <- be SD SIDE SD", _above),
    *((f"SO <- {words}", _misjudged) for words in _ABOVE[1:]),
    *(line for of in ("APART", "ABOVE_BY", "SO") for line in _tails(of)),
    ("ABOVE_BY <- ABOVE_BY on_average", lambda two: two),
    # of all points
    ("N <- ABOVE_BY", _mean),
    *((f"N <- {name} APART on_average?", made) for name, made in _OF_ALL),
    ("N <- CORRELATION APART", lambda _, two: _correlated(two)),
    ("N <- STAT of? APART", _statistic),
    ("N <- STAT ARITHMETIC APART", lambda said, how, two: _statistic(said, two) if how == "difference" else None),
    ("N <- ARITHMETIC APART", lambda how, two: _of_each(two) if how == "difference" else None),
    ("N <- APART", _of_each, 2),
    ("E <- SO on_average", _so),
    # which of them, and how many
    ("XT <- KEYS have STAT ARITHMETIC APART", lambda keys, said, _, two: _farthest(keys, said, two)),
    ("XT <- KEYS be ARITHMETIC APART STAT", lambda keys, _, two, said: _farthest(keys, said, two)),
    *(
        (f"XT <- KEYS do {words} {end}", _differs_most)
        for words in ("SD did_change most from SD",)
        for end in ("", "T")
    ),
    ("N <- how_many KEYS spot? SO", _number),
    ("E <- which KEYS spot? SO", _which),
)
