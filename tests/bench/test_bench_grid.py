"""The grid asks every combination; its oracle is of its own, and right on numbers that hands work out."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine
from rasterio.warp import transform

from knowflow.roof.cli import main
from knowflow_bench.grid import oracle
from knowflow_bench.grid.cells import Cell, cells, sentences
from knowflow_bench.grid.judge import differs
from knowflow_bench.grid.oracle import Asked, Oracle

CLEAR, CLOUD = 0, 1


def test_every_combination_is_asked_in_three_wordings_of_its_own() -> None:
    every = cells()
    assert len(set(every)) == len(every) >= 400
    texts = [text for cell in every for text in sentences(cell, "0.5")]
    assert len(set(texts)) == len(texts) == 3 * len(every)
    assert not [text for text in texts if "{" in text or "  " in text]


def test_the_oracle_shares_nothing_with_what_answers() -> None:
    may = {"numpy", "rasterio", "pyogrio", "__future__", "re", "collections", "dataclasses", "datetime", "functools"}
    may |= {"itertools", "pathlib", "typing", "knowflow.ground.errors", "knowflow_bench.grid.cells"}
    for node in ast.walk(ast.parse(Path(oracle.__file__).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name in may or name.partition(".")[0] in may, name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four pixels of one hectare around the point that the grid asks about: two of forest, two of grassland."""
    import shapely
    from pyogrio.raw import write

    (east,), (north,) = transform("EPSG:4326", "EPSG:32633", [oracle.POINT[0]], [oracle.POINT[1]])
    place = {"crs": "EPSG:32633", "transform": Affine(100, 0, east - 50, 0, -100, north + 50)}

    def put(name: str, values: Any, dtype: str = "float32", nodata: float = math.nan) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        profile = {"height": 2, "width": 2, "count": 1, "dtype": dtype, "nodata": nodata}
        with rasterio.open(tmp_path / name, "w", driver="GTiff", **profile, **place) as file:
            file.write(np.array(values, dtype=dtype), 1)

    put("dem.tif", [[650, 650], [750, 750]])
    put("lulc.tif", [[2, 3], [2, 3]], "uint8", 255)
    images = {
        "2016-07-01": ([[0.2, 0.4], [0.6, 0.8]], [[CLEAR] * 2] * 2),
        "2017-06-01": ([[0.3, 0.5], [0.7, 0.9]], [[CLEAR] * 2] * 2),
        "2017-07-01": ([[0.9, 0.9], [0.9, 0.9]], [[CLOUD] * 2] * 2),
        "2017-08-24": ([[0.7, 0.9], [0.9, 0.1]], [[CLEAR, CLEAR], [CLEAR, CLOUD]]),
        "2017-09-20": ([[0.1, 0.3], [0.2, 0.6]], [[CLEAR] * 2] * 2),
    }
    for day, (index, cloud) in images.items():
        put(f"ndvi/NDVI_{day}.tif", index)
        put(f"cloud_mask/CLM_{day}.tif", cloud, "uint8", 255)
    names = [np.array([2, 3]), np.array(["forest", "grassland"], dtype=object)]
    boxes = np.array(shapely.to_wkb([shapely.box(0, 0, 1, 1)] * 2), dtype=object)
    options = {"crs": "EPSG:32633", "geometry_type": "Polygon", "driver": "GPKG", "layer": "lulc"}
    write(tmp_path / "lulc.gpkg", geometry=boxes, field_data=names, fields=["LULC_ID", "LULC_NAME"], **options)
    return tmp_path


