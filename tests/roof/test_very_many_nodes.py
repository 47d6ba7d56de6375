"""A plan of thousands of nodes is shown as the few things that it does."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from knowflow.execution.events import Diagnosed, NodeEnded, RunStarted
from knowflow.graph.export import to_mermaid, to_tree
from knowflow.model.artifact import Artifact, scalar
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Workflow
from knowflow.roof.drawing import draw
from knowflow.roof.report import render_report
from knowflow.roof.terminal.live import LiveProgress
from knowflow.roof.terminal.plans import plan_tree
from knowflow.roof.terminal.repairs import show_repairs

SCENES = 2000


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Two nodes of each of many scenes, whose bands are inputs of their own."""
    names = [f"{2000 + number // 12}-{number % 12 + 1:02}-01" for number in range(SCENES)]
    inputs = {
        f"{band}_{name}": Artifact("raster", path=f"/{band}_{name}.tif") for name in names for band in ("b4", "b8")
    }
    nodes = []
    for name in names:
        bands = BandsOf({band: FromInput(f"{band}_{name}") for band in ("b4", "b8")})
        nodes.append(Node(f"ndvi_{name}", "spectral_index", {"index": Given("NDVI"), "bands": bands}, layer=2))
        nodes.append(Node(f"mean_{name}", "statistic", {"raster": FromNode(f"ndvi_{name}")}, layer=2))
    answer = SeriesOf(tuple(FromNode(node.id) for node in nodes if node.tool == "statistic"))
    plan = Plan("a question", "", Workflow(tuple(nodes)), inputs=inputs, outputs={"answer": answer})
    records = {
        node.id: NodeRecord(node.id, "done", "k" * 64, {"value": scalar(0.5, name=node.id)}, started=1.0, finished=2.0)
        for node in nodes
    }
    return Trace("20260101-000000-aaaa", plan, "completed", records, started=1.0, finished=3.0)


def test_it_is_drawn_in_a_box_for_each_thing_that_is_done(trace: Trace) -> None:
    drawn = draw(trace.plan, trace.records)
    assert drawn.count(f">×{SCENES}<") == 4, "two bands, index, statistic"
    assert drawn.count("<rect") < 20


def test_as_text_and_on_screen_it_is_a_few_lines(trace: Trace) -> None:
    tree = to_tree(trace.plan)
    assert f"b4 × {SCENES}, b8 × {SCENES}" in tree
    assert len(tree) < 1000
    assert len(to_mermaid(trace.plan)) < 1500
    screen = io.StringIO()
    Console(file=screen, width=120).print(plan_tree(trace.plan))
    assert len(screen.getvalue()) < 1000


def test_its_report_is_no_larger_than_that_of_a_small_one(trace: Trace, tmp_path: Path) -> None:
    page = render_report(trace, tmp_path / "report.html", delivered={})
    assert page.stat().st_size < 400_000
    text = page.read_text()
    assert f"of {2 * SCENES} inputs and {2 * SCENES} steps the first 400 each" in text
    assert f"{2 * SCENES} steps" in text


def test_a_few_inputs_stay_what_they_are_called() -> None:
    nodes = tuple(Node(f"n{n}", "index", {"x": FromInput(f"x{n}")}, step="p") for n in range(6))
    plan = Plan("", "", Workflow(nodes), inputs={f"x{n}": Artifact("raster") for n in range(6)})
    assert "x0, x1, x2, x3, x4, x5" in to_tree(plan)


def test_failures_of_very_many_nodes_are_told_one_by_one_a_few_times(trace: Trace, tmp_path: Path) -> None:
    error = {"code": "tool", "message": "it broke", "where": "a scene"}
    nodes = [node for node in trace.plan.workflow.nodes if node.tool == "statistic"]
    broken = {node.id: NodeRecord(node.id, "failed", error=error, started=1.0, finished=2.0) for node in nodes}
    found = tuple(Diagnosis("dependency_missing", node.id, node.id) for node in nodes)
    failed = replace(trace, status="failed", records={**trace.records, **broken}, diagnoses=found)
    screen = io.StringIO()
    console = Console(file=screen, width=120)
    with LiveProgress(console) as live:
        live(RunStarted(trace.run_id, "a question", len(trace.plan.workflow), None, trace.plan.workflow))
        for settled, node in enumerate(nodes):
            live(NodeEnded(node.id, broken[node.id], settled, len(trace.plan.workflow)))
            live(Diagnosed(node.id, found[settled]))
    show_repairs(console, failed)
    assert screen.getvalue().count("it broke") == 12
    assert "more of" in screen.getvalue()
    assert f"and {SCENES - 12} more failures" in screen.getvalue()
    assert len(screen.getvalue().splitlines()) < 120
    page = render_report(failed, tmp_path / "failed.html", delivered={})
    assert f"and {SCENES - 12} more failures, in the trace of the run" in page.read_text()
    assert page.stat().st_size < 500_000
