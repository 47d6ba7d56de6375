"""Which file of polygons is meant where a folder holds several vectors: never the first one by chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError

WEST, NORTH, PIXEL, SIDE = 500000, 5100000, 10, 20
PIXELS = np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) / SIDE**2


def square(row: int, column: int, pixels: int) -> dict[str, Any]:
    west, north = WEST + column * PIXEL, NORTH - row * PIXEL
    east, south = west + pixels * PIXEL, north - pixels * PIXEL
    return {
        "type": "Polygon",
        "coordinates": [[[west, north], [east, north], [east, south], [west, south], [west, north]]],
    }


def write_vector(path: Path, features: dict[str, dict[str, Any]]) -> None:
    named = [{"type": "Feature", "properties": {"name": name}, "geometry": one} for name, one in features.items()]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": named}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    place = Affine(PIXEL, 0, WEST, 0, -PIXEL, NORTH)
    with rasterio.open(
        data / "NDVI_2020-06-01.tif", "w", "GTiff", SIDE, SIDE, 1, "EPSG:32633", place, "float32"
    ) as file:
        file.write(PIXELS, 1)
    write_vector(data / "districts.geojson", {"Northside": square(0, 0, 8), "Southside": square(10, 0, 8)})
    write_vector(data / "parks.geojson", {"Riverbank": square(12, 12, 4)})
    write_vector(data / "a_stations.geojson", {"Hilltop": {"type": "Point", "coordinates": [WEST + 5, NORTH - 5]}})
    return data


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("What was the mean NDVI of each park?", [PIXELS[12:16, 12:16].mean()]),
        ("What was the mean NDVI of each district?", [PIXELS[:8, :8].mean(), PIXELS[10:18, :8].mean()]),
        ("What was the mean NDVI of Riverbank?", [PIXELS[12:16, 12:16].mean()]),
        ("What was the mean NDVI of Southside?", [PIXELS[10:18, :8].mean()]),
        ("What was the NDVI at Hilltop?", [PIXELS[0, 0]]),
    ],
)
def test_polygons_are_those_of_the_file_that_is_named_or_holds_the_name(
    folder: Path, tmp_path: Path, question: str, truth: list[float]
) -> None:
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    rows = found.answer if isinstance(found.answer, tuple) else [{"mean": found.answer}]
    assert [row["mean"] for row in rows] == pytest.approx(truth, abs=1e-6)


def test_polygons_of_several_files_that_the_question_does_not_tell_apart_are_asked_back(folder: Path) -> None:
    with pytest.raises(PlanningError, match="several files hold polygons") as refused:
        KnowFlow().plan("What was the mean NDVI of each polygon?", folder)
    assert refused.value.found == "districts, parks"


@pytest.mark.parametrize("features", [{}, {"Hilltop": {"type": "Point", "coordinates": [WEST + 5, NORTH - 5]}}])
def test_a_vector_without_polygons_is_refused_before_the_run(folder: Path, features: dict[str, Any]) -> None:
    (folder / "districts.geojson").unlink()
    write_vector(folder / "parks.geojson", features)
    with pytest.raises(PlanningError, match="there are no polygons"):
        KnowFlow().plan("What was the mean NDVI of each polygon?", folder)
    with pytest.raises(PlanningError, match="there is no polygon"):
        KnowFlow().plan("What was the mean NDVI?", folder, aoi=str(folder / "parks.geojson"))
