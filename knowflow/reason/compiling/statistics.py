"""Statistics over space, over dates and over keys: which tool takes which axis away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from knowflow.question.operators import GRAINS, Beyond, Expression, Number, Over
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Keys, Made, Nodes, refuse

_OF_PIXELS: Mapping[str, str] = {
    **{name: name for name in ("mean", "median", "minimum", "maximum", "sum", "percentile")},
    "deviation": "standard_deviation",
}
_OF_NUMBERS: Mapping[str, str] = {
    **{name: name for name in ("mean", "median", "minimum", "maximum")},
    "deviation": "standard_deviation",
    "sum": "total",
}
_OF_STACKS: Mapping[str, str] = {name: name for name in ("mean", "median", "minimum", "maximum")}
_STRICT = ("above", "below", "between")


def over(e: Over, x: Made, left: Type, nodes: Nodes) -> Made:
    """A statistic of values that are there.

    Raises:
        NotCompiledError: no tool takes it.
    """
    if e.axes == "space":
        return nodes.each(x, left, lambda key, bound: _of_space(e, x.type, key, bound, nodes))
    if e.axes == "both":
        raise refuse(e, "pixels and dates pooled", "ask for space first, then dates, or dates first")
    name = str(x.type.grain) if e.axes == "time" else e.axes
    if x.type.space:
        return x.of(left, {rest: _of_stack(e, x, rest, group, nodes) for rest, group in x.groups(name).items()})
    return x.of(left, {rest: _of_list(e, x, rest, group, nodes) for rest, group in x.groups(name).items()})


def _of_space(e: Over, of: Type, key: Keys, bound: Bound, nodes: Nodes) -> Bound:
    empty = "missing" if key else "fail"
    if of.of == "number" and e.statistic in _OF_PIXELS:
        given: dict[str, Any] = {} if e.p is None else {"percentile": e.p}
        statistic = _OF_PIXELS[e.statistic]
        return nodes.add("raster_statistic", "over", key, raster=bound, statistic=statistic, when_empty=empty, **given)
    if of.of == "number" and e.statistic == "range":
        ends = (
            nodes.add("raster_statistic", "over", key, raster=bound, statistic=end, when_empty=empty)
            for end in ("maximum", "minimum")
        )
        return _apart(ends, key, nodes)
    if of.of == "number" and e.statistic == "count":
        return nodes.add("count_valid", "over", key, raster=bound)
    if of.of == "truth" and e.statistic == "share":
        return nodes.add("mask_share", "over", key, mask=bound, when_empty=empty)
    if of.of == "truth" and e.statistic == "area":
        return nodes.add("area", "over", key, mask=bound, unit="m2", when_empty=empty)
    if of.of == "truth" and e.statistic == "patches":
        return nodes.add("count_objects", "over", key, mask=bound, connectivity=8, when_empty=empty)
    raise refuse(e, f"{e.statistic} of {of} over space")


def _apart(ends: Iterable[Bound], key: Keys, nodes: Nodes) -> Bound:
    """The largest less the smallest."""
    largest, smallest = ends
    return nodes.add("difference_of", "over.range", key, a=largest, b=smallest)


def _of_stack(e: Over, x: Made, rest: Keys, group: list[tuple[str, Bound]], nodes: Nodes) -> Bound:
    method = _OF_STACKS.get(e.statistic)
    if method is None or x.type.of != "number" or x.type.measure.nature in ("angle", "level"):
        raise refuse(e, f"{e.statistic} of {x.type} over its dates")
    return nodes.add("temporal_composite", "over", rest, series=nodes.series(group), method=method)


def _of_list(e: Over, x: Made, rest: Keys, group: list[tuple[str, Bound]], nodes: Nodes) -> Bound:
    if x.type.of != "number" or x.type.measure.nature in ("angle", "level"):
        raise refuse(e, f"{e.statistic} of {x.type}")
    values = nodes.series(group)
    if e.statistic == "range":
        ends = (nodes.add(end, "over", rest, x=values) for end in ("maximum", "minimum"))
        return _apart(ends, rest, nodes)
    tool = _OF_NUMBERS.get(e.statistic)
    if tool is None:
        raise refuse(e, f"{e.statistic} of {x.type}")
    return nodes.add(tool, "over", rest, x=values)


def counted(e: Over) -> Beyond | None:
    """What a count, or a share, of dates, periods or other keys is of, where one tool compares and counts."""
    below = e.x
    counts = e.statistic in ("count", "share") and e.axes not in ("space", "both")
    return below if counts and isinstance(below, Beyond) and _stated(below.limit) and _stated(below.upper) else None


def _stated(limit: Expression | None) -> bool:
    return limit is None or isinstance(limit, Number)


def over_beyond(e: Over, below: Beyond, x: Made, left: Type, nodes: Nodes) -> Made:
    """A count, or a share, of the keys at which a number, or each pixel, is beyond a stated limit.

    Raises:
        NotCompiledError: the limit itself counts, which no tool does.
    """
    if below.side not in _STRICT:
        raise refuse(below, f"{below.side} before a count", "ask for above or below")
    name = str(x.type.grain) if e.axes == "time" else e.axes
    limits = {part: one.value for part in ("limit", "upper") if isinstance(one := getattr(below, part), Number)}
    unit = below.limit.unit if isinstance(below.limit, Number) else "1"
    given: dict[str, Any] = {"side": below.side, "threshold": limits["limit"], "threshold_unit": unit}
    given |= {"upper": limits["upper"]} if "upper" in limits else {}

    def made(rest: Keys, group: list[tuple[str, Bound]]) -> Bound:
        values = nodes.series(group)
        if x.type.space and name in GRAINS:
            return nodes.add("dates_beyond_limit", "over", rest, series=values, measure=e.statistic, **given)
        return nodes.add(
            "count_where" if e.statistic == "count" else "share_where", "over", rest, values=values, **given
        )

    return x.of(left, {rest: made(rest, group) for rest, group in x.groups(name).items()})
