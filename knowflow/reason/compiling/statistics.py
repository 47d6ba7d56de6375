"""Statistics over space, over dates and over keys: which tool takes which axis away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knowflow.question.operators import GRAINS, Beyond, Expression, Number, Over, Weighted
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.keys import joined, span, usual_step
from knowflow.reason.compiling.made import Group, Item, Keys, Made, Nodes, meet, refuse

_OF_PIXELS: Mapping[str, str] = {
    **{name: name for name in ("mean", "median", "minimum", "maximum", "sum", "percentile")},
    "deviation": "standard_deviation",
}
_COMPOSITES = ("mean", "median", "minimum", "maximum")
_KINDS: Mapping[str, str] = {
    "count": "count",
    "share": "share",
    "variety": "count",
    "area": "area",
    "longest": "duration",
    "longest_run": "count",
    "any": "mask",
    "all": "mask",
}
_KEPT = ("mean", "median", "minimum", "maximum", "percentile", "sum", "majority")
IN_ORDER = ("longest", "longest_run", "first", "last")
_HALF = 0.5 - 1e-9


def nature_of(type_: Type) -> str:
    """What numbers are, for tools: a truth, a class, decibels, directions, or none of these."""
    if type_.of in ("truth", "class"):
        return type_.of
    return type_.measure.nature if type_.measure.nature in ("level", "angle") else "state"


def over(e: Over, x: Made, left: Type, nodes: Nodes, last: bool, limits: Beyond | None = None) -> Made:
    """A statistic of values that are there; ``limits``: of whether they are beyond these. ``last``: it is the answer.

    Raises:
        NotCompiledError: no tool takes it.
    """
    if e.axes == "space":
        alone = last and len(x.items) == 1  # the answer, and none where nothing is known
        items = {key: item.alone(_of_space(e, x.type, key, item, nodes, alone)) for key, item in x.items.items()}
        return x.of(left, items)
    name = str(x.type.grain) if e.axes in ("time", "both") else e.axes
    if x.listed is not None and e.statistic not in IN_ORDER:
        given = _options(e, x.type, left, name, [], limits) | _kind(e, x.listed, limits)
        return x.of(left, {(): Item(nodes.add("list_statistic", "over", values=x.listed, **given))})
    if e.statistic in ("longest", "longest_run") and not x.together(name):
        raise refuse(e, "dates that only the run finds, in order")
    made: dict[Keys, Item] = {}
    for rest, group in x.groups(name).items():
        if e.axes == "both":
            made[rest] = _pooled(e, x.type, rest, group, nodes, last and not rest)
        elif x.type.space:
            values, ground = nodes.stacked(group, "over", rest)
            made[rest] = replace(ground, bound=_of_stack(e, x, name, rest, group, values, left, limits, nodes))
        else:
            values, present = nodes.listed(group, "over", rest)
            given = _options(e, x.type, left, name, [key for key, _ in group], limits) | _kind(e, values[0], limits)
            bound = nodes.add("list_statistic", "over", rest, values=nodes.series(values), **given)
            made[rest] = Item(bound, present=present)
    return x.of(left, made)


def _kind(e: Over, first: Bound, limits: Beyond | None) -> dict[str, str]:
    """The quantity kind of what a statistic tells."""
    if e.statistic in _KINDS:
        return {"quantity": _KINDS[e.statistic]}
    known = first.known.fact("quantity") if hasattr(first.known, "fact") else None
    if e.statistic in _KEPT and limits is None and known is not None:
        return {"quantity": str(known)}
    return {"quantity": "difference"} if e.statistic in ("deviation", "range") else {}


def _options(e: Over, of: Type, left: Type, name: str, keys: list[str], limits: Beyond | None) -> dict[str, Any]:
    """The arguments of a statistic over keys."""
    unit = of.measure.unit if of.of == "number" else "1"
    given: dict[str, Any] = {"statistic": e.statistic, "unit": unit, "nature": nature_of(of)}
    given["result_unit"] = left.measure.unit if left.of == "number" else "1"
    given |= {} if e.p is None else {"p": e.p}
    given |= {"changes": True} if of.measure.change else {}
    if limits is not None:
        ends = {part: one.value for part in ("limit", "upper") if isinstance(one := getattr(limits, part), Number)}
        given |= {"side": limits.side, **ends}
    if e.statistic in IN_ORDER:
        spans = [span(key, name) for key in keys]
        given |= {"starts": [one.toordinal() for one, _ in spans], "ends": [one.toordinal() for _, one in spans]}
        given["joined"] = joined(keys, name, usual_step(keys, name))
    return given


def _of_stack(
    e: Over, x: Made, name: str, rest: Keys, group: Group, values: list[Bound], left: Type,
    limits: Beyond | None, nodes: Nodes,
) -> Bound:  # fmt: skip
    simple = limits is None and x.type.of == "number" and nature_of(x.type) == "state" and name in GRAINS
    if simple and e.statistic in _COMPOSITES:
        return nodes.add("temporal_composite", "over", rest, series=nodes.series(values), method=e.statistic)
    given = _options(e, x.type, left, name, [key for key, _ in group], limits) | _kind(e, values[0], limits)
    return nodes.add("stack_statistic", "over", rest, series=nodes.series(values), **given)


def _of_space(e: Over, of: Type, key: Keys, item: Item, nodes: Nodes, last: bool) -> Bound:
    empty = "fail" if last else "missing"
    if e.statistic in ("patches", "largest_patch"):
        if item.partly:
            cover = nodes.cover(item, "over", key)
            bound = nodes.add("restricted", "over.ground", key, raster=item.bound, cover=cover, least=_HALF)
        else:
            bound = nodes.on_ground(item, "over", key).bound
        given: dict[str, Any] = {"mask": bound, "connectivity": 8, "when_empty": empty}
        if e.statistic == "largest_patch":
            return nodes.add("largest_object", "over", key, unit="m2", **given)
        return nodes.add("count_objects", "over", key, **given)
    if not item.partly and not item.pending:
        if of.of == "number" and e.statistic in _OF_PIXELS:
            given = {} if e.p is None else {"percentile": e.p}
            statistic = _OF_PIXELS[e.statistic]
            return nodes.add(
                "raster_statistic", "over", key, raster=item, statistic=statistic, when_empty=empty, **given
            )
        if of.of == "truth" and e.statistic in ("share", "area"):
            one = len(item.covers) == 1
            ground = item.covers[0].bound if one else nodes.cover(item, "over", key)
            given = {} if ground is None else {"ground": ground}
            tool, given = ("area", given | {"unit": "m2"}) if e.statistic == "area" else ("mask_share", given)
            return nodes.add(tool, "over", key, mask=item, when_empty=empty, **given)
    return _of_ground(e, of, [(key, item)], key, nodes, empty)


def _pooled(e: Over, of: Type, rest: Keys, group: Group, nodes: Nodes, last: bool) -> Item:
    values, present = nodes.listed(group, "over", rest)
    items = [((*rest, key), item.over(value)) for (key, item), value in zip(group, values, strict=True)]
    return Item(_of_ground(e, of, items, rest, nodes, "fail" if last else "missing"), present=present)


def _of_ground(e: Over, of: Type, items: list[tuple[Keys, Item]], key: Keys, nodes: Nodes, empty: str) -> Bound:
    """A statistic of the pixels of some maps together, each by the part of it that counts."""
    bounds, covers = grounds(e, items, nodes)
    unit = of.measure.unit if of.of == "number" else "1"
    gathered = of.measure.gathered
    whole = {"integral": gathered.unit} if gathered is not None else {}
    result = {"share": "%", "area": "m2", "count": "1", "variety": "1", **whole}.get(e.statistic, unit)
    given: dict[str, Any] = {"statistic": e.statistic, "unit": unit, "result_unit": result, "nature": nature_of(of)}
    given |= {} if e.p is None else {"p": e.p}
    given |= {} if not covers else {"covers": nodes.series(covers)}
    given |= {"changes": True} if of.measure.change else {}
    given |= _kind(e, bounds[0], None)
    return nodes.add("ground_statistic", "over", key, series=nodes.series(bounds), when_empty=empty, **given)


def weighted(e: Weighted, x: Made, by: Made, own: Type, nodes: Nodes, last: bool) -> Made:
    """A mean, or a share, over space by how much of something lies in each pixel."""
    of, measure = x.type, by.type.measure
    given: dict[str, Any] = {"statistic": "share" if of.of == "truth" else "mean", "nature": nature_of(of)}
    given |= {"unit": of.measure.unit if of.of == "number" else "1", "result_unit": own.measure.unit}
    given |= {"changes": True} if of.measure.change else {}
    given |= {"weights_unit": measure.unit, "weights_add": "space" in measure.adds}
    items = {}
    for key, one, two in meet(e, x, by):
        pair = nodes.together(one, two, one.bound, e.op, key)
        bounds, covers = grounds(e, [(key, pair)], nodes)
        told = given | ({"covers": nodes.series(covers)} if covers else {})
        told |= {"weights": two.bound if covers else nodes.on_ground(two, e.op, key).bound}
        told |= {"when_empty": "fail" if last and len(x.items) == 1 else "missing"}
        known = bounds[0].known.fact("quantity") if hasattr(bounds[0].known, "fact") else None
        if of.of == "truth" or known is not None:
            told["quantity"] = "share" if of.of == "truth" else str(known)
        items[key] = pair.alone(nodes.add("ground_statistic", e.op, key, series=nodes.series(bounds), **told))
    return x.of(own, items)


def grounds(e: Expression, items: list[tuple[Keys, Item]], nodes: Nodes) -> tuple[list[Bound], list[Bound]]:
    """Maps, and the part of each pixel that counts: one for all, one for each, or none where that is what they hold.

    Raises:
        NotCompiledError: polygons restrict some of the maps only.
    """
    if not any(item.partly for _, item in items):
        return [nodes.on_ground(item, e.op, key).bound for key, item in items], []
    if any(not item.covers for _, item in items):
        raise refuse(e, "maps of which polygons restrict some only")
    covers = [found for key, item in items if (found := nodes.cover(item, e.op, key)) is not None]
    alike = all(cover.value == covers[0].value for cover in covers)
    return [item.bound for _, item in items], covers[:1] if alike else covers


def counted(e: Over) -> Beyond | None:
    """What a statistic of keys is of, where one tool compares and counts."""
    below = e.x
    over_keys = e.axes not in ("space", "both")
    return below if over_keys and isinstance(below, Beyond) and _stated(below.limit) and _stated(below.upper) else None


def _stated(limit: Expression | None) -> bool:
    return limit is None or isinstance(limit, Number)
