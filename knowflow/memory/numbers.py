"""What the numbers of a file must be like for a learned rule to say what they stand for.

A scale, an offset or a unit is seldom all that numbers can mean: heights in centimetres may as well be others in units
of their own. What a rule says counts only for numbers that mean the same values as those it was learned from, and would
not if they were stored otherwise: within a window that is too narrow for another factor. Where the mean does not keep
factors apart (degrees Celsius begin anywhere, heights are of any size), the standard deviation has to, which every
factor changes. Numbers that vary more than another factor would change them do not tell it apart: then all that were
seen count, and a trial (``trial``) finds the rule wrong on look-alikes, so that it waits for a person.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.memory.case import Case
from knowflow.model.causes import NUMBERS_CANNOT_BE

# conventions for the same values that are told apart differ by a factor of so much at least
STEP = 1.2
# how many times more or less the numbers of a kind may vary than those that were seen, where their mean tells factors
# apart; and the ratio of the ends of the possible values from which on it does not do so alone
_SPREAD = 1.9
_WIDE = 4.0
_ROUNDED = 1e-5  # of a number, that writing it may take from it
# facts of which the size of numbers says nothing: the number itself is the mark
_MARKS = frozenset({"nodata", "mark"})
# units in which the same quantity is stored, as long as nothing but a factor is said
_UNITS = ("K", "degC", "degF", "m", "km", "cm", "mm", "ft", "Pa", "hPa", "kPa", "1", "%")

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a case says of numbers: stored ones times ``scale`` plus ``offset`` are values in ``unit``; ``own`` is the
    unit in which they were declared to be, ``kind`` what is measured."""

    scale: float
    offset: float
    unit: str
    own: str
    kind: QuantityKind | None

    def value(self, stored: float) -> float:
        """A stored number as a value in the unit of the quantity kind."""
        told = stored * self.scale + self.offset
        return told if self.kind is None else float(convert(told, self.unit, self.kind.unit))

    def stored(self, value: float, unit: str) -> float:
        """A value in the unit of the quantity kind as a file in ``unit`` stores it."""
        told = value if self.kind is None else float(convert(value, self.kind.unit, unit))
        return (told - self.offset) / self.scale

    def width(self, unit: str) -> float:
        """How much a stored number of a file in ``unit`` grows where the value grows by one."""
        return abs(self.stored(1.0, unit) - self.stored(0.0, unit))


def said(case: Case) -> dict[str, Any]:
    """The facts that the actions of a case say of data, with what the diagnosis found."""
    told: dict[str, Any] = {}
    for action in case.then:
        inserted = action.get("insert_tool", {})
        told |= action.get("state_facts", {})
        told |= inserted["with"] if str(inserted.get("tool", "")).startswith("declare_") else {}
    return {name: case.found.get(str(value).removeprefix("$found."), value) for name, value in told.items()}


def meaning_of(case: Case) -> Meaning:
    """What a case says of numbers; where it says no scale, they are what they are declared to be."""
    told, kind = said(case), quantity_kinds().get(str(case.facts.get("quantity")))
    scale, offset = (told.get(name, standard) for name, standard in (("scale", 1.0), ("offset", 0.0)))
    usable = isinstance(scale, int | float) and isinstance(offset, int | float) and scale != 0
    own = str(case.facts.get("unit") or (kind.unit if kind is not None else ""))
    unit = str(told.get("unit") or own)
    if kind is not None and not _convertible(unit, kind.unit):
        kind = None
    return Meaning(float(scale) if usable else 1.0, float(offset) if usable else 0.0, unit, own, kind)


def fault(case: Case) -> frozenset[str]:
    """The causes under which the fault of a case may come again: what numbers cannot be has three names, of which a
    diagnosis takes another where the same file is in another unit."""
    return NUMBERS_CANNOT_BE if case.cause in NUMBERS_CANNOT_BE and _sized([case]) else frozenset({case.cause})


