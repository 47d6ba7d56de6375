"""Small scenes of random truth, for random questions: dates with gaps and clouds, classes, polygons, terrain."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from knowflow.ground.quantities import quantity_kind
from knowflow.testing.interpreter.values import Array, Layer, Scene

SIZE = (9, 11)
RESOLUTION = 30.0
CORNER = (500_000.0, 5_100_000.0)  # west and north, in UTM zone 33
CRS = "EPSG:32633"
CLASSES = {1: "forest", 2: "water", 3: "cropland", 4: "urban"}


def random_scene(seed: int) -> Scene:
    """A scene of 9 by 11 pixels of 30 m: 5 to 12 dates in two to six years, up to a third of each clouded."""
    rng = np.random.default_rng(seed)
    days = _days(rng)
    warm = tuple(sorted(rng.choice(np.array(days), len(days) - 2, replace=False).tolist()))
    rows = SIZE[0]
    covers = np.digitize(_smooth(rng), [-0.6, 0.0, 0.7]).astype(np.float64) + 1
    layers = {
        "ndvi": Layer(np.stack([_clouded(rng, 0.4 + 0.15 * _smooth(rng)) for _ in days]), days),
        "surface_temperature": Layer(np.stack([_clouded(rng, 295 + 6 * _smooth(rng)) for _ in warm]), warm),
        "water_mask": Layer(np.stack([_clouded(rng, (_smooth(rng) > 0.5).astype(float)) for _ in warm]), warm),
        "elevation": Layer(400 + 120 * _smooth(rng)),
        "slope": Layer(np.abs(15 + 9 * _smooth(rng))),
        "aspect": Layer(np.round((_smooth(rng) * 130) % 360, 1) % 360),
        "land_cover_class": Layer(covers, legend=CLASSES),
        "precipitation": Layer(np.stack([np.abs(40 + 25 * _smooth(rng)) for _ in days]), days),
        "population_count": Layer(np.abs(np.round(9 * _smooth(rng)))[None], days[-1:]),
    }
    stored = {name: Layer(_stored(one.values), one.dates, one.legend) for name, one in layers.items()}
    polygons = {name: np.zeros(SIZE) for name in ("north", "south", "middle")}
    polygons["north"][: rows // 2], polygons["south"][rows // 2 :], polygons["middle"][2:6, 3:8] = 1.0, 1.0, 1.0
    return Scene(stored, np.full(SIZE, RESOLUTION**2), *_degrees(), polygons)


def _degrees() -> tuple[Array, Array]:
    """Longitude and latitude of the pixels' centres."""
    from pyproj import Transformer

    rows, columns = np.mgrid[0 : SIZE[0], 0 : SIZE[1]] + 0.5
    to_degrees = Transformer.from_crs(CRS, "EPSG:4326", always_xy=True)
    east, north = to_degrees.transform(CORNER[0] + RESOLUTION * columns, CORNER[1] - RESOLUTION * rows)
    return np.asarray(east), np.asarray(north)


def _days(rng: np.random.Generator) -> tuple[date, ...]:
    """Dates in two or three years, or, of one scene in three, in five or six."""
    first = date(2016, 2, 1) + timedelta(days=int(rng.integers(0, 200)))
    number = int(rng.integers(5, 10))
    shortest, longest = 16, 150
    if rng.random() < 1 / 3:
        number, shortest, longest = number + 3, 120, 240
    steps = np.cumsum(rng.integers(shortest, longest, number))
    return tuple(first + timedelta(days=int(step)) for step in steps)


def _smooth(rng: np.random.Generator) -> Array:
    """A gentle field of unit spread, with some noise."""
    y, x = np.mgrid[0 : 1 : SIZE[0] * 1j, 0 : 1 : SIZE[1] * 1j]
    a, b, c, d = rng.uniform(-3, 3, 4)
    found = np.sin(a * x + b * y + c) + np.cos(d * x - a * y) + 0.3 * rng.standard_normal(SIZE)
    return np.asarray((found - found.mean()) / found.std())


def _clouded(rng: np.random.Generator, values: Array) -> Array:
    """The values with a cloud over them, or, seldom, none left."""
    if rng.random() < 0.3:
        return values
    rows, columns = SIZE
    top, left = rng.integers(0, rows - 2), rng.integers(0, columns - 2)
    hidden = values.copy()
    hidden[top : top + rng.integers(1, 5), left : left + rng.integers(1, 6)] = np.nan
    return hidden


def _stored(values: Array) -> Array:
    """As files of single precision hold them: what tools read is what the interpreter gets."""
    return values.astype(np.float32).astype(np.float64)


def write_scene(scene: Scene, folder: Path) -> None:
    """A scene as the files a user would have: a GeoTIFF for each date of a layer, with what a careful producer says."""
    import rasterio
    from rasterio.transform import Affine

    folder.mkdir(parents=True, exist_ok=True)
    west, north = CORNER
    place = {"crs": CRS, "transform": Affine(RESOLUTION, 0, west, 0, -RESOLUTION, north)}
    for kind, layer in scene.layers.items():
        classes = bool(layer.legend) or set(np.unique(layer.values[np.isfinite(layer.values)])) <= {0.0, 1.0}
        dtype, nodata = ("uint8", 255) if classes else ("float32", float("nan"))
        for day, values in zip(layer.dates or (None,), layer.values if layer.dates else [layer.values], strict=True):
            path = folder / (f"{kind}_{day}.tif" if day else f"{kind}.tif")
            stored = np.where(np.isfinite(values), values, nodata).astype(dtype)
            profile = {"height": SIZE[0], "width": SIZE[1], "count": 1, "dtype": dtype, "nodata": nodata, **place}
            tags = {"QUANTITY": kind, "UNIT": quantity_kind(kind).unit} | ({"DATETIME": str(day)} if day else {})
            tags |= {"CLASSES": json.dumps(layer.legend)} if layer.legend else {}
            with rasterio.open(path, "w", driver="GTiff", **profile) as file:
                file.write(stored, 1)
                file.update_tags(**tags)
    _write_polygons(scene, folder / "polygons.gpkg")


def _write_polygons(scene: Scene, path: Path) -> None:
    """The polygons, which are rectangles of whole pixels."""
    import shapely

    from knowflow.ground.vectors import write

    west, north = CORNER
    boxes = []
    for covered in scene.polygons.values():
        rows, columns = np.nonzero(covered)
        left, right = west + RESOLUTION * columns.min(), west + RESOLUTION * (columns.max() + 1)
        boxes.append(shapely.box(left, north - RESOLUTION * (rows.max() + 1), right, north - RESOLUTION * rows.min()))
    shapes, names = np.array(shapely.to_wkb(boxes), dtype=object), np.array([*scene.polygons], dtype=object)
    options = {"crs": CRS, "geometry_type": "Polygon", "driver": "GPKG", "layer": path.stem}
    write(path, geometry=shapes, field_data=[names], fields=["name"], **options)
