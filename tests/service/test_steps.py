"""Part of a plan alone, on files that are handed to it, as a step of an exported workflow carries it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from service_examples import NDVI, scene

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError, UnreadableDataError
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Workflow
from knowflow.reason.inventory import read_file


@pytest.fixture
def ndvi(tmp_path: Path) -> Path:
    return next(scene(tmp_path / "data", NDVI).glob("*.tif"))


def _part(folder: Path, plan: Plan) -> Path:
    file = folder / "part.json"
    file.write_text(json.dumps(plan.to_json(), allow_nan=False), encoding="utf-8")
    return file


def _threshold(ndvi: Path, **arguments: Any) -> Plan:
    raster = Artifact("raster", read_file(ndvi, ()).facts, "ndvi", "{file:0}")
    args = {"raster": FromInput("ndvi"), **{name: Given(value) for name, value in arguments.items()}}
    return Plan("", "", Workflow((Node("mask", "threshold", args),)), {"ndvi": raster})


def test_steps_hand_their_results_over_in_folders_that_may_be_moved(tmp_path: Path, ndvi: Path) -> None:
    work = KnowFlow(tmp_path / "home")
    part = _part(tmp_path, _threshold(ndvi))
    (made,) = work.carry_out_part(part, {"threshold": "0.25"}, files=[str(ndvi)], out=tmp_path / "one")
    handed = json.loads((made / "outputs.json").read_text(encoding="utf-8"))["output"]
    assert handed["key"].startswith("derived:"), "what a step made is no file of the user's"
    (tmp_path / "two").mkdir()
    moved = made.rename(tmp_path / "two" / made.name)
    share = Node("share", "mask_share", {"mask": FromNode("mask")})
    plan = Plan("", "", Workflow((share,)), outputs={"answer": FromNode("share", "value"), "map": FromNode("mask")})
    files = work.carry_out_part(_part(tmp_path, plan), {}, made=[moved], out=tmp_path / "out")
    assert {file.name for file in files} == {"share", "answer.json", "map.tif"}
    answer = json.loads((tmp_path / "out" / "answer.json").read_text(encoding="utf-8"))
    assert answer["values"]["answer"]["value"] == pytest.approx(0.75)  # of NDVI that rises from 0 to 1


def test_what_is_not_handed_over_is_named(tmp_path: Path, ndvi: Path) -> None:
    work = KnowFlow(tmp_path / "home")
    part = _part(tmp_path, _threshold(ndvi, threshold=0.5))
    with pytest.raises(PlanningError, match="file is not handed over"):
        work.carry_out_part(part, {}, out=tmp_path / "out")
    with pytest.raises(PlanningError, match="no parameter 'treshold'"):
        work.carry_out_part(part, {"treshold": "1"}, files=[str(ndvi)], out=tmp_path / "out")
    share = Plan("", "", Workflow((Node("share", "mask_share", {"mask": FromNode("mask")}),)))
    with pytest.raises(PlanningError, match="results of a step are not handed over"):
        work.carry_out_part(_part(tmp_path, share), {}, out=tmp_path / "out")
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableDataError, match="no part of a plan"):
        work.carry_out_part(tmp_path / "none.json", {}, out=tmp_path / "out")
