"""Single tools: what was meant is said when something is not there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyogrio
import pytest
import rasterio
import rasterio.warp
from service_examples import scene

from knowflow.service.api import Service
from knowflow.testing.scenes import write_scene
from knowflow_bench.faults.injection.table import questions


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service(tmp_path_factory.mktemp("home"))


def test_a_wrong_path_is_answered_with_the_file_of_that_date(service: Service, tmp_path: Path) -> None:
    write_scene(questions()["correlation"].scene(), tmp_path)
    found = service.run_tool("slope", {"dem": str(tmp_path / "LST_20210601.TIF")}, out=tmp_path / "out")
    assert found.status == "refused"
    assert found.error is not None
    assert "lst_2021-06-01.tif" in found.error["hint"]
    found = service.run_tool("slope", {"dem": str(tmp_path / "nowhere" / "x.tif")}, out=tmp_path / "out")
    assert found.error is not None
    assert found.error["hint"] == "files are given with their path"
    found = service.run_tool("slope", {"dem": ""}, out=tmp_path / "out")
    assert found.error is not None
    assert (found.error["where"], found.error["found"]) == (None, "an empty text")
    found = service.run_tool("date_of_extreme", {"values": "1,2", "dates": "2021-06-01"}, out=tmp_path / "out")
    assert found.error is not None
    assert "in quotes" in found.error["hint"]


def test_a_misnamed_parameter_is_answered_with_its_name(service: Service, tmp_path: Path) -> None:
    found = service.run_tool("threshold_share", {"limit_threshold": "3", "raster": "x.tif"}, out=tmp_path / "out")
    assert found.error is not None
    assert found.error["hint"] == "limit_threshold: did you mean threshold?"


def test_a_flat_call_is_checked_and_the_right_one_proposed(service: Service) -> None:
    files = ["d/a_2021-06-01_NDVI.tif", "d/a_2021-06-01_LST.tif"]
    asked = {"input_ndvi_path": "a_2021-06-01_NDVI.tif", "input_lst_path": files[1], "output_path": "out/t.tif"}
    problems, proposed = service.check_call("compute_tvdi", asked, files)
    assert [problem.code for problem in problems] == ["missing_argument"] * 2 + ["unknown_argument"] * 2
    assert dict(proposed[0].call.arguments) == {"ndvi_path": files[0], "lst_path": files[1], "output_path": "out/t.tif"}
    right = {"ndvi_path": files[0], "lst_path": files[1], "output_path": "out/t.tif"}
    assert service.check_call("compute_tvdi", right, files) == ((), ())


@pytest.mark.parametrize(
    ("tool", "values", "answer"),
    [
        ("ratio", {"a": "3", "b": "2"}, 1.5),
        ("percent_change", {"before": "2", "after": "3"}, 50),
        ("multiple", {"x": "2", "times": "1.5"}, 3),
        ("quotients", {"x": "2", "y": "3"}, [1.5]),
    ],
)
def test_plain_numbers_are_divided_and_multiplied(
    service: Service, tool: str, values: dict[str, str], answer: object, tmp_path: Path
) -> None:
    found = service.run_tool(tool, values, out=tmp_path, runner="local")
    assert (found.status, found.answer) == ("completed", pytest.approx(answer))


def test_the_name_of_a_file_says_of_it_what_it_says_to_a_question(service: Service, tmp_path: Path) -> None:
    (path,) = scene(tmp_path / "data").glob("*.tif")
    with rasterio.open(path, "r+") as dataset:
        dataset.update_tags(QUANTITY="", UNIT="")
    for name, status in (("dem.tif", "completed"), ("nameless.tif", "refused")):
        shutil.copyfile(path, tmp_path / name)
        given = {"raster": str(tmp_path / name), "threshold": "0.5"}
        assert service.run_tool("threshold", given, out=tmp_path / "out").status == status


@pytest.mark.parametrize(
    ("tool", "name", "values", "expected"),
    [
        ("threshold_share", "threshold", "NaN", "a number"),
        ("threshold_share", "threshold", "Infinity", "a number"),
        ("raster_statistics", "percentiles", "5,150", "at most 100"),
        ("batch_statistics", "percentiles", "-5,50", "at least 0"),
        ("raster_statistics", "percentiles", "many", "a list of numbers"),
        ("declare_scale", "scale", "0", "scale != 0"),
        ("otsu_threshold", "bins", "99999999999", "at most 65536"),
    ],
)
def test_numbers_that_cannot_be_are_refused_before_the_run(
    service: Service, tool: str, name: str, values: str, expected: str, tmp_path: Path
) -> None:
    (path,) = scene(tmp_path).glob("*.tif")
    carrier = "series" if tool == "batch_statistics" else "raster"
    found = service.run_tool(tool, {carrier: str(path), name: values}, out=tmp_path / "out", runner="local")
    assert found.status == "refused"
    assert expected in str(found.error)


def test_a_tool_whose_vectors_have_no_shapes_runs_and_its_result_can_be_read(service: Service, tmp_path: Path) -> None:
    corners = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]
    features = [
        {"type": "Feature", "properties": {"name": "a"}, "geometry": {"type": "Polygon", "coordinates": corners}}
    ]
    data = scene(tmp_path / "d", vectors={"fields": {"type": "FeatureCollection", "features": features}})
    (raster,), (zones,) = data.glob("*.tif"), data.glob("*.gpkg")
    arguments = {"input": str(raster), "zones": str(zones), "stat": "mean,count", "include_field": "name"}
    found = service.run_tool("gdal_raster_zonal_stats", arguments, out=tmp_path / "out")
    assert (found.status, found.error) == ("completed", None)
    meta, _, _, columns = pyogrio.raw.read(tmp_path / "out" / "output.gpkg")
    row = {name: column[0] for name, column in zip(meta["fields"], columns, strict=True)}
    assert row == {"name": "a", "mean": pytest.approx(0.5), "count": 32 * 32}
    (told,) = service.inventory(tmp_path / "out").artifacts
    assert told.fact("bounds") is None
    assert told.fact("features") == 1


def test_a_box_in_the_wrong_unit_is_told_with_the_right_one(service: Service, tmp_path: Path) -> None:
    data = scene(tmp_path / "d")  # 32 x 32 pixels in EPSG:32633
    raster = next(data.glob("*.tif"))
    with rasterio.open(raster) as opened:
        west, south, east, north = opened.bounds
        lonlat = rasterio.warp.transform_bounds(opened.crs, "EPSG:4326", *opened.bounds)
    for box, crs, hint in (
        ((west, south, east, north), "EPSG:4326", "bbox_crs=raster"),
        ((7e6, 7e6, 8e6, 8e6), "EPSG:4326", "say the CRS of the numbers"),
        (lonlat, "raster", "bbox_crs=EPSG:4326"),
        (lonlat, "EPSG:32633", "bbox_crs=EPSG:4326"),
    ):
        arguments = {"raster": str(raster), "bbox": ",".join(map(str, box)), "bbox_crs": crs}
        found = service.run_tool("clip", arguments, out=tmp_path / "out")
        assert found.error is not None
        assert hint in str(found.error["hint"])


MARS = "+proj=eqc +a=3396190 +b=3376200 +units=m +type=crs"


def test_data_of_another_body_have_its_areas_and_its_degrees(service: Service, tmp_path: Path) -> None:
    layer = {"name": "dem", "quantity": "elevation", "unit": "m", "values": "1000 * x"}
    data = scene(tmp_path / "d", layer, crs=MARS, origin=[0, 0], resolution=100, size=[20, 20])
    above = service.run("area where elevation is above 500 m, in m2", data, runner="local", out=tmp_path / "out")
    assert (above.status, above.error) == ("completed", None)
    assert above.answer == pytest.approx(200 * 100 * 100, rel=0.012)  # ellipsoid: a little less
    quarter = 1000 / 3396190 * 180 / 3.141592653589793
    box = f"0,-{quarter},{quarter},0"
    part = service.run("mean elevation", data, aoi=box, runner="local", out=tmp_path / "out")
    assert part.answer == pytest.approx(250, rel=0.06)


def test_nothing_is_brought_from_one_body_to_another(service: Service, tmp_path: Path) -> None:
    layer = {"name": "dem", "quantity": "elevation", "unit": "m", "values": "1000 * x"}
    data = scene(tmp_path / "d", layer, crs=MARS, origin=[0, 0], resolution=100, size=[20, 20])
    raster = next(data.glob("*.tif"))
    for tool, arguments in (("reproject", {"crs": "EPSG:4326"}), ("clip", {"bbox": "0,-0.01,0.01,0"})):
        found = service.run_tool(tool, {"raster": str(raster), **arguments}, out=tmp_path / "out")
        assert found.error is not None
        assert "no place of" in found.error["message"]
        assert "3396190 m" in found.error["found"]
    slopes = service.run("mean slope", data, runner="local", out=tmp_path / "slopes")
    assert (slopes.status, slopes.error) == ("completed", None)


@pytest.mark.parametrize("boxes", ["[[0,0,2,2],[1,1,3,3]]", "[0,0,2,2],[1,1,3,3]"])
def test_lists_of_lists_are_read(service: Service, tmp_path: Path, boxes: str) -> None:
    found = service.run_tool("bboxes2centroids", {"bboxes": boxes}, out=tmp_path / "out")
    assert found.error is None
    assert [list(row) for row in found.answer] == [[1, 1], [2, 2]]


@pytest.mark.parametrize("tool", ["median", "total", "standard_deviation", "first", "last", "maximum", "mean"])
@pytest.mark.parametrize("numbers", ["[[1],[2]]", '{"a":1}', '["2020-01-01"]'])
def test_what_is_no_number_in_a_list_of_numbers_is_named(
    service: Service, tmp_path: Path, tool: str, numbers: str
) -> None:
    found = service.run_tool(tool, {"x": numbers}, out=tmp_path / "out")
    assert found.status == "refused"
    assert found.error is not None
    assert "a number at each place" in str(found.error)


def test_a_path_that_no_system_takes_is_named(service: Service, tmp_path: Path) -> None:
    found = service.run_tool("get_filelist", {"dir_path": "9" * 500}, out=tmp_path / "out")
    assert found.error is not None
    assert (found.error["message"], found.error["found"]) == ("the system refused", "File name too long")
