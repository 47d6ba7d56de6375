"""Small scenes of random truth, for random questions: dates with gaps and clouds, classes, polygons, terrain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from knowflow.ground.quantities import quantity_kind
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression, Quantity, with_children
from knowflow.testing.interpreter.values import Array, Layer, Scene
from knowflow_bench.truth import areas_of_rows

SIZE = (9, 11)
DEFINED = {"vegetation_mask": "beyond(ndvi, above, 0.3)", "water_mask": "beyond(ndwi, above, 0)"}
"""What experts define by other quantities, as they do, where no file holds it."""
CLASSES = {1: "forest", 2: "water", 3: "cropland", 4: "urban"}


def written_out(e: Expression, scene: Scene) -> Expression:
    """An expression with what is only defined as its definition."""
    if isinstance(e, Quantity) and e.kind in defined(scene):
        found, _ = expression_of(DEFINED[e.kind])
        assert found is not None
        return found
    return with_children(e, lambda below: written_out(below, scene))


def defined(scene: Scene) -> list[str]:
    """The kinds that no layer of a scene holds, but the definitions make of those that it has."""
    return [kind for kind, text in DEFINED.items() if kind not in scene.layers and _of(text) in scene.layers]


def _of(text: str) -> str:
    return text[text.index("(") + 1 : text.index(",")]


@dataclass(frozen=True)
class Place:
    """Where a scene lies: its CRS, the west and the north edge, and the size of a pixel."""

    crs: str
    west: float
    north: float
    resolution: float

    def degrees(self) -> tuple[Array, Array]:
        """Longitude and latitude of the pixels' centres."""
        from pyproj import Transformer

        rows, columns = np.mgrid[0 : SIZE[0], 0 : SIZE[1]] + 0.5
        to_degrees = Transformer.from_crs(self.crs, "EPSG:4326", always_xy=True)
        east, north = to_degrees.transform(self.west + self.resolution * columns, self.north - self.resolution * rows)
        return np.asarray(east), np.asarray(north)

    def area(self) -> Array:
        """True area of the pixels, m2."""
        if not self.crs.endswith(":4326"):
            return np.full(SIZE, self.resolution**2)
        return np.repeat(areas_of_rows(self.north, self.resolution, SIZE[0])[:, None], SIZE[1], axis=1)

    def box(self, top: float, bottom: float, left: float, right: float) -> tuple[float, float, float, float]:
        """West, south, east and north of what lies between two rows and two columns, which may be parts of one."""
        west, east = (self.west + self.resolution * at for at in (left, right))
        south, north = (self.north - self.resolution * at for at in (bottom, top))
        return west, south, east, north


IN_METRES = Place("EPSG:32633", 500_000.0, 5_100_000.0, 30.0)
IN_DEGREES = Place("EPSG:4326", 20.0, -28.0, 0.25)
"""South of the equator, with pixels that grow smaller towards the pole."""
Box = tuple[float, float, float, float]
"""The first and the last row and column of a rectangle."""


@dataclass(frozen=True)
class Ground:
    """A scene, where it lies, and its polygons, which are rectangles."""

    scene: Scene
    place: Place
    boxes: Mapping[str, Box]

    @staticmethod
    def of(layers: Mapping[str, Layer], place: Place, boxes: Mapping[str, Box]) -> Ground:
        """A scene as files of single precision hold it: what tools read is what the interpreter gets."""
        stored = {name: Layer(_stored(one.values), one.dates, one.legend) for name, one in layers.items()}
        polygons = {name: covered(box) for name, box in boxes.items()}
        return Ground(Scene(stored, place.area(), *place.degrees(), polygons), place, boxes)

    def write(self, folder: Path) -> None:
        """The files of it."""
        write_scene(self.scene, folder, self.place, self.boxes)


def covered(box: Box) -> Array:
    """The part of each pixel that lies in a rectangle."""
    top, bottom, left, right = box

    def along(start: float, end: float, number: int) -> Array:
        edges = np.arange(number, dtype=np.float64)
        return np.asarray(np.clip(np.minimum(edges + 1, end) - np.maximum(edges, start), 0.0, 1.0))

    return np.outer(along(top, bottom, SIZE[0]), along(left, right, SIZE[1]))


def random_scene(seed: int) -> Scene:
    """A scene of 9 by 11 pixels of 30 m: 5 to 12 dates in two to six years, up to a third of each clouded."""
    return Ground.of(random_layers(seed), IN_METRES, WHOLE).scene


WHOLE: Mapping[str, Box] = {
    "north": (0, SIZE[0] // 2, 0, SIZE[1]),
    "south": (SIZE[0] // 2, SIZE[0], 0, SIZE[1]),
    "middle": (2, 6, 3, 8),
}
"""Polygons of whole pixels."""


def random_layers(seed: int) -> dict[str, Layer]:
    """The layers of :func:`random_scene`, with all digits."""
    rng = np.random.default_rng(seed)
    days = _days(rng)
    warm = tuple(sorted(rng.choice(np.array(days), len(days) - 2, replace=False).tolist()))
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
    if rng.random() > 2 / 3:  # water is not told, but what tells it
        del layers["water_mask"]
        layers["ndwi"] = Layer(np.stack([_clouded(rng, 0.3 * _smooth(rng) - 0.1) for _ in warm]), warm)
    return layers


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
    """The shortest decimal numbers that files of single precision hold as these."""
    return np.asarray(np.vectorize(lambda one: float(str(np.float32(one))), otypes=[np.float64])(values))


def write_scene(scene: Scene, folder: Path, at: Place = IN_METRES, boxes: Mapping[str, Box] = WHOLE) -> None:
    """A scene as the files a user would have: a GeoTIFF for each date of a layer, with what a careful producer says."""
    import rasterio
    from rasterio.transform import Affine

    folder.mkdir(parents=True, exist_ok=True)
    place = {"crs": at.crs, "transform": Affine(at.resolution, 0, at.west, 0, -at.resolution, at.north)}
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
    _write_polygons(folder / "polygons.gpkg", at, boxes)


def _write_polygons(path: Path, at: Place, boxes: Mapping[str, Box]) -> None:
    import shapely

    from knowflow.ground.vectors import write

    shapes = np.array(shapely.to_wkb([shapely.box(*at.box(*box)) for box in boxes.values()]), dtype=object)
    options = {"crs": at.crs, "geometry_type": "Polygon", "driver": "GPKG", "layer": path.stem}
    names = np.array([*boxes], dtype=object)
    write(path, geometry=shapes, field_data=[names], fields=["name"], **options)
