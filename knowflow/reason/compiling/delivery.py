"""What is delivered of values: a number, a word, a table with a row for each key, maps, pictures."""

from __future__ import annotations

from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import change_unit, compatible
from knowflow.model.artifact import Artifact
from knowflow.model.workflow import Value
from knowflow.question.operators import (
    Along,
    Anomaly,
    Calculate,
    Classify,
    Correlate,
    During,
    Expression,
    Extreme,
    Holds,
    Over,
    Polygons,
    Quantity,
    Show,
    Split,
    Trend,
    Within,
    walk,
)
from knowflow.question.types import AREA, SHARE, Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.keys import month_alone
from knowflow.reason.compiling.made import Item, Made, Nodes, constant, is_raster

_MEANINGS = {"truth": "truth", "class": "class", "date": "day"}
_COLUMNS = {"objects": "name"}
_SURE = ("raster_statistic", "mask_share", "area", "count_objects", "largest_object", "ground_statistic")
"""Tools that fail where nothing is known, as an answer has to."""


def delivered(
    e: Expression, made: Made, type_: Type, nodes: Nodes, name: str = "", picture: bool = False
) -> dict[str, Value]:
    """The outputs of a plan: a map for each key, a table, or one value; with ``picture`` a picture of each map.

    Raises:
        PlanningError: nothing is left of the data.
    """
    if made.table:
        return {name or "answer": made.only.value}
    if made.listed is not None:
        return {name or "answer": _table(e, made, type_, nodes).value}
    if not made.items:
        raise PlanningError("nothing is left of the data", expected="data of the dates asked about", found="none")
    if any(is_raster(item.bound) for item in made.items.values()):
        return _maps(made, nodes, name, picture)
    if type_.of == "answer" and made.type.keys:  # files that a tool made, each by itself
        one = len(made.items) == 1
        parts = ((key, item) for key, item in made.items.items())
        return {"_".join((name or "answer", *(() if one else key))): item.bound.value for key, item in parts}
    if made.type.keys:
        return {name or "answer": _table(e, made, type_, nodes).value}
    return {name or "answer": _one(e, made, type_, nodes).value}


def _maps(made: Made, nodes: Nodes, name: str, picture: bool) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, item in made.items.items():
        grounded = nodes.on_ground(item, "map", key)
        bound = nodes.there(grounded, "map", key)
        called = "_".join(filter(None, (name.removesuffix("map").rstrip("_"), "map", *key)))
        if picture:
            found[called.replace("map", "picture", 1)] = nodes.add("quick_look", "picture", key, raster=bound).value
        found[called] = bound.value
        if nodes.tool_of(item.bound) == "stack_trend":
            found[called.replace("map", "p_value", 1)] = nodes.beside(item.bound, "p_value").value
    return found


def _unit_of(e: Expression, items: list[Item], type_: Type, nodes: Nodes) -> str:
    """The unit to tell numbers in: that of the data, where they have one; areas in square kilometres, shares
    as parts of 1."""
    own = type_.measure.unit
    units = {str(item.bound.known.fact("unit")) for item in items if isinstance(item.bound.known, Artifact)}
    if own == "m2":
        return "km2"
    if in_percent(e, type_):
        return own
    if all(isinstance(one.bound.known, Artifact) and one.bound.known.fact("quantity") == "share" for one in items):
        return "1"
    if units <= {own, "None"} and own != "1":
        kinds = {part.kind for _, part in walk(e) if isinstance(part, Quantity)}
        units = {str(one.fact("unit")) for one in nodes.builder.inputs.values() if one.fact("quantity") in kinds}
    unit = next(iter(units)) if len(units) == 1 else own
    if type_.measure.change and unit != "None":
        unit = change_unit(unit)  # 5 degC warmer is 5 K warmer
    as_depth = own.startswith("kg") and unit.startswith("mm") and compatible(f"{unit} kg m-3", own)  # of water
    return unit if unit != "None" and (compatible(unit, own) or as_depth or _is_held_so(e, unit, own)) else own


