"""Keys and names that a folder brings, from the sentence to the number, against NumPy on small files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from pyogrio.raw import write
from rasterio.transform import Affine

from knowflow.roof.library import KnowFlow

SIZE = 40
ROWS, COLUMNS = np.mgrid[0:SIZE, 0:SIZE]
NDVI = (0.2 + 0.01 * COLUMNS + 0.005 * ROWS).astype(np.float32)
CROPS = ("maize", "wheat", "maize")
BOXES = ((0, 10), (10, 20), (30, 40))  # columns of each field


def _raster(path: Path, values: Any, **tags: str) -> None:
    profile = {"driver": "GTiff", "height": SIZE, "width": SIZE, "count": 1, "dtype": values.dtype}
    with rasterio.open(path, "w", crs="EPSG:32633", transform=Affine(10, 0, 5e5, 0, -10, 5.1e6), **profile) as file:
        file.write(values, 1)
        file.update_tags(**tags)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An NDVI of one day, a class map with a legend in JSON, radar in decibels, and three fields with their crop."""
    folder = tmp_path_factory.mktemp("data")
    _raster(folder / "NDVI_2021-06-01.tif", NDVI, QUANTITY="ndvi")
    legend = '{"1": "sandy soil", "2": "clay soil"}'
    soils = np.where(ROWS < 10, 1, 2).astype(np.uint8)
    _raster(folder / "soils.tif", soils, QUANTITY="land_cover_class", LEGEND=legend)
    for name, level in (("VV", -10.0), ("VH", -17.0)):
        radar = np.full((SIZE, SIZE), level, np.float32)
        _raster(folder / f"S1A_20210601_{name}.tif", radar, QUANTITY="sigma0", UNITS="dB", POLARISATION=name)
    boxes = [shapely.box(5e5 + 10 * a, 5.1e6 - 10 * SIZE, 5e5 + 10 * b, 5.1e6) for a, b in BOXES]
    columns = [np.array(["North", "Middle", "South"]), np.array(CROPS)]
    shapes = np.array(shapely.to_wkb(boxes), dtype=object)
    given = {"fields": ["name", "crop"], "crs": "EPSG:32633", "geometry_type": "Polygon", "driver": "GPKG"}
    write(folder / "hop_yards.gpkg", geometry=shapes, field_data=columns, **given)
    return folder


def ask(data: Path, question: str, home: Path) -> Any:
    found = KnowFlow(home / "home").run(question, data, out=home / "out")
    assert found.status == "completed", found.error
    return found


def of_fields(values: Any, *places: int) -> float:
    return float(np.mean([values[:, slice(*BOXES[place])] for place in places]))


def test_polygons_of_one_value_of_an_attribute_are_taken_together(data: Path, tmp_path: Path) -> None:
    rows = ask(data, "What is the mean NDVI of each crop type?", tmp_path).answer
    expected = {"maize": of_fields(NDVI, 0, 2), "wheat": of_fields(NDVI, 1)}
    assert {row["name"]: row["mean"] for row in rows} == pytest.approx(expected, rel=1e-5)


def test_the_name_of_a_file_is_a_word_for_its_polygons(data: Path, tmp_path: Path) -> None:
    rows = ask(data, "Mean NDVI per hop yard", tmp_path).answer
    expected = {name: of_fields(NDVI, place) for place, name in enumerate(("North", "Middle", "South"))}
    assert {row["name"]: row["mean"] for row in rows} == pytest.approx(expected, rel=1e-5)


def test_the_name_of_a_class_map_is_a_word_for_its_classes(data: Path, tmp_path: Path) -> None:
    rows = ask(data, "Mean NDVI of each soil class", tmp_path).answer
    expected = {"sandy soil": float(NDVI[:10].mean()), "clay soil": float(NDVI[10:].mean())}
    assert {row["name"]: row["mean"] for row in rows} == pytest.approx(expected, rel=1e-5)


