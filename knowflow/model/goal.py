"""Goals: what a query asks for, typed, each slot with the words it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Side = Literal["above", "below", "between"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A filled slot: its value, the words of the query behind it, and whether a default stands in."""

    value: Any
    words: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit with its unit (None: none was said) and side."""

    value: float
    unit: str | None
    side: Side
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time, both ends inclusive, ISO dates."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class QueryGoal:
    """Slots by name: quantity, operation, threshold, side, period, region, comparison, group_by, index, unit..."""

    text: str
    slots: Mapping[str, Slot] = field(default_factory=dict)
    leftover: tuple[str, ...] = ()

    def value(self, name: str, default: Any = None) -> Any:
        slot = self.slots.get(name)
        return default if slot is None else slot.value
