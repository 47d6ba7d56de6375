"""Whether a result is the true one: the number in its unit, the text, the rows, the pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.units import convert
from knowflow.service.results import RunResult
from knowflow_bench.tasks.documents import is_literal
from knowflow_bench.tasks.task_file import TrueAnswer
from knowflow_bench.truth import Fields, true_answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a result is right, and what was expected and found."""

    right: bool
    expected: str
    found: str


def judge(answer: TrueAnswer, fields: Fields, result: RunResult) -> Verdict:
    """Compare a completed result with the truth. Units are converted; one that does not fit is wrong."""
    if answer.pixels is not None:
        return _map(answer, fields, result)
    if answer.rows:
        return _rows(answer, fields, result)
    if answer.values:
        return _values(answer, fields, result)
    expected = truth(answer.value, fields)
    found = f"{result.answer!r} {result.unit or ''}".strip()
    shown = f"{expected!r} {answer.unit or ''} +- {answer.tolerance:g}" if isinstance(expected, float) else expected
    return Verdict(_same(answer, expected, result.answer, result.unit), str(shown).strip(), found)


def truth(value: Any, fields: Fields) -> Any:
    """A literal as it is, an expression as what it comes to."""
    if not isinstance(value, str):
        return float(value)
    return value[1:-1] if is_literal(value) else true_answer(value, fields)


def _same(answer: TrueAnswer, expected: Any, found: Any, unit: str | None) -> bool:
    if isinstance(found, (list, tuple)) and len(found) == 1 and isinstance(found[0], Mapping):
        return any(_same(answer, expected, value, unit) for value in found[0].values())  # a key and its value
    if isinstance(expected, str):
        # a date may be told with its time, a period with its first day
        return isinstance(found, (str, int)) and str(found).startswith(expected)
    number = _number(found)
    if number is None:
        return False
    if answer.unit is not None:
        if unit is None:
            return False
        try:
            number = float(convert(number, unit, answer.unit, difference=answer.difference))
        except KnowFlowError:
            return False
    wanted = float(expected)
    if answer.magnitude:
        number, wanted = abs(number), abs(wanted)
    return math.isclose(number, wanted, rel_tol=0.0, abs_tol=answer.tolerance)


def _number(found: Any) -> float | None:
    if isinstance(found, bool) or found is None:
        return None
    if isinstance(found, (list, tuple)):  # one number in a list of one is that number
        return _number(found[0]) if len(found) == 1 else None
    try:
        return float(found)
    except (TypeError, ValueError):
        return None


def _values(answer: TrueAnswer, fields: Fields, result: RunResult) -> Verdict:
    """Numbers by name: outputs of the run, or columns of a table of one row."""
    told: dict[str, tuple[Any, str | None]] = {
        name: (entry.get("value"), entry.get("unit")) for name, entry in result.values.items()
    }
    for record in _records(result.answer):
        told |= {name: (value, result.unit) for name, value in record.items()}
        break
    expected = {name: truth(value, fields) for name, value in answer.values.items()}
    right = all(name in told and _same(answer, value, *told[name]) for name, value in expected.items())
    return Verdict(right, repr(expected), repr({name: told.get(name, (None, None))[0] for name in expected}))


def _rows(answer: TrueAnswer, fields: Fields, result: RunResult) -> Verdict:
    expected = [{name: truth(value, fields) for name, value in row.items()} for row in answer.rows]
    found = list(_records(result.answer))
    named = bool(expected) and all(any(isinstance(value, str) for value in row.values()) for row in expected)
    if named:  # rows that have names are in no order
        found = (
            [_named(answer, wanted, found, result.unit) for wanted in expected] if len(found) == len(expected) else []
        )
    right = len(found) == len(expected) and all(
        _same_row(answer, wanted, row, result.unit) for wanted, row in zip(expected, found, strict=True)
    )
    if not right and len(found) == len(expected) and all("value" in row for row in found):
        right = _same_values(answer, expected, found)
    return Verdict(right, repr(expected), repr(found[:8]))


def _named(
    answer: TrueAnswer, wanted: Mapping[str, Any], found: list[Mapping[str, Any]], unit: str | None
) -> Mapping[str, Any]:
    """The row of the names that an expected one has; one of nothing where there is none."""
    names = {name: value for name, value in wanted.items() if isinstance(value, str)}
    return next((row for row in found if _same_row(answer, names, row, unit)), {})


def _same_values(answer: TrueAnswer, expected: list[dict[str, Any]], found: list[Mapping[str, Any]]) -> bool:
    """Whether rows of keys and values hold the one number, and the texts, of each expected row, in any order."""
    left = list(found)
    for wanted in expected:
        numbers = [value for value in wanted.values() if not isinstance(value, str)]
        texts = [value for value in wanted.values() if isinstance(value, str)]
        fitting = (
            row
            for row in left
            if all(any(str(told).startswith(text) for told in row.values()) for text in texts)
            and all(_same_row(answer, {"value": number}, row, None) for number in numbers)
        )
        row = next(fitting, None)
        if row is None or len(numbers) != 1:
            return False
        left.remove(row)
    return True


def _same_row(answer: TrueAnswer, expected: Mapping[str, Any], found: Mapping[str, Any], unit: str | None) -> bool:
    """Columns are compared by name; texts are told exactly, numbers to the tolerance in the table's unit."""
    for name, value in expected.items():
        if name not in found:
            return False
        if isinstance(value, str):
            if not str(found[name]).startswith(value):
                return False
        else:
            number = _number(found[name])
            if number is None or not math.isclose(number, value, rel_tol=0.0, abs_tol=answer.tolerance):
                return False
    return True


def _records(found: Any) -> Iterable[Mapping[str, Any]]:
    rows = found if isinstance(found, (list, tuple)) else (found,)
    return [row for row in rows if isinstance(row, Mapping)]


def _map(answer: TrueAnswer, fields: Fields, result: RunResult) -> Verdict:
    """A delivered map against the truth at every pixel; no data must be where the truth has none."""
    import rasterio

    expected = np.asarray(true_answer(answer.pixels or "", fields), dtype=np.float64)
    paths = [path for path in result.outputs.values() if path.endswith(".tif")]
    if not paths:
        return Verdict(False, "a map", "none")
    worst = math.inf
    for path in paths:
        with rasterio.open(path) as file:
            found = file.read(1, masked=True).astype(np.float64).filled(np.nan)
            found = found * (file.scales[0] or 1.0) + (file.offsets[0] or 0.0)
        if found.shape == expected.shape and (np.isnan(found) == np.isnan(expected)).all():
            worst = min(worst, float(np.nanmax(np.abs(found - expected), initial=0.0)))
    right = worst <= answer.tolerance
    return Verdict(right, f"within {answer.tolerance:g} of {answer.pixels}", f"off by {worst:g}")
