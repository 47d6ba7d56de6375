"""Laboratory values of points against a map of the same, as NumPy has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

CELL = 250


@pytest.mark.parametrize("seed", range(2))
def test_bias_rmse_and_correlation_are_those_of_the_pixels_that_points_lie_in(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ph = rng.integers(52, 78, size=(20, 24)).astype(np.int16)
    place = Affine(CELL, 0, 500000, 0, -CELL, 5500000)
    with rasterio.open(
        tmp_path / "phh2o_0-5cm_mean.tif", "w", "GTiff", 24, 20, 1, "EPSG:32633", place, "int16", nodata=-32768
    ) as file:
        file.write(ph, 1)
    rows, columns = rng.choice(20, 9, replace=False), rng.choice(24, 9, replace=False)
    there = ph[rows, columns] / 10
    lab = np.round(there + rng.normal(0.2, 0.4, 9), 2)
    lines = ["sample,easting,northing,ph_lab"]
    for n, (row, column, value) in enumerate(zip(rows, columns, lab, strict=True), start=1):
        lines.append(f"S{n},{500000 + CELL * (column + 0.4):.1f},{5500000 - CELL * (row + 0.4):.1f},{value}")
    (tmp_path / "lab_samples.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "readme.txt").write_text("SoilGrids pH x 10 (pH in water). Samples: EPSG:32633.\n")
    apart = there - lab
    flow = KnowFlow(home=tmp_path.parent / f"home{seed}")
    for asked, wanted in (
        ("By how much is the lab pH higher than the map pH at the sample points, on average?", -apart.mean()),
        ("RMSE of the SoilGrids pH against the lab samples", np.sqrt((apart**2).mean())),
        ("What is the correlation between lab pH and map pH?", np.corrcoef(lab, there)[0, 1]),
        ("At how many samples is the map pH above the lab pH?", (apart > 1e-6).sum()),
    ):
        found = flow.run(asked, tmp_path, out=tmp_path / "out")
        assert found.status == "completed", found.error
        assert found.answer == pytest.approx(wanted, abs=1e-5), found.understood
    asked = "Which sample has the largest difference between map and lab pH?"
    found = flow.run(asked, tmp_path, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer[0]["name"] == f"S{np.abs(apart).argmax() + 1}"
