"""Words of movement in a sentence: "rose", "growth", "got bigger", "came back", with the way that they go.

A movement alone says little ("values that fall below 0.2"); together with the measure that is asked for, or the time
that it is told per, it tells what is wanted: how far (a difference), how much of it (a relative change), how fast (a
trend).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from knowflow.ground.inflection import comparative, superlative, verb_forms
from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_file import Entry
from knowflow.reason.language.clauses import parts
from knowflow.reason.language.dates import times

Way = Literal["up", "down", "either"]

_BECAME = r"(?:get|gets|getting|got|gotten|become|becomes|becoming|became|grow|grows|growing|grew|grown|turn(?:s|ed)?)"
_MEASURE = regex(
    r"\bhow\s+(?:much|far|strongly|many\s+(?!of\b|times|days|dates|nights|scenes|images|pixels)[a-z°%]\w*)"
    r"|\bby\s+what\b|\bwhat\s+percentage\b|\bhow\s+(?:big|large|high|great|strong)\s+(?:is|was|were|are)\s+the\b"
    r"(?!\s+(?:[\w-]+\s+)?(?:share|proportion|fraction|percentage|portion|part|area)\b)",
    re.IGNORECASE,
)
# what falls inside a range, into classes or under a heading lies there, and has not moved
_LIES = regex(r"\s*(?:inside|within|outside|into|in between|under|among)\b", re.IGNORECASE)
_LIES_INTO = regex(r"\binto\s+(?:how many|which|what)\b[^.;?]*$", re.IGNORECASE)
_SHORT = 4  # words of a question that only asks how far what was told before it moved: "By how many kelvin?"
_MARKEDLY = r"(?:significan|marked|substantial|considerab|strong|notab|distinct)\w*"
_LIMITING = r"(?:more than|over|(?:great|larg|bigg|high|strong)er than|exceed(?:s|ed|ing)?|above|beyond|at least|>)"
_OF_TIME = regex(
    r"\b(?:in|of|during|this|last|next|and|or|to|from|for|until|since|between|each|every|late|early)\s+$", re.I
)
_OF_ITS_START = regex(
    r"\b(?:as\s+(?:an?\s+)?|in\s+)(?:percent(?:age)?|share|fraction|proportion|%)\s+of\s+(?:the\s+|its\s+)?(?:[\w-]+\s+){0,2}?"
    r"(?:value|level|figure|mean|average|amount)\b",
    re.IGNORECASE,
)
# "report, in percent, how the mean changed"; "in percent, how much of the area" asks for a share
_HOW_IN_PERCENT = regex(
    r"\b(?:in|as)\s+(?:an?\s+)?(?:per\s?cent(?:age)?\b|%),?\s+(?:how|by\s+how\s+much)\b(?!\s+(?:much|many)\b)(?P<what>[^.;?]*)",
    re.IGNORECASE,
)
_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"


@dataclass(frozen=True, slots=True)
class Movement:
    """One word of movement with its place."""

    way: Way
    first: int
    past: int
    words: str


@dataclass(frozen=True, slots=True)
class MovedBy:
    """How far something moved ("fell by more than 0.3", "a 30 % increase"), the number as it stands in the text.

    ``limit`` tells whether a word says that it is the least that counts.
    """

    way: Way
    value: float
    percent: bool
    limit: bool
    first: int
    past: int
    words: str


@kept(16)
def movements(text: str) -> tuple[Movement, ...]:
    """The words of movement of a text, in order."""
    return tuple(
        Movement(way, match.start(), match.end(), match.group())
        for match in _pattern().finditer(text)
        if (way := _way(match)) is not None and not _is_season(text, match) and not _lies(text, match)
    )


def asks_for_movement(text: str) -> Movement | None:
    """The movement of which a text asks how large it is: "rose by how many kelvin", "got bigger by how much".

    It moves in the sentence that asks, or in another one where that one has no words for anything else. The least
    movement that counts ("how much burned, if NBR falls by more than 0.27") is not asked for.
    """
    limits = [(one.first, one.past) for one in moved_by(text) if one.limit]
    every = [one for one in movements(text) if not any(first <= one.first < past for first, past in limits)]
    for first, past in parts(text):
        if _MEASURE.search(text[first:past]) is None:
            continue
        found = [one for one in every if first <= one.first < past]
        if not found and len(text[first:past].split()) <= _SHORT:
            found = every
        if found:
            return found[0]
    return None


def compared(text: str, first: int = 0, past: int | None = None) -> Movement | None:
    """The first comparative in a part of a text, with the way it goes: "warmer", "more turbid", "the lower"."""
    match = _comparative().search(text, first, len(text) if past is None else past)
    way = _way(match) if match is not None else None
    return Movement(way, match.start(), match.end(), match.group()) if match is not None and way is not None else None


def grew_markedly(text: str) -> bool:
    """Whether places are asked for where something rose "significantly", however the rise is worded."""
    return _marked().search(text) is not None


@kept(16)
def moved_by(text: str) -> tuple[MovedBy, ...]:
    """How far things moved by the numbers of a text, in order of the way they are told; "by 2020" is a date."""
    found = [match for pattern in _moved_by() for match in pattern.finditer(text)]
    dates = times(text).heard if found else ()
    return tuple(
        MovedBy(
            way=way,
            value=float(match["n"]),
            percent=bool(match["percent"]),
            limit=match.groupdict().get("limit") is not None,
            first=match.start(),
            past=match.end(),
            words=match.group(),
        )
        for match in found
        if (way := _way(match)) is not None
        and not any(first < match.end("n") and match.start("n") < past for first, past in dates)
    )


def asks_relative(text: str) -> Movement | None:
    """The movement that is told relative to where it began: "relative decline", "percentage growth",
    "in percent, how it changed"."""
    match = _relative().search(text)
    if match is None and (asked := _HOW_IN_PERCENT.search(text)) is not None:
        moved = next((one for one in movements(text) if asked.start("what") <= one.first < asked.end()), None)
        if moved is not None:
            return Movement(moved.way, asked.start(), moved.past, text[asked.start() : moved.past])
    if match is None and (share := _OF_ITS_START.search(text)) is not None:
        moved = next(iter(movements(text)), None)
        return None if moved is None else Movement(moved.way, *share.span(), share.group())
    way = _way(match) if match is not None else None
    return Movement(way, match.start(), match.end(), match.group()) if match is not None and way is not None else None


def asks_largest_movement(text: str) -> str:
    """The words of the largest of several movements: "rose most", "the sharpest drop"; empty where there are none."""
    match = _largest().search(text)
    return match.group() if match is not None else ""


def falls_most(text: str) -> bool:
    """Whether the largest of several movements, or else any that a text tells of, goes down."""
    moved = movements(asks_largest_movement(text)) or movements(text)
    return any(one.way == "down" for one in moved)


def superlative_way(text: str) -> tuple[Way, str] | None:
    """The way of the first superlative: "smallest" is down, "largest" is up; with its words."""
    match = _superlative().search(text)
    way = _way(match) if match is not None else None
    return (way, match.group()) if match is not None and way is not None else None


@kept()
def comparative_words() -> dict[str, Way]:
    """The comparatives of all adjectives of movement, with the way that they go: "heavier" up, "thinner" down."""
    return {comparative(one): entry.value for entry in lexicon().movements for one in entry.adjectives}


@kept()
def movement_words() -> str:
    """All words of movement as one pattern without groups: "fell" of "fell below 0.2" goes with the limit."""
    forms = {form for entry in lexicon().movements for form in _forms(entry)}
    return rf"\b(?:{'|'.join(sorted(forms, key=lambda form: (-len(form), form)))})\b"


def _is_season(text: str, match: re.Match[str]) -> bool:
    return match.group().lower() == "fall" and _OF_TIME.search(text[: match.start()]) is not None


def _lies(text: str, match: re.Match[str]) -> bool:
    """Whether "fall" says where something belongs."""
    if match.group().lower() not in verb_forms("fall fell fallen"):
        return False
    return _LIES.match(text, match.end()) is not None or _LIES_INTO.search(text[: match.start()]) is not None


def _way(match: re.Match[str]) -> Way | None:
    ways: tuple[Way, ...] = ("up", "down", "either")
    return next((way for way in ways if match[way]), None)


@kept()
def _words() -> str:
    """All words of movement as one pattern, in groups named after the ways."""
    found = []
    for way in ("up", "down", "either"):
        entries = [entry for entry in lexicon().movements if entry.value == way]
        forms = {form for entry in entries for form in _forms(entry)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        found.append(rf"(?P<{way}>{'|'.join(longest_first)}|{_BECAME}\s+(?:\w+\s+)?(?:{_comparatives(entries)}))")
    return rf"\b(?:{'|'.join(found)})\b"


def _forms(entry: Entry) -> tuple[str, ...]:
    nouns = [form for noun in entry.nouns for form in (noun, f"{noun}s")]
    verbs = [form.replace(" ", r"\s+") for verb in entry.verbs for form in verb_forms(verb)]
    return (*(form for form in verbs if form not in entry.adjectives), *nouns)  # "cool" alone is no cooling


def _comparatives(entries: Iterable[Entry]) -> str:
    return "|".join(comparative(one) for entry in entries for one in entry.adjectives) or "(?!)"


@kept()
def _pattern() -> re.Pattern[str]:
    return regex(_words(), re.IGNORECASE)


@kept()
def _comparative() -> re.Pattern[str]:
    up, down = (_comparatives(one for one in lexicon().movements if one.value == way) for way in ("up", "down"))
    return regex(
        rf"\b(?:(?P<up>{up}|more\s+(?!than\b)\w+)|(?P<down>{down}|less\s+(?!than\b)\w+)|(?P<either>(?!)))\b(?!\s+than\b)",
        re.IGNORECASE,
    )


@kept()
def _relative() -> re.Pattern[str]:
    return regex(rf"\b(?:relative|percent(?:age)?|proportional)\s+(?:of\s+)?{_words()}", re.IGNORECASE)


@kept()
def _largest() -> re.Pattern[str]:
    most = r"(?:most|fastest|quickest|hardest|furthest|strongest|steepest|sharpest)"
    great = r"(?:largest|biggest|greatest|strongest|steepest|sharpest|fastest|most severe)"
    moved = movement_words()
    return regex(rf"{moved}\s+(?:the\s+)?{most}\b|\b{great}\s+(?:[\w-]+\s+)?{moved}", re.IGNORECASE)


@kept()
def _superlative() -> re.Pattern[str]:
    ways = {
        way: "|".join(
            superlative(one) for entry in lexicon().movements if entry.value == way for one in entry.adjectives
        )
        for way in ("up", "down")
    }
    return regex(rf"\b(?:(?P<up>{ways['up']})|(?P<down>{ways['down']}|least)|(?P<either>(?!)))\b", re.IGNORECASE)


@kept()
def _marked() -> re.Pattern[str]:
    rises = [form for entry in lexicon().movements if entry.value == "up" for form in _forms(entry)]
    moved = rf"(?:{'|'.join(rises)}|more\s+\w+)"
    return regex(
        rf"\b{_MARKEDLY}\s+{moved}\b|\b{moved}\s+{_MARKEDLY}"
        rf"|\bthreshold (?:of|for) (?:an?\s+)?(?:{_MARKEDLY}\s+)?{moved}\b",
        re.IGNORECASE,
    )


@kept()
def _moved_by() -> tuple[re.Pattern[str], ...]:
    """A movement, then what moves in a few words, then how far: "loss of NDVI over 0.25"; "a 30 % increase"; "up by
    more than 30 %"."""
    stop = r"(?:than|from|to|between|by|of|at|on|where|which|that|with)"
    between = rf"(?:\s+(?!{stop}\b)[\w-]+){{0,3}}?(?:\s+(?:in|of)\s+(?:[\w-]+\s+){{0,3}}?[\w-]+)?"
    limit = rf"(?:\s+(?:is|was|are))?(?:\s+(?:of|by))?(?:\s+(?P<limit>{_LIMITING})|(?<=\bby))"
    far = rf"{limit}\s*(?P<n>{_NUMBER})(?![\d.]*\d)"
    ways = r"\b(?:(?P<up>up|higher|greater|larger)|(?P<down>down|lower|smaller)|(?P<either>(?!)))\b"
    return (
        regex(rf"(?<!the ){ways}{far}\s*(?P<percent>%|percent\b)", re.IGNORECASE),
        regex(rf"{_words()}{between}{far}\s*(?P<percent>%|percent\b)?", re.IGNORECASE),
        regex(rf"(?<![\w.])(?P<n>{_NUMBER})\s*(?P<percent>%|percent)\s+{_words()}", re.IGNORECASE),
    )
