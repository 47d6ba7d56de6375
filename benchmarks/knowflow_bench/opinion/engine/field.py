"""Rasters, vectors and dates as the second opinion reads them."""

from __future__ import annotations

import datetime as dt
import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

Pixels = NDArray[np.float64]
DAYS_A_YEAR = 365.25


class NoOpinionError(Exception):
    """There is none on this; the message says on what."""


class Direction(float):
    """A number of degrees around the circle: 359 and 1 are neighbours."""


@dataclass(frozen=True)
class Field:
    """A raster: physical numbers in float64 (rows, columns; NaN: no data), its grid, and its tags."""

    pixels: Pixels
    transform: Affine
    crs: Any
    tags: dict[str, str] = field(default_factory=dict)
    name: str = ""

    @property
    def unit(self) -> str:
        return self.tags.get("UNIT", "")

    @property
    def date(self) -> str:
        return self.tags.get("DATETIME", "")

    @property
    def seen(self) -> Pixels:
        """The numbers that are data, in a row."""
        return self.pixels[np.isfinite(self.pixels)]


@dataclass(frozen=True)
class Partly:
    """Pixels of which the opinion is only about some: at the edge of a raster others have other rules."""

    pixels: Pixels
    about: NDArray[np.bool_]


def read_field(path: str | Path, band: int | None = None, name: str = "") -> Field:
    """One band of a raster file; the first where none is said."""
    number = band or 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path) as file:
            stored = file.read(number).astype(np.float64)
            gone = file.read_masks(number) == 0
            gone |= np.isnan(stored)
            tags = {**file.tags(), **file.tags(number)}
            scale, offset = file.scales[number - 1], file.offsets[number - 1]
            if (scale, offset) == (1.0, 0.0):
                scale, offset = float(tags.get("SCALE", 1.0)), float(tags.get("OFFSET", 0.0))
            pixels = np.where(gone, np.nan, stored * scale + offset)
            return Field(pixels, file.transform, file.crs, tags, name)


def read_polygons(path: str | Path) -> list[tuple[dict[str, Any], Any]]:
    """Attributes and geometry of every feature of a vector file."""
    import shapely
    from pyogrio.raw import read

    meta, _, geometries, columns = read(path)
    shapes = shapely.from_wkb(geometries)
    names = [str(one) for one in meta["fields"]]
    return [({n: c[i] for n, c in zip(names, columns, strict=True)}, shape) for i, shape in enumerate(shapes)]


def around(degrees: Pixels) -> float:
    """The mean of directions: that of their unit vectors (Mardia and Jupp 2000)."""
    found = float(np.degrees(np.angle(np.exp(1j * np.radians(degrees)).mean())) % 360)
    return 0.0 if 360.0 - found < 1e-9 else found


def levels(one: Field) -> bool:
    """Whether the numbers are backscatter in decibels, of which the power behind them is what has a mean (Ulaby and
    Long 2014, section 5-7)."""
    return one.unit == "dB" and one.tags.get("QUANTITY", "").startswith(("sigma0", "gamma0"))


def mean_level(decibels: Pixels, weights: Pixels | None = None) -> float:
    """The mean of decibels as power."""
    return float(10.0 * np.log10(np.average(10.0 ** (decibels / 10.0), weights=weights)))


def class_names(one: Field) -> dict[int, str]:
    """What a file itself calls its classes."""
    return {int(code): str(text) for code, text in json.loads(one.tags.get("CLASSES", "{}")).items()}


def stack(series: Sequence[Field]) -> Pixels:
    """A series as (dates, rows, columns)."""
    return np.stack([one.pixels for one in series])


def years(dates: Sequence[str]) -> Pixels:
    """Dates as Julian years since the first of January 2000."""
    begin = dt.datetime(2000, 1, 1)
    moments = [dt.datetime.fromisoformat(one if len(one) > 4 else f"{one}-01-01").replace(tzinfo=None) for one in dates]
    return np.array([(moment - begin).total_seconds() / 86400 / DAYS_A_YEAR for moment in moments])


def calendar_years(dates: Sequence[str]) -> Pixels:
    """Dates as years and the part of the year that has gone by: the same day is the same part of every year."""
    found = []
    for one in dates:
        moment = dt.datetime.fromisoformat(one).replace(tzinfo=None)
        begin, end = dt.datetime(moment.year, 1, 1), dt.datetime(moment.year + 1, 1, 1)
        found.append(moment.year + (moment - begin) / (end - begin))
    return np.array(found)


_TO_KELVIN = {"K": (1.0, 0.0), "degC": (1.0, 273.15), "degF": (5 / 9, 255.0 + 67 / 180)}
_TO_METRES = {"m": 1.0, "km": 1000.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048}
_SHARES = {"1": 1.0, "%": 0.01, "percent": 0.01}


def converted(value: Any, given: str, wanted: str) -> Any:
    """A number, or numbers, in another unit. Raises ``NoOpinionError`` for units of which there is no opinion."""
    if given == wanted or not given or not wanted:
        return value
    if given in _TO_KELVIN and wanted in _TO_KELVIN:
        (times, plus), (divide, less) = _TO_KELVIN[given], _TO_KELVIN[wanted]
        return (value * times + plus - less) / divide
    for table in (_TO_METRES, _SHARES):
        if given in table and wanted in table:
            return value * table[given] / table[wanted]
    if (given, wanted) == ("1", "dB"):
        return 10.0 * np.log10(value)
    if (given, wanted) == ("dB", "1"):
        return 10.0 ** (value / 10.0)
    raise NoOpinionError(f"{given} in {wanted}")
