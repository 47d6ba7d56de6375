"""Dates that names write into codes, as whoever renames many files does: ``tc2103``, ``smap210410am``, ``vhi21w14``,
``rf2103d3``, ``0524`` below a folder of 2021, ``urban86`` beside ``urban02``, ``loss 00-10`` beside ``loss 10-22``.

A code alone may be any number. It is a date where all of its kind in a tree, which stand behind the same letters, can
be dates, and are of years that the tree tells elsewhere, or several and of years near each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import TypeAlias

from knowflow.ground.regex import regex
from knowflow.reason.inventory.date_readers import READERS
from knowflow.reason.inventory.month_words import MONTH_WORDS
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated
from knowflow.reason.inventory.spans import Span

Key: TypeAlias = "tuple[str, int, str]"
"""The letters before a code, how many digits it has, and what stands behind them."""
_CODE = regex(
    r"(?<!\d)(?<!\d[-_. ])(?P<digits>\d{4,6})(?P<tail>(?:[dp][1-6]|am|pm|asc|desc|des|[adn])?)(?![0-9A-Za-z])"
    r"(?![-_. ]\d)|(?<!\d)(?P<week>\d\dw\d\d)(?![0-9A-Za-z])"
    r"|(?:(?<=[A-Za-z]{3})|(?<=[A-Za-z]{3}[-_ ]))(?P<years>\d\d(?:-\d\d)?)(?![0-9A-Za-z%])(?![-_. ]\d)",
    2,
)
_HEAD = regex(r"([A-Za-z]*)[-_. ]?\Z")
_YEAR = regex(r"19[4-9]\d|20[0-3]\d")
_NO_DATES = regex(
    r"epsg|utm|n|r|v|ver|orbit|track|path|row|o|t|z|b|h|tile|part|id|no|nr|site|plot|zone|sheet|blatt|hoja|arkusz|rel|abs"
    r"|frame|aid"
)
"""Words before numbers that are none of time."""
_SEVERAL, _NEAR_YEARS = 3, 6
_WEEKS, _SHORT_YEAR, _TWO_YEARS = "w", 2, "-"
_SIZES = frozenset({"10", "15", "20", "25", "30", "50", "60"})  # of pixels
_FORMS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {4: ("yymm", "mmyy", "mmdd", "ddmm"), 5: ("yyddd",), 6: ("yymmdd", "ddmmyy")}
)


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of a tree that are dates, each with its form."""

    forms: Mapping[Key, str] = field(default_factory=lambda: MappingProxyType({}))

    def read(self, rest: str, year: str | None) -> tuple[str, tuple[Dated, ...]]:
        """A name with a mark in the place of the only date that it holds as a code, and that date; ``year`` is that of
        codes without one."""
        found = [(one, span) for one, span in self._read(rest, year) if span is not None]
        if len(found) != 1:
            return rest, ()
        ((start, end), span) = found[0]
        return f"{rest[:start]}{DATE_MARK}{rest[end:]}", (Dated((span,), True, "code"),)

    def _read(self, rest: str, year: str | None) -> Iterator[tuple[tuple[int, int], Span | None]]:
        for key, digits, tail, place in _codes(rest):
            if (form := self.forms.get(key)) is not None:
                yield place, _span(digits, form, tail, year)


NO_CODES = Codes()


def codes_of(stems: Iterable[str], years: Collection[str]) -> Codes:
    """The codes of names without their dates that are dates; ``years`` are those that the tree tells elsewhere."""
    values: dict[Key, set[str]] = {}
    for stem in stems:
        for key, digits, _, _ in _codes(stem):
            values.setdefault(key, set()).add(digits)
    told = {key: form for key, some in values.items() if (form := _form(key, some, years))}
    alone = {key: one for key, (one, *more) in values.items() if key[1] == _SHORT_YEAR and not more}
    alone = {key: one for key, one in alone.items() if one not in _SIZES and str(_year(one, "yy")) in years}
    if any(key[1] == _SHORT_YEAR and not key[2] for key in told) or len({*alone.values()}) < len(alone):
        told |= dict.fromkeys(alone, "yy")  # as others write theirs
    return Codes(MappingProxyType(told))


