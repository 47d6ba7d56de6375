"""Stacks in time: files whose every band is described by a date, with or without a layer (``2020-03-01``,
``NDVI_2020-03-01``), or by a month of the year that the file's name tells (``Jan``, ``month_02``), or lies on
an axis of time."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.dates import days_of, iso_datetime
from knowflow.reason.inventory.names import NameFacts, name_facts
from knowflow.reason.inventory.tags import AXES

_SAID_BY_DESCRIPTION = ("layer", "band", "datetime", "span")
_TELLING_APART = ("datetime", "layer", "height", "slice", "statistic")
_MONTH_NUMBER = re.compile(r"(?:m|mon|month)?[ _-]?(0?[1-9]|1[0-2])", re.IGNORECASE)
_DEKAD = re.compile(r"(?P<month>(?:19|20)\d\d-(?:0[1-9]|1[0-2]))-(?:d|dek|dekad)?(?P<third>[123])", re.IGNORECASE)
_SOURCE, _TWELVE = "band description", "twelve bands of one year"
_THIRD = f"{_SOURCE} (a third of a month)"
_A_YEAR = 12
_MONTHS: Mapping[str, int] = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}


def dated_bands(bands: Sequence[Artifact], date: str | None = None) -> tuple[Artifact, ...]:
    """The bands of one file with what their descriptions say of date and layer; none where one of them states no date
    (one band of 2000 nm is no year), or two say the same. ``date`` is that of the file."""
    said = _months(bands, date) or _dekads(bands) or [_described(band) for band in bands]
    if not all("datetime" in facts for facts in said):
        return ()
    if len({tuple(facts.value(name) for name in _TELLING_APART) for facts in said}) < len(said):
        return ()
    return tuple(
        band.with_facts(facts.over(band.facts.without(_SAID_BY_DESCRIPTION)))
        for band, facts in zip(bands, said, strict=True)
    )


def on_an_axis(bands: Sequence[Artifact]) -> bool:
    """Whether the bands of a file lie on an axis of time."""
    return all((time := band.known("datetime")) is not None and time.source == AXES for band in bands)


def months_of_year(bands: Sequence[Artifact], span: tuple[str, str] | None) -> tuple[Artifact, ...]:
    """Twelve bands that nobody names, of one quantity and a whole year, as its months, which is assumed; else none."""
    year = "" if span is None else span[0][:4]
    if len(bands) != _A_YEAR or span != (f"{year}-01-01", f"{year}-12-31"):
        return ()
    months = [f"{year}-{number:02d}" for number in range(1, _A_YEAR + 1)]
    return tuple(
        band.with_facts(Facts.of(Origin.ASSUMED, _TWELVE, datetime=f"{one}-01", span=days_of(one)).over(band.facts))
        for band, one in zip(bands, months, strict=True)
    )


def _described(band: Artifact) -> Facts:
    time = band.known("datetime")
    if time is not None and time.source == AXES:
        return band.facts.only((*_SAID_BY_DESCRIPTION, *_TELLING_APART))
    description = str(band.fact("layer") or "")
    moment = iso_datetime(description)
    if moment is not None:
        return Facts.of(Origin.DECLARED, _SOURCE, datetime=moment, span=days_of(description))
    # a description has no ending to be left out; what stands before a date in it numbers the band and is no place
    name = name_facts(f"{description}.tif", band.fact("dtype"))
    return Facts.of(Origin.DECLARED, _SOURCE, datetime=_day_of(name)).over(name.facts.without(("region",)))


def _day_of(name: NameFacts) -> str | None:
    """The day on which all moments of a name lie that it leaves open: those of a beginning and of a processing."""
    days = {str(clue.value)[:10] for clue in name.clues if clue.fact == "datetime"}
    return days.pop() if len(days) == 1 else None


def _months(bands: Sequence[Artifact], date: str | None) -> list[Facts]:
    """The months that all bands are called by, in the year of the file; nothing where one is called otherwise."""
    numbers = [_month(str(band.fact("layer") or "")) for band in bands]
    if date is None or len(bands) < 2 or None in numbers:
        return []
    months = [f"{date[:4]}-{number:02d}" for number in numbers]
    return [Facts.of(Origin.DECLARED, _SOURCE, datetime=f"{one}-01", span=days_of(one)) for one in months]


def _dekads(bands: Sequence[Artifact]) -> list[Facts]:
    """The thirds of months that all bands are called by (``2020-07-1``), each month with all three of its own."""
    found = [_DEKAD.fullmatch(str(band.fact("layer") or "").strip()) for band in bands]
    told = [(one["month"], int(one["third"])) for one in found if one is not None]
    thirds: dict[str, list[int]] = {}
    for month, third in told:
        thirds.setdefault(month, []).append(third)
    if len(told) < len(bands) or len(thirds) < 2 or any(sorted(of) != [1, 2, 3] for of in thirds.values()):
        return []
    spans = [_third_of(month, third) for month, third in told]
    return [Facts.of(Origin.DECLARED, _THIRD, datetime=span[0], span=span) for span in spans]


def _third_of(month: str, third: int) -> tuple[str, str]:
    last = calendar.monthrange(int(month[:4]), int(month[5:]))[1] if third == 3 else 10 * third
    return f"{month}-{10 * third - 9:02d}", f"{month}-{last:02d}"


def _month(text: str) -> int | None:
    found = _MONTH_NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else _MONTHS.get(text.strip().casefold())
