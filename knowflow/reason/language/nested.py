"""Statistics of statistics: "the mean of the daily shares", "max of the per-date mean", "then average these fractions".

Small parts that combine freely: a statistic, words that may stand between (of, all, these; daily, per scene; of the
area), another statistic. What comes first works on what comes second; after "then" it is the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from knowflow.ground.regex import regex
from knowflow.reason.language.clauses import parts
from knowflow.reason.language.patterns import GREATEST, LEAST

# spoken forms of statistics; shares are counted of every image before anything is made of them
_STATISTICS = {
    "mean": r"means?|averag(?:e|es|ed|ing)|avg",
    "maximum": rf"maxim(?:um|a|al)|max|{GREATEST}|peaks?|top",
    "minimum": rf"minim(?:um|a|al)|min|{LEAST}",
    "median": r"medians?",
    "standard_deviation": r"standard deviations?|std|sigma(?![\s-]*(?:nought|naught|zero|0))|spread",
    "range": r"range|amplitude",
    "share": r"shares?|fractions?|proportions?|percentages?|ratios?|portions?",
}
_EACH = r"(?:(?:each|every|per|by|for|of|in)[\s-]+){0,4}(?:day|date|image|scene|acquisition|month|season|year|night)s?"
_BETWEEN = (
    r"(?:(?:daily|nightly|monthly|seasonal|annual|yearly)\s+(?-i:[A-Z]{2,6})|"
    rf"of|in|among|across|over|the|all|these|those|their|its|each|every|them|values?|numbers?|(?:per[\s-]+)?{_EACH}|"
    r"daily|nightly|weekly|monthly|seasonal|yearly|annual|single|individual|respective|resulting|day-by-day|wide|level|"
    r"areal|area|spatial|regional|pixel|image-wide|scene-wide|scene-level|overall|two|three|four)"
)
# what comes afterwards, or is made of what has been told: "and of these report just the maximum"
# (what these are called is no statistic of them: "of these daily averages, tell me the highest")
_THEN = (
    r"\b(?:then|finally|afterwards|(?:from|of|among|out of)\s+(?:these|those|them|all of them)"
    r"(?>(?:\s+[\w-]+){0,2}?\s+(?:means|averages|medians|values|numbers|shares|fractions|percentages|maxima|minima|peaks)\b)?)"
    r"\b[^.;?]{0,40}?"
)
_ONE_BY_ONE = r"\b(?:day by day|date by date|image by image|scene by scene|month by month|year by year)\b"
_GROUPED = regex(
    r"\b(?:daily|nightly|monthly|seasonal|yearly|annual|per|each|every|all|these|those|scene|image|date|day)s?\b", re.I
)
_PERCENTILE = regex(r"\b\d+(?:\.\d+)?(?:st|nd|rd|th)?\s*-?percentiles?\b", re.IGNORECASE)
_BLANK = regex(r"\s*")
# "on which day was the mean highest" is no mean of the highest
_PREDICATE = regex(rf"^\w+\s+(?:{GREATEST}|{LEAST})$", re.IGNORECASE)
# "out of these means the highest one": what is told of several comes before the one that is made of them
_OUT_OF = regex(r"\b(?:of|among|from)\s+(?:all\s+)?(?:the|these|those|all)\s+(?:[\w-]+\s+){0,2}?$", re.IGNORECASE)
BESIDE = regex(r"\s*(?:,|&|,?\s*\b(?:and|plus|as well as)\b)\s*(?:(?:the|its|also|a)\s+)*", re.IGNORECASE)
"""What stands between the parts of a list: "slope and the aspect"."""
_CLAUSE_BEGINS = regex(r"[,;:.?!]\s")


def _any_statistic(role: str) -> str:
    spoken = "|".join(rf"(?P<{role}_{name}>{words})" for name, words in _STATISTICS.items())
    return rf"\b(?P<{role}>{spoken})\b"


_NAMED = regex(_any_statistic("named"), re.IGNORECASE)
_INNER = regex(_any_statistic("inner"), re.IGNORECASE)
_ONE_OF_OTHER = regex(
    rf"{_any_statistic('outer')}[\s-]+(?:{_BETWEEN}[\s-]+){{0,7}}?{_any_statistic('inner')}", re.IGNORECASE
)
_LATER = regex(rf"{_THEN}{_any_statistic('outer')}", re.IGNORECASE)
_IN_EACH = regex(
    rf"\b(?:for|on|in|of)\s+{_EACH}\b|\b(?:each|every|per)[\s-]+(?:day|date|image|scene|month|night)\b|\bdaily\b",
    re.IGNORECASE,
)
_EACH_THEN = regex(
    rf"(?:\b(?:each|every|per)[\s-]+(?:\w+\s+)?(?:day|date|image|scene|month|night)\b|\bdaily\b|{_ONE_BY_ONE})\s*"
    rf"(?:(?:and)?[,.;]?\s*{_THEN}|(?:[,;]\s*)?(?:and\s+)?(?:tell|give|report|return|print|name)\s+(?:me\s+|us\s+)?"
    rf"(?:only\s+|just\s+)?the\s+|[,:;]\s*what\s+(?:is|was|would\s+be)\s+the\s+){_any_statistic('outer')}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Nested:
    """One statistic of another; ``grouped`` where a word tells that there are several of the inner one."""

    outer: str
    inner: str
    grouped: bool
    first: int
    past: int
    words: str


@lru_cache(maxsize=32)
def nested(text: str) -> tuple[Nested, ...]:
    """The statistics of statistics of a text, in order."""
    within = [_found(match) for match in _ONE_OF_OTHER.finditer(text) if not _PREDICATE.search(match.group())]
    after = [*_one_then_other(text), *_one_of_each_then_other(text)]
    found = [*within, *(one for one in after if not any(one.first < w.past and w.first < one.past for w in within))]
    several = (one for one in found if one.outer != one.inner or one.grouped)
    return tuple(sorted(several, key=lambda one: one.first))


def of_others(text: str, outer: str | tuple[str, ...], inner: str | tuple[str, ...]) -> Nested | None:
    """The first nesting of such statistics; None where there is none."""
    outers = (outer,) if isinstance(outer, str) else outer
    inners = (inner,) if isinstance(inner, str) else inner
    return next((one for one in nested(text) if one.outer in outers and one.inner in inners), None)


def statistics_named(text: str) -> tuple[tuple[str, int, int], ...]:
    """The statistics that a text names, in order, each with its place."""
    return tuple((_name(match, "named"), *match.span()) for match in _NAMED.finditer(text))


def beside_each_other(text: str) -> tuple[str, ...]:
    """The statistics that stand beside each other in lists, in order: "mean and maximum of NDVI"."""
    listed: dict[str, None] = {}
    percentiles = (("percentile", *match.span()) for match in _PERCENTILE.finditer(text))
    named = sorted((*statistics_named(text), *percentiles), key=lambda one: one[1])
    for (one, first, past), (other, start, _) in pairwise(named):
        if one != other and first < start and BESIDE.fullmatch(text, past, start):
            listed |= dict.fromkeys((one, other))
    return tuple(listed)


def _found(match: re.Match[str]) -> Nested:
    grouped = _GROUPED.search(match.group()) is not None or match["inner"].lower().endswith("s")
    words = match.group()
    if match["outer"].lower().endswith("s") and _OUT_OF.search(match.string[: match.start()]):
        return Nested(_name(match, "inner"), _name(match, "outer"), True, match.start(), match.end(), words)
    return Nested(_name(match, "outer"), _name(match, "inner"), grouped, match.start(), match.end(), words)


def _name(match: re.Match[str], role: str) -> str:
    return next(name for name in _STATISTICS if match[f"{role}_{name}"])


def _one_then_other(text: str) -> Iterator[Nested]:
    """ "For each day the share ..., then the mean": only where the first is told of each of several."""
    for first, past in parts(text):
        place = first
        while (opening := _IN_EACH.search(text, place, past)) and (told := _told_in_each(text, opening, past)):
            # in what follows, or in what the next sentence begins with
            heard = max(told.end(), opening.end())
            then = _LATER.search(text, heard, past) or _opens_next(text, past)
            if then is None:
                break
            yield Nested(_name(then, "outer"), _name(told, "inner"), True, opening.start(), then.end(),
                         text[opening.start() : then.end()])  # fmt: skip
            place = then.end()


def _told_in_each(text: str, opening: re.Match[str], past: int) -> re.Match[str] | None:
    """What is told of each: the statistic after these words, unless that is of another clause, and one stands right
    before them: "the mean of each day, identify the maximum"."""
    after = _INNER.search(text, opening.end(), past)
    if after is None or _CLAUSE_BEGINS.search(text, opening.end(), after.start()) is None:
        return after
    begins = [end.end() for end in _CLAUSE_BEGINS.finditer(text, 0, opening.start())]
    before = list(_INNER.finditer(text, begins[-1] if begins else 0, opening.start()))
    return before[-1] if before else after


def _one_of_each_then_other(text: str) -> Iterator[Nested]:
    """ "The mean day by day, what is its peak", "the mean per date, then the top of these"."""
    for first, past in parts(text):
        place = first
        for then in _EACH_THEN.finditer(text, first):
            if then.start() >= past:
                break
            told = _INNER.search(text, place, min(then.start(), past))
            if told is not None:
                yield Nested(_name(then, "outer"), _name(told, "inner"), True, told.start(), then.end(),
                             text[told.start() : then.end()])  # fmt: skip
                place = then.end()


def _opens_next(text: str, past: int) -> re.Match[str] | None:
    after = _BLANK.match(text, past)
    return None if after is None or text[past - 1 : past] == "?" else _LATER.match(text, after.end())
