"""How limits on several quantities belong together: all at once, one or the other, or one within the other.

"NDVI above 0.7 and slope below 10 degrees" holds where both do. "What share of the land above 400 m has NDVI above
0.7" is a share of that land, not of the whole area. Which of two limits is to hold ("or") is no plan's to choose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from knowflow.model.goal import Ambiguity, Slot, Threshold
from knowflow.reason.language.reading import Reading


class Limited(NamedTuple):
    """A limit on a quantity, or a thing that a limit stands for, with its place; ``note`` says why it is the usual."""

    first: int
    past: int
    quantity: str
    threshold: Threshold
    note: str = ""


_OR = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_AND = re.compile(r"\s*(?:[,;]\s*)?(?:(?:and|but|yet|while|whilst|plus|as well as)\b|,)", re.IGNORECASE)
_HAS = re.compile(
    r"\b(?:has|have|had|is|are|was|were|shows?|lies?|lay|exceed\w*|surpass\w*|reach(?:es|ed)?|fell|falls?)\b",
    re.IGNORECASE,
)
_OF_THE_AREA = re.compile(
    r"(?:\w+\s+){1,3}?of\s+(?:(?:the|our|this|all|whole|entire|study)\s+)*(?:area|land|ground|pixels|scene|region|map)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:where|on|in|within|inside|over|with)\b", re.IGNORECASE)


def read_base(reading: Reading) -> None:
    """Fill ``share_of`` where the share of the whole area is asked for that is of one class and within a limit."""
    share = next((one for one in reading.asked if one.operation == "share"), None)
    limit = reading.slots.get("threshold")
    if share is None or limit is None or limit.default or "class" not in reading.slots or "conditions" in reading.slots:
        return
    said = _OF_THE_AREA.match(reading.text, share.first)
    if said is not None:
        reading.put("share_of", "area", said.group())


def join_limits(reading: Reading, limited: Sequence[Limited]) -> None:
    """Fill ``share_of`` where a share is one of limited ground; what "or" joins, and what may be either, is open."""
    placed = sorted(limited, key=lambda one: one.first)
    if len({one.quantity for one in placed}) < 2:
        return
    text = reading.text
    gaps = [(one.past, other.first) for one, other in pairwise(placed)]
    words = text[placed[0].first : placed[-1].past]
    if any(_OR.search(text, *gap) for gap in gaps):
        why, hint = "joins limits by 'or', and steps take all of them at once", "ask for each of the limits by itself"
        reading.ambiguities.append(Ambiguity("conditions", words, (), None, why, hint))
        return
    asked = [one.first for one in reading.asked if one.operation == "share"]
    parted = [gap for gap in gaps if not _AND.match(text, *gap) or any(gap[0] <= place < gap[1] for place in asked)]
    if reading.operation != "share" or not parted:
        return
    if parted != gaps[-1:] or not _parts(text[gaps[-1][0] : placed[-1].past]):
        choices = ("share of the whole area, where all limits hold", "share of the ground within one of the limits")
        reading.ambiguities.append(Ambiguity("conditions", words, choices, None))
        return
    _within(reading, placed[:-1], placed[-1])
    reading.put("share_of", "conditions", words)


def _parts(said: str) -> bool:
    """Whether words tell of the ground before them what is so of a part of it: "land above 400 m has NDVI above"."""
    verb = _HAS.search(said)
    return verb is not None and _WHERE.search(said, 0, verb.start()) is None


def _within(reading: Reading, whole: Sequence[Limited], part: Limited) -> None:
    """The last limit as what is asked, the others as the ground that it is asked of."""
    said = reading.text[part.first : part.past]
    if reading.slots["quantity"].value != part.quantity:
        reading.slots["quantity"] = Slot(part.quantity, said)
        reading.slots.pop("index", None)
    reading.slots["threshold"] = Slot(part.threshold, said, bool(part.note), part.note)
    reading.slots["side"] = Slot(part.threshold.side, said, bool(part.note))
    grounds = sorted(whole, key=lambda one: bool(one.note))
    words = ", ".join(reading.text[one.first : one.past] for one in grounds)
    conditions = tuple((one.quantity, one.threshold) for one in grounds)
    reading.slots["conditions"] = Slot(conditions, words, note=grounds[-1].note)
