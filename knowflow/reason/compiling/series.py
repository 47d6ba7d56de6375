"""What follows values through their keys, or beside each other: change, trends, anomalies, extremes, correlation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.question.operators import Along, Anomaly, Correlate, Expression, Extreme, Holds, Trend
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.keys import grain_of_departures, middles, of_any_year, part_of_year, span, year_of
from knowflow.reason.compiling.made import Group, Item, Keys, Made, Nodes, meet, refuse
from knowflow.reason.compiling.statistics import grounds, nature_of

FEWEST_YEARS = 3
"""Other years that an anomaly is against, at least."""

_FEWEST_OF_A_TREND = 2


def along(e: Along, x: Made, own: Type, nodes: Nodes) -> Made:
    """From each date to the next, added up so far, or the mean of the last few.

    Raises:
        NotCompiledError: only the run finds which dates there are.
    """
    name = str(x.type.grain)
    if not x.together(name):
        raise refuse(e, "dates that only the run finds, one after the other")
    made: dict[Keys, Item] = {}
    for rest, group in x.groups(name).items():
        for place, (key, item) in enumerate(group):
            start = {"change": place - 1, "cumulated": 0, "running": place + 1 - (e.n or 1)}[e.how]
            if start < 0:
                continue
            whole = x.key(rest, name, key)
            if e.how == "change":
                made[whole] = _change(x.type, item, group[start][1], own, whole, nodes)
            else:
                statistic = "sum" if e.how == "cumulated" else "mean"
                made[whole] = _brought(statistic, x.type, group[start : place + 1], whole, "along", nodes)
    return x.of(own, made)


def _change(of: Type, after: Item, before: Item, own: Type, key: Keys, nodes: Nodes) -> Item:
    given: dict[str, Any] = {"unit": of.measure.unit, "other_unit": of.measure.unit, "result_unit": own.measure.unit}
    given |= {"changes": of.measure.change, "other_changes": of.measure.change, "quantity": "difference"}
    tool = "raster_calculation" if of.space else "number_calculation"
    bound = nodes.add(tool, "along", key, a=after, b=before, how="difference", **given)
    return nodes.together(after, before, bound, "along", key)


def _brought(statistic: str, of: Type, group: Group, key: Keys, step: str, nodes: Nodes) -> Item:
    """A mean or a sum of some values one behind the other."""
    given: dict[str, Any] = {"statistic": statistic, "unit": of.measure.unit, "result_unit": of.measure.unit}
    given |= {"nature": nature_of(of), "changes": of.measure.change}
    if of.space:
        values, ground = nodes.stacked(group, step, key)
        return replace(ground, bound=nodes.add("stack_statistic", step, key, series=nodes.series(values), **given))
    values, present = nodes.listed(group, step, key)
    return Item(nodes.add("list_statistic", step, key, values=nodes.series(values), **given), present=present)


def trend(e: Trend, x: Made, own: Type, nodes: Nodes) -> Made:
    """The slope per year over the dates, or over the periods that are covered.

    Raises:
        NotCompiledError: only the run finds of which dates the periods consist, or no period is covered.
    """
    name = str(x.type.grain)
    if name != "date" and not x.together(name):
        raise refuse(e, "periods of dates that only the run finds")
    made: dict[Keys, Item] = {}
    for rest, group in x.groups(name).items():
        kept = [(key, item) for key, item in group if (name, key) not in x.thin]
        if any(of_any_year(key) for key, _ in kept):
            raise refuse(e, "months of no year", "ask for them month by month")
        if len(kept) < _FEWEST_OF_A_TREND:
            found = ", ".join(key or "no date" for key, _ in kept) or f"none of {len(group)} {name}s"
            raise refuse(
                e, f"a trend of {found}", f"it takes {_FEWEST_OF_A_TREND} {name}s that the dates cover, or more"
            )
        given: dict[str, Any] = {"dates": middles([key for key, _ in kept], name), "method": e.method}
        given |= {"seasons": e.seasons} | {
            "unit": x.type.measure.unit,
            "result_unit": own.measure.unit,
            "changes": x.type.measure.change,
        }
        if x.type.space:
            values, ground = nodes.stacked(kept, "trend", rest)
            bound = nodes.add("stack_trend", "trend", rest, series=nodes.series(values), **given)
            made[rest] = replace(ground, bound=bound)
        else:
            values, present = nodes.listed(kept, "trend", rest)
            bound = nodes.add("list_trend", "trend", rest, values=nodes.series(values), **given)
            made[rest] = Item(bound, present=present)
    return x.of(own, made)


def anomaly(e: Anomaly, x: Made, own: Type, south: bool, nodes: Nodes, told: bool) -> Made:
    """From the mean of the years' means of the same part of the year, the year itself left out.

    ``told``: it is the answer.

    Raises:
        PlanningError: nothing would be known of any that is told.
    """
    name = str(x.type.grain)
    unit, change = x.type.measure.unit, x.type.measure.change
    given: dict[str, Any] = {"unit": unit, "result_unit": own.measure.unit, "how": e.as_, "changes": change}
    given["quantity"] = {"difference": "difference", "percent": "relative_change"}.get(e.as_, "standardized_anomaly")
    made: dict[Keys, Item] = {}
    groups = x.groups(name)
    by = grain_of_departures((key for group in groups.values() for key, _ in group), name)
    counts = [len(_other_years(e.base, key, (name, by), group, south)) for group in groups.values() for key, _ in group]
    most = max(counts, default=0)
    if told and most < FEWEST_YEARS:
        expected = f"data of the same season of {FEWEST_YEARS} other years or more"
        raise PlanningError("there are too few years to be against", where=e.op, expected=expected, found=f"{most}")
    for rest, group in groups.items():
        usual = (
            group if x.together(name) else [(key, nodes.where_there(one, "usual", (*rest, key))) for key, one in group]
        )
        for key, item in group:
            whole = x.key(rest, name, key)
            others = _other_years(e.base, key, (name, by), usual, south)
            means = [
                (year, its[0][1] if len(its) == 1 else _brought("mean", x.type, its, (*whole, year), "usual", nodes))
                for year, its in sorted(others.items())
            ] or [(key, item)]  # of no other year: fewer than three tell nothing
            if x.type.space:
                values, _ = nodes.stacked(means, "anomaly", whole)
                bound = nodes.add(
                    "stack_departure", "anomaly", whole, raster=item, series=nodes.series(values), **given
                )
            else:
                values = [mean.bound for _, mean in means]
                bound = nodes.add("number_departure", "anomaly", whole, x=item, values=nodes.series(values), **given)
            made[whole] = item.over(bound)
    return x.of(own, made)


def _other_years(base: Times | None, key: str, grains: tuple[str, str], group: Group, south: bool) -> dict[str, Group]:
    found: dict[str, Group] = {}
    name, by = grains
    for other, item in group:
        year = year_of(other, by)
        alike = part_of_year(other, by) == part_of_year(key, by) and year != year_of(key, by)
        if alike and (base is None or base.holds(span(other, name)[1], south)):
            found.setdefault(year, []).append((other, item))
    return found


def extreme(e: Extreme, x: Made, own: Type, nodes: Nodes) -> Made:
    """The keys with the highest or lowest numbers, those of periods that are covered too little left out where others
    are covered.

    Raises:
        NotCompiledError: only the run finds of which dates the periods consist.
    """
    name = x.type.keys[-1]
    if any(grain in x.type.keys for grain, _ in x.thin) and not x.together(name):
        raise refuse(e, "periods of dates that only the run finds")
    made: dict[Keys, Item] = {}
    for rest, group in x.groups(name).items():
        kept = [(key, item) for key, item in group if (name, key) not in x.thin] or group
        values = nodes.series(nodes.there(item, "extreme", (*rest, key)) for key, item in kept) if kept else None
        for place, (key, item) in enumerate(kept):
            whole = x.key(rest, name, key)
            given: dict[str, Any] = {"values": values, "place": place, "side": e.side, "n": e.n}
            made[whole] = replace(item, present=nodes.add("is_extreme", "extreme", whole, **given))
    return x.of(own, made)


def _of_one_year_alone(e: Extreme, year: str) -> PlanningError:
    """That of years one alone has data: it is the most and the least of them, whatever it was like."""
    where, hint = e.op, "ask about its months or dates, or add data of other years"
    return PlanningError(
        f"there are data of {year} alone", where=where, expected="several years", found=year, hint=hint
    )


def holds(e: Holds, x: Made, own: Type, nodes: Nodes) -> Made:
    """The keys for which a truth holds."""
    made = {}
    for key, item in x.items.items():
        truth = Item(item.bound, present=item.bound)
        made[key] = replace(item, present=nodes.both_there(item, truth, e.op, key))
    return x.of(own, made)


def date_of_extreme(e: Extreme, x: Made, nodes: Nodes) -> Bound:
    """The date or period with the highest or lowest number, as the answer; of several equal ones all. Those of periods
    that are covered too little are left out where others are covered."""
    which = "maximum" if e.side == "highest" else "minimum"
    if x.listed is not None and len(x.items) > 1:
        return nodes.add("date_of_extreme", "extreme", values=x.listed, dates=[key for (key,) in x.items], which=which)
    every = {key: item for (key,), item in x.items.items()}
    if len(every) == 1 and x.type.keys[0] == "year":
        raise _of_one_year_alone(e, next(iter(every)))
    kept = {key: item for key, item in every.items() if (x.type.keys[0], key) not in x.thin} or every
    keys, values = [*kept], nodes.series(item.bound for item in kept.values())
    return nodes.add("date_of_extreme", "extreme", values=values, dates=keys, which=which)


def correlate(e: Correlate, a: Made, b: Made, own: Type, nodes: Nodes) -> Made:
    """Pearson's correlation over space, over the keys of time that both have, or of all pixels of these together."""
    made: dict[Keys, Item] = {}
    if e.axes == "space":
        for key, one, two in meet(e, a, b):
            pair = nodes.together(one, two, one.bound, e.op, key)
            made[key] = pair.alone(_over_ground(e, [(key, one, two, pair)], key, nodes))
        return a.of(own, made)
    name = "objects" if e.axes == "objects" else str(a.type.grain)
    others = b.groups(name)
    for rest, group in a.groups(name).items():
        second = dict(others.get(rest, []))
        pairs = [(key, item, second[key]) for key, item in group if key in second]
        if pairs:
            made[rest] = _over_keys(e, x_keys(a, rest, name, pairs), a.type.space, rest, nodes)
    if not made:
        next(meet(e, a, b))  # says why
    return a.of(own, made)


