"""Statistics by zone: polygons that cut pixels, or classes of another raster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import DataNotFoundError, MissingFactError, ToolError, UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.area import class_names
from knowflow.tools.context import check_cancelled, report_progress, tell
from knowflow.tools.kernels.distribution import Moments, weighted_quantiles
from knowflow.tools.kernels.zones import merge_classes, moments_by_class
from knowflow.tools.polygons import moved
from knowflow.tools.raster import Block, Grid, reduce_blocks
from knowflow.tools.raster.decibels import is_decibel, level_of, power, tell_power
from knowflow.tools.raster.pixel_area import pixel_area, tell_weighted, weights_of
from knowflow.tools.raster.source import Handles, Source, handles, open_source
from knowflow.tools.statistics import number_or_none
from knowflow.tools.thresholding import NEARLY_ALL

_POLYGONS, _POINTS = (3, 6), (0, 4)  # types of geometries, with those of several
_INSIDE = 1e-9  # of a pixel
STATISTICS = ("mean", "std", "minimum", "maximum", "median", "sum")
OF_CLASSES = ("count", "mean", "std", "minimum", "maximum", "sum")
_CELLS_IN_MEMORY = 4_000_000
_ZONES_AT_ONCE = 64  # what is asked of them is prepared once for so many
# exactextract's names of the statistics
_OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "mean": ("mean",),
    "std": ("stdev",),
    "minimum": ("min",),
    "maximum": ("max",),
    "median": ("median",),
    "sum": ("sum",),
}
_BY_AREA: Mapping[str, tuple[str, ...]] = {
    "mean": ("weighted_mean",),
    "std": ("weighted_stdev",),
    "median": ("values", "coverage", "weights"),
}


@dataclass(frozen=True, slots=True)
class Zones:
    """Polygons with their attributes, in one CRS. ``geometries`` are shapely's, ``fields`` one list per attribute."""

    geometries: NDArray[Any]
    fields: Mapping[str, Sequence[Any]]
    crs: str | None

    def __len__(self) -> int:
        return int(self.geometries.size)

    def only(self, kept: NDArray[np.bool_]) -> Zones:
        """Those that are marked."""
        fields = {
            name: [one for one, here in zip(column, kept, strict=True) if here] for name, column in self.fields.items()
        }
        return Zones(self.geometries[kept], fields, self.crs)


def zonal_statistics(
    raster: Artifact, zones: Artifact, statistics: Sequence[str] = STATISTICS, layer: str | None = None
) -> list[dict[str, Any]]:
    """One row per zone: its attributes, ``count`` (pixels that are data, partly covered ones in part) and statistics.

    A pixel counts by the share of it that the zone covers (exactextract); mean, std and median are weighted by what is
    covered of its true area, where pixels differ in size by more than 0.1 %. Zones in another CRS are transformed to
    the raster's. Statistics of a zone without data are None.
    """
    unknown = [name for name in statistics if name not in _OPERATIONS]
    if unknown:
        raise ToolError("unknown statistics", expected=", ".join(_OPERATIONS), found=", ".join(unknown))
    with handles() as opened:
        source = open_source(raster, opened)
        polygons = zones_on(zones, source.grid, layer)
        rows = list(_rows(source, opened, polygons, statistics))
        if is_decibel(raster):
            tell_power("the mean", raster)
            behind = _rows(source, opened, polygons, ["mean"], as_power=True)
            rows = [_of_levels(row, one["mean"]) for row, one in zip(rows, behind, strict=True)]
        return rows


def zonal_by_raster(raster: Artifact, zones: Artifact, statistics: Sequence[str] = OF_CLASSES) -> list[dict[str, Any]]:
    """One row per class of a raster on the same grid: class, name, and the statistics in the order they are told in.

    ``count`` is of pixels; only those that are data in both rasters count. Where pixels differ in size by more than
    0.1 %, mean and std are weighted by their areas; count and sum are of the pixels, each once.

    Raises:
        ToolError: there is no such statistic.
    """
    unknown = [name for name in statistics if name not in OF_CLASSES]
    if unknown:
        raise ToolError("unknown statistics", expected=", ".join(OF_CLASSES), found=", ".join(unknown))
    found = _by_class(raster, zones)
    names = class_names(zones, lambda: found)
    rows: list[dict[str, Any]] = [
        {"class": label, "name": names.get(label, "")}
        | {name: moments.total if name == "sum" else getattr(moments, name) for name in statistics}
        for label, moments in sorted(found.items())
    ]
    if is_decibel(raster):
        tell_power("the mean", raster)
        behind = _by_class(raster, zones, as_power=True)
        rows = [_of_levels(row, behind[row["class"]].mean) for row in rows]
    return rows


def _by_class(raster: Artifact, zones: Artifact, *, as_power: bool = False) -> dict[int, Moments]:
    def kernel(block: Block) -> dict[int, Moments]:
        classes = np.where(block.valid("zones"), block.raw("zones"), np.nan)
        return moments_by_class(power(block["raster"]) if as_power else block["raster"], classes, block.weights)

    start: dict[int, Moments] = {}
    return reduce_blocks(kernel, {"raster": raster, "zones": zones}, start, merge_classes)


