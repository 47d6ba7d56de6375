"""Dates that may be read in several ways, settled by the other names of the folder: by their dates, and by whether they
write days before months."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType

from knowflow.reason.inventory.name_dates import Dated, Span, dates_in

_COMPOSITES = 8  # days between the first days of composites
_ENOUGH = 2  # numbers of days that are those of composites


@dataclass(frozen=True, slots=True)
class FolderDates:
    """What the names of a folder tell: their ``days``, in which ``order`` (``dmy``, ``mdy``, or none) they write day
    and month, and the ``numbers`` beside a year that may be days of it."""

    days: frozenset[Span] = frozenset()
    order: str = ""
    numbers: Mapping[int, None] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def of_composites(self) -> bool:
        """Whether the numbers beside years are days of these: those on which composites begin, every eighth."""
        return len(self.numbers) >= _ENOUGH and all(number % _COMPOSITES == 1 for number in self.numbers)

    def settled(self, dates: Iterable[Dated]) -> tuple[Dated, ...]:
        """The dates, each with the one way to read it that the folder tells, where it does."""
        return tuple(one if one.certain else self._settled(one) for one in dates)

    def _settled(self, one: Dated) -> Dated:
        told = [span for span in one.spans if span in self.days and span.days == 1]
        if len(told) != 1 and one.form == "dmy" and self.order:
            told = [one.spans[0 if self.order == "dmy" else 1]]
        if len(told) != 1 and one.day_of_year and self.of_composites:
            told = [one.spans[0]]
        return replace(one, spans=(told[0],), certain=True) if len(told) == 1 else one


def folder_dates(stems: Iterable[str]) -> FolderDates:
    """What these names, without their endings, tell of dates."""
    days: set[Span] = set()
    orders: set[str] = set()
    numbers: dict[int, None] = {}
    for stem in stems:
        for one in dates_in(stem)[1]:
            if one.certain and one.spans[0].days == 1:
                days.add(Span(one.spans[0].last, one.spans[0].last))
                orders.add({"dotted": "dmy"}.get(one.form, one.form))
            elif one.day_of_year:
                numbers[_number(one.spans[0])] = None
    order = orders & {"dmy", "mdy"}
    return FolderDates(frozenset(days), order.pop() if len(order) == 1 else "", MappingProxyType(numbers))


def _number(span: Span) -> int:
    return date.fromisoformat(span.last).timetuple().tm_yday
