"""A plan as the flat sequence of calls of a pack: one call per scene or one for all, as the published tools take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from knowflow.graph.export import item_of, without_item
from knowflow.graph.orphans import needed
from knowflow.graph.output_names import OutputNames, telling_apart
from knowflow.graph.resolve import part_of
from knowflow.graph.topology import order
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.pack import CallStyle, Pack
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value

_PLAIN = CallStyle.model_validate({})


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. A value that only exists when the calls are made is ``{"from": k}``, the result of call k
    (from 0), ``{"from": k, "item": j}``, the j-th of a list, and with ``"times": f`` so many times that."""

    name: str
    input: Mapping[str, Any]


@dataclass
class _Results:
    """What each node of the plan is in the calls: a path, several of them, or the result of a call."""

    values: dict[tuple[str, str], Any] = field(default_factory=dict)

    def of(self, node: str, output: str) -> Any:
        return self.values[node, output]


def flat_calls(plan: Plan, tools: Mapping[str, ToolSchema], pack: Pack, folder: str) -> tuple[Call, ...]:
    """The calls that carry a plan out, in its order.

    Siblings of one step become one call with parallel lists where the pack says so. Nodes of tools outside the pack are
    arithmetic on single values that callers do themselves: they become part of the argument they feed.

    Raises:
        PlanningError: a tool outside the pack does more than that.
    """
    return tuple(_Writer(plan, tools, pack, folder).calls())


