"""The dates of scenes, as times on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact

DAYS_PER_YEAR = 365.25
"""The Julian year, which is what the unit ``year`` means."""


def moment(text: str) -> datetime:
    """The time that an ISO 8601 text names, in UTC; a year or month alone is its first day.

    Raises ``ToolError`` where the text is not a date.
    """
    plain = str(text)  # a year in a column of numbers is one
    padded = plain + {4: "-01-01", 7: "-01"}.get(len(plain), "")
    try:
        found = datetime.fromisoformat(padded)
    except ValueError as error:
        raise ToolError("not a date", expected="ISO 8601, such as 2022-06-01", found=repr(text)) from error
    return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)


def elapsed_years(dates: Sequence[str]) -> NDArray[np.float64]:
    """Julian years (365.25 days) from the first of the dates to each of them."""
    moments = [moment(date) for date in dates]
    seconds = [(each - moments[0]).total_seconds() for each in moments]
    return np.asarray(seconds, dtype=np.float64) / (86400.0 * DAYS_PER_YEAR)


def decimal_years(dates: Sequence[str]) -> NDArray[np.float64]:
    """The dates as calendar years with the part of the year gone by: what repeats yearly does so in these."""
    found = []
    for date in map(moment, dates):
        new_year, next_year = (datetime(year, 1, 1, tzinfo=UTC) for year in (date.year, date.year + 1))
        found.append(date.year + (date - new_year) / (next_year - new_year))
    return np.asarray(found, dtype=np.float64)


def dates_in(series: Sequence[Artifact]) -> list[str]:
    """The dates of a series; ``MissingFactError`` names an item that has none."""
    dates = []
    for index, item in enumerate(series):
        date = item.fact("datetime")
        if date is None:
            raise MissingFactError(
                f"the date of series[{index}] is unknown",
                where=item.path or item.name,
                expected="a date for every item",
                hint="name the files with their dates, or give one: --assume datetime=2022-06-01",
            )
        dates.append(str(date))
    return dates


def in_time_order(series: Sequence[Artifact]) -> tuple[tuple[Artifact, ...], NDArray[np.float64]]:
    """The items by date, and the years from the first to each.

    Raises ``ToolError`` where two items have the same date, for then there is no time between them.
    """
    dated = sorted(zip(dates_in(series), series, strict=True), key=lambda pair: moment(pair[0]))
    dates = [date for date, _ in dated]
    years = elapsed_years(dates)
    twice = np.flatnonzero(np.diff(years) <= 0)
    if twice.size:
        raise ToolError(
            "two items of the series have the same date",
            expected="one item per date",
            found=dates[twice[0]],
            hint="mosaic or composite the items of one date first",
        )
    return tuple(item for _, item in dated), years
