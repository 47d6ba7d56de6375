"""Turns of phrase that change what is asked and that no plan carries out: passed over, the answer would be wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import NUMBER_WORDS, ORDINAL_WORDS, stem
from knowflow.model.goal import QueryGoal
from knowflow.reason.language.clauses import to_clause_end, without_own_future
from knowflow.reason.language.movements import movement_words
from knowflow.reason.language.patterns import any_of
from knowflow.reason.language.restricting import ASIDE, BESIDE, LEFT_OUT, beside, causes, leaves_out, left_out
from knowflow.reason.language.superlatives import ranks

_ORDINAL = rf"(?:{'|'.join(word for word in ORDINAL_WORDS if word != 'first')}|2nd|3rd|[4-9]th|10th)"
_PATCHES = r"\s+(?:\w+\s+){0,2}(?:patch|zone|block|lake|cluster|stand|area|region|field)"
_COUNT = rf"(?:{'|'.join(NUMBER_WORDS)}|[2-9]|10)"


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A turn of phrase with the slot that it changes, why it cannot be heeded, and what can be asked instead.

    Questions about contiguous patches may speak of several and of what is uninterrupted: ``of_patches`` is False there.
    """

    pattern: re.Pattern[str]
    slot: str
    why: str
    hint: str
    of_patches: bool = True


