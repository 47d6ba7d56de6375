"""What is said after a question, as a change of it: "and in 2017?", "only on slopes above 10 degrees", "as a map".

Such words are read in frames: put into a small whole question, so that the grammar of all questions reads them. What
they add to its expression (a time, a ground, a quantity, a statistic, a limit, a way to show) is what they change of
the one before; what a frame reads beside that makes it the wrong frame.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from knowflow.knowledge.reading_words import going_on, reading_words, words_of
from knowflow.question.check import check, type_of
from knowflow.question.narrowing import SPACE, below, elsewhere, main_parts, narrowed
from knowflow.question.operators import (
    GRAINS,
    Beyond,
    During,
    Expression,
    Number,
    Over,
    Quantity,
    Show,
    Within,
    children,
    walk,
    with_children,
)
from knowflow.question.reading.reader import Reading, read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times
from knowflow.question.words import in_words, quantity_name, times_in_words

_ANY = Quantity("ndvi")
_MEAN, _BEYOND = "What is the mean {0}?", "What share of the area has {1} {0}?"
_ASKING = frozenset(
    {"what", "which", "how", "how_many", "how_much", "how_large", "when", "where", "display", "do", "be"}
)
_TIME = ("time", *GRAINS)

Change = tuple[Expression, str]
Apply = Callable[["_Said", Expression], Change | None]


class _UnclearError(Exception):
    """What is said could change more than one thing of the question before."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said, by what it may change."""

    when: tuple[Times, ...] = ()
    where: tuple[Expression, ...] = ()
    shown: Literal["map", "chart", "table", "picture"] | None = None
    quantity: Quantity | None = None
    statistics: Mapping[str, Over] = field(default_factory=dict)
    limit: Beyond | None = None
    narrows: bool = False


def follow_up(said: str, last: Expression, data: DataWords | None = None, unit: str | None = None) -> Reading:
    """How words are read that follow a question: as a change of it, else as a question of their own, else as what is
    said in addition to it ("per year", "in hectares").

    ``unit`` is the one that the answer before was asked for in; it is kept where the answer is of the same kind.

    >>> from knowflow.question.words import in_words
    >>> last = read("What was the mean NDVI in 2016?").expression
    >>> follow_up("and in 2017?", last).change
    'in 2017, in place of in 2016'
    """
    words, narrows = _bare(said)
    for heard in _heard(words, last, data):
        try:
            expression, change = _changed(replace(heard, narrows=narrows), last)
        except _UnclearError as unclear:
            return Reading(said, None, apart=(said,), unfit=str(unclear))
        if expression == last:
            continue
        misfits = check(expression).misfits
        if misfits:
            return Reading(said, None, apart=(said,), unfit=str(misfits[0]))
        before, now = type_of(last), type_of(expression)
        alike = before is not None and now is not None and before.measure == now.measure
        return Reading(said, expression, unit=unit if alike else None, change=change)
    whole = read(said if _is_sentence(words) else words, data)
    if whole.expression is not None and words and not _is_sentence(words):
        return _otherwise_as_before(replace(whole, question=said), last)
    if whole.candidates() or not words:
        return whole
    added = read(f"{in_words(last)} {words}", data)
    return replace(added, question=said, change=f"{words}, in addition") if added.expression is not None else whole


def _is_sentence(words: str) -> bool:
    """Whether the words ask or tell by themselves, rather than name what is meant."""
    said, known = words_of(words, reading_words().nothing), reading_words().phrases
    first = (symbol for length in range(1, len(said) + 1) for symbol, _ in known.get(said[:length], ()))
    return not _ASKING.isdisjoint(first)


def _otherwise_as_before(whole: Reading, last: Expression) -> Reading:
    """Something else that is named after a question: of the time and on the ground of that, where it tells none."""
    assert whole.expression is not None
    e, times = whole.expression, set(_times_of(last))
    if len(times) == 1 and not any(_times_of(e)):
        e = _dated(e, next(iter(times)))
    if not any(isinstance(part, Within) for part in main_parts(e)):
        for where in dict.fromkeys(part.where for part in main_parts(last) if isinstance(part, Within)):
            e = narrowed(e, where)
    if type_of(e) is None or e == whole.expression:
        return whole
    change = f"{in_words(whole.expression)}, otherwise as before"
    return Reading(whole.question, e, unit=whole.unit, change=change)


