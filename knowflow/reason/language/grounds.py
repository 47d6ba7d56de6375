"""Kinds of ground that another quantity tells apart: both of two, one and the whole, the pixels with something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.model.goal import QueryGoal, Threshold

# "the average LST of the pixels with TVDI > 0.8", "of the severely dry pixels"
_IN = r"\b(?:of|in|over|for|within)\s+(?:the\s+|all\s+)*"
_PLACES = r"(?:pixels|areas|regions|zones|places)"
_PLACES_WITH = re.compile(
    rf"{_IN}(?:[\w-]+\s+){{0,2}}?{_PLACES}\s+(?:with|where|whose|in which|that)\b"
    rf"|{_IN}(?:[\w-]+\s+){{1,2}}?{_PLACES}\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:overall|whole|entire)\b", re.IGNORECASE)


def tells_places(text: str) -> bool:
    """Whether something is told of the pixels with, or the areas where, something else is so."""
    return _PLACES_WITH.search(text) is not None


def grounds_apart(conditions: Sequence[tuple[str, Threshold]]) -> bool:
    """Whether two limits of one quantity leave no place in both: NDVI above 0.5, and below 0.2."""
    if len(conditions) != 2 or conditions[0][0] != conditions[1][0]:
        return False
    ends = {limit.side: limit.value for _, limit in conditions}
    return ends.keys() == {"above", "below"} and ends["above"] >= ends["below"]


def whole_is_last(goal: QueryGoal) -> bool:
    """Whether the whole area is told after the part that it is compared with: "than the region as a whole"."""
    limit = goal.slots.get("conditions") or goal.slots.get("threshold")
    place = goal.text.find(limit.words) if limit is not None and limit.words else -1
    return place >= 0 and _WHOLE.search(goal.text, place) is not None
