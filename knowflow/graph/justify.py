"""Why an edge stands: the effect of its source that a precondition of its target needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Expression, calls, names, parse
from knowflow.model.facts import FACT_TITLES
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Verdict, leaves
from knowflow.model.workflow import Edge, Workflow

_FACTS_BEHIND: Mapping[str, tuple[str, ...]] = {
    "same_grid": ("grid",),
    "same_crs": ("crs",),
    "same_quantity": ("quantity",),
    "same_unit": ("unit",),
    "projected": ("crs",),
    "true_lengths": ("crs", "bounds", "grid"),
    "in_metres": ("crs",),
    "grid_north": ("crs", "bounds", "grid"),
    "unrotated": ("transform", "grid"),
    "square_pixels": ("transform", "crs", "grid"),
    "geographic": ("crs",),
    "georeferenced": ("transform", "crs", "grid"),
    "scaled": ("scale", "dtype", "quantity"),
    "in_range": ("value_range", "quantity"),
    "has_bands": ("bands",),
    "family": ("quantity",),
    "categorical": ("quantity",),
    "continuous": ("quantity",),
    "circular": ("quantity",),
    "rate": ("unit",),
    "marks_clouds": ("quantity", "layer", "sensor"),
    "distinct_dates": ("datetime",),
    "overlaps": ("bounds", "crs"),
    "contains": ("transform", "shape", "crs", "grid"),
    "compatible_units": ("unit",),
    "usual_unit": ("unit",),
}


@dataclass(frozen=True, slots=True)
class NodeCheck:
    """What the symbols say of one node: its arguments, its predicted outputs, the verdict on each precondition."""

    arguments: Mapping[str, Any]
    outputs: Mapping[str, Artifact]
    preconditions: tuple[tuple[str, Verdict], ...]


@dataclass(frozen=True, slots=True)
class Justification:
    """The effects that justify an edge, each with the condition it serves; none: nothing justifies it."""

    edge: Edge
    reasons: tuple[tuple[str, str], ...]

    @property
    def justified(self) -> bool:
        return bool(self.reasons)


def justify(
    edge: Edge, workflow: Workflow, catalogue: Mapping[str, ToolSchema], nodes: Mapping[str, NodeCheck]
) -> Justification:
    """The effects of the source that satisfy preconditions of the target; failing these, the type it produces."""
    source = catalogue[workflow.node(edge.source).tool]
    target = catalogue[workflow.node(edge.target).tool]
    output = edge.output or source.primary_output
    made = nodes[edge.source].outputs.get(output) if edge.source in nodes else None
    parameter = target.inputs.get(edge.param)
    if made is None or parameter is None:
        return Justification(edge, ())
    verdicts = dict(nodes[edge.target].preconditions)
    reasons = dict.fromkeys(
        (effect, text)
        for text, _ in target.parsed_preconditions
        if edge.param in (asked := _asked(text)).names and verdicts[text].truth is not False
        for effect in _serving(source, output, made, asked)
    )
    if not reasons and _fits(made.type, parameter.artifact_type):
        reasons = {
            (f"{source.tool}: {output} is a {made.type}", f"{edge.param} takes a {parameter.artifact_type}"): None
        }
    return Justification(edge, tuple(reasons))


def _serving(source: ToolSchema, output: str, made: Artifact, asked: _Asked) -> Iterator[str]:
    """Effects of the source that made known a fact the condition asks for, or that ensure the same predicate."""
    for name in asked.facts:
        for _, leaf in leaves((), made):
            fact = leaf.facts.known(name)
            if fact is not None and fact.source.startswith(f"{source.tool}: "):
                yield fact.source
    for text, _ in source.parsed_ensures:
        ensured = _asked(text)
        if output in ensured.names and not ensured.calls.isdisjoint(asked.calls):
            yield f"{source.tool}: ensures {text}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The names, calls and facts of a condition."""

    names: frozenset[str]
    calls: frozenset[str]
    facts: tuple[str, ...]


@lru_cache(maxsize=4096)
def _asked(text: str) -> _Asked:
    """What a condition asks: the same for each of the thousand nodes of one tool."""
    condition = parse(text)
    return _Asked(
        frozenset(names(condition)), frozenset(call.name for call in calls(condition)), facts_behind(condition)
    )


def facts_behind(condition: Expression) -> tuple[str, ...]:
    """The facts that a condition looks at."""
    found: list[str] = []
    for call in calls(condition):
        if isinstance(call, Call):
            found += _FACTS_BEHIND.get(call.name, (call.name,) if call.name in FACT_TITLES else ())
    return tuple(dict.fromkeys(found))


def _fits(made: str, wanted: str) -> bool:
    if made == wanted:
        return True
    if wanted in ("raster_series", "band_set"):
        return made in ("raster", "band_set")
    return made in ("scalar", "text", "list", "table") and wanted not in ("raster", "vector", "report", "model")
