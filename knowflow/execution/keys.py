"""What identifies a result: the tool as it is, its parameters, and where its inputs came from.

Two results have one key exactly when nothing that could make them differ differs. External files count by content,
results of other nodes by their own keys.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from knowflow import __version__
from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.tool import ToolSchema

DERIVED = "derived:"
_COMPANIONS = (".aux.xml", ".msk", ".ovr")
_STEM_COMPANIONS = {
    ".shp": (".shx", ".dbf", ".prj", ".cpg"),
    ".tif": (".tfw", ".prj"),
    ".tiff": (".tfw", ".prj"),
    ".jp2": (".j2w",),
    ".img": (".hdr", ".ige"),
    ".bil": (".hdr",),
    ".dat": (".hdr",),
}
# of a schema: what decides the numbers, the facts said of them, and whether they may be made at all
_WHAT_COUNTS = {"tool", "version", "parameters", "returns", "preconditions", "effects", "run"}
# a file changed this recently may change again within the resolution of its time stamp: not memoised
_SETTLED_NS = 2_000_000_000


class FileDigests:
    """Content digests of files, remembered by path, size and times of change across processes.

    What copies a file with its old time of modification (``cp -p``, ``rsync -t``, an archive) does not set the time at
    which the system noted the change: both count.

    ``told`` has those that were asked for here, by path as it was given.
    """

    def __init__(self, database: Path) -> None:
        database.parent.mkdir(parents=True, exist_ok=True)
        self._database = database
        self._locks: dict[str, threading.Lock] = {}
        self.told: dict[str, str] = {}
        try:
            self._prepare()
        except sqlite3.OperationalError:  # in use for too long, or not to be written: no damage
            raise
        except sqlite3.DatabaseError:  # damaged: all that it remembers can be found out again
            database.unlink(missing_ok=True)
            self._prepare()

    def _prepare(self) -> None:
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS content (path TEXT PRIMARY KEY, stamp TEXT, digest TEXT)")

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._database, timeout=60)

    def digest(self, path: str) -> str:
        """The digest of a file with its companions (world file, sidecar...), or of everything in a folder.

        ``path`` may be one that only GDAL reads (``/vsizip/scene.zip/band.tif``): then the file around it counts.

        Raises:
            DataNotFoundError: there is no such file.
            UnreadableDataError: it cannot be read.
        """
        target = _on_disk(path)
        try:
            if target.is_dir():
                parts = [(file.relative_to(target).as_posix(), file) for file in sorted(target.rglob("*"))]
                files = [(name, file) for name, file in parts if file.is_file()]
            else:
                files = [(file.suffix if index else "", file) for index, file in enumerate(_with_companions(target))]
            self.told[path] = _combined([(name, self._one(file)) for name, file in files])
            return self.told[path]
        except PermissionError as error:
            raise UnreadableDataError(f"cannot read {path}", found=str(error.strerror)) from error
        except FileNotFoundError as error:
            raise _gone(path) from error

    def _one(self, file: Path) -> str:
        name = str(file.resolve())
        with self._locks.setdefault(name, threading.Lock()):
            state = os.stat(file)
            stamp = _stamp(state)
            with closing(self._connect()) as connection:
                row = connection.execute("SELECT stamp, digest FROM content WHERE path = ?", (name,)).fetchone()
            if row is not None and row[0] == stamp:
                return str(row[1])
            with file.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            unchanged = _stamp(os.stat(file)) == stamp
            if unchanged and time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > _SETTLED_NS:
                with closing(self._connect()) as connection, connection:
                    connection.execute("INSERT OR REPLACE INTO content VALUES (?, ?, ?)", (name, stamp, found))
            return found


def _stamp(state: os.stat_result) -> str:
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"


def _on_disk(path: str) -> Path:
    """The file or folder behind a path, also behind GDAL's ``/vsi.../`` prefixes and ``DRIVER:"file":layer``."""
    for candidate in _candidates(path):
        if candidate.exists():
            return candidate
    raise _gone(path)


def _candidates(path: str) -> Iterator[Path]:
    yield Path(path)
    if path.startswith("/vsi"):
        inner = path
        while inner.startswith("/vsi"):
            inner = inner.partition("/vsi")[2].partition("/")[2]
        for text in (inner, f"/{inner}"):
            yield Path(text)
            yield from (parent for parent in Path(text).parents if parent.is_file())
    for part in path.replace('"', "").split(":"):
        if len(part) > 1:
            yield Path(part)


