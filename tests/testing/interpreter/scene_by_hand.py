"""A scene so small that every statistic of it can be worked out on paper: two by two pixels, a few dates."""

from __future__ import annotations

from datetime import date

import numpy as np

from knowflow.testing.interpreter.features import Feature
from knowflow.testing.interpreter.values import Layer, Scene

U = float("nan")  # unknown
DAYS = (date(2016, 7, 1), date(2017, 6, 1), date(2017, 7, 1), date(2017, 8, 30))
MONTHS = tuple(date(2017, month, 15) for month in (1, 2, 3, 4))
YEARS = tuple(date(year, 7, 1) for year in range(2010, 2015))


def _layer(values: object, dates: tuple[date, ...] = (), legend: dict[int, str] | None = None) -> Layer:
    return Layer(np.array(values, dtype=np.float64), dates, legend or {})


def _alike(values: list[float], dates: tuple[date, ...]) -> Layer:
    """The same number in every pixel of a date."""
    return _layer([[[value, value], [value, value]] for value in values], dates)


def _square(name: str, low: float, high: float) -> Feature:
    return Feature(name, "polygon", (np.array([[low, low], [high, low], [high, high], [low, high]]),))


SCENE = Scene(
    layers={
        "ndvi": _layer(
            [[[0.2, 0.4], [0.6, 0.8]], [[0.1, 0.3], [U, 0.5]], [[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.7], [0.1, U]]], DAYS
        ),
        "surface_temperature": _layer(
            [[[290, 300], [310, 320]], [[280, 280], [280, 280]], [[300, U], [U, U]]], DAYS[1:]
        ),
        "precipitation": _alike([10, 20, U, 40], MONTHS),
        "snow_depth": _alike([1, 2, 4, 3, 10], YEARS),
        "population_count": _layer([[[1, 2], [3, U]]], (date(2020, 1, 1),)),
        "water_mask": _layer([[[1, 0], [U, 1]], [[1, 1], [0, 0]]], DAYS[1:3]),
        "snow_mask": _layer([[[U, U], [U, U]], [[0, 1], [1, U]]], DAYS[1:3]),
        "flood_depth": _layer([[[U, 0.5], [U, 2]], [[0, 0.5], [U, 2]]], DAYS[1:3]),
        "fire_mask": _layer([[[1, U], [U, U]], [[1, U], [0, U]]], DAYS[1:3]),
        "elevation": _layer([[0, 100], [200, 300]]),
        "slope": _layer([[0, 10], [20, 30]]),
        "aspect": _layer([[350, 10], [90, U]]),
        "land_cover_class": _layer([[1, 1], [2, 3]], legend={1: "forest", 2: "water", 3: "urban"}),
        "sigma0_db": _layer([[[-10, -20], [U, U]]], DAYS[1:2]),
    },
    area=np.array([[100.0, 100.0], [100.0, 300.0]]),
    longitude=np.array([[10.0, 11.0], [10.0, 11.0]]),
    latitude=np.array([[51.0, 51.0], [50.0, 50.0]]),
    features={
        "posts": (
            Feature("a", "point", (np.array([[0.0, 0.0]]),), {"beds": 4}),
            Feature("b", "point", (np.array([[3.0, 4.0]]),), {"beds": 10}, {"size": "big"}),
            Feature("c", "point", (np.array([[1.0, 1.0]]),), {"beds": 2}),
        ),
        "paths": (
            Feature("track", "line", (np.array([[0.0, 0.0], [6.0, 0.0]]),)),
            Feature("path", "line", (np.array([[0.0, 2.0], [0.0, 8.0]]),)),
        ),
        "plots": (_square("home", 0.0, 2.0), _square("away", 10.0, 14.0)),
        "grounds": (Feature("field", "polygon", (np.array([[1.0, -1.0], [5.0, -1.0], [5.0, 5.0], [1.0, 5.0]]),)),),
    },
    places=np.array([[[0.0, 10.0], [10.0, 10.0]], [[0.0, 0.0], [10.0, 0.0]]]),
    polygons={"west": np.array([[1.0, 0.0], [1.0, 0.0]]), "south": np.array([[0.0, 0.0], [1.0, 0.5]])},
)