def conditions(cases: Sequence[Case]) -> Iterator[str]:
    """The conditions on mean and standard deviation of the stored numbers, in each unit that files may be in."""
    if not _known(cases):
        return
    if not _sized(cases):
        yield _between("mean", _stored(cases))
        yield from (_between("std", spread) for spread in [_loose(cases)] if spread is not None)
        return
    units = _units(cases)
    told = [_of_unit(cases, unit, f"unit(it) == {unit!r} and " if units[1:] else "") for unit in units]
    yield told[0] if not told[1:] else " or ".join(f"({one})" for one in told)


def says_the_unit(cases: Sequence[Case]) -> bool:
    """Whether the conditions on numbers name the units that files may be in: no other condition does so then."""
    return _sized(cases) and len(_units(cases)) > 1


def example(cases: Sequence[Case]) -> tuple[float, float] | None:
    """A mean that a rule answers, and one that is too large for it; None where it asks for none."""
    if not _known(cases):
        return None
    low, high = _stored(cases)
    return sum(_means(cases[0])) / 2, high + (high - low) + 1


def centre(case: Case) -> tuple[float, float] | None:
    """What the values of a case are on average, and how much they vary; None where their size is of no matter."""
    if not _sized([case]):
        return None
    meaning, (low, high) = meaning_of(case), _ends(case)
    spread = math.sqrt(math.prod(case.spread)) if case.spread and case.spread[0] > 0 else (high - low) / 4
    return meaning.value(sum(_means(case)) / 2), spread / meaning.width(meaning.unit)


def overlap(one: Case, other: Case) -> bool:
    """Whether rules of two cases would answer the same numbers."""
    if not (_known([one]) and _known([other])):
        return True
    windows = [(_stored([case]), _spread(case)) for case in (one, other)]
    return all(a is None or b is None or (a[0] <= b[1] and b[0] <= a[1]) for a, b in zip(*windows, strict=True))


def _spread(case: Case) -> Ends | None:
    """Between which the standard deviation of the stored numbers must lie, in the unit of a case."""
    return _deviation([case], meaning_of(case).unit) if _sized([case]) else _loose([case])


def _known(cases: Sequence[Case]) -> bool:
    return all(case.low is not None and case.high is not None for case in cases)


def _sized(cases: Sequence[Case]) -> bool:
    """Whether what is said is right or wrong with the size of the numbers, which are known."""
    return _known(cases) and bool(said(cases[0]).keys() - _MARKS)


def _stored(cases: Sequence[Case]) -> Ends:
    """Between which the mean of the stored numbers must lie, where they are in the unit that they are in in a case."""
    if not _sized(cases):
        seen = [end for case in cases for end in _ends(case)]
        return _widened((min(seen), max(seen)))
    return _mean(cases, meaning_of(cases[0]).unit)


def _means(case: Case) -> Ends:
    low, high = _ends(case)
    return case.means or ((low + high) / 2, (low + high) / 2)


def _ends(case: Case) -> Ends:
    assert case.low is not None
    assert case.high is not None
    return case.low, case.high


def _units(cases: Sequence[Case]) -> tuple[str, ...]:
    """The units that files may be declared in so that the same is said of them: any, where only a factor is said."""
    meanings = [meaning_of(case) for case in cases]
    first, own = meanings[0], tuple(dict.fromkeys(one.own for one in meanings))
    told = said(cases[0])
    if "unit" in told or not all(case.facts.get("unit") for case in cases):
        return own[:1]
    if first.kind is None or first.offset != 0 or "scale" not in told:
        return own
    to = first.kind.unit
    others = (unit for unit in (*_UNITS, *first.kind.told_in) if _convertible(unit, to))
    return tuple(dict.fromkeys((*own, *others)))


def _of_unit(cases: Sequence[Case], unit: str, begins: str) -> str:
    """What files in a unit must be like."""
    stated = meaning_of(cases[0]).unit if "unit" in said(cases[0]) else unit
    told, spread = begins + _between("mean", _mean(cases, stated)), _deviation(cases, stated)
    return told if spread is None else f"{told} and {_between('std', spread)}"


