"""A learned template on generated scenes: whether it is right, and whether it does anything.

Without its repair it must do exactly what the operator means, by the reference interpreter; with its repair it must
come to an end wherever the plan does without it. One that makes the same numbers of every scene is equivalent to what
there is, and is not worth keeping.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from knowflow.execution.action import action_of
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.content import FileDigests
from knowflow.execution.keys import Keyring
from knowflow.graph.resolve import arguments_of, resolve
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.knowledge.catalogue import Catalogue
from knowflow.memory.case import Case
from knowflow.memory.templates import guarded_by
from knowflow.memory.trial import Tried
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.plan import Plan
from knowflow.model.template import Template
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression, Number, Over, walk
from knowflow.question.types import type_of_kind
from knowflow.reason.compiling.by_memory import FromMemory, Taught
from knowflow.reason.expression_planner import ExpressionPlanner
from knowflow.reason.inventory import Inventory, read_artifact
from knowflow.service.composed import goal_of
from knowflow.service.folder import Folder
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Layer, OutsideError, Scene
from knowflow.tools.registry import implementation_digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCENES = 200
_SECONDS = 5.0  # that a trial may take, once it has seen the fewest scenes: somebody waits for the answer of the run
_FEWEST = 24
_EVERY = 4  # of so many scenes one is compared with the truth
_SIZE = 10
_DAYS = ("2020-01-01", "2020-01-02")
_NEAR = 1e-4
_ON, _OFF = "1 > 0", "0 > 1"


def tried(template: Template, cases: tuple[Case, ...], catalogue: Catalogue) -> Tried:
    """Try a template on scenes of the quantities of its cases: at most 200, as many as there is time for."""
    of_kinds = _asked(template, cases)
    asked = None if of_kinds is None else _one_number(of_kinds)
    if asked is None:
        return Tried(scenes=0, wrong="what it makes cannot be compared with what the operator means")
    begun = time.monotonic()
    with TemporaryDirectory(prefix="knowflow-trial-") as name:
        series = any(declared.type == "raster_series" for declared in template.inputs.values())
        stage = _Stage(cases, asked, 2 if series else 1, Path(name))
        try:
            benches = [_Bench(guarded_by(template, guard), asked, catalogue, stage, guard) for guard in (_ON, _OFF)]
        except KnowFlowError as error:
            return Tried(
                scenes=0,
                wrong=f"it cannot be planned for scenes of its kind: {error.message} {error.found or ''}".strip(),
            )
        count, differs = 0, False
        for seed in range(SCENES):
            if count >= _FEWEST and time.monotonic() - begun > _SECONDS:
                break
            files, truth = stage.scene(seed)
            found = benches[0].answer(files, seed)
            closely = found is None or not differs or seed % _EVERY == 0
            plain = benches[1].answer(files, seed) if closely else None
            if closely and (plain is None or truth is None):
                continue  # nothing can be said of such a scene without it either
            count += 1
            if plain is not None and truth is not None and not _close(plain, truth):
                told = f"without what it does besides it comes to {plain:.6g}, where {truth:.6g} is meant"
                return Tried(scenes=count, wrong=told)
            if found is None:
                return Tried(scenes=count, wrong=f"it fails where the plan answers without it: {benches[0].error}")
            differs = differs or (plain is not None and not _close(found, plain))
    if count < _FEWEST:
        return Tried(scenes=count, wrong=f"it could be tried on {count} scenes only")
    same = "" if differs else f"it does what the plan does without it, on {count} scenes"
    return Tried(scenes=count, answered=count, wrong=same)


class _Stage:
    """Scenes of the quantities of some cases, as files whose facts are those of the cases."""

    def __init__(self, cases: tuple[Case, ...], asked: Expression, days: int, folder: Path) -> None:
        self.folder = folder
        self._cases, self._asked, self._days = cases, asked, _DAYS[: max(days, len(cases))]
        self._known: dict[str, Artifact] = {}

    def scene(self, seed: int) -> tuple[dict[str, Artifact], float | None]:
        """The files of a scene, by name, and its true answer."""
        values = self._values(seed)
        layers = {kind: Layer(one, self._dates if one.ndim == 3 else ()) for kind, one in values.items()}
        return self._written(values, self.folder / str(seed)), _truth(self._asked, layers)

    @property
    def _dates(self) -> tuple[date, ...]:
        return tuple(map(date.fromisoformat, self._days))

    def _values(self, seed: int) -> dict[str, NDArray[Any]]:
        """True values by quantity: gentle or rough fields, with gaps, single pixels far off and noise in some."""
        import numpy as np

        rng = np.random.default_rng(seed)
        found: dict[str, NDArray[Any]] = {}
        for kind, case in {str(case.facts["quantity"]): case for case in self._cases}.items():
            own = type_of_kind(kind)
            if own is not None and own.of == "truth":
                found[kind] = np.stack([(rng.random((_SIZE, _SIZE)) > rng.random()) * 1.0 for _ in self._days])
                continue
            ends = _ends(kind, case, _limit(self._asked, kind), float(rng.random()))
            maps = [_field(rng, kind, *ends, seed) for _ in self._days]
            stacked = np.stack(maps).astype(np.float32).astype(np.float64)
            found[kind] = stacked if own is not None and own.keys else stacked[0]
        return found

    def _written(self, scene: Mapping[str, NDArray[Any]], folder: Path) -> dict[str, Artifact]:
        import rasterio
        from rasterio.transform import Affine

        folder.mkdir(parents=True, exist_ok=True)
        profile = {
            "driver": "GTiff",
            "width": _SIZE,
            "height": _SIZE,
            "count": 1,
            "dtype": "float32",
            "nodata": math.nan,
        }
        place = {"crs": "EPSG:32633", "transform": Affine(30, 0, 500000, 0, -30, 5100000)}
        found: dict[str, Artifact] = {}
        for kind, values in scene.items():
            days, maps = (self._days, [*values]) if values.ndim == 3 else (("",), [values])
            for day, layer in zip(days, maps, strict=True):
                path = folder / f"{kind}_{day}.tif"
                with rasterio.open(path, "w", **profile, **place) as file:
                    file.write(layer.astype("float32"), 1)
                if path.name not in self._known:
                    self._known[path.name] = self._told(read_artifact(path), kind, day)
                found[path.name] = replace(self._known[path.name], path=str(path))
        return found

    def _told(self, artifact: Artifact, kind: str, day: str) -> Artifact:
        facts = next(case.facts for case in self._cases if case.facts["quantity"] == kind)
        stored = {"dtype": "float32", "scale": 1.0, "offset": 0.0, "nodata": math.nan, "quantity": kind}
        known = {**facts, **stored, "unit": quantity_kinds()[kind].unit, "datetime": day or None}
        return artifact.with_facts(Facts.of(Origin.DECLARED, "trial", **known).over(artifact.facts))


class _Bench:
    """One plan, run on scene after scene; ``error`` is what failed last."""

    def __init__(self, template: Template, asked: Expression, catalogue: Catalogue, stage: _Stage, name: str) -> None:
        self._tools, self._asked = catalogue.tools, asked
        first, _ = stage.scene(0)
        memory = FromMemory([Taught(template, "tried", "tried")], lambda _: Facts(), always=True)
        data = Folder(Inventory(str(stage.folder), tuple(first.values())), goal_of(asked, ""))
        self._plan: Plan = ExpressionPlanner(catalogue).plan(asked, data, memory=memory)
        if not any(one.chosen == template.template for one in self._plan.decisions):
            rejected = (one for decision in self._plan.decisions for one in decision.rejected)
            told = next((why for name, why in rejected if name == template.template), "")
            raise KnowFlowError("the operator is not carried out by it", found=told)
        self._names = {artifact.path: name for name, artifact in first.items()}
        keyring = Keyring(FileDigests(stage.folder / "digests.sqlite"), implementation_digest)
        self._workshop = Workshop(Cache(stage.folder / "home"), keyring)
        self._drafts = stage.folder / name.replace(" ", "")
        self.error = ""

    def answer(self, files: Mapping[str, Artifact], seed: int) -> float | None:
        """The number of a scene; None where a step fails, or nothing is known."""
        inputs = {name: self._moved(one, files) for name, one in self._plan.inputs.items()}
        done: dict[str, Mapping[str, Artifact]] = {}

        def output_of(node: str, output: str) -> Artifact:
            schema = self._tools[self._plan.workflow.by_id[node].tool]
            return done[node][output or schema.primary_output]

        for number, node in enumerate(self._plan.workflow.ordered):
            schema = self._tools[node.tool]
            draft = self._drafts / f"{seed}-{number}"
            draft.mkdir(parents=True)
            try:
                action = action_of(node, schema, arguments_of(node, schema, inputs, output_of))
                done[node.id], _, _ = self._workshop.make(action, draft)
            except Exception as error:  # whatever it is, a run would end with it
                self.error = f"{node.tool}: {getattr(error, 'message', error)}"
                return None
        found = resolve(self._plan.outputs[self._plan.answer], inputs, output_of)
        value = found.value if isinstance(found, Artifact) else None
        if not isinstance(found, Artifact) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        own = type_of(self._asked)
        return float(value if own is None else convert(value, str(found.fact("unit") or "1"), own.measure.unit))

    def _moved(self, artifact: Artifact, files: Mapping[str, Artifact]) -> Artifact:
        if artifact.items:
            return replace(artifact, items=tuple(self._moved(one, files) for one in artifact.items))
        return replace(artifact, path=files[self._names[artifact.path]].path)


def _asked(template: Template, cases: tuple[Case, ...]) -> Expression | None:
    """What a template computes, of the quantities of its cases, each of several of a day of its own; None where these
    are none that scenes have."""
    first: dict[str, Case] = {}
    for case in cases:
        first.setdefault(case.parameter, case)
    filled: dict[str, str] = {}
    for number, (name, case) in enumerate(first.items()):
        kind = str(case.facts.get("quantity"))
        if type_of_kind(kind) is None:
            return None
        filled[name] = kind if len(first) == 1 else f"over(during({kind}, '{_DAYS[number % 2]}'), time, mean)"
    kind = str(cases[0].facts["quantity"])
    middle, own = sum(_ends(kind, cases[0], None, 0.5)) / 2, quantity_kinds()[kind].unit
    for name, declared in template.parameters.items():
        if declared.type == "number":
            unit = declared.unit or "1"
            value = float(convert(middle, own, unit)) if compatible(own, unit) else 1.0
            filled[name] = repr(value) if unit == "1" else f"'{value!r} {unit}'"
    text = re.sub(r"\$([a-z][a-z0-9_]*)", lambda found: filled.get(found[1], "missing"), str(template.computes))
    return expression_of(text)[0]


def _one_number(e: Expression) -> Expression | None:
    """An expression that comes to one number: of maps their mean or share, of dates the mean; None: there is none."""
    own = type_of(e)
    if own is not None and own.space:
        if own.of not in ("number", "truth"):
            return None
        e = Over(e, "space", "mean" if own.of == "number" else "share")
        own = type_of(e)
    if own is not None and own.keys == ("date",) and own.of == "number":
        e = Over(e, "time", "mean")
        own = type_of(e)
    return e if own is not None and own.of == "number" and not own.keys else None


def _truth(e: Expression, layers: Mapping[str, Layer]) -> float | None:
    """The number that an expression is, by the interpreter; None where that is not known."""
    import numpy as np

    one = np.ones((_SIZE, _SIZE))
    try:
        found = evaluate(e, Scene(layers, 900 * one, 15 * one, 46 * one))
    except (OutsideError, ValueError):
        return None
    number = next(iter(found.items.values())).number
    return number if math.isfinite(number) else None


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=_NEAR, abs_tol=1e-9)


def _limit(e: Expression, kind: str) -> float | None:
    """A number with which values of a kind are compared; None: there is none."""
    unit = quantity_kinds()[kind].unit
    for _, part in walk(e):
        if isinstance(part, Number) and compatible(part.unit, unit):
            return float(convert(part.value, part.unit, unit))
    return None


def _ends(kind: str, case: Case, limit: float | None, share: float) -> tuple[float, float]:
    """Between which values of a kind lie: as in the case, within what is possible, with a limit among them."""
    least, most = quantity_kinds()[kind].range
    low = 0.0 if least is None else least
    low, high = low, low + 1.0 if most is None else most
    if case.seen:
        width = case.seen["std"][1]
        low, high = case.seen["mean"][0] - width, case.seen["mean"][1] + width
    if limit is not None:
        width = (high - low) * (0.2 + share)
        low, high = limit - share * width, limit + (1 - share) * width
    low, high = _possible(kind, low), _possible(kind, high)
    return (low, high) if high > low else (low, low + 1.0)


def _possible(kind: str, value: float) -> float:
    least, most = quantity_kinds()[kind].range
    value = value if least is None else max(value, least)
    return value if most is None else min(value, most)


def _field(rng: Any, kind: str, low: float, high: float, seed: int) -> NDArray[Any]:
    import numpy as np

    y, x = np.mgrid[0 : 1 : _SIZE * 1j, 0 : 1 : _SIZE * 1j]
    a, b = rng.uniform(-1, 1, 2)
    plain = np.where(x * a > y * b, 1.0, 0.0) if seed % 4 == 1 else a * x + b * y
    plain = plain + (0.3 * rng.standard_normal(plain.shape) if seed % 4 > 1 else 0.0)
    values = low + (high - low) * (plain - plain.min()) / (float(np.ptp(plain)) or 1.0)
    if seed % 2:  # single pixels far off
        for _ in range(rng.integers(1, 6)):
            far = (low + high) / 2 + rng.choice((-1, 1)) * rng.uniform(1, 4) * (high - low)
            values[tuple(rng.integers(0, _SIZE, 2))] = _possible(kind, far)
    if seed % 3 == 2:
        values[: rng.integers(1, 4), : rng.integers(1, 4)] = np.nan
    return np.asarray(values)
