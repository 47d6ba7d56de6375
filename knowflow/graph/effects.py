"""What a tool makes of the facts: the symbolic side of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Compare, Expression, Name
from knowflow.model.evaluate import term
from knowflow.model.facts import FACT_TITLES, GRID_FACTS, PIXEL_FACTS, Fact, Facts, Origin
from knowflow.model.tool import Preserved, ToolSchema
from knowflow.model.verdict import UNKNOWN

GROUPS: Mapping[str, tuple[str, ...]] = {"grid": GRID_FACTS, "pixels": PIXEL_FACTS}
_NEVER_INHERITED = frozenset({*PIXEL_FACTS, "size", "length", "described", "stated_range", "valid_range"})
_OF_A_QUANTITY = ("classes",)  # what holds no longer where numbers mean something else


def predicted_outputs(schema: ToolSchema, arguments: Mapping[str, Any], node_id: str) -> dict[str, Artifact]:
    """The outputs of a tool with their derived facts, by output name. Files and values are not known yet."""
    outputs: dict[str, Artifact] = {}
    for name, kind in schema.outputs.items():
        preserved = schema.effects.preserves.get(name)
        facts = _inherited(schema, preserved, arguments) if preserved is not None else Facts()
        outputs[name] = Artifact(type=kind, name=f"{node_id}.{name}", facts=facts)  # type: ignore[arg-type]
    for text, effect in schema.parsed_sets:
        _assert_effect(schema, text, effect, arguments, outputs)
    for name, artifact in outputs.items():
        if artifact.type == "raster" and artifact.facts.get("grid") is None:
            token = _made_grid(schema, arguments, node_id, name)
            grid = Fact(token, Origin.DERIVED, f"{schema.tool}: made at run time")
            outputs[name] = artifact.with_facts(Facts({**artifact.facts, "grid": grid}))
        elif artifact.type == "raster_series" and (preserved := schema.effects.preserves.get(name)) is not None:
            outputs[name] = replace(artifact, items=_items(artifact, preserved, arguments.get(preserved.from_)))
    return outputs


def _items(output: Artifact, preserved: Preserved, source: Any) -> tuple[Artifact, ...]:
    """What a tool makes of each item of a series: what it asserts of all, and what each takes over from its own."""
    kept = inherited_facts(preserved)
    parts = source.items if isinstance(source, Artifact) else ()
    return tuple(
        Artifact(type="raster", name=f"{output.name}.{index}", facts=output.facts.over(part.facts.only(kept)))
        for index, part in enumerate(parts)
    )


def _made_grid(schema: ToolSchema, arguments: Mapping[str, Any], node_id: str, output: str) -> str:
    """The identity of a grid that only running reveals: one tool makes one grid of one grid with one set of values."""
    grids: list[str] = []
    values: list[str] = []
    for name, argument in sorted(arguments.items()):
        if not isinstance(argument, Artifact):
            values.append(f"{name}={argument!r}")
        elif (grid := argument.fact("grid")) is not None:
            grids.append(f"{name}@{grid}")
        elif argument.type != "scalar":
            return geo.symbolic_grid(node_id, output)
    return geo.symbolic_grid(schema.tool, output, *grids, *values)


def _inherited(schema: ToolSchema, preserved: Preserved, arguments: Mapping[str, Any]) -> Facts:
    source = arguments.get(preserved.from_)
    if not isinstance(source, Artifact):
        return Facts()
    kept = inherited_facts(preserved)
    why = f"{schema.tool}: preserved from {preserved.from_}"
    told: Iterable[str] = (
        FACT_TITLES if source.parts() else source.facts
    )  # parts share facts that none says of the whole
    facts = {}
    for name in told:
        if name in kept and (fact := source.known(name)) is not None:
            facts[name] = Fact(fact.value, Origin.DERIVED, why)
    return Facts(facts)


def inherited_facts(preserved: Preserved) -> frozenset[str]:
    """The facts that an output takes over from an input."""
    return _inherited_facts(preserved.only, preserved.except_)


@lru_cache(maxsize=1024)
def _inherited_facts(only: tuple[str, ...], gone: tuple[str, ...]) -> frozenset[str]:
    kept = expand(only) if only else frozenset(FACT_TITLES) - _NEVER_INHERITED
    return kept - expand(gone)


def expand(names: tuple[str, ...]) -> frozenset[str]:
    """Fact names, with the groups ``grid`` and ``pixels`` written out."""
    return frozenset(fact for name in names for fact in GROUPS.get(name, (name,)))


def _assert_effect(
    schema: ToolSchema, text: str, effect: Expression, arguments: Mapping[str, Any], outputs: dict[str, Artifact]
) -> None:
    why = f"{schema.tool}: {text}"
    match effect:
        case Compare(right=Name(name=name)) if arguments.get(name, outputs.get(name)) is None:
            return  # an optional argument that was not given changes nothing
        case Compare(left=Call(name=fact, args=(Name(name=output),)), op="==", right=right) if output in outputs:
            outputs[output] = _put(outputs[output], fact, _value(fact, right, arguments, outputs), why)
            if fact == "crs":
                outputs[output] = _put(outputs[output], "bounds", _extent(outputs[output], arguments), why)
        case Call(name="scaled", args=(Name(name=output),)) if output in outputs:
            outputs[output] = _put(_put(outputs[output], "scale", 1.0, why), "offset", 0.0, why)
        case Call(name="same_grid" | "same_crs" as name, args=(Name(name=output), Name(name=like))) if (
            output in outputs
        ):
            source = arguments.get(like, outputs.get(like))
            if isinstance(source, Artifact):
                for fact in GRID_FACTS if name == "same_grid" else ("crs",):
                    known = source.known(fact)
                    outputs[output] = _put(outputs[output], fact, None if known is None else known.value, why)


def _put(artifact: Artifact, fact: str, value: Any, why: str) -> Artifact:
    """The artifact with a fact set; a value that is not known yet (None) makes what was inherited unknown too."""
    if fact == "quantity" and value != artifact.fact("quantity"):
        artifact = artifact.with_facts(artifact.facts.without(_OF_A_QUANTITY))
    if value is None:
        return artifact.with_facts(artifact.facts.without((fact,)))
    return replace(artifact, facts=artifact.facts.put(fact, value, Origin.DERIVED, why))


def _value(fact: str, right: Expression, arguments: Mapping[str, Any], outputs: Mapping[str, Artifact]) -> Any:
    found = term(right, {**arguments, **outputs})
    value = found.value
    if found.spread is not None:
        values = {repr(item): item for _, item in found.spread}
        value = next(iter(values.values())) if len(values) == 1 else UNKNOWN
    if value is UNKNOWN or value is None:
        return None
    if isinstance(value, Mapping):  # an argument of the wrong type, which is told elsewhere, says nothing of a result
        return None
    if fact == "quantity" and isinstance(value, str):
        return quantity_named(value)
    if fact == "crs":
        return _crs(value, arguments)
    return value


def quantity_named(name: str) -> str:
    """The id of a quantity kind: an index may be given by the name it is published under (``NDVI``, ``BaI``)."""
    published = _published_indices()
    return published.get(name, name.casefold())


@lru_cache(maxsize=1)
def _published_indices() -> Mapping[str, str]:
    return {index.short_name: name for name, index in spectral_indices().items()}


def _extent(output: Artifact, arguments: Mapping[str, Any]) -> geo.Box | None:
    """Where in its new CRS a tool will write what it was given; None where that is not known, or off the map."""
    crs = output.fact("crs")
    boxes = (geo.lonlat_box(argument) for argument in arguments.values() if isinstance(argument, Artifact))
    box = next((box for box in boxes if box is not None), None)
    if crs is None or box is None or box[0] > box[2]:
        return None
    if (degrees := geo.degrees_on(crs)) is None:
        return None
    found = geo.transform_box(degrees, crs, box)
    return found if geo.shows(crs, degrees, box) and all(map(isfinite, found)) else None


def _crs(value: Any, arguments: Mapping[str, Any]) -> str | None:
    """The CRS a tool will write; ``auto`` is the UTM zone of the first raster's middle."""
    if value != "auto":
        return geo.canonical_crs(str(value)) if geo.is_crs(str(value)) else None
    for argument in arguments.values():
        box = geo.lonlat_box(argument) if isinstance(argument, Artifact) else None
        if box is not None:
            return geo.utm_crs(box, str(argument.fact("crs")))
    return None