Pair = tuple[Keys, Item, Item]


def x_keys(x: Made, rest: Keys, name: str, pairs: list[tuple[str, Item, Item]]) -> list[Pair]:
    """Pairs by their whole keys."""
    return [(x.key(rest, name, key), one, two) for key, one, two in pairs]


def _over_keys(e: Correlate, pairs: list[Pair], space: bool, rest: Keys, nodes: Nodes) -> Item:
    there = [
        (key, replace(one, bound=nodes.there(one, e.op, key)), replace(two, bound=nodes.there(two, e.op, key)))
        for key, one, two in pairs
    ]
    if e.axes == "both":
        grounded = [(key, one, two, nodes.together(one, two, one.bound, e.op, key)) for key, one, two in there]
        return Item(_over_ground(e, grounded, rest, nodes))
    if not space:
        a, b = (nodes.series(one.bound for one in side) for side in _sides(there))
        return Item(nodes.add("list_correlation", e.op, rest, a=a, b=b))
    both = [("/".join(key), nodes.together(one, two, one.bound, e.op, key)) for key, one, two in there]
    _, ground = nodes.stacked([(name, replace(item, present=None)) for name, item in both], e.op, rest)
    a, b = (nodes.series(nodes.on_ground(one, e.op, rest).bound for one in side) for side in _sides(there))
    applied = frozenset(ground.covers) if any(pair[1].covers or pair[2].covers for pair in there) else ground.applied
    return replace(ground, bound=nodes.add("stack_correlation", e.op, rest, a=a, b=b), applied=applied)


def _sides(pairs: list[Pair]) -> tuple[list[Item], list[Item]]:
    return [one for _, one, _ in pairs], [two for _, _, two in pairs]


def _over_ground(e: Expression, pairs: list[tuple[Keys, Item, Item, Item]], key: Keys, nodes: Nodes) -> Bound:
    both = [(whole, one, two) for whole, one, two, _ in pairs]
    if any(pair.partly for *_, pair in pairs):
        _, covers = grounds(e, [(whole, pair) for whole, _, _, pair in pairs], nodes)
        a, b = (nodes.series(one.bound for one in side) for side in _sides(both))
        return nodes.add("ground_correlation", e.op, key, a=a, b=b, covers=nodes.series(covers))
    a, b = (nodes.series(nodes.on_ground(one, e.op, key).bound for one in side) for side in _sides(both))
    return nodes.add("ground_correlation", e.op, key, a=a, b=b)
