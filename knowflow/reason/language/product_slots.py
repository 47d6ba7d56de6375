"""Slots that belong to products: totals and parts of what is counted, colours, limits taken for granted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from knowflow.ground.kept import kept
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.goal import Slot, Threshold
from knowflow.reason.language import chain_words as words
from knowflow.reason.language import product_words as products

_TOLD = frozenset({"threshold", "times_mean", "drop", "algorithm"})


def product_details(text: str, quantity: str, operation: str, named: Sequence[str | None]) -> Mapping[str, Any]:
    """The slots that a question about a product fills, of the quantities it names; None empties a slot."""
    found: dict[str, Any] = {}
    base = next((name for name in named if name in words.BASES), None) if quantity not in words.BASES else None
    base = products.per_quantity(text) or base
    if base is not None and base != quantity:
        found["per_quantity"] = base
    if counted := products.counted_as(text, quantity, operation):
        found["of_each"] = counted
        if operation in words.COMPARED:
            found["statistic"] = counted
    if operation in ("change_share", "change_count") and (changed := products.changed_by(text, days=True)):
        found |= dict.fromkeys(("threshold", "side", "drop", "times_mean")) | {"changed": changed.by}
        found |= {"fall": -changed.by} if changed.by < 0 else {}
        if operation == "change_count":
            found |= {"changed": abs(changed.by), "way": "risen" if changed.by > 0 else "fallen"}
        found |= _another_limit([one.by for one in products.changes_by(text, days=True)], text)
    if operation == "increase_map" and (risen := products.power_risen(text)):
        found["threshold"] = Threshold(risen.by, None, "above")
        found |= _another_limit([one.by for one in products.power_rises(text)], text)
    if operation == "fire_prone" and (top := products.top_share(text)) is not None:
        found["percentile"] = 100 - top
    if products.power_averaged(text):
        found["fires"] = "power"
    if colours := products.COLOURS.search(text):
        found["colours"] = (colours["name"] or colours["after"]).lower()
    if words.RESIDENTIAL.search(text):
        found["part"] = "residential"
    elif words.NOT_RESIDENTIAL.search(text):
        found["part"] = "other"
    return found


def _another_limit(changes: Sequence[float], text: str) -> Mapping[str, Any]:
    """The second limit on a change, as the first is told: what goes the other way is negative; and whether the two
    answers are to be subtracted."""
    other = next((one for one in changes if one != changes[0]), None)
    if other is None:
        return {}
    apart = {"apart": True} if words.APART_THESE.search(text) else {}
    return {"changed_too": other if changes[0] > 0 else -other, **apart}


def limit_for_granted(text: str, quantity: str, filled: Collection[str], said: Set[str]) -> Mapping[str, Slot]:
    """What is hot, or covered, where the question names no limit of it; ``filled`` are the slots that have a value."""
    if _TOLD & set(filled) or "hotspot_direction" in said:
        return {}
    if products.hot_by_convention(text, said):
        note = "half as much again as the mean, where nothing else is said"
        return {"times_mean": Slot(products.HOT_TIMES_MEAN, default=True, note=note)}
    usual = usual_limit(quantity) if products.peak_cover(text) else None
    if usual is None:
        return {}
    return {"threshold": Slot(usual, default=True, note="the usual limit of what covers the ground")}


@kept(64)
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
