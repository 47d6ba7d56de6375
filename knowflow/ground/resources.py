"""Where authored knowledge lives: the project's ``.knowflow/``, the user's folder, then what is packaged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["schemas", "templates", "pkb", "flows", "models", "benchmarks"]
Layer = Literal["project", "user", "packaged"]


@dataclass(frozen=True, slots=True)
class Resource:
    """One authored file, with the layer of the search path it came from."""

    path: Path
    root: Path
    layer: Layer

    @property
    def relative(self) -> str:
        return self.path.relative_to(self.root).as_posix()


def packaged_root(kind: Kind) -> Path:
    """The packaged folder of a kind: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / kind
    return installed if installed.is_dir() else package.parent / kind


def project_root(start: Path | None = None) -> Path | None:
    """The nearest ``.knowflow/`` folder at or above ``start`` (default: the current directory)."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        candidate = folder / ".knowflow"
        if candidate.is_dir():
            return candidate
    return None


def user_root() -> Path:
    """The user's folder for knowledge and settings (``KNOWFLOW_CONFIG`` overrides it)."""
    configured = os.environ.get("KNOWFLOW_CONFIG")
    if configured:
        return Path(configured)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "knowflow"


def state_home() -> Path:
    """Where runs, cache and the local server keep their state (``KNOWFLOW_HOME`` overrides it)."""
    configured = os.environ.get("KNOWFLOW_HOME")
    if configured:
        return Path(configured).resolve()
    project = project_root()
    if project is not None:
        return project
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "knowflow"


def search_path(kind: Kind) -> tuple[tuple[Layer, Path], ...]:
    """The folders of a kind that exist, strongest first."""
    folders: list[tuple[Layer, Path]] = []
    project = project_root()
    if project is not None:
        folders.append(("project", project / kind))
    folders.append(("user", user_root() / kind))
    folders.append(("packaged", packaged_root(kind)))
    return tuple((layer, folder) for layer, folder in folders if folder.is_dir())


def resources(kind: Kind, pattern: str = "**/*.yaml") -> Iterator[Resource]:
    """Every authored file of a kind, strongest layer first, in a stable order."""
    for layer, folder in search_path(kind):
        for path in sorted(folder.glob(pattern)):
            yield Resource(path=path, root=folder, layer=layer)