def _gone(path: str) -> DataNotFoundError:
    return DataNotFoundError(
        f"no file {path}", expected="the file that the plan names", hint="plan again, or put the file back"
    )


def _with_companions(file: Path) -> Iterator[Path]:
    yield file
    if file.suffix.lower() == ".vrt":
        yield from _sources_of_vrt(file)
    names = [f"{file.name}{suffix}" for suffix in _COMPANIONS]
    names += [f"{file.stem}{suffix}" for suffix in _STEM_COMPANIONS.get(file.suffix.lower(), ())]
    for name in names:
        companion = file.with_name(name)
        if companion.is_file():
            yield companion


def _sources_of_vrt(file: Path) -> Iterator[Path]:
    import rasterio

    with rasterio.open(file) as dataset:
        for name in dataset.files:
            if Path(name).is_file() and not os.path.samefile(name, file):
                yield Path(name)


def _combined(parts: list[tuple[str, str]]) -> str:
    if len(parts) == 1:
        return parts[0][1]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class Keyring:
    """Makes derivation keys. ``implementation`` tells the digest of what a tool schema runs."""

    def __init__(self, digests: FileDigests, implementation: Callable[[ToolSchema], str]) -> None:
        self._digests = digests
        self._implementation = implementation
        self._tools: dict[str, tuple[ToolSchema, str]] = {}

    def key(self, schema: ToolSchema, arguments: Mapping[str, Any]) -> str:
        """The key (hex SHA-256) of what a tool makes of arguments; paths of outputs do not count.

        Raises:
            DataNotFoundError, UnreadableDataError: an external input is not there, or not readable.
        """
        inputs = {
            name: self._identity(value)
            for name, value in arguments.items()
            if name in schema.inputs and value is not None
        }
        for name, parameter in schema.inputs.items():
            named = arguments.get(name) or parameter.default
            if parameter.type == "model" and isinstance(named, str):
                inputs[name] = self._model(named)
            elif parameter.type in ("path", "strings") and named:
                inputs[f"{name}, on disk"] = self._on_disk([named] if isinstance(named, str) else list(named))
        document = ["knowflow", __version__, schema.tool, schema.version, self._tool(schema), inputs]
        return hashlib.sha256(canonical(document).encode()).hexdigest()

    def _tool(self, schema: ToolSchema) -> str:
        known = self._tools.get(schema.tool)
        if known is None or known[0] is not schema:
            text = f"{schema.model_dump_json(include=_WHAT_COUNTS)} {self._implementation(schema)}"
            known = self._tools[schema.tool] = (schema, hashlib.sha256(text.encode()).hexdigest())
        return known[1]

    def _identity(self, value: Any) -> Any:
        """A value as plain data that is equal exactly where a tool could not tell the difference."""
        if not isinstance(value, Artifact):
            return value
        if value.key is not None and value.key.startswith(DERIVED):
            return [value.type, value.key, value.band]
        content: Any
        if value.items:
            content = [self._identity(item) for item in value.items]
        elif value.members:
            content = {name: self._identity(member) for name, member in value.members.items()}
        elif value.path is not None:
            content = [self._digests.digest(value.path), value.band]
        else:
            content = value.value
        return [value.type, content, _said(value)]

    def _on_disk(self, names: list[Any]) -> list[str | None]:
        """Files that are given by their names alone count by content; what names none counts as the text it is."""
        found: list[str | None] = []
        for name in names:
            try:
                found.append(self._digests.digest(name) if isinstance(name, str) else None)
            except DataNotFoundError:
                found.append(None)
        return found

    def _model(self, name: str) -> list[Any]:
        """A model given by name or file: its card and its ONNX file count by content."""
        from knowflow.knowledge.models import files_of

        return [name, *(self._digests.digest(str(file)) for file in files_of(name))]


def _said(artifact: Artifact) -> dict[str, Any]:
    """Facts that the content alone does not imply: said by a user, a file name, a sidecar, a default."""
    return {name: fact.value for name, fact in artifact.facts.items() if fact.origin is not Origin.MEASURED}


def derived_key(key: str, output: str) -> str:
    """The key of one output of a node."""
    return f"{DERIVED}{key}:{output}"


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
