"""The scale of whole numbers whose quantity is known and whose header says none: the power of ten that makes them what
they are of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import PurePath

from knowflow.ground.index_formulas import value_of
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.packings import packing_of, packings_beside, packings_of_made
from knowflow.reason.inventory.usual_units import fits

_POWERS = (0.1, 0.01, 0.001, 0.0001)
_USUAL = 0.0001
_LEAST_TOP = 0.05  # of the largest numbers of an index; smaller ones are of another scale
_OFFSET, _WELL_BELOW = 1000.0, 850.0  # what Sentinel-2 adds to its numbers, and what numbers with it hardly are
_FIRST_WITH_OFFSET = "2022-01-25"
_VISIBLE = frozenset({"coastal", "blue", "green", "red"})
_REFLECTANCES = frozenset({"surface_bidirectional_reflectance", "toa_bidirectional_reflectance"})
_HUNDREDTHS, _LEAST_SHARE = 0.01, 0.1
_BEYOND = 2.0  # how much larger than these some are
_REFLECTED, _MOST_BANDS, _NEARLY_ALL = (0.03, 0.08, 0.2, 0.35, 0.6), 4, 0.85
_WIDE = ("uint16", "int16")  # in which a share is stored by a power of ten
_HARDLY = 0.3  # what a scale weighs that is one of several


def with_usual_scale(item: Artifact, look: Look, kind: QuantityKind | None) -> Artifact:
    """A raster of an index with its scale, where only ten thousandths can be meant, and of another quantity with that
    of the only product by which its numbers can be: *assumed*, and told."""
    if kind is None or not _is_stored(item, look, kind):
        return item
    if kind.is_share and kind.top[0] is not None and str(item.fact("dtype")) in _WIDE:
        return _by_largest(item, look, kind, kind.top[0])
    if not _is_index(kind):
        return _packed(item, look, kind)
    if list(_scales(look, kind, "1")) != [_USUAL]:
        return item
    why = f"whole numbers from {look.low:g} to {look.high:g} are mostly ten thousandths of {kind.name}"
    return item.with_facts(item.facts.put("scale", _USUAL, Origin.ASSUMED, why))


def _by_largest(item: Artifact, look: Look, kind: QuantityKind, least: float) -> Artifact:
    """A raster of a share whose largest numbers are above some number, where one power of ten makes them so."""
    powers = [one for one in _scales(look, kind, kind.unit) if look.times(one).top >= least]
    if len(powers) != 1:
        return item
    why = f"whole numbers from {look.low:g} to {look.high:g} are those of {kind.name} by no other power of ten"
    facts = item.facts if "unit" in item.facts else item.facts.put("unit", kind.unit, Origin.ASSUMED, why)
    return item.with_facts(facts.put("scale", powers[0], Origin.ASSUMED, why))


def _packed(item: Artifact, look: Look, kind: QuantityKind) -> Artifact:
    packing = packing_of(look, kind, str(item.fact("dtype")), str(item.fact("sensor")))
    unit = item.known("unit")
    if packing is None or (unit is not None and unit.origin > Origin.ASSUMED and unit.value != packing.unit):
        return item
    why = f"whole numbers from {look.low:g} to {look.high:g} are those of a product of {kind.name}"
    facts = item.facts.put("scale", packing.scale, Origin.ASSUMED, why)
    if packing.offset:
        facts = facts.put("offset", packing.offset, Origin.ASSUMED, why)
    return item.with_facts(
        facts
        if unit is not None and unit.value == packing.unit
        else facts.without(("unit",)).put("unit", packing.unit, Origin.ASSUMED, why)
    )


def may_be_scaled(item: Artifact) -> bool:
    """Whether whole numbers of no known scale are of what mostly are decimal ones."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    whole = str(item.fact("dtype")).startswith(("int", "uint")) and "scale" not in item.facts
    return whole and kind is not None and not kind.categorical and not kind.borrows_unit


