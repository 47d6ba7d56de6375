"""Amounts that add up from date to date: "total rainfall", "how much rain fell", "mean annual precipitation"."""

from __future__ import annotations

import re
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.model.goal import Period, Slot
from knowflow.reason.language.average_years import OF_THE_YEAR
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Asked, Subject, subjects

_BEFORE = regex(
    r"(?:(?<!in )\b(?:totals?|summed|accumulated|cumulative)(?:\s+(?:of|the|monthly|annual|yearly|daily))*"
    r"|\b(?P<much>how much)(?:\s+(?:of the|did|does|has|had|it))*)\s+$",
    re.IGNORECASE,
)
_AFTER = regex(r"\s*(?:totals?|sums?|in total|altogether)\b", re.IGNORECASE)
_INSIDE = regex(r"\btotals?\b", re.IGNORECASE)
_COMPARED = regex(r"\b(?:more|less|fewer|than|chang\w+|differ\w*|trend|increas\w+|decreas\w+)\b", re.IGNORECASE)
_IN_TOTAL = regex(r"\b(?:totals?|altogether|overall)\b", re.IGNORECASE)
_PERIODS = frozenset({"year", "season", "quarter", "month"})
_OF_TOTALS = frozenset({"mean", "median", "maximum", "minimum", "standard_deviation", "range"})
# "mean annual rainfall", "average rainfall per year" are of the totals; "mean rainfall of every year" may be of dates
_ANNUAL = regex(r"(?:annual|yearly|seasonal|quarterly|monthly)(?:ly)?", re.IGNORECASE)
_DATA = regex(
    r"\s+(?:[\w-]+\s+){0,2}(?:data(?:sets?)?|rasters?|images?|files?|series|maps?|products?|records?|composites?|values)\b",
    re.IGNORECASE,
)
_PER = regex(r"(?:per|an?)\s+\w+", re.IGNORECASE)
_CLAUSE = regex(r"[.?!;]\s|,?\s(?:and|plus)\s+(?:also\s+)?(?:(?:on|in)\s+)?(?:which|what|when|how)\b", re.IGNORECASE)
_UNLIKE = 1.2  # as February and March are not
_EXTENTS = frozenset({"share", "area", "map", "mask"})
# "the area that received more than 100 mm in June" received it in all of June
_CAME = regex(
    r"\b(?:receiv\w+|got|gets?|fell|fall(?:s|en)?|accumulat\w+|in\s+total|totals?(?!\s+(?:area|extent|share|size|surface))|altogether|summed|"
    r"over\s+the\s+(?:whole\s+)?(?:\w+\s+)?(?:day|week|month|season|summer|winter|spring|autumn|year|period)s?)\b",
    re.IGNORECASE,
)
_OF_A_DAY = regex(
    r"\b(?:daily|per\s+(?:day|date)|(?:a|any|one|each|every|single)\s+(?:\w+\s+)?(?:day|date)|on\s+average|average|mean)\b",
    re.IGNORECASE,
)


def with_total(reading: Reading) -> tuple[Asked, ...]:
    """What is asked, with the sum where the question is for the total of what adds up over time; a map of it is that of
    the total.

    Of other quantities "total" is a word among others, and "how much" asks for their size.
    """
    said = next((one for one in reading.asked if one.operation == "sum"), None)
    for subject in subjects(reading.heard, reading.limits, reading.pieces, reading.text, reading.known):
        kind = quantity_kinds().get(subject.quantity)
        if kind is None or not kind.accumulates:
            continue
        found = _total(reading.text, subject)
        if said is None and found is not None:
            said = Asked("sum", "statistic", found.start(), found.group().strip())
        if said is not None:
            return (*(one for one in reading.asked if one.operation not in ("map", "sum")), said)
    return reading.asked


def _total(text: str, subject: Subject) -> re.Match[str] | None:
    """The words that ask for the total of a subject; "how much more rain" compares."""
    before = _BEFORE.search(text[: subject.first])
    if before is not None and before["much"] and _COMPARED.search(text):
        return None
    return before or _INSIDE.search(text, subject.first, subject.past) or _AFTER.match(text, subject.past)