@pytest.mark.parametrize(
    ("cell", "truth"),
    [
        (("mean", "scene", "date"), {(): (0.7 + 0.9 + 0.9) / 3}),
        (("mean", "forest", "year"), {(): (0.5 + 0.8 + 0.15) / 3}),
        (("median", "forest", "year"), {(): 0.5}),
        (("range", "classes", "date"), {("forest",): 0.2, ("grassland",): 0.0}),
        (("share", "high", "summer"), {(): 1.0}),
        (("area", "scene", "dates"), {("2017-06-01",): 2, ("2017-07-01",): math.nan, ("2017-08-24",): 3}),
        (("share", "scene", "years"), {("2016",): 0.25, ("2017",): (0.5 + 1 + 0) / 3}),
        (("mean", "scene", "seasons"), {("2016-3",): 0.5, ("2017-3",): (0.6 + 2.5 / 3) / 2, ("2017-4",): 0.3}),
        (("maximum", "low", "calendar"), {("06",): 0.5, ("07",): 0.4, ("08",): 0.9, ("09",): 0.3}),
        (("mean", "scene", "peak"), {(): "2017-08-24"}),
        (("minimum", "scene", "change"), {(): 0.3 - 0.2}),
        (("mean", "scene", "change"), {(): (0.3 + 0.3 + 0.2 + 0.1) / 4}),
        (("mean", "forest", "against"), {(): (0.5 + 0.8 + 0.15) / 3 - (0.7 + 0.9 + 0.45) / 3}),
        (("value", "point", "date"), {(): 0.7}),
        (("minimum", "scene", "trend"), {(): math.nan}),
    ],
)
def test_the_oracle_has_the_numbers_that_hands_work_out(folder: Path, cell: tuple[str, str, str], truth: Any) -> None:
    found = Oracle(folder).asked(Cell(*cell)).truth
    for key, wanted in truth.items():
        told = found[key]
        assert told == wanted if isinstance(wanted, str) else told == pytest.approx(wanted, nan_ok=True), key


def test_limits_lie_in_the_middle_and_dates_that_are_clouded_do_not_count(folder: Path) -> None:
    truth = Oracle(folder)
    counted = truth.asked(Cell("mean", "scene", "count"))
    assert (counted.truth[()], counted.limit) == (1.0, "0.6")  # of 0.6, cloud, 0.83 and 0.3
    assert truth.asked(Cell("mean", "scene", "fraction")).truth[()] == pytest.approx(1 / 3)
    assert truth.asked(Cell("mean", "scene", "first")).truth[()] == "2017-08-24"
    assert truth.asked(Cell("mean", "scene", "spell")).truth[()] == 1.0


@pytest.mark.parametrize(
    ("answer", "unit", "truth", "right"),
    [
        (50.0, "%", {(): 0.5}, True),
        (0.5, "km2", {(): 50.0}, True),
        (0.5, "K", {(): 0.5}, False),
        ("yes", None, {(): True}, True),
        (0.5, None, {(): True}, False),
        ("2017-08-24T10:00:00", None, {(): "2017-08-24"}, True),
        ("2017-08-24", None, {(): "2017-06-20 or 2017-08-24"}, True),
        ("2017-08-25", None, {(): "2017-06-20 or 2017-08-24"}, False),
        ([{"name": "forest", "mean": 0.5}], "1", {("forest",): 0.5}, True),
        ([{"name": "forest", "mean": 0.5}], "1", {("forest", "2016"): 0.5}, False),
        ([{"class": "forest", "slope": 0.5}, {"class": "class 0", "slope": 0.1}], "1", {("forest",): 0.5}, True),
        ([{"class": "forest", "slope": 0.5, "p_value": 0.1}], "1", {("forest",): 0.5}, False),
        ([{"season": "2016-3-summer", "value": 0.5}], "1", {("2016-3",): 0.5, ("2016-4",): math.nan}, True),
        ([{"month": "01", "value": 0.5}, {"month": "02", "value": 0.5}], "1", {("01",): 0.5}, False),
    ],
)
def test_answers_are_judged_by_keys_numbers_and_units(answer: Any, unit: Any, truth: Any, right: bool) -> None:
    assert (differs(answer, unit, Asked(truth, "1", ""), "mean") == "") is right


def test_the_command_asks_and_tells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "grid", "--data", str(folder), "--only", "mean / scene / dates", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["combinations"]) == (3, 1)
    assert found["right"] + found["refused"] + found["wrong"] + found["failed"] == 3
    assert found["right"] >= 1


def test_a_folder_of_other_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "grid", "--data", str(tmp_path)])