def _is_held_so(e: Expression, unit: str, own: str) -> bool:
    """Whether files often hold the quantity in such a unit, as what evaporated in a month in millimetres: its numbers
    are told as they are."""
    kinds = {part.kind for _, part in walk(e) if isinstance(part, Quantity) and part.kind in quantity_kinds()}
    held = [quantity_kinds()[one] for one in kinds]
    return len(held) == 1 and held[0].unit == own and (unit in held[0].told_in or compatible(f"{unit} day-1", own))


def in_percent(e: Expression, type_: Type) -> bool:
    """Whether what is told is percent of what something was, or is in other years, and not a share: what grew by 270
    percent, told as 2.7, would be taken for 2.7 percent."""
    found = (
        (isinstance(one, Calculate) and one.how == "percent_change")
        or (isinstance(one, Anomaly) and one.as_ == "percent")
        for _, one in walk(e)
    )
    return type_.of == "number" and type_.measure.unit == SHARE.unit and type_.measure.change and any(found)


def _called(e: Expression, type_: Type) -> str:
    """What the column of a table is called: by what is told, else by what was done last."""
    told = {SHARE: "share", AREA: "area"}.get(type_.measure)
    if told is not None:
        return told
    match e:
        case Over(statistic="mean", axes="time" | "date", x=Over()):
            return _called(e.x, type_)
        case Over(statistic="count", axes="space"):
            return "pixels"
        case Over():
            return e.statistic
        case Calculate():
            return e.how
        case Quantity():
            return e.kind
        case Along() | Trend() | Anomaly() | Correlate() | Classify():
            return {"along": e.how if isinstance(e, Along) else "", "classify": "class"}.get(e.op, e.op)
        case During() | Within() | Split() | Extreme() | Holds() | Show():
            return _called(e.x, type_)
    return "value"


def _names(made: Made) -> list[str]:
    """The names of classes by their number, from 0."""
    return [made.legend.get(code, "") for code in range(max(made.legend, default=-1) + 1)]


def _column_of(e: Expression) -> str:
    """What the column of classes is called: as that of the features whose values they are."""
    keys = (part.key for _, part in walk(e) if isinstance(part, Split))
    by = {key.by for key in keys if isinstance(key, Polygons) and key.by is not None}
    return by.pop() if len(by) == 1 else "class"


def _table(e: Expression, made: Made, type_: Type, nodes: Nodes) -> Bound:
    keys = [*made.items]
    items = [*made.items.values()] if made.listed is None else [Item(made.listed)]
    meaning = _MEANINGS.get(type_.of, "number")
    columns = [_column_of(e) if name == "classes" else _COLUMNS.get(name, name) for name in made.type.keys]
    given: dict[str, Any] = {"keys": [month_alone(part) for key in keys for part in key], "columns": columns}
    given |= {"called": _called(e, type_)}
    given |= {"unit": _unit_of(e, items, type_, nodes) if meaning == "number" else "1"}
    given |= {"changes": type_.measure.change} if type_.measure.change else {}
    given |= {} if meaning == "number" else {"meaning": meaning}
    given |= {"names": _names(made)} if meaning == "class" else {}
    if made.sometimes:
        truths = [constant(1.0) if item.present is None else item.present for item in items]
        given["present"] = nodes.series(truths)
    if isinstance(e, Extreme) and len(made.type.keys) == 1:
        given |= {"order": e.side} | ({} if made.listed is None else {"most": e.n})
    values = made.listed or nodes.series(item.bound for item in items)
    return nodes.add("table_of_keys", "table", values=values, **given)


def _one(e: Expression, made: Made, type_: Type, nodes: Nodes) -> Bound:
    item = made.items[()]
    if isinstance(item.bound.known, Artifact) and item.bound.known.type != "scalar":
        return item.bound  # what a tool gives by itself
    meaning = _MEANINGS.get(type_.of)
    if meaning is not None:
        names: dict[str, Any] = {"names": _names(made)} if meaning == "class" else {}
        return nodes.add("in_words", "answer", x=item.bound, meaning=meaning, **names)
    unit = _unit_of(e, [item], type_, nodes)
    known = item.bound.known.fact("unit") if isinstance(item.bound.known, Artifact) else None
    if unit == known and nodes.tool_of(item.bound) in _SURE:
        return item.bound
    return nodes.add("answer_of", "answer", x=item.bound, unit=unit)
