"""The predicates of the condition language: what can be asked of artifacts, answered from their facts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from knowflow.ground.errors import UnitError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert, known, normalise, per_time
from knowflow.model import geo, ground_lengths
from knowflow.model.artifact import Artifact
from knowflow.model.quality_schemes import told_scheme
from knowflow.model.verdict import (
    TRUE,
    Goal,
    Missing,
    Operand,
    Place,
    Verdict,
    combine,
    leaves,
    place_text,
    short,
)

_SMALL = 2.0  # the largest of ordinary numbers that whole ones cannot tell

Predicate = Callable[[tuple[Operand, ...]], Verdict]


def _all_leaves(operands: tuple[Operand, ...]) -> list[tuple[Place, Artifact]]:
    return [leaf for place, value in operands if isinstance(value, Artifact) for leaf in leaves(place, value)]


def _each(name: str, test: Callable[[Place, Artifact], Verdict], later: bool = False) -> Predicate:
    """A predicate that holds where a test holds for every part; ``later``: what running decides calls for no help."""

    def predicate(operands: tuple[Operand, ...]) -> Verdict:
        verdicts = [test(place, leaf) for place, leaf in _all_leaves(operands[:1])]
        return combine(
            True,
            [
                Verdict(v.truth, v.because, v.missing, (Goal(name, place),) if _helps(v, later) else ())
                for v, (place, _) in zip(verdicts, _all_leaves(operands[:1]), strict=True)
            ],
        )

    return predicate


def _helps(verdict: Verdict, later: bool) -> bool:
    return verdict.truth is False or (verdict.truth is None and not later)


def _same(fact: str, goal: str) -> Predicate:
    def predicate(operands: tuple[Operand, ...]) -> Verdict:
        parts = _all_leaves(operands)
        if len(parts) < 2:
            return TRUE
        reference = _reference(parts, operands, fact)
        expected = reference[1].known(fact)
        verdicts = []
        for place, leaf in parts:
            if place == reference[0]:
                continue
            known = leaf.known(fact)
            wanted = (Goal(goal, place, like=reference[0]),)
            if known is None or expected is None:
                gaps = [Missing(p, fact) for p, f in ((place, known), (reference[0], expected)) if f is None]
                verdicts.append(Verdict(None, f"{fact} of {place_text(place)} is unknown", tuple(gaps), wanted))
            elif known.value == expected.value:
                verdicts.append(TRUE)
            elif fact == "grid" and (geo.symbolic(known.value) or geo.symbolic(expected.value)):
                verdicts.append(Verdict(None, f"the grid of {place_text(place)} is decided at run time", (), wanted))
            else:
                shown = f"{fact} of {place_text(place)} differs from {place_text(reference[0])}: "
                shown += f"{short(geo.describe(fact, leaf))} against {short(geo.describe(fact, reference[1]))}"
                if fact == "grid" and _apart(leaf, reference[1]):
                    shown += "; they do not overlap"
                verdicts.append(Verdict(False, shown, (), wanted))
        return combine(True, verdicts)

    return predicate


def _apart(one: Artifact, other: Artifact) -> bool:
    """Whether two rasters are known to lie in different places."""
    boxes = geo.lonlat_box(one), geo.lonlat_box(other)
    if boxes[0] is not None and boxes[1] is not None and not geo.one_body(one.fact("crs"), other.fact("crs")):
        return True
    return boxes[0] is not None and boxes[1] is not None and not geo.boxes_overlap(boxes[0], boxes[1])


def _reference(parts: list[tuple[Place, Artifact]], operands: tuple[Operand, ...], fact: str) -> tuple[Place, Artifact]:
    """The part others should follow: the explicit second operand, else the value most parts share, else the first.

    Of grids those of measurements alone count, where there are any: a mask or a map of classes goes to the data by the
    nearest neighbour, and numbers are never resampled for its sake.
    """
    numbers = [part for part in parts if not _names_classes(part[1])] if fact == "grid" else []
    if len(operands) == 2 and isinstance(operands[1][1], Artifact):
        explicit = next(leaves(*operands[1]))
        if not numbers or any(place == explicit[0] for place, _ in numbers):
            return explicit
    parts = numbers or parts
    counts: dict[Any, int] = {}
    for _, leaf in parts:
        value = leaf.fact(fact)
        if value is not None:
            counts[value] = counts.get(value, 0) + 1
    if not counts:
        return parts[0]
    best = max(counts, key=lambda value: counts[value])
    return next((place, leaf) for place, leaf in parts if leaf.fact(fact) == best)


def _names_classes(artifact: Artifact) -> bool:
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    return kind is not None and kind.categorical


def _known(operands: tuple[Operand, ...]) -> Verdict:
    fact = str(operands[1][1])
    gaps = tuple(Missing(place, fact) for place, leaf in _all_leaves(operands[:1]) if leaf.known(fact) is None)
    return Verdict(None, f"{fact} is unknown", gaps) if gaps else TRUE


def _projected(place: Place, leaf: Artifact) -> Verdict:
    crs = leaf.fact("crs")
    if crs is None:
        return Verdict(None, f"the CRS of {place_text(place)} is unknown", (Missing(place, "crs"),))
    if not geo.is_crs(crs):
        return Verdict(None, f"{short(crs)}, which {place_text(place)} is said to be in, is not a CRS")
    truth = geo.is_projected(crs)
    return Verdict(truth, f"the CRS of {place_text(place)} is {crs}" + ("" if truth else ", in degrees"))


def _geographic(place: Place, leaf: Artifact) -> Verdict:
    verdict = _projected(place, leaf)
    return Verdict(None if verdict.truth is None else not verdict.truth, verdict.because, verdict.missing)


def _georeferenced(place: Place, leaf: Artifact) -> Verdict:
    gaps = tuple(Missing(place, fact) for fact in ("crs", "transform") if leaf.known(fact) is None)
    if not gaps:
        return TRUE
    if len(gaps) == 1 and gaps[0].fact == "transform" and geo.symbolic(leaf.fact("grid") or ""):
        return TRUE
    return Verdict(None, f"{place_text(place)} has no georeference", gaps)


def _scaled(place: Place, leaf: Artifact) -> Verdict:
    """Stored numbers can be turned into physical ones: scale and offset are known, or they are physical already."""
    if leaf.known("scale") is not None:
        return TRUE
    kind = quantity_kinds().get(leaf.fact("quantity") or "")
    if kind is not None and kind.categorical:
        return TRUE
    dtype = leaf.fact("dtype")
    if dtype is not None and str(dtype).startswith("float"):
        inside = _in_range(place, leaf)
        if inside.truth is not False:
            return TRUE
        return Verdict(False, inside.because, goals=(Goal("scaled", place),))
    if dtype is not None and kind is not None and _is_small(kind, leaf.fact("unit")):
        why = f"{place_text(place)} stores {leaf.fact('quantity')} as {dtype} and its scale is unknown"
        return Verdict(None, why, (Missing(place, "scale"),))
    return TRUE


def _is_small(kind: QuantityKind, unit: str | None) -> bool:
    """Whether ordinary numbers of a kind, in the unit that they are told in, are too small for whole numbers."""
    most = kind.range[1]
    if most is not None and unit is not None and unit != kind.unit and compatible(unit, kind.unit):
        most = float(convert(most, kind.unit, unit))
    return most is not None and most <= _SMALL


def _in_range(place: Place, leaf: Artifact) -> Verdict:
    quantity, found = leaf.fact("quantity"), leaf.fact("value_range")
    kind = quantity_kinds().get(quantity or "")
    if kind is None:
        return Verdict(None, f"the quantity of {place_text(place)} is unknown", (Missing(place, "quantity"),))
    low, high = kind.range
    if low is None and high is None:
        return TRUE
    if found is None and leaf.type == "scalar" and isinstance(leaf.value, (int, float)):
        if math.isnan(leaf.value):  # a missing number is not out of any range
            return TRUE
        found = (float(leaf.value), float(leaf.value))
    if found is None:
        return Verdict(None, f"the values of {place_text(place)} are unknown", (Missing(place, "value_range"),))
    unit = leaf.fact("unit")
    try:
        least, most = geo.in_unit(found, unit, kind.unit)
    except UnitError:
        if known(str(unit)) and kind.may_be_in(str(unit)):  # a column of water in cm: the range says nothing of it
            return TRUE
        return Verdict(False, f"{place_text(place)} is in {unit}; {quantity} is measured in {kind.unit}")
    slack = 1e-6 * max(abs(low or 0.0), abs(high or 0.0), 1.0)
    truth = (low is None or least >= low - slack) and (high is None or most <= high + slack)
    shown = f"{quantity} of {place_text(place)} is {least:.6g}..{most:.6g} {kind.unit}"
    return Verdict(truth, shown if truth else f"{shown}, physically {low}..{high}")


def _has_bands(operands: tuple[Operand, ...]) -> Verdict:
    (place, value), (_, wanted) = operands[0], operands[1]
    needed = bands_needed(wanted)
    if needed is None:
        return Verdict(None, f"the bands of {wanted} are unknown")
    if not isinstance(value, Artifact):
        return Verdict(False, f"{place_text(place)} is no raster")
    for item in value.items or (value,):
        present = tuple(item.members) or item.fact("bands")
        if present is None:
            return Verdict(None, f"the bands of {place_text(place)} are unknown", (Missing(place, "bands"),))
        absent = [name for name in needed if name not in present]
        if absent:
            why = f"{place_text(place)} lacks {', '.join(absent)} (has {', '.join(map(str, present)) or 'none'})"
            return Verdict(False, why)
    return Verdict(True, f"{place_text(place)} has {', '.join(needed)}")


def bands_needed(wanted: Any) -> tuple[str, ...] | None:
    """The common band names behind an index name, a band name or a list of band names."""
    if isinstance(wanted, (tuple, list)):
        return tuple(map(str, wanted))
    if not isinstance(wanted, str):
        return None
    index = spectral_indices().get(wanted.casefold())
    return (wanted,) if index is None else index.bands


def _is_index(operands: tuple[Operand, ...]) -> Verdict:
    name = str(operands[0][1]).casefold()
    found = name in spectral_indices()
    return Verdict(found, f"{name} is {'an' if found else 'no'} index of the spyndex catalogue")


def _family(operands: tuple[Operand, ...]) -> Verdict:
    wanted = operands[1][1]
    families = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    verdicts = []
    for place, leaf in _all_leaves(operands[:1]):
        kind = quantity_kinds().get(leaf.fact("quantity") or "")
        if kind is None:
            verdicts.append(
                Verdict(None, f"the quantity of {place_text(place)} is unknown", (Missing(place, "quantity"),))
            )
        else:
            shown = f"{place_text(place)} is {kind.name}, of family {kind.family}"
            verdicts.append(Verdict(kind.family in families, shown))
    return combine(True, verdicts)


def _quantity_family(operands: tuple[Operand, ...]) -> Verdict:
    name, families = operands[0][1], operands[1][1]
    kind = quantity_kinds().get(str(name).casefold())
    if kind is None:
        return Verdict(None, f"{name} is no quantity kind")
    wanted = families if isinstance(families, (tuple, list)) else (families,)
    return Verdict(kind.family in wanted, f"{kind.name} is of family {kind.family}")


def _of_kind(test: Callable[[QuantityKind], bool]) -> Callable[[Place, Artifact], Verdict]:
    """Whether the quantity kind of an artifact passes a test."""

    def verdict(place: Place, leaf: Artifact) -> Verdict:
        kind = quantity_kinds().get(leaf.fact("quantity") or "")
        if kind is None:
            return Verdict(None, f"the quantity of {place_text(place)} is unknown", (Missing(place, "quantity"),))
        return Verdict(test(kind), f"{place_text(place)} is {kind.name}")

    return verdict


def _circular(operands: tuple[Operand, ...]) -> Verdict:
    """Whether some of the numbers are directions; plain ones, and those of a quantity that nobody knows, are none."""
    kinds = [(place, quantity_kinds().get(leaf.fact("quantity") or "")) for place, leaf in _all_leaves(operands[:1])]
    found = [f"{place_text(place)} is {kind.name}" for place, kind in kinds if kind is not None and kind.circular]
    return Verdict(bool(found), "; ".join(found) or "these are no directions")


def _rate(operands: tuple[Operand, ...]) -> Verdict:
    """Whether some of the numbers are known to be told per time."""
    units = [(place, leaf.fact("unit")) for place, leaf in _all_leaves(operands[:1])]
    found = [f"{place_text(place)} is in {short(unit)}" for place, unit in units if unit and per_time(unit)]
    return Verdict(bool(found), found[0] if found else "these are amounts")


def _marks_clouds(place: Place, leaf: Artifact) -> Verdict:
    """Whether it is known how a quality band marks clouds."""
    known_marks = told_scheme(leaf) is not None
    told = (
        "marks clouds as its product does"
        if known_marks
        else "does not tell how it marks clouds: its sensor is unknown"
    )
    return Verdict(known_marks, f"{place_text(place)} {told}")


def _distinct_dates(operands: tuple[Operand, ...]) -> Verdict:
    place, value = operands[0]
    dates = [item.fact("datetime") for item in value.items] if isinstance(value, Artifact) else []
    gaps = tuple(Missing((*place, i), "datetime") for i, date in enumerate(dates) if date is None)
    if gaps:
        return Verdict(None, f"dates of {place_text(place)} are unknown", gaps)
    twice = sorted(str(date) for date, count in Counter(dates).items() if count > 1)
    return Verdict(not twice, f"dates of {place_text(place)} occur twice: {', '.join(twice[:5])}" if twice else "")


def _overlaps(operands: tuple[Operand, ...]) -> Verdict:
    parts = _all_leaves(operands)
    known = [(place, leaf, box) for place, leaf in parts if (box := geo.lonlat_box(leaf)) is not None]
    if len(known) < len(parts):
        gaps = tuple(
            Missing(place, fact) for place, leaf in parts for fact in ("crs", "bounds") if leaf.known(fact) is None
        )
        return Verdict(None, "some extents are unknown", gaps)
    for place, leaf, box in known[1:]:
        first = known[0][1].fact("crs")
        if not geo.one_body(leaf.fact("crs"), first) or not geo.boxes_overlap(known[0][2], box):
            one, other = place_text(place), place_text(known[0][0])
            where = f"in degrees {one} is within {_edges(box)}, {other} within {_edges(known[0][2])}"
            return Verdict(False, f"{one} does not overlap {other}: {where}")
    return TRUE


def _contains(operands: tuple[Operand, ...]) -> Verdict:
    """Whether a point, in degrees east and north, lies in the extent of a raster."""
    (place, value), (_, longitude), (_, latitude) = operands
    for where, leaf in leaves(place, value) if isinstance(value, Artifact) else ():
        crs, transform, shape = (leaf.fact(name) for name in ("crs", "transform", "shape"))
        if crs is None or transform is None or shape is None or not geo.is_crs(crs):
            gaps = tuple(Missing(where, fact) for fact in ("crs", "transform", "shape") if leaf.known(fact) is None)
            return Verdict(None, f"the extent of {place_text(where)} is unknown", gaps)
        if geo.pixel_of(crs, transform, shape, longitude, latitude) is None:
            box = geo.lonlat_box(leaf)
            told = (
                "" if box is None else f", which lies at {box[0]:.5g} to {box[2]:.5g} E, {box[1]:.5g} to {box[3]:.5g} N"
            )
            return Verdict(False, f"{longitude:g} E {latitude:g} N is beside {place_text(where)}{told}")
    return TRUE


def _edges(box: geo.Box) -> str:
    return ", ".join(f"{edge:.6g}" for edge in box)


def _compatible_units(operands: tuple[Operand, ...]) -> Verdict:
    units: list[tuple[Place, str]] = []
    for place, value in operands:
        if isinstance(value, Artifact):
            for where, leaf in leaves(place, value):
                unit = leaf.fact("unit")
                if unit is None:
                    return Verdict(None, f"the unit of {place_text(where)} is unknown", (Missing(where, "unit"),))
                units.append((where, unit))
        elif value is not None:
            units.append((place, str(value)))
    for where, unit in units:
        if not known(unit):
            return Verdict(None, f"{short(unit)}, the unit of {place_text(where) or 'a value'}, is not a unit")
        if not compatible(units[0][1], unit):
            return Verdict(False, f"{place_text(where)} is in {unit}, {place_text(units[0][0])} in {units[0][1]}")
    return TRUE


def _usual_unit(operands: tuple[Operand, ...]) -> Verdict:
    """The numbers are in the unit of their quantity kind, where a unit is stated; a formula has its constants in it."""
    verdicts = []
    for place, leaf in _all_leaves(operands):
        unit, kind = leaf.fact("unit"), quantity_kinds().get(leaf.fact("quantity") or "")
        if unit is None or kind is None:
            continue
        if not known(unit):
            verdicts.append(Verdict(None, f"{short(unit)}, the unit of {place_text(place)}, is not a unit"))
        elif normalise(unit) != normalise(kind.unit):
            why = f"{place_text(place)} is in {short(unit)}, and what uses it counts {kind.name} in {kind.unit}"
            verdicts.append(Verdict(False, why, goals=(Goal("unit", place, value=kind.unit),)))
    return combine(True, verdicts)


PREDICATES: dict[str, Predicate] = {
    "same_grid": _same("grid", "same_grid"),
    "same_crs": _same("crs", "same_crs"),
    "same_quantity": _same("quantity", "same_quantity"),
    "same_unit": _same("unit", "same_unit"),
    "known": _known,
    "projected": _each("projected", _projected),
    "geographic": _each("geographic", _geographic),
    "georeferenced": _each("georeferenced", _georeferenced),
    "true_lengths": _each("true_lengths", ground_lengths.true_lengths, later=True),
    "in_metres": _each("in_metres", ground_lengths.in_metres, later=True),
    "grid_north": _each("grid_north", ground_lengths.grid_north, later=True),
    "unrotated": _each("unrotated", ground_lengths.unrotated, later=True),
    "square_pixels": _each("square_pixels", ground_lengths.square_pixels, later=True),
    "scaled": _each("scaled", _scaled),
    "in_range": _each("in_range", _in_range),
    "has_bands": _has_bands,
    "is_index": _is_index,
    "quantity_family": _quantity_family,
    "family": _family,
    "categorical": _each("categorical", _of_kind(lambda kind: kind.categorical)),
    "continuous": _each("continuous", _of_kind(lambda kind: kind.continuous)),
    "circular": _circular,
    "rate": _rate,
    "marks_clouds": _each("marks_clouds", _marks_clouds),
    "distinct_dates": _distinct_dates,
    "overlaps": _overlaps,
    "contains": _contains,
    "compatible_units": _compatible_units,
    "usual_unit": _usual_unit,
}

# the fewest and the most operands of each (None: any number)
ARITIES: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        **dict.fromkeys(("same_grid", "same_crs", "same_quantity", "same_unit", "usual_unit", "overlaps"), (1, None)),
        **dict.fromkeys(("projected", "geographic", "georeferenced", "scaled", "in_range", "marks_clouds"), (1, 1)),
        **dict.fromkeys(("true_lengths", "in_metres", "grid_north", "unrotated", "square_pixels"), (1, 1)),
        **dict.fromkeys(("categorical", "continuous", "circular", "rate", "distinct_dates", "is_index"), (1, 1)),
        **dict.fromkeys(("known", "has_bands", "family", "quantity_family"), (2, 2)),
        "compatible_units": (2, None),
        "contains": (3, 3),
    }
)
