"""Layered layout of a directed acyclic graph: ranks by depth, barycentre ordering, straight as the spacing allows.

The method is that of Sugiyama, Tagawa and Toda (1981), "Methods for visual understanding of hierarchical system
structures"; places within a rank are the least-squares fit to the neighbours' places under the spacing constraint,
which after subtracting the spacing is isotonic regression.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

Point = tuple[float, float]
_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Ranks (0 first) and places across of every node; for every edge the places it passes, ends included.

    Places are in units of one node: two neighbours of a rank are at least 1 apart.
    """

    rank: Mapping[str, int]
    across: Mapping[str, float]
    routes: Mapping[tuple[str, str], tuple[Point, ...]]
    ranks: int
    breadth: float


def layered(graph: nx.DiGraph) -> Layout:
    """Lay out a DAG; the result depends only on the graph and the order of its nodes and edges."""
    rank = _ranks(graph)
    full, chains = _with_waypoints(graph, rank)
    rows = _ordered(full)
    across = _places(full, rows)
    real = {node: across[node] for node in graph}
    least = min(across.values(), default=0.0)
    most = max(across.values(), default=0.0)
    return Layout(
        rank=rank,
        across={node: place - least for node, place in real.items()},
        routes={
            edge: tuple((float(full.nodes[node]["rank"]), across[node] - least) for node in chain)
            for edge, chain in chains.items()
        },
        ranks=len(rows),
        breadth=most - least + 1.0,
    )


def _ranks(graph: nx.DiGraph) -> dict[str, int]:
    """Depth by the longest path; sources move up to just before the first node that uses them."""
    import networkx as nx

    rank: dict[str, int] = {}
    for depth, generation in enumerate(nx.topological_generations(graph)):
        rank.update(dict.fromkeys(generation, depth))
    for node in graph:
        if graph.in_degree(node) == 0 and graph.out_degree(node) > 0:
            rank[node] = min(rank[follower] for follower in graph.successors(node)) - 1
    return {node: rank[node] for node in graph}


def _with_waypoints(
    graph: nx.DiGraph, rank: Mapping[str, int]
) -> tuple[nx.DiGraph, dict[tuple[str, str], tuple[str, ...]]]:
    """The graph with every edge cut into pieces of one rank each, and the chain that stands for each edge."""
    import networkx as nx

    full = nx.DiGraph()
    for node in graph:
        full.add_node(node, rank=rank[node], width=1.0)
    chains: dict[tuple[str, str], tuple[str, ...]] = {}
    for source, target in graph.edges:
        between = [f"{source}\0{target}\0{step}" for step in range(rank[source] + 1, rank[target])]
        for step, name in enumerate(between, rank[source] + 1):
            full.add_node(name, rank=step, width=0.4)
        chain = (source, *between, target)
        nx.add_path(full, chain)
        chains[source, target] = chain
    return full, chains


def _ordered(full: nx.DiGraph) -> list[list[str]]:
    """The nodes of each rank in the order with the fewest crossings that the sweeps find."""
    rows: list[list[str]] = [
        [] for _ in range(1 + max((data["rank"] for _, data in full.nodes(data=True)), default=-1))
    ]
    for node, data in full.nodes(data=True):
        rows[data["rank"]].append(node)
    best, fewest = [list(row) for row in rows], _crossings(full, rows)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        for index in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            fixed = {node: place for place, node in enumerate(rows[index - 1 if down else index + 1])}
            current = {node: place for place, node in enumerate(rows[index])}
            weight = {}
            for node in rows[index]:
                near = [fixed[other] for other in (full.predecessors(node) if down else full.successors(node))]
                weight[node] = sum(near) / len(near) if near else float(current[node])
            rows[index].sort(key=lambda node, weight=weight, current=current: (weight[node], current[node]))  # type: ignore[misc]
        crossings = _crossings(full, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(full: nx.DiGraph, rows: list[list[str]]) -> int:
    """How many pairs of edges between neighbouring ranks cross."""
    count = 0
    for row, following in pairwise(rows):
        place = {node: index for index, node in enumerate(following)}
        seen: list[int] = []
        for node in row:
            ends = sorted(place[other] for other in full.successors(node))
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _places(full: nx.DiGraph, rows: list[list[str]]) -> dict[str, float]:
    """Places across: near the mean of the neighbours, in order, and never closer than the widths allow."""
    offsets = []
    across: dict[str, float] = {}
    for row in rows:
        place, before, offset = 0.0, 0.0, []
        for position, node in enumerate(row):
            width = full.nodes[node]["width"]
            place += (before + width) / 2 if position else 0.0
            before = width
            offset.append(place)
        offsets.append(offset)
        across.update({node: value - place / 2 for node, value in zip(row, offset, strict=True)})
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for index in range(len(rows)) if down else range(len(rows) - 1, -1, -1):
            row = rows[index]
            wanted = []
            for node in row:
                near = [across[other] for other in (*full.predecessors(node), *full.successors(node))]
                wanted.append(sum(near) / len(near) if near else across[node])
            across.update(zip(row, _spaced(wanted, offsets[index]), strict=True))
    return across


def _spaced(wanted: list[float], offset: list[float]) -> list[float]:
    """The places nearest to those wanted (least squares) that keep the order and the room between neighbours.

    This is isotonic regression by pooling adjacent violators (Ayer et al. 1955). scipy has it too, but importing
    scipy.optimize takes longer than everything else that happens before a run's first node.
    """
    pools: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offset, strict=True):
        total, count = want - shift, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            more, members = pools.pop()
            total, count = total + more, count + members
        pools.append((total, count))
    fitted = [total / count for total, count in pools for _ in range(count)]
    return [round(value + shift, 6) for value, shift in zip(fitted, offset, strict=True)]
