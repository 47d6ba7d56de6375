"""The dates and places of a sentence into slots: the period, what is compared with what, the months, the region."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence

from knowflow.ground.regex import regex
from knowflow.model.goal import Period
from knowflow.reason.language import turns
from knowflow.reason.language.clauses import within
from knowflow.reason.language.date_atoms import PART_OF_MONTH
from knowflow.reason.language.dates import Span, hull, month_period
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import COMPARING

BEFORE_AND_AFTER = ("before", "after")
"""What is compared where no dates are told: the data tell them."""
_BEFORE_AFTER = regex(
    r"\bbefore (?:and|vs\.?|versus|to) after\b|\bpre-? and post-?\w*|"
    r"\b(?:from|between)\s+(?:[\w-]+\s+){0,3}?before\b[^.?!;,]{0,40}?\b(?:to|and)\s+(?:[\w-]+\s+){0,3}?after\b",
    re.IGNORECASE,
)
_TAKEN_FROM = regex(r"\b(?:subtract|deduct)\w*\b.*\bfrom\b", re.IGNORECASE)
_BASELINE = regex(
    r"\b(?:than|compared (?:to|with)|relative to|against|minus|(?:divided )?by (?:that|those|the mean|the average)|"
    r"(?:exceed\w*|surpass\w*|short of|above|below) (?:that|those) (?:of|in|from|on|during))\b",
    re.IGNORECASE,
)
_KIND_OF_DATE = regex(
    r"\b(?:which|what|the(?:\s+(?:[\w-]+est|(?:most|least)\s+[\w-]+))?)\s+(?:calendar\s+)?(?P<kind>year|season|quarter|month)s?\b",
    re.IGNORECASE,
)
_DAY_SOUGHT = regex(
    r"\b(?:which|what|(?:identify|find|name|give|tell|report)\s+(?:me\s+)?(?:the|which|that)|[\w-]+est|(?:most|least)\s+[\w-]+)"
    r"\s+(?:single\s+)?(?:day|date|scene|image|night)s?\b",
    re.IGNORECASE,
)
# "before the flood (", "after it, from": what is told behind it is the time of that
_ASIDE = regex(
    r"\b(?P<side>before|after)\b(?:(?!\b(?:before|after)\b)[^.;?]){0,60}?[(,:]\s*"
    r"(?:(?:from|in|on|of|between)\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_LISTED = regex(r"\s*(?:,|&|\band\b|,\s*and\b)\s*", re.IGNORECASE)
_THIRD = regex(rf"(?:the\s+)?{PART_OF_MONTH}", re.IGNORECASE)
_THIRDS_OF_MONTHS = "a month is early from day 1 to 10, at its middle to day 20, and late from day 21"
_IN_TIME = "told backwards; taken from the earlier time to the later one"
_AS_TOLD = "from the later time to the earlier one, as it is told"
_BETWEEN_REGIONS = ("and", "and the", "with", "vs", "vs.", "versus", "or", "to", "than", "compared with", "compared to")


def read_periods(reading: Reading) -> None:
    """Fill ``dates``, ``period``, ``comparison``, ``years``, ``months``, ``region`` and ``group_by``."""
    dated = [span for span in reading.times.spans if span.period is not None]
    _dated(reading, dated)
    _undated(reading)
    before_after = _BEFORE_AFTER.search(reading.text)
    if before_after:
        reading.put("comparison", BEFORE_AND_AFTER, before_after.group())
        reading.understood.append(before_after.span())
    _regions(reading)
    _ends_of_range(reading, dated)
    kind = _KIND_OF_DATE.search(reading.text)
    if (
        kind
        and reading.operation == "extreme_date"
        and not (_DAY_SOUGHT.search(reading.text) and kind.group().lower().startswith("the "))
    ):  # "which year was greenest" asks for a year, "which day of the month was" for a day
        reading.put("group_by", kind["kind"].lower(), kind.group())


def _dated(reading: Reading, dated: Sequence[Span]) -> None:
    """Dates with a year: single days, the whole period, and two that are compared."""
    days = [span for span in dated if span.single_day]
    if days:
        values = tuple(span.period.start for span in days if span.period)
        reading.put("dates", values, ", ".join(span.words for span in days))
    if not dated:
        return
    words = ", ".join(span.words for span in dated)
    periods = _distinct(dated)
    if len(periods) > 2 and len(around := _around_event(reading.text, dated)) == 2:
        periods = around
    elif len(periods) > 2 and len(runs := _runs(reading.text, dated)) == 2:
        periods = runs
    if len(days) != len(dated) or len(dated) > 1:
        swapped = any(span.backwards and span.between for span in dated)
        thirds = any(_THIRD.match(span.words) for span in dated)
        note = _IN_TIME if swapped else _THIRDS_OF_MONTHS if thirds else _note_on_seasons(reading)
        reading.put("period", hull(periods), words, swapped or thirds, note)
    if len(periods) == 2 and not _is_one_span(reading, dated, periods):
        # "warmer in 2022 than in 2020" asks for 2022 minus 2020: what is named second is compared with; where neither
        # is, the later is compared with the earlier
        second_is_baseline = _is_baseline(reading, dated)
        taken_from = _TAKEN_FROM.search(reading.text[: dated[-1].first]) is not None  # "subtract 2018 from 2021"
        in_order = periods if taken_from else sorted(periods, key=lambda period: period.start)
        first, second = reversed(periods) if second_is_baseline else in_order
        reading.put("comparison", (first, second), words)


def _undated(reading: Reading) -> None:
    """Months of any year, and what lies before and after a day that has none."""
    spans = [span for span in reading.times.spans if span.period is None]
    around = next((span for span in spans if span.ends is not None), None)
    if around is not None and around.ends is not None:
        reading.put("comparison", around.ends, around.words)
    named = _months_compared(reading)
    spans = [span for span in spans if not span.months or not set(span.months) <= named]  # "... of the March value"
    months = tuple(dict.fromkeys(month for span in spans for month in span.months))
    if months:
        words = ", ".join(span.words for span in spans if span.months)
        reading.put("months", months, words, note=_note_on_seasons(reading))


def _months_compared(reading: Reading) -> set[int]:
    """The months in which a time that runs between two dates of the question begins and ends."""
    ends = [span.ends for span in reading.times.spans if span.period is not None and span.ends is not None]
    return {int(end.start[5:7]) for pair in ends for end in pair} if _compared(reading) else set()


def _note_on_seasons(reading: Reading) -> str:
    seasonal = any(span.seasonal for span in reading.times.spans)
    return "seasons are the meteorological ones of the northern hemisphere" if seasonal else ""


def _distinct(spans: Sequence[Span]) -> list[Period]:
    """The periods once each, without those that are only the setting of another one."""
    told = {span.period: span for span in reversed(spans) if span.period is not None}
    named = {period: told[period] for period in dict.fromkeys(span.period for span in spans if span.period is not None)}
    return [one for one in named if not any(_is_setting(one, other, named) for other in named if other != one)]


def _around_event(text: str, dated: Sequence[Span]) -> list[Period]:
    """The two periods told as those before and after something that has a time of its own: "the fire of August 2023:
    before it (June 3 - July 9) and after it (October 1 - 30)"."""
    told = ((span, _ASIDE.search(text[: span.first])) for span in dated)
    found = {said["side"].lower(): span.period for span, said in told if said is not None and span.period is not None}
    return list(found.values()) if found.keys() == {"before", "after"} else []


