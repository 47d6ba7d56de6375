"""Numbers by polygon and by class: one table, with a row for each."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.question.operators import Extreme, Over, Polygons, Split
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Made, Nodes, refuse

_OF_POLYGONS: Mapping[str, str] = {
    **{name: name for name in ("mean", "median", "minimum", "maximum", "sum")},
    "deviation": "std",
}
_OF_CLASSES: Mapping[str, str] = {name: column for name, column in _OF_POLYGONS.items() if name != "median"}


def by_zone(e: Over, split: Split, x: Made, zones: Bound, own: Type, nodes: Nodes) -> Made:
    """A statistic of one map in each polygon, or in each class of another map.

    Raises:
        NotCompiledError: no tool takes it, or there are several maps.
    """
    if len(x.items) != 1:
        raise refuse(split, f"a table for each of {len(x.items)} maps", "take one date, or the mean of all, first")
    (raster,) = x.items.values()
    polygons = isinstance(split.key, Polygons)
    column = (_OF_POLYGONS if polygons else _OF_CLASSES).get(e.statistic, "")
    if x.type.of == "number" and column and x.type.measure.nature != "angle":
        if polygons:
            table = nodes.add("zonal_statistics", "over", raster=raster, zones=zones, statistics=[column])
        else:
            table = nodes.add("zonal_by_raster", "over", raster=raster, zones=zones)
    elif x.type.of == "truth" and polygons and e.statistic in ("share", "area"):
        column = e.statistic
        table = nodes.add("area_by_polygon", "over", mask=raster, zones=zones, unit="m2")
    else:
        raise refuse(e, f"{e.statistic} of {x.type}")
    return Made(own, {(): table}, x.ground, table=column)


def class_areas(e: Over, x: Made, own: Type, nodes: Nodes) -> Made:
    """The area of each class of one map.

    Raises:
        NotCompiledError: there are several maps.
    """
    if len(x.items) != 1 or not x.type.space:
        raise refuse(e, f"a table for each of {len(x.items)} maps", "take one date first")
    (raster,) = x.items.values()
    return Made(own, {(): nodes.add("area_by_class", "over", raster=raster, unit="m2")}, x.ground, table="area")


def extreme_zone(e: Extreme, x: Made, own: Type, nodes: Nodes) -> Made:
    """The polygon or class with the highest or lowest number.

    Raises:
        NotCompiledError: several are asked for.
    """
    if e.n != 1:
        raise refuse(e, f"the {e.n} {e.side} of a table")
    which = "maximum" if e.side == "highest" else "minimum"
    return Made(own, {(): nodes.add("place_of_extreme", "extreme", table=x.only, column=x.table, which=which)})
