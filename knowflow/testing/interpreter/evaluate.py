"""The value of an expression on a scene: one short function per operator, as the page on their meaning has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from knowflow.ground.units import convert
from knowflow.question.check import check
from knowflow.question.measures import are_areas
from knowflow.question.operators import (
    Along,
    And,
    Anomaly,
    Apply,
    Attribute,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    Distance,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Show,
    Split,
    Trend,
    Weighted,
    Within,
)
from knowflow.question.times import Times
from knowflow.question.types import Measure, Type, blank_is_none
from knowflow.question.typing_of_features import is_sort_of, measured_of
from knowflow.testing.interpreter import statistics
from knowflow.testing.interpreter.arithmetic import (
    ARITHMETIC,
    SIDES,
    factor_of,
    in_unit,
    in_unit_of_differences,
    logarithm,
)
from knowflow.testing.interpreter.calendar import key_of, steps
from knowflow.testing.interpreter.in_time import InTime
from knowflow.testing.interpreter.leaves import (
    all_of,
    any_of,
    by_period,
    constant,
    equal_to,
    ground_of,
    none_where_blank,
    of_keys,
    restricted,
    told,
    where_ground,
)
from knowflow.testing.interpreter.of_features import OfFeatures
from knowflow.testing.interpreter.values import (
    Array,
    Key,
    Keys,
    Leaf,
    OutsideError,
    Scene,
    Value,
    combined,
    meet,
    with_none_of,
)


def evaluate(expression: Expression, scene: Scene) -> Value:
    """The value of an expression that fits, in the unit of its type.

    Raises:
        OutsideError: it needs what a scene does not say, or a tool by itself.
        ValueError: the expression does not fit.
    """
    checked = check(expression)
    if checked.type is None:
        raise ValueError("; ".join(map(str, checked.misfits)))
    return _Evaluation(scene, checked.types)(expression, ())


class _Evaluation(OfFeatures, InTime):
    def __init__(self, scene: Scene, types: Mapping[Position, Type]) -> None:
        super().__init__(scene, types)
        self._rules: Mapping[type[Expression], Callable[[Any, Position], Value]] = {
            Quantity: self._quantity,
            Number: lambda e, at: constant(e.value),
            During: self._during,
            Within: self._within,
            Beyond: self._beyond,
            IsClass: self._is_class,
            And: lambda e, at: meet(self._parts(e, at), all_of),
            Or: lambda e, at: meet(self._parts(e, at), any_of),
            Not: lambda e, at: self._below(e, at, "x").mapped(lambda leaf: replace(leaf, data=1 - leaf.data)),
            Split: self._split,
            Over: self._over,
            Weighted: self._weighted,
            Attribute: self._attribute,
            Distance: self._distance,
            Along: self._along,
            Calculate: self._calculate,
            Extreme: self._extreme,
            Holds: self._holds,
            Trend: self._trend,
            Correlate: self._correlate,
            Anomaly: self._anomaly,
            Classify: self._classify,
            Apply: self._apply,
            Show: lambda e, at: self._below(e, at, "x"),
        }

    def __call__(self, e: Expression, at: Position) -> Value:
        rule = self._rules.get(type(e))
        if rule is None:
            raise OutsideError(e.op)
        return rule(e, at)

    def _apply(self, e: Apply, at: Position) -> Value:
        """Of what answers by itself the numbered patches of a mask alone."""
        if e.tool != "connected_components" or len(e.parts) != 1 or not self.types[*at, e.op, "parts", 0].space:
            raise OutsideError(e.tool)
        x = self(e.parts[0], (*at, e.op, "parts", 0))
        return x.mapped(lambda leaf: replace(leaf, data=statistics.numbered(where_ground(leaf))))

    def _parts(self, e: And | Or, at: Position) -> list[Value]:
        return [self(part, (*at, e.op, "parts", place)) for place, part in enumerate(e.parts)]

    # --- what there is ---------------------------------------------------------------------------------------------

    def _quantity(self, e: Quantity, at: Position) -> Value:
        layer = self.scene.layers.get(e.kind)
        names = self.types[at].keys
        if layer is None or e.method is not None or e.having or bool(layer.dates) != bool(names):
            raise OutsideError(e.kind)
        ground = np.ones_like(self.scene.area)
        known: Callable[[Array], Array] = none_where_blank if blank_is_none(e.kind, at) else np.asarray
        if not layer.dates:
            return Value((), {(): Leaf(known(layer.values), ground)}, layer.legend)
        pairs = zip(layer.dates, map(known, layer.values), strict=True)
        return Value(names, {(day,): Leaf(values, ground) for day, values in pairs}, layer.legend)

    def _during(self, e: During, at: Position) -> Value:
        x = self._below(e, at, "x")
        if isinstance(e.when, Times):
            if "date" not in x.names:
                return x
            when, place = e.when, x.place("date")
            return x.of({key: leaf for key, leaf in x.items.items() if when.holds(key[place], self.scene.south)})
        chosen = self._below(e, at, "when")
        if chosen.names:
            grain, keys = chosen.names[0], {key[0] for key in chosen.items}
        else:
            grain, keys = "date", {next(iter(chosen.items.values())).number}  # what is unknown is no day
        name = "date" if "date" in x.names else grain
        place = x.place(name)

        def of(key: Key) -> Key:
            own = key_of(key, grain) if name == "date" else key
            return own.toordinal() if not chosen.names else own

        return x.of({key: leaf for key, leaf in x.items.items() if of(key[place]) in keys})

    def _within(self, e: Within, at: Position) -> Value:
        x, where = self._below(e, at, "x"), e.where
        if isinstance(where, Polygons):
            return self._on(x, self._covered(self._names(where)))
        if isinstance(where, Not) and isinstance(where.x, Polygons):
            return self._on(x, 1 - self._covered(self._names(where.x)))
        if isinstance(where, Point):
            away = (self.scene.longitude - where.longitude) ** 2 + (self.scene.latitude - where.latitude) ** 2
            nearest = np.zeros_like(away)
            nearest[np.unravel_index(away.argmin(), away.shape)] = 1.0
            return self._on(x, nearest)
        found = self._below(e, at, "where")
        if found.names == ("objects",):
            return self._on(x, self._covered(tuple(key[0] for key in found.items)))
        return replace(meet((x, found), restricted), labels=x.labels)

    def _on(self, x: Value, part: Array) -> Value:
        return x.mapped(lambda leaf: replace(leaf, ground=ground_of(leaf) * part))

    def _names(self, e: Polygons) -> tuple[str, ...]:
        return e.names if e.layer is None else tuple(one.name for one in self._of_layer(e))

    def _covered(self, names: tuple[str, ...]) -> Array:
        missing = [name for name in names if name not in self.scene.polygons]
        if missing:
            raise OutsideError(missing[0])
        parts = [self.scene.polygons[name] for name in names or self.scene.polygons]
        return np.asarray(np.minimum(np.add.reduce([np.zeros_like(self.scene.area), *parts]), 1.0))

    # --- pixel by pixel, key by key --------------------------------------------------------------------------------

    def _beyond(self, e: Beyond, at: Position) -> Value:
        mine = self._measure(e, at, "x")
        names = ["x", "limit", *(["upper"] if e.upper is not None else [])]
        values = [in_unit(self._below(e, at, name), self._measure(e, at, name), mine) for name in names]

        def compared(leaves: list[Leaf]) -> Leaf:
            x, limit = leaves[0].data, leaves[1].data
            if e.side == "between" and mine.nature == "angle":
                turn = float(convert(360.0, "degree", mine.unit))
                held = (x - limit) % turn <= (leaves[2].data - limit) % turn
            elif e.side == "between":
                held = (x >= limit) & (x <= leaves[2].data)
            else:
                held = SIDES[e.side](x, limit)
            unknown = np.isnan(sum(leaf.data for leaf in leaves))
            return combined(leaves, np.where(unknown, np.nan, held))

        return meet(values, compared)

    def _is_class(self, e: IsClass, at: Position) -> Value:
        x = self._below(e, at, "x")
        wanted = [number for number, name in x.labels.items() if name in e.names]
        return x.mapped(
            lambda leaf: replace(leaf, data=np.where(np.isnan(leaf.data), np.nan, np.isin(leaf.data, wanted)))
        )

    def _calculate(self, e: Calculate, at: Position) -> Value:
        a, one = self._below(e, at, "a"), self._measure(e, at, "a")
        if e.b is None:
            change = np.abs if e.how == "absolute" else logarithm
            factor = float(convert(1.0, one.unit, "1")) if e.how == "logarithm" else 1.0
            return a.mapped(lambda leaf: replace(leaf, data=change(leaf.data * factor)))
        b, other = self._below(e, at, "b"), self._measure(e, at, "b")
        same = e.how not in ("product", "ratio", "power")
        if same:
            b = in_unit(b, other, one)
        factor = 1.0 if same else factor_of(e.how, one.unit, other.unit, self.types[at].measure.unit, e.b)

        def calculated(leaves: list[Leaf]) -> Leaf:
            with np.errstate(all="ignore"):
                made = factor * np.asarray(ARITHMETIC[e.how](leaves[0].data, leaves[1].data), dtype=np.float64)
            if "angle" in (one.nature, other.nature):
                half = float(convert(180.0, "degree", one.unit))
                made = (made + half) % (2 * half) - half
            return combined(leaves, np.where(np.isfinite(made), made, np.nan))

        if are_areas(e):
            a, b = with_none_of(a, b), with_none_of(b, a)
        return in_unit_of_differences(meet((a, b), calculated), e, one, self.types[at].measure)

    def _classify(self, e: Classify, at: Position) -> Value:
        x, mine = self._below(e, at, "x"), self._measure(e, at, "x")
        if e.width is not None:
            return self._of_width(x, e.width, mine, e.unit)
        breaks = [float(convert(one, e.unit, mine.unit, difference=mine.change)) for one in e.breaks]
        made = x.mapped(
            lambda leaf: replace(
                leaf, data=np.where(np.isnan(leaf.data), np.nan, np.digitize(leaf.data, breaks).astype(float))
            )
        )
        return replace(made, labels=dict(enumerate(e.labels)))

    @staticmethod
    def _of_width(x: Value, width: float, mine: Measure, unit: str) -> Value:
        def numbered(leaf: Leaf) -> Leaf:
            values = np.asarray(convert(leaf.data, mine.unit, unit, difference=mine.change))
            return replace(leaf, data=np.floor(values / width + 1e-9))

        made = x.mapped(numbered)
        codes = {int(code) for leaf in made.items.values() for code in np.unique(leaf.data[np.isfinite(leaf.data)])}
        said = "" if unit == "1" else f" {unit}"
        return replace(made, labels={one: f"{one * width:.12g} to {(one + 1) * width:.12g}{said}" for one in codes})

    # --- keys ------------------------------------------------------------------------------------------------------

    def _split(self, e: Split, at: Position) -> Value:
        if is_sort_of(e.key, measured_of(e.x)):
            return self.sorts(e, at)
        x = self._below(e, at, "x")
        if isinstance(e.key, str):
            if "date" not in x.names:
                raise OutsideError("maps of several years")
            return x if e.key == "date" else by_period(x, e.key)
        if isinstance(e.key, Polygons):
            if e.key.by is not None:
                raise OutsideError("an attribute of polygons")
            names = self._names(e.key) or tuple(self.scene.polygons)
            items = {
                (name, *key): leaf for name in names for key, leaf in self._on(x, self._covered((name,))).items.items()
            }
            return Value(("objects", *x.names), items, x.labels, x.thin)
        if isinstance(e.key, Point):
            raise OutsideError("point")
        classes = self._below(e, at, "key")
        numbers = classes.numbers()
        items = {}
        for number in numbers:
            held = {key: replace(leaf, data=equal_to(leaf.data, number)) for key, leaf in classes.items.items()}
            mask = replace(classes.of(held), labels={})
            name = classes.labels.get(int(number), str(int(number)))
            items |= {(name, *key): leaf for key, leaf in meet((x, mask), restricted).items.items()}
        return Value(("classes", *x.names), items, x.labels, x.thin)

    def _extreme(self, e: Extreme, at: Position) -> Value:
        x = self._below(e, at, "x")
        name = x.names[-1]
        items: dict[Keys, Leaf] = {}
        for rest, group in x.groups(name).items():
            whole = [(k, leaf) for k, leaf in group if (name, k) not in x.thin] or group  # none covered: all alike
            known = [(k, leaf) for k, leaf in whole if not np.isnan(leaf.number)]
            known.sort(key=lambda item: item[1].number, reverse=e.side == "highest")
            items |= {x.key(rest, name, key): leaf for key, leaf in known[: e.n]}
        return x.of(items)

    def _holds(self, e: Holds, at: Position) -> Value:
        x = self._below(e, at, "x")
        return x.of({key: leaf for key, leaf in x.items.items() if leaf.number == 1})

    # --- axes ------------------------------------------------------------------------------------------------------

    def _over(self, e: Over, at: Position) -> Value:
        if self._type(e, at, "x").of == "object":
            if isinstance(e.x, Polygons) and e.x.layer is None and self.scene.polygons:
                names = e.x.names or tuple(self.scene.polygons)
                return self._sizes(names) if e.statistic == "area" else constant(len(names))
            return self._of_features(e, at)
        x, of = self._below(e, at, "x"), self._type(e, at, "x")
        nature = "truth" if of.of == "truth" else of.measure.nature
        if e.axes == "space":
            if e.statistic == "area" and of.of == "class":
                return self._areas(x)
            done = x.mapped(lambda leaf: self._of_ground(e, at, [leaf], nature))
            return done if e.statistic == "majority" else replace(done, labels={})
        name = str(of.grain) if e.axes in ("time", "both") else e.axes
        longest = max(x.groups(name).values(), key=len, default=[])
        usual = steps([key for key, _ in longest], name)[1] if e.statistic in ("longest", "longest_run") else 0.0
        items: dict[Keys, Leaf] = {}
        for rest, group in x.groups(name).items():
            if e.axes == "both":
                items[rest] = self._of_ground(e, at, [leaf for _, leaf in group], nature)
            else:
                items[rest] = of_keys(e, group, nature, name, usual)
        self._fill(items, x, at)
        return Value(x.without(name), items, x.labels if e.statistic == "majority" else {}, x.thin)

    def _of_ground(self, e: Over, at: Position, leaves: list[Leaf], nature: str) -> Leaf:
        """A statistic over space, of one date or of all together."""
        values = np.stack([leaf.data for leaf in leaves])
        parts = np.stack([ground_of(leaf) for leaf in leaves])
        known = np.isfinite(values) & (parts > 0)
        if e.statistic in ("patches", "largest_patch"):
            sizes = statistics.patches(values[0], parts[0], self.scene.area)
            found = float(len(sizes)) if e.statistic == "patches" else max(sizes, default=0.0)
            made = np.array(found if known.any() else np.nan)
        elif e.statistic == "area":
            held = np.where(known, values, 0.0) * parts * self.scene.area
            made = np.array(held.sum() if known.any() else np.nan)
        elif e.statistic == "integral":
            held = np.where(known, values, 0.0) * parts * self.scene.area
            total = convert(held.sum(), f"{self._measure(e, at, 'x').unit} m2", self.types[at].measure.unit)
            made = np.array(total if known.any() else np.nan)
        else:
            once = e.statistic in ("sum", "count")  # what a pixel holds is no more for its being large
            weights = parts if once else parts * self.scene.area
            made = statistics.reduce(e.statistic, values.ravel(), weights.ravel(), e.p, nature, False)
        return told(made, values, parts)

    def _sizes(self, names: tuple[str, ...]) -> Value:
        """The area of each polygon."""
        sizes = {(name,): Leaf(np.array((self._covered((name,)) * self.scene.area).sum())) for name in names}
        return Value(("objects",), sizes)

    def _weighted(self, e: Weighted, at: Position) -> Value:
        """The mean, or the share, by how much of something lies in each pixel that is ground of both."""
        x, of, by = self._below(e, at, "x"), self._type(e, at, "x"), self._measure(e, at, "by")
        nature, statistic = ("truth", "share") if of.of == "truth" else (of.measure.nature, "mean")

        def mean(leaves: list[Leaf]) -> Leaf:
            lies = np.where(np.isfinite(leaves[1].data), np.maximum(leaves[1].data, 0.0), 0.0)
            part = np.minimum(ground_of(leaves[0]), ground_of(leaves[1]))
            weights = part * lies * (1.0 if "space" in by.adds else self.scene.area)
            found = statistics.reduce(statistic, leaves[0].data.ravel(), weights.ravel(), None, nature, False)
            return Leaf(np.array(found))

        return replace(meet((x, self._below(e, at, "by")), mean), labels={})

    def _areas(self, x: Value) -> Value:
        """The area of every class that occurs."""
        numbers = x.numbers()
        items = {
            (x.labels.get(int(number), str(int(number))), *key): Leaf(
                np.array((ground_of(leaf) * self.scene.area * (leaf.data == number)).sum())
            )
            for number in numbers
            for key, leaf in x.items.items()
        }
        return Value(("classes", *x.names), items, {}, x.thin)
