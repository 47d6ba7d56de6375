"""The rules of how far the highest and the lowest lie apart: of the ground, and of what is ranked (``the warmest month
and the coldest``); and of how much the highest is."""

from __future__ import annotations

from typing import Any

from knowflow.question.operators import Calculate, Expression, Extreme, Over, Quantity, walk
from knowflow.question.reading.changes import at_two, calculated, in_two
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import SIZE, Degree, Measure, in_measure
from knowflow.question.reading.grounds import in_unit_of
from knowflow.question.reading.keys import Keys, ranked, ranked_by
from knowflow.question.reading.nouns import Graded, fits, statistic_of
from knowflow.question.reading.order import Thing, closed, typed
from knowflow.question.reading.restricted import during
from knowflow.question.reading.spans import than
from knowflow.question.types import Type

End = tuple[str, str]
"""What is highest or lowest, where a word tells it, and which of these: ``coldest``, ``the lowest point``."""

_SIDES = {"highest": "maximum", "lowest": "minimum", "maximum": "maximum", "minimum": "minimum"}


def _kinds(x: Expression) -> set[str]:
    return {part.kind for _, part in walk(x) if isinstance(part, Quantity)}


def _end(named: Graded | str) -> End | None:
    kind, said = ("", named) if isinstance(named, str) else named
    side = _SIDES.get(said.removesuffix("_point"))
    return None if side is None else (kind, side)


def _end_of(said: str, kind: str) -> End | None:
    """``the highest ground``."""
    one = _end(said)
    return None if one is None else (kind, one[1])


def _ends(one: End, other: End) -> str | None:
    """What two extremes are of that lie opposite to each other; "" where none of them tells it."""
    kinds = {one[0], other[0]} - {""}
    return None if one[1] == other[1] or len(kinds) > 1 else next(iter(kinds), "")


def _range(kind: str, thing: Thing | None = None) -> Thing | None:
    """``the height difference between the highest and the lowest ground``: of what they are the extremes of."""
    if thing is None:
        return statistic_of("range", Thing(Quantity(kind))) if kind else None
    whole = thing.statistic is None and not thing.keys
    return statistic_of("range", thing) if whole and _kinds(thing.x) >= {kind} - {""} else None


def _range_again(thing: Thing, kind: str) -> Thing | None:
    """``the range of the heights, highest minus lowest``."""
    return thing if thing.statistic == "range" and _kinds(thing.x) >= {kind} - {""} else None


def _apart(x: Expression, other: End, keys: Keys | None = None) -> Thing | None:
    """How far the key with the most lies from that with the least, of the same keys."""
    if not isinstance(x, Extreme) or x.n != 1 or _SIDES[x.side] == other[1]:
        return None
    own = typed(x.x)
    if (
        own is None
        or not own.keys
        or not _kinds(x) >= {other[0]} - {""}
        or (keys is not None and not _same(keys, own.keys))
    ):
        return None
    return _over_keys(x, own, "range")


def _over_keys(x: Extreme, own: Type, said: str) -> Thing | None:
    """A statistic of the numbers by which keys are ranked."""
    axis = "time" if own.keys[-1] == own.grain else own.keys[-1]
    return fits(Thing(Over(x.x, axis, said)))  # type: ignore[arg-type]  # a key is an axis


def _of_the_most(kind: str, named: Graded, keys: Keys, *whens: Any) -> Thing | None:
    """``how hot was the hottest zone``: the number that it is ranked by."""
    x = ranked_by(keys, named) if kind == named[0] else None
    for when in whens:
        x = None if x is None else during(x, when)
    own = typed(x.x) if isinstance(x, Extreme) else None
    return _over_keys(x, own, _SIDES[x.side]) if isinstance(x, Extreme) and own is not None and own.keys else None


def _same(keys: Keys, own: tuple[Any, ...]) -> bool:
    return keys.when is None and own[-1] == (keys.level if isinstance(keys.level, str) else own[-1])


def _told(measure: Measure, thing: Thing | None) -> Thing | None:
    if thing is None or measure.how != "difference":
        return None
    return thing if measure.unit is None else in_unit_of(measure.unit, thing)


def _differ(measure: Measure, x: Expression, *other: Any) -> Thing | None:
    """``by how many degrees does the warmest month differ from the coldest``."""
    return _told(measure, _apart(x, *other))


def _between_ends(measure: Measure, degree: Degree, one: End, other: End) -> Thing | None:
    """``how much higher is the highest point than the lowest``."""
    kind = _ends(one, other)
    so = (degree[0], one[1]) in (("above", "maximum"), ("below", "minimum")) and degree[1] in ("", SIZE, kind)
    return _told(measure, _range(kind)) if kind and so else None


def _more_than(measure: Measure, degree: Degree, x: Expression, *other: Any) -> Thing | None:
    """``how much warmer is the warmest month than the coldest``."""
    side, kind = degree
    so = isinstance(x, Extreme) and (side, x.side) in (("above", "highest"), ("below", "lowest"))
    return _differ(measure, x, *other) if so and _kinds(x) >= {kind} - {"", SIZE} else None