def _codes(stem: str) -> Iterator[tuple[Key, str, str, tuple[int, int]]]:
    for found in _CODE.finditer(stem):
        head = _HEAD.search(stem, 0, found.start())
        letters = head[1].casefold() if head else ""
        if _NO_DATES.fullmatch(letters) or (letters in MONTH_WORDS and not found["week"]):
            continue  # juni 21 is of a month, and not all of a year
        if found["week"]:
            yield (letters, 4, _WEEKS), found["week"].casefold().replace(_WEEKS, ""), "", found.span("week")
        elif found["years"]:
            tail = _TWO_YEARS if _TWO_YEARS in found["years"] else ""
            yield (letters, _SHORT_YEAR, tail), found["years"], "", found.span("years")
        else:
            tail = found["tail"].casefold()
            kind = tail[0] if tail[1:].isdigit() else ""
            end = found.end() if kind else found.end("digits")
            yield (letters, len(found["digits"]), kind), found["digits"], tail, (found.start(), end)


def _form(key: Key, values: Collection[str], years: Collection[str]) -> str:
    """The only form in which all of some codes are dates, and of the right years; "" where there is none."""
    _, length, tail = key
    if tail == _WEEKS:
        return "yyww" if _are_of(values, "yyww", years) else ""
    if tail == _TWO_YEARS:
        ends = [[str(_year(end, "yy")) for end in one.split(tail)] for one in values]
        chained = len({end for one in ends for end in one}) <= len(ends) + 1 and len(ends) > 1
        return "yy-yy" if all(a < b for a, b in ends) and (chained or all({*one} <= {*years} for one in ends)) else ""
    if length == _SHORT_YEAR:
        return "yy" if len(values) > 1 and {str(_year(one, "yy")) for one in values} <= {*years} else ""
    if length == 4 and all(_YEAR.fullmatch(one) for one in values):
        return ""
    of_years = [form for form in _FORMS[length] if "yy" in form and _are_of(values, form, years)]
    if of_years or tail:
        return of_years[0] if len(of_years) == 1 else ""
    yearless = [form for form in _FORMS[length] if "yy" not in form and _possible(values, form)]
    return yearless[0] if len(yearless) == 1 and len(values) >= _SEVERAL and years else ""


def _are_of(values: Collection[str], form: str, years: Collection[str]) -> bool:
    """Whether codes are dates of a form, and of years that are told elsewhere, or several of years near each other."""
    own = {_year(one, form) for one in values}
    if not _possible(values, form) or max(own) > date.today().year:
        return False
    near = len(values) >= _SEVERAL and max(own) - min(own) < _NEAR_YEARS
    return {str(year) for year in own} <= {*years} or (near and not years)


def _possible(values: Collection[str], form: str) -> bool:
    return all(_span(one, form, "", "2000") is not None for one in values)


def _year(digits: str, form: str) -> int:
    two = int(digits[form.index("yy") :][:2])
    return two + (2000 if two < 50 else 1900)


def _span(digits: str, form: str, tail: str, year: str | None) -> Span | None:
    """The days of a code; None where it is none."""
    full = str(_year(digits, form)) if "yy" in form else year
    if form in ("yy", "yy-yy"):
        return Span(f"{full}-01-01", f"{_year(digits[-2:], 'yy')}-12-31")
    if full is None:
        return None
    parts = {letter: digits[form.index(letter) : form.rindex(letter) + 1] for letter in {*form} - {"y"}}
    if "w" in parts:
        return _only("week", f"{full}w{parts['w']}")
    if len(parts.get("d", "")) == 3:
        return _only("doy", f"{full}{parts['d']}")
    if "d" in parts:
        return _only("ymd", f"{full}{parts['m']}{parts['d']}")
    if not 1 <= int(parts["m"]) <= 12:
        return None
    if tail[1:].isdigit():
        return _only("part", f"{full}{parts['m']}-{tail}")
    return _only("month", f"{full}-{parts['m']}")


def _only(reader: str, text: str) -> Span | None:
    return next(READERS[reader](text), None)
