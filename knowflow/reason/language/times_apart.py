"""Times that a value is wanted for each of: "in 2016, and in 2017", "for June and for July separately"; three or more
in one list: "in 2014, 2018 and 2022".
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowflow.model.goal import Period
from knowflow.reason.language.dates import Span, month_period
from knowflow.reason.language.patterns import MONTH, YEAR

_PREPOSITION = r"(?:in|for|of|during|over)\s+(?:the\s+)?(?:(?:years?|months?)\s+)?"
_AND_IN = re.compile(
    rf"\s*(?:,\s*(?:and|then|as\s+well\s+as)\b|,|&|\b(?:and|then|as\s+well\s+as)\b)\s*(?:then\s+|also\s+|again\s+)*"
    rf"(?P<same>(?:[\w']+\s+)*?){_PREPOSITION}$",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\s*(?:,|&|,?\s*\b(?:and|as\s+well\s+as)\b)\s*(?:(?:in|for|of|during|over)\s+)?(?:the\s+)?", re.IGNORECASE
)
_EACH = re.compile(
    rf"\b(?:separately|individually|respectively|one\s+by\s+one|in\s+turn)\b|\beach(?=\s*(?:[.?!,;]|$))|"
    rf"\beach\s+of\s+(?:the\s+)?(?:(?:years|months)\s+)?(?=(?:{MONTH}|{YEAR})\b)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:together|combined|overall|altogether|as\s+a\s+whole|jointly|over\s+(?:both|all))\b", re.IGNORECASE
)
_AGAIN = frozenset({"what", "was", "were", "is", "are", "it", "that", "the", "of", "how"})


@dataclass(frozen=True, slots=True)
class Apart:
    """Times that each have a value: of what calendar period each is, in which years, and which months where not all.

    ``said`` is the place of the word that tells it. Where the times are of several kinds (a month and a year), they are
    of none of these: ``by`` is empty.
    """

    by: str
    years: tuple[int, ...]
    months: tuple[int, ...]
    words: str
    said: tuple[int, int] | None = None


def times_apart(text: str, spans: Sequence[Span], listed: bool = False) -> Apart | None:
    """The years, seasons, months or days of which each is to have a value of its own; None where they are told as one
    time.

    Times that are only ``listed`` ("in 2014, 2018 and 2022") are told apart as well, unless they are two that follow on
    each other.
    """
    if len(spans) < 2 or _TOGETHER.search(text):
        return None
    told = [(text[one.past : other.first], text[: one.first]) for one, other in pairwise(spans)]
    said = _EACH.search(text)
    is_list = said is not None or (listed and (len(spans) > 2 or not are_one(spans)))
    if not all(_is_next(between, before, is_list) for between, before in told):
        return None
    words, span_said = ", ".join(one.words for one in spans), None if said is None else said.span()
    if all(span.period is None and len(span.months) == 1 for span in spans):
        return Apart("month", (), tuple(dict.fromkeys(span.months[0] for span in spans)), words, span_said)
    if all(span.single_day for span in spans):
        return Apart("scene", (), (), words, span_said)
    held = [_months_of(span.period) for span in spans if span.period is not None]
    years, months = [year for year, _ in held], [one for _, one in held]
    if len(held) == len(spans) and all(months):
        if len({*months}) == 1 and len({*years}) == len(years):
            return Apart("year", tuple(years), months[0] if len(months[0]) < 12 else (), words, span_said)
        of_one_year = len({*years}) == 1 and len({*months}) == len(months)
        if of_one_year and all(len(one) == 1 for one in months):
            return Apart("month", (years[0],), tuple(one[0] for one in months), words, span_said)
        if of_one_year and all(one.seasonal for one in spans):
            return Apart("season", (years[0],), tuple(month for one in months for month in one), words, span_said)
    return Apart("", (), (), words, span_said) if len(spans) > 2 and len(held) == len(spans) else None


def are_one(spans: Sequence[Span]) -> bool:
    """Whether times follow on each other, so that they may be one: "in June and July", "in 2020, 2021 and 2022"."""
    months = [one.months for one in spans]
    if all(one.period is None and one.months for one in spans):
        return all(one[-1] % 12 + 1 == other[0] for one, other in pairwise(months))
    ends = [(one.period.start, one.period.end) for one in spans if one.period is not None]
    follow = (
        dt.date.fromisoformat(other[0]) - dt.date.fromisoformat(one[1]) == dt.timedelta(days=1)
        for one, other in pairwise(ends)
    )
    return len(ends) == len(spans) and all(follow)


def _is_next(between: str, before: str, said: bool) -> bool:
    """Whether a time follows another one as the next of them: "and in", ", and the mean of NDVI in"."""
    if said and _JOINED.fullmatch(between):
        return True
    found = _AND_IN.fullmatch(between)
    return found is not None and {*found["same"].lower().split()} <= {*re.findall(r"[\w']+", before.lower())} | _AGAIN


def _months_of(period: Period) -> tuple[int, tuple[int, ...]]:
    """The year and the whole months of a period; none where it is not made of such, of one year."""
    year, first, last = int(period.start[:4]), int(period.start[5:7]), int(period.end[5:7])
    whole = period.start.endswith("-01") and period.end == month_period(int(period.end[:4]), last).end
    return (year, tuple(range(first, last + 1)) if whole and period.end[:4] == period.start[:4] else ())
