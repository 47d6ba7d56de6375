"""The facade: what a program asks of KnowFlow."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from service_examples import NDVI, scene

from knowflow import KnowFlow
from knowflow.execution.events import Event, NodeEnded, RunEnded, RunStarted
from knowflow.ground.errors import DataNotFoundError, NotUnderstoodError, UnknownNameError
from knowflow.knowledge.plan_document import load_plan, save_plan
from knowflow.service.api import Service
from knowflow.service.results import PlanResult

QUERY = "What share of the area has NDVI above 0.25?"
TITLE = "The mean over the dates of the share of the area where NDVI is above 0.25"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    clouds = {**NDVI, "name": "clouds", "quantity": "cloud_mask", "values": "x > 0.75", "dtype": "uint8"}
    dates = ["2022-06-01", "2022-06-11", "2022-06-21"]
    return scene(tmp_path / "data", {**NDVI, "dates": dates}, {**clouds, "dates": dates})


def test_a_question_is_answered_with_its_files_and_its_report(data: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    plans: list[PlanResult] = []
    found = KnowFlow().run(QUERY, data, out=tmp_path / "out", on_event=events.append, on_plan=plans.append)
    assert (found.status, found.answer, found.unit) == ("completed", pytest.approx(2 / 3), "1")
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"answer.json", "report.html"}
    assert all(Path(path).is_file() for path in found.outputs.values())
    written = json.loads(Path(found.outputs["values"]).read_text())
    assert (written["query"], written["run_id"]) == (QUERY, found.run_id)
    assert [item.plan.title for item in plans] == [TITLE]
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert sum(isinstance(event, NodeEnded) for event in events) == len(found.nodes)


def test_results_are_plain_data_on_request(data: Path, tmp_path: Path) -> None:
    found = KnowFlow().run(QUERY, data, out=tmp_path / "out").to_json()
    assert json.loads(json.dumps(found)) == found
    names = ("status", "answer", "unit", "outputs", "repairs", "nodes", "assumptions", "run_id", "report", "ui")
    assert set(names) <= set(found)


def test_a_dry_run_computes_and_writes_nothing(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    found = flow.run(QUERY, data, out=tmp_path / "out", dry_run=True)
    assert (found.status, found.answer) == ("planned", None)
    assert {node["status"] for node in found.nodes} == {"planned"}
    assert not (tmp_path / "out").exists()
    assert flow.runs() == ()


def test_a_saved_plan_gives_what_the_question_gives(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    save_plan(flow.plan(QUERY, data).plan, tmp_path / "plan.yaml")
    direct = flow.run(QUERY, data, out=tmp_path / "a")
    saved = KnowFlow(tmp_path / "other home").run(load_plan(tmp_path / "plan.yaml"), out=tmp_path / "b")
    assert (saved.status, saved.answer, saved.unit) == (direct.status, direct.answer, direct.unit)
    assert [(node["id"], node["tool"]) for node in saved.nodes] == [(node["id"], node["tool"]) for node in direct.nodes]
    assert [str(item) for item in saved.assumptions] == [str(item) for item in direct.assumptions]
    assert {Path(path).name for path in saved.outputs.values()} == {Path(path).name for path in direct.outputs.values()}


def test_what_was_computed_once_is_not_computed_again(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    first = flow.run(QUERY, data, out=tmp_path / "a")
    second = flow.run("What share of the area has NDVI above 0.5?", data, out=tmp_path / "b")
    assert {node["status"] for node in first.nodes} == {"done"}
    masked = [node["status"] for node in second.nodes if node["tool"] == "mask_clouds"]
    assert masked == ["cached"] * 3
    assert second.answer == pytest.approx(1 / 3)


def test_a_run_is_listed_shown_and_resumed(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    found = flow.run(QUERY, data, out=tmp_path / "a")
    assert found.run_id is not None
    assert [run.run_id for run in flow.runs()] == [found.run_id]
    assert flow.trace(found.run_id[:-1]).plan.query == QUERY
    flow.resume(found.run_id, out=tmp_path / "b")
    again = flow.resume(found.run_id)
    assert Path(str(again.report)).parent == tmp_path / "b", "where it was told to go last"
    assert (again.run_id, again.answer) == (found.run_id, found.answer)
    assert {node["status"] for node in again.nodes} == {"cached"}
    files = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in data.glob("*.tif")}
    for run in (found, again):
        assert run.trace is not None
        assert dict(run.trace.digests) == files
        page = Path(str(run.report)).read_text(encoding="utf-8")
        assert [digest for digest in files.values() if digest not in page] == []
    with pytest.raises(UnknownNameError):
        flow.resume("no such run")


def test_a_failed_run_goes_on_when_its_cause_is_gone(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    lost = next(data.glob("field_*.tif"))
    failed = flow.run(QUERY, data, out=tmp_path / "out", on_plan=lambda _: lost.rename(tmp_path / "kept.tif"))
    assert failed.status == "failed"
    statuses = [node["status"] for node in failed.nodes]
    assert "done" in statuses  # siblings of what failed have finished
    assert "skipped" in statuses
    assert failed.run_id is not None
    with pytest.raises(DataNotFoundError, match="is gone"):
        flow.resume(failed.run_id, out=tmp_path / "out")
    (tmp_path / "kept.tif").rename(lost)
    found = flow.resume(failed.run_id)
    assert {Path(path).parent for path in found.outputs.values()} == {tmp_path / "out"}
    assert (found.status, found.answer) == ("completed", pytest.approx(2 / 3))
    assert "cached" in {node["status"] for node in found.nodes}


def test_planning_raises_what_is_wrong(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        KnowFlow().plan(QUERY, tmp_path / "none")
    with pytest.raises(NotUnderstoodError):
        KnowFlow().plan("bake me a cake", data)
    with pytest.raises(UnknownNameError):
        KnowFlow().plan(QUERY, data, template="nope")


def test_a_plan_says_why_each_edge_stands_and_what_it_will_cost(data: Path) -> None:
    planned = KnowFlow().plan(QUERY, data)
    found = planned.to_json()
    assert found["edges"]
    assert all(edge["because"] for edge in found["edges"])
    assert found["estimate"]["nodes"] == len(planned.plan.workflow)
    assert found["estimate"]["disk_bytes"] >= 3 * 32 * 32 * 4
    assert (found["missing"], found["problems"]) == ([], [])
    assert planned.plan.title == TITLE


@pytest.mark.parametrize(
    "query", [QUERY, "NDVI trend per year", "Mean NDVI in June 2022", "On which date was NDVI highest?"]
)
def test_the_same_question_gives_the_same_plan(data: Path, tmp_path: Path, query: str) -> None:
    first, second = (json.dumps(KnowFlow(tmp_path / name).plan(query, data).to_json()) for name in ("a", "b"))
    assert first == second


def test_the_plan_does_not_depend_on_the_order_of_hashes(data: Path, tmp_path: Path) -> None:
    script = (
        "import json, sys\nfrom knowflow import KnowFlow\n"
        "print(json.dumps(KnowFlow(sys.argv[1]).plan(sys.argv[2], sys.argv[3]).to_json()))\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    found = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        command = [sys.executable, "-c", script, str(tmp_path / seed), QUERY, str(data)]
        found.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1


def test_a_tool_runs_alone_with_the_same_checks(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow()
    raster = str(sorted(data.glob("field_*.tif"))[0])
    found = flow.run_tool("raster_statistic", {"raster": raster, "statistic": "maximum"}, out=tmp_path / "out")
    assert (found.status, found.answer) == ("completed", pytest.approx(31.5 / 32))
    masked = flow.run_tool("threshold", {"raster": raster, "threshold": "0.5"}, out=tmp_path / "out")
    assert Path(masked.outputs["output"]).is_file()


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("raster_statistic", {"raster": "gone.tif"}, "data_not_found"),
        ("raster_statistic", {"raster": "RASTER", "colour": "red"}, "no_plan"),
        ("raster_statistic", {"raster": "RASTER", "statistic": "mode"}, "no_plan"),
        ("raster_statistic", {}, "no_plan"),
        ("threshold", {"raster": "RASTER", "threshold": "high"}, "no_plan"),
        ("slope", {"dem": "RASTER"}, "no_plan"),
        ("no_such_tool", {}, "unknown_name"),
    ],
)
def test_a_tool_with_bad_arguments_is_refused(data: Path, tool: str, arguments: dict[str, Any], code: str) -> None:
    raster = str(sorted(data.glob("field_*.tif"))[0])
    given = {name: raster if value == "RASTER" else value for name, value in arguments.items()}
    found = KnowFlow().run_tool(tool, given)
    assert (found.status, found.error and found.error["code"]) == ("refused", code)


def test_all_knowledge_passes_its_check() -> None:
    assert [str(problem) for problem in KnowFlow().check()] == []
    assert len(KnowFlow().tools()) >= 30
    assert len(KnowFlow().templates()) >= 40


def test_the_doctor_looks_at_everything_and_says_what_to_do(tmp_path: Path) -> None:
    found = {item.name: item for item in Service(tmp_path / "home").doctor()}
    assert {"python", "packages", "knowledge", "home", "rasterio", "gdal algorithms", "prefect server"} <= found.keys()
    assert [item for item in found.values() if not item.ok and not item.hint] == []
    assert found["python"].ok
    assert found["knowledge"].ok


def test_coordinate_systems_that_another_installation_hides_are_told_of_before_anything_runs(tmp_path: Path) -> None:
    data = scene(tmp_path / "data")
    program = (
        "from knowflow.service.api import Service\n"
        "print([(one.hint, one.found) for one in Service().doctor() if one.name == 'coordinate systems'])\n"
        f"print(Service().run('mean NDVI', {str(data)!r}, dry_run=True).error)"
    )

    def told(**variables: str) -> list[str]:
        environment = {**os.environ, "KNOWFLOW_HOME": str(tmp_path / "home"), **variables}
        found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        return found.stdout.splitlines()

    assert told() == ["[]", "None"]
    doctor, error = told(PROJ_DATA=str(tmp_path), PROJ_LIB=str(tmp_path))
    assert "unset PROJ_DATA" in doctor
    assert "unset PROJ_DATA" in error


def test_the_doctor_survives_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = {item.name: item for item in Service(tmp_path / "file" / "home").doctor()}
    assert not found["home"].ok
    assert "a file, in place of a folder" in found["home"].found
    assert "KNOWFLOW_HOME" in found["home"].hint  # nothing that a new installation would mend


def test_maps_that_an_answer_is_told_from_are_handed_over_and_cleared_data_are_none(data: Path) -> None:
    mean, share = (KnowFlow().plan(query, data) for query in ("What is the mean NDVI?", QUERY))
    assert any("masked" in node.id for node in mean.plan.workflow.nodes)
    assert "map" not in mean.plan.outputs
    assert "map" in share.plan.outputs
