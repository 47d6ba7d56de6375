"""Plans as text: an indented tree and a Mermaid flowchart. Siblings of a ``for_each`` are folded into one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile

from knowflow.graph.input_groups import InputGroup, input_groups
from knowflow.graph.topology import depths, order
from knowflow.model.plan import Plan
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow, references

LAYER_TITLES = {
    1: "acquisition and preprocessing",
    2: "processing and analysis",
    3: "synthesis and application",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that do the same to different items: the same tool, made from the same template step."""

    nodes: tuple[Node, ...]

    @property
    def head(self) -> Node:
        return self.nodes[0]

    @property
    def name(self) -> str:
        """What the group is called: a lone node by its id, siblings by their step; what was inserted by its tool."""
        head = self.head
        if len(self.nodes) == 1:
            return head.id
        if head.inserted is not None:
            return head.tool
        own = without_item(head.id)
        return own if own not in ("", head.id) else without_item(head.step) or head.tool

    @property
    def label(self) -> str:
        return self.name if len(self.nodes) == 1 else f"{self.name} × {len(self.nodes)}"

    @property
    def title(self) -> str:
        """What the titles of the nodes share: ``Leave out clouds`` of ``Leave out clouds, 2017-01-11`` and others."""
        titles = [(node.title or node.id).split() for node in self.nodes]
        alike = takewhile(lambda column: len(set(column)) == 1, zip(*titles, strict=False))
        shared = " ".join(column[0] for column in alike)
        return shared if len(titles) == 1 else shared.rstrip(" ,:;(-–") or self.head.tool.replace("_", " ")

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the nodes were inserted, each reason once; empty for what a template names."""
        return tuple(dict.fromkeys(node.inserted.because for node in self.nodes if node.inserted is not None))


def folded(workflow: Workflow, at_least: int = 2) -> tuple[Group, ...]:
    """The nodes in order of execution, siblings folded where there are ``at_least`` so many.

    Folding never makes a cycle: siblings that feed each other through other nodes are folded per depth instead.
    """
    nodes = order(workflow)
    ordered = {node.id for node in nodes}
    nodes += tuple(node for node in workflow.nodes if node.id not in ordered)
    depth = depths(workflow)
    keys: dict[str, tuple[object, ...]] = {node.id: _kind(node) for node in nodes}
    while True:
        sizes: dict[tuple[object, ...], int] = {}
        for key in keys.values():
            sizes[key] = sizes.get(key, 0) + 1
        final = {node: key if sizes[key] >= at_least else (node,) for node, key in keys.items()}
        tangled = _tangled(workflow, final)
        refined = {
            node: (*key, depth.get(node, 0)) if final[node] in tangled and len(key) == _KIND_LENGTH else key
            for node, key in keys.items()
        }
        if refined == keys:
            break
        keys = refined
    members: dict[tuple[object, ...], list[Node]] = {}
    for node in nodes:
        members.setdefault(final[node.id], []).append(node)
    return tuple(Group(tuple(group)) for group in members.values())


_KIND_LENGTH = 5
_STEP = re.compile(r"[a-z_][a-z0-9_]*")


def without_item(path: str) -> str:
    """A path such as ``product.index.2021-07-03`` without what tells the items of a list apart.

    Dates, numbers and names that no step can have (steps are lower case) are of items.
    """
    return ".".join(part for part in path.split(".") if _STEP.fullmatch(part))


def item_of(path: str) -> str:
    """What tells the items of a list apart in ``product.index.2021-07-03``; ``""`` where nothing does."""
    last = path.rpartition(".")[2]
    return "" if _STEP.fullmatch(last) else last


def _kind(node: Node) -> tuple[object, ...]:
    lossy = None if node.inserted is None else node.inserted.lossy
    return (without_item(node.step) or node.step, node.tool, node.layer, node.inserted is None, lossy)


def _tangled(workflow: Workflow, groups: dict[str, tuple[object, ...]]) -> set[tuple[object, ...]]:
    """The groups that lie on a cycle once their members are one."""
    links = {(groups[edge.source], groups[edge.target]) for edge in workflow.edges if edge.source in groups}
    sorter: TopologicalSorter[tuple[object, ...]] = TopologicalSorter()
    for source, target in links:
        sorter.add(target, source)
    try:
        sorter.prepare()
    except CycleError:
        import networkx as nx  # takes half a second to import: only where there is something to find

        graph = nx.DiGraph(links)
    else:
        return set()
    found = set(nx.nodes_with_selfloops(graph))
    for part in nx.strongly_connected_components(graph):
        if len(part) > 1:
            found |= part
    return found


def to_tree(plan: Plan) -> str:
    """The plan as indented text: layer, template step, node or folded group, with what each takes."""
    lines = [plan.title or plan.template or "plan"]
    if plan.query:
        lines.append(f'  for "{_line(plan.query)}"')
    groups = folded(plan.workflow)
    names = labels_of(plan, groups)
    for layer in sorted({group.head.layer for group in groups}):
        lines.append(f"layer {layer}: {LAYER_TITLES.get(layer, 'other')}")
        by_step: dict[str, list[Group]] = {}
        for group in groups:
            if group.head.layer == layer:
                by_step.setdefault(without_item(group.head.step), []).append(group)
        for step, members in by_step.items():
            indent = "  "
            if step and len(members) > 1:
                lines.append(f"{indent}{_line(step)}")
                indent += "  "
            for group in members:
                lines.extend(indent + text for text in _group_lines(group, names))
    for name, value in plan.outputs.items():
        lines.append(f"output {name}: {_line(value_text(value))}")
    return "\n".join(lines)


def _group_lines(group: Group, names: Mapping[str | FromInput, str]) -> list[str]:
    head = group.head
    mark = "+ " if head.inserted is not None else ""
    taken = ", ".join(sources_text(group, names))
    lines = [f"{mark}{_line(group.label)} ({head.tool})" + (f" <- {_line(taken)}" if taken else "")]
    if head.inserted is not None:
        more = f" (and {len(group.reasons) - 1} more reasons)" if len(group.reasons) > 1 else ""
        lines.append(f"    inserted by {head.inserted.who}: {_line(group.reasons[0])}{more}")
        if head.inserted.lossy:
            lines.append(f"    loses: {_line(head.inserted.lossy)}")
    return lines


def labels_of(plan: Plan, groups: Iterable[Group]) -> dict[str | FromInput, str]:
    """What nodes (by id) and inputs are called, folded as they are."""
    home = {node.id: group.label for group in groups for node in group.nodes}
    found: dict[str | FromInput, str] = dict(home.items())
    found.update((FromInput(name), one.label) for one in input_groups(plan, home) for name in one.inputs)
    return found


def sources_text(group: Group, names: Mapping[str | FromInput, str]) -> tuple[str, ...]:
    """What a group takes, each once: nodes and inputs of the plan as ``names`` calls them."""
    found = (
        names.get(ref.node, ref.node) if isinstance(ref, FromNode) else names.get(FromInput(ref.name), ref.name)
        for node in group.nodes
        for value in node.args.values()
        for ref in references(value)
    )
    return tuple(dict.fromkeys(found))


def value_text(value: Value) -> str:
    """An argument as text: a literal, ``node.output``, ``input[3].red``, or a list of these, cut where it is long."""
    match value:
        case Given(value=literal):
            return str(literal)
        case FromNode(node=node, output=output):
            return f"{node}.{output}" if output else node
        case FromInput(name=name, at=at):
            return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at)
        case SeriesOf(items=items):
            shown = ", ".join(value_text(item) for item in items[:3])
            return f"{shown}, ... ({len(items)} items)" if len(items) > 3 else shown
        case BandsOf(members=members):
            return ", ".join(f"{band}: {value_text(member)}" for band, member in members.items())


def to_mermaid(plan: Plan) -> str:
    """The plan as a Mermaid flowchart: a subgraph per layer, folded groups stacked, inserted nodes dashed.

    Identifiers are made up here and every label is quoted and escaped: no name from a file or a template is syntax.
    """
    groups = folded(plan.workflow)
    place = {node.id: f"n{index}" for index, group in enumerate(groups) for node in group.nodes}
    lines = ["flowchart LR"]
    taken = input_groups(plan, place)
    used = {name for one in taken for name in one.inputs}
    taken += tuple(InputGroup((name,), name) for name in plan.inputs if name not in used)
    inputs = {name: f"i{index}" for index, one in enumerate(taken) for name in one.inputs}
    for one in taken:
        lines.append(f'  {inputs[one.inputs[0]]}[("{_quoted(one.label)}")]:::input')
    for layer in sorted({group.head.layer for group in groups}):
        title = LAYER_TITLES.get(layer, "other")
        lines.append(f'  subgraph layer{layer}["{layer}: {title}"]')
        lines.extend(f"    {place[g.head.id]}{_box(g)}" for g in groups if g.head.layer == layer)
        lines.append("  end")
    outputs = {name: f"o{index}" for index, name in enumerate(plan.outputs)}
    for name, identifier in outputs.items():
        lines.append(f'  {identifier}(["{_quoted(name)}"]):::output')
    arrows: dict[str, None] = {}
    for node in plan.workflow.nodes:
        for value in node.args.values():
            for ref in references(value):
                source = inputs.get(ref.name) if isinstance(ref, FromInput) else place.get(ref.node)
                if source is not None:
                    arrows[f"  {source} --> {place[node.id]}"] = None
    for name, value in plan.outputs.items():
        for ref in references(value):
            source = inputs.get(ref.name) if isinstance(ref, FromInput) else place.get(ref.node)
            if source is not None:
                arrows[f"  {source} --> {outputs[name]}"] = None
    lines.extend(arrows)
    lines.append("  classDef inserted stroke-dasharray:5 4,stroke-width:2px")
    lines.append("  classDef lossy stroke-dasharray:5 4,stroke-width:2px,stroke:#b4541a")
    lines.append("  classDef input fill:none")
    lines.append("  classDef output stroke-width:2px")
    return "\n".join(lines) + "\n"


def _box(group: Group) -> str:
    head = group.head
    text = _quoted(group.label)
    if head.tool != group.name:
        text += f"<br/>{_quoted(head.tool)}"
    if head.inserted is None:
        return f'["{text}"]'
    text += f"<br/>inserted: {_quoted(group.reasons[0])}"
    return f'["{text}"]:::{"lossy" if head.inserted.lossy else "inserted"}'


def _quoted(text: str) -> str:
    """Text inside a quoted Mermaid label: everything that Mermaid, Markdown or HTML could read becomes an entity."""
    return "".join(c if c.isalnum() or c in " _-.,:/=()×+" else f"#{ord(c)};" for c in _line(text))


def _line(text: str) -> str:
    """One line without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
