"""Shares and means of a globe in degrees are of its ground, and the answer says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from service_examples import Command

# 240 + 60 cos(latitude) K: above 290 K up to 33.557 degrees, whose sine is the share of the sphere; the mean of cos
# over it is pi / 4
QUESTIONS = {
    "what share of the area is warmer than 290 K": float(np.sin(np.arccos(5 / 6))),
    "what is the mean surface temperature": 240 + 60 * np.pi / 4,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_globe_is_weighted_by_the_true_area_of_its_pixels(knowflow: Command, tmp_path: Path, question: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    latitude = np.radians(89.5 - np.arange(180))
    values = np.repeat(240 + 60 * np.cos(latitude)[:, np.newaxis], 360, axis=1).astype(np.float32)
    profile = {"driver": "GTiff", "width": 360, "height": 180, "count": 1, "dtype": "float32", "nodata": float("nan")}
    transform = rasterio.Affine(1, 0, -180, 0, -1, 90)
    with rasterio.open(data / "lst_20200701.tif", "w", crs="EPSG:4326", transform=transform, **profile) as file:
        file.write(values, 1)
        file.update_tags(QUANTITY="surface_temperature", UNIT="K")
    ended = knowflow("run", question, "--data", data, "--out", tmp_path / "out", "--runner", "local")
    assert ended.code == 0
    assert ended.result["answer"] == pytest.approx(QUESTIONS[question], rel=0.015)
    assert [note for note in ended.result["notes"] if "weighted by the true area of the pixels" in note]