def read_zones(vector: Artifact, layer: str | None = None, points: bool = False) -> Zones:
    """The polygons of a vector file, or with ``points`` those of a file of points alone.

    Polygons that cross themselves are mended. Raises as :func:`read_features`, and ``ToolError`` where there are none.
    """
    import shapely

    found = read_features(vector, layer)
    types, there = shapely.get_type_id(found.geometries), ~shapely.is_empty(found.geometries)
    areal = np.isin(types, _POLYGONS) & there
    if points and not areal.any():
        areal = np.isin(types, _POINTS) & there
    if not areal.any():
        raise ToolError("the zones are not polygons", where=vector.path, expected="polygons", found="none")
    return found.only(areal)


def read_features(vector: Artifact, layer: str | None = None) -> Zones:
    """All features of a vector file; polygons that cross themselves are mended.

    The CRS that the artifact knows overrides the file's. Raises ``DataNotFoundError``, ``UnreadableDataError``, or
    ``ToolError`` where it is no file.
    """
    import shapely

    from knowflow.ground.vectors import DataLayerError, DataSourceError, read

    if vector.path is None:
        raise ToolError("the zones are not a vector file", expected="vector", found=vector.type)
    if not Path(vector.path).exists():
        raise DataNotFoundError("the file does not exist", where=vector.path, hint="check the path and the data folder")
    check_opening(vector.path)
    try:
        meta, _, wkb, values = read(vector.path, layer=layer, force_2d=True)
    except (DataSourceError, DataLayerError) as error:
        raise UnreadableDataError(
            "the zones cannot be read",
            where=vector.path,
            expected="a vector file that GDAL knows, and one of its layers",
            found=str(error),
            hint="name the layer if the file has several",
        ) from error
    geometries = np.array([None] * int(len(values[0]) if len(values) else 0)) if wkb is None else shapely.from_wkb(wkb)
    fields = {str(name): column.tolist() for name, column in zip(meta["fields"], values, strict=True)}
    crs = vector.fact("crs") or meta["crs"]
    if crs is not None and len(geometries) and not geo.are_degrees(str(crs), shapely.total_bounds(geometries)):
        crs = None  # taken for granted by the format, and not so
    areal = np.isin(shapely.get_type_id(geometries), _POLYGONS)
    if areal.any():
        geometries[areal] = shapely.make_valid(geometries[areal], method="structure", keep_collapsed=False)
    return Zones(geometries, fields, None if crs is None else geo.canonical_crs(str(crs)))


def zones_on(vector: Artifact, grid: Grid, layer: str | None = None) -> Zones:
    """The zones of a vector file in the CRS of a grid: its polygons; of points the pixels that they lie in.

    Raises as :func:`read_zones` and :func:`in_crs`.
    """
    import shapely

    zones = in_crs(read_zones(vector, layer, points=True), grid)
    if not np.isin(shapely.get_type_id(zones.geometries), _POINTS).any():
        return zones
    pixels = [
        shapely.unary_union([_pixel(x, y, grid) for x, y in shapely.get_coordinates(one)]) for one in zones.geometries
    ]
    return Zones(np.array(pixels, dtype=object), zones.fields, zones.crs)


def _pixel(x: float, y: float, grid: Grid) -> Any:
    """The pixel that a point lies in, on the grid or beside it; so little smaller that no other pixel is touched."""
    import shapely

    column, row = (math.floor(one) for one in ~grid.transform @ (x, y))
    low, high = _INSIDE, 1.0 - _INSIDE
    corners = ((low, low), (high, low), (high, high), (low, high))
    return shapely.Polygon([grid.transform @ (column + right, row + down) for right, down in corners])


def in_crs(zones: Zones, grid: Grid) -> Zones:
    """The zones in the CRS of a grid; raises ``MissingFactError`` where either CRS is unknown."""
    target = grid.require_crs("a statistic by zones")
    if zones.crs is None:
        raise MissingFactError(
            "the CRS of the zones is unknown", expected="a vector file with a CRS", hint="say it: --assume crs=EPSG:..."
        )
    if zones.crs == target:
        return zones
    placed = [moved(geometry, zones.crs, target) for geometry in zones.geometries]
    return Zones(np.array(placed, dtype=object), zones.fields, target)


def _of_levels(row: dict[str, Any], mean: float | None) -> dict[str, Any]:
    """A row of statistics of decibels, with the mean of their power; they have no sum."""
    told = {"mean": None if mean is None else number_or_none(level_of(mean)), "sum": None}
    return {name: told.get(name, value) if name in STATISTICS else value for name, value in row.items()}


def _rows(
    source: Source, opened: Handles, zones: Zones, statistics: Sequence[str], *, as_power: bool = False
) -> Iterator[dict[str, Any]]:
    pixels, areas = values_of(source, opened, as_power=as_power), areas_of(source.grid)
    named = _OPERATIONS if areas is None else {**_OPERATIONS, **_BY_AREA}
    operations = dict.fromkeys(("count", *(part for name in statistics for part in named[name])))
    counts = []
    for row, found in in_each_zone(zones, pixels, list(operations), areas):
        row["count"] = float(found["count"])
        counts.append(row["count"])
        for name in statistics:
            value = _told(found, named[name])
            row[name] = None if value is None or not row["count"] else number_or_none(value)
        yield row
    if "sum" in statistics:
        tell_what_was_seen_by_zone("the sums", zones, counts, source.grid)


