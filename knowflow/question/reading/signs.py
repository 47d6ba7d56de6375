"""What a question says of the sign of its answer: ``(negative where it melted)``, ``(positive = a drop)``.

Such a note, in brackets, has a word for a sign and one for a way, and explains them by words that say nothing else. A
difference is told so: where it is the other way round, it is turned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from knowflow.question.operators import Calculate, Expression, with_children
from knowflow.question.reading.changes import in_order_said
from knowflow.question.reading.chart import Entity

_SIGNS = {"positive": 1, "plus": 1, "negative": -1, "minus": -1}
_OPERATORS = ("plus", "minus")
_SAYS = ("=", "is", "means", "for", "where", "if", "when", "sign")
"""Words by which an operator is a sign: ``minus = lost``."""
_WAYS: Mapping[object, int] = {
    **dict.fromkeys(("up", "gained", "rising", "rose", "above", "at_least"), 1),
    **dict.fromkeys(("down", "lost", "falling", "fell", "below", "at_most"), -1),
}
_OF_WAYS = ("MOVED", "RISE", "GONE", "TURNED", "GOING", "MOVING", "MORE", "SIDE")


def signs_told(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """Brackets that say which way a positive number goes: 1 up, -1 down."""
    for start, word in enumerate(words):
        if word != "(" or ")" not in words[start:]:
            continue
        end = words.index(")", start) + 1
        inside = [one for one in found if start < one.start and one.end < end]
        signs = {
            _SIGNS[said]
            for said, after in pairwise(words[start:end])
            if said in _SIGNS and (said not in _OPERATORS or after in _SAYS)
        }
        told = (one.value[1] if isinstance(one.value, tuple) else one.value for one in inside if one.symbol in _OF_WAYS)
        ways = {_WAYS[way] for way in told if way in _WAYS}
        if len(signs) == 1 == len(ways) and not any(one.symbol in ("TIME", "NUM", "UNIT") for one in inside):
            yield Entity("SIGNED", start, end, signs.pop() * ways.pop())


def signed_so(x: Expression, way: int) -> Expression | None:
    """A difference of two times, of which a positive number goes a way."""
    if in_order_said(x, way > 0):
        return x
    return _turned(x) if in_order_said(x, way < 0) else None


def _turned(x: Expression) -> Expression:
    if isinstance(x, Calculate) and x.how == "difference" and x.b is not None:
        return replace(x, a=x.b, b=x.a)
    return with_children(x, _turned)
