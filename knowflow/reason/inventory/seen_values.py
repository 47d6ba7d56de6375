"""What the values of a layer leave of several possibilities: the unit of a temperature, the candidates of a quantity.

A temperature of 12 is told in degrees Celsius, one of 285 in kelvin; backscatter below 0 is in decibels. Of layers that
are alike by folder and name two are looked at, and they have to agree. What follows is *assumed*, and told.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import PurePath

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import glance

_TEMPERATURES = ("K", "degC")
_OUTER = (1.0, 99.0)  # percentiles between which the bulk of the values lies
_MOST = 64  # groups of layers that are looked at
_DIGITS = re.compile(r"\d+")

Open = Mapping[tuple[str, int | None], tuple[Candidate, ...]]
Range = tuple[float, float]


def units_by_values(artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with the unit of temperatures that do not tell it where their values leave only one."""
    unsaid = [item for item in artifacts if _is_of_unsaid_unit(item)]
    found: dict[int, tuple[str, Origin, str]] = {}
    for alike in _alike(unsaid)[:_MOST]:
        kind = quantity_kinds()[str(alike[0].fact("quantity"))]
        seen = _seen(alike)
        units = [unit for unit in _TEMPERATURES if seen and all(_within(one, kind, unit) for one in seen)]
        if len(units) == 1 and units[0] != alike[0].fact("unit"):
            low, high = seen[0]
            why = f"values from {low:g} to {high:g} are possible in {units[0]} alone"
            found |= {id(item): (units[0], Origin.ASSUMED, why) for item in alike}
    return tuple(
        item.with_facts(item.facts.put("unit", *said)) if (said := found.get(id(item))) else item for item in artifacts
    )


def without_impossible(artifacts: Iterable[Artifact], left: Open) -> Open:
    """The candidates, without the quantities that the values of their layer cannot be."""
    undecided = [item for item in artifacts if _kinds(left.get((str(item.path), item.band), ()))]
    kept = dict(left)
    for alike in _alike(undecided, left)[:_MOST]:
        seen = _seen(alike)
        for key in ((str(item.path), item.band) for item in alike if seen):
            unit = alike[0].fact("unit")
            kept[key] = tuple(one for one in left[key] if one.fact != "quantity" or _possible(one, seen, unit))
    return {key: candidates for key, candidates in kept.items() if candidates}


def _is_of_unsaid_unit(item: Artifact) -> bool:
    kind = quantity_kinds().get(str(item.fact("quantity")))
    unit = item.known("unit")
    unsaid = unit is None or unit.origin is Origin.ASSUMED
    return item.type == "raster" and kind is not None and kind.unit == "K" and unsaid and _physical(item)


def _physical(item: Artifact) -> bool:
    """Whether the stored numbers are physical ones, or their scale is known."""
    return str(item.fact("dtype")).startswith("float") or item.fact("scale") is not None


def _kinds(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    return tuple(str(one.value) for one in candidates if one.fact == "quantity" and one.value in quantity_kinds())


def _alike(items: Sequence[Artifact], left: Open | None = None) -> list[list[Artifact]]:
    """Layers of one folder, whose names differ in numbers only, about which the same is open."""
    groups: dict[Hashable, list[Artifact]] = {}
    for item in items:
        path = PurePath(str(item.path))
        is_open = _kinds((left or {}).get((str(item.path), item.band), ()))
        same = tuple(item.fact(name) for name in ("quantity", "dtype", "unit", "layer", "scale"))
        layer = None if left is None else item.band
        key = (path.parent, _DIGITS.sub("#", path.stem), same[:3], same[4], is_open, layer)
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def _seen(alike: Sequence[Artifact]) -> list[Range]:
    """The ranges of the bulk of the values of the first and the last of layers that are alike; none where one of them
    shows nothing."""
    import numpy as np

    found = []
    for item in {id(one): one for one in (alike[0], alike[-1])}.values():
        values = glance(item) if _physical(item) else np.zeros(0)
        low, high = np.percentile(values.astype(np.float64), _OUTER) if values.size else (0.0, 0.0)
        if low == high:  # nothing, or one number all over
            return []
        scale, offset = item.fact("scale") or 1.0, item.fact("offset") or 0.0
        found.append((float(low) * scale + offset, float(high) * scale + offset))
    return found


def _possible(candidate: Candidate, seen: Sequence[Range], unit: str | None) -> bool:
    kind = quantity_kinds().get(str(candidate.value))
    units = (unit,) if unit else _TEMPERATURES if kind is not None and kind.unit == "K" else (None,)
    return kind is None or any(all(_within(one, kind, unit) for one in seen) for unit in units)


def _within(seen: Range, kind: QuantityKind, unit: str | None) -> bool:
    """Whether values can be of a kind, told in a unit (None: its own)."""
    low, high = seen
    if unit is not None and not compatible(unit, kind.unit):
        return kind.may_be_in(unit)
    if unit is not None and unit != kind.unit:
        low, high = (float(convert(end, unit, kind.unit)) for end in seen)
    least, most = kind.range
    return (least is None or low >= least) and (most is None or high <= most)
