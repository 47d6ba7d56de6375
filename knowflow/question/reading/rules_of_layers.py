"""The rules of what several layers of the ground make up between them: ``the clay of the top 30 cm``, where there are
maps of 0-5, 5-15 and 15-30 cm."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce

from knowflow.question.operators import Calculate, Expression, Number, Quantity, walk, with_children
from knowflow.question.reading.chart import Line
from knowflow.question.reading.nouns import chosen_of
from knowflow.question.reading.order import Thing
from knowflow.question.reading.vocabulary import AGES, LAYERS, Chosen

_DEPTH = re.compile(r"(\d+)-(\d+) cm")


def of_layers(x: Expression) -> Expression:
    """With what is asked of several layers together as their mean, each by its thickness; of groups of people as their
    sum."""
    if isinstance(x, Quantity) and (groups := dict(x.having).get(AGES)) is not None:
        others = tuple(fact for fact in x.having if fact[0] != AGES)
        each: list[Expression] = [replace(x, having=(*others, ("slice", one))) for one in groups.split("; ")]
        return reduce(lambda a, b: Calculate("sum", a, b), each)
    if isinstance(x, Quantity) and (told := dict(x.having).get(LAYERS)) is not None:
        others = tuple(fact for fact in x.having if fact[0] != LAYERS)
        depths = [(one[0], int(one[2]) - int(one[1])) for one in _DEPTH.finditer(told)]
        parts: list[Expression] = [
            Calculate("product", replace(x, having=(*others, ("height", depth))), Number(float(thick)))
            for depth, thick in depths
        ]
        total = Number(float(sum(thick for _, thick in depths)))
        return Calculate("ratio", reduce(lambda a, b: Calculate("sum", a, b), parts), total)
    return with_children(x, of_layers)


def _is_of_layers(x: Expression) -> bool:
    return any(isinstance(part, Quantity) and LAYERS in dict(part.having) for _, part in walk(x))


def _by_thickness(thing: Thing) -> Thing | None:
    """``weighted by the thickness of the layers``: as the mean of several is anyway."""
    return thing if _is_of_layers(thing.x) else None


def _averaged(x: Quantity, said: str, one: Chosen) -> Quantity | None:
    """``organic carbon averaged over 0-30 cm``."""
    return chosen_of(x, one) if said == "mean" and one.fact == LAYERS else None


RULES_OF_LAYERS: tuple[Line, ...] = (
    ("QUANTITY <- QUANTITY STAT in CHOSEN", _averaged),
    *((f"N <- N {words}", _by_thickness) for words in ("by_thickness", "open by_thickness close")),
    ("N <- by_thickness N", _by_thickness),
)