class _Writer:
    """Writes the calls of one plan."""

    def __init__(self, plan: Plan, tools: Mapping[str, ToolSchema], pack: Pack, folder: str) -> None:
        self._plan = plan
        self._tools = tools
        self._pack = pack
        self._folder = folder.rstrip("/")
        self._names = OutputNames(plan, pack, self._folder)
        self._results = _Results()
        self._lengths: dict[int, int] = {}

    def calls(self) -> Iterator[Call]:
        number = 0
        if self._pack.opening is not None:
            yield Call(self._pack.opening.tool, {self._pack.opening.folder: self._folder})
            number = 1
        for nodes in self._together():
            schema, style = self._tools[nodes[0].tool], self._style(nodes[0])
            if not self._called(schema):
                self._fold(nodes[0], schema)
                continue
            arguments = self._arguments(nodes, schema, style)
            self._lengths[number] = style.returns or max(
                (len(value) for value in arguments.values() if isinstance(value, list)), default=0
            )
            said = {name: value for name, value in arguments.items() if name not in style.omits}
            for index, node in enumerate(nodes):
                for name in schema.outputs:
                    if name in schema.parameters:
                        written = arguments[style.names.get(name, name)]
                        written = written if style.full_paths else self._names.read_back(written)
                        self._results.values[node.id, name] = written[index] if len(nodes) > 1 else written
                    else:
                        self._results.values[node.id, name] = _result(number, index, len(nodes))
            yield Call(style.stands_for or schema.tool, said)
            number += 1

    def _together(self) -> Iterator[tuple[Node, ...]]:
        """Nodes in order, those that one call carries out together."""
        nodes = self._by_scene(self._used(order(self._plan.workflow)))

        def kind(node: Node) -> tuple[str, str]:
            lists = self._style(node).lists
            return (node.tool, without_item(node.step)) if lists else (node.id, "")

        for _, found in groupby(nodes, kind):
            yield tuple(found)

    def _used(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes without those of single scenes that nothing reads, where others of their step are read."""
        read = {source for node in nodes for source in node.sources()} | needed(self._plan)
        steps = {without_item(node.step) for node in nodes if node.id in read}
        return [
            node for node in nodes if node.id in read or self._style(node).lists or without_item(node.step) not in steps
        ]

    def _by_scene(self, nodes: Sequence[Node]) -> Iterator[Node]:
        """The nodes in order, where calls that the pack makes scene by scene go by date and by file."""
        for _, run in groupby(nodes, key=lambda node: node.tool):
            together = list(run)
            if self._style(together[0]).by_scene:
                together.sort(key=lambda node: (item_of(node.step), self._read(node)))
            yield from together

    def _read(self, node: Node) -> str:
        """The path of the first file that a node, or what it takes, reads."""
        for value in node.args.values():
            match value:
                case FromInput(name=name, at=at):
                    return str(next(part_of(self._plan.inputs[name], at).leaves()).path)
                case FromNode(node=source):
                    return self._read(self._node(source))
        return ""

    def _style(self, node: Node) -> CallStyle:
        return self._pack.calls.get(node.tool, _PLAIN)

    def _called(self, schema: ToolSchema) -> bool:
        return schema.run.startswith(self._pack.tools_run) or schema.tool in self._pack.calls

    # --- arguments ------------------------------------------------------------------------------------------------

    def _arguments(self, nodes: Sequence[Node], schema: ToolSchema, style: CallStyle) -> dict[str, Any]:
        given: dict[str, Any] = {}
        if style.pairs is not None:
            return self._neighbours(nodes[0], schema, style.pairs)
        for name, parameter in schema.parameters.items():
            spelled = style.names.get(name, name)
            if parameter.role == "output":
                stem = self._stem(nodes, style)
                named = [
                    path
                    for place, node in enumerate(nodes)
                    for path in self._named(node, parameter, style, stem, place)
                ]
                many = len(nodes) > 1 or parameter.produces == "raster_series"
                given[spelled] = named if many else named[0]
            elif name in style.omits or (name not in style.says and self._is_default(nodes[0], name, parameter)):
                continue
            elif any(name in node.args for node in nodes):
                each = [self._argument(node.args[name], parameter, name in style.listed) for node in nodes]
                given[spelled] = each[0]
                if len(nodes) > 1 and parameter.type == "raster":
                    given[spelled] = each
                elif len(nodes) > 1 and parameter.type == "raster_series":
                    given[spelled] = [name for names in each for name in names]
            elif name in style.says:
                given[spelled] = style.says[name]
        return given

    @staticmethod
    def _is_default(node: Node, name: str, parameter: Parameter) -> bool:
        """A choice that is made as it would be taken anyway is not said; numbers always are."""
        value = node.args.get(name)
        chosen = parameter.type in ("string", "boolean")
        return chosen and isinstance(value, Given) and value.value == parameter.default

    def _neighbours(self, node: Node, schema: ToolSchema, pairs: tuple[str, str]) -> dict[str, Any]:
        """Each two neighbours of the list that a node takes, as parallel lists."""
        whole = self._value(next(node.args[name] for name in schema.inputs if name in node.args))
        items = [{**whole, "item": place} for place in range(self._lengths.get(whole["from"], 0))]
        return {pairs[0]: items[:-1], pairs[1]: items[1:]}

    def _argument(self, value: Value, parameter: Parameter, listed: bool) -> Any:
        if parameter.keyed_by is not None and isinstance(value, BandsOf):
            return {name: self._value(member) for name, member in value.members.items()}
        found = self._value(value)
        if parameter.type == "list" and isinstance(value, FromNode) and self._style(self._node(value.node)).one:
            return [found]
        wants_list = listed or parameter.artifact_type in ("raster_series", "list")
        if wants_list and not isinstance(found, list) and not (isinstance(found, dict) and parameter.type == "list"):
            return [found]
        if not wants_list and isinstance(found, list) and len(found) == 1 and parameter.type == "raster":
            return found[0]
        return found

    def _value(self, value: Value) -> Any:
        match value:
            case Given(value=literal):
                return list(literal) if isinstance(literal, tuple) else literal
            case FromNode(node=node, output=output):
                return self._results.of(node, output or next(iter(self._tools[self._node(node).tool].outputs)))
            case FromInput(name=name, at=at):
                return self._files(part_of(self._plan.inputs[name], at))
            case SeriesOf(items=items):
                found: list[Any] = []
                for item in items:
                    part = self._value(item)
                    found += part if isinstance(part, list) else [part]
                return found
            case BandsOf(members=members):
                return [self._value(member) for member in members.values()]

    def _node(self, name: str) -> Node:
        return self._plan.workflow.node(name)

    def _files(self, artifact: Artifact) -> Any:
        paths = [f"{self._folder}/{leaf.path}" for leaf in artifact.leaves()]
        return paths if artifact.items else paths[0]

    # --- names of what is written ---------------------------------------------------------------------------------

    def _named(self, node: Node, parameter: Parameter, style: CallStyle, stem: str, first: int) -> list[str]:
        """The paths of an output: one, or one for each item of the series that the node makes, numbered on."""
        sources = self._sources(node)
        if parameter.produces != "raster_series":
            return [self._names.path(stem, node, sources[:1], style)]
        stem = stem if len(sources) == 1 else telling_apart(style.stem, sources)
        return [self._names.path(stem, node, [source], style, first + place) for place, source in enumerate(sources, 1)]

    def _stem(self, nodes: Sequence[Node], style: CallStyle) -> str:
        """How the outputs of a call are named: by scene, or shorter where there is but one."""
        if len(nodes) > 1:
            return telling_apart(style.stem, [name for node in nodes for name in self._sources(node)[:1]])
        if style.alike and len(set(self._images(nodes[0]))) == 1:
            return style.alike
        if style.alone and self._alone(nodes[0]):
            return style.alone
        return style.single or style.stem

    def _alone(self, node: Node) -> bool:
        """No other node of the plan does the same to other data."""
        return sum(other.tool == node.tool for other in self._plan.workflow.nodes) == 1

    def _images(self, node: Node) -> list[str]:
        """The files that a node reads, as often as it reads them."""
        rasters = (
            name for name, p in self._tools[node.tool].inputs.items() if p.type == "raster" and name in node.args
        )
        return [str(self._value(node.args[name])) for name in rasters]

    def _sources(self, node: Node) -> list[str]:
        """The names of the files that a node reads first."""
        for value in node.args.values():
            found = self._value(value)
            names = [item for item in (found if isinstance(found, list) else [found]) if isinstance(item, str)]
            if names and any("/" in name for name in names):
                return names
        return []

    def _kind(self, node: str | None) -> str:
        return "" if node is None else self._node(node).tool

    # --- arithmetic between calls ---------------------------------------------------------------------------------

    def _fold(self, node: Node, schema: ToolSchema) -> None:
        """A node outside the pack as a way to write the value it makes."""
        (output,) = schema.outputs
        source = next((self._value(node.args[name]) for name in schema.inputs if name in node.args), None)
        if isinstance(source, list) and len(source) == 1:
            source = source[0]
        if schema.tool == "multiple" and isinstance(source, (int, float)):
            self._results.values[node.id, output] = source * self._value(node.args["times"])
            return
        if isinstance(source, dict) and "from" in source:
            own = dict(source)
        elif schema.tool == "first" and isinstance(source, list):
            own = source[0]
        else:
            raise PlanningError(f"{schema.tool} is not a tool of the pack", where=node.id, found=repr(source))
        if schema.tool == "first" and isinstance(own, dict) and self._kind(source_of(node)) != "table_column":
            own.setdefault("item", 0)
        if (
            schema.tool == "last"
            and isinstance(own, dict)
            and self._kind(source_of(node)) != "table_column"
            and self._lengths.get(own["from"])
        ):
            own.setdefault("item", self._lengths[own["from"]] - 1)
        if schema.tool == "multiple":
            own["times"] = self._value(node.args["times"])
        self._results.values[node.id, output] = own


def source_of(node: Node) -> str | None:
    """The node whose value another one writes in its own way."""
    return next((value.node for value in node.args.values() if isinstance(value, FromNode)), None)


def _result(number: int, index: int, count: int) -> dict[str, Any]:
    return {"from": number, "item": index} if count > 1 else {"from": number}
