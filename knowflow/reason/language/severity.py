"""How severely something burned: one class of dNBR, a range of them, or all of them with a row for each.

The limits are those of Key and Benson (2006), FIREMON, RMRS-GTR-164-CD.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from knowflow.ground.regex import regex
from knowflow.model.goal import Slot, Threshold
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Subject

CLASSES = ("unburned", "low", "moderate-low", "moderate-high", "high")
_LIMITS = (0.1, 0.27, 0.44, 0.66)
_SOURCE = (
    "classes of dNBR begin at 0.10 (low), 0.27 (moderate-low), 0.44 (moderate-high), 0.66 (high): Key & Benson (2006)"
)
# the first and the last of the classes that a word stands for
_CALLED: Mapping[str, tuple[int, int]] = {
    r"un-?burn(?:ed|t)": (0, 0),
    r"moderate(?:ly)?[\s-]+low|low[\s-]+moderate": (2, 2),
    r"moderate(?:ly)?[\s-]+high|high[\s-]+moderate": (3, 3),
    r"low|light|mild": (1, 1),
    r"moderate|medium": (2, 3),
    r"(?:very\s+|extremely\s+)?(?:high|severe)|extreme|highest": (4, 4),
}
_CLASS = "(?:" + "|".join(_CALLED) + ")"
_UPWARDS = r"\s+(?:severity\s+)?(?:or|and)\s+(?:higher|more|above|worse)"
_JOINED = r"(?:[\s,/-]|\b(?:and|or|to|through|with|of|how|much|many)\b)+"
_NAMED = regex(
    rf"\b(?P<least>at\s+least\s+)?(?P<first>{_CLASS})(?P<more>(?:{_JOINED}{_CLASS}\b)*)(?P<up>{_UPWARDS})?"
    rf"\s+(?:burn(?:ed|t|ing)?\s+|fire\s+|wildfire\s+)?severity(?P<after>{_UPWARDS})?",
    re.IGNORECASE,
)
_SAID_OF_IT = regex(
    rf"\bseverity\s+(?:of\s+the\s+(?:fire|burn)\s+)?(?:(?:is|was|were|are|class|classed|of|as|:)\s+)*(?P<least>at\s+least\s+)?"
    rf"(?P<first>{_CLASS})\b(?P<more>(?:{_JOINED}{_CLASS}\b)*)(?P<up>{_UPWARDS})?",
    re.IGNORECASE,
)
_ADVERBS = regex(
    r"\b(?:(?P<high>(?:very\s+)?(?:severely|intensely|heavily|badly))|(?P<moderate>moderately)|(?P<low>lightly|slightly))\s+burn(?:ed|t)\b"
    r"|\bburn(?:ed|t)\s+(?P<high_>(?:very\s+)?(?:severely|intensely|heavily|badly))\b",
    re.IGNORECASE,
)
_ALL = regex(
    r"\b(?:severity|dnbr|burn)\s+(?:class(?:es)?|levels?|grades?|categor(?:y|ies))\b"
    r"|\b(?:class(?:es)?|levels?|grades?|categor(?:y|ies))\s+of\s+(?:(?:the|burn|fire|wildfire)\s+)*(?:severity|dnbr)\b"
    r"|\b(?:by|per|for\s+each|of\s+each|each)\s+(?:(?:burn|fire|wildfire)\s+)*severity(?:\s+class)?\b",
    re.IGNORECASE,
)
_RANGE = regex(r"\b(?:to|through|or)\b|-", re.IGNORECASE)


def read_severity(reading: Reading, main: Subject | None) -> None:
    """Fill ``threshold`` and ``side`` by the class that is named, or ``severity_classes`` where several are wanted."""
    if main is None or main.quantity not in OF_AN_EVENT or reading.limits:
        return
    named = _NAMED.search(reading.text) or _SAID_OF_IT.search(reading.text)
    found = named or _ADVERBS.search(reading.text)
    every = _ALL.search(reading.text)
    spans = _classes(named) if named else [_by_adverb(found)] if found else []
    if len(spans) > 1 or (not spans and every is not None):
        said = [match for match in (found, every) if match is not None]
        first, past = min(match.start() for match in said), max(match.end() for match in said)
        wanted = CLASSES if not spans else tuple(CLASSES[n] for low, high in spans for n in range(low, high + 1))
        reading.put("severity_classes", wanted, reading.text[first:past])
        reading.understood += [match.span() for match in said]
        group = reading.slots.get("group_by")
        if group is not None and group.value == "class":  # "for each class of severity" groups by no map of classes
            del reading.slots["group_by"]
    elif spans and found is not None:
        limit = _threshold(*spans[0])
        for slot, value in (("threshold", limit), ("side", limit.side)):
            reading.slots[slot] = Slot(value, found.group(), True, _SOURCE)
        reading.understood.append(found.span())


def _classes(named: re.Match[str]) -> list[tuple[int, int]]:
    """The classes of a list, each by its first and last: "low and high" are two, "moderate to high" is one range."""
    groups = named.groupdict()
    spans = [_called(groups["first"])]
    joined = groups["more"] or ""
    for match in re.finditer(rf"(?P<join>{_JOINED})(?P<class>{_CLASS})\b", joined, re.IGNORECASE):
        span, last = _called(match["class"]), spans[-1]
        if _RANGE.search(match["join"]) and (span[0] == last[1] + 1 or " to " in f" {match['join'].strip()} "):
            spans[-1] = (min(last[0], span[0]), max(last[1], span[1]))
        else:
            spans.append(span)
    if groups["least"] or groups["up"] or groups.get("after"):
        spans[-1] = (spans[-1][0], len(CLASSES) - 1)
    return spans


def _called(words: str) -> tuple[int, int]:
    return next(span for pattern, span in _CALLED.items() if re.fullmatch(pattern, words, re.IGNORECASE))


def _by_adverb(found: re.Match[str]) -> tuple[int, int]:
    """ "Severely burned" is of high severity."""
    word = next(name for name, said in found.groupdict().items() if said)
    return _called(word.strip("_"))


def _threshold(first: int, last: int) -> Threshold:
    """The limits of a range of classes."""
    if first == 0:
        return Threshold(_LIMITS[last], None, "below")
    if last == len(CLASSES) - 1:
        return Threshold(_LIMITS[first - 1], None, "above")
    return Threshold(_LIMITS[first - 1], None, "between", _LIMITS[last])
