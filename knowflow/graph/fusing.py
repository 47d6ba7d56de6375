"""Which nodes of a workflow can be carried out in one pass over the blocks of their rasters.

Nodes go together where a raster leads from one to the other, both are local, and all that they need of other nodes is
made before the first of them starts. That is so of nodes of one *stage*: the stage of a node is that of what feeds it,
and one more behind every edge that no pass goes along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, Workflow, node_refs

_MOST_NODES = 200  # of a group: so much is done again after a crash
_MOST_CONSUMERS = 4  # of a raster that is not written: more of them read it sooner from a file
_PIXELS = 1 << 20  # of a raster in a block
_ROOM = 16 << 20  # pixels of all that one node takes of others in a block
_MOST_RASTERS = 90  # that one node takes of others, where blocks are cut at their tiles for it


def is_local(schema: ToolSchema) -> bool:
    """Whether a tool may be carried out in one pass with others."""
    return schema.local and schema.isolate == "thread" and set(schema.outputs.values()) <= {"raster", "scalar", "table"}


def groups(
    workflow: Workflow,
    catalogue: Mapping[str, ToolSchema],
    inputs: Mapping[str, Artifact],
    pending: Collection[str],
    *,
    long: bool = True,
) -> tuple[tuple[str, ...], ...]:
    """The groups of at least two pending nodes, each in order of execution.

    ``long``: a node that takes more rasters than fit into a block (the composite of a long series) goes together with
    the nodes that make them, too, as the last of its group, where all of these make rasters.
    """
    members: dict[str, list[str]] = {}
    group_of: dict[str, str] = {}
    stages: dict[str, int] = {}
    consumers = Counter(source for node in workflow.nodes for source in node.sources())
    largest = max((_pixels(leaf) for one in inputs.values() for leaf in one.leaves()), default=0)
    most_rasters = max(2, _ROOM // max(min(largest or _PIXELS, _PIXELS), 1))
    last: set[str] = set()
    kinds = {tool: _kind(catalogue[tool]) for tool in {node.tool for node in workflow.nodes}}
    maps = {node.id for node in workflow.nodes if kinds[node.tool].makes_rasters and node.id in pending}
    for node in workflow.ordered:
        sources = [one for one in node.sources() if one in stages]
        if not sources:
            stages[node.id] = 0
            continue
        kind = kinds[node.tool]
        near = {
            one
            for name in (kind.rasters if node.id in pending else ())
            if (value := node.args.get(name)) is not None
            for ref in ((value,) if isinstance(value, FromNode) else node_refs(value))
            if (one := ref.node) in maps and consumers[one] <= _MOST_CONSUMERS and one not in last
        }
        stage = max([stages[one] + (one not in near) for one in sources])
        stages[node.id] = stage
        if not near:
            continue
        joined = dict.fromkeys(group_of.get(one, one) for one in sources if one in near and stages[one] == stage)
        together = [one for leader in joined for one in members.get(leader, (leader,))]
        fits = len(near) <= most_rasters
        if not fits and long and len(near) <= _MOST_RASTERS and {node.id, *together} <= maps:
            last.add(node.id)
            fits = True
        if not together or len(together) >= _MOST_NODES or not fits:
            stages[node.id] = max((stages[one] + 1 for one in sources), default=0)
            continue
        for leader in joined:
            members.pop(leader, None)
        leader = next(iter(joined))
        members[leader] = [*together, node.id]
        group_of |= dict.fromkeys(members[leader], leader)
    position = {node.id: number for number, node in enumerate(workflow.ordered)}
    return tuple(tuple(sorted(one, key=position.__getitem__)) for one in members.values())


def takes_many(workflow: Workflow, group: Collection[str]) -> set[str]:
    """The nodes of a group that take more rasters of it than surely fit into a block."""
    return {one for one in group if len(set(workflow.node(one).sources()) & set(group)) > _ROOM // _PIXELS}


class _Kind(NamedTuple):
    """What a tool does in a pass: the parameters that take rasters as such, none of a tool that is not local."""

    makes_rasters: bool
    rasters: frozenset[str]


def _kind(schema: ToolSchema) -> _Kind:
    if not is_local(schema):
        return _Kind(False, frozenset())
    types = ("raster", "raster_series", "band_set")
    rasters = frozenset(name for name, one in schema.parameters.items() if one.artifact_type in types)
    return _Kind(schema.returns is None, rasters)


def _pixels(leaf: Artifact) -> int:
    shape: Any = leaf.fact("shape") if leaf.type == "raster" else None
    return int(shape[0] * shape[1]) if shape else 0


def taken_outside(workflow: Workflow, found: Iterable[tuple[str, ...]]) -> set[str]:
    """The nodes whose results are taken by nodes that are not of their own group."""
    group_of = {node: number for number, group in enumerate(found) for node in group}
    return {
        source
        for node in workflow.nodes
        for source in node.sources()
        if source not in group_of or group_of[source] != group_of.get(node.id)
    }
