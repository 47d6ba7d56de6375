"""Amounts that add up from date to date: "total rainfall", "how much rain fell"."""

from __future__ import annotations

import re

from knowflow.ground.quantities import quantity_kinds
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Asked, Subject, subjects

_BEFORE = re.compile(
    r"(?:(?<!in )\b(?:totals?|summed|accumulated|cumulative)(?:\s+(?:of|the|monthly|annual|yearly|daily))*"
    r"|\b(?P<much>how much)(?:\s+(?:of the|did|does|has|had|it))*)\s+$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*(?:totals?|sums?|in total|altogether)\b", re.IGNORECASE)
_INSIDE = re.compile(r"\btotals?\b", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:more|less|fewer|than|chang\w+|differ\w*|trend|increas\w+|decreas\w+)\b", re.IGNORECASE)


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