def test_a_polarisation_in_decibels_is_told_in_them(data: Path, tmp_path: Path) -> None:
    found = ask(data, "What is the mean VH backscatter?", tmp_path)
    assert (found.answer, found.unit) == (pytest.approx(-17.0, abs=1e-4), "dB")


def test_shares_of_polygons_are_told_in_percent_where_these_are_asked_for(data: Path, tmp_path: Path) -> None:
    found = ask(data, "Share of each hop yard with an NDVI above 0.3, in percent", tmp_path)
    expected = {name: 100 * of_fields(NDVI > 0.3, place) for place, name in enumerate(("North", "Middle", "South"))}
    assert {row["name"]: row["share"] for row in found.answer} == pytest.approx(expected, rel=1e-5)
    assert found.unit == "%"


TREES = (60 * (COLUMNS >= 15) + COLUMNS % 7).astype(np.uint8)
WARM = {"2020-06-01": 300 + 0.1 * ROWS, "2021-07-01": 303 - 0.1 * COLUMNS}
WATER = {"2020-05": (COLUMNS < 8) + 1, "2020-06": (COLUMNS < 12) + 1}


@pytest.fixture(scope="module")
def park(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Temperatures of two days, tree cover of one year, water of two months by its classes, and two parks."""
    folder = tmp_path_factory.mktemp("park")
    for day, values in WARM.items():
        _raster(folder / f"LST_{day}.tif", values.astype(np.float32), QUANTITY="surface_temperature", UNITS="K")
    _raster(folder / "tree_cover_density_2018.tif", TREES)
    for month, values in WATER.items():
        legend = "0 no data, 1 not water, 2 water"
        _raster(folder / f"GSW_monthly_{month.replace('-', '_')}.tif", values.astype(np.uint8), LEGEND=legend)
    boxes = [shapely.box(5e5 + 10 * a, 5.1e6 - 10 * SIZE, 5e5 + 10 * b, 5.1e6) for a, b in BOXES[:2]]
    ring = boxes[1].difference(shapely.box(5e5 + 120, 5.1e6 - 200, 5e5 + 180, 5.1e6 - 100))
    shapes = np.array(shapely.to_wkb([boxes[0], ring]), dtype=object)
    given = {"fields": ["name"], "crs": "EPSG:32633", "geometry_type": "Polygon", "driver": "GPKG"}
    write(folder / "parks.gpkg", geometry=shapes, field_data=[np.array(["Old", "Ring"])], **given)
    return folder


FLAT = 1 / 0.9996**2  # of UTM at its middle
SIZES = {"Old": 4.0 * FLAT, "Ring": (4.0 - 0.6) * FLAT}  # hectares


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Total area of the parks in hectares", sum(SIZES.values())),
        ("How many parks are larger than 3.6 ha?", 1),
        ("How large is the Ring, in ha?", SIZES["Ring"]),
        ("What was the mean LST on 1 July 2021 where tree cover exceeds 50 %?", WARM["2021-07-01"][TREES > 50].mean()),
        (
            "Correlation between tree cover density and LST on 1 July 2021",
            np.corrcoef(TREES.ravel(), WARM["2021-07-01"].ravel())[0, 1],
        ),
        ("How many hectares of open water were there in June 2020?", 0.01 * 12 * SIZE),
        ("How many hectares were water in June 2020 but not water in May 2020?", 0.01 * 4 * SIZE),
    ],
)
def test_names_and_outlines_give_numbers(park: Path, tmp_path: Path, question: str, answer: float) -> None:
    assert ask(park, question, tmp_path).answer == pytest.approx(answer, rel=1e-4)


def test_the_largest_park_is_told_with_its_size(park: Path, tmp_path: Path) -> None:
    found = ask(park, "Which park is the largest, in hectares?", tmp_path)
    assert [row["name"] for row in found.answer] == ["Old"]
    assert found.answer[0]["area"] == pytest.approx(SIZES["Old"], rel=1e-4)


def test_a_map_of_one_year_stands_for_no_other_year_that_is_told_of_it(park: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("Mean tree cover in 2020", park, out=tmp_path / "out")
    assert found.status != "completed"
