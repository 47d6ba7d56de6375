"""Processes of others as templates, written where one's own knowledge lives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.ground.yaml_text import written
from knowflow.roof.exports.openeo import COLLECTIONS, template_of
from knowflow.roof.scaffold import put_template


def imported(file: Path, name: str | None = None) -> Path:
    """Write a process of openEO, or a bare process graph, as a template; its file.

    Raises:
        DataNotFoundError, UnreadableDataError: there is no such file, or it is no JSON of that kind.
        NotExpressibleError: a node has no counterpart.
        ExistsError, BadNameError: there is such a template, or none can be called so.
    """
    document = _read(file)
    called = name or re.sub(r"\W+", "_", str(document.get("id") or file.stem).casefold()).strip("_")
    beside = file.with_name(COLLECTIONS)
    collections = _read(beside)["process_graph"] if beside.is_file() and beside != file else {}
    return put_template(called, written(template_of(document, called, collections)))


def _read(file: Path) -> Mapping[str, Any]:
    expected = "a user-defined process of openEO (JSON)"
    try:
        found = json_value(file.read_bytes())
    except FileNotFoundError as error:
        raise DataNotFoundError("there is no such file", where=str(file), expected=expected, found="nothing") from error
    except (ValueError, OSError) as error:
        raise UnreadableDataError(
            "this cannot be read as a process", where=str(file), expected=expected, found=str(error)
        ) from error
    if not isinstance(found, Mapping):
        raise UnreadableDataError("this is no process", where=str(file), expected=expected, found="other JSON")
    return found if "process_graph" in found else {"process_graph": found}
