"""Polygons of a vector file, in the CRS of a raster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DataNotFoundError, MissingFactError, ToolError, UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Grid


@dataclass(frozen=True, slots=True)
class Polygons:
    """Shapely polygons in one CRS, with a spatial index over them."""

    shapes: tuple[Any, ...]
    tree: Any
    bounds: geo.Box

    def cover(self, grid: Grid, all_touched: bool = False) -> NDArray[np.bool_]:
        """True for the pixels of a grid whose centre lies in a polygon (``all_touched``: that one touches)."""
        from rasterio.features import geometry_mask
        from shapely.geometry import box

        near = [self.shapes[number] for number in sorted(self.tree.query(box(*grid.bounds)))]
        if not near:
            return np.zeros(grid.shape, dtype=np.bool_)
        covered = geometry_mask(near, grid.shape, grid.transform, all_touched=all_touched, invert=True)
        return np.asarray(covered, dtype=np.bool_)


def read_polygons(vector: Artifact, crs: str) -> Polygons:
    """The polygons of a vector file in a CRS.

    Raises ``DataNotFoundError`` or ``UnreadableDataError`` naming the file, ``MissingFactError`` where its CRS is not
    known, ``ToolError`` where it holds no polygon.
    """
    import shapely

    path = str(vector.path)
    found, own = _read(path)
    stated = vector.fact("crs") or own
    if stated is None:
        raise MissingFactError(
            "the CRS of the polygons is unknown", where=path, expected="a CRS", hint="say it: --assume crs=EPSG:4326"
        )
    shapes = [shape for shape in shapely.from_wkb(found) if shape is not None and not shape.is_empty]
    shapes = [shape for shape in shapes if shape.geom_type in ("Polygon", "MultiPolygon")]
    if not shapes:
        raise ToolError("there is no polygon", where=path, expected="polygons", found=f"{len(found)} other features")
    placed = tuple(moved(shape, str(stated), crs) for shape in shapes)
    west, south, east, north = (float(edge) for edge in shapely.total_bounds(placed))
    return Polygons(placed, shapely.STRtree(placed), (west, south, east, north))


def _read(path: str) -> tuple[Any, str | None]:
    """Geometries as WKB, and the CRS of a vector file's first layer."""
    from knowflow.ground.vectors import DataSourceError, read

    if not Path(path).exists():
        raise DataNotFoundError("the file does not exist", where=path, hint="check the path and the data folder")
    check_opening(path)
    try:
        meta, _, geometries, _ = read(path, columns=[])
    except DataSourceError as error:
        raise UnreadableDataError(
            "the polygons cannot be read", where=path, expected="a vector file that GDAL knows", found=str(error)
        ) from error
    return geometries, meta["crs"]


def moved(shape: Any, source: str, target: str) -> Any:
    """A shape in another CRS; its edges are cut finely before, because straight lines there are not straight here."""
    if geo.same_crs(source, target):
        return shape
    import shapely

    west, south, east, north = shape.bounds
    fine = shapely.segmentize(shape, max(east - west, north - south) / 100 or 1.0)
    transformer = geo.transformer_between(source, target)
    return shapely.transform(fine, transformer.transform, interleaved=False)
