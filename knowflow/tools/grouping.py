"""Numbers at dates, grouped by calendar period: one number for each year, season, quarter or month, or for each
month, season or quarter of an average year.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from knowflow.model.artifact import Artifact
from knowflow.tools import directions, scalars
from knowflow.tools.dates import moment
from knowflow.tools.directions import Known, is_finite, plain
from knowflow.tools.scalars import Number, paired

Grouping = Literal["year", "season", "quarter", "month"]
PartOfYear = Literal["month_of_year", "season_of_year", "quarter_of_year"]
Statistic = Literal["mean", "median", "maximum", "minimum", "sum"]
_REDUCERS: Mapping[str, Callable[[Sequence[Any]], float]] = {
    "mean": directions.mean,
    "median": scalars.median,
    "maximum": scalars.maximum,
    "minimum": scalars.minimum,
    "sum": scalars.total,
}
# meteorological seasons by quarter of the year that begins in December
_SEASONS = ("DJF", "MAM", "JJA", "SON")
_PARTS: Mapping[str, Grouping] = {"month_of_year": "month", "season_of_year": "season", "quarter_of_year": "quarter"}


def period_of(date: str, by: Grouping) -> str:
    """The period that a date lies in: ``2022``, ``2022-07``, ``2022-Q3``, or ``2022-JJA``.

    Seasons are meteorological; December belongs to the winter of the next year (WMO-No. 1203, section 4.2).
    """
    when = moment(date)
    match by:
        case "year":
            return f"{when.year}"
        case "month":
            return f"{when.year}-{when.month:02}"
        case "quarter":
            return f"{when.year}-Q{(when.month - 1) // 3 + 1}"
        case "season":
            return f"{when.year + (when.month == 12)}-{_SEASONS[when.month % 12 // 3]}"


def statistics_by_period(
    values: Sequence[Known], dates: Sequence[str], by: Grouping = "year", statistic: Statistic = "mean"
) -> list[dict[str, Any]]:
    """One row per period, in time order: its value, and the count of numbers behind it; missing ones are left out.

    The mean of directions is that around the circle.
    """
    numbers = [plain(value) for value in values]
    paired(numbers, dates)
    told = values if statistic == "mean" else numbers
    there = [(value, date) for value, date in zip(told, dates, strict=True) if is_finite(value)]
    groups: dict[str, list[Known]] = {}
    for value, date in sorted(there, key=lambda pair: moment(pair[1])):
        groups.setdefault(period_of(date, by), []).append(value)
    reduce = _REDUCERS[statistic]
    return [{"period": name, "value": reduce(group), "count": len(group)} for name, group in groups.items()]


def extreme_period(
    values: Sequence[Number],
    dates: Sequence[str],
    by: Grouping = "year",
    statistic: Statistic = "mean",
    which: Literal["maximum", "minimum"] = "maximum",
) -> str:
    """The period whose statistic is largest (or smallest); the earliest of several."""
    rows = statistics_by_period(values, dates, by, statistic)
    pick = max if which == "maximum" else min
    return str(pick(rows, key=lambda row: row["value"])["period"])


def average_year(
    values: Sequence[Known],
    dates: Sequence[str],
    by: PartOfYear = "month_of_year",
    statistic: Statistic = "mean",
) -> list[dict[str, Any]]:
    """One row per month, season or quarter of the year, in their order: the mean over the years of the statistic of
    each, and the count of years behind it.

    Each year counts once, whatever its dates (WMO-No. 1203, section 4.3). Months are called by their names.
    """
    years: dict[str, list[Known]] = {}
    like = next((value for value in values if isinstance(value, Artifact)), None)  # directions and decibels stay such
    for row in statistics_by_period(values, dates, _PARTS[by], statistic):
        told = row["value"] if like is None else replace(like, value=row["value"])
        years.setdefault(row["period"][5:], []).append(told)
    order = _SEASONS if by == "season_of_year" else sorted(years)
    return [
        {
            "period": calendar.month_name[int(part)] if by == "month_of_year" else part,
            "value": directions.mean(years[part]),
            "years": len(years[part]),
        }
        for part in order
        if part in years
    ]
