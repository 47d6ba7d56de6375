"""A node that is left out: what goes with it, what goes on without it, and what may not be lost."""

from __future__ import annotations

import pytest
from examples import catalogue, dated_series, ndvi
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.edit import apply
from knowflow.graph.topology import cycles
from knowflow.ground.errors import GraphEditError
from knowflow.model.edit import LeaveOut
from knowflow.model.plan import Plan, Quality
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Workflow

TOOLS = catalogue()


def plan_of(count: int, **more: object) -> Plan:
    nodes = [Node(f"s{i}", "smooth", {"raster": FromInput("series", (i,))}) for i in range(count)]
    nodes += [Node(f"t{i}", "smooth", {"raster": FromNode(f"s{i}")}) for i in range(count)]
    nodes.append(Node("all", "mean_of_series", {"rasters": SeriesOf(tuple(FromNode(f"t{i}") for i in range(count)))}))
    return Plan("", "", Workflow(tuple(nodes)), {"series": dated_series(count)}, outputs={"answer": FromNode("all")})


def test_what_hangs_on_a_node_alone_goes_with_it_and_the_series_goes_on() -> None:
    edited = apply(plan_of(3), [LeaveOut("s1")], TOOLS)
    assert [node.id for node in edited.workflow.nodes] == ["s0", "s2", "t0", "t2", "all"]
    assert edited.workflow.node("all").args["rasters"] == SeriesOf((FromNode("t0"), FromNode("t2")))


def test_siblings_are_the_same_objects_as_before() -> None:
    plan = plan_of(3)
    edited = apply(plan, [LeaveOut("t1")], TOOLS)
    for name in ("s0", "s2", "t0", "t2"):
        assert edited.workflow.node(name) is plan.workflow.node(name)


def test_too_few_items_are_refused() -> None:
    with pytest.raises(GraphEditError, match="too little"):
        apply(plan_of(2), [LeaveOut("s1", keep_at_least=2)], TOOLS)


def test_a_result_is_not_lost() -> None:
    with pytest.raises(GraphEditError, match="would be lost"):
        apply(plan_of(2), [LeaveOut("all")], TOOLS)


def test_a_series_among_the_results_loses_the_item() -> None:
    plan = plan_of(3)
    shown = SeriesOf((FromNode("t0"), FromNode("t1"), FromNode("t2")))
    plan = Plan(
        "",
        "",
        plan.workflow,
        plan.inputs,
        outputs={**plan.outputs, "map": shown},
        quality=(Quality("length($map) >= 1", {"map": shown}),),
    )
    edited = apply(plan, [LeaveOut("t1")], TOOLS)
    assert edited.outputs["map"] == edited.quality[0].values["map"] == SeriesOf((FromNode("t0"), FromNode("t2")))


def test_plain_values_beside_a_series_are_not_guessed_apart() -> None:
    nodes = (
        Node("a", "smooth", {"raster": FromInput("x")}),
        Node("b", "smooth", {"raster": FromInput("x")}),
        Node("c", "mean_of_series", {"rasters": SeriesOf((FromNode("a"), FromNode("b"))), "dates": Given(("1", "2"))}),
    )
    plan = Plan("", "", Workflow(nodes), {"x": ndvi()}, outputs={"answer": FromNode("c")})
    with pytest.raises(GraphEditError, match="nobody can tell"):
        apply(plan, [LeaveOut("a")], TOOLS)


def test_an_unknown_node_is_named_with_those_there_are() -> None:
    with pytest.raises(GraphEditError) as caught:
        apply(plan_of(2), [LeaveOut("nonsense")], TOOLS)
    assert "s0" in str(caught.value.expected)


@given(count=st.integers(2, 5), data=st.data())
def test_what_is_left_holds_together(count: int, data: st.DataObject) -> None:
    plan = plan_of(count)
    node = data.draw(st.sampled_from([node.id for node in plan.workflow.nodes]))
    try:
        edited = apply(plan, [LeaveOut(node)], TOOLS)
    except GraphEditError:
        assert node == "all"
        return
    assert not cycles(edited.workflow)
    assert node not in edited.workflow.by_id
    assert len(edited.workflow) in (len(plan.workflow) - 1, len(plan.workflow) - 2)
