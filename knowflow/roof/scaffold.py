"""New templates: a commented one that runs as it stands, written where the user's own knowledge lives."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.resources import project_root, user_root

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class ExistsError(KnowFlowError):
    """A file of that name is there already, and nothing is overwritten."""

    code = "exists"


class BadNameError(KnowFlowError):
    """A name does not have the form that names of its kind have."""

    code = "bad_name"


def write_template(name: str, folder: Path | None = None) -> Path:
    """Write a new template into the project's ``.knowflow/templates``, where there is one, else the user's.

    Raises ``ExistsError`` where the file exists already.
    """
    text = files("knowflow.roof").joinpath("new_template.yaml").read_text("utf-8").replace("NAME", name)
    return put_template(name, text, folder)


def put_template(name: str, text: str, folder: Path | None = None) -> Path:
    """Write the text of a template where :func:`write_template` does.

    Raises ``BadNameError`` for a name that no template can have, ``ExistsError`` where the file exists already.
    """
    if _NAME.fullmatch(name) is None:
        raise BadNameError(
            "a template cannot have this name",
            expected="lower case letters, digits and _, beginning with a letter",
            found=repr(name),
        )
    home = folder or (project_root() or user_root()) / "templates"
    path = home / f"{name}.yaml"
    home.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        hint = "edit it, or choose another name"
        raise ExistsError("the template exists already", where=str(path), hint=hint) from None
    return path
