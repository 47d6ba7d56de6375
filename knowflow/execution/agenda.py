"""What of a workflow can start next: the nodes whose sources are ready, in their order of execution.

Nodes of a group start together, when all is ready that they need of others; the first of them stands for it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Iterable

from knowflow.graph.topology import order
from knowflow.model.trace import NodeRecord
from knowflow.model.workflow import Workflow

Records = Callable[[str], NodeRecord]


class Agenda:
    """The nodes of one workflow that can start.

    ``record`` tells what became of a node so far, ``under_way`` holds those that run; who changes either offers the
    nodes concerned again.
    """

    def __init__(
        self,
        workflow: Workflow,
        record: Records,
        under_way: Container[str],
        groups: Iterable[tuple[str, ...]] = (),
    ) -> None:
        self._record = record
        self._under_way = under_way
        nodes = order(workflow)
        self._position = {node.id: index for index, node in enumerate(nodes)}
        self._followers: dict[str, list[str]] = {}
        self._sources = {node.id: node.sources() for node in nodes}
        for node_id, sources in self._sources.items():
            for source in sources:
                self._followers.setdefault(source, []).append(node_id)
        self._groups = {group[0]: group for group in groups}
        self._first = {node: group[0] for group in self._groups.values() for node in group}
        for first, group in self._groups.items():
            outside = (source for node in group for source in self._sources[node] if self._first.get(source) != first)
            self._sources[first] = tuple(dict.fromkeys(outside))
        self._met = dict.fromkeys(self._sources, 0)  # how many of its sources, from the first, are ready
        self._ready: list[tuple[int, str]] = []
        self._offered: set[str] = set()  # what waits in it: a group is offered by each of its nodes
        for node in nodes:
            if self._first.get(node.id, node.id) == node.id:
                self.offer(node.id)

    def __bool__(self) -> bool:
        """Whether anything can start."""
        return bool(self._ready)

    def take(self) -> str:
        """The first node that can start; it is under way from here on."""
        node_id = heapq.heappop(self._ready)[1]
        self._offered.discard(node_id)
        return node_id

    def group(self, node_id: str) -> tuple[str, ...]:
        """The nodes that start with one, itself the first."""
        return self._groups.get(node_id, (node_id,))

    def offer(self, node_id: str) -> None:
        """Let a node, or the group that it is of, start if all of its sources are ready; of what is not in the
        workflow, nothing becomes."""
        node_id = self._first.get(node_id, node_id)
        sources = self._sources.get(node_id)
        if (
            sources is None
            or node_id in self._under_way
            or node_id in self._offered
            or self._record(node_id).status != "pending"
        ):
            return
        met = self._met[node_id]
        while met < len(sources) and self._record(sources[met]).ready:
            met += 1
        self._met[node_id] = met
        if met == len(sources):
            self._offered.add(node_id)
            heapq.heappush(self._ready, (self._position[node_id], node_id))

    def offer_followers(self, node_id: str) -> None:
        """Let what a node feeds start, where nothing else is missing."""
        for follower in self._followers.get(node_id, ()):
            self.offer(follower)

    def dependents(self, node_id: str) -> list[str]:
        """All nodes that a node feeds, directly or not, in their order of execution."""
        affected: set[str] = set()
        waiting = [node_id]
        while waiting:
            news = [one for one in self._followers.get(waiting.pop(), ()) if one not in affected]
            affected.update(news)
            waiting += news
        return sorted(affected, key=self._position.__getitem__)
