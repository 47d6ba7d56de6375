"""Runs that a person changes: what was finished and is untouched stays, what would not hold is refused with reasons."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from service_examples import NDVI, Command, scene

from knowflow import KnowFlow
from knowflow.execution.events import Event, NodeEnded
from knowflow.execution.run_store import RunInUseError, run_folder
from knowflow.ground.errors import DocumentError, GraphEditError, PlanningError, UnknownNameError
from knowflow.ground.locks import try_lock
from knowflow.knowledge.plan_document import save_plan
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Workflow
from knowflow.service.results import RunResult
from knowflow.service.run_edits import Change

QUERY = "What share of the area has NDVI above 0.25?"
DATES = ["2022-06-01", "2022-06-11", "2022-06-21"]


MY_SHARE = """\
template: my_share
version: 1
title: Share of the area where a quantity is beyond a limit
layer: 3
parameters:
  quantity: {type: quantity}
  threshold: {type: number, unit: of(quantity), title: limit}
  upper: {type: number, unit: of(quantity), optional: true, title: upper limit}
  side: {type: string, choices: [above, below, between], default: above}
steps:
  product: {task: clear_quantity, with: {quantity: $quantity}}
  share:
    tool: threshold_share
    for_each: {raster: $product}
    with: {threshold: $threshold, upper: $upper, side: $side, when_empty: missing}
  answer:
    tool: mean
    with: {x: $share}
    when: length($product) > 1
    else: $share.first
    assumes: ["of several dates, the mean of the shares of each"]
