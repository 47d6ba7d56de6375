"""``mcp.yaml``: the servers whose tools may be nodes, of the project's ``.knowflow/`` and of the user's folder.

Like the Python tools of a project its servers are programs that run on this machine, when a plan uses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root, user_root
from knowflow.ground.spelling import did_you_mean
from knowflow.knowledge.documents import load_model
from knowflow.model.tool import Document, ToolSchema

FILE = "mcp.yaml"
_FORM = "run: mcp:SERVER/TOOL"


class ServerEntry(Document):
    """How one server is reached: a command that is started in the folder of ``mcp.yaml``, or an address."""

    command: tuple[str, ...] = Field((), description="program and arguments of a server that talks over its streams")
    url: str = Field("", description="address of a server that talks streamable HTTP")
    env: dict[str, str] = Field(default_factory=dict, description="variables of the command beside PATH, HOME and such")
    timeout_s: float = Field(300.0, gt=0, description="seconds for one call, where the tool's schema says nothing else")
    version: str = Field("", description="another one makes new results: those that are cached are not used")


class ServersFile(Document):
    """The document ``mcp.yaml``."""

    servers: dict[str, ServerEntry]


def places() -> tuple[Path, ...]:
    """The files that name servers, the strongest first."""
    folders = [folder for folder in (project_root(), user_root()) if folder is not None]
    return tuple(folder / FILE for folder in folders if (folder / FILE).is_file())


def servers() -> Mapping[str, tuple[ServerEntry, Path]]:
    """Every server that is named, and the folder that it is started in.

    Raises:
        DocumentError: a file is not valid; every problem is listed.
    """
    found: dict[str, tuple[ServerEntry, Path]] = {}
    for path in reversed(places()):
        entries, problems = _read(path)
        if problems:
            raise DocumentError("the servers of tools are not valid", where=str(path), problems=problems)
        found |= {name: (entry, path.parent) for name, entry in entries.items()}
    return found


def server_problems(path: Path) -> list[Problem]:
    """Everything that is wrong with a file that names servers."""
    return _read(path)[1]


def _read(path: Path) -> tuple[Mapping[str, ServerEntry], list[Problem]]:
    loaded = load_model(path, ServersFile)
    entries = loaded.model.servers if loaded.model is not None else {}
    wrong = [
        loaded.document.problem(("servers", name), "bad_value", "a command or a url", "both" if one.url else "neither")
        for name, one in entries.items()
        if bool(one.command) == bool(one.url)
    ]
    return entries, [*loaded.problems, *wrong]


def target_of(schema: ToolSchema) -> tuple[str, str]:
    """The names of the server and of its tool behind a schema.

    Raises:
        UnknownNameError: ``run`` does not name both.
    """
    server, slash, tool = schema.run.removeprefix("mcp:").partition("/")
    if not (server and slash and tool):
        raise UnknownNameError(f"nothing here can run {schema.tool}", expected=_FORM, found=schema.run)
    return server, tool


def server_of(schema: ToolSchema) -> tuple[ServerEntry, Path]:
    """The server behind a schema.

    Raises:
        UnknownNameError: none of that name is configured.
        DocumentError: a file that names servers is not valid.
    """
    name, known = target_of(schema)[0], servers()
    if name not in known:
        raise UnknownNameError(
            f"no server is called {name!r}",
            where=schema.tool,
            expected=f"a server that {FILE} names: {', '.join(known) or 'none is'}",
            found=name,
            hint=did_you_mean(name, known) or f"name it in .knowflow/{FILE}; docs/mcp.md shows how",
        )
    return known[name]


def identity(schema: ToolSchema) -> str:
    """What the results of a tool depend on beside its schema: how its server is reached, and its version."""
    entry, _ = server_of(schema)
    return f"{entry.command} {entry.url} {sorted(entry.env.items())} {entry.version}"


def check_binding(schema: ToolSchema) -> list[Problem]:
    """Whether a schema names a server that is configured; no server is started for it."""
    try:
        server_of(schema)
    except DocumentError as error:
        return list(error.problems)
    except UnknownNameError as error:
        return [Problem("no_implementation", error.expected or _FORM, error.found or "", error.hint or "", "run")]
    return []
