"""Small scenes of random truth, for random questions: dates with gaps and clouds, classes, polygons, terrain."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from knowflow.testing.interpreter.values import Array, Layer, Scene

SIZE = (9, 11)
RESOLUTION = 30.0
CORNER = (500_000.0, 5_100_000.0)  # west and north, in UTM zone 33
CRS = "EPSG:32633"
CLASSES = {1: "forest", 2: "water", 3: "cropland", 4: "urban"}


def random_scene(seed: int) -> Scene:
    """A scene of 9 by 11 pixels of 30 m: 5 to 9 dates in two or three years, up to a third of each clouded."""
    rng = np.random.default_rng(seed)
    days = _days(rng, int(rng.integers(5, 10)))
    warm = tuple(sorted(rng.choice(np.array(days), len(days) - 2, replace=False).tolist()))
    rows, columns = SIZE
    y, x = np.mgrid[0:rows, 0:columns]
    covers = np.digitize(_smooth(rng), [-0.6, 0.0, 0.7]).astype(np.float64) + 1
    layers = {
        "ndvi": Layer(np.stack([_clouded(rng, 0.45 + 0.2 * _smooth(rng)) for _ in days]), days),
        "surface_temperature": Layer(np.stack([_clouded(rng, 295 + 8 * _smooth(rng)) for _ in warm]), warm),
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
    return Scene(stored, np.full(SIZE, RESOLUTION**2), 15.0 + 4e-4 * x, 46.05 - 3e-4 * y, polygons)


def _days(rng: np.random.Generator, number: int) -> tuple[date, ...]:
    first = date(2016, 2, 1) + timedelta(days=int(rng.integers(0, 200)))
    steps = np.cumsum(rng.integers(16, 150, number))
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
