"""What ground does to an expression: parts of it, one value for each polygon or class, distances."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.question.operators import (
    Distance,
    Expression,
    Not,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.types import Type
from knowflow.question.typing_of_features import is_features, is_sort_of, measured_of
from knowflow.reason.builder import Bound
from knowflow.reason.compiling import zones
from knowflow.reason.compiling.called_features import called_in
from knowflow.reason.compiling.data import NO_CLOUD, Data
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, meet, refuse
from knowflow.reason.compiling.objects import Features


class OnGround:
    """The operators that take ground; what lies below them is carried out by :meth:`made`."""

    def __init__(self, types: Mapping[Position, Type], nodes: Nodes, data: Data) -> None:
        self._types = types
        self._nodes = nodes
        self._data = data
        self._ground = zones.Ground(nodes)
        self._features = Features(nodes, data.zones, self._one_mask, self._below, self._realised_at)
        self._asked: Expression | None = None
        self._realised: set[Position] = set()

    def made(self, e: Expression, at: Position, period: Period | None = None) -> Made:
        """An expression carried out."""
        raise NotImplementedError

    def _below(self, e: Expression, at: Position, name: str) -> Made:
        found = self.made(getattr(e, name), (*at, e.op, name))
        if found.table:
            raise refuse(e, "one number for each polygon or class, in a table")
        return found

    def _by_ground(self, e: Split, at: Position) -> Made:
        """One value for each polygon, or for each class of a map."""
        if is_sort_of(e.key, measured_of(e.x)):
            raise refuse(e, "numbers of features by what they are", "say what of these: their mean, sum or number")
        x = self._below(e, at, "x")
        place = (*at, e.op, "key")
        own = self._types[at]
        if isinstance(e.key, Polygons):
            self._realised.add(place)
            found = self._data.ground(e.key)
            items: dict[Keys, Item] = {}
            for name in _names_of(e, e.key, found.known):
                for key, item in x.items.items():
                    items[(name, *key)] = zones.on(self._ground.polygons(item.bound, found, (name,)), item)
            return x.of(own, items)
        if isinstance(e.key, Point):
            raise refuse(e, "a point, of which there is one", "say where: within a point")
        return zones.split_by_classes(e, x, self._below(e, at, "key"), own, self._nodes)

    def _realised_at(self, at: Position) -> None:
        self._realised.add(at)

    def _one_mask(self, e: Expression, at: Position) -> Bound:
        """Ground as one mask.

        Raises:
            NotCompiledError: it is of several dates.
        """
        mask = self.made(e, at)
        if mask.table or mask.type.keys or len(mask.items) != 1:
            raise refuse(e, "ground of several dates, of features", "say of which date")
        return self._nodes.on_ground(mask.items[()], e.op, ()).bound

    def _distance(self, e: Distance, at: Position) -> Made:
        own = self._types[at]
        if e.x is not None:
            return self._features.numbers(e, at, own)
        asked = self._asked or e
        for place, part in walk(asked):
            if isinstance(part, Quantity):
                like = next(iter(self.made(part, place).items.values()))
                return self._features.far(e, at, own, like.bound)
        raise refuse(e, "pixels of no raster", "ask for a quantity there")

    def _within(self, e: Within, at: Position) -> Made:
        x, own = self._below(e, at, "x"), self._types[at]
        place = (*at, e.op, "where")
        beyond = isinstance(e.where, Not)
        polygons = e.where.x if isinstance(e.where, Not) else e.where
        if isinstance(polygons, Polygons):
            self._realised |= {(*place, *below) for below, _ in walk(e.where)}
            given = self._data.ground(polygons), polygons.names, beyond
            covered = {key: zones.on(self._ground.polygons(one.bound, *given), one) for key, one in x.items.items()}
            return x.of(own, covered)
        if is_features(e.where):
            part = self._features.of(e.where, place)
            parts = {key: self._ground.polygons(one.bound, part.bound, part.names) for key, one in x.items.items()}
            return x.of(own, {key: zones.on(parts[key], one) for key, one in x.items.items()})
        if isinstance(e.where, Point):
            self._realised.add(place)
            point = e.where
            return x.of(own, {key: zones.on(self._ground.point(one.bound, point), one) for key, one in x.items.items()})
        if e.where == NO_CLOUD and self._is_cleared(e.x):
            self._realised |= {(*place, *below) for below, _ in walk(e.where)}
            return x.of(own, x.items)
        mask = self._below(e, at, "where")
        if mask.type.chosen:
            found = self._data.ground(next(one for _, one in walk(e.where) if isinstance(one, Polygons)))
            made = {
                key: zones.on(self._ground.chosen(one.bound, found, mask, key), one) for key, one in x.items.items()
            }
            return x.of(own, made)
        met = {key: zones.within_mask(item, part, key, self._nodes) for key, item, part in meet(e, x, mask)}
        return x.of(own, met)

    def _is_cleared(self, x: Expression) -> bool:
        """Whether clouds are taken off all that something is made of, image by image."""
        kinds = [part for _, part in walk(x) if isinstance(part, Quantity)]
        return bool(kinds) and all(map(self._data.is_cleared, kinds))

    def _over_zones(self, e: Over, split: Split, at: Position) -> Made | None:
        """A statistic by polygon or class as one table; None where the values are to be kept apart."""
        position = (*at, e.op, "x")
        if isinstance(split.key, Point) or (isinstance(split.key, Polygons) and (split.key.names or split.key.by)):
            return None
        x = self._below(split, position, "x")
        if isinstance(split.key, Polygons):
            found: Bound | None = self._data.ground(split.key)
        else:
            classes = self._below(split, position, "key").items.get(())
            found = None if classes is None or classes.covers else classes.bound
        table = None if found is None else zones.by_zone(e, split, x, found, self._types[at], self._nodes)
        if table is not None:
            self._realised |= {position, (*position, split.op, "key")}
        return table


def _names_of(e: Split, key: Polygons, file: Artifact) -> tuple[str, ...]:
    """What each of the features is called by which is split; names that are values of an attribute are those of each.

    Raises:
        NotCompiledError: some of them have the same name.
    """
    if not key.names or key.by is not None:
        return key.names or zones.names_of(e, file, key.by)
    called, names = called_in(key, file)
    if not called:
        raise refuse(e, "features of one name, of which each has values of its own", "name them apart in the file")
    return names