def _bare(said: str) -> tuple[str, bool]:
    """The words without what stands around a change, and whether they narrow what was asked."""
    words = said.strip().rstrip("?!. ").strip()
    narrows, before = False, None
    while words != before:
        before = words
        for known in going_on():
            words = _without_any(_without_any(words, known.opening, str.startswith), known.closing, str.endswith)
            less = _without_any(_without_any(words, known.narrowing, str.startswith), known.narrowing, str.endswith)
            narrows, words = narrows or less != words, less
    return words, narrows


def _without_any(words: str, phrases: Collection[str], at: Callable[[str, str], bool]) -> str:
    """The words without the longest phrase that stands at one end of them."""
    first = at is str.startswith
    fitting = [one for one in phrases if at(words.lower(), f"{one} " if first else f" {one}")]
    longest = max(map(len, fitting), default=0)
    return (words[longest:] if first else words[: len(words) - longest]).strip(" ,:;")


def _heard(words: str, last: Expression, data: DataWords | None) -> Iterator[_Said]:
    """What the words may say, by the frames that read them whole and nothing beside; the likeliest first."""
    own = next((part for part in main_parts(last) if isinstance(part, Quantity)), _ANY)

    def framed(frame: str, *, of: Quantity = _ANY, said: str = words) -> tuple[Expression | None, _Said]:
        found = read(frame.format(said, quantity_name(of)), data).expression if words else None
        return (None, _Said()) if found is None else _taken_apart(found)

    mean, _ = framed(_MEAN, said=quantity_name(_ANY))
    plain, said = framed("What is the mean NDVI {0}?")
    if mean is not None and plain in ((mean,) if said.shown is None else (mean, *_less(mean))):
        yield said
    plain, said = framed(_BEYOND, of=own)
    usual, _ = framed(_BEYOND, of=own, said="above 0.5")
    limits = [part for _, part in walk(plain) if isinstance(part, Beyond)] if plain is not None else []
    if len(limits) == 1 and usual is not None and isinstance(limits[0].limit, Number):
        there = [part for _, part in walk(usual) if isinstance(part, Beyond)]
        if there and plain == _put(usual, there[0], limits[0]) and limits[0].x == there[0].x:
            yield replace(said, limit=limits[0])
    plain, _ = framed("What is {0} of NDVI over the area?")
    if isinstance(plain, Over) and _chain(plain) == _ANY:
        yield _Said(statistics={part.axes: part for _, part in walk(plain) if isinstance(part, Over)})
    plain, said = framed(_MEAN)
    quantity = None if plain is None else _chain(plain)
    if isinstance(quantity, Quantity) and plain == framed(_MEAN, said=quantity_name(quantity))[0]:
        yield replace(said, quantity=quantity)


def _less(mean: Expression) -> tuple[Expression, ...]:
    """A mean over the area and the dates with either left out, as it is shown."""
    return tuple(_without(mean, axes) for axes in (SPACE, _TIME))


def _put(e: Expression, old: Expression, new: Expression) -> Expression:
    return new if e == old else with_children(e, lambda one: _put(one, old, new))


def _taken_apart(e: Expression) -> tuple[Expression, _Said]:
    """A framed question without times, grounds and the way to show it, and these."""
    shown = e.as_ if isinstance(e, Show) else None
    when = tuple(dict.fromkeys(times for part in main_parts(e) for times in _times_of(part)))
    where = tuple(dict.fromkeys(part.where for part in main_parts(e) if isinstance(part, Within)))

    def plain(one: Expression) -> Expression:
        if isinstance(one, Show | Within) or (isinstance(one, During) and isinstance(one.when, Times)):
            return plain(one.x)
        return with_children(one, plain)

    return plain(e), _Said(when[0] if when else (), where, shown)


def _chain(e: Expression) -> Expression:
    """What statistics are taken of."""
    while isinstance(e, Over):
        e = e.x
    return e


