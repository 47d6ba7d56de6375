"""Statistics of the rows of a table: of a column, of all of them or taken together by another column or by when they
were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.columns import numbers_in
from knowflow.ground.errors import ToolError
from knowflow.ground.row_times import times_by
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.ground import named
from knowflow.tools.kernels import keyed
from knowflow.tools.zonal import Zones, read_features

_MOST_LETTERS = 80  # of a name, as keys have it


def row_statistics(
    features: Artifact,
    statistic: keyed.Statistic,
    attribute: str = "",
    keys: Sequence[str] = (),
    by: str = "",
    grain: str = "",
    names: Sequence[str] = (),
    unit: str = "1",
    p: float | None = None,
) -> list[float]:
    """A statistic of a column for each key, in order; without keys of all rows, without a column how many there are.

    ``by`` is the column that holds the keys, ``grain`` tells them by when each row was instead: its date, month or
    year. ``names`` are those of the rows that are meant, texts of any column. Rows in which the column says nothing do
    not count, which is told; of a key without a row nothing is known. Raises ``ToolError`` where there is no such
    column, where it holds no numbers, or where nothing tells when rows were.
    """
    found = named(read_features(features), names)
    numbers = np.ones(len(found)) if not attribute else _numbers(found, attribute)
    unknown = int(np.isnan(numbers).sum())
    if unknown:
        tell(f"of {unknown} of {len(numbers)} rows the table tells no {attribute!r}: they do not count")
    if not by and not grain:
        return [float(keyed.statistic(statistic, numbers, p))]
    told = np.array(keys_of_rows(found, by, grain), dtype=object)
    return [float(keyed.statistic(statistic, numbers[told == key], p)) for key in keys]


def _numbers(found: Zones, attribute: str) -> NDArray[np.float64]:
    try:
        return np.array(numbers_in(_column(found, attribute)), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ToolError(f"the column {attribute!r} holds no numbers", expected="numbers", found=str(error)) from error


def _column(found: Zones, name: str) -> Sequence[object]:
    if name not in found.fields:
        raise ToolError(f"there is no column {name!r}", expected=", ".join(found.fields) or "columns", found=name)
    return found.fields[name]


def keys_of_rows(found: Zones, by: str, grain: str) -> Sequence[str]:
    """By what each row is taken together with others."""
    if not grain:
        return ["" if one is None else str(one).strip()[:_MOST_LETTERS] for one in _column(found, by)]
    told = times_by(found.fields, grain)
    if told is None:
        raise ToolError(f"no column tells the {grain} of a row", expected=f"a {grain}", found=", ".join(found.fields))
    return told
