"""Schemas bound to algorithms: checked against GDAL's description, fed with facts, delivered with true headers."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from gdal_scenes import GRID, NORTH, UTM, WEST, authored, call, classes, dem, hills, raster, read, schema_of

from knowflow.execution.workers import WorkerPool
from knowflow.ground.errors import DataNotFoundError, RunInterruptedError, ToolError, UnreadableDataError
from knowflow.ground.yamldoc import parse
from knowflow.knowledge.schema_check import tool_problems
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.tools.context import running
from knowflow.tools.gdal import bind, check_binding
from knowflow.tools.gdal import library as gdal_library


def _schema(run: str, parameters: dict[str, Any], **more: Any) -> ToolSchema:
    document = {"tool": "some", "title": "Some", "kit": "gdal", "layers": [1], "run": run, "parameters": parameters}
    return ToolSchema.model_validate({**document, **more})


FILES = {"input": {"type": "raster"}, "output": {"type": "path", "role": "output"}}


@pytest.mark.parametrize("schema", authored(), ids=lambda schema: schema.tool)
def test_every_authored_tool_agrees_with_gdal(schema: ToolSchema) -> None:
    assert check_binding(schema) == []
    assert tool_problems(schema, parse("tool: x")) == []
    assert schema.isolate == "process"


@pytest.mark.parametrize(
    ("run", "parameters", "code"),
    [
        ("gdal:raster slopes", FILES, "no_algorithm"),
        ("gdal:vsi delete", FILES, "no_algorithm"),
        ("gdal:vector geom buffer", FILES, "no_algorithm"),
        ("gdal:raster edit", {**FILES, "original": {"type": "raster"}}, "missing_argument"),
        ("gdal:raster edit --dataset {output}", FILES, "unserved_parameter"),
        ("gdal:raster tile --tile-size {output}", FILES, "wrong_type"),
        ("gdal:raster slope --colour red", FILES, "unknown_argument"),
        ("gdal:raster slope --unit 'degree", FILES, "bad_value"),
        ("gdal:raster slope --unit radian", FILES, "bad_choice"),
        ("gdal:raster slope --no-edges maybe", FILES, "wrong_type"),
        ("gdal:raster slope --unit", FILES, "wrong_type"),
        ("gdal:raster slope --band {which}", FILES, "unknown_parameter"),
        ("gdal:raster slope", {**FILES, "steepness": {"type": "number"}}, "unserved_parameter"),
        ("gdal:raster slope", {**FILES, "band": {"type": "number"}}, "wrong_type"),
        ("gdal:raster slope", {**FILES, "input": {"type": "vector"}}, "wrong_type"),
        ("gdal:raster slope", {**FILES, "input": {"type": "number"}}, "wrong_type"),
        ("gdal:raster contour", FILES, "wrong_type"),
        ("gdal:raster slope", {"output": FILES["output"]}, "missing_argument"),
        ("gdal:raster slope", {**FILES, "unit": {"type": "string", "choices": ["degree", "gon"]}}, "bad_choice"),
        ("gdal:raster slope", {**FILES, "unit": {"type": "string", "default": "gon"}}, "bad_choice"),
        ("gdal:raster slope", {**FILES, "xscale": {"type": "number", "minimum": -1}}, "out_of_range"),
        ("gdal:raster hillshade", {**FILES, "altitude": {"type": "number", "maximum": 180}}, "out_of_range"),
        ("gdal:raster slope --band {input.colour}", FILES, "bad_value"),
    ],
)
def test_what_disagrees_with_gdals_description_is_a_problem(run: str, parameters: dict[str, Any], code: str) -> None:
    assert code in {problem.code for problem in check_binding(_schema(run, parameters))}


def test_without_gdal_a_schema_has_a_problem_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from knowflow.tools.gdal.algorithms import describe

    monkeypatch.setattr(gdal_library, "candidates", lambda: iter(()))
    monkeypatch.setattr(gdal_library, "_load", gdal_library._load.__wrapped__)
    describe.cache_clear()
    (problem,) = check_binding(schema_of("slope"))
    assert "pip install" in problem.hint


@pytest.mark.parametrize(
    "run", ["gdal:vsi delete", "gdal:dataset delete", "gdal:dataset rename", "gdal:vsi move", "gdal:raster pipeline"]
)
def test_nothing_that_removes_or_renames_files_can_be_bound(run: str) -> None:
    with pytest.raises(ToolError, match="cannot be a tool"):
        bind(_schema(run, FILES))


def test_the_header_of_a_result_tells_the_truth(tmp_path: Path) -> None:
    values = hills()
    values[:, 0] = np.nan
    call(schema_of("slope"), tmp_path / "out.tif", dem=dem(tmp_path / "in.tif", values))
    with rasterio.open(tmp_path / "out.tif") as dataset:
        tags, band = dataset.tags(), dataset.tags(1)
        found = dataset.read(1)
        assert (tags["QUANTITY"], tags["UNIT"], tags["DATETIME"]) == ("slope", "degree", "2015-01-01")
        assert dataset.units == ("degree",)
        assert math.isnan(dataset.nodata)
        assert dataset.profile["compress"] == "zstd"
        assert dataset.profile["tiled"]
        assert (dataset.crs.to_epsg(), dataset.transform) == (32633, GRID)
        assert float(band["STATISTICS_MAXIMUM"]) == pytest.approx(np.nanmax(found))
        assert float(band["STATISTICS_MEAN"]) == pytest.approx(np.nanmean(found, dtype=np.float64))
        assert float(band["STATISTICS_VALID_PERCENT"]) == pytest.approx(100 * np.isfinite(found).mean())
        assert sum(json.loads(band["KNOWFLOW_HISTOGRAM"])[1]) == np.isfinite(found).sum()


def test_tags_of_the_input_that_are_no_longer_true_are_gone(tmp_path: Path) -> None:
    source = dem(tmp_path / "in.tif")
    with rasterio.open(str(source.path), "r+") as dataset:
        dataset.update_tags(QUANTITY="elevation", UNIT="m", SENSOR="SRTM")
        dataset.update_tags(1, STATISTICS_MAXIMUM="9999")
    schema = _schema("gdal:raster clip", {**FILES, "bbox": {"type": "bbox"}})
    call(schema, tmp_path / "out.tif", input=source, bbox=(WEST + 50, NORTH - 200, WEST + 250, NORTH - 50))
    with rasterio.open(tmp_path / "out.tif") as dataset:
        assert not {"QUANTITY", "UNIT", "SENSOR"} & set(dataset.tags())
        assert float(dataset.tags(1)["STATISTICS_MAXIMUM"]) == pytest.approx(dataset.read(1).max())
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), hills()[5:20, 5:25])


def _slope(path: Path, source: Artifact) -> Any:
    call(schema_of("slope"), path, dem=source)
    return read(path)


def test_stored_numbers_are_scaled_before_gdal_sees_them(tmp_path: Path) -> None:
    decimetres = np.round(hills() * 10).astype(np.int16)
    decimetres[5, 5] = -1
    plain = np.where(decimetres == -1, np.nan, decimetres / 10).astype(np.float32)
    expected = _slope(tmp_path / "a.tif", dem(tmp_path / "plain.tif", plain))
    by_header = dem(tmp_path / "header.tif", decimetres, nodata=-1)
    with rasterio.open(str(by_header.path), "r+") as dataset:
        dataset.scales, dataset.offsets = (0.1,), (0.0,)
    by_fact = dem(tmp_path / "fact.tif", decimetres)
    told = {"scale": 0.1, "offset": 0.0, "nodata": -1}
    by_fact = by_fact.with_facts(Facts.of(Origin.USER, **told).over(by_fact.facts))
    for number, source in enumerate((by_header, by_fact)):
        np.testing.assert_allclose(_slope(tmp_path / f"{number}.tif", source), expected, atol=1e-3)


def test_an_assumed_place_is_the_place_of_the_result(tmp_path: Path) -> None:
    bare = raster(tmp_path / "in.tif", hills(), crs=None, transform=rasterio.Affine(10, 0, 0, 0, -10, 500))
    told = {"crs": "EPSG:3035", "transform": tuple(GRID)[:6], "quantity": "elevation", "unit": "m"}
    assumed = bare.with_facts(Facts.of(Origin.USER, **told))
    expected = _slope(tmp_path / "a.tif", dem(tmp_path / "plain.tif"))
    np.testing.assert_array_equal(_slope(tmp_path / "out.tif", assumed), expected)
    with rasterio.open(tmp_path / "out.tif") as dataset:
        assert (dataset.crs.to_epsg(), dataset.transform) == (3035, GRID)


def test_one_band_of_several_is_the_one_that_is_used(tmp_path: Path) -> None:
    stack = np.stack([np.zeros_like(hills()), hills()])
    several = dem(tmp_path / "in.tif", stack)
    second = Artifact("raster", path=several.path, band=2, facts=several.facts)
    expected = _slope(tmp_path / "a.tif", dem(tmp_path / "plain.tif"))
    np.testing.assert_array_equal(_slope(tmp_path / "out.tif", second), expected)


def test_a_mask_counts_as_missing(tmp_path: Path) -> None:
    masked = dem(tmp_path / "in.tif")
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(str(masked.path), "r+") as dataset:
        keep = np.full(hills().shape, 255, np.uint8)
        keep[10:15, 10:15] = 0
        dataset.write_mask(keep)
    np.testing.assert_array_equal(np.isnan(_slope(tmp_path / "out.tif", masked)), keep == 0)


def test_a_sidecar_counts_though_gdal_is_kept_from_reading_it(tmp_path: Path) -> None:
    values = hills()
    values[4, 4] = -5
    source = dem(tmp_path / "in.tif", values)
    Path(f"{source.path}.aux.xml").write_text(
        "<PAMDataset><PAMRasterBand band='1'><NoDataValue>-5</NoDataValue></PAMRasterBand></PAMDataset>"
    )
    assert np.isnan(_slope(tmp_path / "out.tif", source)[4, 4])


def test_an_assumed_crs_of_a_vector_counts(tmp_path: Path) -> None:
    path = tmp_path / "bare.geojson"
    square = shapely.box(WEST + 100, NORTH - 300, WEST + 300, NORTH - 100)
    path.write_text(
        json.dumps({"type": "Feature", "properties": {"value": 4}, "geometry": json.loads(shapely.to_geojson(square))})
    )
    assumed = Artifact("vector", path=str(path), facts=Facts.of(Origin.USER, crs=UTM))
    call(schema_of("rasterize_mask"), tmp_path / "out.tif", vector=assumed, like=dem(tmp_path / "dem.tif"))
    expected = np.zeros(hills().shape)
    expected[10:30, 10:30] = 1
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), expected)


def test_a_vector_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.gpkg").write_text("nothing")
    broken = Artifact("vector", path=str(tmp_path / "broken.gpkg"), facts=Facts.of(Origin.USER, crs=UTM))
    with pytest.raises(UnreadableDataError, match=r"broken\.gpkg"):
        call(schema_of("rasterize_mask"), tmp_path / "out.tif", vector=broken, like=dem(tmp_path / "dem.tif"))


def test_what_was_missing_does_not_become_a_number_in_an_integer_type(tmp_path: Path) -> None:
    values = hills()
    values[7, 8] = np.nan
    schema = _schema("gdal:raster set-type --output-data-type Int16", FILES)
    call(schema, tmp_path / "out.tif", input=dem(tmp_path / "in.tif", values))
    with rasterio.open(tmp_path / "out.tif") as dataset:
        found = dataset.read(1, masked=True)
        assert dataset.dtypes == ("int16",)
        assert dataset.tags(1)["STATISTICS_VALID_PERCENT"].startswith("99.9")
    np.testing.assert_array_equal(np.ma.getmaskarray(found), np.isnan(values))


def test_colours_are_kept(tmp_path: Path) -> None:
    (tmp_path / "colours.txt").write_text("400 255 0 0\n600 0 0 255\n")
    schema = _schema("gdal:raster color-map", {**FILES, "color_map": {"type": "string"}})
    whole = {"input": dem(tmp_path / "in.tif"), "color_map": str(tmp_path / "colours.txt")}
    call(schema, tmp_path / "out.tif", **whole)
    with rasterio.open(tmp_path / "out.tif") as dataset:
        assert [colour.name for colour in dataset.colorinterp] == ["red", "green", "blue"]
        assert set(np.unique(dataset.dataset_mask())) <= {0, 255}


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    schema = _schema("gdal:raster reproject", {**FILES, "dst_crs": {"type": "crs"}})
    with pytest.raises(ToolError, match="gdal raster reproject failed"):
        call(schema, tmp_path / "out" / "out.tif", input=dem(tmp_path / "in.tif"), dst_crs="nonsense")
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("tool", ["slope", "contour"])
@pytest.mark.parametrize("moment", [0, 1])
def test_cancelling_leaves_nothing_behind(tmp_path: Path, tool: str, moment: int) -> None:
    schema, (name, *_) = schema_of(tool), schema_of(tool).inputs
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > moment

    (tmp_path / "out").mkdir()
    arguments = {name: dem(tmp_path / "in.tif")} | ({"interval": 10} if tool == "contour" else {})
    with running(cancelled=cancelled), pytest.raises(RunInterruptedError):
        call(schema, tmp_path / "out" / "out.file", **arguments)
    assert os.listdir(tmp_path / "out") == []


def test_progress_rises_to_one_over_both_parts(tmp_path: Path) -> None:
    told: list[float] = []
    with running(on_progress=told.append):
        call(schema_of("slope"), tmp_path / "out.tif", dem=dem(tmp_path / "in.tif"))
    assert max(told) == told[-1] == 1.0


def test_a_tool_does_the_same_in_a_worker_process(tmp_path: Path) -> None:
    schema, source, told = schema_of("slope"), dem(tmp_path / "in.tif"), list[float]()
    here = _slope(tmp_path / "here.tif", source)
    arguments = {"dem": source, "gradient": "Horn", "output": tmp_path / "new" / "there.tif"}
    with WorkerPool(1, preload=("knowflow.tools.gdal.binding",)) as pool:
        call = {"schema": schema, "call": arguments}
        pool.submit("knowflow.execution.carry_out:call_tool", call, on_progress=told.append)
        lost = {**arguments, "dem": Artifact("raster", path=str(tmp_path / "gone.tif"), facts=source.facts)}
        with pytest.raises(DataNotFoundError, match=r"gone\.tif"):
            pool.submit("knowflow.execution.carry_out:call_tool", {"schema": schema, "call": lost})
    np.testing.assert_array_equal(read(tmp_path / "new" / "there.tif"), here)
    assert told[-1] == 1.0


@pytest.mark.parametrize(("suffix", "driver"), [(".gpkg", "GPKG"), (".geojson", "GeoJSON"), (".fgb", "FlatGeobuf")])
def test_vectors_are_written_in_the_format_that_their_name_asks_for(tmp_path: Path, suffix: str, driver: str) -> None:
    call(schema_of("polygonize"), tmp_path / f"out{suffix}", raster=classes(tmp_path / "in.tif"))
    assert pyogrio.read_info(tmp_path / f"out{suffix}")["driver"] == driver


def test_a_rotated_grid_is_refused_where_it_cannot_be_written(tmp_path: Path) -> None:
    rotated = dem(tmp_path / "dem.tif", transform=GRID @ rasterio.Affine.rotation(10))
    call(schema_of("polygonize"), tmp_path / "polygons.gpkg", raster=classes(tmp_path / "in.tif"))
    polygons = Artifact("vector", path=str(tmp_path / "polygons.gpkg"))
    with pytest.raises(ToolError, match="rotated"):
        call(schema_of("rasterize_mask"), tmp_path / "out.tif", vector=polygons, like=rotated)
