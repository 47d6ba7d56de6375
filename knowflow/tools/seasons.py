"""How the seasons are treated where a change from year to year is asked for, and the words that tell it.

A straight line through dates of several seasons takes the season for a trend wherever the seasons are not spread alike
over the years: 2.4 years that begin in spring and end in summer rise without any trend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.tools.dates import decimal_years, elapsed_years, moment

Seasons = Literal["auto", "removed", "kept"]

_ONE_SEASON = 62 / 365.25  # of a year: dates that lie in so short a part of it are of one season
_LEAST_FREEDOM = 2
_LEAST_PAIRS = 5  # of one month in two years: the median of fewer slopes has no interval
_YEARS_FOR_A_LINE = 3  # through fewer a line follows the season that the dates begin and end in


@dataclass(frozen=True, slots=True)
class Calendar:
    """The dates of a series, in order: the year and the month of each, and the years from the first to each."""

    dates: tuple[str, ...]
    times: NDArray[np.float64]
    years: NDArray[np.int64]
    months: NDArray[np.int64]

    @classmethod
    def of(cls, dates: Sequence[str]) -> Calendar:
        moments = [moment(date) for date in dates]
        years, months = ([getattr(one, part) for one in moments] for part in ("year", "month"))
        return cls(tuple(dates), elapsed_years(dates), np.array(years, np.int64), np.array(months, np.int64))

    @property
    def one_season(self) -> bool:
        """All dates lie in the same two months of the year."""
        places = np.sort(decimal_years(self.dates) % 1.0)
        return bool(1.0 - np.max(np.diff(places, append=places[0] + 1.0)) <= _ONE_SEASON)

    @property
    def returning(self) -> NDArray[np.bool_]:
        """Which dates are of a month that another year has dates of, too: no others tell years apart."""
        several = [month for month in np.unique(self.months) if len(np.unique(self.years[self.months == month])) > 1]
        return np.isin(self.months, several)

    @property
    def freedom(self) -> int:
        """What is left of those dates for the spread once every month has its mean and time its slope."""
        months = self.months[self.returning]
        return len(months) - len(np.unique(months)) - 1

    @property
    def pairs(self) -> int:
        """How often a month of one year can be held against the same month of another."""
        counts = [len(np.unique(self.years[self.months == month])) for month in np.unique(self.months)]
        return sum(count * (count - 1) // 2 for count in counts)

    @property
    def span(self) -> str:
        """The number of the dates and what time they are of, in words."""
        return f"{len(self.dates)} dates over {self.times[-1]:.1f} years"


def removable(calendar: Calendar, seasons: Seasons, robust: bool) -> bool:
    """Whether the seasons are removed: ``auto`` does so where there are several, and the dates suffice for it.

    A fit by least squares takes departures from the mean of each month (``robust``: slopes between the same month of
    different years).

    Raises:
        ToolError: they are to be removed, and the dates do not suffice.
    """
    enough = calendar.pairs >= _LEAST_PAIRS if robust else calendar.freedom >= _LEAST_FREEDOM
    if seasons == "removed" and not enough:
        wanted = f"{_LEAST_PAIRS} pairs of one month in two years" if robust else "months that return in other years"
        raise ToolError(
            "the dates do not tell the seasons from a trend",
            expected=wanted,
            found=f"{calendar.span}, {calendar.pairs} pairs of one month in two years",
            hint="seasons=kept fits the dates as they are",
        )
    return seasons == "removed" or (seasons == "auto" and enough and not calendar.one_season)


def treatment(calendar: Calendar, removed: bool, robust: bool) -> str:
    """How the seasons were treated, of how many dates over what time, in words."""
    if removed:
        alone = int(np.count_nonzero(~calendar.returning))
        less = f", {alone} of them of months that no other year has, which do not count" if alone else ""
        how = "each month against the same month of other years" if robust else "departures from monthly means"
        return f"the seasons are removed ({how}): {calendar.span}{less}"
    if calendar.one_season:
        return f"the dates are all of one season: {calendar.span}"
    alike = "; a yearly cycle may pass for a trend" if calendar.times[-1] < _YEARS_FOR_A_LINE else ""
    return f"the seasons are not removed: {calendar.span}{alike}"