def read_totals_of_periods(reading: Reading) -> None:
    """What is asked of years, seasons or months of what adds up is asked of their totals: "mean annual rainfall", "the
    wettest month", "how many months received more than 100 mm"; and the total beside an extreme date.

    To be called when quantity and periods are read.
    """
    kind = quantity_kinds().get(reading.slots["quantity"].value) if "quantity" in reading.slots else None
    if kind is None:
        return
    if not kind.accumulates:
        _totals_compared(reading)
        return
    names = [one.operation for one in reading.asked]
    _means_of_unlike_times(reading)
    _limit_on_total(reading)
    group = reading.slots.get("group_by")
    counted = reading.slots.get("count_of")
    if "extreme_date" in names:
        if "sum" in names and _has_clause_of_its_own(reading):
            reading.put("beside", "sum", next(one.words for one in reading.asked if one.operation == "sum"))
        if group is not None and (group.value in _PERIODS or group.value in OF_THE_YEAR.values()):
            _add_sum(reading, group.words)
    elif counted is not None and counted.value in _PERIODS and _is_depth(reading.slots.get("threshold")):
        _add_sum(reading, counted.words)
    elif group is not None and group.value in _PERIODS and names[:1] and {*names} <= _OF_TOTALS | {"sum", "map"}:
        statistic = next((one for one in names if one in _OF_TOTALS), None)
        per = statistic == "mean" and _PER.fullmatch(group.words) is not None
        if "years" in reading.slots:  # "mean annual rainfall in 2015 and in 2018": of each of them
            _add_sum(reading, group.words, alone=True)
        elif _DATA.match(reading.text, reading.text.find(group.words) + len(group.words)):
            return  # "from the monthly rainfall data, the mean": what the data are, not what is asked
        elif statistic is not None and (per or _ANNUAL.fullmatch(group.words)) and "over_dates" not in reading.slots:
            reading.put("over_dates", statistic, f"{reading.slots['operation'].words}, {group.words}")
            _add_sum(reading, group.words)


def _totals_compared(reading: Reading) -> None:
    """The sum as the statistic of two times where "total" stands before what is compared: "how much did the total
    population grow"; beside "difference", the word alone asks for nothing."""
    operation, words = reading.slots.get("operation"), reading.slots["quantity"].words
    if "comparison" not in reading.slots or "statistic" in reading.slots or operation is None or not words:
        return
    told = re.search(rf"\btotal\s+(?:\w+\s+)?{re.escape(words)}\b", reading.text, re.IGNORECASE)
    if told is None or operation.value not in ("difference", "change", "percent_change"):
        return
    reading.put("statistic", "sum", told.group())
    if operation.value == "change":  # of two totals, and no map of how the pixels changed
        names = ("difference" if one == "change" else one for one in reading.slots["operations"].value)
        reading.slots["operation"] = replace(operation, value="difference")
        reading.slots["operations"] = replace(reading.slots["operations"], value=tuple(dict.fromkeys(names)))


def _means_of_unlike_times(reading: Reading) -> None:
    """Times of other lengths ("2020 against the other years") are compared by the means of their dates: of the longer
    one, more adds up in any case."""
    compared = reading.slots["comparison"].value if "comparison" in reading.slots else ()
    lengths = [one.days for one in compared if isinstance(one, Period)]
    if len(lengths) == 2 and max(lengths) > _UNLIKE * min(lengths) and "statistic" not in reading.slots:
        note = "the times are of different lengths: the means of their dates are compared, and no totals"
        reading.slots["statistic"] = Slot("mean", reading.slots["comparison"].words, True, note)


def _is_depth(limit: Slot | None) -> bool:
    """Whether a limit is one on amounts; one without a unit may be on what is made of them, such as a correlation."""
    return limit is not None and limit.value.unit not in (None, "1", "%")


def _limit_on_total(reading: Reading) -> None:
    """A limit is one on the total where the words say so, or a time of more than a day is named: "what share of the
    area had more than 100 mm in June"; "more than 20 mm a day" is one on each date.
    """
    asked = reading.slots.get("operations")
    if "threshold" not in reading.slots or not {*(asked.value if asked else ("share",))} - {"sum"} <= _EXTENTS:
        return
    if _OF_A_DAY.search(reading.text) or {"group_by", "comparison", "moved", "count_of"} & reading.slots.keys():
        return
    said = _CAME.search(reading.text)
    time = reading.slots.get("period") or reading.slots.get("months")
    if said is None and time is None:
        return
    if said is not None:
        reading.understood.append(said.span())
    words = said.group() if said is not None else time.words if time is not None else ""
    reading.put("over_dates", "sum", words)
    if asked is None:
        reading.put("operation", "share", "")
        reading.put("operations", ("share", "sum"), f"share, {words}")
    else:
        _add_sum(reading, words)


def _add_sum(reading: Reading, words: str, *, alone: bool = False) -> None:
    """The sum among what is asked, or ``alone``, told by the words of the period that it is of."""
    operations = reading.slots["operations"]
    if alone:
        reading.slots["operation"] = Slot("sum", words)
        reading.slots["operations"] = Slot(("sum",), words)
    elif "sum" not in operations.value:
        told = f"{operations.words}, {words}"
        reading.slots["operations"] = replace(operations, value=(*operations.value, "sum"), words=told)


def _has_clause_of_its_own(reading: Reading) -> bool:
    """Whether the total is asked for beside the date of an extreme: "how much rain fell in total, and on which day did
    it rain most"; "and how much rain fell on it" asks for the extreme itself."""
    date = next(one for one in reading.asked if one.operation == "extreme_date")
    total = next(one for one in reading.asked if one.operation == "sum")
    one, other = sorted((date, total), key=lambda asked: asked.first)
    parted = _CLAUSE.search(reading.text, one.first + len(one.words), other.first + len(other.words))
    after = reading.text[total.first :]
    return parted is not None and (one is total or _IN_TOTAL.search(after) is not None)