def _runs(text: str, dated: Sequence[Span]) -> list[Period]:
    """The periods, those that "and" joins and that follow on each other as one: "March and April 2020 than in
    September and October 2020" names two."""
    found: list[Period] = []
    before: Span | None = None
    for span in dated:
        if span.period is None or span.period in found:
            continue
        joined = before is not None and _LISTED.fullmatch(text[before.past : span.first])
        if not joined:
            found.append(span.period)
        elif _follows(found[-1], span.period):
            found[-1] = Period(found[-1].start, span.period.end)
        else:
            return []
        before = span
    return found


def _follows(one: Period, other: Period) -> bool:
    return dt.date.fromisoformat(other.start) - dt.date.fromisoformat(one.end) == dt.timedelta(days=1)


def _is_setting(one: Period, other: Period, told: Mapping[Period, Span]) -> bool:
    """Whether a period holds another (the year around a month), or leads to one that is told to the day, or only has a
    part of one, and so is not compared with it."""
    if _holds(other, one):
        return _leads_to(told[one], told[other])
    if _overlap(one, other):  # "the August fires ... between 28 July and 21 August"
        return _told_by_days(told[other]) and not _told_by_days(told[one])
    return _holds(one, other) and not _leads_to(told[other], told[one])


def _leads_to(before: Span, after: Span) -> bool:
    """ "The fire came in August 2020. What changed from 1 August to 1 September?" """
    return before.first < after.first and _told_by_days(after) and not _told_by_days(before)


