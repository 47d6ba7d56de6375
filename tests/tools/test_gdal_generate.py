"""Tool schemas made from GDAL's own description: all of them valid, and a good many of them run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
from gdal_scenes import NORTH, WEST, authored, call, classes, dem, hills, patches, read, schema_of

from knowflow.ground.yamldoc import parse
from knowflow.knowledge.schema_check import tool_problems
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.tools.gdal import check_binding, generated_schemas
from knowflow.tools.gdal.algorithms import algorithms, arguments_of
from knowflow.tools.gdal.command import algorithm_of, not_a_tool, parse_line
from knowflow.tools.gdal.generate import generated_name, generated_schema

GENERATED = generated_schemas()


def test_every_algorithm_becomes_a_valid_schema() -> None:
    schemas = [generated_schema(path) for path in algorithms()]
    assert len({schema.tool for schema in schemas}) == len(algorithms()) > 90
    for schema in schemas:
        assert ToolSchema.model_validate(json.loads(schema.model_dump_json(by_alias=True))) == schema
        assert tool_problems(schema, parse("tool: x")) == [], schema.tool
        assert not schema.insertable
        assert schema.isolate == "process"


def test_every_listed_tool_agrees_with_gdal_and_could_be_called_by_name() -> None:
    assert len(GENERATED) == len(algorithms()) - 16
    for name, schema in GENERATED.items():
        assert check_binding(schema) == [], name
        assert all(parameter.isidentifier() for parameter in schema.parameters)


def test_what_an_authored_tool_covers_is_not_generated_again() -> None:
    left = generated_schemas(authored())
    assert "gdal_raster_slope" in GENERATED
    assert "gdal_raster_slope" not in left
    assert {algorithm_of(schema) for schema in left.values()}.isdisjoint(algorithm_of(tool) for tool in authored())


def test_what_is_no_tool_has_a_reason_and_nothing_else_is_left_out() -> None:
    left_out = {path for path in algorithms() if not_a_tool(path)}
    for path in algorithms():
        assert (path in left_out) != (generated_name(path) in GENERATED)
        if path[-1] in ("pipeline", "delete", "rename", "move") and path[:2] != ("raster", "overview"):
            assert path in left_out
    assert len(left_out) == 16
    assert {path[0] for path in algorithms()} - {"pipeline", "convert", "info"} == {
        schema.run.removeprefix("gdal:").split()[0] for schema in GENERATED.values()
    }


def test_types_limits_choices_and_defaults_are_gdals() -> None:
    hillshade = GENERATED["gdal_raster_hillshade"].parameters
    assert hillshade["input"].type == "raster"
    assert (hillshade["azimuth"].type, hillshade["azimuth"].default) == ("number", 315.0)
    assert hillshade["altitude"].minimum == 0
    assert hillshade["variant"].choices == ("regular", "combined", "multidirectional", "Igor")
    assert hillshade["no_edges"].type == "boolean"
    assert hillshade["band"].type == "integer"
    assert hillshade["output"].role == "output"
    assert not {"overwrite", "creation_option", "output_format"} & set(hillshade)
    assert GENERATED["gdal_raster_reproject"].parameters["dst_crs"].type == "crs"
    assert GENERATED["gdal_raster_mosaic"].parameters["input"].type == "raster_series"
    assert GENERATED["gdal_raster_zonal_stats"].parameters["zones"].type == "vector"
    assert GENERATED["gdal_raster_contour"].parameters["arg_3d"].type == "boolean"
    assert GENERATED["gdal_raster_polygonize"].outputs == {"output": "vector"}
    assert GENERATED["gdal_raster_info"].outputs == {"value": "text"}


@pytest.fixture
def zones(tmp_path: Path) -> Artifact:
    call(schema_of("polygonize"), tmp_path / "zones.gpkg", raster=classes(tmp_path / "zones.tif"))
    return Artifact("vector", path=str(tmp_path / "zones.gpkg"))


WINDOW = [WEST + 100, NORTH - 300, WEST + 400, NORTH - 100]
RASTER_RUNS: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
    ("gdal_raster_slope", {}, (50, 70)),
    ("gdal_raster_reproject", {"dst_crs": "EPSG:32633", "resolution": [20, 20]}, (25, 35)),
    ("gdal_raster_clip", {"bbox": WINDOW}, (20, 30)),
    ("gdal_raster_resize", {"size": ["35", "25"], "resampling": "average"}, (25, 35)),
    ("gdal_raster_scale", {"output_data_type": "Byte"}, (50, 70)),
    ("gdal_raster_unscale", {}, (50, 70)),
    ("gdal_raster_select", {"band": ["1"]}, (50, 70)),
    ("gdal_raster_convert", {}, (50, 70)),
    ("gdal_raster_neighbors", {"kernel": ["gaussian"], "method": ["mean"]}, (50, 70)),
    ("gdal_raster_fill_nodata", {"max_distance": 3}, (50, 70)),
]


@pytest.mark.parametrize(("tool", "arguments", "shape"), RASTER_RUNS, ids=[run[0] for run in RASTER_RUNS])
def test_raster_tools_run(tmp_path: Path, tool: str, arguments: dict[str, Any], shape: tuple[int, int]) -> None:
    call(GENERATED[tool], tmp_path / "out.tif", input=dem(tmp_path / "in.tif"), **arguments)
    assert read(tmp_path / "out.tif").shape == shape


def test_a_series_is_stacked_in_its_order(tmp_path: Path) -> None:
    layers = [dem(tmp_path / f"{number}.tif", hills() + np.float32(number)) for number in range(3)]
    call(GENERATED["gdal_raster_stack"], tmp_path / "out.tif", input=tuple(layers))
    with rasterio.open(tmp_path / "out.tif") as dataset:
        np.testing.assert_array_equal(dataset.read(), np.stack([hills() + np.float32(n) for n in range(3)]))


def test_classes_are_mapped(tmp_path: Path) -> None:
    source = classes(tmp_path / "in.tif")
    mapping = {"mapping": "0=10; 1=20; DEFAULT=0", "output_data_type": "Byte"}
    call(GENERATED["gdal_raster_reclassify"], tmp_path / "out.tif", input=source, **mapping)
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), np.array([10, 20, 0, 0])[patches()])


def test_zonal_statistics_are_those_of_the_zones(tmp_path: Path, zones: Artifact) -> None:
    arguments = {"zones": zones, "stat": ["mean", "count"], "include_field": ["value"]}
    call(GENERATED["gdal_raster_zonal_stats"], tmp_path / "out.gpkg", input=dem(tmp_path / "in.tif"), **arguments)
    meta, _, _, fields = pyogrio.raw.read(tmp_path / "out.gpkg")
    table = dict(zip(meta["fields"], fields, strict=True))
    for value in range(4):
        mine = table["value"] == value
        assert table["count"][mine].sum() == (patches() == value).sum()
        total = (table["mean"] * table["count"])[mine].sum()
        assert total / table["count"][mine].sum() == pytest.approx(hills()[patches() == value].mean(), rel=1e-5)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("gdal_vector_buffer", {"distance": 5}),
        ("gdal_vector_filter", {"where": "value = 1"}),
        ("gdal_vector_simplify", {"tolerance": 1}),
        ("gdal_vector_reproject", {"dst_crs": "EPSG:4326"}),
        ("gdal_vector_sql", {"sql": ["SELECT * FROM polygons"]}),
    ],
)
def test_vector_tools_run(tmp_path: Path, zones: Artifact, tool: str, arguments: dict[str, Any]) -> None:
    call(GENERATED[tool], tmp_path / "out.gpkg", input=zones, **arguments)
    before = pyogrio.raw.read(str(zones.path), columns=["value"])[3][0]
    expected = (before == 1).sum() if tool == "gdal_vector_filter" else len(before)
    assert pyogrio.read_info(tmp_path / "out.gpkg")["features"] == expected


def test_tools_that_only_say_something_say_it_of_the_file_that_was_meant(tmp_path: Path) -> None:
    source = dem(tmp_path / "in.tif")  # without nodata, and so passed on as a VRT
    said = call(GENERATED["gdal_raster_info"], input=source)
    assert json.loads(said)["description"] == source.path
    assert json.loads(said)["size"] == [70, 50]


def test_arguments_that_tools_leave_to_us_are_all_optional() -> None:
    for name, schema in GENERATED.items():
        described = arguments_of(algorithm_of(schema) or ())
        required = {argument for argument, about in described.items() if about["required"]}
        given = set(schema.parameters) | {name for name, _ in parse_line(schema.run)[1]}
        assert {argument.replace("-", "_") for argument in required} <= given, name
