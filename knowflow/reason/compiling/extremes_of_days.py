"""Which of the images of one day count where the largest or the smallest number of them all is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.question.operators import During, Expression, Over, Position, Split, Within

_EXTREMES = ("maximum", "minimum")


def extreme_of(places: Mapping[Position, Expression], at: Position) -> str | None:
    """The statistic of a quantity read there that comes first, where it is its largest or its smallest number, of all
    pixels or of all times; None of any other: a mean, or a side of a limit, is of whole days. ``places``: every part of
    what is asked, by its position."""
    for end in range(len(at) - 1, -1, -1):
        one = places.get(at[:end])
        if one is None or (isinstance(one, Within | During | Split) and at[end + 1] == "x"):
            continue
        return one.statistic if isinstance(one, Over) and one.statistic in _EXTREMES else None
    return None
