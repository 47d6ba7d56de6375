"""Features of a file: which of them are meant, and what each is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.ground.columns import distinct, row_field
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Polygons
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import refuse
from knowflow.reason.polygon_files import columns_of

MOST = 1000
"""Features of which a number each is kept."""


@dataclass(frozen=True, slots=True)
class Objects:
    """Features: the file that holds them, the names of those that are meant, what each is called, the attribute that
    says it, whether they are points, and their rows in the file, where each has a name of its own.

    Where only the run finds which they are, ``at_run``, the names and rows are those of all that they may be."""

    bound: Bound
    names: tuple[str, ...]
    keys: tuple[str, ...]
    by: str
    points: bool
    rows: tuple[int, ...] = ()
    at_run: bool = False

    @property
    def given(self) -> Mapping[str, Any]:
        """As a tool is told of them."""
        return {"features": self.bound} | ({"names": list(self.names)} if self.names else {})


def called_in(e: Polygons, vector: Artifact) -> tuple[str, tuple[str, ...]]:
    """The attribute that tells the features of a file apart, or by which they are taken together, and what those that
    are meant are called. Without one they are called by their names, as far as these differ, and by their number.

    Raises:
        PlanningError: there is no such attribute or name, or there are too many to keep apart.
    """
    fields, texts = columns_of(vector, most=None), texts_of(vector)
    meant = meant_by_name(e, vector, texts)
    absent = [name for name in e.names if not any(name in column for column in texts.values())]
    if absent or (e.by is not None and e.by not in fields):
        expected = f"an attribute of {vector.name}" if e.by is not None else f"names in {vector.name}"
        found = ", ".join(absent) or str(e.by)
        raise PlanningError("there are no such features", where=e.op, expected=expected, found=found)
    if e.by is not None:
        called, keys = e.by, distinct([fields[e.by][row] for row in meant])
    else:
        called = row_field(fields) or ""
        names = [texts[called][row] for row in meant] if called else [""] * len(meant)
        keys = distinct(names)
        if len(keys) < len(meant):  # each counts for itself, whatever it is called
            called, keys = "", tuple(f"{name} ({n})".lstrip() for n, name in enumerate(names, start=1))
    if len(keys) > MOST:
        raise refuse(e, f"{len(keys)} features, each with a number of its own", "name some of them")
    return called, keys


def texts_of(vector: Artifact) -> Mapping[str, list[str]]:
    """The attributes of a file as texts."""
    columns = columns_of(vector, most=None)
    return {name: ["" if one is None else str(one).strip() for one in column] for name, column in columns.items()}


def meant_by_name(e: Polygons, vector: Artifact, texts: Mapping[str, list[str]]) -> list[int]:
    """The rows of the features of these names, which are texts of any attribute; all without names."""
    rows = range(int(vector.fact("features") or len(next(iter(texts.values()), []))))
    return [row for row in rows if not e.names or any(column[row] in e.names for column in texts.values())]
