"""Dates beyond a limit at every pixel, of rasters whose values are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import artifact, write

from knowflow.tools.occurrence import dates_beyond_limit
from knowflow.tools.raster import read_array

NAN = np.nan


@pytest.mark.parametrize(
    ("side", "upper", "measure", "expected"),
    [
        ("above", None, "count", [[2, 1, 0, NAN]]),
        ("above", None, "share", [[1, 0.5, 0, NAN]]),
        ("below", None, "count", [[0, 1, 1, NAN]]),
        ("between", 12.0, "share", [[0.5, 0, 0, NAN]]),
    ],
)
def test_dates_without_a_value_count_neither_way(
    tmp_path: Path, side: str, upper: float | None, measure: str, expected: list[list[float]]
) -> None:
    days = [np.array([[12, 3, NAN, NAN]]), np.array([[15, 20, 1, NAN]])]
    rain = [
        write(tmp_path / f"{day}.tif", values.astype(np.float32), tags={"QUANTITY": "precipitation", "UNIT": "mm"})
        for day, values in enumerate(days)
    ]
    dates_beyond_limit(rain, 10.0, tmp_path / "days.tif", side, upper, measure=measure)  # type: ignore[arg-type]
    found = artifact(tmp_path / "days.tif")
    np.testing.assert_allclose(read_array(found), expected)
