"""Ground whose class is another at another time, whatever it is: of the ground that both maps know."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

NAMES = {1: "forest", 2: "grassland", 3: "cropland", 4: "orchard"}
GAP = 255


def write(path: Path, numbers: np.ndarray) -> None:
    rows, columns = numbers.shape
    place = Affine(100, 0, 500000, 0, -100, 5100000)
    with rasterio.open(path, "w", "GTiff", columns, rows, 1, "EPSG:32633", place, "uint8", nodata=GAP) as file:
        file.write(numbers.astype(np.uint8), 1)
        classes = ", ".join(f"{code}={name}" for code, name in NAMES.items())
        file.update_tags(QUANTITY="land_cover_class", UNIT="1", CLASSES=classes)


@pytest.mark.parametrize("seed", range(3))
def test_what_only_one_map_knows_neither_changed_nor_stayed(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    maps = [rng.choice([1, 2, 3, 4, GAP], size=(12, 15), p=[0.4, 0.2, 0.2, 0.1, 0.1]) for _ in range(2)]
    for year, numbers in zip((2010, 2020), maps, strict=True):
        write(tmp_path / f"land_cover_{year}.tif", numbers)
    known = (maps[0] != GAP) & (maps[1] != GAP)
    other = int((known & (maps[0] != maps[1])).sum())
    flow = KnowFlow(home=tmp_path.parent / f"home{seed}")
    for asked, wanted in (
        ("What share of the area changed its class from 2010 to 2020?", other / known.sum()),
        ("How many hectares have another land cover in 2020 than in 2010?", other),
        ("What share of the area kept the same class in both years?", 1 - other / known.sum()),
        ("How many different classes occur in 2020?", len({*maps[1].ravel()} - {GAP})),
    ):
        found = flow.run(asked, tmp_path, out=tmp_path / "out")
        assert found.status == "completed", found.error
        assert found.answer == pytest.approx(wanted), found.understood
