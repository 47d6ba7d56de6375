"""Whether an attempt failed, decided without knowing the answer: by symbols alone, and by a second reading of the data.

The run ended well; the conditions on what it made held; the answer is possible for its quantity; and the plan, carried
out on a small crop of its files, gives the number that the reference interpreter has there with NumPy alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.warp import transform as transformed
from rasterio.windows import Window

from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.index_formulas import value_of
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import GRID_FACTS, PIXEL_FACTS, Facts, Origin
from knowflow.model.literal import plain
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression, IsClass, Quantity, walk, with_children
from knowflow.question.types import Type, type_of_kind
from knowflow.reason.definitions import computed, needs_times
from knowflow.service.engine import Engine
from knowflow.service.repair_policy import RepairPolicy
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Array, Layer, OutsideError, Scene

_SIDE = 48  # pixels of a crop
_NEAR = 2e-3  # what tools that write float32, and take areas in the plane, may differ by
_FEWEST_KNOWN = 0.1  # of the pixels of a crop, on a date that counts
_SINGLE = 2e-7
_ROUNDED = 4  # scenes that are nearly the same
_BESIDES = ("person", "llm", "memory")  # whose steps do more than an expression means
_MASKS = "mask_clouds"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``truth`` None: it could not be, ``because`` says why."""

    what: str
    truth: bool | None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an attempt failed, as far as that can be told without the answer."""

    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        return any(one.truth is False for one in self.findings)

    def to_json(self) -> dict[str, Any]:
        told = [{"what": one.what, "truth": one.truth, "because": one.because} for one in self.findings]
        return {"failed": self.failed, "findings": told}


def verdict(trace: Trace, catalogue: Catalogue) -> Verdict:
    """What can be said of a run that ended."""
    found = [Finding("the run was completed", trace.status == "completed", trace.status)]
    found += _conditions(trace)
    if trace.status == "completed":
        found += [*_possible(trace), _interpreted(trace, catalogue)]
    return Verdict(tuple(found))


def _conditions(trace: Trace) -> Iterator[Finding]:
    after = [one for record in trace.records.values() for one in record.checks if one.phase == "after"]
    checks = [*after, *trace.quality]
    held = sum(one.truth is True for one in checks)
    wrong = [f"{one.condition}: {one.because}" for one in checks if one.truth is False]
    if checks:
        yield Finding("the conditions on what was made hold", not wrong, "; ".join(wrong) or f"{held} of {len(checks)}")


def _possible(trace: Trace) -> Iterator[Finding]:
    """Whether the answer is a number that its quantity can have."""
    answer = trace.answer
    kind = None if answer is None else quantity_kinds().get(str(answer.fact("quantity")))
    if answer is None or kind is None or isinstance(answer.value, bool) or not isinstance(answer.value, int | float):
        return
    unit = str(answer.fact("unit") or kind.unit)
    if not compatible(unit, kind.unit) or kind.range == (None, None):
        return
    value = float(convert(float(answer.value), unit, kind.unit))
    low, high = kind.range
    possible = (low is None or low <= value) and (high is None or value <= high)
    ends = [*([f"at least {low:g}"] if low is not None else []), *([f"at most {high:g}"] if high is not None else [])]
    because = f"{value:.6g} {kind.unit}, possible are {' and '.join(ends)}"
    yield Finding(f"the answer is possible for {kind.title}", possible, because)


def _interpreted(trace: Trace, catalogue: Catalogue) -> Finding:
    """Whether the plan has, on a crop, the number of the reference interpreter."""
    what = "the reference interpreter has the same number on a crop"
    besides = [node.tool for node in trace.plan.workflow.nodes if node.inserted and node.inserted.by in _BESIDES]
    if besides:
        return Finding(what, None, f"not looked at: {besides[0]} was put in, which the question does not say")
    try:
        with TemporaryDirectory(prefix="knowflow-crop-") as folder:
            crop = _Crop(trace.plan, Path(folder))
            expected, own = crop.numbers(catalogue)
            again = crop.run(catalogue)
    except (OutsideError, KnowFlowError, OSError, ValueError, rasterio.errors.RasterioError) as error:
        return Finding(what, None, f"not looked at: {error}")
    answer = again.answer
    if again.status != "completed" or answer is None or not isinstance(answer.value, int | float):
        return Finding(what, None, "not looked at: the crop alone has no number")
    unit = str(answer.fact("unit") or own.measure.unit)
    told = [float(convert(one, own.measure.unit, unit, difference=own.measure.change)) for one in expected]
    room = _NEAR * max(*map(abs, told), abs(float(answer.value)), 1e-9)
    near = min(told) - room <= answer.value <= max(told) + room
    size = f"{crop.shape[0]} x {crop.shape[1]} pixels"
    return Finding(what, bool(near), f"{answer.value:.6g} and {told[0]:.6g} {unit} on {size}")


class _Crop:
    """A small part of the files of a plan, and the plan over it."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        leaves = [leaf for one in plan.inputs.values() for leaf in one.leaves()]
        if not leaves or any(one.type != "raster" or one.path is None for one in leaves):
            raise OutsideError("it reads more than rasters")
        if len({one.fact("grid") for one in leaves}) > 1:
            raise OutsideError("its files are on several grids")
        self._folder = folder
        self._copies: dict[str, str] = {}
        inputs = {name: self._cut(one) for name, one in plan.inputs.items()}
        self._plan = replace(plan, inputs=inputs, files={}, quality=())
        self._leaves = [leaf for one in inputs.values() for leaf in one.leaves()]
        self.shape: tuple[int, int] = self._leaves[0].fact("shape")

    def run(self, catalogue: Catalogue) -> Trace:
        """The plan carried out on the crop, in a home of its own."""
        engine = Engine(self._folder / "home", catalogue)
        alone = RepairPolicy(max_repairs=0, memory=False)
        return engine.executed(engine.checked(self._plan), LocalRunner(), self._folder / "out", repairs=alone)

    def numbers(self, catalogue: Catalogue) -> tuple[list[float], Type]:
        """What the interpreter has for the question on the files, and on such as differ from them by what single
        precision leaves out; and the type of the question.

        Raises:
            OutsideError: the question, or a quantity of it, is beyond the interpreter.
        """
        asked, _ = expression_of(plain(dict(self._plan.understood.get("question") or {}).get("value")))
        if asked is None:
            raise OutsideError("its question is no expression")
        asked = self._written_out(asked, catalogue)
        own = type_of(asked)
        if own is None or own.of != "number" or own.keys or own.space:
            raise OutsideError("its answer is not one number")
        kinds = dict.fromkeys(part.kind for _, part in walk(asked) if isinstance(part, Quantity))
        layers = {kind: self._layer(kind) for kind in kinds}
        called = {name for layer in layers.values() for name in layer.legend.values()}
        if any(not called.issuperset(part.names) for _, part in walk(asked) if isinstance(part, IsClass)):
            raise OutsideError("its classes are found by a legend")
        scene = self._scene(layers)
        found = [one.number for near in _near(scene) for one in evaluate(asked, near).items.values()]
        if not all(map(math.isfinite, found)):
            raise OutsideError("nothing is known on the crop")
        return found, own

    def _written_out(self, e: Expression, catalogue: Catalogue) -> Expression:
        """An expression with the definitions that the plan chose in the place of what they define."""
        chosen = [catalogue.templates[one.chosen] for one in self._plan.decisions if one.chosen in catalogue.templates]
        for template in (one for one in chosen if one.defines is not None):
            told = {one.because: one.value for one in self._plan.assumptions if one.origin == "template default"}
            places = {name: f"{template.template}.{name}" for name in template.parameters}
            if needs_times(template) or not told.keys() >= set(places.values()):
                raise OutsideError(f"what {template.defines} is was set, or compares times")
            meant = computed(template, {name: told[place] for name, place in places.items()})

            def put(one: Expression, kind: str = str(template.defines), other: Expression = meant) -> Expression:
                same = isinstance(one, Quantity) and one.kind == kind
                return other if same else with_children(one, put)

            e = put(e)
        return e

    # --- files -----------------------------------------------------------------------------------------------------

    def _cut(self, one: Artifact) -> Artifact:
        if one.items or one.members:
            members = {name: self._cut(part) for name, part in one.members.items()}
            return replace(one, items=tuple(map(self._cut, one.items)), members=members)
        copy = self._copied(str(one.path))
        with rasterio.open(copy) as file:
            cell = tuple(file.transform)[:6]
            told = {"transform": cell, "shape": file.shape, "bounds": tuple(file.bounds)}
            told |= {"grid": geo.grid_token(one.fact("crs"), cell, file.shape)}
        stale = ("histogram", "stated_range", "size", *PIXEL_FACTS, *(set(GRID_FACTS) & told.keys()))
        facts = Facts.of(Origin.MEASURED, "crop", **told).over(one.facts.without(stale))
        return replace(one, path=copy, facts=facts)

    def _copied(self, path: str) -> str:
        if path not in self._copies:
            copy = self._folder / f"{len(self._copies)}.tif"
            with rasterio.open(path) as file:
                rows, columns = (min(size, _SIDE) for size in file.shape)
                left, top = (file.width - columns) // 2, (file.height - rows) // 2
                window = Window(left, top, columns, rows)
                profile = {"driver": "GTiff", "width": columns, "height": rows, "count": file.count, "crs": file.crs}
                profile |= {
                    "dtype": file.dtypes[0],
                    "nodata": file.nodata,
                    "transform": _moved(file.transform, left, top),
                }
                with rasterio.open(copy, "w", **profile) as small:
                    small.write(file.read(window=window))
                    small.scales, small.offsets = file.scales, file.offsets
            self._copies[path] = str(copy)
        return self._copies[path]

    # --- numbers ---------------------------------------------------------------------------------------------------

    def _layer(self, kind: str) -> Layer:
        """The true numbers of a quantity: as its files have them, or an index of bands; without what clouds hide."""
        index = spectral_indices().get(kind)
        given = {_day(leaf): self._values(leaf, kind) for leaf in self._of(kind)}
        if not given and index is not None and not index.inputs and not index.wavelengths:
            given = dict(self._of_bands(index.formula, index.symbols, index.constants))
        own = type_of_kind(kind)
        if not given or own is None or len(given) < sum(1 for _ in self._of(kind)):
            raise OutsideError(f"{kind} is made of other data")
        if not own.keys:
            if len(given) > 1:
                raise OutsideError(f"{kind} has several maps")
            (names,) = {tuple(leaf.fact("classes") or ()) for leaf in self._of(kind)} or {()}
            return Layer(next(iter(given.values())), legend={int(code): str(name) for code, name in names})
        if "" in given:
            raise OutsideError(f"{kind} has no date")
        if own.of == "number" and any(node.tool == _MASKS for node in self._plan.workflow.nodes):
            clouds = {_day(leaf): self._values(leaf, "cloud_mask") for leaf in self._of("cloud_mask")}
            if not given.keys() <= clouds.keys():
                raise OutsideError("its clouds are found otherwise")
            given = {day: np.where(clouds[day] == 0, values, np.nan) for day, values in given.items()}
        days = sorted(given)
        if any(0 < float(np.isfinite(given[day]).mean()) < _FEWEST_KNOWN for day in days):  # whether it counts is open
            raise OutsideError("too little is known on a date of the crop")
        return Layer(np.stack([given[day] for day in days]), tuple(map(date.fromisoformat, days)))

    def _of(self, kind: str) -> Iterator[Artifact]:
        return (leaf for leaf in self._leaves if leaf.fact("quantity") == kind)

    def _of_bands(
        self, formula: str, symbols: Mapping[str, str], constants: Mapping[str, float]
    ) -> Iterator[tuple[str, Array]]:
        days: dict[str, dict[str, Array]] = {}
        for leaf in self._leaves:
            names = tuple(leaf.fact("bands") or ())
            if len(names) == 1 and str(leaf.fact("quantity")).endswith("reflectance"):
                bands = days.setdefault(_day(leaf), {})
                if names[0] in bands:
                    raise OutsideError("several images are of one time")
                bands[names[0]] = self._values(leaf, str(leaf.fact("quantity")))
        for day, bands in days.items():
            if not set(symbols.values()) <= bands.keys():
                raise OutsideError("a band is missing")

            def pixel(*values: float) -> float:
                found = value_of(formula, {**constants, **dict(zip(symbols, values, strict=True))})
                return math.nan if found is None else found

            yield day, np.vectorize(pixel, otypes=[float])(*(bands[name] for name in symbols.values()))

    def _values(self, leaf: Artifact, kind: str) -> Array:
        """The numbers of a file in the unit of a kind; NaN where it has none."""
        with rasterio.open(leaf.path) as file:
            if file.count > 1 and leaf.band is None:
                raise OutsideError("a file has several bands")
            stored = file.read(leaf.band or 1).astype(np.float64)
        nodata = leaf.fact("nodata")
        stored = stored if nodata is None else np.where(stored == float(nodata), np.nan, stored)
        scale, offset = leaf.fact("scale"), leaf.fact("offset")
        values = stored * (1.0 if scale is None else scale) + (0.0 if offset is None else offset)
        unit, own = leaf.fact("unit"), quantity_kinds()[kind].unit
        if unit is not None and unit != own:
            values = np.asarray(convert(values, str(unit), own), dtype=np.float64)
        mark = leaf.fact("mark")
        return values if mark is None else np.where(np.isnan(values), np.nan, (values == mark).astype(float))

    def _scene(self, layers: Mapping[str, Layer]) -> Scene:
        with rasterio.open(self._leaves[0].path) as file:
            if file.crs is None or not file.crs.is_projected:
                raise OutsideError("its CRS is not in metres")
            cell = abs(file.transform.a * file.transform.e) * file.crs.linear_units_factor[1] ** 2
            rows, columns = np.indices(file.shape)
            x, y = file.transform @ (columns + 0.5, rows + 0.5)
            east, north = transformed(file.crs, "EPSG:4326", np.ravel(x), np.ravel(y))
        shape = file.shape
        lonlat: list[NDArray[np.float64]] = [np.asarray(one).reshape(shape) for one in (east, north)]
        return Scene(layers, np.full(shape, cell), lonlat[0], lonlat[1])


def _moved(cell: Affine, left: int, top: int) -> Affine:
    """The transform of what begins so many columns and rows into a raster."""
    return cell @ Affine.translation(left, top)


def _day(leaf: Artifact) -> str:
    return str(leaf.fact("datetime") or "")[:10]


def _near(scene: Scene) -> Iterator[Scene]:
    """A scene, and such as tools have that round its numbers: what is a tie, or on its limit, may fall either way."""
    yield scene
    for seed in range(_ROUNDED):
        noise = np.random.default_rng(seed)
        layers = {
            kind: replace(one, values=one.values * (1 + _SINGLE * noise.standard_normal(one.values.shape)))
            for kind, one in scene.layers.items()
        }
        yield replace(scene, layers=layers)
