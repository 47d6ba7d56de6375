"""Vector files that tools write: geometries with attributes, in the CRS of a raster."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.tools.raster import Grid

_NUMBERS = {"f": np.float64, "i": np.int64, "u": np.int64, "b": np.int32}


def write_features(
    path: Path, geometries: Sequence[Any], fields: Mapping[str, Sequence[Any]], crs: str | None, kind: str, layer: str
) -> None:
    """Write shapely geometries of one ``kind`` (``Point``, ``Polygon``) as a GeoPackage; also where there are none.

    The geometries are in the CRS; without one they are in pixels, and so they are written. One may have no place: None.
    """
    import shapely

    from knowflow.ground.vectors import DataSourceError, write

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # pyogrio's, where nothing has a place
            write(
                path,
                geometry=np.array(shapely.to_wkb(list(geometries)), dtype=object).reshape(len(geometries)),
                field_data=[_column(values) for values in fields.values()],
                fields=list(fields),
                crs=crs,
                geometry_type=kind,
                driver="GPKG",
                layer=layer,
            )
    except DataSourceError as error:
        raise ToolError("the features cannot be written", where=str(path), found=str(error)) from error


def _column(values: Sequence[Any]) -> NDArray[Any]:
    values = [str(one) if isinstance(one, date) else one for one in values]
    found = np.asarray(values)
    return (
        found.astype(_NUMBERS[found.dtype.kind]) if found.dtype.kind in _NUMBERS else np.asarray(values, dtype=object)
    )


def boxes_on_map(boxes: NDArray[np.float64], grid: Grid) -> list[Any]:
    """Polygons of boxes x1, y1, x2, y2 in pixels; where nothing is known of the place, in pixels too, y downward."""
    import shapely

    x1, y1, x2, y2 = boxes.reshape(-1, 4).T
    corners = np.stack([np.stack([x1, y1]), np.stack([x2, y1]), np.stack([x2, y2]), np.stack([x1, y2])]).transpose(
        2, 0, 1
    )
    a, b, c, d, e, f = grid.transform[:6]
    x, y = corners[..., 0], corners[..., 1]
    return list(shapely.polygons(np.stack([a * x + b * y + c, d * x + e * y + f], axis=-1))) if len(boxes) else []
