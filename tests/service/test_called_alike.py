"""A place and a point that are called alike: what a map tells in it is of the place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow


def _layer(place: Path, features: list[tuple[dict[str, object], dict[str, object]]]) -> None:
    listed = [{"type": "Feature", "properties": own, "geometry": geometry} for own, geometry in features]
    place.write_text(json.dumps({"type": "FeatureCollection", "features": listed}))


def _box(west: float, south: float, east: float, north: float) -> dict[str, object]:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def test_in_a_place_is_in_the_polygon_not_where_a_point_is_called_so(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    grid = {"crs": "EPSG:4326", "transform": rasterio.Affine(0.1, 0, 10, 0, -0.1, 46), "width": 4, "height": 2}
    with rasterio.open(folder / "ndvi_2020-06-01.tif", "w", driver="GTiff", count=1, dtype="float32", **grid) as file:
        file.write(np.array([[[0.2, 0.4, 0.6, 0.8]] * 2], "float32").reshape(1, 2, 4))
    _layer(
        folder / "towns.geojson",
        [({"name": "Arenal"}, _box(10, 45.8, 10.2, 46)), ({"name": "Boca"}, _box(10.2, 45.8, 10.4, 46))],
    )
    _layer(
        folder / "wells.geojson",
        [
            ({"name": "Arenal", "depth_m": 12}, {"type": "Point", "coordinates": [10.35, 45.95]}),
            ({"name": "Norte", "depth_m": 30}, {"type": "Point", "coordinates": [10.05, 45.95]}),
        ],
    )
    flow = KnowFlow(tmp_path / "home")
    found = flow.run("What was the mean NDVI in Arenal on 1 June 2020?", folder, out=tmp_path / "out").answer
    assert found == pytest.approx(0.3)