_ONE_PIXEL = "asks for the place of one pixel, which no step looks for"
_ITS_VALUE = "ask for its value, for a map, or for the place of one class or polygon"
_QUALIFIERS = (
    Qualifier(
        any_of(
            r"\b(?:will|forecasts?|tomorrow|next\s+(?:day|week|month|year|season|spring|summer|autumn|winter|decade))\b"
        ),
        "period",
        "speaks of the future; data tell what was",
        "ask about dates that there are data of",
    ),
    Qualifier(
        any_of(
            r"^\W*(?:why|how come)\b|\bwhy\b[^?]*\?\s*$|"
            r"\bwhat(?:'s| is| was| are)? (?:the )?(?:caused?|causes|causing|reasons?)\b|"
            r"\bwhat (?:has |had )?(?:started|triggered|ignited|sparked|provoked|set off|led to|brought about)\b"
        ),
        "operation",
        "asks for causes; data tell what was, where and when",
        "ask for what can be measured: a mean, a change, an area",
    ),
    Qualifier(
        any_of(r"^\W*(?:who|whom)\b|\b(?:by|to|from)\s+whom\b"),
        "operation",
        "asks for somebody, of whom data tell nothing",
        "ask for what can be measured: a mean, a change, an area",
    ),
    Qualifier(
        any_of(
            r"\btimes? of (?:the )?day\b|\b(?:what|which) hours?\b|\bo'clock\b|"
            r"\b(?:at|before|after) \d{1,2}(?::\d\d)? ?[ap]\.?m\b"
        ),
        "period",
        "speaks of the time of day; data are asked for by their dates",
        "ask for the date, or for day or night",
    ),
    Qualifier(
        any_of(r"\b(?:thinner|thicker|deeper|shallower)\b(?!\s+(?:green|blue|red))"),
        "quantity",
        "asks for a thickness or a depth, which no data tell",
        "ask for the area, or for the elevation of the ground",
    ),
    Qualifier(
        any_of(
            r"\b(?:within|inside|closer than|less than|up to)\s+(?:a distance of\s+)?\d[\d.,]*\s*"
            r"(?:km|m|metres?|meters?|kilomet(?:re|er)s?|miles?|feet|ft)\s+(?:of|from|around|to)\b"
        ),
        "region",
        "speaks of a distance from something, which no step cuts out",
        "give the area as a file: --aoi FILE, or ask about the whole",
    ),
    Qualifier(
        any_of(
            r"\b(?:always|never|permanently|at all times|all year round|all the time|"
            r"on (?:all|every one of the) (?:dates|days|scenes))\b"
        ),
        "operation",
        "asks what holds at every pixel on all dates, which no step works out",
        "ask for one date, or on how many dates it holds",
    ),
    Qualifier(
        any_of(r"\b(?:consecutive(?:ly)?|in a row|in succession|without (?:a )?break|uninterrupted(?:ly)?)\b"),
        "operation",
        "asks for dates that follow each other, which no step looks for",
        "ask on how many dates it holds",
        of_patches=False,
    ),
    Qualifier(
        any_of(
            r"\b(?:share|fraction|part|percentage|proportion|how much)\b[^?.]*\b(?:had|ha[sv]e?|reach(?:ed|es)?|saw)\s+"
            r"(?:its|their)\s+(?:\w+\s+)?(?:maxim|minim|peak|highest|lowest|largest|smallest)"
        ),
        "operation",
        "asks when every pixel was at its extreme, which no step looks for",
        "ask for the date on which the mean was highest or lowest, or for a map of the extreme",
    ),
    Qualifier(
        any_of(rf"\b(?:last|latest|most recent|final)\s+{_COUNT}\s+(?:acquisition|date|scene|image|observation)s\b"),
        "period",
        "picks dates by their place in the series, which no step does",
        "say from which date on, such as 'since 1 October 2022'",
    ),
    Qualifier(
        any_of(
            r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|"
            r"\b(?:weekends|weekdays|workdays|working days|leap years)\b|"
            r"\b(?:each|every) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|weekday|leap year)\b|"
            r"\b(?:every (?:second|third|fourth|other|[2-9](?:nd|rd|th))|alternate|odd|even|(?:odd|even)-numbered) "
            r"(?:acquisition|date|day|scene|image|observation|month|week|year)s?\b"
        ),
        "period",
        "picks dates by the calendar or by counting, which no step does",
        "say from when to when, or ask about the whole time",
    ),
    Qualifier(
        any_of(r"(?<!\barea[- ])(?<!\bareally )\bweight(?:ed|ing)\b"),
        "operation",
        "weights one value by another, which no step does",
        "ask without weights",
    ),
    Qualifier(
        any_of(
            r"\bwhere\s+(?:is|are|was|were|lies?|lay|do|does|did)\s+(?:the|its|our|my)\s+(?:[\w-]+\s+){0,3}?"
            r"(?:points?|pixels?|cells?|peak|summit)\b(?!\s+(?:\w+\s+)?(?:above|below|over|under|with|where|that)\b)",
        ),
        "operation",
        _ONE_PIXEL,
        _ITS_VALUE,
    ),
    Qualifier(
        any_of(
            r"\b(?:when|(?:which|what) (?:day|date|month|year))\b[^?]*\b(?:(?:start(?:s|ed)?|begins?|began|begun|onset|"
            r"stop(?:s|ped)?|end(?:s|ed)?|cease[sd]?|first time)\b|first \w+\s*\??\s*$)"
        ),
        "operation",
        "asks when something begins or ends, which no step looks for",
        "ask for the date of the largest or smallest value, or for a table over time",
    ),
)
_NOT = r"(?:(?:is|are|was|were)\s+not|isn't|aren't|wasn't|weren't|not|non)"
# "omitting all of the dense" + "forest": few words, of which none opens a phrase of its own
_OF_IT = (
    r"(?:(?:all|any|most|some|both|each|every)\s+(?:of\s+)?)?"
    r"(?:(?:the|an?|this|that|these|those|our|my|your|its|their|such)\s+)?(?P<kind>(?:[\w'-]+\s+){0,2})"
)
_ARTICLE = r"(?:the\s+|any\s+|all\s+|a\s+)?"
_MINUS = re.compile(r"minus\b", re.IGNORECASE)
_REACH = 80  # characters before a thing in which what leaves it out stands
_PARTED = re.compile(r"(?:\bwith(?:out)?|[,;(])\s+(?:(?:the|all|any|our|these|those)\s+)?$", re.IGNORECASE)


def unheeded(goal: QueryGoal) -> tuple[Qualifier, str] | None:
    """The first turn of phrase of a question that no plan heeds, with its words to the end of the clause."""
    patches = "largest_patches" in goal.value("operations", ())
    text = without_own_future(goal.text)
    for qualifier in _qualifiers():
        found = qualifier.pattern.search(text) if qualifier.of_patches or not patches else None
        if found:
            return qualifier, to_clause_end(goal.text, found.start(), found.end())
    for name in ("class", "feature", "region"):
        slot = goal.slots.get(name)
        named = name == "region"  # "near Ljubljana" is where the data are
        for words in slot.words.split(", ") if slot is not None and slot.value != "cloud" else ():
            aside = _left_aside(goal.text, words, _aside()[:1] if named else _aside())
            if aside is not None:
                return aside
    return None


