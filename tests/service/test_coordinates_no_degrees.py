"""GeoJSON without a CRS is read as degrees by its format; coordinates that can be none are those of the data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.reason.inventory import take_inventory

VALUES = np.arange(1600, dtype=np.float32).reshape(40, 40) / 1600
PLACE = Affine(10, 0, 500_000, 0, -10, 5_100_000)
IN_WEST = "What was the mean NDVI in West?"


def write(folder: Path, crs: str = "EPSG:32633") -> None:
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": "float32", "transform": PLACE}
    with rasterio.open(folder / f"NDVI_2020-06-01_{crs[-2:]}.tif", "w", **profile, crs=crs) as file:
        file.write(VALUES, 1)
        file.update_tags(QUANTITY="ndvi")


def draw(folder: Path, x: float, y: float, pixel: float = 10) -> Path:
    """A polygon of 20 x 40 pixels without a word on its CRS."""
    east, south = x + 20 * pixel, y - 40 * pixel
    ring = [[x, y], [east, y], [east, south], [x, south], [x, y]]
    west = {"type": "Feature", "properties": {"name": "West"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    file = folder / "fields.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [west]}))
    return file


def test_they_are_in_the_crs_of_the_rasters_that_they_lie_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write(data)
    draw(data, 500_000, 5_100_000)
    found = KnowFlow().run(IN_WEST, data, out=tmp_path / "out")
    assert found.answer == pytest.approx(VALUES[:, :20].mean(), abs=1e-6)
    assert any(one.value == "EPSG:32633" and "lie on the rasters" in one.because for one in found.assumptions)


def test_an_area_of_interest_is_placed_so_too(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write(data)
    area = draw(tmp_path, 500_200, 5_100_000)
    found = KnowFlow().run("What was the mean NDVI?", data, aoi=str(area), out=tmp_path / "out")
    assert found.answer == pytest.approx(VALUES[:, 20:].mean(), abs=1e-6)


@pytest.mark.parametrize(
    ("crs", "x"),
    [
        (["EPSG:32633"], 900_000),  # beside the data
        (["EPSG:32633", "EPSG:32632"], 500_000),  # on data of two zones
    ],
)
def test_where_nothing_tells_the_crs_it_is_asked_for(tmp_path: Path, crs: list[str], x: float) -> None:
    for one in crs:
        write(tmp_path, one)
    draw(tmp_path, x, 5_100_000)
    (fields,) = (item for item in take_inventory(tmp_path).artifacts if item.type == "vector")
    assert fields.fact("crs") is None
    refused = KnowFlow().run(IN_WEST, tmp_path, out=tmp_path / "out")
    assert (refused.status, refused.error and refused.error["code"]) == ("refused", "missing_fact")
    assert "crs" in str(refused.error)


def test_degrees_stay_degrees(tmp_path: Path) -> None:
    write(tmp_path)
    draw(tmp_path, 15.0, 46.0, 0.0001)
    (fields,) = (item for item in take_inventory(tmp_path).artifacts if item.type == "vector")
    assert fields.fact("crs") == "EPSG:4326"
