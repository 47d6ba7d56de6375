"""What is written of a plan: for each of its outputs a process graph, and the collections that these load.

``NAME.json`` is a user-defined process (UDP) of openEO 1.2 without parameters; ``collections.json`` tells which files
(with digests, scale, offset and nodata) a collection of the process graphs is, for whoever has ``load_collection``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowflow.execution.persist import write_json
from knowflow.graph.check import check_plan
from knowflow.graph.resolve import part_of
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.trace import Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value
from knowflow.roof.exports.openeo.graph import Call, Cube, Graph
from knowflow.roof.exports.refusal import cannot
from knowflow.service.whence import ancestors

COLLECTIONS = "collections.json"


def write_openeo(what: Trace | Plan, tools: Mapping[str, ToolSchema], out: Path) -> tuple[Path, ...]:
    """Write the process graphs of all outputs into a folder, and ``collections.json``.

    Raises:
        NotExpressibleError: a node, an input or an output has no counterpart; nothing was written.
    """
    documents, collections = _Compiler(what, tools).documents()
    for name, document in documents.items():
        write_json(out / f"{name}.json", document)
    write_json(out / COLLECTIONS, collections)
    return (*(out / f"{name}.json" for name in documents), out / COLLECTIONS)


@dataclass
class _Compiler:
    what: Trace | Plan
    tools: Mapping[str, ToolSchema]
    graph: Graph = field(default_factory=Graph)
    made: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        return self.what.plan if isinstance(self.what, Trace) else self.what

    def documents(self) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        facts = self._facts()
        for node in ancestors(self.plan, list(self.plan.outputs.values())):
            self.made[node.id] = self._told(node, facts[node.id])
        documents = {}
        for name, value in self.plan.outputs.items():
            for called, cube in self._of_output(name, self._value(value)):
                documents[called] = self._document(called, cube)
        return documents, self.graph.collections

    def _facts(self) -> Mapping[str, Mapping[str, Artifact]]:
        """What is known of the results of each node: of a run as they were, of a plan as its tools predict."""
        if isinstance(self.what, Trace):
            return {name: record.outputs for name, record in self.what.records.items()}
        return {name: node.outputs for name, node in check_plan(self.plan, self.tools).nodes.items()}

    def _told(self, node: Node, made: Mapping[str, Artifact]) -> Mapping[str, Any]:
        from knowflow.roof.exports.openeo.counterparts import COUNTERPARTS

        schema, counterpart = self.tools[node.tool], COUNTERPARTS.get(node.tool)
        if counterpart is None:
            raise cannot("openEO", node.id, f"{node.tool} ({schema.title})")
        given = {
            name: _fitted(self._value(node.args[name]), parameter) if name in node.args else parameter.default
            for name, parameter in schema.inputs.items()
        }
        return counterpart(Call(self.graph, node, given, made))

    def _value(self, value: Value) -> Any:
        match value:
            case Given(value=literal):
                return literal
            case FromNode(node=node, output=output):
                name = output or self.tools[self.plan.workflow.node(node).tool].primary_output
                if name not in self.made[node]:
                    raise cannot("openEO", node, f"its output {name}")
                return self.made[node][name]
            case FromInput(name=name, at=at):
                return self._input(name, at, part_of(self.plan.inputs[name], at))
            case SeriesOf(items=items):
                return tuple(self._value(item) for item in items)
            case BandsOf(members=members):
                return {name: self._value(member) for name, member in members.items()}

    def _input(self, name: str, at: tuple[str | int, ...], artifact: Artifact) -> Any:
        """An input as cubes: series in order, band sets by name. A scene is a collection; so is a raster alone."""
        if artifact.items:
            return tuple(self._input(name, (*at, number), item) for number, item in enumerate(artifact.items))
        if artifact.members:
            return {band: self._input(name, (*at, band), member) for band, member in artifact.members.items()}
        if artifact.type != "raster":
            raise cannot("openEO", name, f"an input that is a {artifact.type}")
        if artifact.band is None and int(artifact.fact("count") or 1) > 1:
            raise cannot("openEO", name, "a raster of several bands that none is chosen of")
        band = next((str(step) for step in reversed(at) if isinstance(step, str)), "value")
        scene = part_of(self.plan.inputs[name], tuple(step for step in at if isinstance(step, int)))
        bands = scene.members or {"value": artifact}
        collection = _slug("_".join(map(str, (name, *(step for step in at if isinstance(step, int))))))
        self.graph.collections.setdefault(
            collection,
            {
                "title": scene.name or name,
                "datetime": scene.fact("datetime"),
                "bands": {label: self._file(one) for label, one in bands.items()},
            },
        )
        return self.graph.loaded(collection, band, artifact, list(bands))

    def _file(self, artifact: Artifact) -> dict[str, Any]:
        digests = self.what.digests if isinstance(self.what, Trace) else {}
        nodata = artifact.fact("nodata")
        return {
            "file": artifact.path,
            "sha256": digests.get(str(artifact.path)),
            "band": artifact.band or 1,
            "scale": artifact.fact("scale") or 1.0,
            "offset": artifact.fact("offset") or 0.0,
            "nodata": None if nodata is None or nodata != nodata else nodata,
            "unit": artifact.fact("unit"),
            "quantity": artifact.fact("quantity"),
        }

    def _of_output(self, name: str, value: Any) -> Iterator[tuple[str, Cube]]:
        match value:
            case Cube():
                yield _slug(name), value
            case tuple():
                for number, item in enumerate(value, start=1):
                    yield from self._of_output(name if len(value) == 1 else f"{name}_{number}", item)
            case dict():
                for band, item in value.items():
                    yield from self._of_output(f"{name}_{band}", item)
            case _:
                raise cannot("openEO", name, "an output that is a plain value")

    def _document(self, name: str, cube: Cube) -> dict[str, Any]:
        plan, unit = self.plan, cube.artifact.fact("unit")
        node = self.graph.flat(cube)
        data = {"data": {"from_node": node}, "format": "GTiff" if cube.artifact.type == "raster" else "JSON"}
        nodes = {**self.graph.needed(node), "result": {"process_id": "save_result", "arguments": data, "result": True}}
        what = cube.artifact.fact("quantity") or name
        return {
            "id": name,
            "summary": f"{plan.title or plan.query}: {name}",
            "description": "\n".join([plan.query, *(f"Assumed: {one}" for one in plan.assumptions)]),
            "parameters": [],
            "returns": {
                "description": f"{what}{'' if unit is None else f' in {unit}'}",
                "schema": {"type": "boolean"},
            },
            "process_graph": nodes,
        }


def _fitted(value: Any, parameter: Parameter) -> Any:
    """A value as the parameter takes it: one raster is a series of one, and a series of one that raster."""
    kind = parameter.artifact_type
    if kind in ("raster_series", "list") and isinstance(value, (Cube, dict)):
        return (value,)
    if kind == "raster" and isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if kind == "raster" and isinstance(value, dict) and len(value) == 1:
        return next(iter(value.values()))
    if kind == "band_set" and isinstance(value, tuple) and len(value) == 1:
        return value[0]
    return value


def _slug(text: str) -> str:
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "part"
