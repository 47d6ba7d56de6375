"""Opinions on numbers: lists over time, tables, periods, trends of means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from knowflow_bench.opinion.engine.field import Direction, Field, NoOpinionError, Pixels, around, years

Number = float | None
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_SEASONS = ("DJF", "MAM", "JJA", "SON")


def there(values: Any) -> Pixels:
    """The numbers of a list that are there."""
    listed = values if isinstance(values, (list, tuple)) else [values]
    return np.array([one for one in listed if one is not None and np.isfinite(one)], dtype=np.float64)


def _with_dates(values: Sequence[Number], dates: Sequence[str]) -> list[tuple[float, str]]:
    return [(float(v), d) for v, d in zip(values, dates, strict=True) if v is not None and np.isfinite(v)]


def beyond(values: Any, threshold: float, side: str, upper: float | None) -> NDArray[np.bool_]:
    """Which numbers are above or below a limit, or between two, these included."""
    if side == "between":
        return np.asarray((values >= threshold) & (values <= float(upper or 0)))
    return np.asarray(values > threshold if side == "above" else values < threshold)


def count_where(values: Any, threshold: float, side: str = "above", upper: float | None = None, **_: Any) -> int:
    return int(beyond(there(values), threshold, side, upper).sum())


def share_where(values: Any, threshold: float, side: str = "above", upper: float | None = None, **_: Any) -> float:
    return float(beyond(there(values), threshold, side, upper).mean())


def date_of_extreme(values: Any, dates: Sequence[str], which: str = "maximum") -> str:
    pairs = _with_dates(values, dates)
    best = (max if which == "maximum" else min)(value for value, _ in pairs)
    return ", ".join(sorted(date for value, date in pairs if value == best))


def dates_of(series: Sequence[Field]) -> list[str]:
    return [one.date for one in series]


def difference_of(a: float, b: float) -> float:
    return a - b


def percent_change(before: float, after: float) -> float:
    return 100.0 * (after - before) / abs(before)


def per_decade(rate: float) -> float:
    return 10.0 * rate


def ratio(a: float, b: float) -> float:
    return a / b


_OF_PERIOD: Mapping[str, Callable[[Any], Any]] = {
    "mean": np.mean,
    "sum": np.sum,
    "maximum": np.max,
    "minimum": np.min,
    "median": np.median,
}


def _period(date: str, by: str) -> str:
    lengths = {"year": 4, "month": 7, "day": 10}
    if by not in lengths:
        raise NoOpinionError(f"periods by {by}")
    return date[: lengths[by]]


def statistics_by_period(
    values: Any, dates: Sequence[str], by: str = "year", statistic: str = "mean"
) -> list[dict[str, Any]]:
    groups: dict[str, list[float]] = {}
    for value, date in sorted(_with_dates(values, dates), key=lambda pair: pair[1]):
        groups.setdefault(_period(date, by), []).append(value)
    return [{"period": p, "value": float(_OF_PERIOD[statistic](v)), "count": len(v)} for p, v in sorted(groups.items())]


def extreme_period(
    values: Any, dates: Sequence[str], by: str = "year", statistic: str = "mean", which: str = "maximum"
) -> str:
    rows = statistics_by_period(values, dates, by, statistic)
    best = (max if which == "maximum" else min)(row["value"] for row in rows)
    return next(str(row["period"]) for row in rows if row["value"] == best)


def average_year(
    values: Any, dates: Sequence[str], by: str = "month_of_year", statistic: str = "mean"
) -> list[dict[str, Any]]:
    groups: dict[int, dict[int, list[float]]] = {}
    for value, date in _with_dates(values, dates):
        year, month = int(date[:4]), int(date[5:7])
        part = month - 1
        if by == "season_of_year":
            year, part = year + (month == 12), month % 12 // 3
        groups.setdefault(part, {}).setdefault(year, []).append(value)
    names = _MONTHS if by == "month_of_year" else _SEASONS
    rows = {part: [float(_OF_PERIOD[statistic](one)) for one in of.values()] for part, of in groups.items()}
    return [{"period": names[p], "value": float(np.mean(v)), "years": len(v)} for p, v in sorted(rows.items())]


def table_column(table: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
    return [row.get(column) for row in table]


def place_of_extreme(
    table: Sequence[Mapping[str, Any]], column: str = "mean", which: str = "maximum", label: str | None = None
) -> str:
    rows = [row for row in table if row.get(column) is not None]
    best = (max if which == "maximum" else min)(row[column] for row in rows)
    found = [row for row in rows if row[column] == best]
    if label is None and any("name" not in row for row in found):
        raise NoOpinionError("names that the file does not give")
    return ", ".join(str(row[label] if label else row.get("name") or f"class {row['class']}") for row in found)


def series_trend(values: Any, dates: Sequence[str], seasons: str = "kept") -> float:
    if seasons != "kept":
        raise NoOpinionError("seasons that are removed")
    pairs = _with_dates(values, dates)
    return float(np.polyfit(years([date for _, date in pairs]), [value for value, _ in pairs], 1)[0])


def series_trend_table(values: Any, dates: Sequence[str], method: str = "linear", seasons: str = "kept") -> Any:
    if seasons != "kept" or method != "linear":
        raise NoOpinionError("seasons that are removed, and other methods")
    pairs = _with_dates(values, dates)
    line = stats.linregress(years([date for _, date in pairs]), [value for value, _ in pairs])
    return [{"slope": line.slope, "p_value": line.pvalue, "r": line.rvalue, "count": len(pairs)}]


def statistic(name: str) -> Callable[..., float]:
    """A statistic of a list of numbers by its name."""
    functions: Mapping[str, Callable[[Any], Any]] = {
        "mean": np.mean,
        "median": np.median,
        "minimum": np.min,
        "maximum": np.max,
        "total": np.sum,
        "standard_deviation": lambda values: np.std(values, ddof=1),
    }

    def found(x: Any) -> float:
        listed = x if isinstance(x, (list, tuple)) else [x]
        if any(isinstance(one, Direction) for one in listed):
            if name != "mean":
                raise NoOpinionError("statistics of directions but their mean")
            return Direction(around(there(x)))
        return float(functions[name](there(x)))

    return found


def first(x: Any) -> float:
    return float(there(x)[0])


def last(x: Any) -> float:
    return float(there(x)[-1])
