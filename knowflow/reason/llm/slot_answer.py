"""The fillings of open slots that a language model may propose, as the JSON it is asked for, and as slots of a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import normalise
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_file import Entry
from knowflow.model.goal import Period, Side, Slot, Threshold
from knowflow.model.tool import Document
from knowflow.reason.language.moved_limits import of_change
from knowflow.reason.llm.spoken import plain

ORIGIN = "language model"
NamedSlot = Literal[
    "quantity", "feature", "operation", "class", "group_by", "count_of", "algorithm", "daynight", "sensor", "object"
]
NumberSlot = Literal["percentile", "top", "gsd", "radius", "times_mean"]
LimitSlot = Literal["threshold", "share_threshold", "moved"]
WHOLE_NUMBERS = frozenset({"top"})
MONTHS = 12


class _Filling(Document):
    words: str = Field(description="the words of the question that say so, exactly as they stand there")


class NamedFilling(_Filling):
    """A name of the vocabulary."""

    slot: NamedSlot
    value: str


class NumberFilling(_Filling):
    """A number of the question."""

    slot: NumberSlot
    value: float = Field(allow_inf_nan=False)


class LimitFilling(_Filling):
    """A limit with its side; `upper` only for `between`, `unit` only where the question says one."""

    slot: LimitSlot
    value: float = Field(allow_inf_nan=False)
    side: Side
    upper: float | None = Field(None, allow_inf_nan=False)
    unit: str | None = None


class MonthsFilling(_Filling):
    """Months of any year, 1 to 12."""

    slot: Literal["months"]
    value: tuple[int, ...] = Field(min_length=1, max_length=MONTHS)


class PeriodAnswer(Document):
    """A span of days, both ends inclusive."""

    start: date
    end: date


class PeriodFilling(_Filling):
    """The time that is asked about."""

    slot: Literal["period"]
    value: PeriodAnswer


class ComparisonFilling(_Filling):
    """Two times that are compared, the earlier one first."""

    slot: Literal["comparison"]
    value: tuple[PeriodAnswer, PeriodAnswer]


Filling = NamedFilling | NumberFilling | LimitFilling | MonthsFilling | PeriodFilling | ComparisonFilling


class SlotsAnswer(Document):
    """Fillings of open slots; or none, and what is missing."""

    fillings: tuple[Annotated[Filling, Field(discriminator="slot")], ...] = ()
    cannot: str = Field("", description="why nothing can be filled; empty where something is")


def as_slots(one: Filling, slots: Mapping[str, Slot]) -> dict[str, Slot]:
    """The slots that a filling fills, as the reading without a model would."""
    slot = Slot(_value(one), one.words, note=f"read by a {ORIGIN}")
    match one:
        case NamedFilling(slot="feature", value=name):
            return _of_feature(features()[name], slot, slots)
        case NamedFilling(slot="operation", value=name):
            operation = lexicon().operations.get(name)
            statistic = {"statistic": slot} if operation is not None and operation.rank == "statistic" else {}
            return {"operation": slot, "operations": replace(slot, value=(name,)), **statistic}
        case NamedFilling(slot="quantity", value=name) if name in spectral_indices():
            return {"quantity": slot, "index": slot}
        case LimitFilling(slot="moved"):
            return {"moved": replace(slot, value=of_change(slot.value))}
        case LimitFilling(slot="threshold"):
            return {"threshold": slot, "side": replace(slot, value=one.side)}
    return {one.slot: slot}


def _of_feature(entry: Entry, slot: Slot, slots: Mapping[str, Slot]) -> dict[str, Slot]:
    """A thing on the ground stands for a quantity, and where the question says no limit for its usual one."""
    found = {"feature": slot, "quantity": replace(slot, value=entry.quantity, default=True, note=entry.source)}
    if entry.class_:
        found["class"] = replace(slot, value=entry.class_)
    limit = entry.threshold
    if limit is not None and "threshold" not in slots:
        threshold = Threshold(limit.value, limit.unit, limit.side, limit.upper)
        found["threshold"] = replace(slot, value=threshold, default=True, note=entry.source)
        found["side"] = replace(slot, value=limit.side, default=True, note=entry.source)
    return found


def _value(one: Filling) -> Any:
    match one:
        case LimitFilling():
            return Threshold(one.value, None if one.unit is None else normalise(one.unit), one.side, one.upper)
        case PeriodFilling(value=period):
            return Period(period.start.isoformat(), period.end.isoformat())
        case ComparisonFilling(value=periods):
            return tuple(Period(each.start.isoformat(), each.end.isoformat()) for each in periods)
        case NumberFilling(slot=slot, value=number) if slot in WHOLE_NUMBERS:
            return int(number)
    return one.value


def shown(one: Filling) -> str:
    value = _value(one)
    match value:
        case Threshold():
            ends = f"{value.value:g}" if value.upper is None else f"{value.value:g} and {value.upper:g}"
            return f"{value.side} {ends}{f' {value.unit}' if value.unit else ''}"
        case Period():
            return f"{value.start}/{value.end}"
        case tuple():
            return ", ".join(f"{each.start}/{each.end}" if isinstance(each, Period) else str(each) for each in value)
    return str(value)


def in_known_words(text: str, fillings: Sequence[Filling]) -> str:
    """The question with the words that were read in the words of the vocabulary, as retrieval knows them."""
    found = " ".join(text.split())
    for one in fillings:
        if isinstance(one, NamedFilling):
            start = found.casefold().find(plain(one.words))
            title = quantity_kinds()[one.value].title if one.slot == "quantity" else one.value.replace("_", " ")
            if start >= 0:
                found = f"{found[:start]}{title}{found[start + len(plain(one.words)) :]}"
    return found


def features() -> dict[str, Entry]:
    return {
        str(meaning.entry.value): meaning.entry
        for meanings in lexicon().phrases.values()
        for meaning in meanings
        if meaning.category == "feature" and meaning.entry.quantity is not None
    }