def tell_what_was_seen_by_zone(what: str, zones: Zones, counts: Sequence[float], grid: Grid) -> None:
    """Say of how many zones a sum or an area is of what was seen: of less than 95 % of their pixels."""
    width, height = grid.pixel_size
    pixels = [geometry.area / (width * height) for geometry in zones.geometries]
    few = sum(count < NEARLY_ALL * whole for count, whole in zip(counts, pixels, strict=True))
    if few:
        tell(f"{what} of {few} of {len(zones)} polygons are of what was seen: fewer than 95 % of their pixels are data")


def _told(found: Mapping[str, Any], operations: Sequence[str]) -> float | None:
    """A statistic from what exactextract found for it: itself, or the values of which it is the median."""
    if operations != _BY_AREA["median"]:
        return found[operations[0]]  # type: ignore[no-any-return]
    values, coverage, areas = (np.asarray(found[name], dtype=np.float64) for name in operations)
    if values.size == 0:
        return None
    order = np.argsort(values, kind="stable")
    heavy = (coverage * areas)[order]
    return float(weighted_quantiles(values[order], heavy, heavy, [0.5])[0])


def in_each_zone(
    zones: Zones, values: Any, operations: Sequence[str], weights: Any = None
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The attributes of each zone, and what exactextract finds in it, by operation.

    ``values`` and ``weights`` are its raster sources. Some zones are put to it at a time: progress is told, and a wish
    to stop heeded, between them.
    """
    import shapely
    from exactextract import exact_extract
    from exactextract.feature import JSONFeatureSource

    for start in range(0, len(zones), _ZONES_AT_ONCE):
        check_cancelled()
        numbers = range(start, min(start + _ZONES_AT_ONCE, len(zones)))
        features = [
            {"type": "Feature", "id": n, "properties": {}, "geometry": shapely.geometry.mapping(zones.geometries[n])}
            for n in numbers
        ]
        found = exact_extract(
            values, JSONFeatureSource(features), list(operations), weights=weights, max_cells_in_memory=_CELLS_IN_MEMORY
        )
        for number, one in zip(numbers, found, strict=True):
            yield {name: column[number] for name, column in zones.fields.items()}, one["properties"]
        report_progress((numbers[-1] + 1) / len(zones))


def values_of(source: Source, opened: Handles, *, as_power: bool = False) -> Any:
    """A raster as exactextract reads it: physical values, or the power behind decibels, NaN where not data."""

    def read(window: Window) -> NDArray[np.float64]:
        stored = source.read_stored(opened, window)
        gone = source.missing(stored, source.read_mask(opened, window))
        values: NDArray[np.float64] = source.physical(stored, gone)[0].astype(np.float64)
        return power(values) if as_power else values

    return on_grid(source.grid, read, source.path)


def areas_of(grid: Grid) -> Any:
    """The areas of pixels (m2) as exactextract reads weights, or None where all pixels weigh alike."""
    if weights_of(grid, grid.window(0, 0, 1, 1)) is None:
        return None
    tell_weighted(grid)
    measure = pixel_area(grid)
    return on_grid(grid, lambda window: measure.each(_part(grid, window)))


def _part(grid: Grid, window: Window) -> Grid:
    return grid.window(int(window.row_off), int(window.col_off), int(window.height), int(window.width))


def on_grid(grid: Grid, read: Callable[[Window], NDArray[np.float64]], where: str | None = None) -> Any:
    """Values on a grid as exactextract reads them, a window at a time, from north to south however they are stored.

    Raises ``ToolError`` if the grid is rotated.
    """
    from exactextract.raster import RasterSource

    a, b, _, d, e, _ = grid.transform[:6]
    if b or d:
        raise ToolError(
            "statistics by polygons need a raster that is not rotated",
            where=where,
            expected="rows along one axis of the CRS, columns along the other",
            found=str(grid),
            hint="reproject the raster first",
        )

    class Pixels(RasterSource):  # type: ignore[misc]
        def res(self) -> tuple[float, float]:
            return grid.pixel_size

        def extent(self) -> geo.Box:
            return grid.bounds

        def srs_wkt(self) -> None:
            return None

        def nodata_value(self) -> None:
            return None

        def read_window(self, x0: int, y0: int, nx: int, ny: int) -> NDArray[np.float64]:
            if not nx or not ny:
                return np.empty((ny, nx))
            row = y0 if e < 0 else grid.shape[0] - y0 - ny
            column = x0 if a > 0 else grid.shape[1] - x0 - nx
            values = read(Window(column, row, nx, ny))
            return np.ascontiguousarray(values[:: 1 if e < 0 else -1, :: 1 if a > 0 else -1])

    pixels = Pixels()
    pixels.set_name("raster")
    return pixels
