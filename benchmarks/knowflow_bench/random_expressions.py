"""Random expressions, from the operators' own declarations: whatever fits may come, compiled by anything or not.

A tree grows from a quantity upwards. At each step the operators that have been met least are tried first; the tree
takes one of the places of an expression in it, the other fields are drawn by their declared types, and what fits stays.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from knowflow.ground.units import convert
from knowflow.question.check import type_of
from knowflow.question.form import forms
from knowflow.question.operators import (
    OPERATORS,
    Along,
    Apply,
    Beyond,
    Calculate,
    Classify,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Number,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Several,
    children,
    with_children,
)
from knowflow.question.times import MONTHS, SEASONS, Times, times
from knowflow.question.types import Type
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import OutsideError, Scene, Value
from knowflow_bench.random_scenes import defined, written_out

_LEAVES = ("quantity", "number", "polygons", "point")
OF_FEATURES = ("attribute", "distance", "outline")
"""Operators of features, of which these scenes have none: tests/service/test_features.py grows expressions of them."""
_LAST = ("show", "several", "apply")  # nothing is made of them
_WANTED = {"over": 4.0, "extreme": 3.0, "holds": 8.0, "show": 0.2, "several": 0.2, "apply": 1.0}
"""How often, beside the others: once. What is made of ground that is true (``apply``) seldom fits."""
_TRIES = 40
_OTHER_UNITS = {"K": "degC", "m": "km", "1": "%", "%": "1", "m2": "ha", "mm": "m"}
_KEPT = 200  # expressions that others are made with, the latest


class Growth:
    """Grows expressions about one scene; the same seed grows the same."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self._scene = scene
        self._rng = np.random.default_rng(seed)
        self._met: collections.Counter[str] = collections.Counter()
        self._said: collections.Counter[tuple[str, str, Any]] = collections.Counter()
        self._kept: list[tuple[Expression, Type]] = []
        self._nested = False

    def expressions(self, number: int, deepest: int = 6) -> Iterator[Expression]:
        """So many expressions that fit, of 2 to ``deepest`` operators above a quantity."""
        for _ in range(number):
            yield self._tree(int(self._rng.integers(2, deepest + 1)))

    def _tree(self, depth: int) -> Expression:
        found: Expression = self._quantity()
        for level in range(depth):
            found = self._above(found, last=level == depth - 1)
        self._met.update(part.op for part in _parts(found))
        self._said.update(said for part in _parts(found) for said in _words_of(part))
        return found

    def _above(self, below: Expression, last: bool) -> Expression:
        """An operator over an expression; the expression itself where nothing fits."""
        names = [op for op in OPERATORS if op not in (*_LEAVES, *OF_FEATURES) and (last or op not in _LAST)]
        weights = np.array([_WANTED.get(op, 1.0) / (1 + self._met[op] / _WANTED.get(op, 1.0)) for op in names])
        for op in self._rng.choice(names, _TRIES, p=weights / weights.sum()):
            made = self._made(str(op), below)
            own = None if made is None else type_of(made)
            if made is not None and own is not None:
                self._kept.append((made, own))
                return made
        return below

    def _made(self, op: str, below: Expression) -> Expression | None:
        """One operator with everything in it drawn at random; None where that cannot be."""
        own = forms(op)
        if op in ("and", "or"):
            values: dict[str, Any] = {"parts": (below, self._beside(below))}
            made: Expression = OPERATORS[op](**values)
            return made
        if op == "apply":
            of = type_of(below)
            return Apply("connected_components", (below,)) if of is not None and of.of == "truth" and of.space else None
        if op == "several":
            return Several((("one", below), ("other", self._beside(below))))
        places = [name for name, (_, form) in own.items() if _takes_expression(form)]
        mine = self._draw(places)
        given = self._alternatives(op)
        values = {}
        for name, (declared, form) in own.items():
            if name == mine:
                values[declared.name] = below
            elif name in given and self._rng.random() < 0.6:
                values[declared.name] = given[name]
            elif name in places:
                values[declared.name] = self._beside(below)
            elif (op, name) != ("classify", "width"):  # which stands in place of breaks
                values[declared.name] = self._value(form, op, declared.name)
        return self._agreed(OPERATORS[op](**values))

    def _agreed(self, e: Expression) -> Expression:
        """The fields of an operator that go together, together."""
        if isinstance(e, Over):
            return replace(e, p=float(self._rng.integers(5, 96)) if e.statistic == "percentile" else None)
        if isinstance(e, Calculate):
            exponent = e.how == "power"
            b = self._limit(e.a) if isinstance(e.b, Number) and self._rng.random() < 0.5 else e.b
            return replace(e, b=None if e.how in ("absolute", "logarithm") else Number(2.0) if exponent else b)
        if isinstance(e, IsClass):
            return replace(e, names=tuple(self._names(e.x)))
        if isinstance(e, Beyond):
            own = type_of(e.x)
            number = [self._limit(e.x), self._limit(e.x)]
            limit = number[0] if isinstance(e.limit, Number) else e.limit
            upper = number[1] if e.side == "between" else None
            wraps = own is not None and own.measure.nature == "angle"
            if upper is not None and not wraps and number[0].unit == upper.unit and upper.value < number[0].value:
                limit, upper = (upper, number[0]) if isinstance(e.limit, Number) else (limit, number[0])
            return replace(e, limit=limit, upper=upper)
        if isinstance(e, Classify):
            limits = [self._limit(e.x) for _ in range(2)]
            breaks = sorted({one.value for one in limits if one.unit == limits[0].unit})
            labels = ("low", "middle", "high")[: len(breaks) + 1]
            return replace(e, breaks=tuple(breaks), labels=labels, unit=limits[0].unit)
        if isinstance(e, Along):
            return replace(e, n=int(self._rng.integers(2, 4)) if e.how == "running" else None)
        return e

    def _alternatives(self, op: str) -> dict[str, Any]:
        """What may stand in a place of an expression besides expressions with operators."""
        polygons, point = Polygons(tuple(self._some_polygons())), self._point()
        return {
            "within": {"where": self._draw([polygons, point])},
            "split": {"key": self._draw([polygons, "year", "month", "season", "month_of_year"])},
            "during": {"when": self._times() if self._rng.random() < 0.7 else self._chosen()},
            "beyond": {"limit": Number(0.0)},
            "calculate": {"b": Number(float(self._rng.integers(1, 9)))},
        }.get(op, {})

    def _value(self, form: Any, op: str, field: str) -> Any:
        """A value of a declared type, of words those that have been said least; of what has to go together with other
        fields any."""
        choices = get_args(form) if get_origin(form) in (Union, UnionType) else (form,)
        if NoneType in choices and self._rng.random() < 0.5:
            return None
        one = next(one for one in choices if one is not NoneType)
        if get_origin(one) is Literal:
            words = get_args(one)
            weights = np.array([1 / (1 + self._said[op, field, word]) for word in words])
            return words[int(self._rng.choice(len(words), p=weights / weights.sum()))]
        return self._times() if one is Times else int(self._rng.integers(1, 4)) if one is int else None

    def _beside(self, below: Expression) -> Expression:
        """Another expression to stand beside one: grown before, or a quantity, or a little tree."""
        own = type_of(below)
        fitting: list[Expression] = [
            one for one, its in self._kept if own is not None and set(its.keys) <= set(own.keys)
        ]
        if fitting and self._rng.random() < 0.6:
            return self._draw_one(fitting)
        if self._nested or self._rng.random() < 0.4:
            return self._quantity()
        self._nested = True
        found = self._above(self._quantity(), last=False)
        self._nested = False
        return found

    def _limit(self, x: Expression) -> Number:
        """A limit that some of the data lie above, and some below, in their unit."""
        own = type_of(x)
        values = _numbers(x, self._scene) if own is not None and own.of == "number" else np.zeros(0)
        middle = float(np.quantile(values, self._rng.uniform(0.1, 0.9))) if values.size else 1.0
        unit = own.measure.unit if own is not None else "1"
        other = _OTHER_UNITS.get(unit)
        if other is None or own is None or self._rng.random() < 0.7:
            return Number(float(f"{middle:.4g}"), unit)
        return Number(float(f"{convert(middle, unit, other, difference=own.measure.change):.4g}"), other)

    def _chosen(self) -> Expression:
        """Dates that are chosen by what a quantity is on them."""
        dated = [kind for kind, layer in self._scene.layers.items() if len(layer.dates) > 1]
        series = Over(Quantity(self._draw(dated)), "space", "mean")
        if type_of(series) is None:  # of a mask or of classes
            return Holds(Over(series.x, "space", "any"))
        limit = Beyond(series, "above", self._limit(series))
        return self._draw_one([Holds(limit), Extreme(series, "highest", 2), Over(limit, "time", "first")])

    def _draw_one(self, some: Sequence[Expression]) -> Expression:
        return some[int(self._rng.integers(0, len(some)))]

    def _names(self, x: Expression) -> list[str]:
        try:
            labels = [*evaluate(written_out(x, self._scene), self._scene).labels.values()]
        except (OutsideError, ValueError):
            labels = []
        return [str(self._draw(labels))] if labels else ["forest"]

    def _quantity(self) -> Quantity:
        return Quantity(self._draw([*self._scene.layers, *defined(self._scene)]))

    def _some_polygons(self) -> list[str]:
        return [] if self._rng.random() < 0.3 else [self._draw([*self._scene.polygons])]

    def _point(self) -> Point:
        row, column = (int(self._rng.integers(0, size)) for size in self._scene.area.shape)
        place = (float(self._scene.longitude[row, column]), float(self._scene.latitude[row, column]))
        return Point(round(place[0], 6), round(place[1], 6))

    def _times(self) -> Times:
        days = [day for layer in self._scene.layers.values() for day in layer.dates]
        day = self._draw(days)
        ends = (f"{day}/..", f"../{day}", f"{day.year}/..", f"../{day.year}", str(day.year))
        rare = (f"{day:%Y-%m}", str(day), MONTHS[day.month - 1], *SEASONS, f"summer {day.year}")
        found = times(self._draw(ends if self._rng.random() < 0.7 else rare))
        assert found is not None
        return found

    def _draw(self, some: Sequence[Any]) -> Any:
        return some[int(self._rng.integers(0, len(some)))]


