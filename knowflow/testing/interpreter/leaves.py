"""Leaves made of leaves: restricted to a ground, put together, one behind the other, and along the keys of time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knowflow.question.operators import Over
from knowflow.testing.interpreter import statistics
from knowflow.testing.interpreter.calendar import COVERED, adjacent, covered, key_of, span, steps
from knowflow.testing.interpreter.values import Array, Key, Leaf, Value, combined


def constant(number: float) -> Value:
    return Value((), {(): Leaf(np.array(float(number)))})


def nothing() -> Leaf:
    return Leaf(np.array(np.nan), None, 0, 0.0)


def ground_of(leaf: Leaf) -> Array:
    return np.ones_like(leaf.data) if leaf.ground is None else leaf.ground


def where_ground(leaf: Leaf) -> Array:
    return np.where(ground_of(leaf) > 0, leaf.data, np.nan)


def none_where_blank(data: Array) -> Array:
    """Zero where nothing is known, of numbers that are nowhere known to be none."""
    return data if (data <= 0).any() or np.isnan(data).all() else np.nan_to_num(data)


def equal_to(data: Array, number: float) -> Array:
    return np.where(np.isnan(data), np.nan, (data == number).astype(float))


def restricted(leaves: list[Leaf]) -> Leaf:
    """What lies within a mask: where the mask is unknown it is not known whether a pixel counts."""
    x, mask = leaves
    unknown = np.isnan(mask.data) & (ground_of(mask) > 0)
    part = np.where(unknown, 1.0, np.where(np.nan_to_num(mask.data) == 1, ground_of(mask), 0.0))
    return replace(x, data=np.where(unknown, np.nan, x.data), ground=ground_of(x) * part)


def all_of(leaves: list[Leaf]) -> Leaf:
    values = np.stack(np.broadcast_arrays(*(leaf.data for leaf in leaves)))
    return combined(leaves, np.where((values == 0).any(axis=0), 0.0, values.sum(axis=0) / len(leaves)))


def any_of(leaves: list[Leaf]) -> Leaf:
    values = np.stack(np.broadcast_arrays(*(leaf.data for leaf in leaves)))
    unknown = np.isnan(values).any(axis=0)
    return combined(leaves, np.where((values == 1).any(axis=0), 1.0, np.where(unknown, np.nan, 0.0)))


def told(made: Array, values: Array, parts: Array) -> Leaf:
    known = np.isfinite(values) & (parts > 0)
    whole = parts.sum()
    return Leaf(np.asarray(made), None, int(known.sum()), float(parts[known].sum() / whole) if whole else 0.0)


def grounded(leaves: list[Leaf], made: Array) -> Leaf:
    """What is made of leaves one behind the other: its ground is where any of them has some."""
    grounds = [leaf.ground for leaf in leaves if leaf.ground is not None]
    return Leaf(np.asarray(made), np.maximum.reduce(grounds) if grounds else None)


def stacked(statistic: str, leaves: list[Leaf], nature: str, p: float | None = None) -> Leaf:
    values = np.stack([leaf.data for leaf in leaves])
    counts = np.stack([(ground_of(leaf) > 0).astype(float) for leaf in leaves])
    return grounded(leaves, statistics.reduce(statistic, values, counts, p, nature, True))


def of_keys(e: Over, group: list[tuple[Key, Leaf]], nature: str, name: str, usual: float) -> Leaf:
    """A statistic of values one behind the other, each once."""
    leaves = [leaf for _, leaf in group]
    if e.statistic in ("longest", "longest_run", "first", "last"):
        values = np.stack([where_ground(leaf) for leaf in leaves])
        flat = values.reshape(len(values), -1)
        made = np.array([_in_order(e.statistic, [key for key, _ in group], one, name, usual) for one in flat.T])
        return grounded(leaves, made.reshape(values.shape[1:]))
    if e.statistic == "area":
        e = replace(e, statistic="sum")
    found = stacked(e.statistic, leaves, nature, e.p)
    if found.ground is not None:
        return found
    values = np.array([leaf.number for leaf in leaves])
    return replace(found, n=int(np.isfinite(values).sum()), known=float(np.isfinite(values).mean()))


def _in_order(statistic: str, keys: list[Key], held: Array, grain: str, usual: float) -> float:
    """The longest spell in days, both ends counted, or in keys; or the first or the last day that it holds."""
    if np.isnan(held).all():
        return float("nan")
    true = [key for key, value in zip(keys, held, strict=True) if value == 1]
    if statistic in ("first", "last"):
        day = span(true[0], grain)[0] if true and statistic == "first" else span(true[-1], grain)[1] if true else None
        return float("nan") if day is None else float(day.toordinal())
    longest, run, begun, before = 0, 0, None, None
    for key, value in zip(keys, held, strict=True):
        if value != 1:
            begun = before = None
            continue
        if before is None or not adjacent(before, key, grain, usual):
            begun, run = key, 0
        before, run = key, run + 1
        days = (span(key, grain)[1] - span(begun, grain)[0]).days + 1
        longest = max(longest, run if statistic == "longest_run" else days)
    return float(longest)


def by_period(x: Value, grain: str) -> Value:
    place = x.place("date")
    items = {(key_of(key[place], grain), *key): leaf for key, leaf in x.items.items()}
    days = sorted({key[place] for key in x.items})
    step = steps(days, "date")[1]
    periods = {key[0] for key in items} if grain != "month_of_year" and len(days) > 1 else set()
    thin = {(grain, key) for key in periods if covered(key, grain, days, step) < COVERED}
    return Value((grain, *x.names), items, x.labels, x.thin | thin)


def season_part(key: Key, grain: str) -> Key:
    """What part of the year a key lies in: that of other years is compared with it."""
    return None if grain == "year" else key[1] if grain in ("month", "season", "week") else key_of(key, "season")[1]


def year_of(key: Key, grain: str) -> int:
    return int(key if grain == "year" else key_of(key, "season")[0] if grain == "date" else key[0])


def departed(leaf: Leaf, means: list[Leaf], how: str) -> Leaf:
    if len(means) < 3:
        return replace(leaf, data=np.full_like(leaf.data, np.nan))
    years = np.stack([mean.data for mean in means])
    enough = np.isfinite(years).sum(axis=0) >= 3
    usual, spread = (
        statistics.reduce(s, years, np.ones_like(years), None, "state", True) for s in ("mean", "deviation")
    )
    with np.errstate(all="ignore"):
        apart = leaf.data - usual
        made = apart if how == "difference" else 100 * apart / usual if how == "percent" else apart / spread
    return replace(leaf, data=np.where(enough & np.isfinite(made), made, np.nan))
