"""Whether runs are learned from, and whether a person is asked first."""

from __future__ import annotations

import os
from typing import get_args

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root, user_root
from knowflow.knowledge.documents import load_model
from knowflow.memory.learning import Mode
from knowflow.model.tool import Document

VARIABLE = "KNOWFLOW_MEMORY"
SETTINGS_FILE = "memory.yaml"


class MemorySettings(Document):
    """The settings file, ``memory.yaml`` in the project's ``.knowflow/`` or the user's folder."""

    learning: Mode = Field("automatic", description="automatic, review (a person approves first), or off")


def mode() -> Mode:
    """How runs are learned from: as the environment says, else the project's settings, else the user's.

    Raises:
        DocumentError: what is set is no such mode.
    """
    said = os.environ.get(VARIABLE, "").strip().casefold()
    if said:
        for one in get_args(Mode):
            if said == one:
                return one  # type: ignore[no-any-return]  # is one of them
        problem = Problem("bad_value", f"one of {', '.join(get_args(Mode))}", repr(said), where=VARIABLE)
        raise DocumentError("nobody knows how runs are to be learned from", where=VARIABLE, problems=(problem,))
    project = project_root()
    for folder in (*([project] if project is not None else []), user_root()):
        file = folder / SETTINGS_FILE
        if file.is_file():
            loaded = load_model(file, MemorySettings)
            if loaded.model is None:
                raise DocumentError("the settings of memory are not valid", where=str(file), problems=loaded.problems)
            return loaded.model.learning
    return "automatic"