def _mean(cases: Sequence[Case], stated: str) -> Ends:
    """Between which the mean of the numbers must lie, where they are stored in a unit."""
    low, high = sorted(meaning_of(cases[0]).stored(end, stated) for end in _window(cases))
    return low, high


def _deviation(cases: Sequence[Case], stated: str) -> Ends | None:
    """Between which their standard deviation must lie: as narrow as the mean, where that tells no factors apart."""
    meaning, (low, high) = meaning_of(cases[0]), _mean(cases, stated)
    apart = low > 0 and high <= 1.01 * STEP * low and not _is_wide(meaning.kind)
    spread = _loose(cases) if apart or _hull(cases) is None else _narrow(cases)
    grown = meaning.width(stated) / meaning.width(meaning.unit)
    return None if spread is None else (spread[0] * grown, spread[1] * grown)


def _window(cases: Sequence[Case]) -> Ends:
    """Between which the values of a file lie on average: where some were seen, or no further outside than these are
    wide; and, as long as these do not lie further apart, narrower than another factor would move them."""
    seen, hull = [meaning_of(case).value(end) for case in cases for end in _ends(case)], _hull(cases)
    low, high = _widened((min(seen), max(seen)))
    return (low, high) if hull is None else (max(low, hull[0]), min(high, hull[1]))


def _hull(cases: Sequence[Case]) -> Ends | None:
    """A window around the means of all files that another factor would move them out of; None where there is none."""
    means = [meaning_of(case).value(mean) for case in cases for mean in _means(case)]
    sign = -1.0 if max(means) < 0 else 1.0
    low, high = sorted((sign * min(means), sign * max(means)))
    if low <= 0 or high > STEP * low:
        return None
    low, high = _around((low, high), math.sqrt(STEP))
    return (low, high) if sign > 0 else (-high, -low)


def _around(ends: Ends, factor: float) -> Ends:
    """So much less and more than the middle of two numbers above zero, and both of them."""
    centre = math.sqrt(ends[0] * ends[1])
    return min(ends[0], centre / factor), max(ends[1], centre * factor)


def _widened(ends: Ends) -> Ends:
    width = ends[1] - ends[0]
    return ends[0] - width, ends[1] + width


def _spreads(cases: Sequence[Case]) -> Ends | None:
    """The least and the largest standard deviation, as those of the first case are stored."""
    seen: list[float] = []
    first = meaning_of(cases[0])
    for case in cases:
        if case.spread is None or case.spread[0] <= 0:
            return None
        own = meaning_of(case)
        grown = first.width(first.unit) / own.width(own.unit)
        seen += [case.spread[0] * grown, case.spread[1] * grown]
    return min(seen), max(seen)


def _loose(cases: Sequence[Case]) -> Ends | None:
    spread = _spreads(cases)
    return None if spread is None else _around(spread, _SPREAD)


def _narrow(cases: Sequence[Case]) -> Ends | None:
    spread = _spreads(cases)
    return _loose(cases) if spread is None or spread[1] > STEP * spread[0] else _around(spread, math.sqrt(STEP))


def _is_wide(kind: QuantityKind | None) -> bool:
    """Whether possible values are of so many sizes that a mean alone does not tell factors apart."""
    low, high = (None, None) if kind is None else kind.range
    return low is None or high is None or low <= 0 or high > _WIDE * low


def _convertible(unit: str, to: str) -> bool:
    try:
        return unit == to or compatible(unit, to)
    except UnitError:
        return False


def _between(name: str, ends: Ends) -> str:
    low, high = ends[0] - _ROUNDED * abs(ends[0]), ends[1] + _ROUNDED * abs(ends[1])
    return f"{name}(it) >= {low:.6g} and {name}(it) <= {high:.6g}"
