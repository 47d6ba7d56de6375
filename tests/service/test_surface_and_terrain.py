"""Models of the surface and of the bare ground in one folder are two layers, whatever dates their names tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

AT = Affine(1, 0, 636400, 0, -1, 5214300)
GROUND = 0.1 * np.add.outer(np.arange(12.0), np.arange(12.0)) + 300
STANDING = np.where(np.indices((12, 12)).sum(axis=0) % 3 == 0, 9.0, 0.0)
NAMES = [("dsm_20230718.tif", "dtm_2023.tif"), ("dsm.tif", "dtm.tif"), ("MDS_2021.tif", "MDT_2019.tif")]


def folder(root: Path, surface: str, terrain: str) -> Path:
    root.mkdir()
    grid: dict[str, Any] = {"driver": "GTiff", "width": 12, "height": 12, "count": 1, "dtype": "float32"}
    for name, values in ((surface, GROUND + STANDING), (terrain, GROUND)):
        with rasterio.open(root / name, "w", crs="EPSG:32631", transform=AT, **grid) as file:
            file.write(values.astype("float32"), 1)
    return root


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize(
    ("query", "truth"),
    [
        ("What is the mean elevation?", GROUND.mean()),
        ("What is the mean elevation of the terrain?", GROUND.mean()),
        ("What is the maximum elevation of the ground?", GROUND.max()),
        ("What is the mean elevation of the surface model?", (GROUND + STANDING).mean()),
        ("What is the maximum elevation of the surface?", (GROUND + STANDING).max()),
    ],
)
def test_heights_are_of_the_ground_unless_the_surface_is_named(
    tmp_path: Path, names: tuple[str, str], query: str, truth: float
) -> None:
    found = KnowFlow(tmp_path / "home").run(query, folder(tmp_path / "data", *names), out=tmp_path / "out")
    assert found.answer == pytest.approx(truth, rel=1e-6)


def test_the_slope_of_the_ground_is_no_slope_of_what_stands_on_it(tmp_path: Path) -> None:
    data = folder(tmp_path / "data", *NAMES[0])
    ground, surface = (
        KnowFlow(tmp_path / "home").run(f"What is the mean slope{of}?", data, out=tmp_path / "out").answer
        for of in ("", " of the surface")
    )
    assert ground == pytest.approx(np.degrees(np.arctan(0.1 * np.sqrt(2))), abs=0.1)
    assert surface > 30


def test_a_surface_model_alone_is_the_elevation_at_hand(tmp_path: Path) -> None:
    data = folder(tmp_path / "data", *NAMES[0])
    (data / "dtm_2023.tif").unlink()
    found = KnowFlow(tmp_path / "home").run("What is the mean elevation?", data, out=tmp_path / "out")
    assert found.answer == pytest.approx((GROUND + STANDING).mean(), rel=1e-6)
