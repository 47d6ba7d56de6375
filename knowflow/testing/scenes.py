"""Scenes with a known analytic truth, written as the files a user would have: GeoTIFFs and GeoPackages.

A layer's values are expressions over the *scene's* coordinates (see ``scene_coordinates``), also where the layer lies
on another grid or in another CRS, so that the truth at a place does not depend on the grid it is sampled on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.errors import DocumentError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model import geo
from knowflow.model.template import Scene, SceneLayer
from knowflow.testing.expressions import evaluate_truth

DAYS_PER_YEAR = 365.25
Coordinates = tuple[NDArray[np.float64], NDArray[np.float64]]
Transform = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Grid:
    """A pixel grid: ``transform`` is (a, b, c, d, e, f), ``shape`` is (rows, columns)."""

    crs: str
    transform: Transform
    shape: tuple[int, int]

    @property
    def centres(self) -> Coordinates:
        """Map coordinates of the pixel centres: two arrays of ``shape``."""
        a, b, c, d, e, f = self.transform
        rows, columns = self.shape
        column, row = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        return a * column + b * row + c, d * column + e * row + f


def write_scene(scene: Scene, folder: Path) -> list[Path]:
    """Write every layer and vector of a scene into a folder, which is made where needed; the files in order.

    A layer gives one file, or ``<name>_<date>.tif`` for each of its dates, or ``<name>_<date>_<band>.tif`` for each
    band of each date. Raises ``DocumentError`` for expressions outside their language, dates that are not ISO 8601,
    and numbers that the stored data type cannot hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [path for layer in scene.layers for path in _write_layer(scene, layer, folder)]
    return paths + [_write_vector(scene, name, geojson, folder) for name, geojson in scene.vectors.items()]


def scene_grid(scene: Scene) -> Grid:
    """The scene's own grid; ``origin`` is its upper left corner and ``size`` is (rows, columns)."""
    west, north = scene.origin
    return Grid(scene.crs, (scene.resolution, 0.0, west, 0.0, -scene.resolution, north), scene.size)


def layer_grid(scene: Scene, layer: SceneLayer) -> Grid:
    """The grid a layer lies on: the scene's, or another one over the scene's extent.

    ``shift`` moves it by pixels of its own (east, south). In another CRS without a resolution, the pixels are such
    that the layer has about as many columns as the scene.
    """
    base = scene_grid(scene)
    crs = layer.crs or scene.crs
    west, south, east, north = geo.transform_box(base.crs, crs, geo.bounds_of(base.transform, base.shape))
    other_crs = geo.canonical_crs(crs) != geo.canonical_crs(base.crs)
    size = layer.resolution or ((east - west) / base.shape[1] if other_crs else scene.resolution)
    shape = layer.size or (max(1, round((north - south) / size)), max(1, round((east - west) / size)))
    right, down = layer.shift or (0.0, 0.0)
    return Grid(crs, (size, 0.0, west + right * size, 0.0, -size, north - down * size), shape)


def scene_coordinates(scene: Scene, grid: Grid | None = None) -> Coordinates:
    """x and y of the pixel centres of a grid (default: the scene's own): fractions of the scene's width from the west
    and of its height from the north. On the scene's own grid x is ``(column + 0.5) / columns``."""
    base = scene_grid(scene)
    rows, columns = base.shape
    if grid is None or grid == base:
        x, y = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
        return x, y
    east, north = grid.centres
    if geo.canonical_crs(grid.crs) != geo.canonical_crs(base.crs):
        from pyproj import Transformer

        transformer = Transformer.from_crs(geo.crs_of(grid.crs), geo.crs_of(base.crs), always_xy=True)
        east, north = transformer.transform(east, north)
    west, top = scene.origin
    return (east - west) / (columns * scene.resolution), (top - north) / (rows * scene.resolution)


def years_since(first: str, date: str) -> float:
    """``t`` of a date: days since the layer's first date over 365.25."""
    return (_moment(date) - _moment(first)).total_seconds() / 86400 / DAYS_PER_YEAR


def file_date(date: str) -> str:
    """A date as file names carry it: without the characters that some file systems refuse."""
    return date.replace(":", "").removesuffix("Z")


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError as error:
        raise DocumentError("a scene's date is not a date", expected="ISO 8601, as 2022-06-01", found=text) from error


def _write_layer(scene: Scene, layer: SceneLayer, folder: Path) -> Iterator[Path]:
    grid = layer_grid(scene, layer)
    x, y = scene_coordinates(scene, grid)
    expressions: dict[str | None, str] = dict(layer.bands.items())
    if layer.values is not None:
        expressions[None] = layer.values
    if not expressions:
        raise DocumentError(f"the scene layer {layer.name!r} has no values", expected="'values' or 'bands'")
    for index, date in enumerate(layer.dates or (None,)):
        t = 0.0 if date is None else years_since(layer.dates[0], date)
        gaps = None if layer.missing is None else evaluate_truth(layer.missing, x, y, t, index).astype(bool)
        for band, expression in expressions.items():
            parts = [layer.name, None if date is None else file_date(date), band]
            path = folder / ("_".join(part for part in parts if part) + ".tif")
            stored = _stored(layer, evaluate_truth(expression, x, y, t, index), gaps)
            _write_raster(path, stored, grid, _tags(layer, date, band), layer, band)
            yield path


