"""The names that a folder brings along, for the reader of questions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from types import MappingProxyType

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.knowledge.legends import legends
from knowflow.model.artifact import Artifact
from knowflow.question.reading.vocabulary import DataWords
from knowflow.reason.inventory import Inventory

_MOST_NAMES = 500
"""Polygons whose names are read: those of a land registry are asked for by number."""
_LONGEST = 60


def data_words(inventory: Inventory) -> DataWords:
    """What the data hold by name: kinds, classes, polygons, layers, dates."""
    quantities = frozenset(str(kind) for item in inventory.artifacts if (kind := item.fact("quantity")))
    classes = {
        legend.quantity: tuple(one.name for one in legend.classes.values())
        for legend in legends().values()
        if legend.quantity is not None and legend.quantity in quantities
    }
    objects: dict[str, None] = {}
    for item in inventory.artifacts:
        if item.type != "vector" or item.path is None:
            continue
        names = tuple(_names(item))
        kind = item.fact("quantity")
        if kind is None:
            objects.update(dict.fromkeys(names))
        else:
            classes[str(kind)] = tuple(dict.fromkeys((*classes.get(str(kind), ()), *names)))
    days = {date.fromisoformat(moment[:10]) for moment in inventory.dates() if len(moment) >= 10}
    return DataWords(quantities, MappingProxyType(classes), tuple(objects), dates=tuple(sorted(days)))


def _names(vector: Artifact) -> Iterator[str]:
    """The texts that the features of a vector file are told apart by."""
    from knowflow.ground.vectors import DataLayerError, DataSourceError, read

    with suppress(UnreadableDataError, DataSourceError, DataLayerError):
        check_opening(str(vector.path))
        _, _, _, columns = read(vector.path, read_geometry=False, max_features=_MOST_NAMES)
        for column in columns:
            if column.dtype == object:
                texts = dict.fromkeys(str(value).strip() for value in column if isinstance(value, str))
                yield from (text for text in texts if any(map(str.isalpha, text)) and len(text) <= _LONGEST)
