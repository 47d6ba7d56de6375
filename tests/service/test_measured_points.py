"""What points, or rows without a place, were measured to have is theirs, whatever map there is of the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from rasterio import open as open_raster

from knowflow import KnowFlow

MAP = (6 + np.add.outer(np.arange(20) / 20, np.arange(20) / 40)).astype(np.float32)
SAMPLES = (("S1", 15.05, 45.95, 5.1), ("S2", 15.25, 45.55, 6.4), ("S3", 15.45, 45.85, 5.6), ("S4", 15.65, 45.25, 7.2))
PH = [one[3] for one in SAMPLES]
AT_S2 = MAP[4, 2]


@pytest.fixture(scope="module", params=["with places", "without"])
def data(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("soil")
    grid = {"crs": "EPSG:4326", "transform": Affine(0.1, 0, 15, 0, -0.1, 46)}
    with open_raster(folder / "soil_ph.tif", "w", "GTiff", 20, 20, 1, dtype="float32", **grid) as file:
        file.write(MAP, 1)
        file.update_tags(QUANTITY="soil_ph", UNIT="1")
    placed = request.param == "with places"
    lines = [("sample", "lon", "lat", "pH_H2O"), *SAMPLES]
    kept = [one if placed else (one[0], one[3]) for one in lines]
    text = "\n".join(",".join(map(str, line)) for line in kept)
    (folder / "lab_samples.csv").write_text(text + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many lab samples have a pH under 6?", 2),
        ("Which lab sample had the lowest pH?", "S1"),
        ("Which lab sample was the most acid?", "S1"),
        ("What is the average pH of the lab samples?", np.mean(PH)),
        ("What share of the lab samples has a pH above 6, in percent?", 50),
        ("What is the mean soil pH of the whole area?", MAP.mean()),
    ],
)
def test_they_are_asked_about_by_their_own_column(data: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    answer = found.answer[0]["name"] if isinstance(found.answer, (list, tuple)) else found.answer
    assert answer == (expected if isinstance(expected, str) else pytest.approx(float(expected), rel=1e-3))


def test_the_ground_at_a_point_is_that_of_the_map(data: Path, tmp_path: Path) -> None:
    if "lon" not in (data / "lab_samples.csv").read_text(encoding="utf-8"):
        pytest.skip("rows without a place lie on no ground")
    found = KnowFlow(tmp_path / "home").run("What is the soil pH at sample S2?", data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float(AT_S2), rel=1e-5)
