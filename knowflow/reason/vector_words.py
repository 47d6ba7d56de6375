"""What the vector files of a folder are called, and what they hold by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from knowflow.ground.columns import row_field
from knowflow.model.artifact import Artifact
from knowflow.question.reading.features import MONEY, FeatureLayer
from knowflow.reason.data_keys import OBJECTS, keys_of_polygons
from knowflow.reason.polygon_files import texts_among

_NO_NUMBER = re.compile(
    r"(^|_)(id|fid|gid|oid|uid|uuid|guid|code|index|iso\w*|lon|lat|x|y|year)(_|$|\d*$)", re.IGNORECASE
)
_UNITS: Mapping[str, str] = {
    **{one: one for one in ("m", "mm", "cm", "km", "ha", "m2", "km2", "m3", "t", "kg", "degC", "MW", "kW")},
    "years": "year",
    "days": "day",
    "pct": "%",
    "percent": "%",
    "c": "degC",
    "mw": "MW",
    "kw": "kW",
    **dict.fromkeys(MONEY, "1"),
}
"""Units as they end the names of columns; money is a number."""


def layer_of(vector: Artifact, columns: Mapping[str, list[Any]], alone: bool) -> FeatureLayer:
    """A vector file by its words; ``alone``: there is no other."""
    texts = texts_among(columns)
    called = row_field(texts)
    own = () if called is None else texts[called]
    named = tuple(dict.fromkeys(name for name, key in keys_of_polygons(vector, texts, not alone) if key == OBJECTS))
    others = (value for name, values in texts.items() if name != called for value in values)
    return FeatureLayer(
        None if alone else vector.name,
        int(vector.fact("features") or 0),
        named,
        tuple(_said(own)),
        tuple(_said(others)),
        tuple(_numbers(columns)),
    )


def _said(values: Iterable[Any]) -> Iterator[str]:
    yield from dict.fromkeys(value.strip() for value in values if isinstance(value, str))


def _numbers(columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str, str]]:
    """What columns of numbers are called, each with the unit that its name ends in: ``depth_m``."""
    for column, values in columns.items():
        known = [one for one in values if one is not None]
        numbers = bool(known) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in known)
        words = [one.lower() for one in column.split("_") if one]
        unit = (
            next((_UNITS[one] for one in (words[-1], column.split("_")[-1]) if one in _UNITS), None) if words else None
        )
        kept = words[:-1] if unit is not None and len(words) > 1 else words
        if not numbers or not kept or _NO_NUMBER.search("_".join(kept)) or not all(map(str.isalpha, kept)):
            continue
        for start in range(len(kept)):
            yield " ".join(kept[start:]), column, unit or "1"
