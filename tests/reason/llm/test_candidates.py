"""Which of all tools a language model is shown: few, and those that may help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from examples import ndvi, raster

from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.plan import Plan
from knowflow.model.repair import Failure
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import FromInput, Given, Node, Workflow
from knowflow.reason.llm.candidates import candidate_tools

SHARE = Node("n", "threshold_share", {"raster": FromInput("a"), "threshold": Given(0.5)})
MASKED = Node("n", "apply_mask", {"raster": FromInput("a"), "mask": FromInput("b")})
MASK = raster("b", quantity="cloud_mask", pixel=20.0, shape=(32, 32))
SIGMA = raster("a", quantity="sigma0", unit="1", scale=1.0, sensor="Sentinel-1")


@pytest.fixture(scope="module")
def tools() -> Mapping[str, ToolSchema]:
    return load_catalogue().tools


def failure(node: Node, cause: str, place: str, **inputs: Artifact) -> Failure:
    plan = Plan("", "", Workflow((node,)), inputs=inputs)
    record = NodeRecord("n", "failed", error={"code": "tool", "message": "it failed"})
    return Failure(Trace("r", plan, records={"n": record}), "n", Diagnosis(cause, "n", "n", (place,)))


@pytest.mark.parametrize(
    ("node", "cause", "place", "inputs", "wanted"),
    [
        (SHARE, "nodata_undeclared", "raster", {"a": ndvi("a")}, "declare_nodata"),
        (SHARE, "scale_missing", "raster", {"a": ndvi("a")}, "declare_scale"),
        (SHARE, "unit_wrong", "raster", {"a": ndvi("a")}, "declare_unit"),
        (SHARE, "low_contrast", "raster", {"a": SIGMA}, "despeckle"),
        (MASKED, "grid_mismatch", "mask", {"a": ndvi("a"), "b": MASK}, "align_to"),
        (SHARE, "tool_defect", "raster", {"a": ndvi("a")}, "mask_share"),
    ],
)
def test_what_helps_is_among_them(
    tools: Mapping[str, ToolSchema], node: Node, cause: str, place: str, inputs: Mapping[str, Any], wanted: str
) -> None:
    shown = [schema.tool for schema in candidate_tools(failure(node, cause, place, **inputs), tools)]
    assert shown[0] == node.tool
    assert wanted in shown
    assert len(shown) <= 17


def test_tools_that_open_files_by_name_are_never_shown(tools: Mapping[str, ToolSchema]) -> None:
    for cause in ("file_truncated", "file_missing", "format_unknown"):
        for schema in candidate_tools(failure(SHARE, cause, "raster", a=ndvi("a")), tools):
            assert not any(parameter.type == "path" for parameter in schema.inputs.values())


def test_a_failure_of_a_node_that_is_not_there_shows_none(tools: Mapping[str, ToolSchema]) -> None:
    case = failure(SHARE, "data_missing", "raster", a=ndvi("a"))
    gone = Failure(case.trace, "n", Diagnosis("data_missing", "", ""))
    assert [schema.tool for schema in candidate_tools(gone, tools)][:1] == ["threshold_share"]
