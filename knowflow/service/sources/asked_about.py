"""The period that a question is about, before any data are known: what a catalogue is searched for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import During, Expression, Quantity, children
from knowflow.question.times import Times

Span = tuple[date | None, date | None]
_LASTING = ("terrain", "class")


def period_of_question(asked: str | Expression) -> tuple[str | None, str | None]:
    """The first and the last day that anything of a question is of, in ISO 8601; None where it is open, or nobody can
    tell without the data."""
    if isinstance(asked, str):
        from knowflow.question.reading.reader import read

        meant = read(asked).candidates()
    else:
        meant = (asked,)
    spans = [span for one in meant for span in _spans(one, (None, None))]
    firsts, lasts = [first for first, _ in spans], [last for _, last in spans]
    first = None if not firsts or None in firsts else min(filter(None, firsts))
    last = None if not lasts or None in lasts else max(filter(None, lasts))
    return None if first is None else first.isoformat(), None if last is None else last.isoformat()


def _spans(expression: Expression, around: Span) -> Iterator[Span]:
    """The span that each quantity in an expression is of; what lasts, as terrain and classes, is of any."""
    if isinstance(expression, Quantity):
        kind = quantity_kinds().get(expression.kind)
        if kind is None or kind.family not in _LASTING:
            yield around
        return
    if isinstance(expression, During) and isinstance(expression.when, Times):
        yield from _spans(expression.x, _narrowed(around, expression.when))
        return
    for _, child in children(expression):
        yield from _spans(child, around)


def _narrowed(around: Span, when: Times) -> Span:
    first, last = when.first, when.last
    if when.season and when.year:  # the seasons of both hemispheres: a winter begins in the year before
        first, last = date(when.year - 1, 12, 1), date(when.year, 12, 31)
    known = [one for one in (around[0], first) if one is not None]
    ends = [one for one in (around[1], last) if one is not None]
    return (max(known) if known else None), (min(ends) if ends else None)
