"""The dates in published names that only the product knows how to read: ``1819``, the nineteenth dekad of 2018."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from types import MappingProxyType

from knowflow.reason.inventory.name_dates import Dated, dates_in
from knowflow.reason.inventory.spans import Span, joined, year_span

# dates that only published names have, as whoever knows the product would write them, the likelier first
SHORTER: Mapping[str, tuple[Callable[[str], str], ...]] = MappingProxyType(
    {
        "dekad": (lambda digits: f"{digits[:4]}-{digits[4:6]}-d{digits[6]}",),
        "of_month": (
            lambda digits: f"{digits[:4]}-{digits[4:6]}-d{digits[6]}",
            lambda digits: f"{digits[:4]}-{digits[4:6]}-p{digits[6]}",
        ),
        "yydekad": (lambda digits: f"20{digits[:2]}-dek{digits[2:]}",),
        "week_from_january": (lambda digits: _week(int(digits[:4]), int(digits[4:])),),
        "yy": (lambda digits: f"{_century(digits)}{digits}",),
        "yypart": (
            lambda digits: f"{_century(digits[:2])}{digits[:2]}-{digits[2:4]}{f'-d{digits[4]}' if digits[4:] else ''}",
        ),
        "mdy": (lambda digits: f"{digits[4:8]}-{digits[:2]}-{digits[2:4]}T{digits[8:]}",),
        "month_first": (lambda digits: f"{digits[2:]}-{digits[:2]}",),
        "yymmdd": (lambda digits: f"20{digits[:2]}-{digits[2:4]}-{digits[4:]}",),
    }
)


def _century(digits: str) -> int:
    return 20 if digits < "50" else 19


def _week(year: int, number: int) -> str:
    """A week of a year that is counted from the first of January."""
    first = date(year, 1, 1) + timedelta(days=7 * (number - 1))
    return f"{first}--{first + timedelta(days=6)}"


def dates_of(shape: re.Match[str]) -> Iterator[Dated]:
    """The date of a published name, with its time of day; from it to the end where the name states both."""
    parts = shape.groupdict()
    for name, written in SHORTER.items():
        if digits := "".join(filter(str.isdigit, parts.get(name) or "")):
            yield Dated(spans := tuple(span for one in written for span in _spans(one(digits))), len(spans) == 1)
            return
    text, day, time, end = (parts.get(name) or "" for name in ("date", "mmdd", "time", "end"))
    text += day
    spans = _spans(f"{text}T{time}" if time else text)
    for span in spans:
        whole = joined(span, _spans(end)[0]) if end and _spans(end) else None
        yield Dated((whole or span,))
        return


def _spans(text: str) -> tuple[Span, ...]:
    if re.fullmatch(r"\d{4}", text):
        return (year_span(text),)
    _, found = dates_in(text)
    return found[0].spans if found else ()
