"""What is told as a rate, as the amount of a time: ``total evapotranspiration in August``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_FALLEN = ("precipitation",)  # whose rate and amount have names of their own


def as_amounts(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What is told as a rate, as the amount of a time, too, where the data know how long theirs are; less likely where
    nothing says so."""
    kinds = quantity_kinds()
    for one in found:
        kind = kinds.get(one.value.kind) if one.symbol == "QUANTITY" else None
        amount = "" if kind is None or kind.amount is None else kind.amount
        yield one
        if amount in data.quantities and amount not in _FALLEN:
            having = tuple(fact for fact in one.value.having if fact[0] != "product")
            yield replace(one, value=Quantity(amount, having=having), cost=one.cost + 1)


_FALLEN = ("precipitation",)  # whose rate and amount have names of their own
