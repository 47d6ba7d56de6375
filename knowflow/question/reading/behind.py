"""What words of each symbol stand behind in an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.question.operators import Expression
from knowflow.question.reading.chart import Entity

BEHIND: Mapping[str, tuple[str, ...]] = {
    "TIME": ("during",),
    "SIDE": ("beyond",),
    "AFTER": ("beyond",),
    "COMPARED": ("beyond",),
    "STAT": ("over", "extreme"),
    "BEHIND": ("over",),
    "RANKED": ("extreme",),
    "GRAIN": ("split",),
    "EVERY": ("split",),
    "NUM": ("number", "along", "extreme"),
    "UNIT": ("number",),
    "PART": ("number",),
    "ARITHMETIC": ("calculate",),
    "CHANGED": ("calculate",),
    "MOVED": ("calculate",),
    "MORE": ("calculate",),
    "did_change": ("calculate",),
    "TREND": ("trend",),
    "ANOMALY": ("anomaly",),
    "CORRELATION": ("correlate",),
    "SHOWN": ("show",),
    "how_many": ("over",),
    "how_much": ("over",),
    "how_large": ("over",),
    "first": ("over",),
    "last": ("over",),
    "long": ("over",),
    "per": ("split",),
    "running": ("along",),
}
"""The operators that words of a symbol may say; a field of these has the value of the words."""

_AS = {"maximum": "highest", "minimum": "lowest", "how_many": "count", "how_much": "share", "how_large": "area"}


def stands_for(entity: Entity, part: Expression) -> bool:
    """Whether the words of an entity may say a part of an expression."""
    if isinstance(entity.value, Expression):
        return part == entity.value
    if part.op not in BEHIND.get(entity.symbol, ()):
        return False
    own = {repr(getattr(part, name)) for name in part.__dataclass_fields__}
    return (entity.value is None and entity.symbol not in _AS) or any(repr(value) in own for value in stood_for(entity))


def stood_for(entity: Entity) -> list[Any]:
    """The values of an operator that the words of an entity may say."""
    told = entity.symbol if entity.value is None else entity.value
    values = told if isinstance(told, tuple) else (told,)
    return [*values, *(_AS[value] for value in values if isinstance(value, str) and value in _AS)]