outputs: {answer: $answer, map: $product}
"""


@pytest.fixture
def run(tmp_path: Path) -> RunResult:
    templates = Path(os.environ["KNOWFLOW_CONFIG"]) / "templates"
    templates.mkdir(parents=True)
    (templates / "my_share.yaml").write_text(MY_SHARE, encoding="utf-8")
    data = scene(tmp_path / "data", {**NDVI, "dates": DATES})
    found = KnowFlow().run(
        "", data, template="my_share", set={"quantity": "ndvi", "threshold": 0.25}, out=tmp_path / "out"
    )
    assert found.status == "completed"
    return found


def statuses(result: RunResult) -> dict[str, str]:
    return {node["id"]: node["status"] for node in result.nodes}


def test_a_changed_parameter_computes_only_what_it_reaches(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    change = Change(set={f"share.{DATES[0]}.threshold": 0.5})
    seen = flow.preview_edit(run.run_id, change)
    assert set(seen.again) == {f"share.{DATES[0]}", "answer"}
    assert set(seen.kept) == {f"share.{day}" for day in DATES[1:]}
    again = flow.edit_run(run.run_id, change, out=tmp_path / "out")
    assert again.run_id == run.run_id
    assert again.answer == pytest.approx((0.5 + 0.75 + 0.75) / 3, abs=0.03)
    assert {name for name, status in statuses(again).items() if status == "done"} == set(seen.again)
    assert {name for name, status in statuses(again).items() if status == "cached"} == set(seen.kept)


def test_who_changed_what_is_in_the_record_and_told_with_the_answer(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    change = Change(set={f"share.{day}.threshold": 0.5 for day in DATES})
    again = flow.edit_run(run.run_id, change, out=tmp_path / "out")
    trace = flow.trace(run.run_id)
    (repair,) = trace.repairs
    assert (repair.by, repair.number, len(repair.edits)) == ("person", 1, 3)
    assert repair.before.node(f"share.{DATES[0]}").args["threshold"] == Given(0.25)
    assert any("threshold to 0.5" in str(assumption) for assumption in again.assumptions)
    assert trace.plan.parameters["threshold"] == 0.5, "it stood nowhere else"


def test_a_second_change_keeps_the_record_of_the_first(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    for value in (0.5, 0.6):
        flow.edit_run(run.run_id, Change(set={f"share.{DATES[0]}.threshold": value}), out=tmp_path / "out")
    assert [repair.number for repair in flow.trace(run.run_id).repairs] == [1, 2]


def test_a_scene_is_left_out_by_number_or_date_and_nothing_computes_for_it(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    by_number = flow.preview_edit(run.run_id, Change(drop=("answer.x[1]",)))
    by_date = flow.preview_edit(run.run_id, Change(drop=(f"answer.x[{DATES[1]}]",)))
    by_node = flow.preview_edit(run.run_id, Change(drop=(f"share.{DATES[1]}",)))
    assert by_number.plan.workflow == by_date.plan.workflow == by_node.plan.workflow
    assert by_date.gone == (f"share.{DATES[1]}",)
    again = flow.edit_run(run.run_id, Change(drop=(f"answer.x[{DATES[1]}]",)), out=tmp_path / "out")
    assert again.status == "completed"
    assert statuses(again) == {f"share.{DATES[0]}": "cached", f"share.{DATES[2]}": "cached", "answer": "done"}


def test_a_step_gets_another_tool(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    again = KnowFlow().edit_run(run.run_id, Change(replace={"answer": "maximum"}), out=tmp_path / "out")
    assert (again.status, again.error) == ("completed", None)
    trace = KnowFlow().trace(run.run_id)
    inserted = trace.plan.workflow.node("answer").inserted
    assert inserted is not None
    assert inserted.by == "person"


def test_a_tool_is_put_before_a_parameter(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    place = f"share.{DATES[0]}.raster"
    new = f"share.{DATES[0]}.convert_unit"
    change = Change(insert=(("convert_unit", place),), set={f"{new}.unit": "1"})
    seen = KnowFlow().preview_edit(run.run_id, change)
    assert seen.new == (new,)
    node = seen.plan.workflow.node(new)
    assert isinstance(node.args["raster"], FromInput)
    assert node.args["unit"] == Given("1")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change(), "nothing to edit"),
        (Change(set={"nobody.threshold": 1}), "unknown_node"),
        (Change(set={"answer": 1}), "unknown_node"),
        (Change(set={"answer.x.y": 1}), "bad_place"),
        (Change(set={"answer.xx": 1}), "unknown_argument"),
        (Change(set={f"share.{DATES[0]}.side": "sideways"}), "bad_value"),
        (Change(set={f"share.{DATES[0]}.raster": {"from": "answer"}}), "cycle"),
        (Change(replace={"answer": "no_such_tool"}), "unknown_tool"),
        (Change(replace={"nobody": "mean"}), "unknown_node"),
        (Change(insert=(("nothing", "answer.x"),)), "unknown_tool"),
        (Change(drop=("answer.x[7]",)), "no_item"),
        (Change(drop=("answer.x",)), "no_item"),
        (Change(drop=tuple(f"answer.x[{number}]" for number in range(3))), "empty_series"),
        (Change(set={"answer.x": None}), "missing_argument"),
        (Change(set={"nobody.x": 1}, replace={"none": "mean"}, drop=("answer.x[9]",)), "no_item"),
        (Change(plan=Path("p.yaml"), drop=("answer.x[1]",)), "stands for all"),
    ],
)
def test_a_change_that_does_not_hold_is_refused_with_all_reasons(run: RunResult, change: Change, words: str) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    before = flow.trace(run.run_id).to_json()
    with pytest.raises(GraphEditError) as caught:
        flow.edit_run(run.run_id, change)
    assert words in str(caught.value)
    assert flow.trace(run.run_id).to_json() == before


def test_all_reasons_come_at_once(run: RunResult) -> None:
    assert run.run_id is not None
    wrong = {"nobody.x": 1, f"share.{DATES[0]}.threshold": "high", f"share.{DATES[0]}.tresh": 1}
    change = Change(set=wrong, replace={"none": "mean"}, drop=("answer.x[9]",))
    with pytest.raises(GraphEditError) as caught:
        KnowFlow().preview_edit(run.run_id, change)
    codes = sorted(problem.code for problem in caught.value.problems)
    assert codes == ["no_item", "unknown_argument", "unknown_node", "unknown_node", "wrong_type"]


def ratio() -> Plan:
    """A plan that fails where it divides by the smallest of some numbers, which is zero; beside it, all is well."""
    nodes = (
        Node("smallest", "minimum", {"x": Given((0.0, 1.0))}, layer=3),
        Node("largest", "maximum", {"x": Given((2.0, 5.0))}, layer=3),
        Node("ratio", "division", {"a": FromNode("smallest"), "b": FromNode("largest")}, layer=3),
    )
    return Plan("", "", Workflow(nodes), outputs={"answer": FromNode("ratio")})


def test_a_failed_run_goes_on_after_the_reason_is_taken_away(tmp_path: Path) -> None:
    flow = KnowFlow()
    failed = flow.run(ratio(), out=tmp_path / "out")
    assert failed.status == "failed"
    assert failed.run_id is not None
    change = Change(set={"smallest.x": [2, 4]})
    seen = flow.preview_edit(failed.run_id, change)
    assert (seen.kept, seen.again, seen.rest) == (("largest",), ("smallest",), ("ratio",))
    again = flow.edit_run(failed.run_id, change, out=tmp_path / "out")
    assert (again.status, again.answer) == ("completed", 2.5)
    assert statuses(again) == {"smallest": "done", "largest": "cached", "ratio": "done"}
    (repair,) = flow.trace(failed.run_id).repairs
    assert (repair.failed.node, repair.failed.status) == ("ratio", "failed")
    assert repair.failed.error is not None


def test_a_change_that_leaves_a_condition_false_is_refused(tmp_path: Path) -> None:
    flow = KnowFlow()
    failed = flow.run(ratio(), out=tmp_path / "out")
    assert failed.run_id is not None
    with pytest.raises(PlanningError, match="precondition"):
        flow.edit_run(failed.run_id, Change(set={"ratio.a": 0}))


def test_an_interrupted_run_can_be_changed(tmp_path: Path) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, NodeEnded):
            raise KeyboardInterrupt

    flow = KnowFlow()
    stopped = flow.run(ratio(), out=tmp_path / "out", on_event=interrupt)
    assert stopped.status == "interrupted"
    assert stopped.run_id is not None
    again = flow.edit_run(stopped.run_id, Change(set={"smallest.x": [2, 4]}), out=tmp_path / "out")
    assert again.answer == 2.5


def test_a_plan_file_is_the_whole_change(run: RunResult, tmp_path: Path) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    plan = flow.trace(run.run_id).plan
    nodes = tuple(
        replace(node, args={**node.args, "threshold": Given(0.5)}) if node.tool == "threshold_share" else node
        for node in plan.workflow.nodes
    )
    file = tmp_path / "mine.yaml"
    save_plan(replace(plan, workflow=replace(plan.workflow, nodes=nodes)), file)
    again = flow.edit_run(run.run_id, Change(plan=file), out=tmp_path / "out")
    assert again.answer == pytest.approx(0.5, abs=0.03)
    file.write_text("plan: 1\nnodes: []\n")
    with pytest.raises(DocumentError):
        flow.edit_run(run.run_id, Change(plan=file))


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        KnowFlow().edit_run("nothing", Change(drop=("a.b[0]",)))


def test_a_run_that_is_being_executed_is_left_alone(run: RunResult) -> None:
    assert run.run_id is not None
    flow = KnowFlow()
    lock = try_lock(run_folder(run.run_id, flow.home) / "lock")
    assert lock is not None
    try:
        with pytest.raises(RunInUseError):
            flow.edit_run(run.run_id, Change(drop=("answer.x[1]",)))
    finally:
        os.close(lock)


def test_the_command_shows_what_it_would_do_and_does_it(run: RunResult, knowflow: Command) -> None:
    place = f"share.{DATES[0]}.threshold=0.5"
    seen = knowflow("runs", "edit", run.run_id, "--set", place, "--dry-run")
    assert (seen.code, seen.result["status"]) == (0, "planned")
    assert seen.result["edit"]["again"] == [f"share.{DATES[0]}", "answer"]
    assert KnowFlow().trace(str(run.run_id)).repairs == ()
    done = knowflow("runs", "edit", run.run_id, "--set", place)
    assert KnowFlow().trace(str(run.run_id)).runner == "local", "as the run had it"
    assert (done.code, done.result["status"], done.result["repairs"]) == (0, "completed", 1)
    assert done.result["edit"]["sentences"] == [f"set share.{DATES[0]}.threshold to 0.5"]
    assert [node["status"] for node in done.result["nodes"]].count("cached") == 2
    shown = knowflow("runs", "show", run.run_id)
    assert shown.result["repairs"][0]["by"] == "person"


def test_the_command_refuses_with_a_named_error_and_code_2(run: RunResult, knowflow: Command) -> None:
    refused = knowflow("runs", "edit", run.run_id, "--replace", "answer=nothing", "--drop", "answer.x[9]")
    assert refused.code == 2
    assert refused.names("graph_edit", "unknown_tool", "no_item")


def test_the_command_takes_pairs_of_insert_and_before(run: RunResult, knowflow: Command) -> None:
    assert knowflow("runs", "edit", run.run_id, "--insert", "mean").code == 2
    place = f"share.{DATES[0]}.raster"
    unit = f'share.{DATES[0]}.convert_unit.unit="1"'
    seen = knowflow(
        "runs", "edit", run.run_id, "--insert", "convert_unit", "--before", place, "--set", unit, "--dry-run"
    )
    assert (seen.code, seen.result["edit"]["new"]) == (0, [f"share.{DATES[0]}.convert_unit"])
