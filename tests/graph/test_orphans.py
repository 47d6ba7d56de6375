"""What an edit leaves without a purpose is not computed."""

from __future__ import annotations

from dataclasses import replace

from examples import ndvi

from knowflow.graph.orphans import needed, upstream, without_orphans
from knowflow.model.plan import Plan, Quality
from knowflow.model.workflow import FromInput, FromNode, Node, SeriesOf, Value, Workflow


def node(name: str, *sources: str) -> Node:
    args: dict[str, Value] = {f"x{number}": FromNode(source) for number, source in enumerate(sources)}
    return Node(name, "smooth", args or {"raster": FromInput("a")})


PLAN = Plan(
    "",
    "",
    Workflow((node("a"), node("b"), node("a2", "a"), node("b2", "b"), node("sum", "a2", "b2"), node("map", "b"))),
    inputs={"a": ndvi("a")},
    outputs={"answer": FromNode("sum")},
)


def without(plan: Plan, name: str, source: str) -> Plan:
    """The plan in which a node no longer reads another one."""
    nodes = tuple(
        replace(each, args={p: v for p, v in each.args.items() if v != FromNode(source)}) if each.id == name else each
        for each in plan.workflow.nodes
    )
    return replace(plan, workflow=Workflow(nodes))


def test_what_the_results_depend_on_is_needed() -> None:
    assert needed(PLAN) == {"a", "b", "a2", "b2", "sum"}
    demanding = replace(PLAN, outputs={}, quality=(Quality("x", {"x": SeriesOf((FromNode("map"),))}),))
    assert needed(demanding) == {"map", "b"}
    assert upstream(PLAN.workflow, ["a2", "no such node"]) == {"a", "a2"}


def test_a_branch_that_leads_nowhere_any_more_is_cut() -> None:
    edited = without_orphans(without(PLAN, "sum", "a2"), PLAN)
    assert [each.id for each in edited.workflow.nodes] == ["b", "b2", "sum", "map"]


def test_what_a_node_beside_the_answer_reads_stays() -> None:
    edited = without_orphans(without(PLAN, "sum", "b2"), PLAN)
    assert [each.id for each in edited.workflow.nodes] == ["a", "b", "a2", "sum", "map"]


def test_an_edit_that_leaves_everything_needed_leaves_the_plan_as_it_is() -> None:
    assert without_orphans(PLAN, PLAN) is PLAN
