"""Operators on a series: along its dates, its trend, two of them together, and how far a date is from the usual."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from knowflow.question.operators import (
    Along,
    Anomaly,
    Correlate,
    Expression,
    Position,
    Trend,
)
from knowflow.question.types import Measure, Type
from knowflow.testing.interpreter import statistics
from knowflow.testing.interpreter.calendar import all_months, key_of, middle, span, tells_seasons
from knowflow.testing.interpreter.leaves import (
    departed,
    ground_of,
    grounded,
    nothing,
    season_part,
    stacked,
    where_ground,
    year_of,
)
from knowflow.testing.interpreter.values import (
    Array,
    Keys,
    Leaf,
    Scene,
    Value,
    combined,
    meet,
)


class Operands:
    """One evaluation over a scene: the values, the types and the measures of what an operator takes."""

    def __init__(self, scene: Scene, types: Mapping[Position, Type]) -> None:
        self.scene = scene
        self.types = types

    def __call__(self, e: Expression, at: Position) -> Value:
        raise NotImplementedError

    def _below(self, e: Expression, at: Position, name: str) -> Value:
        return self(getattr(e, name), (*at, e.op, name))

    def _type(self, e: Expression, at: Position, name: str) -> Type:
        return self.types[(*at, e.op, name)]

    def _measure(self, e: Expression, at: Position, name: str) -> Measure:
        return self._type(e, at, name).measure

    def _fill(self, items: dict[Keys, Leaf], x: Value, at: Position) -> None:
        """What is made of no dates at all is unknown, where it has no keys left."""
        if not items and len(x.names) == 1:
            unknown = np.full_like(self.scene.area, np.nan)
            items[()] = Leaf(unknown, np.ones_like(unknown)) if self.types[at].space else nothing()


class InTime(Operands):
    """The operators of a series."""

    def _along(self, e: Along, at: Position) -> Value:
        x, grain = self._below(e, at, "x"), str(self._type(e, at, "x").grain)
        items: dict[Keys, Leaf] = {}
        for rest, group in x.groups(grain).items():
            for place in range(len(group)):
                start = 0 if e.how == "cumulated" else place - 1 if e.n is None else place + 1 - e.n
                if start < 0:
                    continue
                leaves = [leaf for _, leaf in group[start : place + 1]]
                if e.how == "change":
                    made = combined(leaves, leaves[1].data - leaves[0].data)
                else:
                    made = stacked("sum" if e.how == "cumulated" else "mean", leaves, self._measure(e, at, "x").nature)
                items[x.key(rest, grain, group[place][0])] = made
        return x.of(items)

    def _trend(self, e: Trend, at: Position) -> Value:
        x, grain = self._below(e, at, "x"), str(self._type(e, at, "x").grain)
        items: dict[Keys, Leaf] = {}
        for rest, group in x.groups(grain).items():
            kept = [(key, leaf) for key, leaf in group if (grain, key) not in x.thin]
            leaves = [leaf for _, leaf in kept] or [leaf for _, leaf in group]
            items[rest] = grounded(leaves, np.full_like(leaves[0].data, np.nan))
            # of numbers those that are known tell what the dates suffice for
            seen = [(key, leaf) for key, leaf in kept if leaf.ground is not None or np.isfinite(leaf.number)]
            if seen:
                values = np.stack([where_ground(leaf) for _, leaf in seen])
                days = np.array([middle(key, grain) for key, _ in seen])
                seasonal = e.seasons == "auto" and tells_seasons(days.tolist(), e.method == "theil_sen")
                slope = statistics.seasonal_slope if seasonal else statistics.slope
                items[rest] = grounded(leaves, slope(values, days, e.method))
        self._fill(items, x, at)
        return Value(x.without(grain), items, {}, x.thin)

    def _correlate(self, e: Correlate, at: Position) -> Value:
        a, b = self._below(e, at, "a"), self._below(e, at, "b")
        space = e.axes in ("space", "both")
        if e.axes == "space":
            return meet((a, b), lambda pair: Leaf(self._alike([pair], space)))
        grain = str(self._type(e, at, "a").grain)
        seconds = b.groups(grain)
        items: dict[Keys, Leaf] = {}
        for rest, group in a.groups(grain).items():
            other = dict(seconds.get(rest, []))
            pairs = [[leaf, other[key]] for key, leaf in group if key in other]
            if pairs:
                made = self._alike(pairs, space)
                items[rest] = Leaf(made) if space else grounded([one for pair in pairs for one in pair], made)
        self._fill(items, a, at)
        return Value(a.without(grain), items, {}, a.thin | b.thin)

    def _alike(self, pairs: list[list[Leaf]], space: bool) -> Array:
        a, b = (np.stack([where_ground(pair[place]) for pair in pairs]) for place in (0, 1))
        if not space:
            return statistics.correlation(a, b, np.ones_like(a))
        weights = np.stack([np.minimum(ground_of(one), ground_of(other)) * self.scene.area for one, other in pairs])
        return statistics.correlation(a.ravel(), b.ravel(), weights.ravel())

    def _anomaly(self, e: Anomaly, at: Position) -> Value:
        """From the years' means of the same season, of dates of all months the same month; the year itself left out,
        fewer than three others are unknown."""
        x, grain = self._below(e, at, "x"), str(self._type(e, at, "x").grain)
        nature = self._measure(e, at, "x").nature
        items = {}
        dense = grain == "date" and all_months([key[x.place("date")] for key in x.items])
        for rest, group in x.groups(grain).items():
            for key, leaf in group:
                years: dict[int, list[Leaf]] = {}
                own = key_of(key, "month") if dense else (year_of(key, grain), season_part(key, grain))
                for other, its in group:
                    year, part = key_of(other, "month") if dense else (year_of(other, grain), season_part(other, grain))
                    alike = part == own[1] and year != own[0]
                    if alike and (e.base is None or e.base.holds(span(other, grain)[1], self.scene.south)):
                        years.setdefault(year, []).append(its)
                means = [stacked("mean", leaves, nature) for leaves in years.values()]
                items[x.key(rest, grain, key)] = departed(leaf, means, e.as_)
        return x.of(items)
