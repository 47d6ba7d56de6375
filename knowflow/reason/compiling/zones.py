"""Ground by polygons, points and classes: as covers of the pixels, or as one table with a row for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.columns import distinct, row_field
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Expression, Extreme, Over, Point, Polygons, Split
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Cover, Item, Keys, Made, Nodes, refuse

_OF_POLYGONS: Mapping[str, str] = {
    **{name: name for name in ("mean", "median", "minimum", "maximum", "sum")},
    "deviation": "std",
}
_OF_CLASSES: Mapping[str, str] = {name: column for name, column in _OF_POLYGONS.items() if name != "median"}
_MOST_ZONES = 60
"""Polygons for each of which values are kept apart; more are told in one table."""


class Ground:
    """Covers of polygons and points, each made once for every grid."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._first: dict[str, Bound] = {}

    def like(self, raster: Bound) -> Bound:
        """The first raster that was met on the grid of one."""
        grid = raster.known.fact("grid")
        return raster if grid is None else self._first.setdefault(str(grid), raster)

    def polygons(self, raster: Bound, zones: Bound, names: tuple[str, ...], beyond: bool = False) -> Cover:
        """How much of each pixel polygons cover, or what lies beyond them."""
        given: dict[str, Any] = {"like": self.like(raster), "zones": zones} | ({"names": list(names)} if names else {})
        given |= {"beyond": True} if beyond else {}
        return Cover(self._nodes.add("polygon_cover", "polygons", names, **given), True)

    def point(self, raster: Bound, e: Point) -> Cover:
        """The pixel that a point lies in."""
        at: dict[str, Any] = {"longitude": e.longitude, "latitude": e.latitude}
        return Cover(self._nodes.add("point_cover", "point", (), like=self.like(raster), **at), False)

    def chosen(self, raster: Bound, zones: Bound, chosen: Made, key: Keys) -> Cover:
        """How much of each pixel the polygons cover that are there."""
        names = [name for (name,) in chosen.items]
        covers = [self.polygons(raster, zones, (name,)).bound for name in names]
        truths = [item.present for item in chosen.items.values()]
        given: dict[str, Any] = {"series": self._nodes.series(covers), "how": "sum"}
        if all(truth is not None for truth in truths):
            given["truths"] = self._nodes.series(filter(None, truths))
        return Cover(self._nodes.add("joined_cover", "chosen", key, **given), True)


def on(cover: Cover, item: Item) -> Item:
    """A map on less ground; what lies beyond is left out when it is brought together."""
    return item if cover in item.covers else replace(item, covers=(*item.covers, cover))


def names_of(e: Expression, zones: Artifact, by: str | None = None) -> tuple[str, ...]:
    """What the polygons of a file are called, or the values of an attribute of theirs.

    Raises:
        PlanningError: no attribute names them, or there are too many to keep apart.
    """
    from knowflow.ground.opening import check_opening
    from knowflow.ground.vectors import read

    check_opening(str(zones.path))
    meta, _, _, columns = read(str(zones.path), read_geometry=False)
    fields = {str(name): column.tolist() for name, column in zip(meta["fields"], columns, strict=True)}
    called = row_field(fields) if by is None else by
    if called is None or called not in fields:
        expected = f"an attribute that names each feature of {zones.name}" if by is None else f"an attribute {by!r}"
        raise PlanningError(
            "the features have no names", where=e.op, expected=expected, found=", ".join(fields) or "none"
        )
    names = distinct(fields[called])
    if len(names) > _MOST_ZONES:
        raise refuse(e, f"{len(names)} polygons, each with values of its own", "name some of them")
    return names


def by_zone(e: Over, split: Split, x: Made, zones: Bound, own: Type, nodes: Nodes) -> Made | None:
    """A statistic of one map in each polygon, or in each class of another map, as a table; None where no tool does."""
    if len(x.items) != 1:
        return None
    (item,) = x.items.values()
    if item.partly or item.present is not None:
        return None
    polygons = isinstance(split.key, Polygons)
    column = (_OF_POLYGONS if polygons else _OF_CLASSES).get(e.statistic, "")
    number = x.type.of == "number" and column and x.type.measure.nature not in ("angle", "level")
    truth = x.type.of == "truth" and polygons and e.statistic in ("share", "area")
    if not (number or truth):
        return None
    raster = nodes.on_ground(item, "over", ()).bound
    if number and polygons:
        table = nodes.add("zonal_statistics", "over", raster=raster, zones=zones, statistics=[column])
    elif number:
        table = nodes.add("zonal_by_raster", "over", raster=raster, zones=zones, statistics=[column, "count"])
    elif e.statistic == "share":
        column = "share"
        table = nodes.add("share_by_polygon", "over", mask=raster, zones=zones, unit="1")
    else:
        column = "area"
        table = nodes.add("area_by_polygon", "over", mask=raster, zones=zones, unit="ha")
    return Made(own, {(): Item(table)}, table=column)


