"""A plan as a workflow of the Common Workflow Language 1.2, packed as an EO Application Package (OGC 20-089).

Each node is a step that runs a ``CommandLineTool``; there is one of these for each tool. The plain arguments of a node
are inputs of its step, what it reads and what it is made of come as files and folders, and the rest of it (which of
them is which, and what is known of them) as a part of the plan (:mod:`knowflow.service.steps`). Results are delivered
by the last step as a run delivers them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from knowflow import __version__
from knowflow.execution.content import on_disk
from knowflow.execution.dataset_files import parts_of
from knowflow.execution.persist import write_text
from knowflow.graph.edit import rewired, rewritten
from knowflow.graph.resolve import part_of
from knowflow.ground.errors import DataNotFoundError
from knowflow.ground.yaml_text import written
from knowflow.model.artifact import Artifact, with_paths
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Value, Workflow, free_name, references
from knowflow.roof.exports.refusal import cannot

WORKFLOW, JOB = "workflow.cwl", "inputs.yml"
_TYPES = {"number": "double?", "integer": "long?", "string": "string?", "quantity": "string?", "unit": "string?"}
_BY_NAME = ("path", "strings", "model")


def write_cwl(plan: Plan, tools: Mapping[str, ToolSchema], out: Path, image: str | None = None) -> tuple[Path, ...]:
    """Write ``workflow.cwl`` and ``inputs.yml`` into a folder, for ``cwltool workflow.cwl inputs.yml``.

    ``image`` is a container with KnowFlow in which the steps run; None: they run where ``knowflow`` is installed.

    Raises:
        NotExpressibleError: a node reads a file by its name, or an input is no file that can be handed over.
    """
    document, job = _Package(plan, tools, image).documents()
    write_text(out / WORKFLOW, "#!/usr/bin/env cwl-runner\n" + written(document))
    write_text(out / JOB, written(job) if job else "{}\n")
    return out / WORKFLOW, out / JOB


@dataclass
class _Package:
    plan: Plan
    tools: Mapping[str, ToolSchema]
    image: str | None
    names: dict[str, str] = field(default_factory=dict)  # of nodes, as the document calls them
    parts: dict[tuple[str, tuple[str | int, ...]], str] = field(default_factory=dict)  # of inputs, likewise
    files: dict[str, list[str]] = field(default_factory=dict)  # of each of these

    def documents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        for node in self.plan.workflow.ordered:
            self.names[node.id] = free_name(_slug(node.id), {*self.names.values(), "deliver"})
        steps = {self.names[node.id]: self._step(node) for node in self.plan.workflow.ordered}
        steps["deliver"] = self._deliver()
        used = dict.fromkeys(node.tool for node in self.plan.workflow.ordered)
        workflow = {
            "class": "Workflow",
            "id": "main",
            "label": self.plan.title or self.plan.query or "a plan of KnowFlow",
            "doc": self._doc(),
            "requirements": {"MultipleInputFeatureRequirement": {}},
            "inputs": {name: {"type": "File[]", "doc": self._doc_of(name)} for name in self.files},
            "outputs": {"results": {"type": "Directory", "outputSource": "deliver/results"}},
            "steps": steps,
        }
        document = {
            "cwlVersion": "v1.2",
            "$namespaces": {"s": "https://schema.org/"},
            "s:softwareVersion": __version__,
            "$graph": [workflow, *(self._tool(self.tools[name]) for name in used), self._delivery()],
        }
        return document, {name: [_file(path) for path in files] for name, files in self.files.items()}

    def _doc(self) -> str:
        lines = [self.plan.query, *(f"Assumed: {one}" for one in self.plan.assumptions)]
        return "\n".join(line for line in lines if line)

    def _doc_of(self, name: str) -> str:
        whole, at = next(key for key, value in self.parts.items() if value == name)
        return whole + "".join(f"[{step}]" for step in at)

    # --- steps ------------------------------------------------------------------------------------------------------

    def _step(self, node: Node) -> dict[str, Any]:
        schema = self.tools[node.tool]
        plain = {}
        for name, value in node.args.items():
            kind = schema.inputs[name].type
            if isinstance(value, Given) and kind in _BY_NAME:
                _refuse_files(node, name, value.value)
            if isinstance(value, Given) and kind in _TYPES and isinstance(value.value, (int, float, str)):
                plain[name] = value.value
        given = {name: {"default": value} for name, value in plain.items()}
        own = replace(self._renamed(node), inserted=None, of="")
        own = replace(own, args={name: value for name, value in own.args.items() if name not in plain})
        part = Plan("", self.plan.template, Workflow((own,)))
        return {
            "label": node.title or node.id,
            "run": f"#{node.tool}",
            "in": {"part": self._part(part, list(node.args.values())), "name": {"default": own.id}}
            | self._handed(list(node.args.values()))
            | {f"set_{name}": one for name, one in given.items()},
            "out": ["made"],
        }

    def _deliver(self) -> dict[str, Any]:
        values = list(self.plan.outputs.values())
        outputs = {name: rewritten(value, self._redirected) for name, value in self.plan.outputs.items()}
        part = replace(self.plan, workflow=Workflow(), outputs=outputs, quality=(), decisions=(), files={})
        return {
            "label": "Deliver the results",
            "run": "#deliver",
            "in": {"part": self._part(part, values)} | self._handed(values),
            "out": ["results"],
        }

    def _part(self, plan: Plan, values: list[Value]) -> dict[str, Any]:
        """A part of the plan as JSON, with the inputs that its values are of."""
        count, inputs = 0, {}
        for name, artifact in self._inputs_of(values):
            moved = {path: f"{{file:{count + number}}}" for number, path in enumerate(self.files[name])}
            inputs[name] = with_paths(artifact, lambda path, m=moved: _moved(path, m))  # type: ignore[misc]
            count += len(self.files[name])
        told = replace(plan, inputs=inputs).to_json()
        return {"default": json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))}

    def _handed(self, values: list[Value]) -> dict[str, Any]:
        """The files and folders that a step takes, in the order in which its part counts them."""
        made = dict.fromkeys(ref.node for value in values for ref in references(value) if isinstance(ref, FromNode))
        files = [name for name, _ in self._inputs_of(values) if self.files[name]]
        found: dict[str, Any] = {}
        if files:
            found["files"] = {"source": files, "linkMerge": "merge_flattened"}
        if made:
            found["taken"] = {"source": [f"{self.names[node]}/made" for node in made], "linkMerge": "merge_flattened"}
        return found

    def _inputs_of(self, values: list[Value]) -> Iterator[tuple[str, Artifact]]:
        """The parts of inputs that values refer to, once each, by the names that the document has for them."""
        refs = (ref for value in values for ref in references(value) if isinstance(ref, FromInput))
        for ref in dict.fromkeys(refs):
            artifact = part_of(self.plan.inputs[ref.name], ref.at)
            yield self._input(ref, artifact), artifact

    def _input(self, ref: FromInput, artifact: Artifact) -> str:
        known = self.parts.get((ref.name, ref.at))
        if known is not None:
            return known
        name = free_name(_slug("_".join(map(str, (ref.name, *ref.at)))), set(self.parts.values()))
        paths = dict.fromkeys(leaf.path for leaf in artifact.leaves() if leaf.path is not None)
        self.parts[ref.name, ref.at] = name
        try:
            self.files[name] = list(dict.fromkeys(str(on_disk(path).absolute()) for path in paths))
        except DataNotFoundError as error:
            raise cannot("CWL", ref.name, error.message, "it takes files that are on this machine") from error
        if any(not Path(path).is_file() for path in self.files[name]):
            raise cannot("CWL", ref.name, "an input that is a folder", "convert it to files")
        return name

    def _renamed(self, node: Node) -> Node:
        return replace(rewired(node, self._redirected), id=self.names[node.id])

    def _redirected(self, value: Value) -> Value:
        match value:
            case FromNode(node=node, output=output):
                return FromNode(self.names[node], output)
            case FromInput(name=name, at=at):
                return FromInput(self._input(value, part_of(self.plan.inputs[name], at)))
        return value

    # --- tools ------------------------------------------------------------------------------------------------------

    def _tool(self, schema: ToolSchema) -> dict[str, Any]:
        plain = {name: p for name, p in schema.inputs.items() if p.type in _TYPES}
        inputs = {
            f"set_{name}": {
                "type": _TYPES[parameter.type],
                **({"doc": parameter.title} if parameter.title else {}),
                "inputBinding": {"prefix": f"{name}=", "separate": False, "position": 1},
            }
            for name, parameter in plain.items()
        }
        return self._command(schema.tool, schema.title, {"name": "string", **inputs}, "made", "$(inputs.name)")

    def _delivery(self) -> dict[str, Any]:
        return self._command("deliver", "Deliver the results", {}, "results", "results")

    def _command(self, name: str, label: str, inputs: dict[str, Any], output: str, glob: str) -> dict[str, Any]:
        folder = "." if output == "made" else output
        several = {"files": ("File", "--file"), "taken": ("Directory", "--made")}
        document: dict[str, Any] = {
            "class": "CommandLineTool",
            "id": name,
            "label": label,
            "baseCommand": ["knowflow", "tools", "part"],
            "arguments": ["part.json", "--out", folder],
            "inputs": {
                "part": "string",
                **{key: _repeated(kind, option) for key, (kind, option) in several.items()},
                **inputs,
            },
            "outputs": {output: {"type": "Directory", "outputBinding": {"glob": glob}}},
            "requirements": {
                "InitialWorkDirRequirement": {"listing": [{"entryname": "part.json", "entry": "$(inputs.part)"}]}
            },
            "hints": {"SoftwareRequirement": {"packages": {"knowflow": {"version": [__version__]}}}},
        }
        if self.image is not None:
            document["requirements"]["DockerRequirement"] = {"dockerPull": self.image}
        return document


def _repeated(kind: str, option: str) -> dict[str, Any]:
    items = {"type": "array", "items": kind, "inputBinding": {"prefix": option, "position": 2}}
    return {"type": ["null", items]}


def _file(path: str) -> dict[str, Any]:
    """A file with all that is read with it."""
    beside = [{"class": "File", "path": str(part)} for part in parts_of(Path(path)) if str(part) != path]
    return {"class": "File", "path": path, **({"secondaryFiles": beside} if beside else {})}


def _moved(path: str, moved: Mapping[str, str]) -> str:
    real = on_disk(path)
    return path.replace(str(real), moved[str(real.absolute())])


def _refuse_files(node: Node, name: str, value: Any) -> None:
    """Refuse what only this machine has: files that are given by their names."""
    for one in [value] if isinstance(value, str) else value:
        if isinstance(one, str) and one and Path(one).exists():
            raise cannot("CWL", node.id, f"{node.tool} reads {one} by its name, as {name}")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "part"
