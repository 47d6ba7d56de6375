"""Tables with columns of places are features like those of any vector file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from rasterio import open as open_raster
from workbook_examples import as_workbook

from knowflow.ground.places_of_rows import named_places, place_columns
from knowflow.reason.inventory import take_inventory
from knowflow.roof.library import KnowFlow

HEIGHTS = np.add.outer(np.arange(20) * 10.0, np.arange(20) * 1.0).astype(np.float32)
ROWS = (
    ("Alpha", 15.05, 45.95, 12.5, "urban"),
    ("Beta", 15.25, 45.55, 20.5, "rural"),
    ("Gamma", 15.45, 45.85, 8.5, "urban"),
)


@pytest.fixture(scope="module", params=[",", ";", ".xlsx", ".ods"])
def data(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("stations")
    grid = {"crs": "EPSG:4326", "transform": Affine(0.1, 0, 15, 0, -0.1, 46)}
    with open_raster(folder / "elevation.tif", "w", "GTiff", 20, 20, 1, dtype="float32", **grid) as file:
        file.write(HEIGHTS, 1)
        file.update_tags(QUANTITY="elevation", UNIT="m")
    lines = [("station", "lon", "lat", "pm25_ugm3", "type"), *ROWS]
    between = request.param if len(request.param) == 1 else ","
    text = "\n".join(between.join(map(str, line)) for line in lines)
    (folder / "stations.csv").write_text(text + "\n", encoding="utf-8")
    if len(request.param) > 1:
        as_workbook(folder / "stations.csv", request.param)
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many stations are there?", 3),
        ("Which station has the highest PM2.5?", "Beta"),
        ("What is the mean PM2.5 of the urban stations?", 10.5),
        ("elevation at station Beta", HEIGHTS[4, 2]),
    ],
)
def test_they_are_asked_about_as_features(data: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    answer = found.answer[0]["name"] if isinstance(found.answer, (list, tuple)) else found.answer
    assert answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-5))


def test_places_on_a_map_have_numbers_and_no_coordinate_system(tmp_path: Path) -> None:
    (tmp_path / "stakes.csv").write_text("stake,easting,northing,melt_m\nA,512000,5100000,2.5\nB,512500,5100900,3.5\n")
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.type, found.fact("crs"), found.fact("features")) == ("vector", None, 2)
    answer = KnowFlow(tmp_path / "home").run("Which stake has the highest melt?", tmp_path, out=tmp_path / "out").answer
    assert [row["name"] for row in answer] == ["B"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"Lon": ["15,1"], "Lat": ["46"]}, ("Lon", "Lat")),
        ({"x": ["1"], "y": ["2"], "longitude": ["3"], "latitude": ["4"]}, ("longitude", "latitude")),
        ({"lon": ["east"], "lat": ["46"]}, None),
        ({"lon": [""], "lat": [""]}, None),
        ({"code": ["1"], "name": ["forest"]}, None),
        ({"lon": [], "lat": []}, None),
    ],
)
def test_columns_of_places_are_known_by_their_names_and_numbers(columns: Any, expected: Any) -> None:
    assert place_columns(columns) == expected


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        ("plot,x_l93,y_l93", ("x_l93", "y_l93", "EPSG:2154")),
        ("hut,UTM33N_E,UTM33N_N", ("UTM33N_E", "UTM33N_N", "EPSG:32633")),
        ("hut,utm19s_x,utm19s_y", ("utm19s_x", "utm19s_y", "EPSG:32719")),
        ("well,x_utm32,y_utm32", ("x_utm32", "y_utm32", None)),
        ("well,x_25832,y_25832", ("x_25832", "y_25832", "EPSG:25832")),
        ("pozo,coord_x,coord_y", ("coord_x", "coord_y", None)),
        ("pozo,CoordX,CoordY", ("CoordX", "CoordY", None)),
        ("tree,POINT_X,POINT_Y", ("POINT_X", "POINT_Y", None)),
        ("Ort,Rechtswert,Hochwert", ("Rechtswert", "Hochwert", None)),
        ("site,Easting (m),Northing (m)", ("Easting (m)", "Northing (m)", None)),
        ("a,lon,lat,x,y", ("lon", "lat", "EPSG:4326")),
        ("proba,X_1992,Y_1992", ("X_1992", "Y_1992", None)),
        ("Punkt,Rechts,Hoch", ("Rechts", "Hoch", None)),
        ("plot,UTM_E_32N,UTM_N_32N", ("UTM_E_32N", "UTM_N_32N", None)),
        ("species,decimalLatitude,decimalLongitude", ("decimalLongitude", "decimalLatitude", "EPSG:4326")),
        ("id,station_lon,station_lat", ("station_lon", "station_lat", "EPSG:4326")),
        ("sitio,Latitud,Longitud", ("Longitud", "Latitud", "EPSG:4326")),
        ("Ort,Breite,Länge", ("Länge", "Breite", "EPSG:4326")),
        ("a,lon_wgs84,lat_wgs84,x_l93,y_l93", ("lon_wgs84", "lat_wgs84", "EPSG:4326")),
        ("a,start_lon,start_lat,end_lon,end_lat", None),
        ("a,X_2019,Y_2019", None),
        ("a,e_2019,n_2019", None),
        ("a,lat,years", None),
        ("sample,N,P,K,E", None),
        ("a,x_max,y_max", None),
        ("a,x_mm,y_mm", None),
        ("a,x_l93,y_lv95", None),
        ("a,x_l93,y_l93,x_lv95,y_lv95", None),
    ],
)
def test_columns_of_a_national_grid_are_places(titles: str, expected: object) -> None:
    assert named_places(titles.split(",")) == expected


@pytest.mark.parametrize(
    ("east", "north"), [("coord_x", "coord_y"), ("x_32633", "y_32633"), ("Rechtswert", "Hochwert")]
)
def test_what_lies_at_a_place_of_a_grid_is_told(tmp_path: Path, east: str, north: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    heights = np.arange(200, dtype=np.float32).reshape(10, 20)
    grid = {"crs": "EPSG:32633", "transform": Affine(100, 0, 500_000, 0, -100, 5_100_000)}
    with open_raster(data / "dem.tif", "w", "GTiff", 20, 10, 1, dtype="float32", **grid) as file:
        file.write(heights, 1)
        file.update_tags(QUANTITY="elevation", UNIT="m")
    (data / "wells.csv").write_text(f"well,{east},{north},depth\nW1,500250,5099750,12\nW2,501950,5099050,30\n")
    asked = KnowFlow(tmp_path / "home")
    at = asked.run("What is the elevation at well W1?", data, out=tmp_path / "a")
    assert (at.status, at.answer) == ("completed", float(heights[2, 2])), at.error
    high = asked.run("How many wells lie above 100 m?", data, out=tmp_path / "b")
    assert (high.status, high.answer) == ("completed", 1), high.error
