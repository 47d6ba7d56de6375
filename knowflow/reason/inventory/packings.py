"""How products store quantities as whole numbers: by which scale, offset and unit, of which data type. Renamed files of
a product keep its numbers, and often these can be of one packing alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from knowflow.ground.kept import kept
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.meanings import Layer, Meaning
from knowflow.reason.inventory.usual_units import fits

_IN_ONE_UNIT = frozenset({"temperature", "soil"})  # families whose numbers are told in units of one factor
_OF_ZEROS = "temperature"  # the family whose units begin at several zeros
_OF_SURFACES, _AT_SURFACE = frozenset({"surface_emissivity", "surface_albedo"}), "surface_bidirectional_reflectance"
_PER_CENT, _EIGHT_BITS, _FEW = "%", "uint8", 10
_LEAST_PER_CENT, _MOST_PER_CENT = 1.6, 110.0  # of the largest numbers
_DARKEST, _BRIGHTEST = 6_000.0, 45_000.0  # numbers of Landsat, of which 7273 is no reflectance at all


class Packing(NamedTuple):
    """Numbers times ``scale`` plus ``offset`` are of the quantity in ``unit``."""

    scale: float
    offset: float
    unit: str


def packing_of(look: Look, kind: QuantityKind, dtype: str, sensor: str = "") -> Packing | None:
    """The only packing of a product by which whole numbers are ordinary ones of a kind; none where they are so as they
    stand, in whatever unit, and of amounts and fluxes, which are told in too many units. Reflectance is stored by each
    sensor in its own way: those of Landsat and Planet alone are told by
    their numbers."""
    if kind.family == "radiometry" and kind.name not in _OF_SURFACES:
        if kind.name == _AT_SURFACE and sensor == _PLANET and dtype == "uint16" and _is_ordinary(look, kind, _USUALLY):
            return _USUALLY
        return _LANDSAT if _is_landsat(look, kind, dtype, sensor) else None
    if (own := _of_sensor(look, kind, dtype, sensor)) is not None:
        return own
    if kind.unit != "1" and kind.family not in _IN_ONE_UNIT:
        return None
    if any(fits(look, kind, unit) for unit in (kind.unit, *kind.units_beside) if compatible(unit, kind.unit)):
        return None
    listed = _packings().get(kind.name, ())
    found = {one for one, types in listed if re.fullmatch(types, dtype) and _is_ordinary(look, kind, one)}
    return found.pop() if len(found) == 1 else None


def packings_beside(look: Look, kind: QuantityKind, dtype: str, sensor: str) -> frozenset[Packing]:
    """The packings of products by which whole numbers may be of a kind: what is shown where none is the only one."""
    if kind.family == "radiometry" and kind.name not in _OF_SURFACES:
        own = _packings_of_sensors().get((kind.name, sensor), frozenset())
        with_offset = {_USUALLY, _USUALLY._replace(offset=-0.1)} if sensor.startswith("sentinel-2") else {_USUALLY}
        return frozenset({one for one, _ in own} | with_offset)
    listed = {one for one, types in _packings().get(kind.name, ()) if re.fullmatch(types, dtype)}
    return frozenset(one for one in listed if _is_ordinary(look, kind, one)) or frozenset(listed)  # beside codes


def packings_of_made(kind: QuantityKind, dtype: str, unit: str) -> frozenset[Packing]:
    """The packings of products of what is told in the unit of something else, as an uncertainty, in that unit."""
    listed = {one for one, types in _packings().get(kind.name, ()) if re.fullmatch(types, dtype)}
    return frozenset(one for one in listed if kind.borrows_unit and one.unit == unit)


def in_per_cent(look: Look, kind: QuantityKind, dtype: str) -> tuple[str, str] | None:
    """Per cent, with the reason, for whole numbers of eight bits that are no shares, where no product stores its kind
    in eight bits by a scale; None for few numbers, which may be classes."""
    stored = dtype == _EIGHT_BITS and look.whole and not look.physical
    told = stored and kind.is_share and _PER_CENT in kind.units_beside
    few = bool(look.codes) and len(look.codes or ()) <= _FEW
    packed = any(re.fullmatch(types, dtype) for _, types in _packings().get(kind.name, ()))
    if not told or few or packed or not _LEAST_PER_CENT < look.top <= _MOST_PER_CENT or look.low < 0:
        return None
    return _PER_CENT, f"whole numbers from {look.low:g} to {look.high:g} are those of products of {kind.name}"


def may_be_stored(look: Look, kind: QuantityKind, dtype: str, unit: str) -> bool:
    """Whether whole numbers that are ordinary temperatures in a unit as they stand are so from another zero as products
    store them, too: 196 to 285 are K, and tenths of a degC."""
    listed = () if look.physical or kind.family != _OF_ZEROS else _packings().get(kind.name, ())
    others = {one for one, types in listed if one.unit != unit and re.fullmatch(types, dtype)}
    return any(_is_ordinary(look, kind, one) for one in others)


def _of_sensor(look: Look, kind: QuantityKind, dtype: str, sensor: str) -> Packing | None:
    """The packing of all products of a sensor that are of a kind."""
    listed = _packings_of_sensors().get((kind.name, sensor), frozenset())
    found = sorted({one for one, types in listed if re.fullmatch(types, dtype)}, key=lambda one: len(one.unit))
    first = found[0] if found else None  # an amount of a year, or as much in a year
    if first is None or any(one[:2] != first[:2] or not one.unit.startswith(first.unit) for one in found):
        return None
    return first if _is_ordinary(look, kind, first) else None


_LANDSAT, _USUALLY, _PLANET = Packing(0.0000275, -0.2, "1"), Packing(0.0001, 0.0, "1"), "planetscope"


def _is_landsat(look: Look, kind: QuantityKind, dtype: str, sensor: str) -> bool:
    """Whether numbers are those of Landsat at the surface, in Collection 2."""
    if kind.name != _AT_SURFACE or not sensor.startswith("landsat") or dtype not in ("uint16", "int32"):
        return False
    return look.low >= _DARKEST and look.high <= _BRIGHTEST


def _is_ordinary(look: Look, kind: QuantityKind, packing: Packing) -> bool:
    low, middle, high = (number * packing.scale + packing.offset for number in (look.low, look.middle, look.high))
    return fits(Look(low, middle, high, whole=False, physical=True), kind, packing.unit)


@kept()
def _packings() -> Mapping[str, frozenset[tuple[Packing, str]]]:
    """The packings of each quantity, each with the data types, as a pattern, that it is of."""
    lore = load_lore()
    words = (word.entry.meaning for word in lore.vocabulary.values() if isinstance(word.entry, Layer))
    layers = (layer.meaning for known in lore.products.values() for layer in known.layers.values())
    found: dict[str, set[tuple[Packing, str]]] = {}
    for meaning in {*words, *layers, *(known.meaning for known in lore.products.values())}:
        for quantity, packing, types in _of_meaning(meaning):
            found.setdefault(quantity, set()).add((packing, types))
    return {quantity: frozenset(some) for quantity, some in found.items()}


@kept()
def _packings_of_sensors() -> Mapping[tuple[str, str], frozenset[tuple[Packing, str]]]:
    """The packings of each quantity by the products of one sensor, each with its data types."""
    found: dict[tuple[str, str], set[tuple[Packing, str]]] = {}
    for known in load_lore().products.values():
        sensor = next((one.facts["sensor"] for one in known.meaning.clauses if "sensor" in one.facts), None)
        for meaning in {known.meaning, *(layer.meaning for layer in known.layers.values())} if sensor else ():
            for quantity, packing, types in _of_meaning(meaning):
                found.setdefault((quantity, str(sensor)), set()).add((packing, types))
    return {key: frozenset(some) for key, some in found.items()}


def _of_meaning(meaning: Meaning) -> Iterator[tuple[str, Packing, str]]:
    if len(meaning.quantities) != 1 or meaning.quantities[0] not in quantity_kinds():
        return
    kind = quantity_kinds()[meaning.quantities[0]]
    said = [{**clause.assume, **clause.facts} for clause in meaning.clauses]
    usual = next((str(one["unit"]) for one in said if "unit" in one), kind.unit)
    for clause, facts in zip(meaning.clauses, said, strict=True):
        if facts.get("scale") is not None and "dtype" in clause.when:
            packing = Packing(float(facts["scale"]), float(facts.get("offset") or 0.0), str(facts.get("unit", usual)))
            yield kind.name, packing, str(clause.when["dtype"])
