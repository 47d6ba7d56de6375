"""Features of vector files as the objects of an expression: which there are, cut to ground, and a number of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from datetime import date
from typing import Any

from knowflow.ground.columns import day_column, numbers_in, on_side, row_field
from knowflow.ground.errors import PlanningError
from knowflow.ground.row_times import row_times, times_by
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Distance,
    During,
    Expression,
    Extreme,
    Holds,
    Not,
    Number,
    Outline,
    Over,
    Polygons,
    Position,
    Split,
    Within,
    walk,
)
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.question.typing_of_features import are_rows, is_chosen, is_features, is_sort_of, layer_of
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.called_features import MOST, Objects, called_in, meant_by_name, texts_of
from knowflow.reason.compiling.chosen_features import of_chosen, that_hold, with_most
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, OfList, refuse
from knowflow.reason.compiling.which_rows import linked_by, rows_of_names, rows_then
from knowflow.reason.polygon_files import columns_of
from knowflow.reason.vector_shapes import has_points

_MOST_ZONES = 60
_MOST_LETTERS = 80  # of a value, as keys have it


class Features:
    """Finds the features that an expression means; ``zones`` finds the file, ``mask`` makes a mask of ground, and
    ``each`` what lies below an expression."""

    def __init__(
        self,
        nodes: Nodes,
        zones: Callable[[Polygons], Bound],
        mask: Callable[[Expression, Position], Bound],
        each: Callable[[Expression, Position, str], Made],
        realised: Callable[[Position], None],
    ) -> None:
        self.nodes = self._nodes = nodes
        self._zones = zones
        self._mask = mask
        self.each = each
        self._realised = realised

    def realise(self, *places: Position) -> None:
        """What stands there is carried out."""
        for place in places:
            self._realised(place)

    def columns(self, every: Polygons) -> Mapping[str, list[Any]]:
        """All attributes of a file."""
        return columns_of(self._zones(every).known, most=None)

    def of(self, e: Expression, at: Position) -> Objects:
        """The features that an expression means, and the ground that they are cut to.

        Raises:
            PlanningError: no file holds them, or it is not said which; or nothing cuts them so.
        """
        self._realised(at)
        if isinstance(e, Polygons):
            file = self._zones(e)
            if are_rows(e) and e.by is None:
                return Objects(file, e.names, (), "", False, rows_of_names(e, file.known))
            called, keys = called_in(e, file.known)
            rows = tuple(meant_by_name(e, file.known, texts_of(file.known))) if e.by is None else ()
            return Objects(file, e.names, keys, called, has_points(file.known), rows)
        if isinstance(e, Outline):
            around = self.of(e.x, (*at, e.op, "x"))
            lines = self._nodes.add("outlines_of_features", e.op, around.names, **around.given)
            return replace(around, bound=lines, names=(), points=False)
        if isinstance(e, During) and isinstance(e.when, Times):
            return self._then(e.x, e.when, at)
        if isinstance(e, During) and isinstance(e.when, Extreme):
            return with_most(e.when, self.of(e.x, (*at, e.op, "x")), self, (*at, e.op, "when"))
        if not isinstance(e, Within):
            raise refuse(e, e.op, "name features of a file")
        x, place, where = self.of(e.x, (*at, e.op, "x")), (*at, e.op, "where"), e.where
        if isinstance(where, Holds):
            return self._those(e, x, place)
        if isinstance(where, Extreme):
            return with_most(where, x, self, place)
        if isinstance(where, Polygons) and where.names and where.by is None and where.layer == layer_of(e.x):
            return self._of_both(x, where, place)
        if is_chosen(where) and (are_rows(e.x) or are_rows(where)):
            return of_chosen(e, x, self.of(where, place), self)
        if are_rows(e.x):
            return self._of_linked(e, x, place)
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
        return replace(x, bound=made, names=(), at_run=True)

    def _those(self, e: Within, x: Objects, at: Position) -> Objects:
        """Those of which an attribute is on a side of a limit, or of each of which something holds.

        Raises:
            NotCompiledError: rows are chosen by anything else than a number of their own file.
        """
        test = e.where.x if isinstance(e.where, Holds) else None
        of = test.x if isinstance(test, Beyond) else None
        every = Polygons(layer=layer_of(e))
        own = isinstance(of, Attribute) and of.x == every
        if not (isinstance(test, Beyond) and isinstance(of, Attribute) and own and isinstance(test.limit, Number)):
            if are_rows(e) or not isinstance(e.where, Holds):
                raise refuse(e, "rows that are chosen by more than a number of their own", "name them")
            return that_hold(e.where, x, self, at)
        column = columns_of(self._zones(every).known, most=None).get(of.name)
        try:
            numbers = numbers_in(column or ())
        except (TypeError, ValueError):
            column = None
        if column is None:
            raise refuse(e, f"{of.name}, which is no attribute of numbers", "name one that is")
        told: dict[str, Any] = {"attribute": of.name, "side": test.side, "limit": _in_unit(test.limit, of.unit)}
        if isinstance(test.upper, Number):
            told["upper"] = _in_unit(test.upper, of.unit)
        for place, _ in walk(e.where):
            self._realised((*at, *place))
        chosen = on_side(numbers, told["side"], told["limit"], told.get("upper"))
        return self._kept(x, {row for row, one in enumerate(chosen) if one}, "within", x.names, told)

    def _then(self, e: Expression, when: Times, at: Position) -> Objects:
        """Those of a time, by the one attribute that tells the day of each."""
        x = self.of(e, (*at, During.op, "x"))
        columns = columns_of(self._zones(Polygons(layer=layer_of(e))).known, most=None)
        if are_rows(e):
            told = rows_then(e, x.rows, columns, when)
            those, of_rows = {*told["values"]}, times_by(columns, told["grain"]) or ()
            return self._kept(x, {row for row, one in enumerate(of_rows) if one in those}, "during", x.names, told)
        found = day_column(columns)
        if found is None:
            raise refuse(e, "features of which nothing tells the day", "ask for all of them")
        by, days = found
        those = {day for day in days if day and when.holds(date.fromisoformat(day))}
        told = {"attribute": by, "values": sorted(those)}
        return self._kept(x, {row for row, day in enumerate(days) if day in those}, "during", x.names, told)

    def _of_both(self, x: Objects, those: Polygons, at: Position) -> Objects:
        """Those of which an attribute is one of some values too."""
        other = self.of(those, at)
        texts = texts_of(self._zones(those).known)
        column = next((name for name, told in texts.items() if {*those.names} <= {*told}), None)
        if column is None:
            raise refuse(those, "values of several attributes", "name those of one")
        told = {"attribute": column, "values": list(those.names)}
        return self._kept(x, set(other.rows), "within", (*x.names, *those.names), told)

    def _of_linked(self, e: Within, x: Objects, at: Position) -> Objects:
        """Rows of a table that tell of features of another file, by the names of these."""
        columns = self.columns(Polygons(layer=layer_of(e.x)))
        own = e.where if isinstance(e.where, Polygons) and e.where.by is None else None
        told = None if own is None or not own.names else linked_by(columns, own.names, own.names)
        if told is None:
            others = self.of(e.where, at)
            if others.at_run:
                self._realised(at)
                return of_chosen(e, x, others, self)
            told = linked_by(columns, others.keys, ())
        if told is None:
            raise refuse(
                e, f"rows of {layer_of(e.x)}, no column of which names these features", "name some of the rows"
            )
        self._realised(at)
        by, values = told
        rows = {row for row, one in enumerate(columns[by]) if str(one).strip() in values}
        return self._kept(x, rows, "within", (*x.names, *values), {"attribute": by, "values": list(values)})

    def _kept(self, x: Objects, rows: Set[int], op: str, key: Keys, told: Mapping[str, Any]) -> Objects:
        """Those of some rows of the file, which a tool finds by what is told of an attribute."""
        kept = [place for place, row in enumerate(x.rows) if row in rows]
        if not x.keys and not kept:
            raise PlanningError(
                "there are no such rows", expected="rows that are so", found=f"none of {', '.join(key)}"
            )
        keys, left = tuple(x.keys[place] for place in kept if x.keys), tuple(x.rows[place] for place in kept)
        made = self._nodes.add("features_with", op, key, **x.given, **told)
        return replace(x, bound=made, names=(), keys=keys, rows=left)

    def groups(self, x: Objects, key: Polygons, at: Position) -> Mapping[str, Objects]:
        """Features by the value of an attribute of theirs."""
        self._realised(at)
        values = called_in(key, self._zones(key).known)[1]
        if len(values) > _MOST_ZONES:
            raise refuse(key, f"{len(values)} values of {key.by}", "name some of them")
        texts, found = texts_of(self._zones(key).known)[str(key.by)], dict[str, Objects]()
        for value in values:
            rows = {row for row, text in enumerate(texts) if text[:_MOST_LETTERS] == value}
            if rows.intersection(x.rows):
                told = {"attribute": str(key.by), "values": [value]}
                found[value] = self._kept(x, rows, "split", (value,), told)
        return found

    def numbers(self, e: Over | Attribute | Distance, at: Position, own: Type) -> Made:
        """A number of each: how large or long it is, an attribute, or how far it is to others.

        Raises:
            NotCompiledError: features of such a shape have none.
        """
        assert e.x is not None
        return self._numbers_of(e, self.of(e.x, (*at, e.op, "x")), at, own)

    def numbers_by(self, e: Expression, key: Polygons, at: Position, own: Type) -> Mapping[str, Made]:
        """A number of each, by the value of an attribute of theirs."""
        assert isinstance(e, Over | Attribute | Distance)
        assert e.x is not None
        below = (*at, Split.op, "x")
        self._realised(below)
        groups = self.groups(self.of(e.x, (*below, e.op, "x")), key, (*at, Split.op, "key"))
        return {value: self._numbers_of(e, x, below, own) for value, x in groups.items()}

    def _numbers_of(self, e: Over | Attribute | Distance, x: Objects, at: Position, own: Type) -> Made:
        if isinstance(e, Over):
            _require_size(e, x.bound.known)
        if are_rows(e.x):
            x = self._told_apart(x, self.columns(Polygons(layer=layer_of(e.x))))
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

    def _told_apart(self, x: Objects, columns: Mapping[str, list[Any]]) -> Objects:
        """Rows by what tells those that are meant apart: a name, or when each was; else by their number."""
        those = {name: [told[row] for row in x.rows] for name, told in columns.items()}
        if len(x.rows) > MOST:
            raise PlanningError("there are too many rows", expected=f"{MOST} or fewer", found=str(len(x.rows)))
        by = row_field({name: told for name, told in those.items() if isinstance(told[0], str)}) or ""
        times = row_times(those)
        told = those[by] if by else times[1] if times and len({*times[1]}) == len(x.rows) else range(1, len(x.rows) + 1)
        keys = tuple(str(one).strip()[:_MOST_LETTERS] for one in told)
        return replace(x, keys=keys, by=by if len({*keys}) == len(keys) else "")

    def per(self, e: Over, split: Split, at: Position, own: Type) -> Made:
        """How many there are in each of others, or how large or long all of them together are there.

        Raises:
            NotCompiledError: the others have no names, or they are lines or polygons that are to be counted.
        """
        below = (*at, e.op, "x")
        self._realised(below)
        assert isinstance(split.key, Expression)
        counted, x = e.axes == "objects", self.of(split.x, (*below, split.op, "x"))
        if isinstance(split.key, Polygons) and is_sort_of(split.key, split.x):
            return self._per_sort(e, self.groups(x, split.key, (*below, split.op, "key")), own)
        zones = self.of(split.key, (*below, split.op, "key"))
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

    def _per_sort(self, e: Over, groups: Mapping[str, Objects], own: Type) -> Made:
        """How many there are of each sort, or how large or long all of them together are."""
        items: dict[Keys, Item] = {}
        for key, x in groups.items():
            if e.axes == "objects":
                items[key,] = Item(self._nodes.add("feature_count", "count", (key,), **x.given))
                continue
            _require_size(e, x.bound.known)
            unit = own.measure.unit
            given: dict[str, Any] = {"what": e.statistic, "keys": list(x.keys), "unit": unit}
            given |= {"by": x.by} if x.by else {}
            values = self._nodes.add("feature_numbers", "over", (key,), **x.given, **given)
            added: dict[str, Any] = {"statistic": "sum", "unit": unit, "result_unit": unit}
            items[key,] = Item(self._nodes.add("list_statistic", "over", (key,), values=values, **added))
        return Made(own, items)

    def count(self, e: Over, at: Position, own: Type) -> Made:
        """How many there are.

        Raises:
            NotCompiledError: lines or polygons are cut, of which some may lie there in part.
        """
        x = self.of(e.x, (*at, e.op, "x"))
        if not _are_whole(e.x) and not x.points:
            raise refuse(
                e, "lines or polygons that may lie there in part", "ask how many touch it, or how much lies there"
            )
        return Made(own, {(): Item(self._nodes.add("feature_count", "count", x.names, **x.given))})

    def far(self, e: Distance, at: Position, own: Type, like: Bound) -> Made:
        """How far it is from each pixel of a raster."""
        to = self.of(e.to, (*at, e.op, "to"))
        made = self._nodes.add("distance_to_features", e.op, to.names, like=like, **to.given)
        return Made(own, {(): Item(made)})


def _are_whole(e: Expression) -> bool:
    """Whether features are chosen and not cut: by numbers, or by values of theirs."""
    if isinstance(e, Within):
        own = isinstance(e.where, Polygons) and e.where.layer == layer_of(e.x)
        return _are_whole(e.x) and (own or isinstance(e.where, Holds))
    if isinstance(e, During):
        return _are_whole(e.x)
    return isinstance(e, Polygons)


def _in_unit(limit: Number, unit: str) -> float:
    return float(convert(limit.value, limit.unit, unit))


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