def class_areas(x: Made, own: Type, nodes: Nodes) -> Made | None:
    """The area of each class of one map, as a table; None where there are several."""
    if len(x.items) != 1:
        return None
    (item,) = x.items.values()
    if item.partly or item.present is not None:
        return None
    raster = nodes.on_ground(item, "over", ()).bound
    return Made(own, {(): Item(nodes.add("area_by_class", "over", raster=raster, unit="ha"))}, table="area")


def extreme_zone(e: Extreme, x: Made, nodes: Nodes) -> Bound:
    """The polygon or class with the highest or lowest number of a table."""
    which = "maximum" if e.side == "highest" else "minimum"
    return nodes.add("place_of_extreme", "extreme", table=x.only, column=x.table, which=which)


def split_by_classes(e: Expression, x: Made, classes: Made, own: Type, nodes: Nodes) -> Made:
    """One value for each class of a map, on the ground of it; there where the class occurs.

    Raises:
        NotCompiledError: what the classes are called is not known.
    """
    found: dict[Keys, Item] = {}
    for name, masks, occurs in _each_class(e, classes, nodes):
        places = [x.type.keys.index(one) for one in classes.type.keys]
        for key, item in x.items.items():
            mask = masks.get(tuple(key[place] for place in places))
            if mask is not None:
                whole = (name, *key)
                there = nodes.both_there(item, Item(occurs, present=occurs), e.op, whole)
                found[whole] = replace(within_mask(item, mask, whole, nodes), present=there)
    return x.of(own, found)


def _each_class(e: Expression, classes: Made, nodes: Nodes) -> Iterator[tuple[str, dict[Keys, Item], Bound]]:
    """The name of each class of some maps, where they are of it, and the truth that it occurs.

    Raises:
        NotCompiledError: what the classes are called is not known.
    """
    if not classes.legend:
        raise refuse(e, "classes without names", "say them in the tag CLASSES, or in a file beside the map")
    for code, name in classes.legend.items():
        masks = {key: of_class(item, code, name, key, nodes) for key, item in classes.items.items()}
        yield name, masks, occurring(list(masks.items()), name, nodes)


def of_class(item: Item, code: int, name: str, key: Keys, nodes: Nodes) -> Item:
    """Where a map is of a class."""
    made = nodes.add("mask_of_class", "class", (name, *key), raster=item.bound, name=f"class {code}")
    return item.over(made)


def occurring(masks: list[tuple[Keys, Item]], name: str, nodes: Nodes) -> Bound:
    """The truth that a class occurs on any of some maps."""
    series = nodes.series(nodes.on_ground(item, "class", (name, *key)).bound for key, item in masks)
    given: dict[str, Any] = {
        "statistic": "any",
        "unit": "1",
        "result_unit": "1",
        "nature": "truth",
        "when_empty": "missing",
    }
    return nodes.add("ground_statistic", "class.occurs", (name,), series=series, **given)


def within_mask(item: Item, mask: Item, key: Keys, nodes: Nodes) -> Item:
    """A map where a mask holds: what is unknown of the mask is ground of which nothing is known."""
    cover = Cover(mask.bound, False)
    if cover in item.covers:
        return item
    made = nodes.add("restricted", "within", key, raster=item.bound, cover=mask.bound)
    covers = (*item.covers, *(one for one in mask.covers if one not in item.covers), cover)
    present = nodes.both_there(item, mask, "within", key)
    return Item(made, covers, item.applied | {cover}, present)


def areas_of_classes(e: Over, x: Made, own: Type, nodes: Nodes) -> Made:
    """The area of each class that occurs, for each key.

    Raises:
        NotCompiledError: what the classes are called is not known.
    """
    from knowflow.reason.compiling.statistics import over

    found: dict[Keys, Item] = {}
    for name, masks, occurs in _each_class(e, x, nodes):
        truth = Type("truth", space=True, keys=x.type.keys)
        left = replace(own, keys=own.keys[1:])
        areas = over(e, x.of(truth, masks), left, nodes, False)
        for key, item in areas.items.items():
            found[(name, *key)] = replace(item, present=occurs)
    return x.of(own, found)
