"""Runs in the documents of others, judged by their own validators and carried out again by their own engines."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import from_origin

from knowflow import KnowFlow
from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import OutputError
from knowflow.model.plan import Plan
from knowflow.model.template import Scene
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, FromNode, Node, Workflow
from knowflow.roof.exports.refusal import NotExpressibleError
from knowflow.service.engine import Engine
from knowflow.service.template_tests import planned_test
from knowflow.testing.scenes import write_scene
from knowflow_bench.exports.judges import PROFILES, crate_problems, stac_problems
from knowflow_bench.exports.openeo import openeo_differences
from knowflow_bench.exports.rerun import cwl_differences


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> KnowFlow:
    return KnowFlow(tmp_path_factory.mktemp("work") / "home")


def _run(work: KnowFlow, template: str) -> Trace:
    """The first test run of a template."""
    authored, folder = work.catalogue.template(template), work.home.parent / template
    engine = Engine(folder / "home", work.catalogue)
    planned = planned_test(authored, authored.tests[0], folder / "data", engine)
    return engine.executed(planned, LocalRunner(), folder / "out")


@pytest.fixture(scope="module")
def water(work: KnowFlow) -> Trace:
    return _run(work, "water_where_ndwi_is_positive")


@pytest.fixture(scope="module")
def bodies(work: KnowFlow) -> Trace:
    return _run(work, "water_bodies")


@pytest.mark.filterwarnings("ignore")
def test_a_collection_with_its_items_is_valid_and_says_of_a_map_what_its_header_does(
    tmp_path: Path, work: KnowFlow, water: Trace
) -> None:
    work.export(water, "stac", tmp_path)
    assert stac_problems(tmp_path) == []
    item = json.loads((tmp_path / "map.item.json").read_text(encoding="utf-8"))
    asset = item["assets"]["map"]
    with rasterio.open(tmp_path / asset["href"]) as file:
        assert asset["proj:epsg"] == file.crs.to_epsg()
        assert asset["proj:shape"] == list(file.shape)
        assert [asset["bands"][0][name] for name in ("data_type", "nodata")] == [file.dtypes[0], file.nodata]
        west, south, east, north = rasterio.warp.transform_bounds(file.crs, "EPSG:4326", *file.bounds)
        assert item["bbox"] == pytest.approx([west, south, east, north])
    assert asset["file:checksum"] == f"1220{water.made[water.delivered['map']]}"
    assert item["properties"]["datetime"] == "2022-06-01T00:00:00Z"


@pytest.mark.filterwarnings("ignore")
def test_what_a_validator_minds_is_told(tmp_path: Path, work: KnowFlow, water: Trace) -> None:
    work.export(water, "stac", tmp_path)
    item = tmp_path / "map.item.json"
    item.write_text(item.read_text(encoding="utf-8").replace('"proj:epsg": ', '"proj:epsg": "EPSG:", "no": '))
    (tmp_path / "map.tif").unlink()
    assert len(stac_problems(tmp_path)) == 2
    work.export(water, "ro-crate", tmp_path / "crate")
    metadata = tmp_path / "crate" / "ro-crate-metadata.json"
    told = json.loads(metadata.read_text(encoding="utf-8"))
    told["@graph"] = [one for one in told["@graph"] if one["@type"] != "HowToStep"]
    metadata.write_text(json.dumps(told), encoding="utf-8")
    assert crate_problems(tmp_path / "crate")


@pytest.mark.filterwarnings("ignore")
def test_a_crate_passes_the_profiles_process_workflow_and_provenance(
    tmp_path: Path, work: KnowFlow, bodies: Trace
) -> None:
    work.export(bodies, "ro-crate", tmp_path)
    assert crate_problems(tmp_path, PROFILES) == []
    graph = json.loads((tmp_path / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    digests = {one.get("sha256") for one in graph if "File" in one["@type"]}
    assert digests >= {*bodies.digests.values(), *bodies.made.values()}
    actions = [one for one in graph if one["@type"] == "CreateAction"]
    assert len(actions) == 1 + len(bodies.plan.workflow)
    assert all(one["startTime"] <= one["endTime"] for one in actions)


@pytest.mark.filterwarnings("ignore")
def test_process_graphs_give_the_same_numbers_elsewhere(tmp_path: Path, work: KnowFlow, water: Trace) -> None:
    work.export(water, "openeo", tmp_path)
    assert openeo_differences(water, tmp_path) == []
    graph = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))["process_graph"]
    wrong = json.dumps(graph).replace('"gt"', '"lt"')
    (tmp_path / "answer.json").write_text(json.dumps({"process_graph": json.loads(wrong)}), encoding="utf-8")
    assert len(openeo_differences(water, tmp_path)) == 1


@pytest.mark.filterwarnings("ignore")
def test_numbers_of_several_dates_are_taken_together_in_the_unit_of_the_answer(tmp_path: Path, work: KnowFlow) -> None:
    layer = {"name": "field", "quantity": "ndvi", "values": "x * (i + 1) / 2", "dates": ["2022-06-01", "2022-07-01"]}
    write_scene(Scene.model_validate({"size": [16, 16], "layers": [layer]}), tmp_path / "data")
    asked = "What share of the area has NDVI above 0.4?"
    found = work.run(asked, tmp_path / "data", out=tmp_path / "out", runner="local")
    assert found.run_id is not None
    trace = work.trace(found.run_id)
    work.export(trace, "openeo", tmp_path / "openeo")
    assert openeo_differences(trace, tmp_path / "openeo") == []


@pytest.mark.filterwarnings("ignore")
def test_a_workflow_is_carried_out_by_cwltool_to_the_same_digests(tmp_path: Path, work: KnowFlow) -> None:
    trace = _run(work, "snow_where_it_covers_most")
    work.export(trace, "cwl", tmp_path / "cwl")
    assert cwl_differences(trace, tmp_path / "cwl", tmp_path / "again") == []


def test_what_has_no_counterpart_is_refused_with_its_node_and_nothing_is_written(
    tmp_path: Path, work: KnowFlow, bodies: Trace
) -> None:
    with pytest.raises(NotExpressibleError) as refused:
        work.export(bodies, "openeo", tmp_path)
    assert refused.value.where == "bodies"
    assert "connected_components" in str(refused.value.found)
    assert not any(tmp_path.iterdir())
    with pytest.raises(NotExpressibleError, match="run it first"):
        work.export(bodies.plan, "stac", tmp_path)


def test_a_plan_that_was_not_run_has_the_same_process_graphs(tmp_path: Path, work: KnowFlow, water: Trace) -> None:
    for name, what in (("plan", water.plan), ("run", water)):
        work.export(what, "openeo", tmp_path / name)
    assert (tmp_path / "plan" / "answer.json").read_text() == (tmp_path / "run" / "answer.json").read_text()


def test_results_that_somebody_changed_are_not_exported(tmp_path: Path, work: KnowFlow) -> None:
    trace = _run(work, "vegetation_where_ndvi_is_high")
    changed = Path(trace.delivered["map"])
    content = changed.read_bytes()
    changed.unlink()  # it may be the same file as the one in the cache
    changed.write_bytes(content + b"\0")
    with pytest.raises(OutputError, match="not what the run delivered"):
        work.export(trace, "stac", tmp_path)
    shutil.rmtree(changed.parent)


@pytest.mark.filterwarnings("ignore")
def test_slopes_of_rough_ground_with_gaps_are_the_same_elsewhere_up_to_the_edges(
    tmp_path: Path, work: KnowFlow
) -> None:
    heights = np.random.default_rng(5).integers(200, 300, (12, 9)).astype("int16")
    heights[[0, 0, 5, 5, 11], [0, 4, 4, 5, 8]] = -9999  # a corner, an edge, the middle
    heights[7:10, 1:4] = 250  # level
    profile = {"driver": "GTiff", "height": 12, "width": 9, "count": 1, "dtype": "int16", "nodata": -9999}
    (tmp_path / "data").mkdir()
    with rasterio.open(
        tmp_path / "data" / "dem.tif", "w", crs="EPSG:32633", transform=from_origin(5e5, 5e6, 20, 20), **profile
    ) as file:
        file.write(heights, 1)
    asked = {"data": tmp_path / "data", "assume": ["quantity=elevation", "unit=m"]}
    planned = work.plan("What is the mean slope?", **asked)
    found = next(iter(planned.plan.inputs.values()))
    tools = ("slope", "aspect", "tri")
    nodes = tuple(Node(tool, tool, {"dem": FromInput("dem")}, layer=2) for tool in tools)
    outputs = {tool: FromNode(tool) for tool in tools}
    several = Plan("relief", "", Workflow(nodes), {"dem": found}, outputs=outputs)
    engine = Engine(tmp_path / "home", work.catalogue)
    trace = engine.executed(replace(planned, plan=several), LocalRunner(), tmp_path / "out")
    assert trace.status == "completed", trace.error
    work.export(trace, "openeo", tmp_path / "openeo")
    differences = openeo_differences(trace, tmp_path / "openeo")
    assert [one.split()[0] for one in differences] == ["aspect:"]
    assert float(differences[0].split()[1]) < 1e-5, "GDAL tells directions in single precision"
