"""Order, cycles and impact of a workflow's graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from knowflow.model.plan import Plan
from knowflow.model.workflow import FromInput, Node, Workflow, references

if TYPE_CHECKING:
    import networkx as nx


def graph_of(workflow: Workflow) -> nx.DiGraph:
    """The workflow as a networkx graph over node ids; references to missing nodes are left out."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(workflow.by_id)
    graph.add_edges_from((edge.source, edge.target) for edge in workflow.edges if edge.source in workflow.by_id)
    return graph


def order(workflow: Workflow) -> tuple[Node, ...]:
    """The nodes so that every one comes after those it depends on, in authored order where there is a choice.

    Nodes on a cycle, and what depends on them, are left out: see :func:`cycles`.
    """
    return workflow.ordered


def cycles(workflow: Workflow) -> tuple[tuple[str, ...], ...]:
    """One cycle of each knot, as node ids in order from the one authored first; empty for a DAG."""
    ordered = {node.id for node in order(workflow)}
    if len(ordered) == len(workflow):
        return ()
    import networkx as nx

    graph = graph_of(workflow)
    tangled = graph.subgraph([node for node in graph if node not in ordered])
    parts = [part for part in nx.strongly_connected_components(tangled) if len(part) > 1]
    loops = [tuple(source for source, _ in nx.find_cycle(tangled.subgraph(part))) for part in parts]
    loops += [(node,) for node in nx.nodes_with_selfloops(tangled)]
    position = {node: index for index, node in enumerate(workflow.by_id)}
    starts = [loop.index(min(loop, key=position.__getitem__)) for loop in loops]
    turned = {loop[start:] + loop[:start] for loop, start in zip(loops, starts, strict=True)}
    return tuple(sorted(turned, key=lambda loop: [position[node] for node in loop]))


def changed(before: Plan, after: Plan) -> frozenset[str]:
    """The nodes of a plan that another one does not have, has otherwise, or gives other inputs."""
    old = before.workflow.by_id
    other = {name for name, artifact in after.inputs.items() if before.inputs.get(name) != artifact}
    return frozenset(
        node.id
        for node in after.workflow.nodes
        if old.get(node.id) != node or (other and other & set(_inputs_of(node)))
    )


def _inputs_of(node: Node) -> Iterator[str]:
    return (ref.name for value in node.args.values() for ref in references(value) if isinstance(ref, FromInput))


def downstream(workflow: Workflow, of: Iterable[str]) -> frozenset[str]:
    """The nodes that depend on any of the given ones, directly or not, without these."""
    followers: dict[str, set[str]] = {}
    for node in workflow.nodes:
        for source in node.sources():
            followers.setdefault(source, set()).add(node.id)
    start = set(of)
    found: set[str] = set()
    stack = list(start)
    while stack:
        for follower in followers.get(stack.pop(), ()):
            if follower not in found:
                found.add(follower)
                stack.append(follower)
    return frozenset(found - start)


def depths(workflow: Workflow) -> dict[str, int]:
    """The length of the longest path that leads to each node; sources have depth 0."""
    found: dict[str, int] = {}
    for node in order(workflow):
        found[node.id] = 1 + max((found[source] for source in node.sources() if source in found), default=-1)
    return found
