"""Whole numbers of no known scale count as they are, which is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow


@pytest.mark.parametrize(("tagged", "told"), [(None, True), (0.1, False)])
def test_a_scale_that_nothing_tells_is_told_to_be_open(tmp_path: Path, tagged: float | None, told: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    grid = {"crs": "EPSG:4326", "transform": rasterio.Affine(0.1, 0, 90, 0, -0.1, 25), "width": 8, "height": 8}
    place = folder / "rain 17 June 2022.tif"
    with rasterio.open(place, "w", driver="GTiff", count=1, dtype="uint16", nodata=29999, **grid) as dataset:
        dataset.write(np.arange(100, 1380, 20, dtype="uint16").reshape(1, 8, 8))
        if tagged is not None:
            dataset.scales = (tagged,)
    found = KnowFlow(tmp_path / "home").plan("What was the mean precipitation on 17 June 2022?", folder)
    notes = [note for note in found.notes if note.startswith("no scale is told")]
    assert bool(notes) is told
    assert all("rain 17 June 2022:scale=" in note for note in notes)
