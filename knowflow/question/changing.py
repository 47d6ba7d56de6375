"""A question with a part of it changed: another time, ground, quantity, statistic, limit, key, or way to tell it.

Each change is an edit of the expression, whatever words asked for it. A change that finds nothing of its kind in the
question is none, so that nothing that is said is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from knowflow.question.check import type_of
from knowflow.question.narrowing import SPACE, below, elsewhere, main_parts, narrowed
from knowflow.question.operators import (
    GRAINS,
    Beyond,
    During,
    Expression,
    Extreme,
    Grain,
    Holds,
    IsClass,
    Number,
    Over,
    Quantity,
    Show,
    Split,
    Statistic,
    Within,
    children,
    with_children,
)
from knowflow.question.phrases import times_in_words
from knowflow.question.times import Times, of_year
from knowflow.question.types import one_of
from knowflow.question.words import in_words, quantity_name

TIME = ("time", *GRAINS)
ANY = Quantity("ndvi")

Change = tuple[Expression, str]


class UnclearError(Exception):
    """What is said could change more than one thing of the question before."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is said, by what it may change.

    ``everywhere`` and ``always`` take grounds and times away, ``years`` is by how many the time moves. ``limit`` is a
    number where only that of a limit is told; ``ranked`` how many keys and of which side (None: of the same), ``dates``
    what is told of the dates on which something is so (an operator over anything), ``measured`` the statistic of the
    ground on which it is so. ``narrows`` adds a ground or time to those that there are.
    """

    quantity: Quantity | None = None
    statistics: Mapping[str, Over] = field(default_factory=dict)
    limit: Beyond | Number | None = None
    measured: Statistic | None = None
    ranked: tuple[int, Literal["highest", "lowest"] | None] | None = None
    dates: Over | Holds | None = None
    keys: tuple[Grain | Expression, ...] = ()
    always: bool = False
    everywhere: bool = False
    years: int = 0
    when: tuple[Times, ...] = ()
    where: tuple[Expression, ...] = ()
    shown: Literal["map", "chart", "table", "picture"] | None = None
    narrows: bool = False


def changed(last: Expression, said: Said) -> Change | None:
    """The question with all that is said changed, and what that is, in words; None where a part of it has no place.

    >>> changed(Over(During(ANY, Times(season="summer")), "both", "mean"), Said(when=(Times(season="spring"),)))[1]
    'in spring, in place of in summer'

    Raises:
        UnclearError: more than one thing of the question could be meant.
    """
    told: list[str] = []
    for part, change in _CHANGES.items():
        if not getattr(said, part):
            continue
        made = change(said, last)
        if made is None:
            return None
        last = made[0]
        told.append(made[1])
    return last, "; ".join(filter(None, told))


def dated(e: Expression, times: tuple[Times, ...]) -> Expression:
    """The expression with each quantity of it that has dates at these alone."""

    def then(one: Expression) -> Expression:
        return _during(one, times) if isinstance(one, Quantity) and type_of(_during(one, times)) is not None else one

    return _in_main(e, then)


def times_of(e: Expression) -> Iterator[tuple[Times, ...]]:
    """The times of an expression; those that restrict one another (summer, 2018) are one."""
    here: list[Times] = []
    while isinstance(e, During) and isinstance(e.when, Times):
        here.append(e.when)
        e = e.x
    if here:
        yield tuple(here)
    for _, child in children(e):
        yield from times_of(child)


def without(e: Expression, axes: Collection[str]) -> Expression:
    """The expression with the outermost statistics over some axes left out."""
    if isinstance(e, Over) and e.axes in axes:
        return e.x
    return below(e, lambda one: without(one, axes))


def put(e: Expression, old: Expression, new: Expression) -> Expression:
    """The expression with one part in the place of another, wherever it is."""
    return new if e == old else with_children(e, lambda one: put(one, old, new))


def _in_main(e: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each part that the question is about changed, from the inside."""
    return change(below(e, lambda one: _in_main(one, change)))


