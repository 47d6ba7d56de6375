"""Where a question is asked, as programs and people say it: a point, a file of points, a table of them."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import TypeAlias

from knowflow.execution.persist import write_json
from knowflow.ground.columns import read_table
from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.files import in_place_of_file
from knowflow.ground.places_of_rows import EAST, NORTH
from knowflow.ground.table_endings import TABLES

At: TypeAlias = "str | Path | tuple[float, float] | None"
"""A point in degrees, ``"longitude,latitude"`` or a pair; or a file of points."""
_EAST, _NORTH = (*EAST, "x"), (*NORTH, "y")


def said_place(at: At, home: Path) -> str | None:
    """A point as the command line says it, or a vector file; a table (CSV, a workbook) becomes one below ``home``.

    Raises:
        UnreadableDataError: the table has no columns of longitude and latitude, or numbers there that are none.
    """
    if at is None or isinstance(at, (str, Path)):
        path = None if at is None else Path(at)
        if path is None or path.suffix.casefold() not in TABLES or in_place_of_file(path) is not None:
            return None if at is None else str(at)
        return str(_vector_of(path, home))
    return ",".join(map(str, at))


def around_place(aoi: str | None, said: str | None) -> str | None:
    """The area in which data elsewhere are looked for: that of the question, or close around its points."""
    if said is None or aoi is not None:
        return aoi
    from knowflow.reason.points import around, place_of

    return around(place_of(said))


def _vector_of(path: Path, home: Path) -> Path:
    """A table of points as GeoJSON, with all its columns; the same file for the same table."""
    expected = f"a table (CSV, Excel, OpenDocument) with columns {_EAST[0]} and {_NORTH[0]}, in degrees"
    try:
        columns, count = read_table(path)
        name = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise UnreadableDataError(
            "the points cannot be read", where=f"--at {path}", expected=expected, found=str(error)
        ) from error
    called = {str(column).strip().casefold(): column for column in columns}
    east, north = (next((called[one] for one in names if one in called), None) for names in (_EAST, _NORTH))
    if east is None or north is None or not count:
        found = f"columns {', '.join(map(str, columns))}" if columns and count else "an empty table"
        raise UnreadableDataError("there are no points", where=f"--at {path}", expected=expected, found=found)
    features = []
    for line, row in enumerate(zip(*columns.values(), strict=True), start=2):
        values = dict(zip(columns, row, strict=True))
        place = [_degrees(values[column], path, line, most) for column, most in ((east, 180), (north, 90))]
        geometry = {"type": "Point", "coordinates": place}
        own = {column: value for column, value in values.items() if column not in (east, north)}
        features.append({"type": "Feature", "properties": own, "geometry": geometry})
    file = home / "points" / name / f"{path.stem}.geojson"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, {"type": "FeatureCollection", "features": features})
    return file


def _degrees(value: object, path: Path, line: int, most: int) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = float("nan")
    if not -most <= number <= most:
        raise UnreadableDataError(
            "not a point", where=f"--at {path}:{line}", expected=f"degrees from -{most} to {most}", found=str(value)
        )
    return number
