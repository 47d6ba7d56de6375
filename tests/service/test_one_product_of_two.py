"""Two products of one quantity, both with a date: a question that names one is answered by its file alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow import KnowFlow

PLACE = Affine(0.001, 0, 14.0, 0, -0.001, 46.0)


def _write(path: Path, height: float) -> None:
    profile = {"driver": "GTiff", "count": 1, "dtype": "float32", "width": 8, "height": 8, "crs": "EPSG:4326"}
    with rasterio.open(path, "w", transform=PLACE, **profile) as file:
        file.write(np.full((1, 8, 8), height, "float32"))


@pytest.mark.parametrize("year", [1999, 2013])
def test_a_named_product_is_taken_out_of_the_series(tmp_path: Path, year: int) -> None:
    data = tmp_path / "data"
    data.mkdir()
    _write(data / "N45E014_SRTMGL1_2000.tif", 700.0)
    _write(data / "Copernicus_DSM_COG_10_N45_00_E014_00_DEM.tif", 720.0)
    (data / "readme.txt").write_text(f"Copernicus DEM GLO-30: here from TanDEM-X of February {year}.")
    asked = "What is the highest elevation in the Copernicus DEM?"
    assert KnowFlow(tmp_path / "home").run(asked, data, out=tmp_path / "out").answer == pytest.approx(720.0)
