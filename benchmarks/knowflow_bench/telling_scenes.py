"""Scenes on which every clause of the meaning of operators makes a difference.

Numbers are few and round, so that there are ties, and limits are met exactly; polygons cut pixels, in halves too; dates
have a gap of exactly 1.5 usual steps and one that is longer, a month that is covered by exactly 80 %, winters that
begin in the year before, weeks of the next year, months that come back in several years and one that does not;
something is unknown on every date, and everything on one.
"""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from knowflow.testing.interpreter.values import Array, Layer
from knowflow_bench.random_scenes import CLASSES, IN_DEGREES, IN_METRES, SIZE, Box, Ground

CUT: dict[str, Box] = {"north": (0, 3.5, 0, 6.25), "south": (4.75, 9, 0, 11), "middle": (2, 6, 3.5, 8.75)}
"""Polygons that cut pixels, of which two overlap."""
_STEPS = (16, 16, 16, 16, 24, 16, 16, 25, 16, 16)
"""Days between dates: usually 16, once exactly 1.5 times as many, once more. April 2020 is covered by 24 of 30 days."""
_FIRST = date(2020, 2, 12)
_OF_YEARS = ((1, 3), (1, 17), (7, 15), (12, 28))


def telling_ground(seed: int) -> Ground:
    """One of these, by turns in metres in the north and in degrees in the south."""
    return Ground.of(_layers(seed), (IN_METRES, IN_DEGREES)[seed % 2], CUT)


def _layers(seed: int) -> dict[str, Layer]:
    rng = np.random.default_rng(seed)
    steady = [_FIRST + timedelta(days=int(step)) for step in np.cumsum((0, *_STEPS))]
    yearly = [date(year, month, day) for year in range(2017, 2022) for month, day in _OF_YEARS][1:-1]
    yearly = sorted({*yearly, date(2019, 4, 2), date(2019, 4, 20)})
    both = sorted({*steady[::2], *yearly[::3]})
    return {
        "ndvi": _series(rng, steady, 0.125, 0.0, 7),
        "surface_temperature": _series(rng, yearly, 2.5, 290.0, 9),
        "precipitation": _series(rng, both, 4.0, 0.0, 6),
        "water_mask": _series(rng, steady[1:9], 1.0, 0.0, 1),
        "elevation": Layer(_some_unknown(rng, 400 + 25 * _drawn(rng, 9))),
        "slope": Layer(2.5 * _drawn(rng, 9)),
        "aspect": Layer(_some_unknown(rng, 22.5 * _drawn(rng, 16))),
        "land_cover_class": Layer(_some_unknown(rng, 1 + _drawn(rng, 4)), legend=CLASSES),
        "population_count": Layer(_some_unknown(rng, _drawn(rng, 5))[None], (both[-1],)),
    }


def _series(rng: np.random.Generator, days: list[date], step: float, least: float, most: int) -> Layer:
    """Round numbers that rise and fall, of which some are unknown on each date, and all on one."""
    images = [_some_unknown(rng, least + step * _rounded(rng, most)) for _ in days]
    images[int(rng.integers(0, len(days)))][:] = np.nan
    return Layer(np.stack(images), tuple(days))


def _drawn(rng: np.random.Generator, number: int) -> Array:
    return np.asarray(rng.integers(0, number, SIZE), dtype=np.float64)


def _rounded(rng: np.random.Generator, most: int) -> Array:
    return np.clip(np.round(rng.normal(rng.uniform(0.2, 0.8) * most, 0.3 * most, SIZE)), 0, most)


def _some_unknown(rng: np.random.Generator, values: Array) -> Array:
    """What lies below a cloud, and single pixels, are unknown."""
    top, left = (int(rng.integers(0, size - 3)) for size in SIZE)
    hidden = rng.random(SIZE) < 0.06
    hidden[top : top + 3, left : left + 3] = True
    return np.where(hidden, np.nan, values)
