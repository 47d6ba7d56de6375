"""The bands of a scene without its clouds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from raster_files import opened, write

from knowflow.tools.scene_bands import clear_bands


def test_clouds_are_gone_from_all_bands_and_nothing_else(tmp_path: Path) -> None:
    numbers = np.arange(2 * 30 * 40, dtype=np.int16).reshape(2, 30, 40) + 1
    numbers[1, 5, 5] = 0
    facts = {"quantity": "surface_bidirectional_reflectance", "unit": "1"}
    bands = {
        name: write(tmp_path / f"{name}.tif", numbers[place], nodata=0, scale=1e-4, facts=facts)
        for place, name in enumerate(("nir", "red"))
    }
    clouds = np.zeros((30, 40), np.uint8)
    clouds[:3], clouds[29] = 1, 255
    clear_bands(bands, write(tmp_path / "clouds.tif", clouds, nodata=255), tmp_path / "clear.tif")
    truth = np.where(clouds == 0, numbers * 1e-4, np.nan)
    truth[1, 5, 5] = np.nan
    with opened(tmp_path / "clear.tif") as found:
        np.testing.assert_allclose(found.read(), truth, rtol=1e-6)
        assert found.descriptions == ("nir", "red")
        assert found.tags()["QUANTITY"] == "surface_bidirectional_reflectance"
        assert found.tags()["CLOUD_MASKED"] == "YES"
