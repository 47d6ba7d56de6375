"""A plan as the flat sequence of calls of a pack: one call per scene or one for all, as the published tools take it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from knowflow.graph.export import without_item
from knowflow.graph.resolve import part_of
from knowflow.graph.topology import order
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.pack import CallStyle, Pack
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value

_PLAIN = CallStyle.model_validate({})
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_NUMBERED = re.compile(r"_\d{3}$")
_NO_PLACE = re.compile(
    r"pre|post|before|after|time\d?|t\d|bt|sur|refl|sr|tif|\d+|[a-z]?\d{1,2}(?:\.tif)?", re.IGNORECASE
)
_NAME = re.compile(r"\b[A-Z][\w'’-]*[a-z][\w'’-]*")
_TIME = re.compile(r"[-_T]([01]\d|2[0-3])[0-5]\d(?!\d)")


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
        self._root, self._below = _results_of(self._folder, pack)
        self._results = _Results()
        self._taken: set[str] = set()
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
                        written = written if style.full_paths else self._read_back(written)
                        self._results.values[node.id, name] = written[index] if len(nodes) > 1 else written
                    else:
                        self._results.values[node.id, name] = _result(number, index, len(nodes))
            yield Call(style.stands_for or schema.tool, said)
            number += 1

    def _read_back(self, written: Any) -> Any:
        """Where what is written under a name is found: below the folder of results."""
        if isinstance(written, list):
            return [self._read_back(name) for name in written]
        return f"{self._root}{written}"  # the root ends with a slash

    def _together(self) -> Iterator[tuple[Node, ...]]:
        """Nodes in order, those that one call carries out together."""
        nodes = order(self._plan.workflow)

        def kind(node: Node) -> tuple[str, str]:
            lists = self._style(node).lists
            return (node.tool, without_item(node.step)) if lists else (node.id, "")

        for _, found in groupby(nodes, kind):
            yield tuple(found)

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
            return [self._path(stem, node, sources[:1], style)]
        stem = stem if len(sources) == 1 else _telling(style.stem, sources)
        return [self._path(stem, node, [source], style, first + place) for place, source in enumerate(sources, 1)]

    def _stem(self, nodes: Sequence[Node], style: CallStyle) -> str:
        """How the outputs of a call are named: by scene, or shorter where there is but one."""
        if len(nodes) > 1:
            return _telling(style.stem, [name for node in nodes for name in self._sources(node)[:1]])
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

    def _path(self, stem: str, node: Node, sources: Sequence[str], style: CallStyle, number: int = 1) -> str:
        name = PurePosixPath(sources[0]).name if sources else ""
        own = PurePosixPath(name).stem
        date = _DATE.search(name)
        time = _TIME.match(name, date.end()) if date else None
        group = node.step.rpartition(".")[2] if node.step != without_item(node.step) else ""
        words = {
            "date": date.group() if date else own,
            "moment": (date.group() + (time.group() if time else "")) if date else own,
            "name": own,
            "group": group,
            "place": _place(own, date),
            "year": date.group()[:4] if date else "",
            "number": f"{number:03}",
            "region": _region(self._plan) or (date.group() if date else own),
            "series": _NUMBERED.sub("", own),
        }
        ending = PurePosixPath(name).suffix if PurePosixPath(name).suffix in (".png", ".jpg") else ".tif"
        made = (stem or f"{node.tool}_{{name}}").format(**words).strip("_")
        folder = f"{self._root if style.full_paths else ''}{self._below}"
        path = f"{folder}{made}{ending}"
        count = 2
        while path in self._taken:
            path = f"{folder}{made}_{count}{ending}"
            count += 1
        self._taken.add(path)
        return path

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


def _results_of(folder: str, pack: Pack) -> tuple[str, str]:
    """The folder of results, and what is below it for this folder of data; each empty or with a slash at its end."""
    parts = PurePosixPath(folder).parts
    if pack.data_folder not in parts:
        return "", f"{pack.out_folder}/"
    place = len(parts) - 1 - parts[::-1].index(pack.data_folder)
    root = PurePosixPath(*parts[:place], pack.out_folder).as_posix()
    below = "/".join(parts[place + 1 :])
    return f"{root}/", f"{below}/" if below else ""


def _region(plan: Plan) -> str:
    """The place that the question names last, in small letters: ``paris`` of "the Paris metropolitan area"; ``""``
    where it names none. Words without a capital are no names, and words of capitals alone are abbreviations."""
    said = str(plan.understood.get("region", {}).get("value") or "")
    named = ["_".join(_NAME.findall(part)).lower() for part in said.split(",")]
    return next((name for name in reversed(named) if name), "")


def _telling(stem: str, sources: Sequence[str]) -> str:
    """A way to name outputs by date, or by moment where two of the scenes are of one day."""
    days = [date.group() for source in sources if (date := _DATE.search(PurePosixPath(source).name))]
    return stem if len(set(days)) == len(days) else stem.replace("{date}", "{moment}")


def _place(name: str, date: re.Match[str] | None) -> str:
    """What a file's name says beside the date, the band and the moment: a region, ``""`` where there is none."""
    parts = re.split(r"[_ ]+", name.replace(date.group(), "") if date else name)
    kept = [part for part in parts if part and not _NO_PLACE.fullmatch(part)]
    return ("" if " " in name else "_").join(kept)


def source_of(node: Node) -> str | None:
    """The node whose value another one writes in its own way."""
    return next((value.node for value in node.args.values() if isinstance(value, FromNode)), None)


def _result(number: int, index: int, count: int) -> dict[str, Any]:
    return {"from": number, "item": index} if count > 1 else {"from": number}
