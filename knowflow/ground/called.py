"""Quantities that nothing is known of but what data call them: the name of such a kind says all there is to know.

``peat_depth__m`` is what a layer called so holds, in metres; ``soil_type__class`` are classes, ``insured_value__EUR``
is counted in what no unit measures, and ``bird_richness__1`` are numbers as they are. Files, plans and processes share
the names, and nobody has to list the kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowflow.ground.units import compatible, known

OBJECTS = "polygons"
"""The name of objects, under which a mapping says what the data have in their place."""
CLASSES = "class"
"""What stands for a unit in the name of a kind whose numbers are classes."""
_MARK = "__"
_NAME = re.compile(r"([^\W_]+(?:_[^\W_]+)*)__(\S+)")
_ADDS_UP = ("kg", "m3", "J")  # what lies in a pixel, in units that measure the same
_COUNTED = frozenset(
    [
        *("people", "persons", "person", "inhabitants", "residents", "households", "buildings", "dwellings", "jobs"),
        *("trees", "individuals", "animals", "cattle", "heads", "eur", "euro", "euros", "usd", "dollars", "gbp", "chf"),
    ]
)
"""Words that count what lies in a pixel."""
_HOW_MANY = frozenset({"count", "counts", "number", "of", "total", "num"})
_NO_TRUE_ZERO = ("K", "degree")


def called_kind(words: Iterable[str], unit: str) -> str:
    """The name of the kind of what is called by some words, in a unit, or a word for what it counts.

    >>> called_kind(["Sugarcane", "yield"], "t ha-1")
    'sugarcane_yield__t_ha-1'
    """
    return "_".join(word.casefold() for word in words) + _MARK + "_".join(unit.split())


def read_called(kind: str) -> tuple[str, str] | None:
    """What a kind is called, in words, and its unit as it is told; None for kinds that are known otherwise."""
    found = _NAME.fullmatch(kind) if _MARK in kind else None
    return None if found is None else (found[1].replace("_", " "), found[2].replace("_", " "))


def is_unknown(kind: str | None) -> bool:
    """Whether nothing is known of a quantity but, perhaps, what it is called."""
    return kind is None or read_called(kind) is not None


def unit_called(told: str) -> str:
    """The unit in which numbers are reckoned with: a word that is no unit counts, and is a pure number; so are shares,
    whatever they are told in."""
    return told if told not in (CLASSES, "%") and known(told) else "1"


def adds_up(told: str) -> bool:
    """Whether a unit says that what lies in pixels adds up: mass, volume, energy, what is counted."""
    unit = unit_called(told)
    return told.casefold() in _COUNTED if unit == "1" else any(compatible(unit, one) for one in _ADDS_UP)


def counted(words: Iterable[str]) -> str | None:
    """What a layer of pure numbers counts by its name: ``buildings`` of ``number of buildings``; None where nothing."""
    said = [word.casefold() for word in words if word.casefold() not in _HOW_MANY]
    return next((one for one in (said[-1], f"{said[-1]}s") if one in _COUNTED), None) if said else None


def from_zero(told: str) -> bool:
    """Whether percent mean something of numbers in a unit: not of temperatures, directions and decibels."""
    unit = unit_called(told)
    return not any(compatible(unit, one) for one in _NO_TRUE_ZERO) and "dB" not in told
