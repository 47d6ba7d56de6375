"""A class that one of two maps has had no area where the other was made: it gained all that it has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

NAMES = {1: "forest", 2: "grassland", 3: "cropland", 4: "orchard"}


def write(path: Path, numbers: np.ndarray) -> None:
    rows, columns = numbers.shape
    place = Affine(100, 0, 500000, 0, -100, 5100000)
    with rasterio.open(path, "w", "GTiff", columns, rows, 1, "EPSG:32633", place, "uint8") as file:
        file.write(numbers.astype(np.uint8), 1)
        classes = ", ".join(f"{code}={name}" for code, name in NAMES.items())
        file.update_tags(QUANTITY="land_cover_class", UNIT="1", CLASSES=classes)


@pytest.mark.parametrize("seed", range(4))
def test_what_each_class_gained_counts_those_that_appear_or_vanish(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = rng.choice([1, 2, 3], size=(12, 15), p=[0.4, 0.35, 0.25])
    after = rng.choice([1, 2, 4], size=(12, 15), p=[0.3, 0.25, 0.45])
    write(tmp_path / "land_cover_2010.tif", before)
    write(tmp_path / "land_cover_2020.tif", after)
    gained = {name: int((after == code).sum() - (before == code).sum()) for code, name in NAMES.items()}
    flow = KnowFlow(home=tmp_path.parent / f"home{seed}")
    for word, chosen in (("gained", max), ("lost", min)):
        asked = f"Which land cover class {word} the most area between 2010 and 2020?"
        found = flow.run(asked, tmp_path, out=tmp_path / "out")
        assert found.status == "completed", found.error
        told = found.answer if isinstance(found.answer, str) else found.answer[0]["class"]
        assert told == chosen(gained, key=gained.__getitem__), found.understood
