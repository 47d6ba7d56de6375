"""Which of the images of one day count, and what is calculated of each of them rather than of their mean."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.question.operators import (
    Calculate,
    During,
    Expression,
    Number,
    Over,
    Position,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.times import Times

_EXTREMES = ("maximum", "minimum")
_LINEAR = ("difference", "sum")


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


def is_of_each_image(e: Expression) -> bool:
    """Whether it is calculated of quantities alone, so that the mean of several images is not what the mean of each
    makes: the speed of a wind that turns is more than that of its mean components."""
    parts = [part for _, part in walk(e)]
    bent = any(isinstance(part, Calculate) and part.how not in _LINEAR for part in parts)
    told = all(isinstance(part.when, Times) for part in parts if isinstance(part, During))
    alone = told and all(isinstance(part, Calculate | During | Quantity | Number) for part in parts)
    return isinstance(e, Calculate) and bent and alone and any(isinstance(part, Quantity) for part in parts)
