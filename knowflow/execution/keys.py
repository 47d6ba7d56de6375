"""What identifies a result: the tool as it is, its parameters, and where its inputs came from.

Two results have one key exactly when nothing that could make them differ differs. External files count by content,
results of other nodes by their own keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowflow import __version__
from knowflow.execution.content import NOTHING, Content, FileDigests
from knowflow.ground.errors import DataNotFoundError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.tool import ToolSchema

DERIVED = "derived:"
# of a schema: what decides the numbers, the facts said of them, and whether they may be made at all
_WHAT_COUNTS = {"tool", "version", "parameters", "returns", "preconditions", "effects", "run"}


class Keyring:
    """Makes derivation keys. ``implementation`` tells the digest of what a tool schema runs."""

    def __init__(self, digests: FileDigests, implementation: Callable[[ToolSchema], str]) -> None:
        self.digests = digests
        self._implementation = implementation
        self._tools: dict[str, tuple[ToolSchema, str]] = {}

    def key(self, schema: ToolSchema, arguments: Mapping[str, Any]) -> str:
        """The key (hex SHA-256) of what a tool makes of arguments; paths of outputs do not count.

        Raises: as :meth:`keyed`.
        """
        return self.keyed(schema, arguments).key

    def keyed(self, schema: ToolSchema, arguments: Mapping[str, Any]) -> Keyed:
        """The key of what a tool makes of arguments, with what it was made of: files as they are, inner results.

        Raises:
            DataNotFoundError, UnreadableDataError: an external input is not there, or not readable.
            InputChangedError: somebody writes to it all the time.
        """
        seen = _Seen(self.digests)
        inputs = {
            name: seen.identity(value)
            for name, value in arguments.items()
            if name in schema.inputs and value is not None
        }
        for name, parameter in schema.inputs.items():
            named = arguments.get(name) or parameter.default
            if parameter.type == "model" and isinstance(named, str):
                inputs[name] = seen.model(named)
            elif parameter.type in ("path", "strings") and named:
                inputs[f"{name}, on disk"] = seen.on_disk([named] if isinstance(named, str) else list(named))
        document = ["knowflow", __version__, schema.tool, schema.version, self._tool(schema), inputs]
        key = hashlib.sha256(canonical(document).encode()).hexdigest()
        return Keyed(key, seen.files, frozenset(seen.results))

    def _tool(self, schema: ToolSchema) -> str:
        known = self._tools.get(schema.tool)
        if known is None or (known[0] is not schema and known[0] != schema):  # one that has travelled is another object
            text = f"{schema.model_dump_json(include=_WHAT_COUNTS)} {self._implementation(schema)}"
            known = self._tools[schema.tool] = (schema, hashlib.sha256(text.encode()).hexdigest())
        return known[1]


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key, the files that it stands for as they were when it was made, and the keys of the inner results in it."""

    key: str
    files: Mapping[str, Content]
    results: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Identities of values, and what was looked at for them."""

    digests: FileDigests
    files: dict[str, Content] = field(default_factory=dict)
    results: set[str] = field(default_factory=set)

    def identity(self, value: Any) -> Any:
        """A value as plain data that is equal exactly where a tool could not tell the difference."""
        if not isinstance(value, Artifact):
            return value
        made_by = node_key(value)
        if made_by is not None:
            self.results.add(made_by)
            return [value.type, value.key, value.band]
        content: Any
        if value.items:
            content = [self.identity(item) for item in value.items]
        elif value.members:
            content = {name: self.identity(member) for name, member in value.members.items()}
        elif value.path is not None:
            content = [self._digest(value.path), value.band]
        else:
            content = value.value
        return [value.type, content, _said(value)]

    def on_disk(self, names: list[Any]) -> list[str | None]:
        """Files that are given by their names alone count by content; what names none counts as the text it is.

        No text is the name of no file: as a path it would be the folder where the command runs.
        """
        found: list[str | None] = []
        for name in names:
            try:
                found.append(self._digest(name) if isinstance(name, str) and name else None)
            except DataNotFoundError:
                self.files[name] = NOTHING
                found.append(None)
        return found

    def model(self, name: str) -> list[Any]:
        """A model given by name or file: its card and its ONNX file count by content."""
        from knowflow.knowledge.models import files_of

        return [name, *(self._digest(str(file)) for file in files_of(name))]

    def _digest(self, path: str) -> str | None:
        if path not in self.files:
            self.files[path] = self.digests.look(path)
        return self.files[path].digest


def _said(artifact: Artifact) -> dict[str, Any]:
    """Facts that the content alone does not imply: said by a user, a file name, a sidecar, a default."""
    return {name: fact.value for name, fact in artifact.facts.items() if fact.origin is not Origin.MEASURED}


def derived_key(key: str, output: str) -> str:
    """The key of one output of a node."""
    return f"{DERIVED}{key}:{output}"


def node_key(artifact: Artifact) -> str | None:
    """The key of the node that made an artifact; None of what no node made."""
    if artifact.key is None or not artifact.key.startswith(DERIVED):
        return None
    return artifact.key.removeprefix(DERIVED).partition(":")[0]


def canonical(value: Any) -> str:
    """One text for equal values: mappings sorted, whole floats as integers, any sequence a list."""
    return json.dumps(_canonical(value), sort_keys=True, separators=(",", ":"))


def _canonical(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {str(name): _canonical(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    if hasattr(value, "tolist"):
        return _canonical(value.tolist())
    return [type(value).__name__, str(value)]
