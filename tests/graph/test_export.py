from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.export import folded, to_mermaid, to_tree
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Inserted, Node, SeriesOf, Workflow


def index_plan(count: int = 12) -> Plan:
    why = Inserted("planner", 'grids "differ"', "same_grid(bands)", lossy="resampling smooths")
    align = Node("align", "align_to", {"raster": FromInput("series", (0, "red"))}, layer=1, inserted=why)
    nodes = [
        Node(
            f"ndvi_{i}",
            "spectral_index",
            {"bands": BandsOf({"red": FromNode("align") if i == 0 else FromInput("series", (i, "red"))})},
            layer=2,
            step="ndvi",
        )
        for i in range(count)
    ]
    last = Node("answer", "mean", {"x": SeriesOf(tuple(FromNode(n.id) for n in nodes))}, layer=3, step="answer")
    return Plan(
        query="mean ndvi",
        template="mean_of_quantity",
        title="Mean",
        workflow=Workflow((align, *nodes, last)),
        inputs={"series": Artifact("raster_series")},
        outputs={"answer": FromNode("answer")},
    )


def test_siblings_of_a_for_each_become_one_line_of_the_tree() -> None:
    tree = to_tree(index_plan())
    assert "ndvi × 12 (spectral_index)" in tree
    assert "ndvi_3" not in tree


def test_tree_groups_by_layer_and_marks_what_was_inserted_with_its_reason() -> None:
    lines = to_tree(index_plan()).splitlines()
    layers = [line for line in lines if line.startswith("layer")]
    assert [line[6] for line in layers] == ["1", "2", "3"]
    at = next(i for i, line in enumerate(lines) if "+ align (align_to)" in line)
    assert lines.index(layers[0]) < at < lines.index(layers[1])
    assert 'inserted by the planner: grids "differ"' in lines[at + 1]
    assert "loses: resampling smooths" in lines[at + 2]


def test_tree_names_folded_sources_by_their_group() -> None:
    assert "answer (mean) <- ndvi × 12" in to_tree(index_plan())


def test_items_in_the_path_of_a_step_do_not_keep_siblings_apart() -> None:
    items = ("2021-01-04", "2021-02-05", "S2A_tile")
    nodes = tuple(
        Node(f"product.index.{item}", "spectral_index", {"x": FromInput("x")}, step=f"product.product.index.{item}")
        for item in items
    )
    (group,) = folded(Workflow(nodes))
    assert group.label == "product.index × 3"


def test_different_steps_with_the_same_tool_stay_apart() -> None:
    nodes = tuple(
        Node(f"{step}.mean", "mean", {"x": FromInput("x")}, step=f"{step}.mean") for step in ("before", "after")
    )
    assert [group.label for group in folded(Workflow(nodes))] == ["before.mean", "after.mean"]


def test_lone_nodes_are_not_folded() -> None:
    assert [group.label for group in folded(index_plan(1).workflow)] == ["align", "ndvi_0", "answer"]


def test_fewer_siblings_than_asked_for_stay_apart() -> None:
    workflow = index_plan(8).workflow
    groups = folded(workflow, at_least=9)
    assert {group.nodes for group in groups} == {(node,) for node in workflow.nodes}
    assert len(groups) == 10


def test_siblings_that_feed_each_other_are_not_folded_into_a_cycle() -> None:
    nodes = (
        Node("a0", "smooth", {"x": FromInput("x")}, step="a"),
        Node("b0", "sharpen", {"x": FromNode("a0")}, step="b"),
        Node("a1", "smooth", {"x": FromNode("b0")}, step="a"),
        Node("b1", "sharpen", {"x": FromNode("a1")}, step="b"),
    )
    assert [group.label for group in folded(Workflow(nodes))] == ["a0", "b0", "a1", "b1"]


def test_a_workflow_with_a_cycle_can_still_be_shown() -> None:
    nodes = (Node("a", "smooth", {"x": FromNode("b")}), Node("b", "smooth", {"x": FromNode("a")}))
    tree = to_tree(Plan("", "", Workflow(nodes)))
    assert "smooth" in tree


@given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 30))), max_size=20))
def test_folding_keeps_every_node_once_and_stays_acyclic(rows: list[tuple[int, set[int]]]) -> None:
    nodes = tuple(
        Node(f"n{i}", f"t{kind}", {"x": SeriesOf(tuple(FromNode(f"n{s}") for s in sorted(sources) if s < i))})
        for i, (kind, sources) in enumerate(rows)
    )
    groups = folded(Workflow(nodes))
    assert sorted(node.id for group in groups for node in group.nodes) == sorted(node.id for node in nodes)
    home = {node.id: i for i, group in enumerate(groups) for node in group.nodes}
    waiting = {i: {home[s] for n in group.nodes for s in n.sources()} for i, group in enumerate(groups)}
    while ready := [i for i, sources in waiting.items() if not sources]:
        waiting = {i: sources - set(ready) for i, sources in waiting.items() if i not in ready}
    assert not waiting


def test_mermaid_has_one_box_per_group_and_arrows_between_them() -> None:
    text = to_mermaid(index_plan())
    assert text.startswith("flowchart LR\n")
    assert '["ndvi × 12<br/>spectral_index"]' in text
    assert len(re.findall(r" --> ", text)) == 5
    assert ":::lossy" in text


@pytest.mark.parametrize("name", ['x"]; click a "javascript:alert(1)"', "end", "a`b`#quot;", "<img src=x>", "a\nb-->c"])
def test_no_name_is_mermaid_syntax(name: str) -> None:
    node = Node(name, name, {"x": FromInput(name), "y": Given(name)}, step=name)
    plan = Plan(name, name, Workflow((node,)), inputs={name: Artifact("raster")}, outputs={name: FromNode(name)})
    text = to_mermaid(plan)
    for line in text.splitlines():
        assert line.count('"') in (0, 2)
        if '"' in line:
            inside = line.split('"')[1].replace("<br/>", "")
            assert not set("<>`;") & set(re.sub(r"#\d+;", "", inside))
    assert len(text.splitlines()) == 1 + 1 + 3 + 1 + 2 + 4


def test_the_same_plan_gives_the_same_text() -> None:
    assert to_mermaid(index_plan()) == to_mermaid(index_plan())
    assert to_tree(index_plan()) == to_tree(index_plan())


def test_folding_looks_at_a_node_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = 0

    def counted(node: Node) -> int:
        nonlocal hashed
        hashed += 1
        return hash(node.id)

    monkeypatch.setattr(Node, "__hash__", counted)
    nodes = tuple(Node(f"n{number}", "mean", {"x": Given((1.0,))}) for number in range(400))
    assert len(folded(Workflow(nodes))) == 1
    assert hashed <= 10 * len(nodes)
