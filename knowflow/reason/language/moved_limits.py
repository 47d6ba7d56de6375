"""Limits on how far a quantity moved between two times: "fell by more than 0.3", "0.2 higher in May than in April".

Each is a limit on the later value less the earlier one: what fell lies below zero, what rose above it. Without a number
("what share of the area lost NDVI between ...") the limit is zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kind
from knowflow.ground.units import change_unit, convert
from knowflow.model.goal import Ambiguity, Threshold
from knowflow.reason.language.beyond_another_time import beyond_another_time
from knowflow.reason.language.limits import Limit, direction_of
from knowflow.reason.language.movements import (
    MovedBy,
    Movement,
    Way,
    comparative_words,
    compared,
    moved_by,
    movement_words,
    movements,
)
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Subject, fits

_SIZES = frozenset({"share", "area"})
_BESIDE_SIZES = _SIZES | {"change", "difference", "mask"}
# "rises above 800 m", "grew over 0.5" tell a value that is reached; "a rise above 2 K" how far it is from the other
_REACHES = re.compile(r"\w+\s+(?:above|over|beyond|exceed\w*)\b", re.IGNORECASE)
_NOUN = re.compile(r"\b(?:an?|the|any|some|whose|with|[A-Z]{3,6})\s+(?:[\w-]+\s+)?$")
_OF = re.compile(r"\sof\s", re.IGNORECASE)
_NOT_FROM_A_TIME = re.compile(
    r"\s+than\s+(?:(?:the|its|their|on|in)\s+)*(?:[\w-]+\s+)?(?:mean|average|median|normal|usual|norm)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Told:
    """A limit on how far something moved, with its place; ``way`` is empty for a limit that no step looks for."""

    way: Way
    value: float
    unit: str | None
    first: int
    past: int
    words: str
    why: str = ""


def told_move(text: str, limits: Iterable[Limit]) -> Told | None:
    """The first limit of a text on how far something moved."""
    limits = tuple(limits)
    found = [*_beyond(text, limits), *_by_so_much(text, limits), *_so_much_more(text, limits), *_by_less(text, limits)]
    return min(found, key=lambda one: one.first, default=None)


def read_move(reading: Reading, main: Subject | None) -> tuple[int, int] | None:
    """Fill ``moved`` from a limit, whose place is returned; what no step looks for is asked back."""
    told = told_move(reading.text, reading.limits)
    quantity = "" if main is None else main.quantity  # the data may tell it
    if told is None or (told.unit != "%" and not fits(quantity, told.unit)):
        return None  # "grows more than 800 m above the sea"
    words, unit = told.words.strip(), quantity_kind(quantity).unit if quantity else "1"
    reading.understood.append((told.first, told.past))
    if told.unit == "degree" and unit == "K":
        reading.ambiguities.append(Ambiguity("moved", words, ("degC", "degF")))
    elif told.unit == "%":
        why = "is told in percent, which no step compares pixel by pixel"
        hint = f"the limit as a number {'without a unit' if unit in ('1', '%') else f'in {unit}'}"
        reading.ambiguities.append(Ambiguity("moved", words, (), why=why, hint=hint))
    elif told.why:
        hint = "'fell by more than' or 'rose by more than' a number, one at a time"
        reading.ambiguities.append(Ambiguity("moved", words, (), why=told.why, hint=hint))
    else:
        reading.put("moved", of_change(_limit(_way(told, quantity), told.value, told.unit)), words)
    return told.first, told.past


def read_move_at_all(reading: Reading, main: Subject | None) -> None:
    """ "What share of the area lost NDVI between two dates": where it fell at all."""
    asked = {one.operation for one in reading.asked}
    if main is None or reading.limits or {"moved", "threshold", "class"} & reading.slots.keys():
        return
    if not asked & _SIZES or asked - _BESIDE_SIZES or moved_by(reading.text) or not _of_two_times(reading):
        return
    moves = (one for one in (*movements(reading.text), compared(reading.text)) if one and one.way != "either")
    if (moved := next(moves, None)) is not None:
        reading.put("moved", _limit(_way(moved, main.quantity), 0.0, None), moved.words)
        reading.understood.append((moved.first, moved.past))


def of_change(limit: Threshold) -> Threshold:
    """A limit on how far something moved in the unit of a difference: 3 degrees Celsius more are 3 kelvin more."""
    if limit.unit is None or change_unit(limit.unit) == limit.unit:
        return limit
    return replace(limit, value=float(convert(limit.value, limit.unit, "K", difference=True)), unit="K")


def _way(moved: Told | Movement, quantity: str) -> Way:
    """Up or down for the quantity that a comparative names itself: a higher TVDI is drier."""
    word = moved.words.split()[-1].lower()
    side = direction_of(f"{word} than") if word in comparative_words() else None
    if side is None or side.quantity != quantity:
        return moved.way
    return "up" if side.value == "above" else "down"


def _limit(way: Way, value: float, unit: str | None) -> Threshold:
    return Threshold(0.0 - abs(value), unit, "below") if way == "down" else Threshold(abs(value), unit, "above")


def _of_two_times(reading: Reading) -> bool:
    spans = reading.times.spans
    return any(span.ends for span in spans) or len({span.period for span in spans} - {None}) > 1


def _by_so_much(text: str, limits: tuple[Limit, ...]) -> Iterable[Told]:
    """ "Rose by more than 0.2", "a loss of NDVI over 0.25", "fell by 2 K or more"."""
    for one in moved_by(text):
        limit = next((each for each in limits if each.first < one.past and one.first < each.past), None)
        least = limit is not None and limit.threshold.side == "above" and limit.threshold.value == one.value
        if not (one.limit or least) or (one.way == "up" and _is_reached(text, one)):
            continue
        past = one.past if limit is None else max(one.past, limit.past)
        unit = "%" if one.percent else None if limit is None else limit.threshold.unit
        why = "tells of no fall and of no rise alone" if one.way == "either" else ""
        yield Told(one.way, one.value, unit, one.first, past, text[one.first : past], why)


def _beyond(text: str, limits: tuple[Limit, ...]) -> Iterable[Told]:
    """ "The mean of 2022 surpasses that of 2014 by more than 5": how far the one is from the other."""
    beyond = beyond_another_time(text)
    for one in () if beyond is None else (beyond.told,):
        limit = next((each for each in limits if each.first < one.past and one.first < each.past), None)
        past = one.past if limit is None else max(one.past, limit.past)
        unit = "%" if one.percent else None if limit is None else limit.threshold.unit
        yield Told(one.way, one.value, unit, one.first, past, text[one.first : past])


def _is_reached(text: str, one: MovedBy) -> bool:
    return _REACHES.match(one.words) is not None and _NOUN.search(text[: one.first]) is None


def _so_much_more(text: str, limits: tuple[Limit, ...]) -> Iterable[Told]:
    """ "More than 0.2 higher in May than in April": a limit on a difference, not on the values.

    "More than 25% of the area hotter than 300 K" is two limits of which neither is one.
    """
    own = {limit.first for limit in limits}
    for limit in limits:
        match = _more().match(text, limit.past)
        if match is None or limit.threshold.side != "above" or match.start("more") in own:
            continue
        if _NOT_FROM_A_TIME.match(text, match.end()) or _OF.search(text, limit.first, limit.past):
            continue
        way = comparative_words()[match["more"].lower()]
        yield Told(
            way, limit.threshold.value, limit.threshold.unit, limit.first, match.end(), text[limit.first : match.end()]
        )


def _by_less(text: str, limits: tuple[Limit, ...]) -> Iterable[Told]:
    """ "Fell by less than 0.1", "rose by between 0.1 and 0.2"."""
    for limit in limits:
        by = _by().search(text, 0, limit.first)
        if by is not None and limit.threshold.side != "above":
            why = "is no least fall or rise, which is what is looked for"
            words = text[by.start() : limit.past]
            yield Told("either", limit.threshold.value, limit.threshold.unit, by.start(), limit.past, words, why)


@kept()
def _more() -> re.Pattern[str]:
    words = sorted(comparative_words(), key=len, reverse=True)
    return re.compile(rf"\s*(?P<more>{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


@kept()
def _by() -> re.Pattern[str]:
    return re.compile(rf"{movement_words()}(?:\s+[\w-]+){{0,3}}?\s+by\s+$", re.IGNORECASE)
