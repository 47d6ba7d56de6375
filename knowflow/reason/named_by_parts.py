"""A quantity that no data give, by the parts of its name: "snow fraction" as the fraction of snow.

Some quantities are named by a thing on the ground and what is asked of it. Where neither the data nor a method give the
quantity itself, the question means the same by its parts; a word that says more ("snow depth") is no such part.
"""

from __future__ import annotations

from dataclasses import replace

from knowflow.ground.quantities import quantity_kind
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stems
from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand


def by_parts(goal: QueryGoal, inventory: Inventory) -> QueryGoal | None:
    """The goal with the quantity's name read by its parts; None where the name has no such parts.

    The choice is a default, with its reason. What the goal has from elsewhere than its text stays as it is.
    """
    slot = goal.slots.get("quantity")
    if slot is None or slot.default or any(item.fact("quantity") == slot.value for item in inventory.rasters):
        return None
    other = understand(goal.text, without=(str(slot.value),))
    part = other.slots.get("quantity")
    if part is None or "feature" not in other.slots or not slot.words or part.words not in slot.words:
        return None
    asked = other.slots["operations"].words if "operations" in other.slots else ""
    said = {*stems(part.words), *stems(asked), *lexicon().common}
    if not said.issuperset(stems(slot.words)):
        return None
    note = f"no data tell the {quantity_kind(str(slot.value)).title.lower()}: read as {part.words!r}"
    merged = _with_parts(goal, other)
    return replace(merged, slots={**merged.slots, "quantity": Slot(part.value, part.words, True, note)})


def _with_parts(goal: QueryGoal, other: QueryGoal) -> QueryGoal:
    """The goal with what ``other`` reads otherwise than the text alone, where the goal has what the text says."""
    whole = understand(goal.text)
    slots = dict(goal.slots)
    for name in whole.slots.keys() | other.slots.keys():
        if other.slots.get(name) == whole.slots.get(name) or goal.slots.get(name) != whole.slots.get(name):
            continue
        slots.pop(name, None)
        if name in other.slots:
            slots[name] = other.slots[name]
    return replace(
        goal,
        slots=slots,
        leftover=other.leftover if goal.leftover == whole.leftover else goal.leftover,
        ambiguities=other.ambiguities if goal.ambiguities == whole.ambiguities else goal.ambiguities,
    )
