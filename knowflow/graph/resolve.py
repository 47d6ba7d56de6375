"""From the values in a workflow to artifacts: predicted ones at planning time, actual ones at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value

OutputOf = Callable[[str, str], Artifact]


def resolve(value: Value, inputs: Mapping[str, Artifact], output_of: OutputOf) -> Any:
    """The artifact or plain value that a value stands for.

    ``output_of(node, output)`` gives a node's output; an empty output name means its primary one.
    """
    match value:
        case Given(value=literal):
            return literal
        case FromNode(node=node, output=output):
            return output_of(node, output)
        case FromInput(name=name, at=at):
            if name not in inputs:
                expected = f"one of {', '.join(inputs) or 'no inputs at all'}"
                raise PlanningError(f"the plan has no input {name!r}", expected=expected, found=name)
            return part_of(inputs[name], at)
        case SeriesOf(items=items):
            parts = [resolve(item, inputs, output_of) for item in items]
            if all(isinstance(part, Artifact) for part in parts):
                return gathered(tuple(parts))
            return tuple(parts)
        case BandsOf(members=members):
            return band_set({name: _band(name, resolve(member, inputs, output_of)) for name, member in members.items()})


def _band(name: str, value: Any) -> Artifact:
    if isinstance(value, Artifact):
        return value
    raise PlanningError(f"the band {name!r} is no raster", expected="a raster", found=repr(value))


def gathered(parts: tuple[Artifact, ...]) -> Artifact:
    """Rasters, band sets and series of them as a series; scalars, texts and other values as a list."""
    if any(part.type == "raster_series" for part in parts):
        parts = tuple(item for part in parts for item in (part.items or (part,)))
    if all(part.type in ("raster", "band_set") for part in parts):
        return series(parts)
    return Artifact(type="list", items=parts)


def part_of(artifact: Artifact, at: tuple[str | int, ...]) -> Artifact:
    """The part of an artifact at a place: item numbers of series, band names of band sets."""
    for step in at:
        if isinstance(step, int):
            if not -len(artifact.items) <= step < len(artifact.items):
                raise PlanningError(
                    f"the data have no item {step}", expected=f"a series of {step + 1} or more", found=_size(artifact)
                )
            artifact = artifact.items[step]
        elif step in artifact.members:
            artifact = artifact.members[step]
        else:
            raise PlanningError(
                f"the data have no band {step!r}",
                expected=f"one of {', '.join(artifact.members) or 'no bands at all'}",
                found=step,
            )
    return artifact


def _size(artifact: Artifact) -> str:
    return f"{len(artifact.items)} items" if artifact.items else f"a {artifact.type}"


def arguments_of(node: Node, schema: ToolSchema, inputs: Mapping[str, Artifact], output_of: OutputOf) -> dict[str, Any]:
    """All arguments of a node by parameter, defaults included; a single raster becomes a series where one is taken."""
    arguments: dict[str, Any] = {}
    for name, parameter in schema.inputs.items():
        if name in node.args:
            arguments[name] = fitted(resolve(node.args[name], inputs, output_of), parameter)
        elif parameter.default is not None:
            arguments[name] = parameter.default
    return arguments


def fitted(value: Any, parameter: Parameter) -> Any:
    """A value as the parameter takes it where that loses nothing: one raster is a series of one, one scalar a list."""
    if not isinstance(value, Artifact):
        return value
    if parameter.artifact_type == "raster_series" and value.type in ("raster", "band_set"):
        return series((value,))
    if parameter.artifact_type == "list" and value.type == "scalar":
        return Artifact(type="list", items=(value,))
    if parameter.artifact_type == "raster" and value.type == "band_set" and len(value.members) == 1:
        return next(iter(value.members.values()))
    if parameter.artifact_type == "raster" and value.type == "raster_series" and len(value.items) == 1:
        return fitted(value.items[0], parameter)
    return value
