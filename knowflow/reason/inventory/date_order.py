"""In which order the names of a folder write the day and the month."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS
from knowflow.reason.inventory.date_readers import day_of_six
from knowflow.reason.inventory.month_words import MONTH_WORDS
from knowflow.reason.inventory.month_years import letters_of
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated
from knowflow.reason.inventory.spans import Span

_DAY_FIRST, _MONTH_FIRST = "dmy", "mdy"
_DOTTED = regex(r"(?<![0-9A-Za-z])(?<!\d[-.])([1-9])\.(1[0-2]|0?[1-9])\.(\d\d)(?![0-9A-Za-z])(?![-.]\d)")
_ONE_MONTH = 31  # days
_LETTERS = regex(r"[A-Za-z]{3,}")


def order_of(dates: Collection[Dated], stems: Collection[str]) -> str:
    """Whether the day stands first (``dmy``) or the month (``mdy``) of dates in names; "" where they do not tell, or
    in both orders. What can be read in one way alone tells it, or else names of months in the language of people who
    write the day first, several days with dots, or that all which may be read in two ways is of months that other dates
    tell in the one, and nothing in the other."""
    certain = {one.form for one in dates if one.certain and one.spans[0].days == 1}
    orders = {_DAY_FIRST, _MONTH_FIRST} & {_DAY_FIRST if form == "dotted" else form for form in certain}
    if not orders and (any(map(_in_another_language, stems)) or _are_dotted(stems)):
        return _DAY_FIRST
    return orders.pop() if len(orders) == 1 else _of_months_told(dates) if not orders else ""


def dotted_in(rest: str) -> tuple[str, Span | None]:
    """A name with a mark in the place of what may be a day of one digit, a month and two digits of a year, with dots
    between them (``7.8.22``), or a version; and that day."""
    one = _DOTTED.search(rest)
    day = None if one is None else day_of_six(f"0{one[1]}{int(one[2]):02d}{one[3]}", _DAY_FIRST)
    return (rest, None) if one is None or day is None else (f"{rest[: one.start()]}{DATE_MARK}{rest[one.end() :]}", day)


def _are_dotted(stems: Iterable[str]) -> bool:
    """Whether names alike differ in the day and the month of what has dots between them, and is no version then."""
    found: dict[str, set[str]] = {}
    for stem in stems:
        rest, day = dotted_in(stem)
        if day is not None:
            found.setdefault(letters_of(rest), set()).add(day.last[5:])
    return any(len(some) > 1 for some in found.values())


def _of_months_told(dates: Iterable[Dated]) -> str:
    """The order in which all days that may be read in two are of months that other dates tell, where none is in the
    other order; "" where there is none, or a single day."""
    told: set[str] = set()
    doubtful: set[tuple[str, str]] = set()
    for one in dates:
        if one.certain and one.spans[0].days <= _ONE_MONTH:
            told.add(one.spans[0].last[:7])
        elif one.form == _DAY_FIRST and len(one.spans) == 2:
            doubtful.add((one.spans[0].last[:7], one.spans[1].last[:7]))
    of_order = zip((_DAY_FIRST, _MONTH_FIRST), zip(*doubtful, strict=True), strict=False)
    inside = {order: [month in told for month in months] for order, months in of_order}
    whole = [order for order, some in inside.items() if all(some)]
    return whole[0] if len(doubtful) > 1 and len(whole) == 1 and sum(map(any, inside.values())) == 1 else ""


def _in_another_language(stem: str) -> bool:
    """Whether a name tells a month in another language than English: of those that write the day first."""
    words = (word.casefold() for word in _LETTERS.findall(stem))
    return any(word in MONTH_WORDS and word not in MONTHS and word not in SHORT_MONTHS for word in words)
