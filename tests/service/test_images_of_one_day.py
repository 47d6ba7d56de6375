"""Of several images of a day the mean stands for it, but where the largest or the smallest number is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow.roof.library import KnowFlow

HOURS = np.random.default_rng(4).uniform(270, 290, (4, 6, 8)).astype("float32")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hours")
    grid = {"crs": "EPSG:32633", "transform": Affine(1000, 0, 500000, 0, -1000, 5000000)}
    for hour, values in zip((0, 6, 12, 18), HOURS, strict=True):
        path = folder / f"air_temperature_20240109T{hour:02}0000.tif"
        with rasterio.open(path, "w", "GTiff", 8, 6, 1, dtype="float32", **grid) as file:
            file.write(values, 1)
            file.update_tags(QUANTITY="air_temperature", UNIT="K")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("maximum air temperature on 9 January 2024", HOURS.max()),
        ("mean air temperature on 9 January 2024", HOURS.mean()),
        (
            "difference between the maximum and the minimum air temperature on 9 January 2024",
            HOURS.max() - HOURS.min(),
        ),
        ("On how many days was the maximum air temperature above 289 K?", 1),
    ],
)
def test_an_extreme_is_one_of_all_images(data: Path, tmp_path: Path, question: str, expected: float) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float(expected), rel=1e-5), found.understood


WINDS = np.random.default_rng(5).uniform(-12, 12, (2, 8, 6, 8)).astype("float32")  # of two days, four each
SPEEDS = np.hypot(*WINDS)


@pytest.fixture(scope="module")
def winds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("winds")
    grid = {"crs": "EPSG:32633", "transform": Affine(1000, 0, 500000, 0, -1000, 5000000)}
    for number in range(8):
        day, hour = 9 + number // 4, 6 * (number % 4)
        for name, kind, values in zip("uv", ("eastward_wind", "northward_wind"), WINDS[:, number], strict=True):
            path = folder / f"{name}10_202401{day:02}T{hour:02}0000.tif"
            with rasterio.open(path, "w", "GTiff", 8, 6, 1, dtype="float32", **grid) as file:
                file.write(values, 1)
                file.update_tags(QUANTITY=kind, UNIT="m s-1", DATETIME=f"2024-01-{day:02}T{hour:02}:00:00")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the highest wind speed?", SPEEDS.max()),
        ("What was the highest wind speed on 9 January 2024?", SPEEDS[:4].max()),
        ("What was the mean wind speed on 10 January 2024?", SPEEDS[4:].mean()),
        ("What was the mean wind speed?", SPEEDS.mean()),
        ("On how many days was the maximum wind speed above 1 m/s?", 2),
    ],
)
def test_what_is_calculated_is_calculated_of_each_image(
    winds: Path, tmp_path: Path, question: str, expected: float
) -> None:
    found = KnowFlow(tmp_path / "home").run(question, winds, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float(expected), rel=1e-5), found.understood