def _told_by_days(span: Span) -> bool:
    return span.single_day or (span.ends is not None and all(end.start == end.end for end in span.ends))


def _holds(outer: Period, inner: Period) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _overlap(one: Period, other: Period) -> bool:
    """Whether two periods share days, and neither holds the other."""
    shared = one.start <= other.end and other.start <= one.end
    return shared and not (_holds(one, other) or _holds(other, one))


def _is_baseline(reading: Reading, dated: Sequence[Span]) -> bool:
    """Whether the time that is told last is what the first is compared with; "more than 0.2" compares no times."""
    first, past = dated[0].past, dated[-1].first
    told = [limit for limit in reading.limits if first <= limit.first and limit.past <= past]
    return any(
        not within(found.start(), [(one.first, one.past) for one in told])
        for found in _BASELINE.finditer(reading.text, first, past)
    )


def _is_one_span(reading: Reading, dated: Sequence[Span], periods: Sequence[Period]) -> bool:
    """ "In July and August" is one span where nothing is compared, and so is "which month, July or August"."""
    between = reading.text[dated[0].past : dated[-1].first].lower().split()
    if reading.operation == "extreme_date" and "or" in between:
        return True
    if _is_baseline(reading, dated):
        return False
    first, second = sorted(periods, key=lambda period: period.start)
    return _follows(first, second) and bool(reading.asked) and not _compared(reading) and len(dated) >= 2


def _compared(reading: Reading) -> bool:
    return any(one.operation in COMPARING for one in reading.asked)


def _ends_of_range(reading: Reading, dated: Sequence[Span]) -> None:
    """ "How did it change between 2019 and 2023" compares the two ends, where nothing else is compared."""
    kept = _distinct(dated)
    dated = [span for span in dated if span.period in kept]
    if len(dated) != 1 or dated[0].ends is None:
        return
    event = reading.slots.get("feature")
    quantity = reading.slots.get("quantity")
    of_event = event is not None and event.value in turns.EVENTS
    of_event = of_event or (quantity is not None and quantity.value in OF_AN_EVENT)
    trend = any(one.operation == "trend" for one in reading.asked)
    compared = of_event or (_compared(reading) and not trend)
    first, second = dated[0].ends
    if compared and first == second:
        return
    if not dated[0].backwards:
        if compared:
            reading.put("comparison", _months_inside(reading, dated[0]) or (first, second), dated[0].words)
    elif dated[0].between:
        if compared:
            reading.put("comparison", (first, second), dated[0].words, True, _IN_TIME)
    elif compared and not of_event:
        reading.put("comparison", (first, second), dated[0].words, True, _AS_TOLD)


def _months_inside(reading: Reading, around: Span) -> tuple[Period, Period] | None:
    """The two months that are told apart inside a time told by its days: "from June 1 to July 31, 2023: the mean of
    June, then that of July"."""
    if around.period is None or not _told_by_days(around):
        return None
    named = {month for span in reading.times.spans if span.period is None for month in span.months}
    first, last = (dt.date.fromisoformat(day) for day in (around.period.start, around.period.end))
    months = [
        (year, month)
        for year in range(first.year, last.year + 1)
        for month in sorted(named)
        if (first.year, first.month) <= (year, month) <= (last.year, last.month)
    ]
    if len(named) != 2 or len(months) != 2:
        return None
    one, other = (month_period(year, month) for year, month in months)
    return Period(max(one.start, around.period.start), one.end), Period(other.start, min(other.end, around.period.end))


def _regions(reading: Reading) -> None:
    """The places named; two that are joined by a word of comparison are compared."""
    names = tuple(dict.fromkeys(place.name for place in reading.places))
    if not names:
        return
    reading.put("region", names[0] if len(names) == 1 else ", ".join(names), ", ".join(names))
    if len(names) == 2 and _compared(reading):
        text = reading.text
        between = text[text.find(names[0]) + len(names[0]) : text.find(names[1])].strip().lower()
        if between in _BETWEEN_REGIONS:
            reading.put("comparison", names, f"{names[0]} {between} {names[1]}")
