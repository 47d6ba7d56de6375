"""What a question about photographs names: things and their other names, networks, scenes, one thing described."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowflow.reason.language import image_words as words
from knowflow.reason.language.patterns import one_of

_REACH = 80  # characters before a thing in which what is done with it stands


@dataclass(frozen=True, slots=True)
class Mention:
    """A known thing where a question names it, in its words."""

    start: int
    end: int
    name: str
    said: str
    plural: bool


def mentions(text: str, objects: Mapping[str, Sequence[str]]) -> list[Mention]:
    """The known things that a text names, in order; of names at one place the longest, and none inside another."""
    found: list[Mention] = []
    folded = text.casefold()
    for name, others in objects.items():
        for phrase in (name, *others):
            if phrase.casefold() not in folded:
                continue
            for match in re.finditer(rf"\b{re.escape(phrase)}(?P<more>s|es)?\b", text, re.IGNORECASE):
                found.append(Mention(*match.span(), name, match.group(), match["more"] is not None))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def thing_named(text: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The thing that is to be counted or found, else the first that is named; of names at one place the longest.

    What only tells how large something else is ("as many courts of 420 m²") comes last.
    """
    hits = mentions(text, objects)
    measures = [match.span() for match in words.REFERENCE_THING.finditer(text)] if reference_area(text) else []
    hits = [hit for hit in hits if not any(a <= hit.start < b for a, b in measures)] or hits
    before = {hit: text[max(0, hit.start - _REACH) : hit.start] for hit in hits}
    acted_on = [
        hit for hit in hits if words.ACTED_ON.search(before[hit]) or words.ACTED_ON_AFTER.search(text[hit.end :])
    ]
    no_place = [hit for hit in hits if not words.WHICH.search(before[hit])]  # "which airport shows the most traffic"
    chosen = next(iter((*acted_on, *no_place, *hits)), None)
    return None if chosen is None else (chosen.name, chosen.said)


def unknown_thing(text: str) -> tuple[str, str] | None:
    """What a question counts or looks for and nothing is known of: detectors are asked for it in its own words."""
    match = words.NAMED.search(text)
    if match is None:
        return None
    plural = match["thing"].casefold()
    for ending, singular in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")):
        if plural.endswith(ending):
            return plural.removesuffix(ending) + singular, match["thing"]
    return plural, match["thing"]


def reference_area(text: str) -> re.Match[str] | None:
    """The area of one thing, which others are told by: "at 420 m² apiece"; no limit, and not the size of a pixel."""
    asked = words.NUMBER_ASKED.search(text) is not None
    return words.AREA_OF_EACH.search(text) or (words.UNIT_AREA.search(text) if asked else None)


def counts(text: str, names: Sequence[str]) -> bool:
    """Whether things of these names are counted, and not measured: "how many houses", "more buildings"."""
    return re.search(rf"{words.COUNTING}(?:{one_of(names)}s|\w*collapses)\b", text, re.IGNORECASE) is not None


def scene_told(text: str, scenes: Sequence[str], things: Sequence[str]) -> bool:
    """Whether images are told by what they show as a whole: "pictures of dense residential areas"; of things, where
    scenes of these are counted: "how many playground scenes"."""
    if not scenes:
        return False
    shown = rf"{words.SHOWN}{one_of(scenes)}(?:s|es)?\b"
    counted = rf"{words.COUNTED_SCENES}{one_of((*scenes, *things))}{words.SCENES_SO_CALLED}"
    return re.search(rf"{shown}|{counted}", text, re.IGNORECASE) is not None


def network_named(text: str, networks: Mapping[str, str]) -> tuple[str, str] | None:
    """The network that a question names, however it spells it, with the kind of its work."""
    plain = _plain(text)
    return next(((name, kind) for name, kind in networks.items() if _plain(name) in plain), None)


def one_is_meant(text: str, thing: tuple[str, str] | None, apart: bool) -> bool:
    """Whether one thing is quoted, or meant by its size or side: "the largest tank", "the easternmost field"."""
    if words.QUOTED.search(text):
        return True
    if thing is None or apart:
        return False
    before = text.replace("-", " ").partition(thing[1])[0]
    placed = not thing[1].endswith("s") and re.search(words.PLACED_THING, before, re.IGNORECASE) is not None
    return placed or re.search(words.SIZED_THING, before, re.IGNORECASE) is not None


def description(text: str, thing: tuple[str, str] | None) -> str:
    """The object in the words of the question, with a capital; what lies furthest towards a side is told by size, name
    and side."""
    if quoted := words.QUOTED.search(text):
        return _capital(quoted["text"].strip())
    towards, size = words.TOWARDS.search(text), words.SIZE.search(text)
    if towards and size and thing is not None:
        name = size["name"] or thing[0]
        return f"The {size['size'].lower()} {name} on the {towards['side'].lower()}ernmost side."
    if phrase := words.PHRASE.search(text):
        said = words.NEXT_TASK.sub("", phrase["text"]).strip()
        return _capital(said) + (phrase["stop"] or "" if said == phrase["text"].strip() else "")
    return _capital(thing[0]) if thing is not None else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    return re.sub(r"[\s_\-]+", "", text).casefold()
