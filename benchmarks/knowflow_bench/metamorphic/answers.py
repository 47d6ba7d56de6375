"""What two runs answered, beside each other: values in one unit, and maps at the same places. Maps are read from the
delivered files by rasterio."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray

from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert
from knowflow.model.artifact import CHANGES
from knowflow.model.trace import Trace
from knowflow.service.deliver import unit_of, value_of
from knowflow_bench.metamorphic.relations.site import Relation

_LABELS = frozenset({"connected_component_label"})
"""Maps whose numbers are names: patches are numbered as they are met."""
_SINGLE = float(np.finfo(np.float32).eps)
"""How fine single-precision numbers are, of their size: what is computed of their differences is no finer."""
_OF_PROBABILITIES = 1e-4
"""How fine a p-value is: noise that is a little another one is as likely."""
_OF_A_NODE = "output"
"""What a raster is called that is made on the way, where another one has the name of its file."""


@dataclass(frozen=True)
class Map:
    """A delivered raster: physical numbers (NaN: none), where they lie, and the step to which they were rounded."""

    pixels: NDArray[np.float64]
    transform: Any
    crs: Any
    step: float = 0.0


@dataclass(frozen=True)
class One:
    """One output of a run: a plain value with its unit, or a map."""

    value: Any
    unit: str | None
    map: Map | None = None
    quantity: str | None = None


Answers = Mapping[str, One]


def answers_of(trace: Trace) -> Answers:
    """All that a run answered, by name."""
    found = {
        name: One(value_of(artifact), unit_of(artifact), quantity=artifact.fact("quantity"))
        for name, artifact in trace.outputs.items()
        if artifact.type in ("scalar", "text", "list", "table")
    }
    for name, path in trace.delivered.items():
        if path.endswith(".tif") and Path(path).is_file():
            found[name] = _map(path)
    return found


def _map(path: str) -> One:
    with rasterio.open(path) as file:
        stored = file.read(1, masked=True)
        numbers = np.where(np.ma.getmaskarray(stored), np.nan, stored.data.astype(np.float64))
        quantity = file.tags().get("QUANTITY")
        kind = quantity_kinds().get(quantity or "")
        rounded = np.issubdtype(stored.dtype, np.integer) and kind is not None and not kind.categorical
        step = float(file.scales[0]) if rounded else 0.0
        told = Map(numbers * file.scales[0] + file.offsets[0], file.transform, file.crs, step)
        return One(None, file.tags().get("UNIT"), told, quantity)


def difference(relation: Relation, one: Answers, other: Answers) -> str:
    """How the answers to a changed folder differ from what the relation says, in words; empty where they do not."""
    back = relation.back or (lambda text: text)
    told = {back(name): item for name, item in other.items()}
    if relation.back is None and one.keys() != told.keys():
        return f"other outputs: {', '.join(sorted(one.keys() ^ told.keys()))}"
    for name, item in one.items():
        if name not in told:
            return f"{name} is missing"
        found = _apart(relation, item, told[name], back)
        if found:
            return f"{name}: {found}"
    return ""


def _apart(relation: Relation, one: One, other: One, back: Callable[[str], str]) -> str:
    if one.map is not None:
        return _maps_apart(relation, one, other)
    readings = _conversions(one, other)
    if isinstance(one.value, (list, tuple)) and one.unit != other.unit:  # rows tell more than what has the unit
        readings = (lambda number: number, *readings, *_squares(readings))
    same = _same(one.value, other.value, _Sameness(relation, back, readings))
    return "" if same else f"{_short(one)} became {_short(other)}"


def _conversions(one: One, other: One) -> tuple[Callable[[Any], Any], ...]:
    """From the other's unit into that of the one: as a state, as a change, or as both where nobody knows what it is."""
    if one.unit == other.unit or one.unit is None or other.unit is None:
        return (lambda number: number,)
    try:
        convert(1.0, other.unit, one.unit)
    except UnitError:
        return ()
    of_what = (False, True) if other.quantity is None else (other.quantity in CHANGES,)
    return tuple(partial(convert, from_=other.unit, to=one.unit, difference=change) for change in of_what)


def _squares(readings: tuple[Callable[[Any], Any], ...]) -> Iterator[Callable[[Any], Any]]:
    """How variances are told in a unit."""
    for read in readings:
        yield partial(operator.mul, float(read(1.0) - read(0.0)) ** 2)


