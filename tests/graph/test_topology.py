from __future__ import annotations

import networkx as nx
from examples import chain_node, dags
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.topology import cycles, depths, downstream, graph_of, order
from knowflow.model.workflow import FromNode, Node, Workflow


def tangle(*edges: tuple[str, str]) -> Workflow:
    """A workflow with an edge for each pair (source, target)."""
    ids = list(dict.fromkeys(node for edge in edges for node in edge))
    return Workflow(tuple(Node(i, "smooth", {f"a{s}": FromNode(s) for s, target in edges if target == i}) for i in ids))


@given(dags())
def test_order_puts_every_node_after_those_it_depends_on(workflow: Workflow) -> None:
    ids = [node.id for node in order(workflow)]
    assert sorted(ids) == sorted(workflow.by_id)
    assert all(ids.index(edge.source) < ids.index(edge.target) for edge in workflow.edges)


@given(dags())
def test_order_is_the_authored_one_where_there_is_a_choice(workflow: Workflow) -> None:
    position = {node.id: index for index, node in enumerate(workflow.nodes)}
    expected = nx.lexicographical_topological_sort(graph_of(workflow), key=position.__getitem__)
    assert [node.id for node in order(workflow)] == list(expected)


@given(dags())
def test_a_dag_has_no_cycles(workflow: Workflow) -> None:
    assert cycles(workflow) == ()


@given(dags(), st.data())
def test_downstream_is_what_networkx_calls_descendants(workflow: Workflow, data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(sorted(workflow.by_id)), max_size=3))
    graph = graph_of(workflow)
    expected = set().union(*(nx.descendants(graph, node) for node in chosen)) - chosen
    assert downstream(workflow, chosen) == expected


@given(dags())
def test_depth_is_the_longest_path_from_a_source(workflow: Workflow) -> None:
    graph = graph_of(workflow)
    generations = {node: depth for depth, layer in enumerate(nx.topological_generations(graph)) for node in layer}
    assert depths(workflow) == generations


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14))
def test_cycles_are_found_exactly_where_networkx_finds_them(pairs: list[tuple[int, int]]) -> None:
    workflow = tangle(*((f"n{a}", f"n{b}") for a, b in pairs))
    graph = graph_of(workflow)
    found = cycles(workflow)
    assert bool(found) == (not nx.is_directed_acyclic_graph(graph))
    for loop in found:
        assert all(graph.has_edge(a, b) for a, b in zip(loop, (*loop[1:], loop[0]), strict=True))
    assert len(found) == len(set(found))
    on_cycles = {node for part in nx.strongly_connected_components(graph) if len(part) > 1 for node in part}
    on_cycles |= set(nx.nodes_with_selfloops(graph))
    behind = on_cycles.union(*(nx.descendants(graph, node) for node in on_cycles))
    assert {node.id for node in order(workflow)} == set(graph) - behind


def test_each_tangle_is_reported_once() -> None:
    found = cycles(tangle(("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("e", "e"), ("b", "f")))
    assert [set(loop) for loop in found] == [{"a", "b"}, {"c", "d"}, {"e"}]


def test_references_to_missing_nodes_do_not_stop_the_order() -> None:
    assert [node.id for node in order(tangle(("a", "b")))] == ["a", "b"]
    assert [node.id for node in order(Workflow((chain_node(1, [0]),)))] == ["n1"]
