"""Words for ground as the notes of the data say what they mean, whatever they mean elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.question.form import expression_of
from knowflow.question.operators import And, Beyond, During, Expression, IsClass, Not, Quantity, walk, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_GROUNDS = ("GROUND", "BODY")
_WATER, _FLOOD = Quantity("water_mask"), Quantity("flood_mask")
_NEW = "newly"
_LASTING = ("permanent", "perennial", "usual", "normal")
"""Words for water that is no flood, as a map of it is called."""
_TOLD = ("definition", "notes")
"""Words for what the notes of a folder say."""


@dataclass(frozen=True, slots=True)
class Told:
    """What notes say that words mean; ``classes``: and the names of classes."""

    meant: tuple[Expression, ...]
    classes: bool = False

    def is_of(self, x: Expression) -> bool:
        """Whether an expression speaks of something that they tell."""
        limits = {(one.side, one.limit) for one in self.meant if isinstance(one, Beyond)}
        parts = [part for _, part in walk(x)]
        by_limit = any(isinstance(part, Beyond) and (part.side, part.limit) in limits for part in parts)
        return by_limit or (self.classes and any(isinstance(part, IsClass) for part in parts))


def as_noted(words: Sequence[str], found: Iterable[Entity], data: DataWords) -> Iterator[Entity]:
    """What words may stand for, those that mean the same as a word that notes explain as these say, and nothing else:
    ``under water`` where open water is VV below -15 dB, and what is flooded where nothing else is said of floods: water
    but where a map has that which is permanent."""
    meant, less = _meant(data), {value for word in data.less for value in _grounds(word)}
    every = list(found) if meant else found
    told = {(one.start, one.end): x for one in every if (x := _said(one, meant)) is not None} if meant else {}
    for one in every:
        if one.symbol in _TOLD:
            graded = (each.between(label, label) for each in data.grades for label in each.labels)
            means = (*(x for _, x in data.meant), *graded)
            if means or (one.symbol == "notes" and data.classes):
                yield replace(one, symbol="AS_TOLD", value=Told(means, one.symbol == "notes"))
            continue
        lost = next((x for word, x in data.meant if word in " ".join(words[one.start : one.end])), None)
        if one.symbol in _GROUNDS and (one.value.x if isinstance(one.value, Not) else one.value) in less:
            continue  # what is meant by it here nobody reads
        if one.value == _FLOOD and words[one.start] == _NEW and not isinstance(meant.get(_FLOOD, And(())), And):
            continue  # which was not before: told by the two times, but where the notes tell what was water before
        if one.symbol == "LOSS" and lost is not None:
            yield replace(one, symbol="LOSS_OF", value=lost)  # deforestation, of what is called forest
        elif one.symbol in _GROUNDS and (one.start, one.end) in told:
            yield replace(one, value=told[one.start, one.end])
        else:
            yield one


def _meant(data: DataWords) -> Mapping[Expression, Expression]:
    """What stands for things on the ground of which a word is explained."""
    meant: dict[Any, Expression] = {value: x for word, x in data.meant for value in _grounds(word)}
    for value, x in _graded(data):
        meant.setdefault(value, x)
    for value, x in [(one.x, x) for one, x in meant.items() if isinstance(one, Not)]:  # burned is what is not unburned
        meant.setdefault(value, Not(x))
    if _WATER in meant and _FLOOD not in meant and "flood_mask" not in data.quantities:
        lasting = [x for word, x in data.meant if word.startswith(_LASTING) and is_of_water(x, meant[_WATER])]
        less = tuple(map(Not, dict.fromkeys(lasting)))
        meant[_FLOOD] = And((meant[_WATER], *less)) if less else meant[_WATER]
    return meant


def water_meant(data: DataWords) -> Expression:
    """What is water here: by the notes, else a map of it."""
    return _meant(data).get(_WATER, _WATER)


def is_of_water(x: Expression, water: Expression) -> bool:
    """Whether it is a map of water, or what is water by the notes, at whatever time."""
    return any(part in (water, _WATER) or getattr(part, "kind", "") == _WATER.kind for _, part in walk(untimed(x)))


def untimed(x: Expression) -> Expression:
    """An expression without the times that it tells."""
    return untimed(x.x) if isinstance(x, During) else with_children(x, untimed)


def _graded(data: DataWords) -> Iterator[tuple[Expression, Expression]]:
    """Grounds of which a word says how much, that the notes give a limit of the same quantity: ``severely burned``
    where severe is a dNBR of at least 0.44, with what it means by them."""
    graded = {tuple(map(_adjective, words_of(word))): x for word, x in data.meant if not any(_grounds(word))}
    limits = {words: x for words, x in graded.items() if isinstance(x, Beyond)}
    for words, values in reading_words().phrases.items() if limits else ():
        spoken = tuple(map(_adjective, words))
        for value in (expression_of(one)[0] for symbol, one in values if symbol in _GROUNDS):
            for said, x in limits.items():
                if isinstance(value, Beyond) and value.x == x.x and set(said) < set(spoken):
                    yield value, x


def _adjective(word: str) -> str:
    """``severe`` of ``severely``."""
    return word.removesuffix("ly")


def _grounds(word: str) -> Iterator[Expression]:
    """What a word for ground stands for where no note explains it."""
    phrases = reading_words().phrases.get(words_of(word), ())
    stands_for = (expression_of(value)[0] for symbol, value in phrases if symbol in _GROUNDS)
    yield from (x for x in stands_for if x is not None)


def _said(one: Entity, meant: Mapping[Expression, Expression]) -> Expression | None:
    if one.symbol not in _GROUNDS:
        return None
    if isinstance(one.value, Not) and one.value.x in meant:
        return Not(meant[one.value.x])
    return meant.get(one.value)
