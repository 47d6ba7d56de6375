"""Whether an answer is that of the oracle: the same keys, the same numbers once their units are told."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from knowflow_bench.grid.oracle import OR, Asked, Key

_FACTORS = {"%": 0.01, "1": 1.0, "": 1.0, "ha": 1.0, "km2": 100.0, "m2": 1e-4, "days": 1.0, "d": 1.0, "day": 1.0}
_COLUMNS = {"deviation": "std", "value": "mean"}
_RELATIVE = 1e-4  # rasters on the way are of single precision
_ABSOLUTE = 1e-6


def differs(answer: Any, unit: str | None, asked: Asked, statistic: str) -> str:
    """How an answer differs from what it should be; empty where it does not."""
    factor = _factor(unit)
    if factor is None:
        return f"a unit of {unit}"
    if set(asked.truth) == {()}:
        wanted = asked.truth[()]
        told = answer
        if isinstance(answer, Sequence) and not isinstance(answer, str):
            if len(answer) != 1:
                return f"{len(answer)} rows in place of one value"
            told = _value(answer[0], statistic, wanted)
        return "" if _same(told, wanted, factor) else f"{told} {unit or ''} in place of {wanted}"
    if isinstance(answer, str) or not isinstance(answer, Sequence):
        return f"{answer} in place of {len(asked.truth)} rows"
    return _rows_differ(answer, factor, asked, statistic)


def _rows_differ(rows: Sequence[Mapping[str, Any]], factor: float, asked: Asked, statistic: str) -> str:
    left = list(rows)
    for key, wanted in asked.truth.items():
        own = [row for row in left if _has(row, key)]
        if not own and _unknown(wanted):
            continue
        if len(own) != 1:
            return f"{len(own)} rows of {'/'.join(key)}, of {len(rows)}"
        left.remove(own[0])
        told = _value(own[0], statistic, wanted, key)
        if not _same(told, wanted, factor):
            return f"{'/'.join(key)}: {told} in place of {wanted}"
    more = [row for row in left if _named(row)]
    return f"{len(more)} rows more, such as {dict(more[0])}" if more else ""


def _has(row: Mapping[str, Any], key: Key) -> bool:
    """Whether a row is of a key: each part of it is in a column of its own."""
    return all(any(_is(value, part) for value in row.values()) for part in key)


def _is(value: Any, part: str) -> bool:
    cell = str(value) if isinstance(value, str | int) else ""
    return cell == part or cell[: len(part) + 1] in (f"{part}-", f"{part}T")


def _named(row: Mapping[str, Any]) -> bool:
    """Whether what a row is of has a name, and its value is known: what the map has no name for may have a row."""
    return not any(value in ("", None) or re.fullmatch(r"class \d+", str(value)) for value in row.values())


def _value(row: Mapping[str, Any], statistic: str, wanted: Any, key: Key = ()) -> Any:
    if isinstance(wanted, str):  # a date or a month is a key of the row
        texts = [value for value in row.values() if isinstance(value, str)]
        return next((text for text in texts if _same(text, wanted, 1.0)), texts[-1] if texts else None)
    for name in ("value", statistic, _COLUMNS.get(statistic, "")):
        if name in row:
            return row[name]
    left = [value for value in row.values() if not any(_is(value, part) for part in key)]
    return left[0] if len(left) == 1 else None  # the one column that is no key, whatever it is called


def _unknown(one: Any) -> bool:
    return one is None or (isinstance(one, float) and math.isnan(one))


def _same(told: Any, wanted: Any, factor: float) -> bool:
    if _unknown(wanted):
        return _unknown(told)
    if isinstance(wanted, bool):
        return bool(told in ((True, "yes", 1.0) if wanted else (False, "no", 0.0)))
    if isinstance(wanted, str):
        return any(str(told)[: len(one)] == one for one in wanted.split(OR))
    if not isinstance(told, int | float):
        return False
    return math.isclose(float(told) * factor, wanted, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _factor(unit: str | None) -> float | None:
    """What a number in a unit is in that of the oracle; a slope per year is in its own."""
    plain = re.sub(r"\s*(year-1|yr-1|/ ?year|per year)$", "", unit or "").strip()
    return _FACTORS.get(plain or "1")
