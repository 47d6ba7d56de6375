"""Products of the units that nearly all data come in, spelt canonically, which are not worth loading pint for.

pint reads a dictionary of all units there are before it knows the first: a fifth of the time that a plan takes. What is
here is taken apart by itself, to the same end (tests compare all of it with pint); anything else is pint's to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_DAY = 86400.0
_YEAR = 365.25  # days of a Julian year, which CF and pint mean by a year
# how many of what it measures one is: of metres, kilograms, seconds, kelvins, moles, radians' degrees
_BASES: dict[str, tuple[float, dict[str, int]]] = {
    "m": (1.0, {"length": 1}),
    "km": (1e3, {"length": 1}),
    "mm": (1e-3, {"length": 1}),
    "ha": (1e4, {"length": 2}),
    "K": (1.0, {"temperature": 1}),
    "degree": (1.0, {"angle": 1}),
    "s": (1.0, {"time": 1}),
    "h": (3600.0, {"time": 1}),
    "day": (_DAY, {"time": 1}),
    "year": (_YEAR * _DAY, {"time": 1}),
    "kg": (1.0, {"mass": 1}),
    "mol": (1.0, {"substance": 1}),
    "W": (1.0, {"mass": 1, "length": 2, "time": -3}),
    "Pa": (1.0, {"mass": 1, "length": -1, "time": -2}),
}
TIMES = frozenset(name for name, (_, of) in _BASES.items() if of == {"time": 1})
_PART = re.compile(r"([A-Za-z]+)(-?[2-9]|-1)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CommonUnit:
    """What a unit measures, as powers of what is measured, how many of their units it is, and what it is made of."""

    measures: frozenset[tuple[str, int]]
    size: float
    parts: tuple[tuple[str, int], ...] = ()


_PURE = {"1": CommonUnit(frozenset(), 1.0), "%": CommonUnit(frozenset(), 0.01)}


@lru_cache(maxsize=1024)
def common_unit(unit: str) -> CommonUnit | None:
    """A unit that is spelt canonically, out of common ones; None where that is pint's to read."""
    if unit in _PURE:
        return _PURE[unit]
    matches = [_PART.fullmatch(part) for part in unit.split(" ")]
    parts = [(match[1], int(match[2] or 1)) for match in matches if match and match[1] in _BASES]
    names = {name for name, _ in parts}
    if len(parts) < len(matches) or len(names) < len(parts) or parts != sorted(parts, key=canonically):
        return None
    measures: dict[str, int] = {}
    size = 1.0
    for name, power in parts:
        one, of = _BASES[name]
        size *= one**power
        for what, times in of.items():
            measures[what] = measures.get(what, 0) + times * power
    return CommonUnit(frozenset((what, power) for what, power in measures.items() if power), size, tuple(parts))


def canonically(part: tuple[str, float]) -> tuple[bool, str]:
    """The order of the parts of a unit: what is below the line comes last, each by its name."""
    return part[1] < 0, part[0]
