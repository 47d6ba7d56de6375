"""Which file of polygons a question means, where a folder holds several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from knowflow.ground.errors import PlanningError, UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.ground.spelling import says
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Polygons
from knowflow.reason.data_keys import keys_of_polygons
from knowflow.reason.vector_shapes import has_points, has_polygons

_MOST_FEATURES = 500


def text_columns(vector: Artifact) -> dict[str, list[object]]:
    """The attributes of words of the first features of a vector; none of a file that cannot be read."""
    from knowflow.ground.vectors import DataLayerError, DataSourceError, read

    with suppress(UnreadableDataError, DataSourceError, DataLayerError):
        check_opening(str(vector.path))
        meta, _, _, columns = read(vector.path, read_geometry=False, max_features=_MOST_FEATURES)
        named = zip(meta["fields"], columns, strict=True)
        return {str(name): column.tolist() for name, column in named if column.dtype == object}
    return {}


def of_named_polygons(vectors: Sequence[Artifact], question: str) -> tuple[Artifact, ...]:
    """The files of polygons whose own name, or that of an attribute, stands in a question: "each park"; all where it
    names none. Of files of points those that are named, or one of whose points is: each is the pixel it lies in."""

    def named(one: Artifact, features: bool) -> bool:
        columns = text_columns(one)
        names = [name for name, _ in keys_of_polygons(one, columns)]
        names += [str(text) for column in columns.values() for text in column if features and text is not None]
        return any(says(question, name) for name in names)

    files = [one for one in vectors if has_polygons(one) or (has_points(one) and named(one, True))]
    if len(files) < 2:
        return tuple(files)
    return tuple([one for one in files if named(one, False)] or files)


def polygon_file(where: Polygons, files: Iterable[Artifact], there: str) -> Artifact:
    """The one file that holds the polygons of these names, or has that attribute; ``there`` is all that there is.

    Raises:
        PlanningError: there is none, or there are several.
    """
    found = list(files)
    if len(found) > 1:
        found = [one for one in found if one.fact("quantity") is None] or found
        holding = [one for one in found if _holds(one, where)]
        found = holding or found
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
    columns = text_columns(vector)
    texts = {str(text).strip() for column in columns.values() for text in column if text is not None}
    return texts.issuperset(where.names) and (where.by is None or where.by in columns)
