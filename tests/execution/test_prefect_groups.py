"""Very many nodes are a few task runs, asked of the REST API of a real server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from execution_examples import node, plan
from test_prefect_runner import flow_run_of, recorded

from knowflow.execution import prefect_groups
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.scheduler import execute
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, SeriesOf

Catalogue = Mapping[str, ToolSchema]


def many(*values: int) -> Plan:
    numbers = [node(f"n{value}", "number", value=value) for value in values]
    halves = [node(f"h{value}", "divide", x=FromNode(f"n{value}"), by=value) for value in values]
    total = node("sum", "total", values=SeriesOf(tuple(FromNode(f"h{value}") for value in values)))
    return plan(*numbers, *halves, total)


@pytest.fixture
def runner(server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> PrefectRunner:
    monkeypatch.setattr(prefect_groups, "MANY", 6)
    return PrefectRunner(server[1])


def test_nodes_that_do_the_same_are_one_task_run(
    server: tuple[str, Path], runner: PrefectRunner, catalogue: Catalogue, home: Path
) -> None:
    trace = execute(many(1, 2, 3, 4, 5), catalogue, runner, home)
    assert trace.status == "completed"
    assert trace.outputs["answer"].value == 5
    shown = recorded(server[0], "task_runs", flow_run_of(trace), 3)
    assert sorted((one["name"], one["state_name"]) for one in shown) == [
        ("the sum", "Completed"),
        ("the, 5 nodes", "Completed"),
        ("the, 5 nodes", "Completed"),
    ]
    by_tool = {one["id"]: one["tags"] for one in shown}
    assert sorted(tag for tags in by_tool.values() for tag in tags if tag in catalogue) == ["divide", "number", "total"]
    halves = next(one for one in shown if "divide" in one["tags"])
    waited = [one["id"] for one in halves["task_inputs"]["uses"]]
    assert [by_tool[one] for one in waited] == [["layer 1", "number"]]
    again = execute(many(1, 2, 3, 4, 5), catalogue, runner, home)
    cached = recorded(server[0], "task_runs", flow_run_of(again), 3)
    assert {one["state_name"] for one in cached} == {"Cached"}


def test_a_group_of_which_some_failed_says_which(
    server: tuple[str, Path], runner: PrefectRunner, catalogue: Catalogue, home: Path
) -> None:
    trace = execute(many(0, 1, 2, 3), catalogue, runner, home)
    assert trace.status == "failed"
    shown = recorded(server[0], "task_runs", flow_run_of(trace), 2)
    assert sorted((one["state_name"], one["state"]["message"]) for one in shown) == [
        ("Completed", "4 of 4, 0 from the cache, 0 failed"),
        ("Failed", "4 of 4, 0 from the cache, 1 failed"),
    ]
    lines = [one["message"] for one in recorded(server[0], "logs", flow_run_of(trace), 0)]
    assert [line for line in lines if "the h0: " in line and "division by zero" in line]
