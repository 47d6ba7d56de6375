"""Features are asked about by the words that a note has for their columns and values; answers are those of NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from affine import Affine
from rasterio import open as open_raster

from knowflow.ground.vectors import write
from knowflow.roof.library import KnowFlow

WEST, NORTH = 500_000.0, 5_100_000.0  # on the central meridian of the zone, where the scale is 0.9996
CRS = "EPSG:32633"
PLOTS = {
    "nr": np.array([f"P{n}" for n in range(1, 6)], dtype=object),
    "ba": np.array(["fi", "bu", "fi", "fi", "bu"], dtype=object),
    "bes": np.array(["priv", "gem", "gem", "priv", "gem"], dtype=object),
    "alt": np.array([40, 95, 81, 12, 60]),
    "vrt": np.array([200.0, 310.5, 250.0, 20.0, 180.0]),
    "ew_2010": np.array([10, 20, 5, 3, 8]),
    "ew_2020": np.array([12, 10, 9, 3, 8]),
}
FIRES = {
    "year": np.array([2003, 2010, 2015, 2021]),
    "day": np.array(["2003-08-01", "2010-07-04", "2015-07-30", "2021-06-02"], dtype=object),
    "mw": np.array([12.0, 55.0, 31.0, 8.0]),
    "count": np.array([1, 4, 2, 7]),
    "art": np.array(["crown", "ground", "crown", "crown"], dtype=object),
}
NOTE = """bestand.gpkg = stands. ba: tree species (fi spruce, bu beech); bes = owner (priv private, gem municipal);
alt = age in years, vrt = standing volume in m3 per hectare; ew_YYYY = number of residents.
feuer.gpkg = fires; mw = power in MW, count = trees burned.
"""
SIDE = 100.0
HA = SIDE * SIDE / 1e4 / 0.9996**2


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stands")
    boxes = [shapely.box(WEST + SIDE * n, NORTH - SIDE, WEST + SIDE * (n + 1), NORTH) for n in range(5)]
    points = [shapely.Point(WEST + SIDE * n + 50, NORTH - 50) for n in range(4)]
    for name, shapes, columns, kind in (
        ("bestand", boxes, PLOTS, "Polygon"),
        ("feuer", points, FIRES, "Point"),
    ):
        shaped = shapely.to_wkb(np.array(shapes, dtype=object))
        write(folder / f"{name}.gpkg", shaped, list(columns.values()), list(columns), geometry_type=kind, crs=CRS)
    (folder / "readme.txt").write_text(NOTE)
    grid = {"crs": CRS, "transform": Affine(10, 0, WEST, 0, -10, NORTH)}
    with open_raster(folder / "slope.tif", "w", "GTiff", 50, 10, 1, dtype="float32", **grid) as file:
        file.write(np.tile(np.arange(50, dtype=np.float32), (10, 1)), 1)
        file.update_tags(QUANTITY="slope", UNIT="degree")
    return folder


@pytest.mark.parametrize(
    ("question", "expected", "unit"),
    [
        ("How many stands are older than 80 years?", 2, None),
        ("What is the total standing volume of the spruce stands, in m3?", (200 + 250 + 20) * HA, "m3"),
        ("How many municipal stands are beech?", 2, None),
        ("How many hectares of private stands are spruce?", 2 * HA, "ha"),
        ("Which stand gained the most residents between 2010 and 2020 in percent?", "P3", None),
        ("What was the total power of the fires in 2010?", 55, "MW"),
        ("How many fires did the satellite see in July?", 2, None),
        ("How many crown fires were there before 1 August 2015?", 2, None),
        ("What was the mean power of the fires in August 2003?", 12, "MW"),
        ("By how many residents did stand P1 grow from 2010 to 2020?", 2, None),
        ("How many people live in stand P2 in 2020 per square kilometre?", 10 / HA * 100, "km-2"),
        ("How many fires happened in 2010 or later?", 3, None),
        ("What was the total power of the 2015 fires?", 31, "MW"),
        ("What was the mean residents of the stands in 2010?", 9.2, None),
        ("How many hectares have a slope below 20 degrees and lie in municipal stands?", 1.0, "ha"),
        ("How many hectares are steeper than 24 degrees and lie outside the spruce stands?", 1.0, "ha"),
        ("How many fires with a power above 10 MW were there before 1 August 2015?", 3, None),
        ("How many crown fires were there in 2015 or later?", 2, None),
        ("What is the total power of the crown fires where the slope is below 26 degrees?", 43.0, "MW"),
    ],
)
def test_answers_are_those_of_the_columns(data: Path, tmp_path: Path, question: str, expected: Any, unit: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    answer = found.answer[0]["name"] if isinstance(found.answer, (list, tuple)) else found.answer
    assert answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-4)), found.understood
    assert unit is None or found.unit == unit


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many fires are not crown fires?", 1),
        ("What is the mean slope of the stands that are not spruce?", (14.5 + 44.5) / 2),
        ("What is the mean slope of the municipal spruce stands?", 24.5),
    ],
)
def test_of_other_values_and_of_two(data: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(expected, rel=1e-4), found.understood
