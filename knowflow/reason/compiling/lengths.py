"""Of how long a time the maps of a quantity may be that a question asks for, where a folder has several: rain of months
beside rain of days and of dekads."""

from __future__ import annotations

from datetime import timedelta

from knowflow.question.operators import During, Expression, Extreme, Over, Split, walk
from knowflow.question.times import Times
from knowflow.reason.named_bands import DAYS, LENGTHS, MONTHS, SEASONS, WEEKS, YEARS

_OF_KEYS = {"year": YEARS, "season": SEASONS, "month": MONTHS, "month_of_year": MONTHS, "week": WEEKS, "date": DAYS}
_OF_SINGLE_DATES = frozenset({"count", "longest", "longest_run"})


def lengths_of(e: Expression) -> tuple[str, ...]:
    """The lengths of time that maps may be of, those preferred first: the longest, none longer than a time that the
    question tells or the periods that it splits by; the shortest within months, and where single dates are asked about.

    >>> from knowflow.question.operators import Quantity
    >>> from datetime import date
    >>> lengths_of(During(Quantity("precipitation"), Times(date(2020, 4, 1), date(2020, 4, 30))))
    ('months', 'parts of months', 'days')
    """
    parts = [part for _, part in walk(e)]
    told = [_of_time(part.when) for part in parts if isinstance(part, During) and isinstance(part.when, Times)]
    split = [_OF_KEYS.get(part.key, YEARS) for part in parts if isinstance(part, Split) and isinstance(part.key, str)]
    longest = max(map(LENGTHS.index, (YEARS, *told, *split)))
    of_dates = not split and any(map(_is_of_dates, parts))
    return LENGTHS[longest:][::-1] if of_dates or longest >= LENGTHS.index(WEEKS) else LENGTHS[longest:]


def _is_of_dates(part: Expression) -> bool:
    """Whether it counts dates, or tells which."""
    if isinstance(part, Extreme):
        return not any(isinstance(one, Split) for _, one in walk(part.x))
    return isinstance(part, Over) and part.axes in ("time", "date") and part.statistic in _OF_SINGLE_DATES


def _of_time(when: Times) -> str:
    """The longest maps that a time can be made of: of one that begins or ends within a month, parts of months."""
    if when.season:
        return SEASONS
    if when.month:
        return MONTHS
    past = None if when.last is None else when.last + timedelta(days=1)
    ends = [one for one in (when.first, past) if one is not None]
    if all((one.month, one.day) == (1, 1) for one in ends):
        return YEARS
    return MONTHS if all(one.day == 1 for one in ends) else WEEKS
