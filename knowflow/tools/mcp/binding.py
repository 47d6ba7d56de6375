"""Tools that another server carries out: artifacts as files that say what is known, results in the form of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextvars import copy_context
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolCrashError, ToolTimeoutError
from knowflow.ground.json_text import strict
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.tools.context import check_cancelled, lasting, report_progress
from knowflow.tools.gdal.inputs import Desk, paths
from knowflow.tools.gdal.outputs import deliver_file, deliver_raster
from knowflow.tools.mcp.connection import connected
from knowflow.tools.mcp.servers import identity, server_of, target_of
from knowflow.tools.raster.source import handles


def bind(schema: ToolSchema) -> Callable[..., Any]:
    """The function behind a tool with ``run: mcp:SERVER/TOOL``; it takes the tool's parameters by name.

    Files are handed over by name: the file itself where its header says all that is known of it, else a small VRT that
    does; a series as a list of names. What the server writes is delivered like any result of ours: statistics measured,
    facts those of the schema's effects.

    Raises:
        UnknownNameError: no server of that name is configured.
        DocumentError: a file that names servers is not valid.
    """
    entry, folder = server_of(schema)
    server, name = target_of(schema)
    reached_by = server, identity(schema)
    seconds = schema.timeout_s or entry.timeout_s

    def tool(**arguments: Any) -> Any:
        check_cancelled()
        outputs = {key: Path(arguments[key]) for key, one in schema.parameters.items() if one.role == "output"}
        beside = next(iter(outputs.values())).parent if outputs else None
        heard = copy_context()
        with tempfile.TemporaryDirectory(prefix=".mcp-", dir=beside) as scratch, handles() as opened, lasting() as kept:
            desk = Desk(Path(scratch), opened)
            written = {key: Path(scratch) / path.name for key, path in outputs.items()}
            values = {key: _handed(one, key, desk) for key, one in arguments.items() if one is not None}
            given = strict(values | {key: str(path) for key, path in written.items()})
            try:
                reached = kept.get(reached_by, lambda: connected(server, entry, folder))
                value = reached.call(name, given, seconds, lambda share: heard.run(report_progress, share))
            except (ToolCrashError, ToolTimeoutError):
                kept.drop(reached_by)  # the next attempt is at a server that is started anew
                raise
            for key, path in outputs.items():
                _deliver(schema, key, written[key], path, arguments)
        report_progress(1.0)
        return None if schema.returns is None else value

    tool.__name__ = schema.tool
    tool.__doc__ = schema.title
    return tool


def _handed(value: Any, name: str, desk: Desk) -> Any:
    """An argument as the server gets it: files by name, bands of a set by band, everything else plain."""
    if isinstance(value, Mapping):
        return {key: _handed(item, name, desk) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_handed(item, name, desk) for item in value]
    if not isinstance(value, Artifact):
        return value
    found = list(paths(value, name, desk))
    return found if value.parts() else found[0]


def _deliver(schema: ToolSchema, name: str, scratch: Path, path: Path, arguments: Mapping[str, Any]) -> None:
    if schema.parameters[name].produces == "raster":
        deliver_raster(schema, name, scratch, path, arguments)
    elif scratch.exists() or not schema.parameters[name].optional:
        deliver_file(scratch, path)
