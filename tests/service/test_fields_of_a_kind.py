"""The area of features of a kind of each of which something holds is of those features, and of no ground in them."""

from __future__ import annotations

from pathlib import Path

import geopandas
import numpy as np
import pytest
from affine import Affine
from rasterio import open as open_raster
from shapely.geometry import box

from knowflow import KnowFlow

KINDS = ("maize", "beans", "maize", "maize", "beans")
WIDTHS = (4, 3, 5, 2, 6)  # pixels of 100 m, on ten rows
STARTS = np.concatenate([[0], np.cumsum(WIDTHS)[:-1]])
GROUNDS = {"ndvi": ("NDVI", 0.1, 0.8), "soil_moisture": ("soil moisture", 0.05, 0.45)}


@pytest.fixture(scope="module", params=[(kind, seed) for kind in GROUNDS for seed in (1, 2)], ids=str)
def case(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Path, str, np.ndarray]:
    kind, seed = request.param
    _, low, high = GROUNDS[kind]
    rng = np.random.default_rng(seed)
    means = rng.permutation(np.linspace(low + 0.05, high - 0.05, len(KINDS)))
    columns = np.repeat(means, WIDTHS)
    ground = (columns + rng.uniform(-0.05, 0.05, (10, columns.size))).astype(np.float32)
    folder = tmp_path_factory.mktemp("farm")
    grid = {"crs": "EPSG:32636", "transform": Affine(100, 0, 500000, 0, -100, 100000)}
    with open_raster(folder / f"{kind}.tif", "w", "GTiff", columns.size, 10, 1, dtype="float32", **grid) as file:
        file.write(ground, 1)
        file.update_tags(QUANTITY=kind, UNIT="1")
    shapes = [box(500000 + 100 * a, 99000, 500000 + 100 * (a + b), 100000) for a, b in zip(STARTS, WIDTHS, strict=True)]
    names = [f"Field {letter}" for letter in "ABCDE"]
    fields = geopandas.GeoDataFrame({"field": names, "crop": KINDS}, geometry=shapes, crs="EPSG:32636")
    fields.to_file(folder / "fields.gpkg")
    return folder, kind, ground


@pytest.mark.parametrize(
    "words",
    [
        "What is the area of the maize fields with a mean {name} above {limit}, in hectares?",
        "total area of the maize fields with a mean {name} above {limit} in ha",
        "How many hectares of the maize fields have a mean {name} above {limit}?",
    ],
)
def test_it_is_of_whole_features(case: tuple[Path, str, np.ndarray], tmp_path: Path, words: str) -> None:
    folder, kind, ground = case
    means = {at: ground[:, start : start + WIDTHS[at]].mean() for at, start in enumerate(STARTS)}
    maize = sorted((mean, at) for at, mean in means.items() if KINDS[at] == "maize")
    limit = round(float(maize[1][0]) - 0.01, 2)  # in the range of the pixels of one that it leaves in
    question = words.format(name=GROUNDS[kind][0], limit=limit)
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    expected = sum(WIDTHS[at] * 10 for mean, at in maize if mean > limit)
    assert found.answer == pytest.approx(expected, rel=1e-3), found.understood


def test_without_a_statistic_it_is_of_pixels(case: tuple[Path, str, np.ndarray], tmp_path: Path) -> None:
    folder, kind, ground = case
    name, low, high = GROUNDS[kind]
    limit = round((low + high) / 2, 2)
    inside = np.repeat([kind == "maize" for kind in KINDS], WIDTHS)
    question = f"How many hectares of the maize fields have {name} above {limit}?"
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float((ground[:, inside] > limit).sum()), rel=1e-3), found.understood
