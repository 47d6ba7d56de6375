"""Which of several places is meant: "which district is hottest", "the class with the lowest mean"."""

from __future__ import annotations

import re

from knowflow.model.goal import Slot
from knowflow.reason.language.subjects import Asked

_PLACES = frozenset({"class", "zone"})
_EXTREMES = frozenset({"maximum", "minimum"})
_WHICH = re.compile(r"\b(?:which|what)\s+(?:(?:is|was)\s+the\s+)?(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
# of the classes of a map: "which class covers the most area", "the dominant land cover"
_SIZE = re.compile(
    r"\b(?:(?P<least>smallest|least\s+(?:area|land|ground|common|widespread)|rarest)|largest|biggest|most\s+(?:of\s+the\s+)?"
    r"(?:area|land|ground|common|widespread|frequent|extensive)|greatest\s+(?:area|extent)|dominant|predominant|prevailing|"
    r"dominates|predominates|prevails)\b",
    re.IGNORECASE,
)
# "which class is hottest? List the mean of all classes"
_OF_EACH = re.compile(
    r"[:;,.?!]\s[^.;?!]*\b(?:each|every|per|all(?:\s+the|\s+of\s+the)?)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:class(?:es)?|categor(?:y|ies)|types?|kinds?|districts?|zones?|polygons?|fields?|parcels?)\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|every|per|by|all)\b", re.IGNORECASE)


def with_place(asked: tuple[Asked, ...], text: str, group: Slot | None) -> tuple[Asked, ...]:
    """What is asked, with the place first where one of several classes or polygons is wanted.

    "The maximum of each district" wants a number of every district; "which district is hottest" wants one of them.
    """
    if group is None or group.value not in _PLACES or not {one.operation for one in asked} & _EXTREMES:
        return asked
    if any(one.operation not in (*_EXTREMES, "mean") for one in asked) or _EACH.search(group.words):
        return asked
    if _OF_EACH.search(text) and any(one.operation == "mean" for one in asked):
        return tuple(one for one in asked if one.operation == "mean")  # of each, then: it tells which is the most, too
    first = text.lower().find(group.words.lower())
    named = re.match(r"(?:which|what)\b", group.words, re.IGNORECASE) or _WHICH.search(text[: max(first, 0)])
    return (Asked("extreme_place", "analysis", max(first, 0), group.words), *asked) if named else asked


def class_by_size(text: str, group: Slot | None) -> tuple[Asked, Asked] | None:
    """The class that covers the most (or the least) ground, where a sentence asks for that and for no other value."""
    found = _SIZE.search(text)
    if found is None or group is None or group.value != "class" or _EACH.search(group.words):
        return None
    statistic = "minimum" if found["least"] else "maximum"
    place = Asked("extreme_place", "analysis", max(text.lower().find(group.words.lower()), 0), group.words)
    return place, Asked(statistic, "statistic", found.start(), found.group())
