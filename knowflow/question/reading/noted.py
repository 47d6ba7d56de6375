"""Words for ground as the notes of the data say what they mean, whatever they mean elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression, Not, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_GROUNDS = ("GROUND", "BODY")
_WATER, _FLOOD = Quantity("water_mask"), Quantity("flood_mask")
_NEW = "newly"


def as_noted(words: Sequence[str], found: Iterable[Entity], data: DataWords) -> Iterator[Entity]:
    """What words may stand for, those that mean the same as a word that notes explain as these say, and nothing else:
    ``under water`` where open water is VV below -15 dB, and what is flooded where nothing else is said of floods."""
    meant = _meant(data)
    every = list(found) if meant else found
    told = {(one.start, one.end): x for one in every if (x := _said(one, meant)) is not None} if meant else {}
    for one in every:
        lost = next((x for word, x in data.meant if word in " ".join(words[one.start : one.end])), None)
        if one.value == _FLOOD and words[one.start] == _NEW and _FLOOD in meant:
            continue  # which was not before: told by the two times
        if one.symbol == "LOSS" and lost is not None:
            yield replace(one, symbol="LOSS_OF", value=lost)  # deforestation, of what is called forest
        elif one.symbol in _GROUNDS and (one.start, one.end) in told:
            yield replace(one, value=told[one.start, one.end])
        else:
            yield one


def _meant(data: DataWords) -> Mapping[Expression, Expression]:
    """What stands for things on the ground of which a word is explained."""
    meant: dict[Any, Expression] = {}
    for word, x in data.meant:
        for symbol, value in reading_words().phrases.get(words_of(word), ()):
            if symbol in _GROUNDS:
                meant[expression_of(value)[0]] = x
    if _WATER in meant and _FLOOD not in meant and "flood_mask" not in data.quantities:
        meant[_FLOOD] = meant[_WATER]
    return meant


def _said(one: Entity, meant: Mapping[Expression, Expression]) -> Expression | None:
    if one.symbol not in _GROUNDS:
        return None
    if isinstance(one.value, Not) and one.value.x in meant:
        return Not(meant[one.value.x])
    return meant.get(one.value)
