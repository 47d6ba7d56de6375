"""Which file of polygons a question means, where a folder holds several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from knowflow.ground.errors import PlanningError, UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Polygons
from knowflow.reason.vector_shapes import has_polygons

_MOST_FEATURES = 500


def columns_of(vector: Artifact, most: int | None = _MOST_FEATURES) -> dict[str, list[Any]]:
    """The attributes of the first features of a vector, or of all; none of a file that cannot be read."""
    from knowflow.ground.vectors import DataLayerError, DataSourceError, read

    most = most if vector.type == "vector" and vector.fact("geometry") is not None else None  # rows of a table are all
    with suppress(UnreadableDataError, DataSourceError, DataLayerError):
        check_opening(str(vector.path))
        meta, _, _, columns = read(vector.path, read_geometry=False, max_features=most)
        return {str(name): column.tolist() for name, column in zip(meta["fields"], columns, strict=True)}
    return {}


_YES_AND_NO = frozenset(
    ("yes", "no", "y", "n", "true", "false", "t", "f", "ja", "nein", "oui", "non", "si", "sí", "sim", "não", "")
)


def texts_among(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Those that hold words; yes and no are none by which features are called, or which they are told apart by."""
    texts = {name: [one for one in values if isinstance(one, str)] for name, values in columns.items()}
    return {
        name: columns[name] for name, told in texts.items() if told and not _YES_AND_NO.issuperset(map(_plain, told))
    }


def _plain(text: str) -> str:
    return text.strip().casefold()


def rows_of_table(tables: Iterable[Artifact], layer: str) -> Artifact | None:
    """The table of a name, as features without a place."""
    found = [one for one in tables if one.path is not None and PurePath(one.path).name == layer]
    return replace(found[0], type="vector", name=layer) if len(found) == 1 else None


def polygon_file(where: Polygons, files: Iterable[Artifact], there: str) -> Artifact:
    """The one file that holds the features that are meant: that of the layer that is named, or the one with such names
    or such an attribute, polygons before points; ``there`` is all that there is.

    Raises:
        PlanningError: there is none, or there are several.
    """
    every = list(files)
    found = [one for one in every if one.fact("features") != 0]
    if where.layer is not None:
        found = [one for one in found if one.name == where.layer]
        if not found:
            held = ", ".join(sorted(one.name for one in every if one.fact("features") != 0)) or "no vector file"
            empty = f"{where.layer}, which holds none" if where.layer in {one.name for one in every} else where.layer
            raise PlanningError("there is no such layer of features", expected=held, found=empty)
    elif len(every) > 1:
        found = [one for one in found if one.fact("quantity") is None] or found
        named = where.names or where.by is not None
        holding = [one for one in found if named and _holds(one, where)]
        found = [one for one in holding or found if has_polygons(one)] or holding
    if not found:
        raise PlanningError("there are no polygons", expected="a vector file of polygons", found=there)
    if len(found) > 1:
        raise PlanningError(
            "several files hold polygons, and the question does not say which are meant",
            expected="the polygons of one file",
            found=", ".join(sorted(one.name for one in found)),
            hint="ask for each of them by the name of its file, or leave one file in the folder",
        )
    return found[0]


def _holds(vector: Artifact, where: Polygons) -> bool:
    columns = texts_among(columns_of(vector))
    texts = {str(text).strip() for column in columns.values() for text in column if text is not None}
    return texts.issuperset(where.names) and (where.by is None or where.by in columns)
