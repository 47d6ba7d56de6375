"""The unit of numbers whose quantity is known: the one in which ordinary numbers of it are those that are seen."""

from __future__ import annotations

from knowflow.ground.quantities import QuantityKind
from knowflow.ground.units import compatible, convert
from knowflow.model.facts import Fact
from knowflow.reason.inventory.glance import Look

PURE_NUMBER = "is a pure number"
"""How the source ends of a unit of what has no dimension."""
_SLACK = 1e-6
_ALIKE = "kg m-2", "mm"  # of water: the same numbers
_PER_THOUSAND = frozenset({"g kg-1"})
_MOST_PER_CENT = 110.0
_LEAST_PER_CENT = 10.0  # of the largest values; smaller ones may be outliers of shares


def unit_by_values(kind: QuantityKind | None, look: Look, said: Fact | None) -> tuple[str, str] | None:
    """The unit that values leave of those in which a kind is told, with the reason; None where they leave several, or
    what is said already."""
    if kind is None or kind.borrows_unit:
        return None
    if kind.is_share:
        stored = kind.family == "radiometry" and "%" not in kind.units_beside  # reflectance, mostly in ten thousandths
        found = None if stored and not look.physical else _of_share(look, kind)
        if found is not None and look.physical and kind.range[1] != 1.0 and not fits(look, kind, found):
            found = None
    elif not look.physical and kind.categorical:
        return None
    else:
        own = () if said is None or not compatible(str(said.value), kind.unit) else (str(said.value),)
        listed = dict.fromkeys((kind.unit, *kind.units_beside, *own))
        fitting = [unit for unit in listed if fits(look, kind, unit)]
        fitting = [unit for unit in fitting if (kind.unit, unit) != _ALIKE or kind.unit not in fitting]
        found = fitting[0] if len(fitting) == 1 else _amount_of(said, kind, fitting)
        if found is not None and not look.physical and found != kind.unit and not compatible(found, kind.unit):
            found = None  # whole numbers of an unknown scale, in a unit that they cannot be held against
    if (
        found is None
        or (said is not None and said.value == found)
        or (kind.family == "measure" and (found != kind.unit or said is not None))
    ):
        return None  # lengths of time and ways are of any size
    return found, f"values from {look.low:g} to {look.high:g} are those of {kind.name} in {found}"


def _amount_of(said: Fact | None, kind: QuantityKind, fitting: list[str]) -> str | None:
    """The amount in the unit of a day of what is too much for one: 190 mm are no evaporation of a day."""
    amount, _, per = str(None if said is None else said.value).rpartition(" ")
    return amount if per == "day-1" and amount in fitting and kind.unit not in fitting else None


def _of_share(look: Look, kind: QuantityKind) -> str | None:
    """Shares are told from 0 to 1 or in per cent, whole numbers up to 100 as well as decimal ones; some in parts of a
    thousand."""
    if look.top <= 1.6:
        return "1"
    if look.low >= 0.0 and _MOST_PER_CENT < look.top <= 1000.0:
        return next((unit for unit in kind.told_in if unit in _PER_THOUSAND), None)
    if not look.physical and not look.top >= 50.0:
        return None
    return "%" if _LEAST_PER_CENT <= look.top <= _MOST_PER_CENT else None


def fits(look: Look, kind: QuantityKind, unit: str) -> bool:
    """Whether numbers in a unit are ordinary ones of a kind."""
    if unit != kind.unit and not compatible(unit, kind.unit):
        return True  # nobody can tell
    low, high, top = (float(convert(end, unit, kind.unit)) for end in (look.low, look.high, look.top))
    (least, most), (from_, to) = kind.range, kind.top
    return (
        (least is None or low >= least - _SLACK)
        and (most is None or high <= most + _SLACK)
        and (from_ is None or top >= from_)
        and (to is None or top <= to)
    )