def _between_keys(measure: Measure, thing: Thing, kind: str, keys: Keys) -> Thing | None:
    """``by how much does it differ between the worst and the best year``."""
    x = ranked(keys, "maximum", thing) if _kinds(thing.x) >= {kind} - {""} else None
    return None if x is None else _told(measure, _apart(x, ("", "minimum")))


def _apart_in(how: str, thing: Thing, kind: str, keys: Keys) -> Thing | None:
    """``the difference in height between the highest and the lowest field``."""
    return _between_keys(Measure(how), thing, kind, keys)


def _size(measure: Measure, thing: Thing | None) -> Thing | None:
    """How far two lie apart, whichever is the larger."""
    x = None if thing is None else closed(thing)
    return None if x is None else _told(measure, fits(Thing(Calculate("absolute", x))))


def _gap_of_times(measure: Measure, *of: Any) -> Thing | None:
    """``how far apart are January and July in mean temperature``."""
    *times, thing = of
    two = times[0] if len(times) == 1 else than(*times)
    return _size(measure, at_two("difference", thing, two))


def _gap_of_places(measure: Measure, a: Expression, b: Expression, thing: Thing) -> Thing | None:
    return _size(measure, in_two("difference", thing, (a, b)))


def _gap_of_keys(measure: Measure, kind: str, keys: Keys) -> Thing | None:
    """``how far apart were the warmest and the coldest month``."""
    return _between_keys(measure, Thing(Quantity(kind)), kind, keys) if kind else None


def _gap(measure: Measure, a: Thing, b: Thing) -> Thing | None:
    return _size(measure, calculated("difference", a, b))


RULES_OF_EXTREMES: tuple[Line, ...] = (
    ("END <- STAT", _end),
    ("END <- RANKED", _end),
    ("END <- POINT_OF", _end),
    ("END <- STAT MEDIUM", _end_of),
    ("END <- END spot", lambda end: end),
    ("END <- END one", lambda end: end),
    *((f"ENDS <- END {word} END", _ends) for word in ("and", "minus", "until", "to")),
    ("ENDS <- from END until END", _ends),
    ("ENDS <- END END", _ends, 1),  # max-min
    ("N <- HOW DEG be END than END", _between_ends),
    ("ENDS <- open ENDS close", lambda kind: kind),
    ("N <- ARITHMETIC between ENDS", lambda how, kind: _range(kind) if how == "difference" else None),
    (
        "N <- ARITHMETIC between ENDS of? N",
        lambda how, kind, x: _range(kind, x) if how == "difference" and kind else None,
    ),
    ("N <- N ARITHMETIC between ENDS", lambda x, how, kind: _range(kind, x) if how == "difference" else None),
    (
        "N <- N ARITHMETIC between ENDS KEYS",
        lambda x, how, kind, keys: _between_keys(Measure(), x, kind, keys) if how == "difference" else None,
    ),
    (
        "N <- ARITHMETIC in N between ENDS KEYS",
        lambda how, x, kind, keys: _between_keys(Measure(), x, kind, keys) if how == "difference" else None,
    ),
    ("N <- how_many UNIT be? between ENDS", lambda unit, kind: in_unit_of(unit, _range(kind))),
    ("N <- N ENDS", _range_again),
    ("N <- STAT between ENDS", lambda said, kind: _range(kind) if said == "range" else None),
    *((f"N <- GAP between? XT and END {keys}", _differ) for keys in ("", "KEYS")),
    ("N <- GAP between? ENDS KEYS", _gap_of_keys),
    ("N <- GAP between? ENDS KEYS in N", lambda measure, kind, keys, x: _between_keys(measure, x, kind, keys)),
    ("N <- GAP between? N and N", _gap),
    ("N <- HOW do N did_change between PLACE and PLACE", lambda how, x, a, b: _gap_of_places(how, a, b, x)),
    *((f"N <- GAP {two} in N", _gap_of_times) for two in ("TWO", "PAIR", "TIME and TIME")),
    ("N <- GAP between? PLACE and PLACE in N", _gap_of_places),
    ("GAP <- gap", Measure),
    ("GAP <- how_many UNIT apart_are", in_measure),
    ("GAP <- how_many UNIT be? between", in_measure),
    # of months, years, districts
    *((f"N <- HOW do XT deviate END {keys}", _differ) for keys in ("", "KEYS")),
    *((f"N <- HOW DEG be XT than END {keys}", _more_than) for keys in ("", "KEYS")),
    *((f"N <- XT minus END {keys}", _apart) for keys in ("", "KEYS")),
    *(
        (
            f"N <- ARITHMETIC between XT and END {keys}",
            lambda how, *of: _apart(*of) if how == "difference" else None,
        )
        for keys in ("", "KEYS")
    ),
    *((f"N <- how ADJECTIVE be RANKED KEYS{when}", _of_the_most, -2) for when in ("", " T", " T T")),
    ("N <- HOW do N did_change between ENDS KEYS", _between_keys),
    *((f"N <- ARITHMETIC {word} N between ENDS KEYS", _apart_in) for word in ("in", "of")),
    ("N <- N ARITHMETIC between ENDS KEYS", lambda thing, how, *ends: _apart_in(how, thing, *ends)),
)
