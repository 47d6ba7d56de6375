"""What came and what went between two times: "gained and lost", "new water", "ground that became snow".

The net change of an extent is another number: a lake that moved has lost and gained, and is as large as it was.
"""

from __future__ import annotations

import re

from knowflow.ground.regex import regex
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Asked

_GAIN = r"(?:gain(?:s|ed)?|increases?|expansion|growth)"
_LOSS = r"(?:loss(?:es)?|lost|decreases?|shrinkage|retreat)"
_AND = r"(?:\s*[,/&]\s*|\s+)(?:(?:and|or|as well as|versus|vs|how much|the|was|were|has|have|been|an?)\s+)*"
_BOTH = regex(rf"\b(?:{_GAIN}{_AND}{_LOSS}|{_LOSS}{_AND}{_GAIN})\b", re.IGNORECASE)
_BE = r"(?:is|are|was|were|been)"
_CAME = rf"(?:{_BE}\s+(?:newly\s+)?(?:gained|added)|newly\s+(?:formed|appeared)|appear(?:ed)?|emerged?)"
_WENT = rf"(?:{_BE}\s+lost|disappear(?:ed)?|vanish(?:ed)?)"
_EVENTS = (("gained", regex(rf"\b{_CAME}\b", re.IGNORECASE)), ("lost", regex(rf"\b{_WENT}\b", re.IGNORECASE)))
_KIND = r"(?:\s+(?:an?|open|areas?\s+of))*\s+$"
_BEFORE = (  # what stands before the thing that came or went
    ("gained", regex(rf"\b(?:new|newly\s+(?:formed|created)){_KIND}", re.IGNORECASE)),
    ("gained", regex(rf"\b(?:becam?e|(?:turned|changed|converted)\s+(?:in)?to){_KIND}", re.IGNORECASE)),
    ("lost", regex(rf"\b(?:no\s+longer|not\s+any\s?more|ceased\s+to\s+be){_KIND}", re.IGNORECASE)),
)
_OF_EXTENT = frozenset({"change", "difference", "area", "map", "mask"})


def read_turnover(reading: Reading) -> None:
    """Fill ``turnover`` (``gained``, ``lost`` or ``both``) where a thing on the ground came or went, pixel by pixel."""
    asked = {one.operation for one in reading.asked}
    thing = "feature" in reading.slots or ("class" in reading.slots and "quantity" not in reading.slots)
    if not thing or "moved" in reading.slots or not asked <= _OF_EXTENT:
        return
    told = _both(reading.text) or _before_the_thing(reading) or _event(reading.text)
    if told is None:
        return
    value, first, past = told
    words = reading.text[first:past].strip()
    reading.put("turnover", value, words)
    reading.understood.append((first, past))
    if "change" not in asked:  # "the area that became water" is no area at one time
        reading.asked = (Asked("change", "analysis", first, words), *reading.asked)
        for name in ("operation", "operations"):
            reading.slots.pop(name, None)
        reading.put("operation", "change", words)
        said = ", ".join(one.words for one in reading.asked)
        reading.put("operations", tuple(one.operation for one in reading.asked), said)


def _both(text: str) -> tuple[str, int, int] | None:
    found = _BOTH.search(text)
    return None if found is None else ("both", *found.span())


def _before_the_thing(reading: Reading) -> tuple[str, int, int] | None:
    """What words before a thing on the ground say of it: "new water", "became snow", "is no longer water"."""
    said = {reading.slots[name].words for name in ("feature", "class") if name in reading.slots}
    pieces = reading.pieces
    things = [pieces[one.first].start for one in reading.heard if one.words in said]
    found = ((value, words.search(reading.text, 0, first)) for first in things for value, words in _BEFORE)
    return next(((value, *match.span()) for value, match in found if match is not None), None)


def _event(text: str) -> tuple[str, int, int] | None:
    """What happened to a thing, "appeared", "was lost"; what appeared and disappeared did both."""
    found = [(value, *said.span()) for value, words in _EVENTS if (said := words.search(text))]
    if len(found) > 1:
        return "both", min(first for _, first, _ in found), max(past for _, _, past in found)
    return next(iter(found), None)
