"""Variables of one file along the months of no year are asked about by their months."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import netcdf_file

from knowflow.roof.library import KnowFlow

MONTHS = np.arange(1, 13)
WARM = np.stack([np.full((6, 8), 5.0 * month) + np.arange(8) for month in MONTHS]).astype(np.float32)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("normals")
    with netcdf_file(folder / "normals_1991-2020.nc", "w") as file:
        for name, values in (
            ("month", MONTHS),
            ("lat", 46.0 - 0.5 * np.arange(6)),
            ("lon", 15.0 + 0.5 * np.arange(8)),
        ):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file.variables["lat"].units, file.variables["lon"].units = "degrees_north", "degrees_east"
        for name, unit, said, values in (
            ("t2m", "degC", "mean air temperature at 2 m", WARM),
            ("precip", "mm day-1", "mean precipitation rate", WARM / 10),
        ):
            one = file.createVariable(name, "f4", ("month", "lat", "lon"))
            one.units, one.long_name = unit, said
            one[:] = values
    (folder / "towns.csv").write_text("town,lat,lon\nAdorf,45.5,15.5\nBehausen,44.5,17.5\n")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How warm is it in Adorf in March?", WARM[2, 1, 1]),
        ("Which town has the warmest June?", "Behausen"),
        ("In which town does it rain most in August?", "Behausen"),
    ],
)
def test_months_are_those_of_any_year(data: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    answer = found.answer[0]["name"] if isinstance(found.answer, (list, tuple)) else found.answer
    assert answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-5)), found.understood
