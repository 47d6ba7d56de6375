"""A second opinion on runs: every node computed again by `knowflow_bench.opinion.engine`, by itself and in its chain.

The templates are run on random scenes of their tests. Each call of a tool is then judged by itself (the opinion is
given the inputs that the tool had) and each output of a run as a whole (the opinion is given the files alone, and its
own results from node to node).
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.execution.local_runner import LocalRunner
from knowflow.graph.resolve import resolve
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, SeriesOf, Value
from knowflow.service.deliver import value_of
from knowflow.service.engine import Engine
from knowflow.testing.scenes import write_scene
from knowflow_bench.metamorphic.relations.site import Asked
from knowflow_bench.metamorphic.run import bench_catalogue, planned
from knowflow_bench.metamorphic.scenes import random_scene
from knowflow_bench.opinion.engine.book import OPINIONS, WITHOUT
from knowflow_bench.opinion.engine.field import Direction, Field, NoOpinionError, Partly, read_field

_CIRCULAR = ("aspect", "azimuth", "wind_direction")
AGREES = 1e-6
"""Relative to the size of what is compared: float32, in which maps are stored, has 6e-8."""


@dataclass
class Tally:
    """What the second opinion is on one tool, or on one product."""

    calls: int = 0
    agree: int = 0
    no_opinion: int = 0
    largest: float = 0.0
    why: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def opinion(seed: int = 0, names: Sequence[str] = (), rounds: int = 1) -> dict[str, Any]:
    """Judge the runs of all templates (or of those named) on random scenes of their tests.

    Returns ``{"tools": {name: {...}}, "products": {name: {...}}, "counterparts", "agreeing_tools", "share",
    "products_judged", "agreeing_products", "product_share", "without", "never_run", "seconds"}``. A tool agrees where
    all of its calls do of which there is an opinion.

    Raises:
        UnknownNameError: there is no template of such a name.
    """
    begun = time.perf_counter()
    catalogue = bench_catalogue()
    chosen = [catalogue.template(name) for name in names] if names else list(catalogue.templates.values())
    tools: dict[str, Tally] = {}
    products: dict[str, Tally] = {}
    refused = 0
    for template in sorted(chosen, key=lambda one: one.template):
        for number, test in enumerate(template.tests):
            for round_ in range(rounds):
                chance = random.Random(f"opinion {seed} {template.template} {number} {round_}")
                asked = Asked(template.template, test.query, test.parameters)
                with tempfile.TemporaryDirectory(prefix="knowflow-opinion-") as name:
                    write_scene(random_scene(test.scene, chance), Path(name) / "data")
                    trace = _run(catalogue, Path(name), asked)
                    if trace is None:
                        refused += 1
                        continue
                    _judge_calls(trace, catalogue, tools)
                    _judge_outputs(trace, catalogue, template.template, products)
    return _report(catalogue, tools, products, refused, time.perf_counter() - begun)


def _run(catalogue: Catalogue, folder: Path, asked: Asked) -> Trace | None:
    engine = Engine(folder / "home", catalogue)
    try:
        plan = planned(engine, folder / "data", asked)
        trace = engine.executed(plan, LocalRunner(), folder / "out", fuse=False)  # every raster is judged
    except KnowFlowError:
        return None
    return trace if trace.status == "completed" else None


def _report(
    catalogue: Catalogue, tools: Mapping[str, Tally], products: Mapping[str, Tally], refused: int, seconds: float
) -> dict[str, Any]:
    judged = {name: one for name, one in tools.items() if one.calls > one.no_opinion}
    told = {name: one for name, one in products.items() if one.calls > one.no_opinion}
    agreeing = [name for name, one in judged.items() if one.agree == one.calls - one.no_opinion]
    agreed = [name for name, one in told.items() if one.agree == one.calls - one.no_opinion]
    return {
        "counterparts": len(judged),
        "agreeing_tools": len(agreeing),
        "share": round(len(agreeing) / max(len(judged), 1), 4),
        "products_judged": len(told),
        "agreeing_products": len(agreed),
        "product_share": round(len(agreed) / max(len(told), 1), 4),
        "refused": refused,
        "seconds": round(seconds, 1),
        "tools": {name: asdict(one) for name, one in sorted(tools.items())},
        "products": {name: asdict(one) for name, one in sorted(products.items())},
        "without": {name: WITHOUT.get(name, "none was written yet") for name in sorted(tools) if name not in OPINIONS},
        "never_run": sorted(name for name in catalogue.tools if name not in tools),
    }


# --- one call ------------------------------------------------------------------------------------------------------


def _judge_calls(trace: Trace, catalogue: Catalogue, tools: dict[str, Tally]) -> None:
    """Each node by itself, on the inputs that it had."""
    records = {record.node: record for record in trace.records.values()}

    def output_of(node: str, output: str) -> Artifact:
        outputs = records[node].outputs
        return outputs[output] if output else next(iter(outputs.values()))

    for node in trace.plan.workflow.nodes:
        schema, record = catalogue.tools[node.tool], records[node.id]
        if not record.ready:
            continue

        def told(value: Value) -> Any:
            return _told(resolve(value, trace.plan.inputs, output_of))

        tally = tools.setdefault(node.tool, Tally())
        tally.calls += 1
        try:
            found = _asked(schema, node.args, told)
            _compare(tally, found, record.outputs)
        except NoOpinionError as error:
            _without(tally, error)
        except Exception as error:  # an opinion that cannot be had is no agreement
            tally.largest = math.inf
            tally.findings.append(f"the opinion failed: {type(error).__name__}: {error}")


def _asked(schema: ToolSchema, args: Mapping[str, Value], told: Callable[[Value], Any]) -> dict[str, Any]:
    """The opinion on a call: its outputs by name."""
    if schema.tool not in OPINIONS:
        raise NoOpinionError(WITHOUT.get(schema.tool, "none was written yet"))
    given = {name: one.default for name, one in schema.inputs.items() if one.default is not None}
    given |= {name: _shaped(told(value), schema.inputs[name].artifact_type) for name, value in args.items()}
    found = OPINIONS[schema.tool](**given)
    outputs = list(schema.outputs)
    if isinstance(found, dict) and (found.keys() <= set(outputs) or len(outputs) == 1):
        return found if found.keys() <= set(outputs) else {outputs[0]: found}
    return {outputs[0]: found}


def _shaped(value: Any, kind: str) -> Any:
    """One raster where one is taken, a list where a series is."""
    if kind == "raster" and isinstance(value, list) and len(value) == 1:
        return value[0]
    return [value] if kind == "raster_series" and isinstance(value, Field) else value


def _told(value: Any) -> Any:
    """An artifact as the opinion reads it."""
    if isinstance(value, (list, tuple)):
        return [_told(one) for one in value]
    if not isinstance(value, Artifact):
        return value
    if value.items:
        return [_told(one) for one in value.items]
    if value.members:
        return {name: _told(one) for name, one in value.members.items()}
    if value.type == "raster" and value.path is not None:
        read = read_field(value.path, value.band, value.name)
        facts = {name.upper(): value.fact(name) for name in ("quantity", "unit", "datetime")}
        tags = {name: str(one) for name, one in facts.items() if one is not None}
        return Field(read.pixels, read.transform, read.crs, {**read.tags, **tags}, value.name)
    if value.type == "scalar" and value.fact("quantity") in _CIRCULAR and isinstance(value.value, float):
        return Direction(value.value)
    return value.path if value.type == "vector" else value_of(value)


# --- a run as a whole ----------------------------------------------------------------------------------------------


def _judge_outputs(trace: Trace, catalogue: Catalogue, product: str, products: dict[str, Tally]) -> None:
    """Each output of a run, from its files on: what a step gives goes into the next one."""
    chain = _Chain(trace, catalogue)
    tally = products.setdefault(product, Tally())
    for name, value in trace.plan.outputs.items():
        if name not in trace.outputs or not isinstance(value, FromNode):
            continue
        tally.calls += 1
        try:
            _compare(tally, {name: chain.told(value)}, {name: trace.outputs[name]})
        except NoOpinionError as error:
            _without(tally, error)
        except Exception as error:  # an opinion that cannot be had is no agreement
            tally.largest = math.inf
            tally.findings.append(f"the opinion failed: {type(error).__name__}: {error}")


class _Chain:
    """The opinions on the nodes of a run, each made of the opinions on those before it."""

    def __init__(self, trace: Trace, catalogue: Catalogue) -> None:
        self._plan, self._catalogue = trace.plan, catalogue
        self._records: dict[str, NodeRecord] = {record.node: record for record in trace.records.values()}
        self._found: dict[str, dict[str, Any]] = {}

    def told(self, value: Value) -> Any:
        match value:
            case Given():
                return value.value
            case FromInput():
                return _told(resolve(value, self._plan.inputs, _no_node))
            case FromNode(node=node, output=output):
                return self._of_node(node, output)
            case SeriesOf(items=items):
                return [self.told(item) for item in items]
            case BandsOf(members=members):
                return {name: self.told(member) for name, member in members.items()}

    def _of_node(self, name: str, output: str) -> Any:
        if name not in self._found:
            node = self._plan.workflow.node(name)
            self._found[name] = _asked(self._catalogue.tools[node.tool], node.args, self.told)
        outputs = self._found[name]
        wanted = output or next(iter(self._records[name].outputs))
        if wanted not in outputs:
            raise NoOpinionError(f"the {wanted} of {self._plan.workflow.node(name).tool}")
        return _as_input(outputs[wanted], self._records[name].outputs[wanted])


def _no_node(node: str, output: str) -> Artifact:
    raise NoOpinionError(f"{node}.{output}")


def _as_input(found: Any, made: Artifact) -> Any:
    """What the opinion gives for a step, as the next one takes it: on the grid and in the unit that the step has."""
    if isinstance(found, Partly):
        if not found.about.all():
            raise NoOpinionError("what is made of pixels at edges")
        found = found.pixels
    if isinstance(found, np.ndarray):
        like = _told(made)
        if not isinstance(like, Field):
            raise NoOpinionError("a raster that is none")
        return Field(found, like.transform, like.crs, like.tags, like.name)
    if isinstance(found, dict) and made.members:
        return {name: _as_input(found[name], member) for name, member in made.members.items()}
    return found


# --- comparing -----------------------------------------------------------------------------------------------------


def _without(tally: Tally, error: Exception) -> None:
    tally.no_opinion += 1
    why = str(error.args[0]) if error.args else type(error).__name__
    tally.why[why] = tally.why.get(why, 0) + 1


def _compare(tally: Tally, opinion: Mapping[str, Any], made: Mapping[str, Artifact]) -> None:
    """Count whether all that the opinion says is what the tool made."""
    worst, where = 0.0, ""
    for name, expected in opinion.items():
        gap = _gap(expected, made[name])
        if gap >= worst:
            worst, where = gap, name
    tally.largest = max(tally.largest, worst)
    if worst <= AGREES:
        tally.agree += 1
    elif len(tally.findings) < 5:
        tally.findings.append(
            f"{where}: {worst:.3g}; opinion {_short(opinion[where])}; made {_short(_told(made[where]))}"
        )


def _gap(expected: Any, made: Artifact) -> float:
    if isinstance(expected, Field):
        expected = expected.pixels
    if isinstance(expected, dict) and made.members:
        return max(_gap(one, made.members[name]) for name, one in expected.items())
    if isinstance(expected, (np.ndarray, Partly)):
        found = _told(made)
        return _gap_of_maps(expected, found.pixels) if isinstance(found, Field) else math.inf
    return _gap_of_values(expected, value_of(made))


def _gap_of_maps(expected: Any, found: Any) -> float:
    about = expected.about if isinstance(expected, Partly) else np.ones(found.shape, dtype=bool)
    pixels = expected.pixels if isinstance(expected, Partly) else expected
    if pixels.shape != found.shape or (np.isnan(pixels) != np.isnan(found))[about].any():
        return math.inf
    apart = np.abs(pixels - found)[about & np.isfinite(pixels)]
    size = np.abs(pixels[about & np.isfinite(pixels)])
    return float(apart.max() / max(float(size.max()), 1e-12)) if apart.size else 0.0


def _gap_of_values(expected: Any, found: Any) -> float:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return max((_gap_of_values(one, found.get(name)) for name, one in expected.items()), default=0.0)
    if isinstance(expected, (list, tuple)):
        listed = found if isinstance(found, (list, tuple)) else [found]
        if len(listed) != len(expected):
            return math.inf
        return max((_gap_of_values(a, b) for a, b in zip(expected, listed, strict=True)), default=0.0)
    if isinstance(expected, Direction) and isinstance(found, (int, float)):
        return abs((expected - found + 180.0) % 360.0 - 180.0) / 360.0
    if isinstance(expected, (int, float, np.number)) and isinstance(found, (int, float)):
        one, other = float(expected), float(found)
        if math.isnan(one) or math.isnan(other):
            return 0.0 if math.isnan(one) and math.isnan(other) else math.inf
        size = max(abs(one), abs(other))
        return abs(one - other) / size if size > 1e-9 else 0.0
    return 0.0 if str(expected) == str(found) else math.inf


def _short(value: Any) -> str:
    text = repr(value.pixels if isinstance(value, (Field, Partly)) else value).replace("\n", "")
    return text if len(text) <= 160 else f"{text[:157]}..."


def rows_of(found: Mapping[str, Any]) -> Iterator[str]:
    """The report, a line at a time."""
    yield (
        f"{found['agreeing_tools']} of {found['counterparts']} tools agree to {AGREES:g}, "
        f"{found['agreeing_products']} of {found['products_judged']} products"
    )
    for kind in ("tools", "products"):
        yield ""
        yield f"{kind:38} {'calls':>6} {'agree':>6} {'none':>6}  largest"
        for name, one in found[kind].items():
            if one["calls"] > one["no_opinion"]:
                yield f"{name:38} {one['calls']:>6} {one['agree']:>6} {one['no_opinion']:>6}  {one['largest']:.1e}"
                yield from (f"    {finding}" for finding in one["findings"])
    yield ""
    yield "No counterpart:"
    yield from (f"  {name}: {why}" for name, why in found["without"].items())
