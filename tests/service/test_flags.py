"""Flags among the numbers of a product: cloud is told by them, and they are no values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow.roof.library import KnowFlow

STORED = np.arange(1600).reshape(40, 40) % 101
STORED[:8] = 250
STORED[8, :4] = 255
SNOW = (STORED >= 40) & (STORED <= 100)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("snow")
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": "uint8", "nodata": 255}
    profile |= {"crs": "EPSG:32632", "transform": Affine(500, 0, 600000, 0, -500, 5200000)}
    with rasterio.open(place / "MOD10A1.A2021097.h18v04.061.NDSI_Snow_Cover.tif", "w", **profile) as file:
        file.write(STORED.astype(np.uint8), 1)
    return place


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many square kilometres were covered by snow?", SNOW.sum() / 4),
        ("What share of the area was under cloud?", (STORED == 250).sum() / (STORED < 255).sum()),
        ("What share of the cloud-free area was covered by snow?", SNOW.sum() / (STORED <= 100).sum()),
    ],
)
def test_flags_of_a_snow_cover(folder: Path, tmp_path: Path, question: str, expected: float) -> None:
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(expected, rel=1e-6)
