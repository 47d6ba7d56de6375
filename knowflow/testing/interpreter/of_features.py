"""The features of a scene as the objects of an expression: which there are, what of them lies where, their numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knowflow.question.operators import (
    Attribute,
    Distance,
    Expression,
    Holds,
    Not,
    Outline,
    Over,
    Polygons,
    Position,
    Split,
    Within,
)
from knowflow.testing.interpreter import features
from knowflow.testing.interpreter.features import Feature
from knowflow.testing.interpreter.in_time import Operands
from knowflow.testing.interpreter.leaves import ground_of
from knowflow.testing.interpreter.values import Keys, Leaf, OutsideError, Value


class OfFeatures(Operands):
    """What is asked of features themselves."""

    def features(self, e: Expression, at: Position) -> list[Feature]:
        """The features that an expression means; those of which nothing is left have no parts."""
        if isinstance(e, Polygons):
            return self._of_layer(e)
        if isinstance(e, Outline):
            return [features.outline(one) for one in self.features(e.x, (*at, e.op, "x"))]
        if not isinstance(e, Within):
            raise OutsideError(e.op)
        found, place = self.features(e.x, (*at, e.op, "x")), (*at, e.op, "where")
        if isinstance(e.where, Holds):
            chosen = {key[0] for key in self(e.where, place).items}
            return [one for one in found if one.name in chosen]
        if isinstance(e.where, Not) and isinstance(e.where.x, Polygons):
            if any(one.kind != "point" for one in found):
                raise OutsideError("what lies outside")
            zones = self.features(e.where.x, (*place, e.where.op, "x"))
            return [_nowhere(one) if features.inside(one, zones).parts else one for one in found]
        if self.types[place].of == "object":
            zones = self.features(e.where, place)
            return [features.inside(one, zones) for one in found]
        mask = self(e.where, place)
        if mask.names or self.scene.places is None or any(one.kind != "point" for one in found):
            raise OutsideError("features on such ground")
        (leaf,) = mask.items.values()
        return [one if self._lies_on(one, leaf) else _nowhere(one) for one in found]

    def _of_layer(self, e: Polygons) -> list[Feature]:
        layers = self.scene.features
        name = e.layer if e.layer is not None else next(iter(layers)) if len(layers) == 1 else ""
        if name not in layers or e.by is not None:
            raise OutsideError(name or "features of one of several files")
        every: tuple[Feature, ...] = layers[name]
        missing = [called for called in e.names if not any(called in (one.name, *one.words.values()) for one in every)]
        if missing:
            raise OutsideError(missing[0])
        return [
            one for one in every if not e.names or any(called in (one.name, *one.words.values()) for called in e.names)
        ]

    def _lies_on(self, one: Feature, leaf: Leaf) -> bool:
        """Whether it is true in the pixel of a point: the one whose middle is nearest."""
        if not one.parts or self.scene.places is None:
            return False
        away = np.hypot(*np.moveaxis(self.scene.places - one.parts[0][0], -1, 0))
        pixel = np.unravel_index(away.argmin(), away.shape)
        return bool(leaf.data[pixel] == 1 and ground_of(leaf)[pixel] > 0)

    def _of_features(self, e: Over, at: Position) -> Value:
        if isinstance(e.x, Split) and isinstance(e.x.key, Expression):
            return self._of_each(e, e.x, (*at, e.op, "x", e.x.op))
        found = self.features(e.x, (*at, e.op, "x"))
        if e.axes == "objects":
            return Value((), {(): Leaf(np.array(float(sum(bool(one.parts) for one in found))))})
        measure = features.area if e.statistic == "area" else features.length
        kind = "polygon" if e.statistic == "area" else "line"
        if any(one.kind != kind for one in found):
            raise OutsideError(f"{e.statistic} of {found[0].kind}s")
        return _by_name({one.name: measure(one) for one in found})

    def _of_each(self, e: Over, split: Split, at: Position) -> Value:
        """Of what lies in each of others how much there is."""
        assert isinstance(split.key, Expression)
        if isinstance(split.key, Polygons) and split.key.by is not None:
            return self._of_sorts(e, split.key, self.features(split.x, (*at, "x")))
        found, zones = self.features(split.x, (*at, "x")), self.features(split.key, (*at, "key"))
        if e.axes == "objects" and any(one.kind != "point" for one in found):
            raise OutsideError("a count of what lies there in part")
        measure = features.area if e.statistic == "area" else features.length
        numbers = {}
        for zone in zones:
            there = [features.inside(one, [zone]) for one in found]
            numbers[zone.name] = float(sum(bool(one.parts) if e.axes == "objects" else measure(one) for one in there))
        return _by_name(numbers)

    def _of_sorts(self, e: Over, key: Polygons, found: list[Feature]) -> Value:
        """Of those of each value of an attribute how much there is."""
        measure = features.area if e.statistic == "area" else features.length
        kind = "polygon" if e.statistic == "area" else "line"
        if e.axes != "objects" and any(one.kind != kind for one in found):
            raise OutsideError(f"{e.statistic} of {found[0].kind}s")
        if any(key.by not in one.words for one in found):
            raise OutsideError(str(key.by))
        numbers = {one.words[str(key.by)]: 0.0 for one in found}
        for one in found:
            numbers[one.words[str(key.by)]] += bool(one.parts) if e.axes == "objects" else measure(one)
        return _by_name(numbers)

    def sorts(self, e: Split, at: Position) -> Value:
        """Numbers of features, by the value of an attribute of theirs."""
        assert isinstance(e.key, Polygons)
        every = self._of_layer(replace(e.key, by=None))
        if any(e.key.by not in one.words for one in every):
            raise OutsideError(str(e.key.by))
        sort = {one.name: one.words[str(e.key.by)] for one in every}
        x = self(e.x, (*at, e.op, "x"))
        items: dict[Keys, Leaf] = {(sort[key[0]], *key): leaf for key, leaf in x.items.items()}
        return Value(("classes", "objects"), items)

    def _attribute(self, e: Attribute, at: Position) -> Value:
        found = self.features(e.x, (*at, e.op, "x"))
        if any(e.name not in one.numbers for one in found):
            raise OutsideError(e.name)
        return _by_name({one.name: one.numbers[e.name] if one.parts else float("nan") for one in found})

    def _distance(self, e: Distance, at: Position) -> Value:
        others = self.features(e.to, (*at, e.op, "to"))
        if e.x is not None:
            found = self.features(e.x, (*at, e.op, "x"))
            return _by_name({one.name: features.distance(one, others) for one in found})
        if self.scene.places is None:
            raise OutsideError("pixels without places")
        flat = self.scene.places.reshape(-1, 2)
        away = [features.distance(Feature("", "point", (one[None],)), others) for one in flat]
        ground = np.ones_like(self.scene.area)
        return Value((), {(): Leaf(np.array(away).reshape(ground.shape), ground)})


def _nowhere(one: Feature) -> Feature:
    return Feature(one.name, one.kind, (), one.numbers, one.words)


def _by_name(numbers: dict[str, float]) -> Value:
    items: dict[Keys, Leaf] = {(name,): Leaf(np.array(number)) for name, number in numbers.items()}
    return Value(("objects",), items)
