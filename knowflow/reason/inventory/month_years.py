"""Two digits behind the name of a month that are the last of its year (``juni 21``, ``jan16``) and no day of it, where
the names of a tree tell which of both they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from knowflow.ground.regex import regex
from knowflow.reason.inventory.date_readers import READERS
from knowflow.reason.inventory.month_words import ANY_MONTH, DOUBTFUL_MONTHS, MONTH_WORDS, month_in, without_accents
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated, dates_in
from knowflow.reason.inventory.spans import Span

_WORDS = "|".join([ANY_MONTH, *sorted(DOUBTFUL_MONTHS, key=len, reverse=True)])
AT_MONTH = regex(
    rf"(?<!\d)(?<!\d[-_. ])(?<![^\W\d_])({_WORDS})[-_. ]?(\d\d)(?![0-9A-Za-z%])(?![-_. ]?(?:19|20)\d\d)(?![-.]\d)", 2
)
"""A month, by its name without accents, before two digits."""
_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NEAR_YEARS = 10  # within which images of one place are, and what is noted of them
_FORM = "short_year"


@dataclass(frozen=True, slots=True)
class MonthYears:
    """Whether two digits behind a month are its year (``told``); in the series of ``days`` they may be a day of it.
    ``languages`` are those of the months."""

    told: bool = False
    days: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()

    def read(self, rest: str) -> tuple[str, tuple[Dated, ...]]:
        """A name with a mark in the place of the only month with two digits behind it, and that month of its year."""
        found = list(_found(without_accents(rest), self.languages)) if self.told else []
        if len(found) != 1 or (month := found[0][1]) is None:
            return rest, ()
        place, end = found[0][0]
        marked = f"{rest[:place]}{DATE_MARK}{rest[end:]}"
        return (rest, ()) if letters_of(marked) in self.days else (marked, (Dated((month,), True, _FORM),))

    def holds(self, one: Dated, rest: str) -> bool:
        """Whether a date is a month before two digits that are its year."""
        return self.told and _is_month(one) and letters_of(rest) not in self.days


NO_MONTH_YEARS = MonthYears()


def month_years_of(stems: Collection[str], languages: frozenset[str]) -> MonthYears:
    """What names without accents tell of the two digits behind months. They are years where all can be, and are such as
    the names tell elsewhere, or near others that are written in two digits, or one stands behind several months; where
    all else is of one other year they may be days of that."""
    if not any(map(AT_MONTH.search, stems)):
        return NO_MONTH_YEARS
    own: dict[str, set[Span]] = {}
    days: set[str] = set()
    short: set[str] = set()
    elsewhere: set[str] = set()
    for stem in stems:
        rest, dates = dates_in(stem)
        behind = [month for _, month in _found(rest, languages)]
        behind += [one.spans[0] for one in dates if _is_month(one)]
        if None in behind:
            return NO_MONTH_YEARS
        for month in filter(None, behind):
            own.setdefault(letters_of(AT_MONTH.sub("", rest)), set()).add(month)
        elsewhere.update(_YEAR.findall(rest), (one.spans[0].last[:4] for one in dates if not _is_month(one)))
        if of_days := {one.spans[0].last[:4] for one in dates if one.certain and one.spans[0].days == 1}:
            days.add(letters_of(rest))
            short |= {year for year in of_days if year not in stem}
    of_own = {month.last[:4] for some in own.values() for month in some}
    if len(elsewhere) == 1 and not of_own & elsewhere:
        return NO_MONTH_YEARS
    near = bool(short) and all(any(abs(int(one) - int(year)) <= _NEAR_YEARS for year in short) for one in of_own)
    repeated = any(len(some) > len({month.last[:4] for month in some}) for some in own.values())
    return MonthYears(of_own <= elsewhere or near or repeated, frozenset(days), languages)


def _is_month(one: Dated) -> bool:
    """Whether a date is a month written together with two digits."""
    return one.form == _FORM and one.spans[0].days > 1


def _found(rest: str, languages: Collection[str]) -> Iterator[tuple[tuple[int, int], Span | None]]:
    """Where a name has months with two digits behind them, and the month of the year that these are; None where no
    image can be of that."""
    for one in AT_MONTH.finditer(rest):
        number = MONTH_WORDS.get(one[1].casefold()) or month_in(one[1].casefold(), languages)
        year = next(READERS["worded_year"](one[2]), None)
        if number is not None:
            yield one.span(), None if year is None else next(READERS["month"](f"{year.first[:4]}-{number:02d}"))


def letters_of(rest: str) -> str:
    """The letters of a name without its dates, by which those of a series are alike however they are written."""
    return "".join(filter(str.isalpha, without_accents(rest))).casefold()
