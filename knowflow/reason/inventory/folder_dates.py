"""Dates that may be read in several ways, settled by the other names of the folder: by their dates, and by whether they
write days before months."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType

from knowflow.ground.regex import regex
from knowflow.reason.inventory.code_dates import NO_CODES, Codes, codes_of
from knowflow.reason.inventory.date_order import dotted_in, order_of
from knowflow.reason.inventory.date_readers import READERS, day_of_six
from knowflow.reason.inventory.month_numbers import NO_MONTHS, MonthNumbers, month_numbers_of
from knowflow.reason.inventory.month_words import MONTH_WORDS, languages_in, month_in, without_accents
from knowflow.reason.inventory.month_years import NO_MONTH_YEARS, MonthYears, letters_of, month_years_of
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated, dates_in, has_days, without_year
from knowflow.reason.inventory.spans import Span

_COMPOSITES = 8  # days between the first days of composites
_FIRST_TELLING = 100  # numbers below it may be versions
_ROUND = 10  # multiples of it may be sizes of pixels
_LAST_DAY = 366
_ONE_MONTH, _TWELVE = 31, 12  # days of a month, months of a year
_PENTAD, _PARTLY = 6, range(3, 12)  # days of one, and of any part of a month
_DEKADS = 3
_PART = regex(r"(?<!\d)((?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2]))[-_.]?([1-6])(?![0-9A-Za-z])")
_SIX = regex(r"(?<!\d)\d{6}(?![0-9A-Za-z])")
_PAIRS = regex(r"(?<![0-9A-Za-z])(?<!\d[-.])\d\d-\d\d-\d\d(?![0-9A-Za-z])(?![-.]\d)")
_ORDERS = ("ymd", "dmy")
_MONTHS, _MONTH_FIRST = "ym", "mdy"
_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_AT_YEAR = regex(r"([A-Za-z]{3,})((?:19|20)\d\d)(?!\d)")
_AT_NUMBERS = regex(r"(?<![A-Za-z])([A-Za-z]{3,5})(?=[-_. ]?\d\d(?:\d\d)?(?![0-9A-Za-z]))")
_MAYBE_YEAR = regex(rf"(?<![A-Za-z])(?:{'|'.join(MONTH_WORDS)})[-_. ]?[12]\d(?![0-9A-Za-z])", 2)
_BY_NAME = frozenset({"named", "nymd", "short_year"})
_OF_THIRDS = frozenset({"part", "nth_part"})
_DIGITS = regex(r"\d+")
_OF_SIX = "six"
_APART = regex(r"(?<![0-9A-Za-z])(?<!\d[-_])\d\d?-\d\d-(?:19|20)\d\d(?!\d)")
_SEVERAL = 3
_NEAR_YEARS = 10  # of the others, in which what has dots between its numbers may be a day
_BESIDE_YEAR = regex(r"(?<!\d)(?:19|20)\d\d[-_.](\d{3})(?![0-9A-Za-z])|(?<!\d)(\d{3})[-_.](?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class FolderDates:
    """What the names of a folder tell: their ``days``, in which ``order`` (``dmy``, ``mdy``, or none) they write day
    and month, the ``years`` of their dates, the ``numbers`` beside a year that may be days of it, and the ``months``
    beside a year that may be months of it; ``parts`` is in how many they divide months, 0 where they do not tell.
    ``six`` is in which order they write dates in six digits (``ymd``, ``dmy``, ``mdy``, ``ym``), ``pairs`` the same of
    digits in three pairs (``16-03-23``), ``named`` what is left of those that tell a month by its name, ``yearless``
    whether some tell a day without its year, and ``told`` the years that stand alone; ``thirds`` are numbers that look
    like days and are thirds of months (``1-03-2021``, ``2-03-2021``, ``3-03-2021``). ``of_days`` are names without
    dates and digits whose six digits are days also where they look like a month and its year. ``languages`` are those
    of whose months several stand beside numbers, ``numbered`` the words that stand before the numbers of several years
    (``kitui2018``), ``codes`` how dates are written into codes, ``month_numbers`` the series by months, ``month_years``
    what two digits behind months are, ``series`` the dates of the names that have all letters but those of their date
    in common."""

    days: frozenset[Span] = frozenset()
    order: str = ""
    years: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    months: frozenset[str] = frozenset()
    parts: int = 0
    six: str = ""
    pairs: str = ""
    named: frozenset[str] = frozenset()
    yearless: bool = False
    told: frozenset[str] = frozenset()
    thirds: frozenset[str] = frozenset()
    of_days: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()
    codes: Codes = NO_CODES
    month_numbers: MonthNumbers = NO_MONTHS
    month_years: MonthYears = NO_MONTH_YEARS
    series: Mapping[str, frozenset[Span]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def by_day_of_year(self) -> bool:
        """Whether the numbers beside years are days of these: no number is none of a year, and they are those on which
        composites begin (every eighth), several, or one that is neither a version nor a size."""
        if not self.numbers or max(self.numbers) > _LAST_DAY or min(self.numbers) < 1:
            return False
        of_composites = all(number % _COMPOSITES == 1 for number in self.numbers)
        telling = [number for number in self.numbers if number >= _FIRST_TELLING and number % _ROUND]
        return bool(telling) or (of_composites and len(self.numbers) > 1)

    def settled(self, dates: Iterable[Dated], rest: str = "") -> tuple[Dated, ...]:
        """The dates, each with the one way to read it that the folder tells, where it does; ``rest`` is the name
        without them."""
        of_days = alike(rest) in self.of_days
        return tuple(
            one
            if one.certain and one.word not in self.thirds and not (of_days and one.form == _OF_SIX)
            else self._settled(one, of_days)
            for one in dates
        )

    def in_year(self, stem: str) -> tuple[str, tuple[Dated, ...]]:
        """A name with marks in the places of days that it tells without their year, and these dates: in the one year
        that the folder speaks of, or else in that in which another name has the same day. Two digits behind a month are
        its year where no name of the series tells a day, or none of the folder (``apr_20``)."""
        if (month := self._in_short_year(stem)) is not None:
            return month
        told = self._in_each_year(stem)
        same = [
            one for one in told if all(Span(date.spans[0].last, date.spans[0].last) in self.days for date in one[1])
        ]
        chosen = told if len(told) == 1 else same
        if len(chosen) == 1 and not same and len(self.told) != 1 and (one := _MAYBE_YEAR.search(stem)):
            rest = f"{stem[: one.start()]}{DATE_MARK}{stem[one.end() :]}"  # Jul-21
            day = chosen[0][1][0].spans[0]
            months = [month for month in READERS["short_year"](one.group()) if month is not None]
            whole = [month for month in months if month.holds(day)]
            return rest, (Dated(tuple(whole or [*months, day]), bool(whole)),)
        return chosen[0] if len(chosen) == 1 else (stem, ())

    def in_some_year(self, stem: str) -> tuple[str, tuple[Dated, ...]]:
        """A name with a mark in the place of the one day that it tells without its year, open: in each year of which
        the folder speaks, those of its series first, and of two digits behind a month also all of that."""
        told = [one for one in self._in_each_year(stem) if len(one[1]) == 1]
        if not told:
            return stem, ()
        one = _MAYBE_YEAR.search(stem)
        months = READERS["short_year"](one.group()) if one is not None else ()
        own = {span.last[:4] for span in self.series.get(letters_of(told[0][0]), ())}
        days = sorted((date.spans[0] for _, (date,) in told), key=lambda span: span.last[:4] not in own)
        spans = (*days, *(month for month in months if month is not None))
        return told[0][0], (Dated(tuple(dict.fromkeys(spans)), False),)

    def dotted(self, rest: str) -> tuple[str, tuple[Dated, ...]]:
        """A name with a mark in the place of a day in short with dots (``7.8.22``), which is one where the folder
        writes the day first, in a year near others, and may be a version elsewhere."""
        marked, day = dotted_in(rest)
        if day is None:
            return rest, ()
        years = [int(year) for year in self.years]
        near = not years or min(years) - _NEAR_YEARS <= int(day.last[:4]) <= max(years) + _NEAR_YEARS
        return marked, (Dated((day,), near and self.order == "dmy", "dotted"),)

    def _in_each_year(self, stem: str) -> list[tuple[str, tuple[Dated, ...]]]:
        """A name and its days in each year of the folder, as ``without_year`` reads them."""
        years = self.told if len(self.told) == 1 or not self.years else self.years
        return [one for one in (without_year(stem, year) for year in sorted(years)) if one[1]]

    def _in_short_year(self, stem: str) -> tuple[str, tuple[Dated, ...]] | None:
        """A name that tells a month and two digits of its year, where those beside it tell months and no days; None
        where they may be a day."""
        one = _MAYBE_YEAR.search(stem)
        months = [] if one is None else [month for month in READERS["short_year"](one.group()) if month is not None]
        if one is None or len(months) != 1 or months[0].last[:4] not in self.years:
            return None
        rest = f"{stem[: one.start()]}{DATE_MARK}{stem[one.end() :]}"
        beside = self.series.get(letters_of(rest), frozenset())
        if any(span.days == 1 for span in beside or self.days):
            return None
        return rest, (Dated((months[0],)),)

    def _settled(self, one: Dated, of_days: bool) -> Dated:
        if one.word in self.thirds:
            place, of_month, year = one.word.split("-")
            thirds = tuple(span for span in READERS["part"](f"{year}-{of_month}-d{place}") if span is not None)
            return replace(one, spans=thirds, certain=True)
        month = month_in(one.word, self.languages) if one.word else None
        if month is not None:  # lug21 beside gen21
            told = [span for span in one.spans if span.days <= _ONE_MONTH and int(span.first[5:7]) == month]
            return replace(one, spans=(told[0],), certain=True) if len(told) == 1 else one
        told = self._in_order(one, of_days)
        if len(told) != 1:
            told = [span for span in one.spans if span in self.days and span.days == 1]
        if len(told) != 1 and one.day_of_year and self.by_day_of_year:
            told = [one.spans[0]]
        if len(told) != 1 and one.month_of_year and len(self.months) > 1:
            told = [one.spans[0]]
        if len(told) != 1 and self.parts and all(span.days in _PARTLY for span in one.spans):
            told = [span for span in one.spans if (span.days > _PENTAD) == (self.parts == _DEKADS)]
        if one.form == _OF_SIX and self.six == _MONTHS:  # 200405 beside 201605
            told = [span for span in one.spans if span.days > 1]
        if len(told) != 1 and one.form in (_OF_SIX, "short_year"):  # 201108: of 2011 or of 2020
            told = [span for span in one.spans if span.last[:4] in self.years]
        return replace(one, spans=(told[0],), certain=True) if len(told) == 1 else one

    def _in_order(self, one: Dated, of_days: bool) -> list[Span]:
        """The day of a date in the order in which the folder writes day and month, before any day that another name has
        by chance, too: of 040722 beside 042322 the seventh of April, also beside 2022-07-04."""
        if one.form == "dmy":
            return [one.spans[0 if self.order == "dmy" else 1]] if self.order else []
        order = self.six if one.form == _OF_SIX else self.pairs
        if not one.word[:2].isdigit() or order in ("", _MONTHS):
            return []
        by_days = of_days or all(span.days == 1 for span in one.spans)
        return [day_of_six(one.word.replace("-", ""), order) or one.spans[0]] if by_days else []


def alike(rest: str) -> str:
    """What names have in common that differ in dates and digits alone; ``rest`` is one without its dates."""
    return _DIGITS.sub("", without_accents(rest)).casefold()


def folder_dates(stems: Iterable[str], folders: Collection[str] = ()) -> FolderDates:
    """What these names, without their endings, tell of dates, and those of the folders that they lie in."""
    days: set[Span] = set()
    read: list[Dated] = []
    years: set[str] = set()
    numbers: set[int] = set()
    months: set[str] = set()
    apart: dict[str, set[Span]] = {}
    sixes: set[str] = set()
    of_one: dict[str, set[str]] = {}
    pairs: set[str] = set()
    named: set[str] = set()
    series: dict[str, set[Span]] = {}
    listed = [without_accents(stem) for stem in (*stems, *folders)]
    for stem in listed:
        rest, dates = dates_in(stem)
        sixes |= {*_SIX.findall(stem)}
        of_one.setdefault(alike(rest), set()).update(one.word for one in dates if one.form == _OF_SIX)
        pairs |= {one.replace("-", "") for one in _PAIRS.findall(stem)}
        if len(dates) == 1 and dates[0].certain and dates[0].form in _BY_NAME:
            named.add(rest)
        series.setdefault(letters_of(rest), set()).update(one.spans[0] for one in dates if one.certain)
        read += dates
        for one in dates:
            if one.certain and one.spans[0].days <= _ONE_MONTH:
                years.add(one.spans[0].last[:4])
            if one.certain and one.spans[0].days == 1:
                days.add(Span(one.spans[0].last, one.spans[0].last))
            elif one.form == "short_year" and one.spans[0].days == 1:
                apart.setdefault(one.spans[0].last[:4], set()).add(one.spans[0])
            elif one.month_of_year:
                months.add(one.spans[0].first[5:7])
        numbers |= {int("".join(found)) for found in _BESIDE_YEAR.findall(stem)}
    told = {*years, *(year for stem in listed for year in _YEAR.findall(stem))}
    of_months_alone = {one for some in of_one.values() if all(map(_begins_with_month, some)) for one in some}
    sixes = sixes if all(map(_is_month, sixes)) else sixes - of_months_alone
    six, of_pairs = _order_of_six(sixes, told), _order_of_six(pairs, told)
    ordered = ((some, order) for some, order in ((sixes, six), (pairs, of_pairs)) if order not in ("", _MONTHS))
    in_order = (day_of_six(one, order) for some, order in ordered for one in some)
    days |= {one for one in in_order if one is not None}
    if len(apart) == 1 and len(of_one_year := next(iter(apart.values()))) > 1:  # JUL08_22 beside AUG25_22
        days |= of_one_year
    of_months = month_numbers_of(listed, told)
    languages = languages_in(word.casefold() for stem in listed for word in _AT_NUMBERS.findall(stem))
    return FolderDates(
        frozenset(days),
        order_of(read, listed),
        frozenset(years),
        frozenset(numbers),
        frozenset(months) | of_months.months,
        _parts(listed),
        six,
        of_pairs,
        frozenset(named),
        any(has_days(dates_in(stem)[0]) for stem in listed),
        frozenset(year for stem in folders or listed for year in _YEAR.findall(dates_in(stem)[0])),
        _thirds(listed),
        frozenset(key for key, some in of_one.items() if six == _MONTH_FIRST and _are_days(some)),
        languages,
        frozenset(word for word, some in _years_at(listed).items() if len(some) > 1),
        codes_of((dates_in(stem)[0] for stem in listed), told),
        of_months,
        month_years_of(listed, languages),
        MappingProxyType({name: frozenset(some) for name, some in series.items() if some}),
    )


def _parts(stems: Iterable[str]) -> int:
    """In how many parts names divide months, by one of which all are told; 0 where there is none."""
    parts: dict[str, set[int]] = {}
    for stem in stems:
        for month, part in _PART.findall(stem):
            parts.setdefault(month, set()).add(int(part))
    told = (len(some) for some in parts.values() if some == set(range(1, len(some) + 1)))
    return max((number for number in told if number in (3, 6)), default=0)


def _thirds(stems: Iterable[str]) -> frozenset[str]:
    """Numbers before months of names alike that are thirds of them: none is above three, and all three stand before
    one month, or other names tell thirds of months by their words."""
    found: dict[str, set[str]] = {}
    by_words = False
    for stem in stems:
        by_words = by_words or any(one.form in _OF_THIRDS and one.spans[0].days > _PENTAD for one in dates_in(stem)[1])
        for one in _APART.finditer(stem):
            found.setdefault(f"{stem[: one.start()]}\0{stem[one.end() :]}".casefold(), set()).add(one[0])
    told: set[str] = set()
    for some in found.values():
        months: dict[str, set[str]] = {}
        for text in some:
            months.setdefault(text.partition("-")[2], set()).add(text.partition("-")[0])
        numbers = [len(of_one) for of_one in months.values()]
        whole = len(months) >= _SEVERAL and (by_words or min(numbers) == _DEKADS)
        told |= some if whole and set().union(*months.values()) <= {"1", "2", "3"} else set()
    return frozenset(told)


def _years_at(stems: Iterable[str]) -> dict[str, set[str]]:
    """The words of names that differ in nothing but the year that is written together with one, with these years."""
    found: dict[tuple[str, str], set[str]] = {}
    for stem in stems:
        rest = dates_in(stem)[0]
        for one in _AT_YEAR.finditer(rest):
            found.setdefault((one[1].casefold(), f"{rest[: one.start(2)]}{rest[one.end() :]}"), set()).add(one[2])
    told: dict[str, set[str]] = {}
    for (word, _), years in found.items():
        told[word] = max(told.get(word, set()), years, key=len)
    return told


def _order_of_six(sixes: Collection[str], years: Collection[str]) -> str:
    """In which order numbers of six digits are dates, all of them: the only one, or else that of years that are told
    elsewhere. All may be months of years where one can be nothing else, or all twelve of each year are there."""
    if sixes and all(map(_is_month, sixes)):
        numbers: dict[str, set[str]] = {}
        for one in sixes:
            numbers.setdefault(one[:4], set()).add(one[4:])
        of_whole_years = all(len(of_year) == _TWELVE for of_year in numbers.values())
        if of_whole_years or not all(day_of_six(one, "ymd") for one in sixes):
            return _MONTHS
    read = {order: [_year_of_six(text, order) for text in sixes] for order in _ORDERS}
    if None in read["dmy"]:  # only then does anybody's month stand before the day
        read[_MONTH_FIRST] = [_year_of_six(text, _MONTH_FIRST) for text in sixes]
    possible = {order: [one for one in found if one] for order, found in read.items() if None not in found}
    told = {order: sum(year in years for year in found) for order, found in possible.items()}
    if len(possible) == 1:
        ((order, found),) = possible.items()
        return order if len(found) > 1 or told[order] else ""
    best = sorted(told, key=lambda order: -told[order])
    if best and 2 * told[best[0]] >= len(sixes) and told[best[0]] > 2 * told[best[-1]]:
        return best[0]
    apart = {order: max(map(int, found)) - min(map(int, found)) for order, found in possible.items() if found}
    near = min(apart, key=lambda order: apart[order], default="")  # images of one place are from years near each other
    return near if near and len(sixes) >= _SEVERAL and 3 * apart[near] <= max(apart.values()) else ""


def _is_month(six: str) -> bool:
    """Whether six digits can be a year and a month of it."""
    return any(span is not None and span.days > 1 for span in READERS["six"](six))


def _begins_with_month(six: str) -> bool:
    """Whether six digits can be a month and its year."""
    return any(span is not None and span.days > 1 and span.last[:4] == six[2:] for span in READERS["six"](six))


def _are_days(sixes: Collection[str]) -> bool:
    """Whether six digits of names alike are days, the month first, also those that look like a month and its year: all
    can be, and some can be nothing of that kind."""
    return not all(map(_is_month, sixes)) and all(day_of_six(one, _MONTH_FIRST) for one in sixes)


def _year_of_six(text: str, order: str) -> str | None:
    """The year of six digits that are a day in this order; None where they are none, or one to come."""
    found = day_of_six(text, order)
    return found.last[:4] if found is not None else None


def or_a_day(one: Dated, beside: FolderDates, folders: str, rest: str) -> Dated:
    """A month before two digits (``Apr12``), which may be a day where no other name is of that year; it is where others
    tell days without their year, and its folder the year."""
    if one.form != "short_year" or one.spans[0].days == 1 or beside.month_years.holds(one, rest):
        return one
    years = {day.last[:4] for day in beside.days}
    year, month = one.spans[0].first[:4], one.spans[0].first[5:7]
    days = [f"{other}-{month}-{year[2:]}" for other in sorted(years)]
    told = {*_YEAR.findall(folders)} or {*(beside.told)}
    if beside.yearless and len(told) == 1 and year not in told and _is_day(f"{(own := told.pop())}-{month}-{year[2:]}"):
        return Dated((Span(*[f"{own}-{month}-{year[2:]}"] * 2),), True, one.form)
    spans = tuple(Span(day, day) for day in days if _is_day(day))
    return one if year in years or not spans else Dated((*spans, *one.spans), False, one.form)


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def of_years_beside(rest: str, folders: str, beside: FolderDates) -> tuple[str, tuple[Dated, ...]]:
    """Days that a name tells without their year, where it tells one apart from them, or else its folders, the nearest
    that tells a single one, or the other names beside it."""
    for text in (rest, *reversed(folders.replace("\\", "/").split("/"))):
        if len(years := set(_YEAR.findall(text))) == 1:
            return without_year(rest, years.pop())
    return beside.in_year(rest)


def only_year(rest: str, folders: str, beside: FolderDates) -> str | None:
    """The only year that a name, or the nearest folder that tells any, or the whole tree speaks of."""
    for text in (rest, *reversed(folders.replace("\\", "/").split("/"))):
        if years := set(_YEAR.findall(text)):
            return years.pop() if len(years) == 1 else None
    told = beside.told
    return next(iter(told)) if len(told) == 1 else None