def _left_aside(text: str, words: str, ways: Sequence[Qualifier]) -> tuple[Qualifier, str] | None:
    """In which of some ways an answer is to leave out the thing of some words, or is about what lies beside it."""
    every = list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)) if words else []
    for said in every:
        before = text[max(0, said.start() - _REACH) : said.start()]
        behind = left_out().match(text, said.end())
        # "forest was removed" tells what became of it, "with the forest removed" what is left out
        if behind and (behind["how"].lower() != "removed" or (not behind["is"] and _PARTED.search(before))):
            return ways[0], text[said.start() : behind.end()]
        for qualifier in ways:
            found = qualifier.pattern.search(before)
            if found is None or (said is not every[0] and _MINUS.match(found.group())):
                continue  # "forest of 2022 minus forest of 2016" takes one from the other
            if not any(stem(word) in lexicon().function for word in (found["kind"] or "").split()):
                return qualifier, f"{found.group().strip()} {said.group()}"
    return None


@kept()
def _qualifiers() -> tuple[Qualifier, ...]:
    extreme = rf"(?:{ranks()}|top|maxim\w+|minim\w+|peaks?)"
    return (
        *_QUALIFIERS,
        Qualifier(
            any_of(rf"\bhow much of\b[^?]*\b{causes()}\b"),
            "operation",
            "asks for the part of a cause; data tell what was, where and when",
            "ask for the whole change",
        ),
        Qualifier(
            any_of(rf"^\W*(?:is|are|was|were|has|have|had|did)\b[^?.]*\b{causes()}\b[^?.]*\?"),
            "operation",
            "asks for a cause; data tell what was, where and when",
            "ask for what can be measured: a mean, a change, an area",
        ),
        Qualifier(
            any_of(
                rf"\b(?:which|what)\s+(?:single\s+|one\s+)?(?:pixel|point|cell)\b[^.?;]*\b{extreme}\b",
                rf"\b(?:coordinates?|location|position|latitude|longitude)(?:\s+and\s+\w+)?\s+of\s+(?:the\s+)?(?:[\w-]+\s+){{0,2}}?{extreme}\b",
                rf"\b(?:at|in)\s+which\s+(?:coordinates?|location|position)\b[^.?;]*\b{extreme}\b",
            ),
            "operation",
            _ONE_PIXEL,
            _ITS_VALUE,
        ),
        Qualifier(
            any_of(rf"(?<![\w.,])\d+(?:[.,]\d+)?\s*(?:%|percent\b|per\s+cent\b)\s+(?:of\s+the\s+)?{ranks()}\b"),
            "operation",
            "picks a part of the area by its rank, which no step cuts out",
            "give a limit, such as 'above 0.6', or ask for a percentile",
        ),
        Qualifier(
            any_of(
                rf"\b(?:(?<!or )not|\w+n't|never|without)\s+(?:\w+ly\s+)?(?:been\s+|being\s+|any\s+|an?\s+)?"
                rf"{movement_words()}(?!\s+(?:above|below|under|over|beyond|than)\b)"
            ),
            "operation",
            "asks where something did not move, which no step looks for",
            "ask where it did: the rest of the area is where it did not",
        ),
        Qualifier(
            any_of(rf"\b{_ORDINAL}[\s-]+{extreme}\b"),
            "operation",
            "asks for one of a ranking, of which only the first is looked for",
            "ask for the largest or smallest one, or for a table of all",
        ),
        Qualifier(
            any_of(
                rf"(?<!\d[.,])\b(?:{_COUNT}\s+{extreme}|{extreme}\s+{_COUNT})\b(?!\s*(?:%|percent|[ckm]?m\b|K\b|°))(?!{_PATCHES})"
            ),
            "operation",
            "asks for several of a ranking, of which only the first is looked for",
            "ask for the largest or smallest one, or for a table of all",
            of_patches=False,
        ),
    )


@kept()
def _aside() -> tuple[Qualifier, Qualifier]:
    """What leaves a thing out that was understood as the place itself, and what lies beside it."""
    covered = rf"(?:covered\s+(?:by|with)\s+)?{_ARTICLE}"
    return (
        Qualifier(
            any_of(rf"\b(?:{leaves_out()}[\s-]+{_OF_IT}|{_NOT}[\s-]+{covered})$"),
            "class",
            LEFT_OUT,
            "ask about the place itself; clouds are left out wherever there are masks of them",
        ),
        Qualifier(any_of(rf"\b{beside()}\s+{_OF_IT}$"), "class", BESIDE, ASIDE),
    )