def mutants(e: Expression, at: Position = ()) -> Iterator[Expression]:
    """The expression with one node changed: another word or number in it, its fields exchanged, or left out."""
    for name, (declared, form) in forms(e.op).items():
        value = getattr(e, declared.name)
        for other in _others(value, form):
            yield replace(e, **{declared.name: other})
        if name == "a" and getattr(e, "b", None) is not None:
            yield replace(e, a=e.b, b=e.a)  # type: ignore[call-arg,attr-defined]  # it has both
    for position, child in children(e):
        own, its = type_of(e), type_of(child)
        if own is not None and its is not None and own.of == its.of:
            yield child
        for changed in mutants(child, (*at, *position)):
            yield with_children(e, lambda one, child=child, changed=changed: changed if one is child else one)  # type: ignore[misc]


def _others(value: Any, form: Any) -> Iterator[Any]:
    """Other values of the same kind."""
    choices = get_args(form) if get_origin(form) in (Union, UnionType) else (form,)
    literal = next((get_args(one) for one in choices if get_origin(one) is Literal), ())
    yield from (one for one in literal if one != value and isinstance(value, str))
    if isinstance(value, Times):
        yield from (one for one in (times("2016"), times("june"), times("2017-03-01/..")) if one != value)
    elif isinstance(value, float):
        yield from (value + 1, -value) if value else (1.0,)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value + 1


def _parts(e: Expression) -> Iterator[Expression]:
    yield e
    for _, child in children(e):
        yield from _parts(child)


def _words_of(e: Expression) -> Iterator[tuple[str, str, Any]]:
    """The words that an operator is said with, by its field."""
    for declared, _ in forms(e.op).values():
        value = getattr(e, declared.name)
        if isinstance(value, str):
            yield e.op, declared.name, value


def _takes_expression(form: Any) -> bool:
    return Expression in (get_args(form) if get_origin(form) in (Union, UnionType) else (form,))


def _numbers(x: Expression, scene: Scene) -> Any:
    """The known numbers of a value."""
    try:
        found: Value = evaluate(written_out(x, scene), scene)
    except (OutsideError, ValueError):
        return np.zeros(0)
    values = [
        np.ravel(leaf.data if leaf.ground is None else leaf.data[leaf.ground > 0]) for leaf in found.items.values()
    ]
    joined = np.concatenate(values) if values else np.zeros(0)
    return joined[np.isfinite(joined)]
