"""When each row of a table was: by a column of days, of months, or of years with months or without."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from knowflow.ground.columns import Columns, is_day

GRAINS = ("date", "month", "year")
"""What rows can be taken together by; each is a part of the next."""
YEAR_COLUMN = re.compile(
    r"(?:(?:(?:calendar|census|crop|fiscal|harvest|hydrological|sampling|survey|water)_)?(?:year|yr)|since|season|vintage"
    r"|campaign|saison|campagne|temporada|safra|jahr|ano|año|annee|année|anno|jaar|rok|år|leto)(?:_of_event)?",
    re.IGNORECASE,
)
"""What columns are called that tell in which year something was, and nothing else."""
_MONTH_COLUMN = re.compile(r"month|mon|monat|mes|mês|mois|mese|maand|miesiac|miesiąc|mesec|måned|månad", re.IGNORECASE)
_DATE_COLUMN = re.compile(r"date|datum|fecha|data|day|time|datetime|timestamp", re.IGNORECASE)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ].*")
_TURNED = re.compile(r"([0-3]?\d)([./-])([0-3]?\d)\2((?:17|18|19|20)\d\d)(?:[T ].*)?")
_NAMED = re.compile(r"([0-3]?\d)[ ./-]*([^\W\d_]{3,9})[ ./,-]*((?:17|18|19|20)\d\d)(?:[T ].*)?")
_NAMED_FIRST = re.compile(r"([^\W\d_]{3,9})[ .-]*([0-3]?\d)[ ,-]+((?:17|18|19|20)\d\d)(?:[T ].*)?")
_IN_ORDER = re.compile(r"((?:17|18|19|20)\d\d)([./])([01]?\d)\2([0-3]?\d)(?:[T ].*)?")
_SHORT = re.compile(r"(?<=-)(\d)(?=-|$)")
_MONTHS = 12
_MONTH = re.compile(r"((?:17|18|19|20)\d\d)-(0[1-9]|1[0-2])")
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LENGTHS: Mapping[str, int] = {"date": 10, "month": 7, "year": 4}  # letters
_FIRST, _LAST = 1000, 2100  # years


def row_times(columns: Columns) -> tuple[str, list[str]] | None:
    """The finest that columns tell of when each row was, of ``GRAINS``, and what that is of each, "" where nothing is;
    None where nothing tells it, or several columns do.

    >>> row_times({"site": ["A", "B"], "year": [2019, 2020], "month": [1, 12]})
    ('month', ['2019-01', '2020-12'])
    >>> row_times({"fecha": ["01/06/2023", "13/06/2023"]}), row_times({"day": ["01/06/2023"]})
    (('date', ['2023-06-01', '2023-06-13']), None)
    >>> row_times({"date": ["01-Apr-2024", "5 May 2024"]})
    ('date', ['2024-04-01', '2024-05-05'])
    """
    days = {name: told for name, values in columns.items() if (told := _days(values)) is not None}
    called = [name for name in days if _DATE_COLUMN.fullmatch(str(name))]
    if len(days) == 1 or len(called) == 1:
        return "date", days[called[0] if len(called) == 1 else next(iter(days))]
    if days:
        return None
    months = [told for values in columns.values() if (told := _matching(values, _MONTH)) is not None]
    if len(months) == 1:
        return "month", months[0]
    years = [values for name, values in columns.items() if YEAR_COLUMN.fullmatch(str(name)) and are_years(values)]
    if len(years) != 1:
        return None
    told_years = ["" if one in (None, "") else str(int(one)) for one in years[0]]
    parts = [_of_year(values) for name, values in columns.items() if _MONTH_COLUMN.fullmatch(str(name))]
    if len(parts) == 1 and parts[0] is not None:
        pairs = zip(told_years, parts[0], strict=True)
        return "month", [f"{year}-{month:02d}" if year and month else "" for year, month in pairs]
    return "year", told_years


def are_years(values: Sequence[Any]) -> bool:
    """Whether a column holds years, and nothing else."""
    told = [one for one in values if one is not None]
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in told)
    return bool(told) and numbers and all(_FIRST <= one <= _LAST and one == int(one) for one in told)


def times_by(columns: Columns, grain: str) -> list[str] | None:
    """In which of a grain each row was; None where the columns tell none so fine.

    >>> times_by({"seen": ["2021-06-30", None]}, "month")
    ['2021-06', '']
    """
    found = row_times(columns)
    if found is None or grain not in GRAINS or GRAINS.index(grain) < GRAINS.index(found[0]):
        return None
    return [one[: _LENGTHS[grain]] for one in found[1]]


def ends_of(time: str) -> tuple[date, date]:
    """The first and the last day of a day, a month or a year.

    >>> ends_of("2020-02")
    (datetime.date(2020, 2, 1), datetime.date(2020, 2, 29))
    """
    year, month, day = (int(part) if part else 0 for part in (*time.split("-"), "", "")[:3])
    if day:
        return date(year, month, day), date(year, month, day)
    first, last = (month, month) if month else (1, 12)
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _days(values: Sequence[Any]) -> list[str] | None:
    """The day of each, where all that is told are days, or moments of days."""
    told = ["" if one is None else str(one).strip() for one in values]
    turned = [match for one in told if (match := _TURNED.fullmatch(one))]
    if turned and (first := _day_is_first(turned)) is not None:
        told = [_TURNED.sub(r"\4-\3-\1" if first else r"\4-\1-\3", one) for one in told]
    days = [_SHORT.sub(r"0\1", _MOMENT.sub(r"\1", _IN_ORDER.sub(r"\1-\3-\4", _numbered(one)))) for one in told]
    return days if any(days) and all(map(is_day, filter(None, days))) else None


def _numbered(day: str) -> str:
    """A day whose month is named, with its number: ``01-Apr-2024``, ``April 1, 2024``."""
    found = _NAMED.fullmatch(day)
    turned = None if found else _NAMED_FIRST.fullmatch(day)
    number, name, year = found.groups() if found else (turned[2], turned[1], turned[3]) if turned else ("", "", "")
    month = name[:3].casefold()
    return f"{year}-{_NAMES.index(month) + 1:02d}-{number}" if month in _NAMES else day


def _day_is_first(turned: Sequence[re.Match[str]]) -> bool | None:
    """Whether the day stands before the month, which points say; of strokes some number that is no month has to."""
    if all(match[2] == "." for match in turned) or any(int(match[1]) > _MONTHS for match in turned):
        return True
    return False if any(int(match[3]) > _MONTHS for match in turned) else None


def _matching(values: Sequence[Any], form: re.Pattern[str]) -> list[str] | None:
    told = ["" if one is None else str(one).strip() for one in values]
    return told if any(told) and all(map(form.fullmatch, filter(None, told))) else None


def _of_year(values: Sequence[Any]) -> list[int] | None:
    """The number of the month of each in its year, 0 where none is told."""
    found: list[int] = []
    for value in values:
        text = "" if value is None else str(value).strip().casefold()
        number = int(float(text)) if text.replace(".0", "").isdigit() else 0
        named = _NAMES.index(text[:3]) + 1 if text[:3] in _NAMES else 0
        if text and not 1 <= (number or named) <= 12:
            return None
        found.append(number or named)
    return found
