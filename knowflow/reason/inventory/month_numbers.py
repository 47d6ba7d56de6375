"""Months that names write as a number apart from their year, as nothing but their series tells: ``chl_5_2020`` beside
``chl_6_2020`` and ``chl_7_2020``, ``Hs 2021 2``, ``ssrd_01_21``; or that stand before their names, as no days would:
``NO2_02lut_2021`` beside ``NO2_03mar_2021``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from knowflow.ground.regex import regex
from knowflow.reason.inventory.date_readers import READERS
from knowflow.reason.inventory.month_words import months_called
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated

Key: TypeAlias = "tuple[str, str, str]"
"""The form of a month, and what stands before and behind it."""
NUMBER_AND_NAME = regex(
    r"(?<![0-9A-Za-z])(?P<month>\d\d)[-_. ]?(?P<name>[^\W\d_]{3,12})[-_. ](?P<year>(?:19|20)\d\d)(?![0-9A-Za-z])"
)
"""A number before what may be the name of a month."""
_FORMS = MappingProxyType(
    {
        "year_last": regex(
            r"(?<![0-9A-Za-z])(?<!\d[-.])(?P<month>\d\d?)[-_. ](?P<year>(?:19|20)\d\d)(?![-_.]?[0-9A-Za-z])"
        ),
        "year_first": regex(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_. ](?P<month>\d\d?)(?![0-9A-Za-z])(?![-_. ]\d)"),
        "before_name": NUMBER_AND_NAME,
        "short_year": regex(r"(?<![0-9A-Za-z])(?P<month>\d\d)[-_](?P<year>\d\d)(?![0-9A-Za-z])(?![-_. ]\d)"),
    }
)
_OF_PARTS = regex(
    r"(?:^|[-_. ])\d+[-_. ]?$"
    r"|(?:^|[^a-z])(?:[a-z]|band|tile|zone|part|level|layer|bio|spi|spei|site|plot|run|field|parcel|farm|block|lot|rep"
    r"|sample|point|station|area|region|sector|subset|class|cluster|ver|version|step|model|member|scenario|horizon|depth"
    r"|pc|no|nr|id|orbit|track|path|row|week|day|dekad|season|parcela|zona|feld|parcelle|campo|flight|survey|event)"
    r"[-_. ]?$",
    2,
)
"""Words before a number of something else."""
_SEVERAL, _MOST = 3, 12
_BY_NAMES, _NO_MONTH = "before_name", "00"
_NEAR = 60  # letters of names that are compared


@dataclass(frozen=True, slots=True)
class MonthNumbers:
    """The series of a tree whose numbers are months of the year beside them."""

    keys: Mapping[Key, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    def read(self, rest: str) -> tuple[str, tuple[Dated, ...]]:
        """A name with a mark in the place of the only month of such a series, and that month."""
        numbers = (one for one in _numbers(rest) if one[0] in self.keys and one[2] != _NO_MONTH)
        return self._marked(rest, [(place, month, year) for _, place, month, year in numbers])

    def read_named(self, stem: str) -> tuple[str, tuple[Dated, ...]]:
        """The same of the names of months alone, that would be days of them by themselves: ``10_listopad_2022``."""
        numbers = (one for one in _numbers(stem) if one[0] in self.keys and one[2] != _NO_MONTH)
        return self._marked(stem, [(place, month, year) for key, place, month, year in numbers if key[0] == _BY_NAMES])

    @staticmethod
    def _marked(rest: str, found: list[tuple[tuple[int, int], str, str]]) -> tuple[str, tuple[Dated, ...]]:
        if len(found) != 1:
            return rest, ()
        (start, end), month, year = found[0]
        full = year if len(year) == 4 else f"{20 if int(year) < 50 else 19}{year}"
        spans = tuple(span for span in READERS["month"](f"{full}-{int(month):02d}") if span is not None)
        return f"{rest[:start]}{DATE_MARK}{rest[end:]}", (Dated(spans, True, "month_number"),)

    @property
    def months(self) -> frozenset[str]:
        return frozenset[str]().union(*self.keys.values())


NO_MONTHS = MonthNumbers()


def month_numbers_of(stems: Iterable[str], years: Collection[str]) -> MonthNumbers:
    """The series of names that differ in a number beside a year, where these numbers are months: three and more of
    twelve, in the order of no list, which would begin at one, and of years that are told elsewhere where two digits
    tell them."""
    found: dict[Key, set[tuple[str, str]]] = {}
    for stem in stems:
        for key, _, month, year in _numbers(stem):
            found.setdefault(key, set()).add((month, year))
    told = {key: some for key, some in found.items() if _are_months(key, some, years)}
    return MonthNumbers(
        MappingProxyType({key: frozenset(f"{int(month):02d}" for month, _ in some) for key, some in told.items()})
    )


def _numbers(stem: str) -> Iterator[tuple[Key, tuple[int, int], str, str]]:
    for form, pattern in _FORMS.items():
        for one in pattern.finditer(stem):
            before, behind = stem[: one.start()].casefold(), stem[one.end() :].casefold()
            if form == _BY_NAMES and int(one["month"]) not in months_called(one["name"]):
                yield (form, before[-_NEAR:], behind[:_NEAR]), one.span(), _NO_MONTH, one["year"]
            elif form == _BY_NAMES or not _OF_PARTS.search(before):
                yield (form, before[-_NEAR:], behind[:_NEAR]), one.span(), one["month"], one["year"]


def _are_months(key: Key, values: Collection[tuple[str, str]], years: Collection[str]) -> bool:
    form, _, _ = key
    numbers = {int(month) for month, _ in values}
    if len(numbers) < _SEVERAL or not numbers <= {*range(1, _MOST + 1)}:
        return False
    if form == _BY_NAMES:
        return True
    a_list = numbers == {*range(1, len(numbers) + 1)} and len(numbers) < _MOST
    if form == "short_year":
        of_years = {f"{20 if int(year) < 50 else 19}{year}" for _, year in values} <= {*years}
        return len(numbers) == _MOST or (of_years and not a_list)
    return not a_list or all(len(month) == 2 for month, _ in values)
