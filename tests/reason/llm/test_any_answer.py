"""Whatever a model answers: it is refused with reasons, or the plan holds together afterwards."""

from __future__ import annotations

from typing import Any

from examples import OUTPUT, catalogue, ndvi, tool
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.check import structure_problems
from knowflow.graph.edit import apply
from knowflow.graph.topology import cycles
from knowflow.ground.errors import KnowFlowError
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromInput, FromNode, Node, Workflow, references
from knowflow.reason.llm import Answer
from knowflow.reason.llm.repair_answer import RepairAnswer, edits_of
from knowflow.reason.llm.structured import typed

TOOLS = catalogue(tool("open_any", {"filename": {"type": "path"}, "output": OUTPUT}))
PLAN = Plan(
    "",
    "",
    Workflow(
        (
            Node("a1", "smooth", {"raster": FromInput("a")}),
            Node("b1", "smooth", {"raster": FromInput("b")}),
            Node("d", "difference", {"a": FromNode("a1"), "b": FromNode("b1")}),
        )
    ),
    inputs={"a": ndvi("a"), "b": ndvi("b")},
    outputs={"answer": FromNode("d")},
)
NAMES = st.sampled_from(["a1", "b1", "d", "a", "b", "raster", "like", "output", "unit", "nobody", "", "/etc/passwd"])
LITERALS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NAMES
VALUES: st.SearchStrategy[Any] = st.recursive(
    LITERALS
    | st.fixed_dictionaries({"from": NAMES})
    | st.fixed_dictionaries({"from": NAMES, "output": NAMES})
    | st.fixed_dictionaries({"input": NAMES, "at": st.lists(st.integers(-2, 2) | NAMES, max_size=2)}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries({"series": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries({"bands": st.dictionaries(NAMES, inner, max_size=2)})
        | st.dictionaries(NAMES, inner, max_size=2)
    ),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=3)
KINDS = st.sampled_from([*TOOLS, "magic"])
PLACES = st.fixed_dictionaries({"node": NAMES, "parameter": NAMES}, optional={"at": st.lists(st.integers(0, 2))})
EDITS = (
    st.fixed_dictionaries({"edit": st.just("set_parameter"), "node": NAMES, "parameter": NAMES, "value": VALUES})
    | st.fixed_dictionaries(
        {
            "edit": st.just("insert_tool"),
            "tool": KINDS,
            "before": st.lists(PLACES, max_size=2),
            "carry": NAMES,
            "arguments": ARGUMENTS,
        }
    )
    | st.fixed_dictionaries({"edit": st.just("replace_tool"), "node": NAMES, "tool": KINDS, "arguments": ARGUMENTS})
    | st.fixed_dictionaries({"edit": st.just("leave_out"), "node": NAMES})
)
ANSWERS = st.fixed_dictionaries({"because": st.text(max_size=5), "edits": st.lists(EDITS, max_size=3)})


def reasons_against(data: Any) -> tuple[Plan, str]:
    """The plan after an answer, and why it was refused; nothing where it was not."""
    try:
        edits = edits_of(typed(Answer("", data), RepairAnswer), PLAN, TOOLS, Diagnosis("unknown", "d", "d"))
        return apply(PLAN, edits, TOOLS), ""
    except KnowFlowError as error:
        return PLAN, "; ".join(map(str, error.problems)) or str(error.found)


@given(ANSWERS)
def test_an_answer_is_refused_with_reasons_or_leaves_a_plan_that_holds_together(data: Any) -> None:
    edited, reasons = reasons_against(data)
    assert bool(reasons) == (edited is PLAN)
    assert structure_problems(edited.workflow, TOOLS) == []
    assert cycles(edited.workflow) == ()
    assert not any(node.tool == "open_any" for node in edited.workflow.nodes)
    refs = [ref for node in edited.workflow.nodes for value in node.args.values() for ref in references(value)]
    assert {ref.name for ref in refs if isinstance(ref, FromInput)} <= {"a", "b"}


@given(VALUES)
def test_what_is_no_answer_at_all_is_refused_with_reasons(data: Any) -> None:
    _, reasons = reasons_against(data)
    assert reasons
