"""Sentences about amounts on drawn rasters, and what NumPy makes of the same arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow import KnowFlow

_SIDE = 100.0
_PLACE = Affine(_SIDE, 0, 500_000, 0, -_SIDE, 5_100_000)
_RNG = np.random.default_rng(5)
_SHAPE = (12, 15)
_AIR = {year: _RNG.uniform(5, 30, _SHAPE).astype(np.float32) for year in (2019, 2020)}
_PEOPLE = np.round(_RNG.uniform(0, 90, _SHAPE)).astype(np.float32)
_PEAT = _RNG.uniform(0, 4, _SHAPE).astype(np.float32)
_HEIGHT = _RNG.uniform(0, 40, _SHAPE).astype(np.float32)
_RAIN = {month: _RNG.uniform(1, 90, _SHAPE).astype(np.float32) for month in (1, 2, 3)}
_AIR[2020][:2, :3] = np.nan
_KNOWN = np.isfinite(_AIR[2020])


def _write(path: Path, values: np.ndarray, unit: str) -> None:
    rows, columns = values.shape
    given = {"count": 1, "dtype": "float32", "nodata": -9999.0, "crs": "EPSG:32633", "transform": _PLACE}
    with rasterio.open(path, "w", driver="GTiff", height=rows, width=columns, **given) as file:
        file.write(np.nan_to_num(values, nan=-9999.0), 1)
        file.units = (unit,)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("amounts")
    for year, air in _AIR.items():
        _write(folder / f"PM25_{year}.tif", air, "ug/m3")
    for month, rain in _RAIN.items():
        _write(folder / f"rainfall_2020-{month:02}.tif", rain, "mm")
    _write(folder / "population_2020.tif", _PEOPLE, "persons")
    _write(folder / "peat_depth.tif", _PEAT, "m")
    _write(folder / "dem.tif", _HEIGHT, "m")
    return folder


_BAD = _KNOWN & (_AIR[2020] > 15)


@pytest.mark.parametrize(
    ("question", "answer", "unit"),
    [
        ("How many people live where PM2.5 was above 15 µg/m3 in 2020?", _PEOPLE[_BAD].sum(), "1"),
        (
            "What share of the population lived where PM2.5 was above 15 µg/m3 in 2020?",
            _PEOPLE[_BAD].sum() / _PEOPLE[_KNOWN].sum(),
            "1",
        ),
        (
            "Population-weighted mean PM2.5 in 2020",
            np.nansum(_PEOPLE * _AIR[2020]) / _PEOPLE[_KNOWN].sum(),
            "ug m-3",
        ),
        (
            "What was the population-weighted mean PM2.5 of 2020 in mg/m3?",
            np.nansum(_PEOPLE * _AIR[2020]) / _PEOPLE[_KNOWN].sum() / 1e3,
            "mg m-3",
        ),
        ("How many people live below 10 m?", _PEOPLE[_HEIGHT < 10].sum(), "1"),
        ("How many m3 of peat are there?", _PEAT.sum() * _SIDE**2, "m3"),
        ("What is the volume of peat below 10 m, in million m3?", _PEAT[_HEIGHT < 10].sum() * _SIDE**2 / 1e6, "hm3"),
        (
            "What per cent of the 2020 rain fell between January and February?",
            (_RAIN[1] + _RAIN[2]).sum() / sum(_RAIN.values()).sum(),
            "1",
        ),
        ("What is the population density in people per km2?", _PEOPLE.mean() / (_SIDE / 1e3) ** 2, "km-2"),
        ("Average peat depth weighted by population", (_PEAT * _PEOPLE).sum() / _PEOPLE.sum(), "m"),
    ],
)
def test_an_amount_is_what_the_pixels_come_to(
    place: Path, tmp_path: Path, question: str, answer: float, unit: str
) -> None:
    found = KnowFlow(tmp_path / "home").run(question, place, out=tmp_path / "out")
    assert found.status == "completed", found.error
    values = [found.answer] if not isinstance(found.answer, list) else [row["mean"] for row in found.answer]
    assert (values, found.unit) == ([pytest.approx(float(answer), rel=1e-4)], unit)
