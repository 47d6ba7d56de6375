"""Tools that give a part of a question by themselves: applied to its parts, with what is said of their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import compatible, convert
from knowflow.model import geo
from knowflow.model.tool import ToolSchema
from knowflow.question.operators import Apply, Expression, Number, Point
from knowflow.question.types import Type
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, refuse


def applied(e: Apply, parts: Sequence[Made], own: Type, tools: Mapping[str, ToolSchema], nodes: Nodes) -> Made:
    """What a tool makes by itself of the parts, which are its first inputs; for each key, where one part has some.

    Raises:
        NotCompiledError: there is no such tool, it takes other inputs, or needs what nobody said.
    """
    tool = tools.get(e.tool)
    if tool is None:
        raise refuse(e, f"{e.tool!r}, which is no tool that gives a part of a question", did_you_mean(e.tool, tools))
    names = [name for name, one in tool.inputs.items() if one.is_artifact]
    wanted = [name for name, one in tool.inputs.items() if one.required]
    given = dict(zip(names, (_whole(part, nodes) for part in parts), strict=False))
    open_ = [name for name in wanted if name not in given and name not in dict(e.settings)]
    if len(parts) > len(names) or open_:
        needs = ", ".join(open_) or f"at most {len(names)} inputs"
        raise refuse(e, f"{e.tool}, which needs {needs}", f"`knowflow tools show {e.tool}` says what it takes")
    keyed = [part for part in parts if part.type.keys]
    if len(keyed) > 1:
        raise refuse(e, "several inputs, each with keys", "take one date of each")
    items: dict[Keys, Item] = {}
    for key, present in {k: one.present for part in keyed or parts for k, one in part.items.items()}.items():
        taken: dict[str, Any] = {name: part.items[key if part.type.keys else ()] for name, part in given.items()}
        taken |= {name: _setting(e, tool, name, one, taken) for name, one in e.settings}
        items[key] = Item(nodes.add(e.tool, "apply", key, layer=max(tool.layers), **taken), present=present)
    return Made(replace(own, keys=keyed[0].type.keys if keyed else ()), items)


def _setting(e: Apply, tool: ToolSchema, name: str, said: Expression, taken: Mapping[str, Item]) -> Any:
    """What is said of a parameter, as the tool takes it: a number in its unit, a place on the grid of its input.

    Raises:
        NotCompiledError: the tool has no such parameter, or the number no unit that fits.
    """
    parameter = tool.inputs.get(name)
    if parameter is None:
        raise refuse(e, f"{e.tool} with {name}", did_you_mean(name, tool.inputs))
    data = next((item.bound.known for item in taken.values()), None)
    if isinstance(said, Point):
        crs = None if data is None else data.fact("crs")
        if crs is None:
            raise refuse(e, "a place, and data without a CRS", "say it: --assume crs=...")
        west, south, *_ = geo.transform_box("EPSG:4326", str(crs), (said.longitude, said.latitude) * 2)
        return [west, south]
    assert isinstance(said, Number)  # as is checked
    unit = parameter.unit or (None if data is None else data.fact("unit"))
    if said.unit != "1" and (unit is None or not compatible(said.unit, str(unit))):
        raise refuse(e, f"{name} in {said.unit}", f"say it in {unit}" if unit else "say it without a unit")
    value = said.value if said.unit == "1" else convert(said.value, said.unit, str(unit), difference=True)
    return round(value) if parameter.type == "integer" else value


def _whole(x: Made, nodes: Nodes) -> Made:
    """Maps that are nodata beyond their ground, as tools by themselves take them."""
    if not x.type.space:
        return x
    return replace(x, items={key: nodes.on_ground(one, "apply", key) for key, one in x.items.items()})