def _in_main(e: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each part that the question is about changed, from the inside."""
    return change(below(e, lambda one: _in_main(one, change)))


def _changed(said: _Said, last: Expression) -> Change:
    """The question before with all that is said changed, and what that is, in words."""
    told: list[str] = []
    for apply in (_other_quantity, _other_statistic, _other_limit, _other_time, _other_ground, _shown):
        made = apply(said, last)
        if made is not None:
            last, change = made
            told.append(change)
    return last, "; ".join(told)


def _other_time(said: _Said, last: Expression) -> Change | None:
    new = said.when
    if not new:
        return None
    words, old = _said_times(new), set(_times_of(last))
    if len(old) > 1:
        several = " or ".join(sorted(map(_said_times, old)))
        raise _UnclearError(f"which time {words!r} stands for: expected one in the question before, found {several}")
    if old and (not said.narrows or all(_apart(one, other) for times in old for one in times for other in new)):
        return _at(last, new), f"{words}, in place of {_said_times(next(iter(old)))}"
    return _dated(last, new), words


def _dated(e: Expression, times: tuple[Times, ...]) -> Expression:
    """The expression with each quantity of it that has dates at these alone."""

    def dated(one: Expression) -> Expression:
        return _during(one, times) if isinstance(one, Quantity) and type_of(_during(one, times)) is not None else one

    return _in_main(e, dated)


def _times_of(e: Expression) -> Iterator[tuple[Times, ...]]:
    """The times of an expression; those that restrict one another (summer, 2018) are one."""
    here: list[Times] = []
    while isinstance(e, During) and isinstance(e.when, Times):
        here.append(e.when)
        e = e.x
    if here:
        yield tuple(here)
    for _, child in children(e):
        yield from _times_of(child)


def _said_times(times: tuple[Times, ...]) -> str:
    return " ".join(times_in_words(one) for one in times)


def _during(e: Expression, times: tuple[Times, ...]) -> Expression:
    for one in reversed(times):
        e = During(e, one)
    return e


def _at(e: Expression, new: tuple[Times, ...]) -> Expression:
    """The expression at another time than it tells."""
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


def _other_ground(said: _Said, last: Expression) -> Change | None:
    for new in said.where:
        last = (None if said.narrows else elsewhere(last, new)) or narrowed(last, new)
    return (last, "; ".join(map(_ground_in_words, said.where))) if said.where else None


def _ground_in_words(where: Expression) -> str:
    sample = in_words(Within(_ANY, where))
    return f"only {sample.removeprefix(in_words(_ANY)).strip()}"


def _shown(said: _Said, last: Expression) -> Change | None:
    if said.shown is None:
        return None
    x = last.x if isinstance(last, Show) else last
    dates = _without(x, _TIME)
    ways = (x, _without(x, SPACE), _without(dates, SPACE)) if said.shown in ("map", "picture") else (dates, x)
    shown = [Show(one, said.shown) for one in ways]
    return next((one for one in shown if type_of(one) is not None), shown[0]), f"as a {said.shown}"


def _without(e: Expression, axes: Collection[str]) -> Expression:
    """The expression with the outermost statistics over some axes left out."""
    if isinstance(e, Over) and e.axes in axes:
        return e.x
    return below(e, lambda one: _without(one, axes))


def _other_quantity(said: _Said, last: Expression) -> Change | None:
    new = said.quantity
    if new is None:
        return None
    old = {part for part in main_parts(last) if isinstance(part, Quantity)}
    if len(old) != 1:
        several = " or ".join(sorted(map(quantity_name, old)))
        raise _UnclearError(f"what {quantity_name(new)!r} stands for: expected one quantity before, found {several}")
    (before,) = old
    return _put(last, before, new), f"{quantity_name(new)}, in place of {quantity_name(before)}"


def _other_statistic(said: _Said, last: Expression) -> Change | None:
    new = said.statistics
    if not new:
        return None

    def other(e: Expression) -> Expression:
        taken = new.get(e.axes) if isinstance(e, Over) else None
        if taken is None or not isinstance(e, Over):
            return e
        of = type_of(e.x)  # how many, how large: that is of what is so, and stays
        return replace(e, statistic=taken.statistic, p=taken.p) if of is not None and of.of == "number" else e

    outer = next(iter(new.values()))
    return _in_main(last, other), f"the {outer.statistic}"


def _other_limit(said: _Said, last: Expression) -> Change | None:
    new = said.limit
    if new is None:
        return None
    old = [part for part in main_parts(last) if isinstance(part, Beyond)]
    if len(old) != 1:
        return None
    (before,) = old

    def other(e: Expression) -> Expression:
        return replace(e, side=new.side, limit=new.limit, upper=new.upper) if isinstance(e, Beyond) else e

    return _in_main(last, other), f"{_side(new)}, in place of {_side(before)}"


def _side(e: Beyond) -> str:
    return in_words(Beyond(e.x, e.side, e.limit, e.upper)).partition(" is ")[2] or e.side
