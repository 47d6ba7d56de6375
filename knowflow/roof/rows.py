"""The rows of a table as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_CODE, _NAME = "class", "name"


def readable(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows without the codes of classes, where each has a name; the files keep them.

    >>> readable([{"class": 1, "name": "beech", "mean": 2.5}])
    [{'name': 'beech', 'mean': 2.5}]
    """
    if not all(row.get(_NAME) and _CODE in row for row in rows):
        return list(rows)
    return [{name: value for name, value in row.items() if name != _CODE} for row in rows]
