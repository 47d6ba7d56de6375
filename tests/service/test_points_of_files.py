"""Questions about the points of a vector file: each is the pixel that it lies in."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow import KnowFlow

AREA = json.dumps(
    {
        "type": "Feature",
        "properties": {},
        "geometry": {
            "type": "Polygon",
            "coordinates": [[[14.55, 46.04], [14.56, 46.04], [14.55, 46.05], [14.55, 46.04]]],
        },
    }
)
PLACES = {"Mill": (14.5512, 46.0488), "Bridge": (14.5563, 46.0441)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for month in (6, 7):
        values = np.arange(100, dtype="float32").reshape(10, 10) / 200 + month / 100
        profile = {"driver": "GTiff", "count": 1, "dtype": "float32", "height": 10, "width": 10, "crs": "EPSG:4326"}
        transform = Affine(0.001, 0, 14.55, 0, -0.001, 46.05)
        with rasterio.open(folder / f"ndvi_2021-0{month}-01.tif", "w", transform=transform, **profile) as out:
            out.write(values, 1)
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Point", "coordinates": place}}
        for name, place in PLACES.items()
    ]
    collection = {"type": "FeatureCollection", "features": features}
    (folder / "stations.geojson").write_text(json.dumps(collection), encoding="utf-8")
    return folder


def sampled(data: Path, name: str, month: int) -> float:
    with rasterio.open(data / f"ndvi_2021-0{month}-01.tif") as source:
        return float(next(source.sample([PLACES[name]]))[0])


def test_each_point_has_the_value_of_its_pixel(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(home=tmp_path / "home")
    result = flow.run("NDVI of each station per date", data, out=tmp_path / "out")
    assert result.status == "completed", result.error
    found = {(row["name"], row["date"]): row["mean"] for row in result.answer}
    assert found == {
        (name, f"2021-0{month}-01"): pytest.approx(sampled(data, name, month)) for name in PLACES for month in (6, 7)
    }
    assert any("the pixel that it lies in" in str(one) for one in result.assumptions)
    one = flow.run("NDVI at the Mill on 1 July 2021", data, out=tmp_path / "one")
    assert one.answer == pytest.approx(sampled(data, "Mill", 7))


@pytest.mark.parametrize("kind", ["geojson", "csv"])
def test_a_question_is_asked_of_each_point_of_a_file_that_lies_elsewhere(data: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"places.{kind}"
    if kind == "geojson":
        (data / "stations.geojson").rename(file)
    else:
        rows = [f"{name},{north},{east}" for name, (east, north) in PLACES.items()]
        file.write_text("\n".join(["name,Lat,Lon", *rows]), encoding="utf-8")
    flow = KnowFlow(home=tmp_path / "home")
    result = flow.run("NDVI over time", data, at=file, out=tmp_path / "out")
    assert result.status == "completed", result.error
    assert {(row["name"], row["date"]): row["mean"] for row in result.answer} == {
        (name, f"2021-0{month}-01"): pytest.approx(sampled(data, name, month)) for name in PLACES for month in (6, 7)
    }
    assert "for each of the places" in flow.read("NDVI over time", data, at=file).to_json()["understood_as"]
    after = flow.run("and in July 2021?", after=result.run_id, out=tmp_path / "after")
    assert {row["name"]: row["mean"] for row in after.answer} == {
        name: pytest.approx(sampled(data, name, 7)) for name in PLACES
    }


@pytest.mark.parametrize(
    ("name", "text", "code", "found"),
    [
        ("none.gpkg", None, "data_not_found", "no such file"),
        ("heights.csv", "name,height\nMill,300\n", "unreadable_data", "columns name, height"),
        ("places.csv", "lon,lat\n14.55,north\n", "unreadable_data", "north"),
        ("areas.geojson", AREA, "no_plan", "1 features of type Polygon"),
        ("far.csv", "lon,lat\n-14.55,46.05\n", "data_not_found", "points within -14.55, 46.05, -14.55, 46.05"),
    ],
)
def test_a_file_without_points_for_the_data_is_refused_with_what_it_holds(
    data: Path, tmp_path: Path, name: str, text: str | None, code: str, found: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = KnowFlow(home=tmp_path / "home").run("mean NDVI", data, at=str(tmp_path / name), out=tmp_path / "out")
    assert result.status == "refused"
    assert result.error is not None
    assert result.error["code"] == code
    assert found in result.error["found"]


def test_the_area_of_points_is_refused_before_the_run(data: Path, tmp_path: Path) -> None:
    result = KnowFlow(home=tmp_path / "home").run("What is the area of each station?", data, out=tmp_path / "out")
    assert result.status == "refused"
