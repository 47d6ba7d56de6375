"""Features of vector files as the objects of an expression: which there are, cut to ground, and a number of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.ground.columns import distinct, row_field
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.question.operators import (
    Attribute,
    Distance,
    Expression,
    Not,
    Outline,
    Over,
    Polygons,
    Position,
    Split,
    Within,
)
from knowflow.question.types import Type
from knowflow.question.typing_of_features import is_features
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, OfList, refuse
from knowflow.reason.polygon_files import columns_of
from knowflow.reason.vector_shapes import has_points

_MOST_ZONES = 60
_MOST = 1000
"""Features of which a number each is kept."""


@dataclass(frozen=True, slots=True)
class Objects:
    """Features: the file that holds them, the names of those that are meant, what each is called, the attribute that
    says it, and whether they are points."""

    bound: Bound
    names: tuple[str, ...]
    keys: tuple[str, ...]
    by: str
    points: bool

    @property
    def given(self) -> Mapping[str, Any]:
        """As a tool is told of them."""
        return {"features": self.bound} | ({"names": list(self.names)} if self.names else {})


class Features:
    """Finds the features that an expression means; ``zones`` finds the file, ``mask`` makes a mask of ground."""

    def __init__(
        self,
        nodes: Nodes,
        zones: Callable[[Polygons], Bound],
        mask: Callable[[Expression, Position], Bound],
        realised: Callable[[Position], None],
    ) -> None:
        self._nodes = nodes
        self._zones = zones
        self._mask = mask
        self._realised = realised

    def of(self, e: Expression, at: Position) -> Objects:
        """The features that an expression means, and the ground that they are cut to.

        Raises:
            PlanningError: no file holds them, or it is not said which; or nothing cuts them so.
        """
        self._realised(at)
        if isinstance(e, Polygons):
            file = self._zones(e)
            called, keys = called_in(e, file.known)
            return Objects(file, e.names, keys, called, has_points(file.known))
        if isinstance(e, Outline):
            around = self.of(e.x, (*at, e.op, "x"))
            lines = self._nodes.add("outlines_of_features", e.op, around.names, **around.given)
            return Objects(lines, (), around.keys, around.by, False)
        if not isinstance(e, Within):
            raise refuse(e, e.op, "name features of a file")
        x, place, where = self.of(e.x, (*at, e.op, "x")), (*at, e.op, "where"), e.where
        beyond = {"outside": True} if isinstance(where, Not) and is_features(where.x) else {}
        if isinstance(where, Not) and beyond:
            self._realised(place)
            where, place = where.x, (*place, where.op, "x")
        if is_features(where):
            ground = self.of(where, place)
            told: dict[str, Any] = {"zones": ground.bound} | beyond
            told |= {"zones_names": list(ground.names)} if ground.names else {}
            made = self._nodes.add("features_within", "within", x.names, **x.given, **told)
        else:
            made = self._nodes.add("features_where", "within", x.names, **x.given, mask=self._mask(where, place))
        return Objects(made, (), x.keys, x.by, x.points)

    def numbers(self, e: Over | Attribute | Distance, at: Position, own: Type) -> Made:
        """A number of each: how large or long it is, an attribute, or how far it is to others.

        Raises:
            NotCompiledError: features of such a shape have none.
        """
        assert e.x is not None
        x = self.of(e.x, (*at, e.op, "x"))
        if isinstance(e, Over):
            _require_size(e, x.bound.known)
        what = e.statistic if isinstance(e, Over) else e.op
        given: dict[str, Any] = {"what": what, "keys": list(x.keys), "unit": own.measure.unit}
        given |= {"by": x.by} if x.by else {}
        if isinstance(e, Attribute):
            given["attribute"] = e.name
        if isinstance(e, Distance):
            to = self.of(e.to, (*at, e.op, "to"))
            given |= {"to": to.bound} | ({"to_names": list(to.names)} if to.names else {})
        values = self._nodes.add("feature_numbers", e.op, x.names, **x.given, **given)

        def take(place: int, key: str) -> Bound:
            return self._nodes.add("number_of_list", e.op, (key,), values=values, place=place)

        return Made(own, OfList(x.keys, take), listed=values)

    def per(self, e: Over, split: Split, at: Position, own: Type) -> Made:
        """How many there are in each of others, or how large or long all of them together are there.

        Raises:
            NotCompiledError: the others have no names, or they are lines or polygons that are to be counted.
        """
        below = (*at, e.op, "x")
        self._realised(below)
        assert isinstance(split.key, Expression)
        x, zones = self.of(split.x, (*below, split.op, "x")), self.of(split.key, (*below, split.op, "key"))
        counted = e.axes == "objects"
        if not zones.by or len(zones.keys) > _MOST_ZONES or (counted and not x.points):
            what = f"{len(zones.keys)} others" if zones.by else "others without names"
            raise refuse(e, "lines or polygons that may lie there in part" if counted and not x.points else what)
        items: dict[Keys, Item] = {}
        for key in zones.keys:
            told: dict[str, Any] = {"zones": zones.bound, "zones_names": [key]}
            there = self._nodes.add("features_within", "split", (key,), **x.given, **told)
            if counted:
                items[key,] = Item(self._nodes.add("feature_count", "count", (key,), features=there))
                continue
            unit = own.measure.unit
            given: dict[str, Any] = {"what": e.statistic, "keys": list(x.keys), "unit": unit}
            values = self._nodes.add("feature_numbers", "over", (key,), features=there, by=x.by, **given)
            added: dict[str, Any] = {"statistic": "sum", "unit": unit, "result_unit": unit}
            items[key,] = Item(self._nodes.add("list_statistic", "over", (key,), values=values, **added))
        return Made(own, items)

    def count(self, e: Over, at: Position, own: Type) -> Made:
        """How many there are.

        Raises:
            NotCompiledError: lines or polygons are cut, of which some may lie there in part.
        """
        x = self.of(e.x, (*at, e.op, "x"))
        if not isinstance(e.x, Polygons) and not x.points:
            raise refuse(
                e, "lines or polygons that may lie there in part", "ask how many touch it, or how much lies there"
            )
        return Made(own, {(): Item(self._nodes.add("feature_count", "count", x.names, **x.given))})

    def far(self, e: Distance, at: Position, own: Type, like: Bound) -> Made:
        """How far it is from each pixel of a raster."""
        to = self.of(e.to, (*at, e.op, "to"))
        made = self._nodes.add("distance_to_features", e.op, to.names, like=like, **to.given)
        return Made(own, {(): Item(made)})


def _require_size(e: Over, features: Any) -> None:
    """Refuse lengths of polygons and points, and areas of lines and points."""
    kind = str(features.fact("geometry") or "").removeprefix("Multi") if isinstance(features, Artifact) else ""
    if e.statistic == "length" and kind in ("Polygon", "Point"):
        hint = (
            "ask how long their outline is, or how large they are"
            if kind == "Polygon"
            else "ask how far apart they are"
        )
        raise refuse(e, f"the length of {kind.lower()}s", hint)
    if e.statistic == "area" and kind in ("LineString", "Point"):
        hint = "ask how long they are" if kind == "LineString" else "ask how many there are"
        raise refuse(e, f"the area of {'lines' if kind == 'LineString' else 'points'}", hint)


def called_in(e: Polygons, vector: Artifact) -> tuple[str, tuple[str, ...]]:
    """The attribute that tells the features of a file apart, or by which they are taken together, and what those that
    are meant are called. Without one they are called by their names, as far as these differ, and by their number.

    Raises:
        PlanningError: there is no such attribute or name, or there are too many to keep apart.
    """
    fields = columns_of(vector, most=None)
    rows = range(int(vector.fact("features") or len(next(iter(fields.values()), []))))
    texts = {name: ["" if one is None else str(one).strip() for one in column] for name, column in fields.items()}
    meant = [row for row in rows if not e.names or any(column[row] in e.names for column in texts.values())]
    absent = [name for name in e.names if not any(name in column for column in texts.values())]
    if absent or (e.by is not None and e.by not in fields):
        expected = f"an attribute of {vector.name}" if e.by is not None else f"names in {vector.name}"
        found = ", ".join(absent) or str(e.by)
        raise PlanningError("there are no such features", where=e.op, expected=expected, found=found)
    if e.by is not None:
        called, keys = e.by, distinct([fields[e.by][row] for row in meant])
    else:
        called = row_field(fields) or ""
        names = [texts[called][row] for row in meant] if called else [""] * len(meant)
        keys = distinct(names)
        if len(keys) < len(meant):  # each counts for itself, whatever it is called
            called, keys = "", tuple(f"{name} ({n})".lstrip() for n, name in enumerate(names, start=1))
    if len(keys) > _MOST:
        raise refuse(e, f"{len(keys)} features, each with a number of its own", "name some of them")
    return called, keys
