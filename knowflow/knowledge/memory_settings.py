"""Whether runs are learned from, whether a person is asked first, and where what was learned is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root, user_root
from knowflow.knowledge.documents import load_model
from knowflow.model.tool import Document

Mode = Literal["automatic", "review", "off"]

VARIABLE = "KNOWFLOW_MEMORY"
SETTINGS_FILE = "memory.yaml"


class MemorySettings(Document):
    """The settings file, ``memory.yaml`` in the project's ``.knowflow/`` or the user's folder."""

    learning: Mode = Field("automatic", description="automatic, review (a person approves first), or off")
    database: str = Field("", description="URL of a database of several machines, for what is learned")
    project: str = Field(
        "", pattern="^([A-Za-z0-9][A-Za-z0-9._-]{0,59})?$", description="name of the project, the same on all machines"
    )


def mode() -> Mode:
    """How runs are learned from: as the environment says, else the project's settings, else the user's.

    Raises:
        DocumentError: what is set is no such mode.
    """
    said = _said()
    if not said or "://" in said:
        return _settings().learning
    for one in get_args(Mode):
        if said.casefold() == one:
            return one  # type: ignore[no-any-return]  # is one of them
    expected = f"one of {', '.join(get_args(Mode))}, or the URL of a database"
    problem = Problem("bad_value", expected, repr(said), where=VARIABLE)
    raise DocumentError("nobody knows how runs are to be learned from", where=VARIABLE, problems=(problem,))


def database() -> str:
    """The URL of the database for what is learned; nothing where the home folder has it.

    Raises:
        DocumentError: the settings are not valid.
    """
    said = _said()
    return said if "://" in said else _settings().database


def named_project(start: Path | None = None) -> str:
    """The name that the settings of a project give it; nothing where they give none.

    Raises:
        DocumentError: the settings are not valid.
    """
    root = project_root(start)
    return "" if root is None else _settings_in(root).project


def _said() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _settings() -> MemorySettings:
    """Those of the project, else the user's."""
    project = project_root()
    folders = (*([project] if project is not None else []), user_root())
    return _settings_in(next((one for one in folders if (one / SETTINGS_FILE).is_file()), folders[0]))


def _settings_in(folder: Path) -> MemorySettings:
    file = folder / SETTINGS_FILE
    if not file.is_file():
        return MemorySettings()  # type: ignore[call-arg]  # each has a default
    loaded = load_model(file, MemorySettings)
    if loaded.model is None:
        raise DocumentError("the settings of memory are not valid", where=str(file), problems=loaded.problems)
    return loaded.model
