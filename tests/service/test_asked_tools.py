"""Tools that answer by themselves, from the sentence to the file, beside what NumPy and the scene tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyogrio
import pytest
import rasterio
from scipy.ndimage import distance_transform_edt
from service_examples import scene

from knowflow.service.api import Service

DEM = {"name": "dem", "quantity": "elevation", "unit": "m", "values": "300 + 200 * x"}
WATER = {
    "name": "water",
    "quantity": "water_mask",
    "values": "x < 0.25",
    "dtype": "uint8",
    "nodata": 255,
    "dates": ["2022-06-01"],
}


def test_contour_lines_lie_at_each_step(tmp_path: Path) -> None:
    data = scene(tmp_path / "data", DEM)
    found = Service(tmp_path / "home").run("Draw contour lines every 50 m", data, out=tmp_path / "out")
    lines = pyogrio.raw.read(found.outputs["answer"])[3]
    assert sorted({float(value) for value in lines[-1]}) == [350.0, 400.0, 450.0]


def test_the_distance_to_water_is_that_of_scipy(tmp_path: Path) -> None:
    data = scene(tmp_path / "data", WATER)
    found = Service(tmp_path / "home").run("Map the distance to water", data, out=tmp_path / "out")
    (file,) = (path for name, path in found.outputs.items() if name.startswith("map"))
    with rasterio.open(file) as dataset:
        distances = dataset.read(1)
    x = np.broadcast_to((np.arange(32) + 0.5) / 32 < 0.25, (32, 32))
    assert distances == pytest.approx(distance_transform_edt(~x) * 10, abs=1e-3)


def test_a_number_in_a_unit_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    data = scene(tmp_path / "data", DEM)
    found = Service(tmp_path / "home").run("Draw contour lines every 5 kg", data, out=tmp_path / "out")
    assert found.status == "refused"
