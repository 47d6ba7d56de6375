"""The limit by which what covers the ground is usually told from a quantity, where a question names none."""

from __future__ import annotations

from functools import lru_cache

from knowflow.knowledge.lexicon import lexicon
from knowflow.model.goal import Threshold


@lru_cache(maxsize=64)
def usual_limit(quantity: str) -> Threshold | None:
    """The lowest limit above which a quantity stands for a thing on the ground; None where it stands for none.

    Of several things, as vegetation and dense vegetation, the lowest limit has them all.
    """
    entries = [
        meaning.entry
        for meanings in lexicon().phrases.values()
        for meaning in meanings
        if meaning.category == "feature" and meaning.entry.quantity == quantity
    ]
    limits = [entry.threshold for entry in entries if entry.threshold is not None and entry.threshold.side == "above"]
    if not limits:
        return None
    lowest = min(limits, key=lambda limit: limit.value)
    return Threshold(lowest.value, lowest.unit, "above")
