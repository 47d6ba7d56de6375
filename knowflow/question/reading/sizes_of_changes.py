"""Changes that are ranked by how large they are, whichever way they went: ``which district had the largest change``,
``the smallest difference``. Of a rise, a drop or a difference taken one way round the sign counts."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import Calculate, Expression, Extreme, Over, walk
from knowflow.question.reading.chart import Made
from knowflow.question.reading.order import typed
from knowflow.question.reading.sentence import Sentence

_NEUTRAL = frozenset({"CHANGED", "ITS_CHANGE"})
_OF_SIGN = frozenset({"minus", "SIGNED", "RISE", "ITS_RISE", "MOVED", "LOSS", "GONE", "rise_of", "fall_of"})
_SIGNED = frozenset({"negative", "positive"})
_ON_A_SCALE = frozenset({"highest", "lowest", "top", "change", "changes"})
"""The highest change is that of the largest number; the highest difference, and the largest change, have no sign."""


def of_their_size(made: Made, sentence: Sentence) -> Made:
    """What has the largest change, or the smallest, by how far it lies from none."""
    x, symbols = made.value.expression, {one.symbol for one in made.entities}
    neutral = bool(symbols & _NEUTRAL) and not symbols & _OF_SIGN
    if not neutral or not isinstance(x, Extreme) or not _is_change(x.x) or _is_signed(made, sentence):
        return made
    found = replace(x, x=Calculate("absolute", x.x))
    return made if typed(found) is None else replace(made, value=replace(made.value, expression=found))


def _is_signed(made: Made, sentence: Sentence) -> bool:
    said = (one for one in made.entities if one.symbol in ("STAT", *_NEUTRAL))
    words = {word for one in said for word in sentence.said(one.start, one.end).lower().split()}
    return bool(words & _SIGNED) or len(words & _ON_A_SCALE) > 1


def _is_change(x: Expression) -> bool:
    """Whether one number for each of something is the difference, or the change in percent, of two."""
    of = x
    while isinstance(of, Over):
        of = of.x
    changes = [part.how for _, part in walk(of) if isinstance(part, Calculate)]
    own = typed(x)
    ranked = own is not None and bool(own.keys) and own.grain is None
    return ranked and changes in (["difference"], ["percent_change"])
