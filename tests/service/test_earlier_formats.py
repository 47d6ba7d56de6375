"""What users have keeps working: plans, runs, records and authored documents that an earlier commit wrote are read."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow
from knowflow.execution.run_store import list_runs, load_run
from knowflow.knowledge.plan_document import load_plan
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.question.form import expression_of

KEPT = Path(__file__).parent.parent / "fixtures" / "formats_1"
COMPLETED, REPAIRED = "20261123-184709-f27f", "20261123-184816-6b94"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The kept documents in a folder of their own, which is where commands are given."""
    found = tmp_path / "kept"
    shutil.copytree(KEPT, found)
    for trace in found.rglob("trace.json"):
        trace.write_text(trace.read_text(encoding="utf-8").replace("@HERE@", str(found)), encoding="utf-8")
    monkeypatch.chdir(found)
    return found


def share(folder: Path) -> float:
    """The share of NDVI above 0.5, the mean of the dates."""
    dates = []
    for file in sorted(folder.glob("*.tif")):
        with rasterio.open(file) as dataset:
            dates.append(np.mean(dataset.read(1) > 0.5))
    return float(np.mean(dates))


@pytest.mark.parametrize("plan", ["plan_of_expression.yaml", "plan_of_template.yaml"])
def test_a_saved_plan_is_executed(here: Path, plan: str) -> None:
    result = KnowFlow(here / "new").run(load_plan(here / plan), out=here / "out")
    assert result.status == "completed", result.error
    assert result.answer == pytest.approx(share(here / "data"), abs=1e-9)


def test_runs_are_listed_and_read(here: Path) -> None:
    assert {one.run_id: one.status for one in list_runs(here / "home")} == {
        COMPLETED: "completed",
        REPAIRED: "completed",
    }
    trace = load_run(COMPLETED, here / "home")
    assert trace.outputs["answer"].value == pytest.approx(share(here / "data"), abs=1e-9)
    asked, faults = expression_of(trace.plan.understood["question"]["value"])
    assert asked is not None, faults
    assert [one.by for one in load_run(REPAIRED, here / "home").repairs] == ["rule:scale_of_vegetation_index"]


def test_what_rules_did_is_remembered(here: Path) -> None:
    assert SuccessRecord(here / "home").all() == {"scale_of_vegetation_index": (1, 1)}


def test_a_template_and_a_tool_of_a_user_work(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "knowledge").rename(here / ".knowflow")
    monkeypatch.setattr(sys, "path", [*sys.path])
    tool = KnowFlow(here / "new").run_tool("whereabouts", {"word": "here"}, out=here / "out_of_tool")
    assert tool.answer == "here and there"
    asked = KnowFlow(here / "new").run("", here / "data", template="share_of_green", out=here / "out")
    assert asked.status == "completed", asked.error
    with (
        rasterio.open(here / "data" / "ndvi_2021-06-01.tif") as first,
        rasterio.open(here / "data" / "ndvi_2021-07-01.tif") as second,
    ):
        median = np.median([first.read(1), second.read(1)], axis=0)
    assert asked.answer == pytest.approx(float((median > 0.5).mean()), abs=1e-9)
