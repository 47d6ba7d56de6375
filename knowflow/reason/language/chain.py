"""A question about a chain of steps while it is read: its slots, filled and corrected step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.language.products_named import Products


class Chain:
    """One reading of a goal; ``products`` are those that it names, ``of_algorithm`` what algorithms retrieve."""

    def __init__(
        self, goal: QueryGoal, made_of: Mapping[str, frozenset[str]], of_algorithm: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.goal = goal
        self.text = goal.text
        self.slots = dict(goal.slots)
        self.of_algorithm = of_algorithm
        self.products = Products(goal, made_of, of_algorithm)

    def put(self, slot: str, value: Any, said: str = "", note: str = "") -> None:
        """Fill a slot; without words of its own it keeps those that it had."""
        known = self.slots.get(slot)
        self.slots[slot] = Slot(value, said or (known.words if known else ""), False, note)

    def drop(self, *slots: str) -> None:
        """Empty slots, where they are filled."""
        for slot in slots:
            self.slots.pop(slot, None)

    def value(self, slot: str, default: Any = None) -> Any:
        """The value of a slot as it is now, which may differ from the goal's."""
        return self.slots[slot].value if slot in self.slots else default
