"""Brackets, and the end of a sentence, that say that permanent water counts as well: ``how much was under water on 18
June (permanent water included)``, ``..., all water``."""

from __future__ import annotations

from knowflow.question.operators import And, Expression, Not, Within, walk, with_children
from knowflow.question.reading.noted import is_of_water, untimed, water_meant
from knowflow.question.reading.sentence import Sentence
from knowflow.question.reading.vocabulary import DataWords

_COUNTED = frozenset(("included", "including", "incl", "inclusive", "counted", "counts", "too", "well", "as", "and"))
_ALL = frozenset(("all", "any", "total"))
_GROUNDS = ("GROUND", "BODY", "PLACE")


def with_included(said: Sentence, held: Expression, data: DataWords) -> Expression | None:
    """What is held, of all water where it left that out which is permanent; None where words do not say so, or it is of
    no water."""
    words = [one.text.lower() for one in said.words]
    water = water_meant(data)
    for one in said.entities:
        rest = words[: one.start] + words[one.end :]
        if one.symbol not in _GROUNDS or not isinstance(one.value, Expression) or not rest:
            continue
        lasting = one.value != water and is_of_water(one.value, water) and {*rest} <= _COUNTED
        if lasting or (one.value == water and {*rest} <= _ALL):
            whole = _of_all(held, water)
            return whole if any(part == water for _, part in walk(untimed(whole))) else None
    return None


def _of_all(x: Expression, water: Expression) -> Expression:
    """Without that a part of the water is left out."""
    if isinstance(x, And):
        kept = tuple(_of_all(one, water) for one in x.parts if not _leaves_out(one, water))
        return kept[0] if len(kept) == 1 else And(kept)
    if isinstance(x, Within) and _leaves_out(x.where, water):
        return _of_all(x.x, water)
    return with_children(x, lambda part: _of_all(part, water))


def _leaves_out(x: Expression, water: Expression) -> bool:
    return isinstance(x, Not) and is_of_water(x.x, water)
