"""What follows values through their dates, or beside each other: change, running means, trends, correlation."""

from __future__ import annotations

from knowflow.question.operators import Along, Correlate, Extreme, Trend
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Keys, Made, Nodes, meet, refuse


def along(e: Along, x: Made, own: Type, nodes: Nodes) -> Made:
    """From each date to the next, added up so far, or the mean of the last few.

    Raises:
        NotCompiledError: maps are to be added up: a gap in one would be one in all that follow.
    """
    name = str(x.type.grain)
    at = len(x.type.keys) - 1 - x.type.keys[::-1].index(name)
    if x.type.measure.nature == "level" or (e.how == "cumulated" and x.type.space):
        raise refuse(e, f"{x.type} {e.how}")
    items: dict[Keys, Bound] = {}
    for rest, group in x.groups(name).items():
        for place, (key, bound) in enumerate(group):
            start = {"change": place - 1, "cumulated": 0, "running": place + 1 - (e.n or 1)}[e.how]
            if start < 0:
                continue
            whole = (*rest[:at], key, *rest[at:])
            if e.how == "change":
                tool = "raster_difference" if x.type.space else "difference_of"
                items[whole] = nodes.add(tool, "along", whole, a=bound, b=group[start][1])
                continue
            values = nodes.series(group[start : place + 1])
            if x.type.space:
                items[whole] = nodes.add("temporal_composite", "along", whole, series=values, method="mean")
            else:
                items[whole] = nodes.add("mean" if e.how == "running" else "total", "along", whole, x=values)
    return x.of(own, items)


def trend(e: Trend, x: Made, own: Type, nodes: Nodes) -> Made:
    """The slope per year, by least squares over the dates.

    Raises:
        NotCompiledError: of periods, or by another method.
    """
    if x.type.grain != "date" or e.method != "linear":
        raise refuse(e, f"the trend of {x.type}" if e.method == "linear" else e.method)
    items: dict[Keys, Bound] = {}
    for rest, group in x.groups("date").items():
        values = nodes.series(group)
        if x.type.space:
            items[rest] = nodes.add("temporal_trend", "trend", rest, "output", series=values)
        else:
            items[rest] = nodes.add("series_trend", "trend", rest, values=values, dates=list(values.keys))
    return x.of(own, items)


def extreme(e: Extreme, x: Made, own: Type, nodes: Nodes) -> Made:
    """The date with the highest or lowest number.

    Raises:
        NotCompiledError: several are asked for, or other keys than dates.
    """
    if x.type.keys != ("date",) or e.n != 1:
        raise refuse(e, f"of {x.type} the {e.n} {e.side}", "the one date with the highest or lowest number can be")
    values = nodes.series([(key[0], bound) for key, bound in x.items.items()])
    which = "maximum" if e.side == "highest" else "minimum"
    dates = list(values.keys)
    return x.of(own, {(): nodes.add("date_of_extreme", "extreme", values=values, dates=dates, which=which)})


def correlate(e: Correlate, a: Made, b: Made, own: Type, nodes: Nodes) -> Made:
    """Pearson's correlation of maps, over space for each date, or over the dates for each pixel.

    Raises:
        NotCompiledError: of numbers that are no maps, or of pixels and dates pooled.
    """
    if not (a.type.space and b.type.space) or e.axes == "both":
        raise refuse(e, f"{a.type} with {b.type} over {e.axes}")
    if e.axes == "space":
        items = {key: nodes.add("correlation", "correlate", key, a=one, b=two) for key, one, two in meet(e, a, b)}
        return a.of(own, items)
    others = b.groups("date") if b.type.grain == "date" else {}
    if a.type.grain != "date":
        raise refuse(e, f"{a.type} over its periods")
    found: dict[Keys, Bound] = {}
    for rest, group in a.groups("date").items():
        if rest in others:
            two = nodes.series(others[rest])
            found[rest] = nodes.add("temporal_correlation", "correlate", rest, a=nodes.series(group), b=two)
    return a.of(own, found)
