"""What an expression gives: numbers with a unit, truths, classes or dates, over space or not, one per key or one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import change_unit, compatible, per_time
from knowflow.question.operators import GRAINS, Position

Of: TypeAlias = Literal["number", "truth", "class", "date", "object", "answer"]
Nature: TypeAlias = Literal["state", "amount", "rate", "angle", "level"]
_STANDING = ("terrain", "class")  # families of what holds for all dates
_TRUTHS = "mask"


@dataclass(frozen=True, slots=True)
class Measure:
    """What numbers are, which decides what may be done with them.

    ``adds`` are the axes along which they add up: rain over time, people over space, counts over both. ``change`` is
    whether they tell a difference, of which 5 degC are 5 K. ``from_zero`` is whether their zero is none of it, so that
    percent mean something. ``summed`` is whether the sum of the pixels is told where it is asked for. ``level`` is the
    nature of decibels, which are averaged as power.
    """

    unit: str = "1"
    nature: Nature = "state"
    adds: tuple[str, ...] = ()
    from_zero: bool = False
    change: bool = False
    literal: bool = False
    summed: bool = False

    def changed(self) -> Measure:
        """What differences of such numbers are."""
        return Measure(change_unit(self.unit), "amount" if self.adds else "state", self.adds, change=True)

    @property
    def temperature(self) -> bool:
        """Whether it tells how warm it is, not how much warmer."""
        return not self.change and compatible(self.unit, "K")

    @property
    def gathered(self) -> Measure | None:
        """What such numbers come to over ground, each times the area it is of; None where that is nothing.

        Depths come to a volume, what weighs so much per area to a mass, a density of people to people.
        """
        unit = None if self.nature in ("angle", "level") or "space" in self.adds else _gathered(self.unit)
        adds = ("space", "objects", "classes", *(["time"] if "time" in self.adds else []))
        return None if unit is None else Measure(unit, "amount", adds, self.from_zero, self.change)


@lru_cache(maxsize=256)
def _gathered(unit: str) -> str | None:
    """The unit of a number of that unit times an area."""
    if unit == "1":
        return None
    return next((one for one in _GATHERED if compatible(f"{unit} m2", one)), None)


_GATHERED = ("m3", "t", "1", "mol", "J", "W", "t year-1", "m3 year-1", "mol s-1", "year-1")
COUNTED = Measure("1", "amount", ("space", "time", "objects", "classes"), True)
SHARE = Measure("%", "state", (), True)
AREA = Measure("m2", "amount", ("space", "objects", "classes"), True)
LENGTH = Measure("m", "amount", ("objects", "classes"), True)
DISTANCE = Measure("m", "state", (), True)
DAYS = Measure("day", "amount", ("objects", "classes"), True)


@dataclass(frozen=True, slots=True)
class Type:
    """``keys`` are named from the outermost in; the dates of what has any are the innermost of them.

    ``chosen`` is whether only some keys are left, picked by what they hold: those restrict other expressions.
    """

    of: Of
    measure: Measure = Measure()
    space: bool = False
    keys: tuple[str, ...] = ()
    chosen: bool = False

    @property
    def grain(self) -> str | None:
        """The innermost key of time."""
        return next((key for key in reversed(self.keys) if key in GRAINS), None)

    def without(self, key: str) -> Type:
        """With one key less: the innermost of that name."""
        at = len(self.keys) - 1 - self.keys[::-1].index(key)
        return replace(self, keys=self.keys[:at] + self.keys[at + 1 :], chosen=False)

    def __str__(self) -> str:
        """In plain words: ``a number in K per pixel and date``."""
        unit = "" if self.of != "number" or self.measure.unit == "1" else f" in {self.measure.unit}"
        per = [*(["pixel"] if self.space else []), *(one_of(key) for key in self.keys)]
        what = {"number": "a number", "truth": "true or false", "class": "a class", "date": "a date"}
        name = what.get(self.of, "polygons" if self.of == "object" else "an answer by itself")
        return name + unit + (f" per {' and '.join(per)}" if per else "")


def one_of(key: str) -> str:
    """One key, in words: a month of the year, a class, an object."""
    return {"classes": "class", "objects": "object", "month_of_year": "month of the year"}.get(key, key)


@lru_cache(maxsize=1024)
def type_of_kind(name: str) -> Type | None:
    """What a quantity of that kind is: a field, a mask or classes, with dates unless it stands for all; None: no such.

    A kind of class may have dates in the data; without ``during`` its only or newest map is meant.
    """
    kind = quantity_kinds().get(name)
    if kind is None:
        return None
    keys = () if kind.family in _STANDING else ("date",)
    if kind.family == _TRUTHS:
        return Type("truth", space=True, keys=keys)
    if kind.categorical:
        return Type("class", space=True, keys=keys)
    return Type("number", _measure(kind), True, keys)


def blank_is_none(name: str, at: Position, told: bool = False) -> bool:
    """Whether there is none of a quantity where files leave blank what they never tell to be none: of kinds marked so,
    where it is asked whether there is some. Of numbers that is where they stand on a side of a limit, as they are, or
    of a part of the ground or the dates; a mean of them is one of where there is some. ``told``: it is said of the
    files."""
    kind = quantity_kinds().get(name)
    if kind is None or not (kind.blank_is_none or told):
        return False
    above = list(zip(at[::-2], at[-2::-2], strict=False))  # fields with their operators, the nearest first
    held = next((one for one in above if one not in _PARTS), None)
    return kind.categorical or held == ("x", "beyond")


_PARTS = (("x", "during"), ("x", "within"), ("x", "split"))


def _measure(kind: QuantityKind) -> Measure:
    adds = (*(["space", "objects", "classes"] if kind.per_pixel else []), *(["time"] if kind.accumulates else []))
    low = kind.range[0]
    if kind.circular:
        return Measure(kind.unit, "angle")
    if kind.unit == "dB":
        return Measure(kind.unit, "level")
    nature: Nature = "amount" if adds else "rate" if per_time(kind.unit) else "state"
    zero = kind.from_zero or (low is not None and low >= 0)
    return Measure(kind.unit, nature, adds, zero, summed=kind.summed)
