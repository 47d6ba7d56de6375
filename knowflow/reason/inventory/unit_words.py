"""The unit that words of a name state (``slope_percent``, ``NO2_umol_per_m2``), believed where numbers of the quantity
are told in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.tokens import Token

# units that the same numbers are told in, some of them by another factor
_TOLD_ALIKE: tuple[frozenset[str], ...] = (
    frozenset({"K", "degC"}),
    frozenset({"m", "cm", "mm", "km"}),
    frozenset({"1", "%"}),
    frozenset({"degree", "rad"}),
    frozenset({"mol m-2", "umol m-2"}),
    frozenset({"mm", "mm day-1", "kg m-2", "kg day-1 m-2", "m", "cm"}),
    frozenset({"mm h-1", "mm day-1"}),
    frozenset({"kg m-2", "Mg ha-1", "t ha-1"}),
    frozenset({"g m-3", "mg m-3"}),
    frozenset({"g day-1 m-2", "kg m-2"}),
)
STATED = ("file name ('", 'file name ("')
"""How the source of what a word of a name states begins."""
_IN_OTHER_UNITS = {("population_count", "km-2"): "population_density"}
_SPECIAL = {"%": "percent"}
_MAYBE, _HARDLY = 0.45, 0.3
_OF_MUCH = frozenset({"1", "m", "%", "K", "degC", "degree"})
_SPANS = ("day-1", "week-1", "month-1", "year-1")
_OF_NUMBERS = ("quantity", "unit", "scale", "offset", "nodata", "valid_range", "marking")
_OF_ITS_LAYER = frozenset({"difference"})  # kinds in the unit of whatever differs


def in_unit(facts: Facts, tokens: Iterable[Token]) -> Facts:
    """The facts with the unit that the name states, where numbers of that quantity may be in it.

    A quantity that has another name in that unit is that: ``sigma0_db``, ``slope_percent``.
    """
    listed = list(tokens)
    units = {token.value: token.text for token in listed if token.kind == "unit"}
    quantity = facts.value("quantity")
    usual = facts.get("unit")
    if not units and usual is not None and usual.origin == Origin.ASSUMED and usual.value == "K":
        # a lone letter may be another unit than the usual one
        lone = any(token.kind == "word" and token.text.upper() in ("C", "F") for token in listed)
        return facts.without(("unit",)) if lone else facts
    if len(units) != 1 or quantity is None:
        return facts
    ((unit, text),) = units.items()
    source = f"file name ({text!r})"
    special = _IN_OTHER_UNITS.get((quantity, unit), f"{quantity}_{_SPECIAL.get(unit, unit.casefold())}")
    if special in quantity_kinds():
        return facts.put("quantity", special, Origin.DECLARED, source).put("unit", unit, Origin.DECLARED, source)
    kind = quantity_kinds()[str(quantity)]
    own = kind.unit
    if kind.categorical or kind.family == "mask":
        return facts
    alike = (
        quantity in _OF_ITS_LAYER
        or kind.borrows_unit
        or unit == own
        or any({unit, own} <= some for some in _TOLD_ALIKE)
    )
    if alike or compatible(unit, own):
        return _told(facts, unit, source)
    if own.endswith(" year-1") and compatible(f"{unit} year-1", own):  # tha of what is lost in a year
        return _told(facts, f"{unit} year-1", source)
    if (other := kind_told_in(kind, unit)) is not None:
        return facts.put("quantity", other, Origin.DECLARED, source).put("unit", unit, Origin.DECLARED, source)
    if " " not in unit:  # a short word may be no unit
        return facts
    return _told(facts, unit, source) if kind.may_be_in(unit) else facts.without(_OF_NUMBERS)


def kind_told_in(kind: QuantityKind, unit: str) -> str | None:
    """The only quantity that is called like a kind but for the last word and is told in a unit that this one is not
    (the energy of a flux, the concentration of a column), or that is told by its last word (the radiance of lights)."""
    of_a_span = kind.accumulates and unit.endswith(_SPANS)  # mm day-1 are as many mm of a day
    if unit in _OF_MUCH or of_a_span or kind.unit == "1" or unit in kind.told_in or compatible(unit, kind.unit):
        return None
    of = {kind.name, kind.name.rpartition("_")[0]} - {""}
    others = (one for one in quantity_kinds().values() if one.name.rpartition("_")[0] in of)
    told = [one.name for one in others if _is_told(one, unit)]
    if not told:
        word = kind.name.rpartition("_")[2]
        by_title = (one for one in quantity_kinds().values() if word in one.title.casefold().split())
        told = [one.name for one in by_title if _is_told(one, unit)]
    return told[0] if len(told) == 1 else None


def _is_told(kind: QuantityKind, unit: str) -> bool:
    return compatible(unit, kind.unit) or unit in kind.told_in


def is_told_in(kind: QuantityKind, unit: str) -> bool:
    """Whether numbers of a kind may be in a unit: those that are made of others in whatever unit these are."""
    return kind.borrows_unit or unit in (kind.unit, *kind.told_in, *kind.units_beside) or compatible(unit, kind.unit)


def told_in(quantities: Iterable[str], unit: str) -> list[str]:
    """Those of some quantities whose numbers are told in a unit, or in one of another factor; none in a unit of much
    else."""
    if unit in _OF_MUCH:
        return []
    return [
        quantity
        for quantity in quantities
        if (kind := quantity_kinds().get(quantity)) is not None
        and (unit in (kind.unit, *kind.told_in) or compatible(unit, kind.unit))
    ]


def _told(facts: Facts, unit: str, source: str) -> Facts:
    """The facts in a unit; one that is told of the stored numbers is what unit and scale say already, with another one
    nobody knows what the scale would be."""
    packed = {name: facts.value(name) for name in ("scale", "offset") if facts.value(name) is not None}
    known = facts.value("unit")
    if packed and known is not None and known != unit:
        if _is_stored(unit, str(known), packed):
            return facts
        facts = facts.without(packed)
    return facts.put("unit", unit, Origin.DECLARED, source)


def _is_stored(unit: str, known: str, packed: Mapping[str, float]) -> bool:
    """Whether numbers in a unit, as they are stored, are those that a scale turns into the known one."""
    if packed.get("offset") or not compatible(unit, known):
        return False
    return math.isclose(float(convert(1.0, unit, known)), float(packed.get("scale", 1.0)), rel_tol=1e-6)


def usual_unit(facts: Facts, made_of: object = None) -> tuple[Clue, ...]:
    """What numbers of the quantity are told in for the most part, where nothing says it; those of an uncertainty in
    what the quantity is that it is ``made_of``."""
    quantity = facts.value("quantity")
    kind, of = quantity_kinds().get(str(quantity)), quantity_kinds().get(str(made_of))
    if kind is not None and of is not None and kind.borrows_unit and "unit" not in facts and of.unit != "dB":
        source = f"a unit in which {of.name} is told"
        return tuple(Clue("unit", one, source, _HARDLY) for one in dict.fromkeys((of.unit, *of.units_beside)))
    if quantity is None or "unit" in facts or quantity in _OF_ITS_LAYER:
        return ()
    kind = quantity_kinds()[str(quantity)]
    source = f"the usual unit of {quantity}"
    if kind.unit == "dB":
        return (Clue("unit", kind.unit, source),)
    others = (Clue("unit", one, f"a unit in which {quantity} is told", _HARDLY) for one in kind.units_beside)
    return (Clue("unit", kind.unit, source, _MAYBE), *others)