def _nodata(layer: SceneLayer) -> float | None:
    if layer.nodata is None and np.dtype(layer.dtype).kind == "f":
        return float("nan")
    return layer.nodata


def _stored(layer: SceneLayer, physical: NDArray[Any], gaps: NDArray[np.bool_] | None) -> NDArray[Any]:
    """Physical numbers as the file stores them: unscaled, rounded where integer, gaps filled with nodata."""
    dtype, nodata = np.dtype(layer.dtype), _nodata(layer)
    numbers = (physical.astype(np.float64) - (layer.offset or 0.0)) / (layer.scale or 1.0)
    if gaps is not None and nodata is None:
        raise DocumentError(
            f"the scene layer {layer.name!r} has gaps but nothing to mark them with",
            expected="'nodata'",
            found=f"dtype {layer.dtype} without it",
        )
    if dtype.kind != "f":
        numbers = np.round(numbers)
        limits = np.iinfo(dtype)
        inside = np.isfinite(numbers) & (numbers >= limits.min) & (numbers <= limits.max)
        if not (inside if gaps is None else inside | gaps).all():
            raise DocumentError(
                f"the scene layer {layer.name!r} does not fit its data type",
                expected=f"stored numbers in {limits.min}..{limits.max} ({layer.dtype})",
                found=f"{np.nanmin(numbers):g}..{np.nanmax(numbers):g}",
                hint="give scale, offset or a wider dtype",
            )
    if gaps is not None and nodata is not None:
        numbers = np.where(gaps, nodata, numbers)
    return numbers.astype(dtype)


def _tags(layer: SceneLayer, date: str | None, band: str | None) -> dict[str, str]:
    """What a careful producer would write into the file; nothing that the layer does not say."""
    unit = layer.unit
    if unit is None:
        kind = quantity_kinds().get(layer.quantity)
        unit = None if kind is None else kind.unit
    known = None if band is None or layer.sensor is None else sensor_band(layer.sensor, band)
    said: dict[str, Any] = {
        "QUANTITY": layer.quantity,
        "UNIT": unit,
        "DATETIME": date,
        "SENSOR": layer.sensor,
        "SCALE": layer.scale,
        "OFFSET": layer.offset,
        "BAND": band if known is None else known.name,
    }
    return {name: str(value) for name, value in said.items() if value not in (None, "")} | layer.tags


def _write_raster(
    path: Path, stored: NDArray[Any], grid: Grid, tags: dict[str, str], layer: SceneLayer, band: str | None
) -> None:
    import rasterio
    from rasterio.transform import Affine

    profile: dict[str, Any] = {
        "driver": "GTiff",
        "height": grid.shape[0],
        "width": grid.shape[1],
        "count": 1,
        "dtype": layer.dtype,
        "crs": geo.crs_of(grid.crs).to_wkt(),
        "transform": Affine(*grid.transform),
        "nodata": _nodata(layer),
        "compress": "deflate",
    }
    with rasterio.open(path, "w", **profile) as file:
        file.write(stored, 1)
        file.update_tags(**tags)
        if band is not None:
            file.set_band_description(1, band)
        if layer.scale is not None:
            file.scales = (layer.scale,)
            file.offsets = (layer.offset or 0.0,)


def _write_vector(scene: Scene, name: str, geojson: Mapping[str, Any], folder: Path) -> Path:
    """A GeoJSON geometry, feature or collection in x, y of the scene, as a GeoPackage in the scene's CRS."""
    import shapely
    from shapely.geometry import shape

    from knowflow.ground.vectors import write

    features = geojson.get("features") or [geojson]
    rows, columns = scene.size
    west, north = scene.origin

    def placed(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        xy[:, 0] = west + xy[:, 0] * columns * scene.resolution
        xy[:, 1] = north - xy[:, 1] * rows * scene.resolution
        return xy

    geometries = [shapely.transform(shape(feature.get("geometry", feature)), placed) for feature in features]
    properties = [feature.get("properties") or {} for feature in features]
    fields = list(dict.fromkeys(key for row in properties for key in row))
    kinds = {geometry.geom_type for geometry in geometries}
    path = folder / f"{name}.gpkg"
    write(
        path,
        geometry=np.array(shapely.to_wkb(geometries), dtype=object),
        field_data=[np.array([row.get(key) for row in properties]) for key in fields],
        fields=fields,
        crs=geo.canonical_crs(scene.crs),
        geometry_type=kinds.pop() if len(kinds) == 1 else "Unknown",
        driver="GPKG",
        layer=name,
    )
    return path
