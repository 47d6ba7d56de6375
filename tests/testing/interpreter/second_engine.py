"""The operators once more, by another hand and in another way: one number at a time, in plain Python.

A value is a table of cells, one per key and pixel; what is not known is None, and what is not ground has no cell. No
NumPy, no code of the interpreter; slopes and correlations are SciPy's. All pixels of its scenes are of one size.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from scipy import stats

from knowflow.ground.units import convert
from knowflow.question.check import type_of
from knowflow.question.operators import Expression, Point, Polygons
from knowflow.question.times import Times
from knowflow.testing.interpreter.values import Scene

Cell = tuple[tuple[Any, ...], Any]


class NotCoveredError(Exception):
    """An operator that this engine leaves out."""


@dataclass
class Table:
    names: tuple[str, ...]
    cells: dict[Cell, float | None]
    labels: dict[int, str]


def compute(e: Expression, scene: Scene) -> Table:
    rule = _RULES.get(e.op)
    if rule is None:
        raise NotCoveredError(e.op)
    return rule(e, scene)


TOLD_PER_AREA = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "kg m-2": 1e-3, "km-2": 1e-6}
"""What one of each unit is on a square metre: cubic metres of depths, tonnes of masses, plain numbers of densities."""


def unit(e: Expression) -> str:
    found = type_of(e)
    assert found is not None
    return found.measure.unit


def change(e: Expression) -> bool:
    found = type_of(e)
    return found is not None and found.measure.change


def nature(e: Expression) -> str:
    found = type_of(e)
    assert found is not None
    return found.of if found.of in ("truth", "class") else found.measure.nature


def quantity(e: Any, scene: Scene) -> Table:
    layer = scene.layers[e.kind]
    cells: dict[Cell, float | None] = {}
    for index, key in enumerate([(day,) for day in layer.dates] or [()]):
        grid = layer.values[index] if layer.dates else layer.values
        for r, row in enumerate(grid.tolist()):
            for c, value in enumerate(row):
                cells[key, (r, c)] = None if math.isnan(value) else value
    return Table(("date",) if layer.dates else (), cells, dict(layer.legend))


def number(e: Any, scene: Scene) -> Table:
    return Table((), {((), None): e.value}, {})


def during(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    if not isinstance(e.when, Times):
        raise NotCoveredError("during")
    if "date" not in x.names:
        return x
    at = x.names.index("date")
    return Table(x.names, {cell: v for cell, v in x.cells.items() if of_times(e.when, cell[0][at])}, x.labels)


def of_times(when: Times, day: date) -> bool:
    if when.month:
        return day.month == when.month
    if when.season:
        season = {12: "winter", 1: "winter", 2: "winter", 3: "spring", 4: "spring", 5: "spring"}.get(day.month)
        season = season or ("summer" if day.month < 9 else "autumn")
        return season == when.season and when.year in (0, day.year + (1 if day.month == 12 else 0))
    return not (when.first and day < when.first) and not (when.last and day > when.last)


def within(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    if isinstance(e.where, Polygons):
        names = e.where.names or tuple(scene.polygons)
        return Table(
            x.names, {c: v for c, v in x.cells.items() if any(scene.polygons[n][c[1]] for n in names)}, x.labels
        )
    if isinstance(e.where, Point):

        def away(pixel: Any) -> float:
            east = (scene.longitude[pixel] - e.where.longitude) * math.cos(math.radians(e.where.latitude))
            return float(math.hypot(east, scene.latitude[pixel] - e.where.latitude))

        nearest = min(
            {pixel for r in range(len(scene.area)) for pixel in ((r, c) for c in range(len(scene.area[0])))}, key=away
        )
        return Table(x.names, {c: v for c, v in x.cells.items() if c[1] == nearest}, x.labels)
    mask = compute(e.where, scene)
    found: dict[Cell, float | None] = {}
    for (key, pixel), value in x.cells.items():
        other = (tuple(key[x.names.index(name)] for name in mask.names), pixel)
        if other in mask.cells and mask.cells[other] != 0:
            found[key, pixel] = value if mask.cells[other] == 1 else None
    return Table(x.names, found, x.labels)


def joined(tables: list[Table], make: Callable[..., float | None]) -> Table:
    """Cells of several that meet: on the keys and the pixels that all have."""
    lead = max(tables, key=lambda one: len(one.names))
    pixels = {pixel for one in tables for _, pixel in one.cells if pixel is not None} or {None}
    found: dict[Cell, float | None] = {}
    for key in {key for key, _ in lead.cells}:
        keys = [tuple(key[lead.names.index(name)] for name in one.names) for one in tables]
        for pixel in pixels:
            cells = [(k, pixel) if (k, pixel) in one.cells else (k, None) for k, one in zip(keys, tables, strict=True)]
            if all(cell in one.cells for cell, one in zip(cells, tables, strict=True)):
                found[key, pixel] = make(*(one.cells[cell] for cell, one in zip(cells, tables, strict=True)))
    return Table(lead.names, found, lead.labels)


def told_in(e: Expression, like: Expression, scene: Scene) -> Table:
    table, own, wanted = compute(e, scene), unit(e), unit(like)
    if own == wanted:
        return table
    as_change = change(like) or change(e)
    cells = {
        c: None if v is None else float(convert(v, own, wanted, difference=as_change)) for c, v in table.cells.items()
    }
    return Table(table.names, cells, {})


def beyond(e: Any, scene: Scene) -> Table:
    tables = [compute(e.x, scene), told_in(e.limit, e.x, scene)]
    tables += [told_in(e.upper, e.x, scene)] if e.upper is not None else []

    def held(x: float | None, limit: float | None, upper: float | None = 0.0) -> float | None:
        if x is None or limit is None or upper is None:
            return None
        if e.side == "between" and nature(e.x) == "angle":
            return float(limit <= x <= upper if limit <= upper else x >= limit or x <= upper)
        sides = {"above": x > limit, "below": x < limit, "at_least": x >= limit, "at_most": x <= limit}
        return float(sides.get(e.side, limit <= x <= upper))

    return joined(tables, held)


def is_class(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    return Table(
        x.names, {c: None if v is None else float(x.labels[int(v)] in e.names) for c, v in x.cells.items()}, {}
    )


def both(e: Any, scene: Scene) -> Table:
    def kleene(*parts: float | None) -> float | None:
        deciding = 0.0 if e.op == "and" else 1.0
        return deciding if deciding in parts else None if None in parts else 1.0 - deciding

    parts = [compute(part, scene) for part in e.parts]
    if not all(part.cells for part in parts):
        raise NotCoveredError("what is unknown everywhere, beside what may decide")
    return joined(parts, kleene)


def turned(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    return Table(x.names, {c: None if v is None else 1.0 - v for c, v in x.cells.items()}, {})


def split(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    if isinstance(e.key, Polygons):
        names = e.key.names or tuple(scene.polygons)
        cells = {((n, *c[0]), c[1]): v for n in names for c, v in x.cells.items() if scene.polygons[n][c[1]]}
        return Table(("objects", *x.names), cells, x.labels)
    if not isinstance(e.key, str):
        raise NotCoveredError("split")
    if "date" not in x.names:
        raise NotCoveredError("split")  # maps of several years
    at = x.names.index("date")
    keys: dict[str, Callable[[date], Any]] = {
        "year": lambda d: d.year,
        "month": lambda d: (d.year, d.month),
        "month_of_year": lambda d: d.month,
        "week": lambda d: tuple(d.isocalendar())[:2],
        "season": lambda d: (d.year + 1, 0) if d.month == 12 else (d.year, d.month // 3),
    }
    if e.key == "date":
        return x
    return Table((e.key, *x.names), {((keys[e.key](k[at]), *k), p): v for (k, p), v in x.cells.items()}, x.labels)


def over(e: Any, scene: Scene) -> Table:
    x, area = compute(e.x, scene), float(scene.area[0, 0])
    kinds = ("date", "week", "month", "season", "year", "month_of_year")
    inner = next((name for name in reversed(x.names) if name in kinds), "")
    name = "" if e.axes == "space" else inner if e.axes in ("time", "both") else e.axes
    at = len(x.names) - 1 - x.names[::-1].index(name) if name else -1
    groups: dict[Cell, list[tuple[Any, float | None]]] = {}
    for (key, pixel), value in sorted(x.cells.items(), key=lambda item: str(item[0])):
        rest = key if at < 0 else key[:at] + key[at + 1 :]
        groups.setdefault((rest, None if e.axes in ("space", "both") else pixel), []).append(
            (pixel if at < 0 else key[at], value)
        )
    names = x.names if at < 0 else x.names[:at] + x.names[at + 1 :]
    if (
        e.statistic in ("longest", "longest_run", "patches", "largest_patch", "majority", "variety")
        or nature(e.x) == "level"
    ):
        raise NotCoveredError(e.statistic)
    if e.statistic == "area" and nature(e.x) == "class":
        occurring = {value for group in groups.values() for _, value in group if value is not None}
        by_class = {
            ((x.labels.get(int(one), str(int(one))), *rest), pixel): area * sum(value == one for _, value in group)
            for one in occurring
            for (rest, pixel), group in groups.items()
        }
        return Table(("classes", *names), dict(by_class), {})
    of_dates = e.axes not in ("space", "both")
    cells = {cell: reduced(e, nature(e.x), group, area, of_dates, name) for cell, group in groups.items()}
    return Table(names, cells, x.labels)


def weighted(e: Any, scene: Scene) -> Table:
    x, by, own = compute(e.x, scene), compute(e.by, scene), type_of(e.by)
    if own is None or nature(e.x) == "level":
        raise NotCoveredError("weighted")
    places = [x.names.index(name) for name in by.names]
    groups: dict[Cell, list[tuple[float, float]]] = {}
    for (key, pixel), value in x.cells.items():
        told = (tuple(key[place] for place in places), pixel)
        if told in by.cells:
            weight = max(by.cells[told] or 0.0, 0.0) if value is not None else 0.0
            groups.setdefault((key, None), []).append((value or 0.0, weight))
    return Table(x.names, {cell: weighed(nature(e.x), group) for cell, group in groups.items()}, {})


def weighed(kind: str, group: list[tuple[float, float]]) -> float | None:
    whole = math.fsum(weight for _, weight in group)
    if not whole:
        return None
    if kind == "angle":
        x, y = (math.fsum(w * f(math.radians(v)) for v, w in group) for f in (math.cos, math.sin))
        return math.degrees(math.atan2(y, x)) % 360
    return (100 if kind == "truth" else 1) * math.fsum(v * w for v, w in group) / whole


def reduced(
    e: Any, kind: str, group: list[tuple[Any, float | None]], area: float, of_dates: bool, name: str
) -> float | None:
    known = [(key, value) for key, value in group if value is not None]
    if not known:
        return None
    values = [value for _, value in known]
    if kind == "angle" and e.statistic in ("mean", "deviation"):
        x, y = (statistics.fmean(f(math.radians(v)) for v in values) for f in (math.cos, math.sin))
        if e.statistic == "mean":
            return math.degrees(math.atan2(y, x)) % 360
        return math.degrees(math.sqrt(max(0.0, -2 * math.log(min(1.0, math.hypot(x, y))))))
    if e.statistic in ("first", "last"):
        if name != "date":
            raise NotCoveredError(e.statistic)
        days = sorted(key for key, value in known if value == 1)
        return float((days[0] if e.statistic == "first" else days[-1]).toordinal()) if days else None
    if e.statistic == "deviation":
        if not of_dates:
            return statistics.pstdev(values)
        return statistics.stdev(values) if len(values) > 1 else None
    simple: dict[str, Callable[[], float]] = {
        "mean": lambda: statistics.fmean(values),
        "median": lambda: statistics.median(values),
        "minimum": lambda: min(values),
        "maximum": lambda: max(values),
        "range": lambda: max(values) - min(values),
        "sum": lambda: math.fsum(values),
        "count": lambda: math.fsum(values) if kind == "truth" else float(len(values)),
        "share": lambda: 100 * statistics.fmean(values),
        "any": lambda: max(values),
        "all": lambda: min(values),
        "area": lambda: area * math.fsum(values),
        "integral": lambda: area * math.fsum(values) * TOLD_PER_AREA[unit(e.x)],
        "percentile": lambda: percentile(values, e.p),
    }
    return simple[e.statistic]()


def percentile(values: list[float], p: float) -> float:
    ranked = sorted(values)
    place = p / 100 * (len(ranked) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])


def series_of(x: Table) -> Iterator[tuple[Cell, list[tuple[Any, float | None]]]]:
    """The values along the dates, for each other key and pixel."""
    if "date" not in x.names:
        raise NotCoveredError("periods")
    at = x.names.index("date")
    groups: dict[Cell, list[tuple[Any, float | None]]] = {}
    for (key, pixel), value in x.cells.items():
        groups.setdefault((key[:at] + key[at + 1 :], pixel), []).append((key[at], value))
    for cell, group in groups.items():
        yield cell, sorted(group)


def has_seasons(days: list[date], robust: bool) -> bool:
    """Whether the seasons of days are taken out of a trend."""
    starts = {day: day.toordinal() - date(day.year, 1, 1).toordinal() for day in days}
    around = any(
        all((other - start) % 365.25 <= 62 for other in starts.values()) for start in starts.values()
    )  # all within 62 days of one of them
    months = months_of_several_years(days)
    if robust:
        counts = [len({day.year for day in days if day.month == month}) for month in months]
        return not around and sum(math.comb(count, 2) for count in counts) >= 5
    return not around and sum(day.month in months for day in days) - len(months) >= 3


def months_of_several_years(days: list[date]) -> set[int]:
    return {one.month for one in days for other in days if one.month == other.month and one.year != other.year}


def within_months(known: list[tuple[date, float]], months: set[int]) -> float | None:
    """The slope of departures from the mean of each month (Frisch and Waugh)."""
    times: list[float] = []
    values: list[float] = []
    used = {day.month for day, _ in known} & months
    for month in used:
        of_month = [(day.toordinal() / 365.25, value) for day, value in known if day.month == month]
        middle, mean = (statistics.fmean(part) for part in zip(*of_month, strict=True))
        times += [time - middle for time, _ in of_month]
        values += [value - mean for _, value in of_month]
    spread = sum(time * time for time in times)
    if len(times) < max(3, len(used) + 2) or spread < 1e-12:
        return None
    return sum(t * v for t, v in zip(times, values, strict=True)) / spread


def between_years(known: list[tuple[date, float]]) -> float | None:
    """The median slope from a year to another of the means of each month (Hirsch, Slack and Smith 1982)."""
    means: dict[int, dict[int, tuple[float, float]]] = {}
    for month, year in {(day.month, day.year) for day, _ in known}:
        of = [(day.toordinal() / 365.25, value) for day, value in known if (day.month, day.year) == (month, year)]
        means.setdefault(month, {})[year] = tuple(map(statistics.fmean, zip(*of, strict=True)))  # type: ignore[assignment]
    compared = [list(one.values()) for one in means.values() if len(one) > 1]
    slopes = [(v - u) / (t - s) for one in compared for (s, u), (t, v) in itertools.combinations(one, 2)]
    return statistics.median(slopes) if sum(map(len, compared)) >= 3 else None


def trend(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    cells: dict[Cell, float | None] = {}
    for cell, group in series_of(x):
        known = [(day, value) for day, value in group if value is not None]
        told = [day for day, value in group if value is not None or cell[1] is not None]
        robust = e.method == "theil_sen"
        if len(known) < 3:
            cells[cell] = None
        elif e.seasons == "auto" and has_seasons(told, robust):
            cells[cell] = between_years(known) if robust else within_months(known, months_of_several_years(told))
        else:
            days, values = zip(*((day.toordinal() / 365.25, value) for day, value in known), strict=True)
            fit = stats.theilslopes(values, days) if robust else stats.linregress(days, values)
            cells[cell] = float(fit.slope)
    return Table(tuple(name for name in x.names if name != "date"), cells, {})


def calculate(e: Any, scene: Scene) -> Table:
    if nature(e.a) == "angle" or e.how in ("product", "ratio", "power", "logarithm"):
        raise NotCoveredError(e.how)
    if e.how == "absolute":
        x = compute(e.a, scene)
        return Table(x.names, {c: None if v is None else abs(v) for c, v in x.cells.items()}, {})
    hows: dict[str, Callable[[float, float], float | None]] = {
        "difference": lambda a, b: a - b,
        "sum": lambda a, b: a + b,
        "minimum": min,
        "maximum": max,
        "percent_change": lambda a, b: 100 * (a - b) / abs(b) if b else None,
    }
    factor = float(convert(1.0, unit(e.a), unit(e), difference=True)) if e.how == "difference" else 1.0

    def made(a: float | None, b: float | None) -> float | None:
        found = None if a is None or b is None else hows[e.how](a, b)
        return None if found is None else factor * found

    return joined([compute(e.a, scene), told_in(e.b, e.a, scene)], made)


def classify(e: Any, scene: Scene) -> Table:
    x = compute(e.x, scene)
    if e.width is not None:
        told = {
            c: v if v is None else convert(v, unit(e.x), e.unit, difference=change(e.x)) for c, v in x.cells.items()
        }
        codes = {c: None if v is None else float(math.floor(float(v) / e.width + 1e-9)) for c, v in told.items()}
        behind = "" if e.unit == "1" else f" {e.unit}"
        every = {int(code) for code in codes.values() if code is not None}
        return Table(x.names, codes, {n: f"{n * e.width:.12g} to {(n + 1) * e.width:.12g}{behind}" for n in every})
    breaks = [float(convert(one, e.unit, unit(e.x), difference=change(e.x))) for one in e.breaks]
    cells = {c: None if v is None else float(sum(v >= one for one in breaks)) for c, v in x.cells.items()}
    return Table(x.names, cells, dict(enumerate(e.labels)))


_RULES: dict[str, Callable[[Any, Scene], Table]] = {
    "quantity": quantity,
    "number": number,
    "during": during,
    "within": within,
    "beyond": beyond,
    "split": split,
    "is_class": is_class,
    "and": both,
    "or": both,
    "not": turned,
    "over": over,
    "weighted": weighted,
    "trend": trend,
    "calculate": calculate,
    "classify": classify,
    "show": lambda e, scene: compute(e.x, scene),
}
