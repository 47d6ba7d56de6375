"""What is compared with what: two years, seasons, months, or parts of a month, where dates alone do not say it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.language.chain_words import (
    COMPARED,
    MONTH,
    OF_TWO,
    SEASON,
    TWO_SEASONS,
    WHOLE_YEAR,
    YEAR,
)
from knowflow.reason.language.date_atoms import SEASONS
from knowflow.reason.language.dates import month_period
from knowflow.reason.language.parts import parts_of

Pair = tuple[Period, Period]
_OF_ENDS = frozenset({"percent_change", "change_share", "change_count"})  # told of the ends of a longer time
# what stands between the seasons of one list
_JOINED = re.compile(
    r"\s*(?:[,/&–-]|\b(?:and|or|to|versus|vs|against|with|from|than|minus)\b)*\s*(?:(?:and|the|in|of|that|mean|average)\s+)*",
    re.IGNORECASE,
)


_THE_YEARS = re.compile(
    r"\b(?:both|(?:the|these|those)\s+(?:two|both))\s+years\b|\beach\s+(?:of\s+the\s+(?:two\s+)?years|year)\b",
    re.IGNORECASE,
)


def years_named(goal: QueryGoal) -> tuple[int, ...]:
    """The years of a question in order; one that only ends a period on its first day is not meant."""
    period = goal.value("period")
    found = {int(text) for text in YEAR.findall(goal.text)}
    if isinstance(period, Period) and period.end.endswith("-01-01") and len(found) == 2:
        last = int(period.end[:4])
        found = {year - 1 if year == last else year for year in found}
    return tuple(sorted(found))


def compares_two(goal: QueryGoal) -> bool:
    told = goal.value("comparison") is not None or len(years_named(goal)) == 2 or _two_ranges(goal) is not None
    return told or parts_of(goal.text, goal.value("period")) is not None


def names_pair_of_seasons(text: str) -> bool:
    """Two seasons, or a season and the year, are named as what is to be compared."""
    if TWO_SEASONS.search(text) or _seasons_listed(text, 2):
        return True
    return len(dict.fromkeys(_seasons_in(_tail(text)))) in (1, 2)


def _seasons_listed(text: str, count: int) -> list[str]:
    """The seasons of the last list of so many: of "spring, summer, autumn, winter ... summer/autumn gap" the two."""
    lists: list[list[str]] = []
    past = -1
    for match in SEASON.finditer(text):
        joined = past >= 0 and _JOINED.fullmatch(text[past : match.start()])
        if joined:
            lists[-1].append(match[1].lower())
        else:
            lists.append([match[1].lower()])
        past = match.end()
    found = [one for one in lists if len(one) == count]
    return found[-1] if found else []


def found_pair(goal: QueryGoal, operations: Collection[str]) -> Pair | None:
    """The two periods that a question compares without giving the dates of both."""
    parts = parts_of(goal.text, goal.value("period"))
    if parts is not None:
        return parts
    if (ranges := _two_ranges(goal)) is not None:
        return ranges
    days: Sequence[str] = goal.value("dates") or ()
    if len(days) == 2 and set(operations) & OF_TWO:
        return Period(days[0], days[0]), Period(days[1], days[1])
    years = years_named(goal)
    if len(years) == 2 and set(operations) & COMPARED:
        return _whole(years[0]), _whole(years[1])
    period = goal.value("period")
    if _OF_ENDS & set(operations) and isinstance(period, Period) and period.start[:4] != period.end[:4]:
        return _whole(int(period.start[:4])), _whole(int(period.end[:4]))
    if len(years) != 1 or "difference" not in operations:
        return None
    seasons = _seasons(goal.text, years[0])
    if WHOLE_YEAR.search(goal.text) and len(seasons) == 1:
        return _whole(years[0]), seasons[0]
    if len(seasons) == 2:
        return seasons[0], seasons[1]
    months: Sequence[int] = goal.value("months") or ()
    if len(months) == 2 or (len(months) > 2 and _from_to(goal)):
        return month_period(years[0], months[0]), month_period(years[0], months[-1])
    return None


def _two_ranges(goal: QueryGoal) -> Pair | None:
    """The two periods that four days are the ends of: "A to B, compared with C to D"."""
    days = sorted(set(goal.value("dates") or ()))
    return (Period(days[0], days[1]), Period(days[2], days[3])) if len(days) == 4 else None


def _from_to(goal: QueryGoal) -> bool:
    """ "How far did it drop from July to September": the months that a range of months runs between are compared."""
    said = goal.slots["months"].words
    before = goal.text.partition(said)[0].rstrip().lower() if said else ""
    return before.endswith(("from", "between"))


def in_order(pair: tuple[Period, ...]) -> tuple[Period, ...]:
    """Periods from early to late; the longer of two that begin together first."""
    return tuple(sorted(pair, key=lambda one: (one.start, [-int(part) for part in one.end.split("-")])))


def span_of(pair: tuple[Period, ...]) -> str:
    """In what two periods differ: ``years``, single ``days`` of a year, or parts ``within`` a year."""
    if pair[0].start[:4] != pair[1].start[:4]:
        return "years"
    return "days" if all(one.start == one.end for one in pair) else "within"


def whole_years(text: str, pair: tuple[Any, ...]) -> tuple[Any, ...]:
    """The years of two months, where years are spoken of: "from January 2020 to December 2021 ... the two years".

    The same month of both stays what is compared.
    """
    if (
        _THE_YEARS.search(text) is None
        or not all(isinstance(one, Period) and one.days <= MONTH for one in pair)
        or span_of(pair) != "years"
    ):
        return pair
    if pair[0].start[5:7] == pair[1].start[5:7]:
        return pair
    return tuple(_whole(int(one.start[:4])) for one in pair)


def hull_of(pair: tuple[Period, ...], years: tuple[int, ...]) -> Period:
    """The period that holds both, the whole year where just one is named: all of it is derived once."""
    start, end = min(one.start for one in pair), max(one.end for one in pair)
    if len(years) == 1 and end <= f"{years[0]}-12-31":
        whole = _whole(years[0])
        return Period(min(start, whole.start), whole.end)
    return Period(start, end)


def _whole(year: int) -> Period:
    return Period(f"{year}-01-01", f"{year}-12-31")


def _tail(text: str) -> str:
    """What comes after the last mention of a difference."""
    return text[max(text.lower().rfind("difference"), 0) :]


def _seasons_in(text: str) -> list[str]:
    return [name.lower() for name in SEASON.findall(text)]


def _seasons(text: str, year: int) -> list[Period]:
    """The seasons compared: of more than two that are named, the last two."""
    names = _seasons_listed(text, 2) or list(dict.fromkeys(_seasons_in(_tail(text)) or _seasons_in(text)))
    if len(names) > 2:
        names = _seasons_in(text)[-2:]
    found = []
    for name in dict.fromkeys(names):
        months = SEASONS[name]
        first = month_period(year - 1 if months[0] == 12 else year, months[0])
        found.append(Period(first.start, month_period(year, months[-1]).end))
    return found
