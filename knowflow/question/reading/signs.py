"""What a question says of the sign of its answer: ``(negative where it melted)``, ``(positive = a drop)``.

Such a note, in brackets or at the end, has a word for a sign and one for a way, and explains them by words that say
nothing else. A difference is told so: where it is the other way round, it is turned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import pairwise

from knowflow.knowledge.reading_words import reading_words
from knowflow.question.operators import Calculate, Expression, walk, with_children
from knowflow.question.reading.changes import is_change
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.order import of_all_times
from knowflow.question.times import Times, of_year

_SIGNS = {"positive": 1, "plus": 1, "negative": -1, "minus": -1}
_OPERATORS = ("plus", "minus")
_SAYS = ("=", "is", "means", "for", "where", "if", "when", "sign")
"""Words by which an operator is a sign: ``minus = lost``."""
_WAYS: Mapping[object, int] = {
    **dict.fromkeys(("up", "gained", "rising", "rose", "above", "at_least"), 1),
    **dict.fromkeys(("down", "lost", "falling", "fell", "below", "at_most"), -1),
}
_OF_WAYS = ("MOVED", "RISE", "GONE", "TURNED", "GOING", "MOVING", "MORE", "SIDE")
_AROUND = frozenset(
    ("as", "should", "shall", "be", "being", "numbers", "number", "value", "values", "told", "counted", "with", *_SAYS)
)
"""Words that a note of a sign has beside these, where no brackets tell that it is one: ``loss as negative numbers``."""
_SHORT = 6  # words of such a note


def signs_told(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """Brackets, or last words, that say which way a positive number goes: 1 up, -1 down."""
    for start, word in enumerate(words):
        if word == "(" and ")" in words[start:]:
            yield from _noted(words, found, start, words.index(")", start) + 1)
        elif len(words) - start <= _SHORT and all(
            one in _SIGNS or one in _AROUND or _ways_of(one) for one in words[start:]
        ):
            yield from _noted(words, found, start, len(words))


def without_named_downwards(found: Sequence[Entity]) -> list[Entity]:
    """What words name without velocities upwards that are named by sinking: of the largest subsidence rate the number
    is the lowest."""
    sinking = {(one.start, one.value): one.end for one in found if one.symbol == "SINKS"}
    named = ("QUANTITY", "SOURCE")
    return [
        one for one in found if not (one.symbol in named and sinking.get((one.start, one.value), one.end) < one.end)
    ]


def _noted(words: Sequence[str], found: Sequence[Entity], start: int, end: int) -> Iterator[Entity]:
    signs = {
        _SIGNS[said]
        for said, after in pairwise((*words[start:end], ""))
        if said in _SIGNS and (said not in _OPERATORS or after in _SAYS)
    }
    ways = {way for word in words[start:end] for way in _ways_of(word)}
    bound = any(one.symbol in ("TIME", "NUM", "UNIT") for one in found if start <= one.start and one.end <= end)
    if len(signs) == 1 == len(ways) and not bound:
        yield Entity("SIGNED", start, end, signs.pop() * ways.pop())


@cache
def _ways_of(word: str) -> Set[int]:
    """The ways that a word says, of whatever goes so: ``thinning``, ``loss``."""
    said = reading_words().phrases.get((word,), ())
    told = (value[1] if isinstance(value, tuple) else value for symbol, value in said if symbol in _OF_WAYS)
    return {_WAYS[way] for way in told if isinstance(way, str) and way in _WAYS}


def in_order_said(x: Expression, later: bool) -> bool:
    """``(later minus earlier)``, or the other way round: whether it is so; burn severity is before minus after."""
    if is_change(x):
        return not later
    for _, part in walk(x):
        if isinstance(part, Calculate) and part.how == "difference" and part.b is not None:
            days = [[when.first for when in of_all_times(one)[1] if when.first] for one in (part.a, part.b)]
            return bool(days[0] and days[1]) and (min(days[1]) < min(days[0])) is later
    return False


def subtracted(x: Expression, a: Times, b: Times) -> Expression | None:
    """``the difference between two times (October minus February)``: where it says what is subtracted from what."""
    differences = [part for _, part in walk(x) if isinstance(part, Calculate) and part.how == "difference"]
    if len(differences) != 1 or differences[0].b is None:
        return None
    one = differences[0]
    first, last = (of_all_times(part)[1] for part in (one.a, one.b) if part is not None)
    so, otherwise = (_named_by(a, first) and _named_by(b, last)), (_named_by(b, first) and _named_by(a, last))
    return None if so == otherwise else x if so else turned_round(x)


def turned_round(x: Expression) -> Expression:
    """Differences with what is subtracted and what it is subtracted from in each other's place."""
    if isinstance(x, Calculate) and x.how == "difference" and x.b is not None:
        return replace(x, a=x.b, b=x.a)
    return with_children(x, turned_round)


def _named_by(said: Times, times: tuple[Times, ...]) -> bool:
    """Whether a time, or a month without its year, is the only one of those."""
    return len(times) == 1 and (
        said == times[0] or of_year(said, times[0]) == times[0] or _month_of(times[0]) == said.month > 0
    )


def _month_of(when: Times) -> int:
    first, last = when.first, when.last
    return first.month if first and last and (first.year, first.month) == (last.year, last.month) else 0


def signed_so(x: Expression, way: int) -> Expression | None:
    """A difference of two times, of which a positive number goes a way; one in percent goes up."""
    if in_order_said(x, way > 0):
        return x
    if way > 0 and any(isinstance(part, Calculate) and part.how == "percent_change" for _, part in walk(x)):
        return x
    return turned_round(x) if in_order_said(x, way < 0) else None
