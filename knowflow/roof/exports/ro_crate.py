"""A run as a Workflow Run RO-Crate: RO-Crate 1.1, with the profiles process, workflow and provenance 0.5 of
https://w3id.org/ro/wfrun.

The plan is the workflow, each of its nodes a step, and what each was carried out with an action of its tool. Files that
the run read are named by their SHA-256 (RFC 6920), what it delivered lies in the crate, and results between the steps
are told by their derivation keys.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from knowflow.execution.persist import write_json
from knowflow.graph.resolve import part_of
from knowflow.knowledge.plan_document import save_plan
from knowflow.model.artifact import Artifact
from knowflow.model.literal import plain
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromNode, Given, Node, Value, references
from knowflow.roof.exports.placed import MEDIA_TYPES, Placed, placed

METADATA, PLAN = "ro-crate-metadata.json", "plan.yaml"
_CRATE = "https://w3id.org/ro/crate/1.1"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_ENGINE, _LANGUAGE, _RUN = "#knowflow", "#knowflow-plan", "#run"
_TYPES = {
    **dict.fromkeys(("raster", "vector", "report", "model"), "File"),
    **dict.fromkeys(("raster_series", "band_set"), "Collection"),
    **dict.fromkeys(("table", "list", "scalar", "numbers"), "PropertyValue"),
    "number": "Float",
    "integer": "Integer",
    "boolean": "Boolean",
}

Entity = dict[str, Any]


def write_ro_crate(trace: Trace, tools: Mapping[str, ToolSchema], out: Path) -> tuple[Path, ...]:
    """Write the crate into a folder: ``ro-crate-metadata.json``, ``plan.yaml`` and the delivered files.

    Raises:
        OutputError: a result was changed since it was delivered.
    """
    files = placed(trace, out)
    save_plan(trace.plan, out / PLAN)
    crate = _Crate(trace, tools, files)
    write_json(out / METADATA, crate.document())
    return (out / METADATA, out / PLAN, *(one.path for one in files))


@dataclass
class _Crate:
    trace: Trace
    tools: Mapping[str, ToolSchema]
    files: tuple[Placed, ...]
    entities: dict[str, Entity] = field(default_factory=dict)  # by @id, in order

    def document(self) -> Entity:
        plan = self.trace.plan
        steps = [self._step(position, node) for position, node in enumerate(plan.workflow.ordered, start=1)]
        inputs = [self._input(name, artifact) for name, artifact in plan.inputs.items()]
        outputs = [self._output(name, value) for name, value in plan.outputs.items()]
        self._workflow(steps)
        run = self._run(inputs, outputs)
        self._engine()
        parts = [entity["@id"] for entity in self.entities.values() if _is_data(entity)]
        root = {
            "@id": "./",
            "@type": "Dataset",
            "name": plan.title or plan.query,
            "description": "\n".join([plan.query, *(f"Assumed: {one}" for one in plan.assumptions)]),
            "datePublished": _moment(self.trace.finished or self.trace.started),
            "license": "Not stated: it is up to whoever asked, and to the licences of the data",
            "conformsTo": _refs(_PROFILES),
            "mainEntity": _ref(PLAN),
            "hasPart": _refs(parts),
            "mentions": _refs([run, "#organize", *(one for one in self.entities if one.startswith("#collection"))]),
        }
        about = {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": _ref("./"),
            "conformsTo": _refs([_CRATE, "https://w3id.org/workflowhub/workflow-ro-crate/1.0"]),
        }
        profiles = [
            {"@id": uri, "@type": "CreativeWork", "name": name, "version": uri.rpartition("/")[2]}
            for uri, name in _PROFILES.items()
        ]
        return {
            "@context": [f"{_CRATE}/context", "https://w3id.org/ro/terms/workflow-run/context"],
            "@graph": [about, root, *profiles, *self.entities.values()],
        }

    def _add(self, place: str, kind: str | list[str], **properties: Any) -> str:
        """An entity, once; its id. What is empty is left out."""
        told = {key: value for key, value in properties.items() if value not in (None, "", [])}
        self.entities.setdefault(place, {"@id": place, "@type": kind, **told})
        return place

    # --- what was to be done ----------------------------------------------------------------------------------------

    def _workflow(self, steps: list[str]) -> None:
        plan = self.trace.plan
        self._add(_LANGUAGE, "ComputerLanguage", name="KnowFlow plan", version=self.trace.version)
        self._add(
            PLAN,
            ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
            name=plan.title or plan.query,
            encodingFormat=MEDIA_TYPES[".yaml"],
            programmingLanguage=_ref(_LANGUAGE),
            input=_refs(f"#input/{_slug(name)}" for name in plan.inputs),
            output=_refs(f"#output/{_slug(name)}" for name in plan.outputs),
            hasPart=_refs(f"#tool/{tool}" for tool in dict.fromkeys(node.tool for node in plan.workflow.nodes)),
            step=_refs(steps),
        )

    def _step(self, position: int, node: Node) -> str:
        """A step with its tool, its action, and the control of that by the engine."""
        schema = self.tools[node.tool]
        tool, slug = self._tool(schema), _slug(node.id)
        step = self._add(
            f"#step/{slug}",
            "HowToStep",
            name=node.title or node.id,
            position=str(position),
            workExample=_ref(tool),
            connection=_refs(self._connections(node)),
        )
        record = self.trace.record(node.id)
        times = {"startTime": _moment(record.started), "endTime": _moment(record.finished)}
        action = self._add(
            f"#action/{slug}",
            "CreateAction",
            name=f"{node.title or node.id}",
            instrument=_ref(tool),
            object=_refs(one for name, value in node.args.items() for one in self._taken(node, name, value)),
            result=_refs(self._made(node, name) for name in record.outputs),
            actionStatus=_ref("http://schema.org/CompletedActionStatus") if record.ready else None,
            **times,
        )
        self._add(
            f"#control/{slug}", "ControlAction", instrument=_ref(step), object=_ref(action), name=f"Run {node.id}"
        )
        return step

    def _tool(self, schema: ToolSchema) -> str:
        inputs = [
            self._parameter(schema.tool, name, one.type, description=one.title, valueRequired=one.required)
            for name, one in schema.inputs.items()
        ]
        return self._add(
            f"#tool/{schema.tool}",
            "SoftwareApplication",
            name=schema.tool,
            description=schema.title,
            softwareVersion=f"{schema.version} (KnowFlow {self.trace.version})",
            citation=schema.source or None,
            input=_refs(inputs),
            output=_refs(self._parameter(schema.tool, name, kind) for name, kind in schema.outputs.items()),
        )

    def _parameter(self, tool: str, name: str, kind: str, **told: Any) -> str:
        place = f"#tool/{tool}/{name}"
        return self._add(place, "FormalParameter", name=name, additionalType=_TYPES.get(kind, "Text"), **told)

    def _connections(self, node: Node) -> Iterator[str]:
        """Which results of other steps, or inputs of the plan, the arguments of a step are."""
        for name, value in node.args.items():
            for ref in dict.fromkeys(references(value)):
                if isinstance(ref, FromNode):
                    before = self.trace.plan.workflow.node(ref.node).tool
                    source = f"#tool/{before}/{ref.output or self.tools[before].primary_output}"
                else:
                    source = f"#input/{_slug(ref.name)}"
                target = f"#tool/{node.tool}/{name}"
                place = f"#connection{source.removeprefix('#tool')}-{target.removeprefix('#tool/')}".replace(
                    "#input", ""
                )
                yield self._add(
                    place, "ParameterConnection", sourceParameter=_ref(source), targetParameter=_ref(target)
                )

    # --- what was read and made -------------------------------------------------------------------------------------

    def _taken(self, node: Node, name: str, value: Value) -> Iterator[str]:
        """What an action took as an argument."""
        if isinstance(value, Given):
            yield self._value(f"#value/{_slug(node.id)}/{name}", name, value.value, f"#tool/{node.tool}/{name}")
        for ref in dict.fromkeys(references(value)):
            if isinstance(ref, FromNode):
                before = self.trace.plan.workflow.node(ref.node)
                yield self._made(before, ref.output or self.tools[before.tool].primary_output)
            else:
                yield from self._read(part_of(self.trace.plan.inputs[ref.name], ref.at))

    def _read(self, artifact: Artifact) -> list[str]:
        """The files behind an input, by content; a value that it is."""
        paths = dict.fromkeys(leaf.path for leaf in artifact.leaves() if leaf.path is not None)
        return [self._source(path) for path in paths]

    def _source(self, path: str) -> str:
        digest = self.trace.digests.get(path)
        if digest is None:
            return self._add(f"#file/{_slug(path)}", "PropertyValue", name=Path(path).name, value=path)
        content = urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
        return self._add(
            f"ni:///sha-256;{content}",
            "File",
            name=Path(path).name,
            sha256=digest,
            encodingFormat=MEDIA_TYPES.get(Path(path).suffix.lower(), "application/octet-stream").partition(";")[0],
        )

    def _input(self, name: str, artifact: Artifact) -> list[str]:
        """An input of the plan: its parameter, and the file or the collection that was given for it."""
        parameter = f"#input/{_slug(name)}"
        read = self._read(artifact)
        given = read
        if len(read) > 1:
            collection = f"#collection/{_slug(name)}"
            given = [self._add(collection, "Collection", name=name, hasPart=_refs(read), exampleOfWork=_ref(parameter))]
        elif not read:
            given = [self._value(f"#value/{_slug(name)}", name, artifact.value, parameter)]
        else:
            self.entities[read[0]].setdefault("exampleOfWork", _ref(parameter))
        kind = "Collection" if len(read) > 1 else "File" if read else "PropertyValue"
        self._add(parameter, "FormalParameter", name=name, additionalType=kind, workExample=_refs(given))
        return given

    def _made(self, node: Node, output: str) -> str:
        """A result of a node: the file in the crate that it is, else its value, else the key of its derivation."""
        artifact = self.trace.record(node.id).outputs.get(output)
        parameter = f"#tool/{node.tool}/{output}"
        for one in self.files:
            if artifact is not None and one.artifact is not None and one.artifact.key == artifact.key is not None:
                return self._file(one, parameter)
        value = None if artifact is None else artifact.value if artifact.value is not None else artifact.key
        unit = None if artifact is None else artifact.fact("unit")
        return self._value(f"#value/{_slug(node.id)}/{output}", output, value, parameter, unit)

    def _output(self, name: str, value: Value) -> list[str]:
        """An output of the plan: its parameter, and the file or value that the run has for it."""
        parameter = f"#output/{_slug(name)}"
        artifact = self.trace.outputs[name]
        own = [self._file(one, parameter) for one in self.files if one.outputs == (name,) and one.artifact is not None]
        own += [self._file(one, parameter) for one in self.files if one.outputs == (name,) and one.artifact is None]
        if not own or artifact.value is not None:
            own.append(self._value(f"#result/{_slug(name)}", name, artifact.value, parameter, artifact.fact("unit")))
        kind = "Collection" if len(own) > 1 else "PropertyValue" if own[0].startswith("#") else "File"
        self._add(parameter, "FormalParameter", name=name, additionalType=kind, workExample=_refs(own))
        return own

    def _file(self, one: Placed, parameter: str) -> str:
        told = {"sha256": one.digest, "contentSize": str(one.path.stat().st_size)}
        name = self._add(
            quote(one.path.name), "File", name=one.name, encodingFormat=one.media_type.partition(";")[0], **told
        )
        self._example(name, parameter)
        return name

    def _value(self, place: str, name: str, value: Any, parameter: str, unit: Any = None) -> str:
        told = plain(value)
        text = told if isinstance(told, (bool, int, float, str)) else str(told)
        found = self._add(place, "PropertyValue", name=name, value=text, unitText=None if unit is None else str(unit))
        self._example(found, parameter)
        return found

    def _example(self, entity: str, parameter: str) -> None:
        """That an entity was given for a parameter, or came out as it."""
        known = self.entities[entity].setdefault("exampleOfWork", [])
        if _ref(parameter) not in known:
            known.append(_ref(parameter))

    # --- the run ----------------------------------------------------------------------------------------------------

    def _run(self, inputs: list[list[str]], outputs: list[list[str]]) -> str:
        for one in self.files:  # all values together
            if one.artifact is None:
                self._file(one, f"#output/{_slug(one.outputs[0])}" if one.outputs else PLAN)
        results = [quote(one.path.name) for one in self.files] + [one for several in outputs for one in several]
        trace = self.trace
        times = {"startTime": _moment(trace.started), "endTime": _moment(trace.finished)}
        self._add(
            _RUN,
            "CreateAction",
            name=trace.plan.query or trace.plan.title,
            identifier=trace.run_id,
            instrument=_ref(PLAN),
            object=_refs(one for several in inputs for one in several),
            result=_refs(results),
            actionStatus=_ref("http://schema.org/CompletedActionStatus"),
            **times,
        )
        self._add(
            "#organize",
            "OrganizeAction",
            name=f"KnowFlow {trace.version}, runner {trace.runner}",
            instrument=_ref(_ENGINE),
            object=_refs(f"#control/{_slug(node.id)}" for node in trace.plan.workflow.nodes),
            result=_ref(_RUN),
            **times,
        )
        return _RUN

    def _engine(self) -> None:
        versions = {name: one for name, one in self.trace.software.items() if name != "knowflow"}
        libraries = [
            self._add(f"#software/{name}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in versions.items()
        ]
        told = {"name": "KnowFlow", "softwareVersion": self.trace.version, "softwareRequirements": _refs(libraries)}
        self._add(_ENGINE, "SoftwareApplication", **told)


def _is_data(entity: Entity) -> bool:
    kind = entity["@type"]
    return "File" in ([kind] if isinstance(kind, str) else kind)


def _ref(name: str) -> Entity:
    return {"@id": name}


def _refs(names: Any) -> list[Entity]:
    return [_ref(name) for name in dict.fromkeys(names)]


def _slug(text: str) -> str:
    return quote(text, safe="")


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
