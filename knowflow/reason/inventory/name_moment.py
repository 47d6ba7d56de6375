"""The date of a name: of its own dates, those of its folders, and what its product says of the time that they mean."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.name_dates import Dated
from knowflow.reason.inventory.products import Product
from knowflow.reason.inventory.said import Said
from knowflow.reason.inventory.spans import Span, year_span

_ONE_MONTH, _ONE_YEAR, _OF_A_NORM = 31, 366, 3652
SEASONS = ("file name (a season, of the north)", "file name (a season, of the south)")
_TROPIC = 23.5  # degrees
_HEIGHTS = "elevation"
_MAYBE = (0.45, 0.4)  # of two readings of a date, and of dates that are not told apart
_OF_TWO_DATES = frozenset(
    (
        *("change_mask", "coherence", "difference", "dnbr", "elevation_difference", "interferometric_phase"),
        *("line_of_sight_displacement", "rdnbr", "relative_change", "temperature_difference", "unwrapped_phase"),
        "vertical_displacement",
    )
)
"""Quantities of what changed from one date to another."""


def of_one_day(said: Facts, when: Facts) -> Facts:
    """What a name says; of one day, the peak is that of what happened then, and no maximum: ``VV_2022-06-18_peak``."""
    told = said.get("statistic")
    peak = told is not None and "peak" in told.source.casefold()
    day = len(str(when.value("datetime") or "")) >= len("2022-06-18") and "span" not in when
    return said.without(("statistic",)) if peak and day else said


def date_of(
    dates: tuple[Dated, ...], said: Said, around: tuple[Dated, ...], product: Product | None
) -> tuple[Facts, tuple[Clue, ...]]:
    """The date of a name, of its folders where it tells none; several that differ stay open."""
    if product is not None and any("{doy}" in shape for shape in product.names):
        dates = tuple(Dated(one.spans[:1]) if one.day_of_year else one for one in dates)
    years, doubtful = _within_years(said)
    certain, told = (tuple(one for one in some if one.certain) for some in (dates, around))
    if doubtful and not certain:
        return Facts(), tuple(_maybe(list(years), SEASONS if len(years) == len(SEASONS) else None))
    in_name, of_folders = (years, ()) if said.own_year and not said.cited else ((), years)
    if said.cited and not told and not certain:
        return Facts(), tuple(_maybe(list(years)))
    if said.cited:
        of_folders = ()
    if len(edition := _edition(certain, in_name)) > 1:
        return Facts(), tuple(_maybe(edition))
    of_others: tuple[Dated | Span, ...] = _confirmed(dates, told) if dates else (*told, *of_folders)
    sources: tuple[tuple[Dated | Span, ...], ...] = (certain, in_name, of_others)
    for known in sources:
        spans = _without_norms(_finest([one if isinstance(one, Span) else one.spans[0] for one in known]))
        if len(spans) == 1 and _of_a_pair(spans[0]) and said.facts.value("quantity") == _HEIGHTS:
            return Facts(), tuple(_maybe(spans))
        if len(spans) == 1:
            return _dated(spans[0], said, product), ()
        if spans and (said.derived or said.facts.value("quantity") in _OF_TWO_DATES):  # a change from one to the other
            days = min(one.first[:10] for one in spans), max(one.last for one in spans)
            return Facts.of(Origin.DECLARED, "file name (its first and last date)", span=days), ()
        if spans:
            return Facts(), tuple(_maybe(spans))
    return Facts(), tuple(_maybe([span for one in dates or around for span in one.spans]))


def of_step(one: Dated, step: str | None) -> Dated:
    """A date that may be of several lengths, where words of the name or its folders tell which."""
    days = {"P5D": range(3, 7), "P10D": range(8, 12), "P1M": range(28, 32)}.get(step or "", ())
    told = [span for span in one.spans if span.days in days]
    return Dated((told[0],), True, one.form) if not one.certain and len(told) == 1 else one


def _edition(certain: tuple[Dated, ...], years: tuple[Span, ...]) -> list[Span]:
    """The only month of a name, and the only year, where it lies in none of it and the year ended before: the month may
    be when the file was published (``202206_parasite_rate_2020``)."""
    months = dict.fromkeys(one.spans[0] for one in certain)
    if len(months) != 1 or len(years) != 1 or years[0].days > _ONE_YEAR:
        return []
    (month,) = months
    return [years[0], month] if 1 < month.days <= _ONE_MONTH and years[0].last < month.first else []


def _of_a_pair(span: Span) -> bool:
    """Whether a span is from one day to another: the heights beside what was measured of both are of neither."""
    return 1 < span.days <= _ONE_YEAR and not span.calendar


def _within_years(said: Said) -> tuple[tuple[Span, ...], bool]:
    """The years of a name, or the months of one that it names apart; whether nobody knows which months these are."""
    if len(said.years) != 1 or len(said.months) != 1 or said.years[0].days > _ONE_YEAR:
        return said.years, False
    year, months = said.years[0].first[:4], said.months[0]
    if months == "?":
        return said.years, True
    first, last = int(months[:2]), int(months[3:5])
    if months.endswith("?"):
        return tuple(_season(int(year), one) for one in (first, (first + 5) % 12 + 1)), True
    return (Span(f"{year}-{first:02d}-01", f"{year}-{last:02d}-{monthrange(int(year), last)[1]}"),), False


def _season(year: int, first: int) -> Span:
    """Three months of a year from the first one; those that begin in December have most of their days in it."""
    last = (first + 1) % 12 + 1
    return Span(f"{year - (last < first)}-{first:02d}-01", f"{year}-{last:02d}-{monthrange(year, last)[1]}")


def _confirmed(dates: tuple[Dated, ...], around: tuple[Dated, ...]) -> tuple[Span, ...]:
    """The ways to read a date that are the date of a folder, too."""
    told = {span for one in around for span in one.spans}
    return tuple(span for one in dates for span in one.spans if span in told)


def _finest(spans: list[Span]) -> list[Span]:
    """Spans without those that hold another one: of a year and a day of it the day."""
    once = list(dict.fromkeys(spans))
    return [one for one in once if not any(other != one and one.holds(other) for other in once)]


def _without_norms(spans: list[Span]) -> list[Span]:
    """Spans without the many years that one of no more than a year is compared with."""
    short = [one for one in spans if one.days <= _ONE_YEAR]
    return short if short and all(one.days >= _OF_A_NORM for one in spans if one not in short) else spans


def _maybe(spans: list[Span], sources: tuple[str, ...] | None = None) -> Iterator[Clue]:
    for place, span in enumerate(spans):
        if span.moment is not None:
            source = sources[place] if sources else "file name (one of the ways to read it)"
            yield Clue("datetime", span.moment, source, _MAYBE[min(place, 1)])
            if sources:
                yield Clue("span", (span.first, span.last), source, _MAYBE[min(place, 1)])


def season_of(clues: tuple[Clue, ...], latitude: Callable[[], float | None]) -> Facts:
    """The three months of a season of a year, as it is on the side of the Earth where a file lies: usual, not certain.
    In the tropics, and where they belong to two years, nobody knows which they are."""
    seasons = [one for one in clues if one.source in SEASONS]
    north = latitude() if seasons else None
    if north is None or abs(north) < _TROPIC:
        return Facts()
    source = SEASONS[north < 0]
    told = {one.fact: one.value for one in seasons if one.source == source}
    if told["span"][0][:4] != told["span"][1][:4]:
        return Facts()
    return Facts.of(Origin.ASSUMED, source, **told)


def _dated(span: Span, said: Said, product: Product | None) -> Facts:
    source = f"file name ({product.title})" if product is not None else "file name"
    if product is not None and product.date != "day" and span.days == 1 and product.span is not None:
        span = _widened(span, product.date, product.span)
    if product is not None and product.year_begins is not None and span == year_span(span.first[:4]):
        span = _widened(Span(*[f"{span.first[:4]}-{product.year_begins}"] * 2), "start", "P1Y")
    days = (span.first[:10], span.last) if span.days > 1 else None
    if (said.derived and span.days > 1 and not span.calendar) or (said.several and span.days > _ONE_MONTH):
        return Facts.of(Origin.DECLARED, source, span=days)
    moment = span.first if product is not None and product.date == "start" else span.moment
    return Facts.of(Origin.DECLARED, source, datetime=moment, span=days)


def _widened(day: Span, place: str, length: str) -> Span:
    """The span of a length of which a day is the start, the middle or the end."""
    given = date.fromisoformat(day.last)
    count, unit = int(length[1:-1]), length[-1]
    if unit == "D":
        days = count
    elif place == "start":
        months = given.month - 1 + count * (12 if unit == "Y" else 1)
        year, month = given.year + months // 12, months % 12 + 1
        days = (date(year, month, min(given.day, monthrange(year, month)[1])) - given).days
    else:
        days = round(count * (365.25 if unit == "Y" else 30.4375))
    before = {"start": 0, "middle": (days - 1) // 2, "end": days - 1}[place]
    first = given - timedelta(days=before)
    return Span(first.isoformat(), (first + timedelta(days=days - 1)).isoformat())
