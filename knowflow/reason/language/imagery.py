"""What is asked of photographs from above: which scene, which objects, how many, how large, how far apart, what is gone.

Such images have no bands and no dates: what counts is the thing asked about and what is to be done with it. Which things
there are, and their names, is knowledge of a pack (``objects``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from knowflow.model.goal import QueryGoal, Slot

_SCENES = re.compile(
    r"\bevery image belongs to\b|\bclassif\w+|\bcategor\w+|\bscene (?:type|class|categor\w+)|\bcaptured (?:in|over)\b"
    r"|\btypes? of (?:scene|land)|\bland[- ]use types?\b",
    re.IGNORECASE,
)
_BEFORE_AFTER = re.compile(
    r"\bdestroy\w+|\bdamag\w+|\bcollaps\w+|\bdisaster|\bbefore and after\b|\bpre-? ?and post|\btwo time ?points?\b"
    r"|\btime points\b|\brestor\w+|\brebuil\w+|\breconstruct\w+|\bdemolish\w+",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\w*\b|\bmonths?\b|\bdays?\b", re.IGNORECASE)
_AREA = re.compile(
    r"\bareas?\b(?! (?:seem|have|are|appear))|\bbuilt-?up\b|\bcoverage\b|\bextent\b|\bfootprints?\b|\bseverely\b|\bsevere\b"
    r"|\bgreater destruction\b|\bmore (?:destruction|damage)\b|\bspace\b",
    re.IGNORECASE,
)
_DISTANCE = re.compile(
    r"\b(?:closest|nearest|farthest|furthest|most distant|shortest|longest|maximum|minimum|largest|smallest)\s+"
    r"(?:pairs?\b|two\b|distance|separation|gap)|\b(?:distances?|separation) between\b|\btwo (?:closest|nearest|farthest|furthest|most distant)\b"
    r"|\bhow far\b",
    re.IGNORECASE,
)
_FAR = re.compile(r"\b(?:farthest|furthest|most distant|longest|maximum|largest|greatest) ?\w*", re.IGNORECASE)
_BOXES = re.compile(r"\bbounding ?box(?:es)?\b|\bbbox(?:es)?\b", re.IGNORECASE)
_BOXES_ASKED = re.compile(
    r"\b(?:determine|find|give|return|report|what (?:is|are)|identify|provide)\s+(?:\w+\s+){0,2}?bounding ?box", re.IGNORECASE
)
_CENTRE = re.compile(r"\bcent(?:roid|er|re)s?\b|\bcoordinates?\b", re.IGNORECASE)
_EXPAND = re.compile(
    r"\b(?:expand\w*|expansion|buffer\w*|enlarg\w+|safety zone|radius|within)\b[^.]*?(?P<radius>\d+(?:\.\d+)?)\s*(?:m|meters?|metres?)\b",
    re.IGNORECASE,
)
_PLACE = r"(?:western|eastern|northern|southern|left|right|top|bottom|upper|lower|central|corner)(?:most)?|furthest to the \w+|closest to the \w+"
_DESCRIBED = re.compile(rf"\b(?:largest|smallest|biggest|longest|widest|tallest|main|only)\b|\b(?:{_PLACE})\b|\blocated\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"‘](?P<text>[^”\"’]{8,})[”\"’]")
_PHRASE = re.compile(
    rf"\b(?P<text>the\s+(?:largest|smallest|biggest|longest|widest|main|{_PLACE})\b[^.,;?(]*)", re.IGNORECASE
)
_GSD = re.compile(
    r"\b(?:gsd|resolution|sampling distance)\b[^.\d]{0,20}(?P<a>\d*\.?\d+)|(?P<b>\d*\.\d+)\s*(?:m|meters?|metres?)\s*(?:/|per)\s*(?:px|pixel)",
    re.IGNORECASE,
)
_GSD_EACH = re.compile(r"\bgsd (?:for|of) (?:image |region |area )?\w+\s*(?:is|=|:)\s*(?P<n>\d*\.?\d+)", re.IGNORECASE)
_REFERENCE = re.compile(r"\beach\s+(?:of\s+)?(?P<n>\d+(?:\.\d+)?)\s*(?:m²|m2|m\^2|square met)", re.IGNORECASE)
_CHANGE = re.compile(r"\bchang\w+|\bloss\b|\blost\b", re.IGNORECASE)


def understand_images(text: str, objects: Mapping[str, Sequence[str]]) -> QueryGoal:
    """The goal of a question about photographs; ``objects`` are the things known, with their other names."""
    slots: dict[str, Slot] = {}

    def put(name: str, value: Any, words: str = "") -> None:
        if value is not None:
            slots[name] = Slot(value, words)

    plain = text.replace("-", " ")
    found = _object(plain, objects)
    gsd, reference = _GSD.search(text), _REFERENCE.search(text)
    put("object", found[0] if found else None, found[1] if found else "")
    each = tuple(float(match["n"]) for match in _GSD_EACH.finditer(text))
    if len(each) > 1:
        put("gsds", each)
    put("gsd", float(gsd["a"] or gsd["b"]) if gsd else None, gsd.group() if gsd else "")
    put("reference_area", float(reference["n"]) if reference else None, reference.group() if reference else "")
    expand = _EXPAND.search(text)
    operation = _operation(text, found[0] if found else "", reference is not None, expand is not None)
    if operation == "buffer" and expand:
        put("radius", float(expand["radius"]), expand.group())
    if operation == "object_centre":
        described = _QUOTED.search(text) or _PHRASE.search(text)
        words = described["text"].strip() if described else slots["object"].value if found else ""
        put("described", words[:1].upper() + words[1:] if words else None)
    if operation in ("object_distance", "boxes_of_pair"):
        put("statistic", "maximum" if _FAR.search(_DISTANCE.search(text).group()) else "minimum")  # type: ignore[union-attr]
    if not found and operation in ("object_area", "box_area", "object_count"):
        slots["object"] = Slot("building", default=True, note="what is built, where the question names nothing else")
    put("operation", operation)
    put("operations", (operation,))
    put("quantity", "image")
    return QueryGoal(text, slots)


def _operation(text: str, thing: str, divided: bool, grown: bool) -> str:
    """What is to be done: scenes before changes, changes before places, distances before areas, counting last."""
    if _SCENES.search(text):
        return "scene_class"
    if _BEFORE_AFTER.search(text):
        return "lost_area" if _AREA.search(text) and not _COUNT.search(text) or _CHANGE.search(text) else "lost_count"
    if _DISTANCE.search(text):
        return "boxes_of_pair" if _BOXES_ASKED.search(text) else "object_distance"
    if _CENTRE.search(text) and _DESCRIBED.search(text):
        return "object_centre"
    if grown:
        return "buffer"
    if re.search(r"\bby (?:\w+[- ]){0,2}area\b", text, re.IGNORECASE):
        return "box_area" if _BOXES.search(text) or divided else "object_area"
    if _AREA.search(text) and not re.search(r"\b(?:count|how many|number of|rank|sort)\b", text.split("(")[0], re.IGNORECASE):
        if thing == "building":
            return "building_area"
        return "box_area" if _BOXES.search(text) or divided else "object_area"
    if divided:
        return "box_area"
    return "object_count"


def _object(text: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The thing that is named last before what it is compared with, or, of several names at one place, the longest."""
    hits: list[tuple[int, int, str, str]] = []
    for name, others in objects.items():
        for phrase in (name, *others):
            for match in re.finditer(rf"\b{re.escape(phrase)}(?:s|es)?\b", text, re.IGNORECASE):
                hits.append((match.start(), -len(match.group()), name, match.group()))
    if not hits:
        return None
    wanted = re.compile(
        r"(?:count|detect|number of|many|all|identify|find|two (?:closest|nearest|farthest|furthest)|pair of|area of|occupied by)"
        r"\s+(?:the\s+)?(?:number of\s+)?(?:all\s+|detected\s+|visible\s+|the\s+)*$",
        re.IGNORECASE,
    )
    hits.sort()
    for start, _, name, words in hits:
        if wanted.search(text[:start]):
            return name, words
    _, _, name, words = hits[0]
    return name, words
