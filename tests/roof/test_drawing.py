from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import FromInput, FromNode, Node, SeriesOf, Workflow
from knowflow.roof.drawing import draw
from knowflow.roof.layout import layered

SVG = "{http://www.w3.org/2000/svg}"


def groups_of(svg: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [
        g for g in root.iter(f"{SVG}g") if name in (g.get("class") or "").split() and g.find(f"{SVG}rect") is not None
    ]


def words_of(element: ElementTree.Element) -> str:
    return " ".join(element.itertext())


def test_every_status_is_drawn_as_such(failed: Trace) -> None:
    svg = draw(failed.plan, failed.records)
    assert [words_of(g).split("\n")[0] for g in groups_of(svg, "kf-failed")] == ["trend"]
    assert len(groups_of(svg, "kf-skipped")) == 1
    assert "the trend is not physical" in svg


def test_more_than_six_siblings_are_one_stack_and_six_are_not(completed: Trace) -> None:
    svg = draw(completed.plan, completed.records)
    assert "×12" in svg
    assert len(groups_of(svg, "kf-node")) == 1 + 2 + 3
    few = tuple(Node(f"p{i}", "index", {"x": FromInput("x", (i,))}, step="p") for i in range(6))
    assert len(groups_of(draw(Plan("", "", Workflow(few))), "kf-node")) == 6


def test_inserted_nodes_wear_a_badge_and_say_why(completed: Trace) -> None:
    (box,) = groups_of(draw(completed.plan), "kf-inserted")
    assert box.find(f"{SVG}circle") is not None
    tooltip = box.findtext(f"{SVG}title") or ""
    assert "lies on another grid" in tooltip
    assert "loses: resampling smooths values" in tooltip


def test_cached_nodes_look_different_from_computed_ones() -> None:
    plan = Plan("", "", Workflow((Node("a", "t"), Node("b", "t", {"x": FromNode("a")}))))
    svg = draw(plan, {"a": NodeRecord("a", "cached"), "b": NodeRecord("b", "done", started=0.0, finished=1.0)})
    assert "from cache" in words_of(groups_of(svg, "kf-cached")[0])
    assert "1.00" in words_of(groups_of(svg, "kf-done")[0])


def test_names_are_data_never_markup() -> None:
    evil = '</title><script>alert("1")</script>&\x00\ud800'
    node = Node(evil, evil, {"x": FromInput(evil)}, title=evil, step=evil)
    plan = Plan(evil, evil, Workflow((node,)), inputs={evil: Artifact("raster")}, outputs={evil: FromNode(evil)})
    root = ElementTree.fromstring(draw(plan).encode("utf-8"))
    assert not list(root.iter(f"{SVG}script"))


def test_the_drawing_refers_to_nothing_outside_itself(completed: Trace) -> None:
    svg = draw(completed.plan, completed.records)
    assert re.findall(r"https?://[^\"' ]+", svg) == ["http://www.w3.org/2000/svg"]


def test_the_same_run_gives_the_same_bytes(completed: Trace) -> None:
    again = Trace.from_json(completed.to_json())
    assert draw(completed.plan, completed.records) == draw(again.plan, again.records)


@pytest.mark.parametrize("nodes", [(), (Node("a", "t"),), (Node("a", "t", {"x": FromNode("a")}),)])
def test_degenerate_workflows_are_drawn(nodes: tuple[Node, ...]) -> None:
    root = ElementTree.fromstring(draw(replace(Plan("", "", Workflow(nodes)), title="x")))
    text = "".join(root.itertext())
    assert all(node.tool in text for node in nodes)
    assert "x" in text


def test_a_long_chain_runs_down_the_page_instead_of_across() -> None:
    chain = tuple(Node(f"n{i}", f"t{i}", {"x": FromNode(f"n{i - 1}")} if i else {}) for i in range(12))
    root = ElementTree.fromstring(draw(Plan("", "", Workflow(chain))))
    assert float(root.get("width", 0)) < float(root.get("height", 0))


edges = st.lists(st.sets(st.integers(0, 15)), max_size=16)


@given(edges)
def test_layout_puts_every_node_after_its_sources_and_no_two_on_each_other(sources: list[set[int]]) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(f"n{i}" for i in range(len(sources)))
    graph.add_edges_from((f"n{s}", f"n{i}") for i, found in enumerate(sources) for s in sorted(found) if s < i)
    layout = layered(graph, graph.edges)
    for source, target in graph.edges:
        assert layout.rank[source] < layout.rank[target]
        route = layout.routes[source, target]
        assert [point[0] for point in route] == list(range(layout.rank[source], layout.rank[target] + 1))
    for rank in set(layout.rank.values()):
        places = sorted(layout.across[node] for node in graph if layout.rank[node] == rank)
        assert all(b - a >= 1 - 1e-5 for a, b in pairwise(places))


def test_layout_untangles_two_crossed_edges() -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(["a", "b", "c", "d"])
    graph.add_edges_from([("a", "d"), ("b", "c")])
    layout = layered(graph, graph.edges)
    assert (layout.across["a"] < layout.across["b"]) == (layout.across["d"] < layout.across["c"])


def test_a_thousand_nodes_are_drawn_folded() -> None:
    first = tuple(Node(f"a{i}", "index", {"x": FromInput("x", (i,))}, step="a") for i in range(999))
    last = Node("mean", "mean", {"x": SeriesOf(tuple(FromNode(n.id) for n in first))}, step="mean")
    svg = draw(Plan("", "", Workflow((*first, last))))
    assert "×999" in svg
    assert len(groups_of(svg, "kf-node")) == 2
