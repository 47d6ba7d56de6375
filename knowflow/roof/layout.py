"""Layered layout of a directed acyclic graph: ranks by depth, barycentre ordering, straight as the spacing allows.

The method is that of Sugiyama, Tagawa and Toda (1981), "Methods for visual understanding of hierarchical system
structures"; places within a rank are the least-squares fit to the neighbours' places under the spacing constraint,
which after subtracting the spacing is isotonic regression.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class _Links:
    """Nodes with their ranks and widths, and what lies before and behind each, in the order of the edges."""

    rank: Mapping[str, int]
    width: Mapping[str, float]
    before: dict[str, list[str]] = field(default_factory=dict)
    behind: dict[str, list[str]] = field(default_factory=dict)

    def link(self, chain: Sequence[str]) -> None:
        for source, target in pairwise(chain):
            self.behind.setdefault(source, []).append(target)
            self.before.setdefault(target, []).append(source)

    def sources(self, node: str) -> Sequence[str]:
        return self.before.get(node, ())

    def followers(self, node: str) -> Sequence[str]:
        return self.behind.get(node, ())


def layered(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> Layout:
    """Lay out a DAG; the result depends only on its nodes and edges, each once, and their order."""
    own = tuple(nodes)
    number = {node: index for index, node in enumerate(own)}
    ends = sorted(edges, key=lambda edge: number[edge[0]])
    rank = _ranks(own, ends)
    full, chains = _with_waypoints(rank, ends)
    rows = _ordered(full)
    across = _places(full, rows)
    real = {node: across[node] for node in own}
    least = min(across.values(), default=0.0)
    most = max(across.values(), default=0.0)
    return Layout(
        rank=rank,
        across={node: place - least for node, place in real.items()},
        routes={
            edge: tuple((float(full.rank[node]), across[node] - least) for node in chain)
            for edge, chain in chains.items()
        },
        ranks=len(rows),
        breadth=most - least + 1.0,
    )


def _ranks(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Depth by the longest path; sources move up to just before the first node that uses them."""
    sources: dict[str, list[str]] = {node: [] for node in nodes}
    followers: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in edges:
        sources[target].append(source)
        followers[source].append(target)
    rank: dict[str, int] = {}
    for node in TopologicalSorter(sources).static_order():
        rank[node] = 1 + max((rank[source] for source in sources[node]), default=-1)
    for node in nodes:
        if followers[node] and not sources[node]:
            rank[node] = min(rank[follower] for follower in followers[node]) - 1
    return {node: rank[node] for node in nodes}


def _with_waypoints(
    rank: Mapping[str, int], edges: Sequence[tuple[str, str]]
) -> tuple[_Links, dict[tuple[str, str], tuple[str, ...]]]:
    """The graph with every edge cut into pieces of one rank each, and the chain that stands for each edge."""
    ranks, widths = dict(rank), dict.fromkeys(rank, 1.0)
    full = _Links(ranks, widths)
    chains: dict[tuple[str, str], tuple[str, ...]] = {}
    for source, target in edges:
        between = [f"{source}\0{target}\0{step}" for step in range(rank[source] + 1, rank[target])]
        for step, name in enumerate(between, rank[source] + 1):
            ranks[name], widths[name] = step, 0.4
        chains[source, target] = chain = (source, *between, target)
        full.link(chain)
    return full, chains


def _ordered(full: _Links) -> list[list[str]]:
    """The nodes of each rank in the order with the fewest crossings that the sweeps find."""
    rows: list[list[str]] = [[] for _ in range(1 + max(full.rank.values(), default=-1))]
    for node, place in full.rank.items():
        rows[place].append(node)
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
                near = [fixed[other] for other in (full.sources(node) if down else full.followers(node))]
                weight[node] = sum(near) / len(near) if near else float(current[node])
            rows[index].sort(key=lambda node, weight=weight, current=current: (weight[node], current[node]))  # type: ignore[misc]
        crossings = _crossings(full, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(full: _Links, rows: list[list[str]]) -> int:
    """How many pairs of edges between neighbouring ranks cross."""
    count = 0
    for row, following in pairwise(rows):
        place = {node: index for index, node in enumerate(following)}
        seen: list[int] = []
        for node in row:
            ends = sorted(place[other] for other in full.followers(node))
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _places(full: _Links, rows: list[list[str]]) -> dict[str, float]:
    """Places across: near the mean of the neighbours, in order, and never closer than the widths allow."""
    offsets = []
    across: dict[str, float] = {}
    for row in rows:
        place, before, offset = 0.0, 0.0, []
        for position, node in enumerate(row):
            width = full.width[node]
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
                near = [across[other] for other in (*full.sources(node), *full.followers(node))]
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