def is_stored_in_per_cent(item: Artifact, look: Look) -> bool:
    """Whether the unit of shares that are stored in per cent is told of the stored numbers: with their scale they are
    from 0 to 1."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    scaled = item.fact("unit") == "%" and item.fact("scale") == _HUNDREDTHS and kind is not None and kind.is_share
    return scaled and look.physical and _LEAST_SHARE < look.top <= 1.0


def scales_of(item: Artifact, look: Look | None, kind: QuantityKind | None) -> tuple[Candidate, ...]:
    """The scales, and the units with them, by which whole numbers may be what their quantity is."""
    own = item.fact("unit")
    if look is not None and kind is not None and kind.borrows_unit and look.whole and "scale" not in item.facts:
        told = sorted(packings_of_made(kind, str(item.fact("dtype")), str(own)))
        why = f"how products store {kind.name} in {own}"
        return tuple(Candidate("scale", one, (why,), _HARDLY) for one in dict.fromkeys(one.scale for one in told))
    if look is None or kind is None or not _is_stored(item, look, kind):
        return ()
    units = (str(own),) if own is not None else dict.fromkeys((kind.unit, *kind.units_beside))
    found = {power: unit for unit in units for power in _scales(look, kind, unit)}
    why = f"whole numbers from {look.low:g} to {look.high:g}"
    powers = [Candidate("scale", power, (f"{why} in {unit}",), _HARDLY) for power, unit in found.items()]
    packed = sorted(packings_beside(look, kind, str(item.fact("dtype")), str(item.fact("sensor"))))
    stored = f"how products store {kind.name}"
    scales = (Candidate("scale", one, (stored,), _HARDLY) for one in dict.fromkeys(one.scale for one in packed))
    offsets = (
        Candidate("offset", one, (stored,), _HARDLY) for one in dict.fromkeys(one.offset for one in packed) if one
    )
    return (*powers, *(one for one in scales if one.value not in found), *offsets)


def _is_index(kind: QuantityKind) -> bool:
    return kind.family == "index" or kind.name == "plant_phenology_index"


def _is_stored(item: Artifact, look: Look, kind: QuantityKind) -> bool:
    """Whether numbers are whole ones of no known scale, and of a quantity whose numbers are mostly none."""
    told = "scale" in item.facts or look.physical or not look.whole or not look.varies
    return not told and not kind.categorical and not kind.borrows_unit and str(item.fact("dtype"))[:3] in ("int", "uin")


def _scales(look: Look, kind: QuantityKind, unit: str) -> Iterator[float]:
    """The powers of ten by which numbers are ordinary ones of a kind; none where they are so as they stand."""
    most = usual_top(kind.name) if _is_index(kind) and kind.range[1] is None else math.inf
    if fits(look, kind, unit) and look.top <= most:
        return
    for power in _POWERS:
        scaled = look.times(power)
        shares = kind.is_share or most < math.inf
        if fits(scaled, kind, unit) and scaled.top <= most and not (shares and scaled.top < _LEAST_TOP):
            yield power


@kept(512)
def usual_top(index: str) -> float:
    """The size below which nearly all numbers of a spectral index lie, by its formula over reflectances as they are on
    land and water; infinite where it is made of other things."""
    known = spectral_indices().get(index)
    if known is None or known.inputs or known.wavelengths or not 0 < len(known.symbols) <= _MOST_BANDS:
        return math.inf
    found = [
        abs(value)
        for some in product(_REFLECTED, repeat=len(known.symbols))
        if (value := value_of(known.formula, {**known.constants, **dict(zip(known.symbols, some, strict=True))}))
        is not None
    ]
    return _BEYOND * sorted(found)[int(_NEARLY_ALL * (len(found) - 1))] if found else math.inf


def with_offsets_of_sentinel2(items: Sequence[Artifact], seen: Sequence[Look | None]) -> list[Artifact]:
    """Images of Sentinel-2 of which no name tells whether their numbers hold the offset of baseline 04.00, with scale
    and offset by what the bands of their folder and day show: *assumed*, and told.

    Where many numbers are well below that of the offset it is not in them. Dark ground has less than a tenth of
    reflectance in some visible bands: where none of their numbers is below it, in images since January 2022, it is.
    """
    lows: dict[tuple[PurePath, str], list[float]] = {}
    dark: dict[tuple[PurePath, str], list[float]] = {}
    for item, look in zip(items, seen, strict=True):
        if look is not None and look.whole and _of_unknown_offset(item):
            lows.setdefault(_scene(item), []).append(look.low)
            if {*item.fact("bands")} <= _VISIBLE and str(item.fact("datetime") or "") >= _FIRST_WITH_OFFSET:
                dark.setdefault(_scene(item), []).append(look.low)
    offsets = {scene: _offset_by(some, dark.get(scene, ())) for scene, some in lows.items()}
    return [
        _with_offset(item, offset)
        if _of_unknown_offset(item) and (offset := offsets.get(_scene(item))) is not None
        else item
        for item in items
    ]


def _of_unknown_offset(item: Artifact) -> bool:
    known = str(item.fact("sensor")).startswith("sentinel-2") and item.fact("quantity") in _REFLECTANCES
    whole = str(item.fact("dtype")) in ("uint16", "int16", "int32", "uint32")
    return known and whole and "scale" not in item.facts and bool(item.fact("bands"))


def _scene(item: Artifact) -> tuple[PurePath, str]:
    return PurePath(str(item.path)).parent, str(item.fact("datetime"))[:10]


def _offset_by(lows: Sequence[float], dark: Sequence[float]) -> float | None:
    if min(lows) < _WELL_BELOW:
        return 0.0
    return -_OFFSET * _USUAL if dark and _OFFSET <= min(dark) < 2 * _OFFSET else None


def _with_offset(item: Artifact, offset: float) -> Artifact:
    why = "the smallest numbers of its bands " + ("hold the offset" if offset else "are below the offset")
    facts = item.facts.put("scale", _USUAL, Origin.ASSUMED, why).put("offset", offset, Origin.ASSUMED, why)
    return item.with_facts(facts)
