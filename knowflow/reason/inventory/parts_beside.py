"""Parts of a month that a name tells beside a date: the second dekad of ``chirps_dek2_20210301``.

Who cuts a series of dekads or pentads often writes the month, or its first day, and which part of it a file is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowflow.ground.regex import regex
from knowflow.reason.inventory.date_readers import READERS
from knowflow.reason.inventory.name_dates import NTH, PARTS, Dated
from knowflow.reason.inventory.spans import Span

_BESIDE = regex(
    rf"(?<![0-9A-Za-z])(?:(?P<word>{PARTS})[-_ ]?(?P<place>[1-6])"
    rf"|(?P<nth>[1-6])(?:{NTH})?[-_ ]?(?P<of>{PARTS}))(?![0-9A-Za-z])(?!\.\d)",
    re.IGNORECASE,
)
_ONE_MONTH, _FORM = 31, "part"


def of_parts(rest: str, dates: tuple[Dated, ...]) -> tuple[str, tuple[Dated, ...]]:
    """A name without its only date and without the part of a month that it tells beside that, and the date of that
    part. It is of the month where this is told alone, or by its first day, or by that of the part; beside any other
    day nobody can tell whether the day or the part is meant."""
    found = list(_BESIDE.finditer(rest))
    if len(found) != 1 or len(dates) != 1:
        return rest, dates
    (one,), (dated,) = found, dates
    parts = {span: part for span in dated.spans if (part := _part(span, one)) is not None}
    told = tuple(dict.fromkeys(part for span, part in parts.items() if _begins(span, part)))
    if not told and not (parts and dated.certain):
        return rest, dates
    spans = told or tuple(either for span, part in parts.items() for either in (part, span))
    return f"{rest[: one.start()]}{rest[one.end() :]}", (Dated(spans, len(spans) == 1, _FORM),)


def _part(span: Span, told: re.Match[str]) -> Span | None:
    """The part of the month that a day, or a month, is of; None where that has no such part."""
    if span.first[:7] != span.last[:7] or not span.calendar:
        return None
    word, place = told["word"] or told["of"], told["place"] or told["nth"]
    read: Iterator[Span | None] = READERS[_FORM](f"{span.first[:7]}-{word}{place}")
    return next(read, None)


def _begins(span: Span, part: Span) -> bool:
    whole = 1 < span.days <= _ONE_MONTH
    return whole or span.first in (f"{span.first[:7]}-01", part.first)