def _first(e: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with the outermost part changed that can be."""
    made = change(e)
    return made if made is not None else below(e, lambda one: _first(one, change))


# --- time and ground -------------------------------------------------------------------------------------------------


def _other_time(said: Said, last: Expression) -> Change | None:
    old = set(times_of(last))
    words = _said_times(said.when)
    if len(old) > 1:
        several = " or ".join(sorted(map(_said_times, old)))
        raise UnclearError(f"which time {words!r} stands for: expected one in the question before, found {several}")
    before = next(iter(old), ())
    new = tuple(_of_its_year(one, before) for one in said.when)
    if before and (not said.narrows or all(_apart(one, other) for one in before for other in new)):
        return _at(last, new), f"{_said_times(new)}, in place of {_said_times(before)}"
    return dated(last, said.when), words


def _of_its_year(new: Times, before: tuple[Times, ...]) -> Times:
    """``and in August?`` after July 2017: a month, or a season, without its year is of that of a part of one year."""
    parts = [one for one in before if one.year or (one.first and one.last and (one.last - one.first).days < 300)]
    return of_year(new, parts[0]) if len(before) == len(parts) == 1 else new


def _said_times(times: tuple[Times, ...]) -> str:
    return " ".join(times_in_words(one) for one in times)


def _during(e: Expression, times: tuple[Times, ...]) -> Expression:
    for one in reversed(times):
        e = During(e, one)
    return e


def _at(e: Expression, new: tuple[Times, ...]) -> Expression:
    """The expression at another time than it tells; at none, at all."""
    told = False
    while isinstance(e, During) and isinstance(e.when, Times):
        e, told = e.x, True
    now = with_children(e, lambda one: _at(one, new))
    return _during(now, new) if told else now


def _apart(one: Times, other: Times) -> bool:
    """Whether two times have no day in common, as far as they tell."""
    if not (one.first and one.last and other.first and other.last):
        return False
    return one.last < other.first or other.last < one.first


def _at_all_times(_: Said, last: Expression) -> Change | None:
    old = dict.fromkeys(times_of(last))
    return (_at(last, ()), f"at all times, in place of {' or '.join(map(_said_times, old))}") if len(old) == 1 else None


def _years_apart(said: Said, last: Expression) -> Change | None:
    old = set(times_of(last))
    now = [one.years_later(said.years) for one in next(iter(old))] if len(old) == 1 else []
    moved = tuple(one for one in now if one is not None)
    return _other_time(Said(when=moved), last) if moved and len(moved) == len(now) else None


def _everywhere(_: Said, last: Expression) -> Change | None:
    old = dict.fromkeys(one.where for one in main_parts(last) if isinstance(one, Within))

    def all_of_it(e: Expression) -> Expression:
        return e.x if isinstance(e, Within) else e

    told = " ".join(_on_ground(one) for one in old)
    return (_in_main(last, all_of_it), f"everywhere, in place of {told}") if old else None


def _other_ground(said: Said, last: Expression) -> Change | None:
    before = last
    for new in said.where:
        last = (None if said.narrows else elsewhere(last, new)) or narrowed(last, new)
    told = "; ".join(f"only {_on_ground(one)}" for one in said.where)
    gone = set(_grounds(before)) - set(_grounds(last))
    return last, f"{told}, in place of {' '.join(map(_on_ground, gone))}" if len(gone) == 1 else told


def _grounds(e: Expression) -> Iterator[Expression]:
    return (one.where if isinstance(one, Within) else one for one in main_parts(e) if isinstance(one, Within | IsClass))


def _on_ground(where: Expression) -> str:
    return in_words(Within(ANY, where)).removeprefix(in_words(ANY)).strip()


# --- what is taken of what -------------------------------------------------------------------------------------------


def _other_quantity(said: Said, last: Expression) -> Change | None:
    new = said.quantity or ANY
    old = {part for part in main_parts(last) if isinstance(part, Quantity)}
    if len(old) != 1:
        several = " or ".join(sorted(map(quantity_name, old)))
        raise UnclearError(f"what {quantity_name(new)!r} stands for: expected one quantity before, found {several}")
    (before,) = old
    return put(last, before, new), f"{quantity_name(new)}, in place of {quantity_name(before)}"


def _other_statistic(said: Said, last: Expression) -> Change | None:
    new, before = said.statistics, set[str]()

    def other(e: Expression) -> Expression:
        taken = new.get(e.axes) if isinstance(e, Over) else None
        if taken is None or not isinstance(e, Over):
            return e
        of = type_of(e.x)  # how many, how large: that is of what is so, and stays
        if of is None or of.of != "number":
            return e
        before.add(e.statistic)
        return replace(e, statistic=taken.statistic, p=taken.p)

    made, now = _in_main(last, other), next(iter(new.values())).statistic
    told = f"the {now}" if len(before) > 1 else f"the {now}, in place of the {', '.join(before)}"
    return (made, told) if before else None


def _other_limit(said: Said, last: Expression) -> Change | None:
    new = said.limit
    old = {part for part in main_parts(last) if isinstance(part, Beyond)}
    if len(old) != 1:
        return None
    (before,) = old
    if isinstance(new, Number):
        if before.upper is not None:
            return None
        now = replace(before, limit=new)
    else:
        assert new is not None
        now = replace(before, side=new.side, limit=new.limit, upper=new.upper)
    return put(last, before, now), f"{_side(now)}, in place of {_side(before)}"


def _side(e: Beyond) -> str:
    return in_words(Holds(Beyond(Over(ANY, "space", "mean"), e.side, e.limit, e.upper))).partition(" is ")[2]


def _measured(said: Said, last: Expression) -> Change | None:
    """Of ground its area, or its share."""
    now = said.measured or "area"
    old = {one for one in main_parts(last) if isinstance(one, Over) and _of_ground(one)}
    for one in old:
        last = put(last, one, replace(one, statistic=now))
    return (last, f"the {now}") if old else None


def _of_ground(e: Over) -> bool:
    of = type_of(e.x)
    return e.axes in SPACE and e.statistic in ("area", "share") and of is not None and of.of == "truth"


# --- keys and dates --------------------------------------------------------------------------------------------------


def _other_keys(said: Said, last: Expression) -> Change | None:
    """Per another grain of time, or per another kind of ground; where it is per none, per this one."""
    told = []
    for key in said.keys:
        old = {one.key for one in main_parts(last) if isinstance(one, Split) and _alike(one.key, key)}
        if old == {key}:
            continue
        made = last if len(old) > 1 else _per(last, key) if not old else _per_other(last, next(iter(old)), key)
        if made == last or type_of(made) is None:
            return None
        told.append(_each(key) + (f", in place of {_each(next(iter(old)))}" if old else ""))
        last = made
    return last, "; ".join(told)


def _alike(one: Grain | Expression, other: Grain | Expression) -> bool:
    return isinstance(one, str) == isinstance(other, str)


def _per(e: Expression, key: Grain | Expression) -> Expression:
    """The expression with what its outermost statistic is of told per key."""
    axes = ("time",) if isinstance(key, str) else SPACE

    def split(one: Expression) -> Expression | None:
        now = replace(one, x=Split(one.x, key)) if isinstance(one, Over) and one.axes in axes else None
        return now if now is not None and type_of(now) is not None else None

    return _first(e, split)


def _per_other(e: Expression, old: Grain | Expression, new: Grain | Expression) -> Expression:
    def other(one: Expression) -> Expression:
        if isinstance(one, Split) and one.key == old:
            return replace(one, key=new)
        if isinstance(one, Over) and one.axes == old and isinstance(new, str):
            return replace(one, axes=new)
        return one

    return _in_main(e, other)


def _each(key: Grain | Expression) -> str:
    if isinstance(key, str):
        return f"per {one_of(key)}"
    own = type_of(Split(ANY, key))
    return "per " + (quantity_name(key) if isinstance(key, Quantity) else one_of(own.keys[0]) if own else "part")


def _ranked(said: Said, last: Expression) -> Change | None:
    """Other keys by their numbers: the lowest, the three highest; of a list of them the highest."""
    assert said.ranked is not None
    n, side = said.ranked
    old = {one for one in main_parts(last) if isinstance(one, Extreme)}
    if len(old) == 1:
        (before,) = old
        now = replace(before, side=side or before.side, n=n)
        return put(last, before, now), f"the {_most(now)}, in place of the {_most(before)}"
    x = last.x if isinstance(last, Show) else last
    found = Extreme(x, side, n) if side is not None and not old else None
    return (found, f"the {_most(found)} of them") if found is not None and type_of(found) is not None else None


def _most(e: Extreme) -> str:
    return e.side if e.n == 1 else f"{e.n} {e.side}"


def _of_dates(said: Said, last: Expression) -> Change | None:
    """Of the dates on which something is so which they are, how many, or the first of them."""

    def other(e: Expression) -> Expression | None:
        if not (isinstance(e, Holds) or (isinstance(e, Over) and e.axes in TIME)) or said.dates is None:
            return None
        of = type_of(e.x)
        return replace(said.dates, x=e.x) if of is not None and of.of == "truth" and not of.space else None

    made = _first(last, other)
    return None if made == last else (made, in_words(made).partition(" on which ")[0])


def _shown(said: Said, last: Expression) -> Change | None:
    assert said.shown is not None
    x = last.x if isinstance(last, Show) else last
    dates, own = without(x, TIME), type_of(x)
    if said.shown in ("map", "picture"):
        ways: tuple[Expression, ...] = (x, without(x, SPACE), without(dates, SPACE))
    else:
        ways = (x, dates) if own is not None and own.keys else (dates, x)
    shown = [Show(one, said.shown) for one in ways]
    return next((one for one in shown if type_of(one) is not None), shown[0]), f"as a {said.shown}"


_CHANGES: dict[str, Callable[[Said, Expression], Change | None]] = {
    "quantity": _other_quantity,
    "statistics": _other_statistic,
    "limit": _other_limit,
    "measured": _measured,
    "keys": _other_keys,
    "ranked": _ranked,
    "dates": _of_dates,
    "always": _at_all_times,
    "everywhere": _everywhere,
    "years": _years_apart,
    "when": _other_time,
    "where": _other_ground,
    "shown": _shown,
}
