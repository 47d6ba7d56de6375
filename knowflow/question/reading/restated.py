"""Brackets, and the end of a sentence behind a comma, that say again what the rest of it says: ``by how much did it
warm from January to March (March minus January)``, ``how warm was the sea in January 2020 (monthly mean)``.

The rest is read alone, and every word of the bracket has to stand behind something that was read: a bracket that tells
anything else, or anything less wide, says what is meant, and is never left out. Where the rest may mean several things,
it is the one that the bracket says again. A unit in it is the one that the answer is told in: ``(mm, mean)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Calculate,
    During,
    Expression,
    Extreme,
    Not,
    Over,
    Quantity,
    Split,
    walk,
    with_part,
)
from knowflow.question.reading.behind import stands_for
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.included import with_included
from knowflow.question.reading.order import typed
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.sentence import Sentence, sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times

_ASIDE = re.compile(r"\s*\(([^()]+)\)|,\s+([^,()]+?)(?=\s*[?.!]*\s*$)")
_JOINING = frozenset(
    ("of", "in", "on", "as", "at", "over", "per", "values", "those", "between", "from", "minus", "what", "which", "all")
)
"""Symbols of words that name nothing by themselves."""
_LONGEST = timedelta(days=366)
_PARTS = re.compile(r"\s*[,;]\s+")


def without_restated(question: str, data: DataWords, read: Callable[[str], Reading]) -> Reading | None:
    """A question as what is left of it is read without what says the same again; None where nothing does."""
    for place in _ASIDE.finditer(question):
        parts = [sentence_of(part, data) for part in _PARTS.split(place[1] or place[2])]
        if not all(part.words for part in parts):
            continue
        again = read(f"{question[: place.start()]}{question[place.end() :]}")
        told = (_all_restated(parts, held, again.unit, data) for held in again.candidates())
        meant = {one for one in told if one is not None}
        if len(meant) == 1:
            (one,) = meant
            taken = again.taken(one) if one in again.candidates() else replace(again, expression=one, alike=())
            units = [unit for part in parts if (unit := _unit_of(part, one)) is not None]
            return replace(taken, question=question, unit=again.unit or next(iter(units), None))
    return None


def _all_restated(parts: Sequence[Sentence], held: Expression, unit: str | None, data: DataWords) -> Expression | None:
    """The expression that all parts of a bracket say again, one after the other."""
    found: Expression | None = held
    for said in parts:
        if found is not None and (unit is not None or _unit_of(said, found) is None):
            found = with_included(said, found, data) or _restated(said, found, unit)
    return found


def _unit_of(said: Sentence, held: Expression) -> str | None:
    """The unit that all of some words are, where what is held can be told in it; not of temperatures, whose
    differences have the same name."""
    own = typed(held)
    for one in said.entities:
        if one.symbol == "UNIT" and (one.start, one.end) == (0, len(said.words)) and own is not None:
            fits = own.of == "number" and compatible(own.measure.unit, one.value) and not compatible(one.value, "K")
            return str(one.value) if fits else None
    return None


def _restated(said: Sentence, held: Expression, unit: str | None) -> Expression | None:
    """The expression that words say again: the one that is held, or with its difference taken the other way round."""
    ordered = _in_order(said, held)
    if ordered is not None:
        return ordered
    again = [one for one in said.entities if _says(one, held, unit)]
    reached = {0}
    for start in range(len(said.words)):
        if start in reached:
            reached |= {one.end for one in again if one.start == start}
    named = any(one.symbol not in _JOINING for one in again)
    return held if named and len(said.words) in reached else None


def _says(one: Entity, held: Expression, unit: str | None) -> bool:
    """Whether words say something that is held."""
    parts = [part for _, part in walk(held)]
    if isinstance(one.value, Times):  # of one of two it says which
        whens = [part.when for part in parts if isinstance(part, During)]
        return bool(whens) and all(_lies_in(when, one.value) for when in whens)
    if one.symbol == "QUANTITY" and isinstance(one.value, Quantity):
        own = [part for part in parts if isinstance(part, Quantity) and part.kind == one.value.kind]
        return bool(own) and all({*one.value.having} <= {*part.having} for part in own)
    if one.symbol == "UNIT":
        return bool(one.value == unit) or (unit is None and _is_temperature(held) and compatible(one.value, "K"))
    if one.symbol in ("GRAIN", "EVERY"):
        return any(_is_of(part, one.value) for part in parts)
    if one.symbol in ("SCOPE", "spatial") and one.value in (None, "area"):
        return any(isinstance(part, Over) and part.statistic == "area" for part in parts)
    if one.symbol in ("left_out", "leave_out"):
        return any(isinstance(part, Not) for part in parts)
    if one.symbol in _JOINING:
        return one.symbol != "minus"
    return any(stands_for(one, part) for part in parts)


def _is_temperature(held: Expression) -> bool:
    own = typed(held)
    return own is not None and own.of == "number" and compatible(own.measure.unit, "K")


def _is_of(part: Expression, grain: str) -> bool:
    """Whether it is split into such periods, or of one."""
    if isinstance(part, Split):
        return part.key == grain
    if isinstance(part, Extreme):
        own = typed(part.x)
        return own is not None and own.keys[-1:] == (grain,)
    if not (isinstance(part, During) and isinstance(part.when, Times)):
        return False
    first, last = part.when.first, part.when.last
    if first is None or last is None or first.day != 1 or (last + timedelta(days=1)).day != 1:
        return False
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    return months == {"month": 1, "year": 12}.get(grain, 0)


def _lies_in(when: object, said: Times) -> bool:
    """Whether a time lies in the one that is said, so that this says nothing more."""
    if not isinstance(when, Times) or when == said:
        return when == said
    if when.first is None or when.last is None or when.last - when.first > _LONGEST:
        return False
    return said.holds(when.first) and said.holds(when.last)


def _in_order(said: Sentence, held: Expression) -> Expression | None:
    """What is held where words say which of its two is taken from the other: ``2021 minus 2019``."""
    for cut in (one for one in said.entities if one.symbol == "minus"):
        first, second = (_times(said, 0, cut.start), _times(said, cut.end, len(said.words)))
        found = [part for _, part in walk(held) if isinstance(part, Calculate) and part.how == "difference"]
        if len(found) != 1 or found[0].b is None or not first or not second:
            continue
        a, b = found[0].a, found[0].b
        if _is_at(a, first) and _is_at(b, second) and not (_is_at(a, second) and _is_at(b, first)):
            return held
        if _is_at(a, second) and _is_at(b, first):
            return with_part(held, found[0], replace(found[0], a=b, b=a))
    return None


def _times(said: Sentence, start: int, end: int) -> Sequence[Times]:
    """The times that all of a run of words may name."""
    return [one.value for one in said.entities if (one.start, one.end) == (start, end) and _is_time(one)]


def _is_time(one: Entity) -> bool:
    return isinstance(one.value, Times)


def _is_at(x: Expression, whens: Sequence[Times]) -> bool:
    """Whether all times that it tells lie in one of these."""
    own = [part.when for _, part in walk(x) if isinstance(part, During)]
    return bool(own) and any(all(_lies_in(when, said) for when in own) for said in whens)
