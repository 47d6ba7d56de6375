"""What is asked of photographs from above: which scene, which things, how many, how large, how far apart, what is gone.

Such images have no bands and no dates: what counts is the thing asked about, and what is to be done with it. Which
things there are, and their names, is knowledge of a pack (``objects``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from knowflow.model.goal import QueryGoal, Slot


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_NUMBER = r"\d*\.?\d+"
_SCENES = _any(
    r"\bevery image belongs to\b",
    r"\bclassif\w+",
    r"\bcategor\w+",
    r"\bscene (?:type|class)",
    r"\bcaptured (?:in|over)\b",
    r"\btypes? of (?:scene|land)",
    r"\bland[- ]use types?\b",
)
_BEFORE_AFTER = _any(
    r"\b(?:destroy|damag|collaps|restor|rebuil|reconstruct|demolish)\w+",
    r"\bdisaster",
    r"\bbefore and after\b",
    r"\bpre-? ?and post-?",
    r"\b(?:two )?time ?points\b",
)
_COUNT = _any(r"\bhow many\b", r"\bnumber of\b", r"\bcount\w*\b", r"\bmonths?\b", r"\bdays?\b")
_RANKED = _any(r"\bcount\b", r"\bhow many\b", r"\bnumber of\b", r"\brank\b", r"\bsort\b")
_BY_AREA = _any(r"\bby (?:\w+[- ]){0,2}area\b")
_AREA = _any(
    r"\bareas?\b(?! (?:seem|have|are|appear))",
    r"\bbuilt-?up\b",
    r"\b(?:coverage|extent|space)\b",
    r"\bfootprints?\b",
    r"\bsevere(?:ly)?\b",
    r"\b(?:greater|more) (?:destruction|damage)\b",
)
_CHANGE = _any(r"\bchang\w+", r"\bloss\b", r"\blost\b", r"\breduc\w+")
_APART = r"(?:closest|nearest|farthest|furthest|most distant)"
_DISTANCE = _any(
    rf"\b(?:{_APART}|shortest|longest|maximum|minimum|largest|smallest)\s+(?:pairs?\b|two\b|distance|separation|gap)",
    r"\b(?:distances?|separation) between\b",
    rf"\btwo {_APART}\b",
    r"\bhow far\b",
)
_FAR = _any(r"\b(?:farthest|furthest|most distant|longest|maximum|largest|greatest)")
_BOXES = _any(r"\bbounding ?box(?:es)?\b", r"\bbbox(?:es)?\b")
_BOXES_ASKED = _any(
    r"\b(?:determine|find|give|return|report|what (?:is|are)|identify|provide)\s+(?:\w+\s+){0,2}?bounding ?box"
)
_CENTRE = _any(r"\bcent(?:roid|er|re)s?\b", r"\bcoordinates?\b")
_GROWN = _any(
    r"\b(?:expan\w+|buffer\w*|enlarg\w+|safety zone|radius|within)\b[^.]*?"
    rf"(?P<radius>{_NUMBER})\s*(?:m|meters?|metres?)\b"
)
_SIDE = (
    r"(?:(?:western|eastern|northern|southern|left|right|top|bottom|upper|lower|central|corner)(?:most)?"
    r"|(?:furthest|closest) to the \w+)"
)
_SIZE = r"(?:largest|smallest|biggest|longest|widest|tallest|main)"
_DESCRIBED = _any(rf"\b(?:{_SIZE}|only)\b", rf"\b{_SIDE}\b", r"\blocated\b")
_QUOTED = _any(r"[“\"‘](?P<text>[^”\"’]{8,})[”\"’]")
_PHRASE = _any(rf"\b(?P<text>the\s+(?:{_SIZE}|{_SIDE})\b[^.,;?(]*)")
_GSD = _any(
    rf"\b(?:gsd|resolution|sampling distance)\b[^.\d]{{0,20}}(?P<a>{_NUMBER})",
    r"(?P<b>\d*\.\d+)\s*(?:m|meters?|metres?)\s*(?:/|per)\s*(?:px|pixel)",
)
_GSD_OF_EACH = _any(rf"\bgsd (?:for|of) (?:image |region |area )?\w+\s*(?:is|=|:)\s*(?P<n>{_NUMBER})")
_UNIT_AREA = _any(rf"\beach\s+(?:of\s+)?(?P<n>{_NUMBER})\s*(?:m²|m2|m\^2|square met)")
_ACTED_ON = _any(
    rf"(?:count|detect|number of|many|all|identify|find|two {_APART}|pair of|area of|occupied by)"
    r"\s+(?:the\s+)?(?:number of\s+)?(?:all\s+|detected\s+|visible\s+|the\s+)*$"
)
# what counts as built where a question about built-up areas names nothing else
_BUILT = "building"


def understand_images(text: str, objects: Mapping[str, Sequence[str]]) -> QueryGoal:
    """The goal of a question about photographs; ``objects`` are the things known, with their other names."""
    slots: dict[str, Slot] = {"quantity": Slot("image", default=True)}

    def put(name: str, value: Any, words: str = "") -> None:
        slots[name] = Slot(value, words)

    found = _object(text.replace("-", " "), objects)
    if found is not None:
        put("object", *found)
    if gsd := _GSD.search(text):
        put("gsd", float(gsd["a"] or gsd["b"]), gsd.group())
    each = list(_GSD_OF_EACH.finditer(text))
    if len(each) > 1:
        put("gsds", tuple(float(match["n"]) for match in each), ", ".join(match.group() for match in each))
    if unit := _UNIT_AREA.search(text):
        put("reference_area", float(unit["n"]), unit.group())
    grown = _GROWN.search(text)
    operation = _operation(text, found[0] if found is not None else "", unit is not None, grown is not None)
    if operation == "buffer" and grown:
        put("radius", float(grown["radius"]), grown.group())
    if operation == "object_centre" and (described := _description(text, found)):
        put("described", described)
    if operation in ("object_distance", "boxes_of_pair"):
        distance = _DISTANCE.search(text)
        put("statistic", "maximum" if distance and _FAR.search(distance.group()) else "minimum")
    if found is None and operation in ("object_area", "box_area", "object_count"):
        slots["object"] = Slot(_BUILT, default=True, note="what is built, where the question names nothing else")
    put("operation", operation)
    put("operations", (operation,))
    return QueryGoal(text, slots)


def _description(text: str, found: tuple[str, str] | None) -> str:
    """The object in the words of the question, with a capital."""
    described = _QUOTED.search(text) or _PHRASE.search(text)
    words = described["text"].strip() if described else found[0] if found is not None else ""
    return words[:1].upper() + words[1:]


def _operation(text: str, thing: str, divided: bool, grown: bool) -> str:
    """What is to be done: scenes before changes, changes before places, distances before areas, counting last."""
    if _SCENES.search(text):
        return "scene_class"
    if _BEFORE_AFTER.search(text):
        by_area = _AREA.search(text) and (_CHANGE.search(text) or not _COUNT.search(text))
        return "lost_area" if by_area else "lost_count"
    if _DISTANCE.search(text):
        return "boxes_of_pair" if _BOXES_ASKED.search(text) else "object_distance"
    if _CENTRE.search(text) and _DESCRIBED.search(text):
        return "object_centre"
    if grown:
        return "buffer"
    measured = _BY_AREA.search(text) or (_AREA.search(text) and not _RANKED.search(text.split("(")[0]))
    if divided or (measured and _BOXES.search(text)):
        return "box_area"
    if measured:
        return "building_area" if thing == _BUILT else "object_area"
    return "object_count"


def _object(text: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The thing that is to be counted or found, else the first that is named; of names at one place the longest."""
    hits: list[tuple[int, int, str, str]] = []
    for name, others in objects.items():
        for phrase in (name, *others):
            for match in re.finditer(rf"\b{re.escape(phrase)}(?:s|es)?\b", text, re.IGNORECASE):
                hits.append((match.start(), -len(match.group()), name, match.group()))
    hits.sort()
    chosen = next((hit for hit in hits if _ACTED_ON.search(text[: hit[0]])), hits[0] if hits else None)
    return None if chosen is None else (chosen[2], chosen[3])
