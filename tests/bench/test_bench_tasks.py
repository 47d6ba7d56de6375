"""Our own benchmark: tasks as authored, data with faults, judgements, figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import yaml
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from knowflow.ground.errors import DataNotFoundError, UnknownNameError
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import Given, Node, Workflow
from knowflow.roof.cli import main
from knowflow.roof.library import KnowFlow
from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow_bench.documents import check
from knowflow_bench.metrics import StepOutcome
from knowflow_bench.tasks.data import true_fields, write_data
from knowflow_bench.tasks.documents import benchmark_files, check_benchmark
from knowflow_bench.tasks.judge import judge
from knowflow_bench.tasks.outcome import Outcome, outcome_of, refusal_of
from knowflow_bench.tasks.report import report
from knowflow_bench.tasks.run import Conditions, carried_out, jobs_of, require_folder
from knowflow_bench.tasks.selection import require_batch, selected
from knowflow_bench.tasks.task_file import BenchmarkFile, Case, TrueAnswer, Unanswerable
from knowflow_bench.truth import Fields

CASE: dict[str, Any] = {
    "ask": ["What was the mean NDVI in 2021?", "Average NDVI of 2021"],
    "scene": "field",
    "answer": {"value": "mean(NDVI[1])", "unit": "1"},
    "uses": [{"tool": "raster_statistic", "with": {"statistic": "mean"}}],
}
FILE: dict[str, Any] = {
    "benchmark": "vegetation",
    "scenes": {
        "field": {
            "size": [8, 8],
            "layers": [
                {
                    "name": "NDVI",
                    "quantity": "ndvi",
                    "values": "0.2 + 0.4 * x + 0.1 * i",
                    "dates": ["2020-06-01", "2021-06-01"],
                }
            ],
        }
    },
    "tasks": [{"task": "mean_ndvi", "title": "Mean", "simple": CASE, "complex": {**CASE, "wrong": ["unscaled"]}}],
    "unanswerable": [
        {
            "ask": "What was the mean NDVI in 1999?",
            "scene": "field",
            "because": "no image of 1999",
            "codes": ["no_plan"],
            "says": ["1999"],
        }
    ],
}


def file(**changes: Any) -> BenchmarkFile:
    return BenchmarkFile.model_validate({**FILE, **changes})


def case(**changes: Any) -> Case:
    return Case.model_validate({**CASE, **changes})


# --- what is authored -------------------------------------------------------------------------------------------------


def test_all_authored_tasks_are_sound_and_enough() -> None:
    files = benchmark_files()
    assert check_benchmark(KnowFlow().tools()) == []
    assert len({one.benchmark for one in files}) == 12
    assert sum(len(one.tasks) for one in files) >= 60
    assert sum(len(one.unanswerable) for one in files) >= 30
    cases = [case for one in files for task in one.tasks for case in (task.simple, task.complex)]
    assert sum(bool(one.wrong) for one in cases) * 3 >= len(cases)
    asked = [question for one in cases for question in one.ask]
    assert len(asked) >= 240


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"benchmark": "cooking"}, "unknown_name"),
        ({"scenes": {}}, "unknown_scene"),
        ({"tasks": [*FILE["tasks"], *FILE["tasks"]]}, "duplicate_name"),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "answer": {"value": "mean(EVI)"}}}]}, "unknown_layer"),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "answer": {"value": "open(NDVI)"}}}]}, "bad_truth"),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "altered": {"EVI": {}}}}]}, "unknown_layer"),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "uses": [{"tool": "magic"}]}}]}, "unknown_tool"),
        (
            {"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "uses": [{"tool": "mean", "with": {"z": 1}}]}}]},
            "unknown_parameter",
        ),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "ask": ["one wording"]}}]}, "bad_value"),
        ({"tasks": [{**FILE["tasks"][0], "simple": {**CASE, "answer": {}}}]}, "bad_value"),
    ],
)
def test_what_is_wrong_with_tasks_is_told_with_its_line(tmp_path: Path, changes: dict[str, Any], code: str) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(json.dumps({**FILE, **changes}, indent=1), encoding="utf-8")
    problems = check_benchmark(KnowFlow().tools(), [path])
    assert code in {problem.code for problem in problems}
    assert all(problem.file == str(path) and problem.line for problem in problems)


def as_yaml(data: dict[str, Any]) -> str:
    """YAML without aliases, which authored documents may not have."""
    return yaml.safe_dump(json.loads(json.dumps(data)), sort_keys=False)


def test_check_reads_tasks(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(as_yaml({**FILE, "scenes": {}}), encoding="utf-8")
    assert {problem.code for problem in check([path])} == {"unknown_scene"}
    path.write_text(as_yaml(FILE), encoding="utf-8")
    assert check([path]) == []


# --- data -----------------------------------------------------------------------------------------------------------


def test_data_are_altered_and_their_truth_is_not(tmp_path: Path) -> None:
    altered = {"NDVI": {"dtype": "int16", "scale": 0.001, "nodata": -1, "missing": "x < 0.5"}}
    write_data(file(), "field", tmp_path, altered=altered)
    with rasterio.open(tmp_path / "NDVI_2020-06-01.tif") as raster:
        assert raster.dtypes[0] == "int16"
        assert raster.read(1).max() == 575
    assert not np.isnan(true_fields(file(), "field").layers["NDVI"]).any()


def test_headers_are_forgotten_files_cut_copied_and_added(tmp_path: Path) -> None:
    damage = case(
        damage=[
            {"files": "*2020*", "forget": ["crs", "nodata", "tags"]},
            {"files": "*2021*", "copy_as": "again.tif"},
            {"files": "again.tif", "cut": True},
            {"files": "notes.txt", "write": "hello"},
        ]
    ).damage
    write_data(file(), "field", tmp_path, damage=damage)
    with pytest.warns(NotGeoreferencedWarning):
        raster = rasterio.open(tmp_path / "NDVI_2020-06-01.tif")
    with raster:
        assert raster.crs is None
        assert "QUANTITY" not in raster.tags()
    assert (tmp_path / "again.tif").stat().st_size * 2 <= (tmp_path / "NDVI_2021-06-01.tif").stat().st_size + 1
    assert (tmp_path / "notes.txt").read_text() == "hello"


def test_real_samples_are_raw_arrays() -> None:
    samples = file(samples={"s": {"sample": "sentinel2"}, "t": {"sample": "terrain"}, "f": {"sample": "folder"}})
    bands = true_fields(samples, "s").layers["S2"]
    assert isinstance(bands, dict)
    assert bands["nir"].shape == (300, 300)
    assert np.asarray(true_fields(samples, "t").layers["dem"]).max() == 1076
    with pytest.raises(DataNotFoundError):
        true_fields(samples, "f")


def test_rasters_of_a_folder_are_read_by_name_and_date(tmp_path: Path) -> None:
    write_data(file(), "field", tmp_path)
    folder = file(samples={"f": {"sample": "folder", "files": ["NDVI_*.tif"]}})
    fields = true_fields(folder, "f", real=tmp_path)
    assert fields.dates["NDVI"] == ("2020-06-01", "2021-06-01")
    assert np.shape(fields.layers["NDVI"]) == (2, 8, 8)
    assert fields.pixel_area == 100


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        require_folder(tmp_path / "none")


# --- judgement --------------------------------------------------------------------------------------------------------

FIELDS = Fields({"NDVI": np.array([[0.2, 0.4], [0.6, np.nan]])})


def result(answer: Any = None, unit: str | None = None, **more: Any) -> RunResult:
    return RunResult("q", "completed", answer, unit, **more)


@pytest.mark.parametrize(
    ("answer", "found", "unit", "right"),
    [
        ({"value": 0.25, "unit": "1"}, 0.25, "1", True),
        ({"value": 0.25, "unit": "1"}, 25.0, "%", True),
        ({"value": 0.25, "unit": "1"}, 25.0, "1", False),
        ({"value": 0.25, "unit": "1"}, 0.25, "m", False),
        ({"value": 0.25, "unit": "1"}, 0.25, None, False),
        ({"value": 0.25, "unit": "1"}, None, "1", False),
        ({"value": 0.25, "unit": "1"}, True, "1", False),
        ({"value": 0.25}, [0.25], "m", True),
        ({"value": 0.25, "tolerance": 0.01}, 0.259, None, True),
        ({"value": 0.25, "tolerance": 0.01}, 0.261, None, False),
        ({"value": "mean(NDVI)"}, 0.4, None, True),
        ({"value": 30, "unit": "degC"}, 303.15, "K", True),
        ({"value": 2, "unit": "K", "difference": True}, 2.0, "degC", True),
        ({"value": 3, "magnitude": True}, -3.0, None, True),
        ({"value": 3}, -3.0, None, False),
        ({"value": "'2022-07'"}, "2022-07-11", None, True),
        ({"value": "'2022-07'"}, "2021-07-11", None, False),
        ({"value": "'2022'"}, 2022, None, True),
        ({"rows": [{"class": 1, "mean": 0.5}]}, [{"class": 1, "mean": 0.50001, "count": 3}], None, True),
        ({"rows": [{"class": 1, "mean": 0.5}]}, [{"class": 2, "mean": 0.5}], None, False),
        ({"rows": [{"class": 1}]}, [{"class": 1}, {"class": 2}], None, False),
        ({"rows": [{"name": "'a'"}]}, [{"name": "a"}], None, True),
        ({"rows": [{"area": 1}]}, [{"size": 1}], None, False),
        ({"values": {"mean": 0.4}}, [{"mean": 0.4}], None, True),
        ({"values": {"mean": 0.4}}, [{"maximum": 0.4}], None, False),
    ],
)
def test_a_result_is_right_or_not(answer: dict[str, Any], found: Any, unit: str | None, right: bool) -> None:
    assert judge(TrueAnswer.model_validate(answer), FIELDS, result(found, unit)).right is right


def test_numbers_are_found_by_the_name_of_the_output() -> None:
    answer = TrueAnswer.model_validate({"values": {"share": 0.25}, "unit": "1"})
    told = {"share": {"value": 25.0, "unit": "%"}}
    assert judge(answer, FIELDS, result(values=told)).right


@pytest.mark.parametrize(("change", "right"), [(0.0, True), (0.1, False)])
def test_a_map_is_compared_at_every_pixel(tmp_path: Path, change: float, right: bool) -> None:
    path = tmp_path / "map.tif"
    pixels = np.asarray(FIELDS.layers["NDVI"], dtype="float32") + np.float32(change)
    profile = {"driver": "GTiff", "width": 2, "height": 2, "count": 1, "dtype": "float32", "nodata": np.nan}
    transform = Affine(10, 0, 0, 0, -10, 20)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=transform, **profile) as raster:
        raster.write(pixels, 1)
    answer = TrueAnswer.model_validate({"pixels": "NDVI"})
    assert judge(answer, FIELDS, result(outputs={"map": str(path)})).right is right
    assert not judge(answer, FIELDS, result()).right


# --- what is counted --------------------------------------------------------------------------------------------------


def ran(statistic: str) -> RunResult:
    node = Node("n", "raster_statistic", {"statistic": Given(statistic)})
    trace = Trace("r", Plan("q", "t", Workflow((node,))), "completed", {"n": NodeRecord("n", "done")})
    return result(0.5, "1", nodes=({"id": "n"},), trace=trace)


WHERE = ("vegetation", "mean_ndvi", "simple", 0, "What?")


def test_steps_are_looked_for_in_the_plan() -> None:
    verdict = judge(TrueAnswer.model_validate({"value": 0.5}), FIELDS, ran("mean"))
    assert outcome_of(WHERE, case(), ran("mean"), verdict, 0, 1.0).steps == (StepOutcome(True, True, 1.0),)
    assert outcome_of(WHERE, case(), ran("median"), verdict, 0, 1.0).steps == (StepOutcome(True, True, 0.0),)
    other = case(uses=[{"tool": ["mask_clouds", "threshold"]}])
    assert outcome_of(WHERE, other, ran("mean"), verdict, 0, 1.0).steps == (StepOutcome(True, False),)


def test_a_right_answer_after_help_is_no_first_pass_and_a_wrong_one_is_confident() -> None:
    right = judge(TrueAnswer.model_validate({"value": 0.5}), FIELDS, ran("mean"))
    helped = outcome_of(WHERE, case(), ran("mean"), right, 1, 1.0)
    assert (helped.right, helped.scored.first_pass, helped.scored.interventions) == (True, False, 1)
    wrong = judge(TrueAnswer.model_validate({"value": 0.6}), FIELDS, ran("mean"))
    assert outcome_of(WHERE, case(), ran("mean"), wrong, 0, 1.0).confident_and_wrong
    refused = RunResult("q", "refused", error={"code": "no_plan", "message": "no"})
    assert not outcome_of(WHERE, case(), refused, None, 0, 1.0).confident_and_wrong


@pytest.mark.parametrize(
    ("found", "right", "confident"),
    [
        (RunResult("q", "refused", error={"code": "no_plan", "found": "dates 2020 to 2021, not 1999"}), True, False),
        (RunResult("q", "refused", error={"code": "no_plan", "found": "nothing"}), False, False),
        (RunResult("q", "refused", error={"code": "defect", "found": "1999"}), False, False),
        (RunResult("q", "completed", 0.3), False, True),
    ],
)
def test_a_refusal_is_right_with_the_true_reason(found: RunResult, right: bool, confident: bool) -> None:
    question = Unanswerable.model_validate(FILE["unanswerable"][0])
    outcome = refusal_of("vegetation", question, found, 1.0)
    assert (outcome.right, outcome.confident_and_wrong) == (right, confident)


def test_jobs_share_the_data_of_a_case_and_folders_that_are_not_given_are_passed_over() -> None:
    jobs, passed_over = jobs_of([file()], Conditions())
    assert ([job.level for job in jobs], passed_over) == (["simple", "complex", None], 0)
    folder = file(scenes={}, samples={"field": {"sample": "folder", "files": ["*.tif"]}})
    assert jobs_of([folder], Conditions()) == ([], 3)


def test_tasks_are_chosen_by_name_or_sub_domain() -> None:
    files = [file()]
    assert selected(files, []) == files
    assert selected(files, ["vegetation"]) == files
    assert selected(files, ["mean_ndvi"])[0].unanswerable == ()
    with pytest.raises(UnknownNameError):
        selected(files, ["mean_ndvy"])


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """What became of the questions of the file, asked once."""
    conditions = Conditions()
    jobs, passed_over = jobs_of([file()], conditions)
    assert passed_over == 0
    return list(carried_out(jobs, conditions))


def test_questions_are_asked_answered_and_counted(outcomes: list[Outcome]) -> None:
    found = report(outcomes, 0, 1.0)
    wanted = {
        "n": 4,
        "tsr_simple": 1.0,
        "tsr_complex": 1.0,
        "fpa_simple": 1.0,
        "fpa_complex": 1.0,
        "ni": 0.0,
        "wrong_confident": 0,
        "unanswerable": 1,
        "refused_rightly": 1,
        "tool_acc": 1.0,
        "arg_acc": 1.0,
        "with_something_wrong": 0.5,
    }
    assert {name: found[name] for name in wanted} == wanted
    assert found["by_wrong"] == {"nothing": {"n": 2, "right": 2}, "unscaled": {"n": 2, "right": 2}}
    assert found["not_right"] == []


class Refusing(Service):
    """Answers nothing, for tests of what is asked."""

    def run(self, query: Any, data: Any = None, **_: Any) -> RunResult:
        return RunResult(query, "refused", error={"code": "no_plan", "message": "not now"})


def test_fresh_questions_are_asked_instead_of_the_others_all_or_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowflow_bench.tasks.run.Service", Refusing)
    fresh = {"first": ["NDVI of 2021, averaged"], "second": ["mean NDVI, 2021"]}
    task = {**FILE["tasks"][0], "simple": {**CASE, "fresh": fresh}}
    unanswerable = [*FILE["unanswerable"], {**FILE["unanswerable"][0], "ask": "Mean NDVI of 1998?", "batch": "second"}]

    def asked(batch: str | None) -> list[str]:
        conditions = Conditions(fresh=True, batch=batch)
        jobs, _ = jobs_of([file(tasks=[task], unanswerable=unanswerable)], conditions)
        return [outcome.asked for outcome in carried_out(jobs, conditions)]

    assert asked(None) == ["NDVI of 2021, averaged", "mean NDVI, 2021", "Mean NDVI of 1998?"]
    assert asked("first") == ["NDVI of 2021, averaged"]
    assert asked("second") == ["mean NDVI, 2021", "Mean NDVI of 1998?"]


def test_a_batch_that_does_not_exist_is_named_with_those_that_do() -> None:
    task = {**FILE["tasks"][0], "simple": {**CASE, "fresh": {"second": ["mean NDVI, 2021"]}}}
    assert require_batch([file(tasks=[task])], "second") == "second"
    with pytest.raises(UnknownNameError, match="no such batch"):
        require_batch([file(tasks=[task])], "secnd")


def test_without_templates_questions_are_planned_from_tools_alone() -> None:
    conditions = Conditions(templates=False)
    jobs, _ = jobs_of([file(unanswerable=[])], conditions)
    outcomes = list(carried_out(jobs[:1], conditions))
    assert {(outcome.status, outcome.right) for outcome in outcomes} == {("completed", True)}


def test_the_command_prints_json_or_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcomes: list[Outcome]
) -> None:
    monkeypatch.setattr("knowflow_bench.tasks.documents.benchmark_files", lambda: (file(),))
    given: list[Any] = []
    monkeypatch.setattr("knowflow_bench.tasks.run.carried_out", lambda *arguments: given.append(arguments) or outcomes)
    for words in (["--json"], []):
        with pytest.raises(SystemExit) as ended:
            main(["bench", "tasks", "--jobs", "1", *words])
        assert not ended.value.code
    printed = capsys.readouterr().out
    found = json.loads(printed[: printed.index("\n}\n") + 2])
    assert {"n", "tsr_simple", "tsr_complex", "fpa_simple", "fpa_complex", "ntc", "ni"} <= set(found)
    assert {"wrong_confident", "unanswerable", "refused_rightly"} <= set(found)
    assert [(len(jobs), conditions, workers) for jobs, conditions, workers in given] == [(3, Conditions(), 1)] * 2
    assert "right in the end (TSR, %)             100.0    100.0" in printed
