"""Turns of phrase that change what is asked and that no plan carries out: passed over, the answer would be wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.model.goal import QueryGoal
from knowflow.reason.language.clauses import to_clause_end, without_own_future

_ARTICLE = r"(?:the\s+|any\s+|all\s+|a\s+)?"
_ORDINAL = r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|2nd|3rd|[4-9]th|10th)"
_EXTREME = r"(?:\w+(?:est)|most|least|highest|lowest|best|worst|top|maxim\w+|minim\w+|peaks?)"
_PATCHES = r"\s+(?:\w+\s+){0,2}(?:patch|zone|block|lake|cluster|stand|area|region|field)"
_COUNT = r"(?:two|three|four|five|six|ten|[2-9]|10)"


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


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_QUALIFIERS = (
    Qualifier(
        _compiled(
            r"\b(?:will|forecasts?|tomorrow|next\s+(?:day|week|month|year|season|spring|summer|autumn|winter|decade))\b"
        ),
        "period",
        "speaks of the future; data tell what was",
        "ask about dates that there are data of",
    ),
    Qualifier(
        _compiled(
            r"^\W*(?:why|how come)\b|\bwhy\b[^?]*\?\s*$|"
            r"\bwhat(?:'s| is| was| are)? (?:the )?(?:caused?|causes|causing|reasons?)\b|"
            r"\bwhat (?:has |had )?(?:started|triggered|ignited|sparked|provoked|set off|led to|brought about)\b"
        ),
        "operation",
        "asks for causes; data tell what was, where and when",
        "ask for what can be measured: a mean, a change, an area",
    ),
    Qualifier(
        _compiled(r"\bhow much of\b[^?]*\b(?:due to|because of|caused by|owing to|attributable to|explained by)\b"),
        "operation",
        "asks for the part of a cause; data tell what was, where and when",
        "ask for the whole change",
    ),
    Qualifier(
        _compiled(
            r"\btimes? of (?:the )?day\b|\b(?:what|which) hours?\b|\bo'clock\b|"
            r"\b(?:at|before|after) \d{1,2}(?::\d\d)? ?[ap]\.?m\b"
        ),
        "period",
        "speaks of the time of day; data are asked for by their dates",
        "ask for the date, or for day or night",
    ),
    Qualifier(
        _compiled(r"\b(?:thinner|thicker|deeper|shallower)\b(?!\s+(?:green|blue|red))"),
        "quantity",
        "asks for a thickness or a depth, which no data tell",
        "ask for the area, or for the elevation of the ground",
    ),
    Qualifier(
        _compiled(
            r"\b(?:within|inside|closer than|less than|up to)\s+(?:a distance of\s+)?\d[\d.,]*\s*"
            r"(?:km|m|metres?|meters?|kilomet(?:re|er)s?|miles?|feet|ft)\s+(?:of|from|around|to)\b"
        ),
        "region",
        "speaks of a distance from something, which no step cuts out",
        "give the area as a file: --aoi FILE, or ask about the whole",
    ),
    Qualifier(
        _compiled(
            r"\b(?:always|never|permanently|at all times|all year round|all the time|"
            r"on (?:all|every one of the) (?:dates|days|scenes))\b"
        ),
        "operation",
        "asks what holds at every pixel on all dates, which no step works out",
        "ask for one date, or on how many dates it holds",
    ),
    Qualifier(
        _compiled(r"\b(?:consecutive(?:ly)?|in a row|in succession|without (?:a )?break|uninterrupted(?:ly)?)\b"),
        "operation",
        "asks for dates that follow each other, which no step looks for",
        "ask on how many dates it holds",
        of_patches=False,
    ),
    Qualifier(
        _compiled(
            r"\b(?:when|(?:which|what) (?:day|date|month|year))\b[^?]*\b(?:(?:start(?:s|ed)?|begins?|began|begun|onset|"
            r"stop(?:s|ped)?|end(?:s|ed)?|cease[sd]?|first time)\b|first \w+\s*\??\s*$)"
        ),
        "operation",
        "asks when something begins or ends, which no step looks for",
        "ask for the date of the largest or smallest value, or for a table over time",
    ),
    Qualifier(
        _compiled(rf"\b{_ORDINAL}[\s-]+{_EXTREME}\b"),
        "operation",
        "asks for one of a ranking, of which only the first is looked for",
        "ask for the largest or smallest one, or for a table of all",
    ),
    Qualifier(
        _compiled(
            rf"\b(?:{_COUNT}\s+{_EXTREME}|{_EXTREME}\s+{_COUNT})\b(?!\s*(?:%|percent|[ckm]?m\b|K\b|°))(?!{_PATCHES})"
        ),
        "operation",
        "asks for several of a ranking, of which only the first is looked for",
        "ask for the largest or smallest one, or for a table of all",
        of_patches=False,
    ),
)
# what lies beside or outside of a thing that was understood as the place itself
_BESIDE = (
    Qualifier(
        re.compile(
            rf"\b(?:excluding|excludes?|except(?:\s+for)?|outside(?:\s+of)?|without|minus|leaving\s+out|not\s+counting|apart\s+from|other\s+than|ignoring|"
            rf"(?:is|are|was|were)\s+not|isn't|aren't|wasn't|weren't|not|non)[\s-]+(?:covered\s+(?:by|with)\s+)?{_ARTICLE}$",
            re.IGNORECASE,
        ),
        "class",
        "leaves something out that no step cuts away",
        "ask about the place itself; clouds are left out wherever there are masks of them",
    ),
    Qualifier(
        re.compile(
            rf"\b(?:near(?:by)?|close\s+to|next\s+to|adjacent\s+to|bordering|surrounding|along|beside|around)\s+{_ARTICLE}$",
            re.IGNORECASE,
        ),
        "class",
        "speaks of what lies beside something, which no step cuts out",
        "give the area as a file: --aoi FILE, or ask about the whole",
    ),
)


_LEFT_OUT = re.compile(
    r"\s+(?:(?:is|are|was|were)\s+)?(?:left\s+out|excluded|omitted|disregarded|not\s+(?:counted|considered|included))\b",
    re.IGNORECASE,
)


def unheeded(goal: QueryGoal) -> tuple[Qualifier, str] | None:
    """The first turn of phrase of a question that no plan heeds, with its words to the end of the clause."""
    patches = "largest_patches" in goal.value("operations", ())
    text = without_own_future(goal.text)
    for qualifier in _QUALIFIERS:
        found = qualifier.pattern.search(text) if qualifier.of_patches or not patches else None
        if found:
            return qualifier, to_clause_end(goal.text, found.start(), found.end())
    for name in ("class", "feature"):
        slot = goal.slots.get(name)
        for words in slot.words.split(", ") if slot is not None and slot.value != "cloud" else ():
            place = goal.text.lower().find(words.lower())
            left_out = _LEFT_OUT.match(goal.text, place + len(words)) if place >= 0 else None
            if left_out:
                return _BESIDE[0], goal.text[place : left_out.end()]
            for qualifier in _BESIDE if place > 0 else ():
                found = qualifier.pattern.search(goal.text[:place])
                if found:
                    return qualifier, f"{found.group().strip()} {words}"
    return None
