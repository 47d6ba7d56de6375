"""The months and seasons of an average year: "the wettest month in an average year", "NDVI per calendar month".

They are those of all years together, and none of them is a month of one year.
"""

from __future__ import annotations

import re
from dataclasses import replace

from knowflow.model.goal import Period
from knowflow.reason.language.patterns import YEAR
from knowflow.reason.language.reading import Reading

OF_THE_YEAR = {"month": "month_of_year", "season": "season_of_year", "quarter": "quarter_of_year"}
"""What values are grouped by in an average year, by what they are grouped by in every year."""
_A_YEAR = 366  # days
_OF_ANY_YEAR = (
    rf"\b(?:months?|seasons?|quarters?|times?)\s+of\s+(?:the|an?|each)\s+(?:\w+\s+)?year\b(?!\s+{YEAR})|"
    r"\bcalendar\s+(?:months?|seasons?|quarters?)\b|\b(?:average|typical|normal|mean|usual)\s+year\b|"
    r"\baveraged\s+over\s+(?:all\s+)?(?:the\s+)?(?:\w+\s+)?years\b|\bclimatolog(?:y|ical)\b"
)
_IN_ANY_YEAR = re.compile(_OF_ANY_YEAR, re.IGNORECASE)
_ON_AVERAGE = re.compile(
    rf"{_OF_ANY_YEAR}|\b(?:on\s+average|usually|typically|normally|generally|as\s+a\s+rule)\b", re.IGNORECASE
)


def read_average_year(reading: Reading) -> None:
    """Group by the months or seasons of the year, whatever the year, where the question says so.

    "In which month is NDVI highest on average" asks for one of twelve; "mean NDVI of each month on average" may not.
    """
    group = reading.slots.get("group_by")
    if group is None or group.value not in OF_THE_YEAR:
        return
    period = reading.slots.get("period")
    if period is not None and isinstance(period.value, Period) and period.value.days <= _A_YEAR:
        return  # "of the first three months of 2020, the coldest on average"
    words = _ON_AVERAGE if reading.operation == "extreme_date" else _IN_ANY_YEAR
    found = words.search(reading.text)
    if found is not None:
        reading.slots["group_by"] = replace(group, value=OF_THE_YEAR[group.value])
        reading.understood.append(found.span())
