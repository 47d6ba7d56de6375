"""Which rows of a table are meant: those of some names, or of a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.row_times import ends_of, row_times
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Expression, Polygons
from knowflow.question.times import Times
from knowflow.reason.compiling.made import refuse
from knowflow.reason.polygon_files import columns_of


def rows_then(e: Expression, rows: Sequence[int], columns: Mapping[str, Sequence[Any]], when: Times) -> dict[str, Any]:
    """Rows of a time, as a tool is told of them.

    Raises:
        NotCompiledError: nothing tells when they were, or none was then.
    """
    found = row_times(columns)
    if found is None:
        raise refuse(e, "rows of which no column tells when each was", "ask for all of them")
    grain, told = found
    held = {one: all(when.holds(day) for day in ends_of(one)) for one in {told[row] for row in rows} - {""}}
    if not any(held.values()):
        there = f"{min(held)} to {max(held)}" if held else "none of a time"
        raise PlanningError("there are no rows of that time", expected=str(when), found=there)
    return {"attribute": grain, "grain": grain, "values": sorted(one for one, there in held.items() if there)}


def rows_of_names(e: Polygons, table: Artifact) -> tuple[int, ...]:
    """The rows of some names, each a text of any column; all without names.

    Raises:
        PlanningError: there is no row of a name.
    """
    texts = {
        name: ["" if one is None else str(one).strip() for one in told] for name, told in columns_of(table).items()
    }
    absent = [name for name in e.names if not any(name in told for told in texts.values())]
    if absent:
        raise PlanningError("there are no such rows", expected=f"names in {table.name}", found=", ".join(absent))
    count = len(next(iter(texts.values()), ()))
    return tuple(row for row in range(count) if not e.names or any(told[row] in e.names for told in texts.values()))


def linked_by(
    columns: Mapping[str, Sequence[Any]], names: Sequence[str], required: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The column that tells of features by their names, all that are ``required`` among them, and which of these it
    holds; None where none does."""
    there = {name: {str(one).strip() for one in told if isinstance(one, str)} for name, told in columns.items()}
    found = [(len(held.intersection(names)), name) for name, held in there.items() if held.issuperset(required)]
    most, by = max(found, default=(0, ""), key=lambda one: one[0])
    return (by, tuple(one for one in dict.fromkeys(names) if one in there[by])) if most else None