@dataclass(frozen=True)
class _Sameness:
    """When two values count as the same: within the relation's tolerance, in one of the readings of the other."""

    relation: Relation
    back: Callable[[str], str]
    readings: tuple[Callable[[Any], Any], ...]
    fineness: float = 0.0
    """To how much the numbers are known that a row is computed of."""

    def of_row(self, row: Mapping[str, Any]) -> _Sameness:
        """For a row of statistics: differences of its numbers are as fine as the numbers."""
        ends = [row[name] for name in ("minimum", "maximum") if isinstance(row.get(name), (int, float))]
        return replace(self, fineness=max(map(abs, ends)) * _SINGLE) if ends else self

    def numbers(self, one: float, other: float) -> bool:
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        tolerance = self.relation.tolerance
        return any(
            math.isclose(one, reading(float(other)), rel_tol=tolerance, abs_tol=max(tolerance, self.fineness, 1e-12))
            for reading in self.readings
        )


def _same(one: Any, other: Any, sameness: _Sameness) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        moved, sameness = {sameness.back(str(key)): value for key, value in other.items()}, sameness.of_row(one)
        return {str(key) for key in one} == moved.keys() and all(
            key in sameness.relation.columns or _same(value, moved[str(key)], sameness) for key, value in one.items()
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return False
        if all(_same(a, b, sameness) for a, b in zip(one, other, strict=True)):
            return True
        return not sameness.relation.numbered and _same_patches(one, other, sameness)
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return bool(one == other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return sameness.numbers(one, other)
    texts = str(one), sameness.back(str(other))
    return texts[0] == texts[1] or any(text.endswith(_OF_A_NODE) for text in texts)


def _same_patches(one: Sequence[Any], other: Sequence[Any], sameness: _Sameness) -> bool:
    """Whether tables of patches, which have numbers but no names, tell of the same ones, whatever their numbers."""
    if not all(isinstance(row, Mapping) and row.get("class") and not row.get("name") for row in (*one, *other)):
        return False
    left = [_unnumbered(row) for row in other]
    for row in map(_unnumbered, one):
        found = next((place for place, rest in enumerate(left) if _same(row, rest, sameness)), None)
        if found is None:
            return False
        del left[found]
    return True


def _unnumbered(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "class"}


def _maps_apart(relation: Relation, first: One, second: One) -> str:
    readings, one, other = _conversions(first, second), first.map, second.map
    if one is None or other is None:
        return "no map any more"
    if not readings:
        return "in a unit of another kind"
    if not relation.maps:
        return ""
    found = _sampled(one, other, relation.moved)
    gaps = np.isnan(one.pixels) != np.isnan(found)
    if gaps.any():
        return f"{int(gaps.sum())} of {gaps.size} pixels are missing in one map only"
    if first.quantity in _LABELS and not relation.numbered:
        return "" if _one_to_one(one.pixels, found) else "other patches"
    size = max(float(np.nanmax(np.abs(one.pixels), initial=0.0)), 1e-12)
    worst = min(float(np.nanmax(np.abs(one.pixels - read(found)), initial=0.0)) for read in readings)
    fine = _OF_PROBABILITIES if first.quantity == "p_value" else one.step
    return "" if worst <= max(relation.tolerance * size, fine) else f"maps differ by {worst:.4g} of {size:.4g}"


def _one_to_one(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether each number of one map stands for one of the other, and the other way round; no patch (0) for none."""
    known = ~np.isnan(one)
    pairs = np.unique(np.stack([one[known], other[known]]), axis=1)
    apart = len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]
    return apart and bool(((pairs[0] == 0) == (pairs[1] == 0)).all())


def _sampled(one: Map, other: Map, moved: tuple[float, float]) -> NDArray[np.float64]:
    """The other map's numbers at the pixels of the one; NaN beyond its edge."""
    rows, columns = np.indices(one.pixels.shape)
    east, north = one.transform @ (columns + 0.5, rows + 0.5)
    across, down = ~other.transform @ (east + moved[0], north + moved[1])
    x, y = np.floor(across + 1e-6).astype(int), np.floor(down + 1e-6).astype(int)
    height, width = other.pixels.shape
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    found = other.pixels[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.where(inside, found, np.nan)


def _short(one: One) -> str:
    text = f"{one.value!r} {one.unit or ''}".strip()
    return text if len(text) <= 160 else f"{text[:157]}..."
