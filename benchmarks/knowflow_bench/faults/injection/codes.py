"""Faults of how numbers are coded: masks of other pairs of numbers, marks that look like data, colours, other types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import rasterio

from knowflow_bench.faults.injection.data import FileFault, Site, put_at, rewrite, shape_of

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def as_it_is(site: Site) -> None:
    """Nothing: the question's own data are the hard case."""


def recode(
    site: Site, *, quantity: str, to: Mapping[int, float], dtype: str = "uint8", nodata: float | None = None
) -> None:
    """The same classes by other numbers."""
    for path in site.of(quantity):
        with rasterio.open(path) as source:
            old = source.read()
        made = old.astype(np.float64)
        for before, after in to.items():
            made[old == before] = after
        rewrite(path, lambda _, made=made: made, dtype=dtype, nodata=nodata)  # type: ignore[misc]


def mark(site: Site, *, values: Sequence[float], share: float, quantity: str | None = None, one: bool = False) -> None:
    """Pixels without data that hold one of some numbers, which nothing declares and which might be data."""
    random_numbers = np.random.default_rng(site.chance.randrange(2**32))
    paths = site.of(quantity)
    for path in [site.one(paths)] if one else paths:
        drawn = random_numbers.random(shape_of(path))
        site.gap(path, drawn[0] < share * len(values))
        for place, value in enumerate(values):
            here = (drawn >= share * place) & (drawn < share * (place + 1))
            rewrite(path, partial(put_at, here, value), nodata=None)


def shifted_integers(site: Site, *, add: float, factor: float = 10000, dtype: str = "uint16") -> None:
    """Reflectance as the stored numbers of a processing baseline, which nothing names: (value + add) times a factor."""
    for path in site.of(None):
        rewrite(path, lambda pixels: np.round((pixels.astype(np.float64) + add) * factor), dtype=dtype, nodata=None)


def palette(site: Site) -> None:
    """Colours of a legend, as of a map that was published as a picture: numbers that only point at colours."""
    for path in site.of(None):
        rewrite(path, lambda pixels: np.clip(np.round(pixels * 10), 0, 15), dtype="uint8", nodata=None)
        with rasterio.open(path, "r+") as file:
            file.write_colormap(1, {number: (255 - 16 * number, 16 * number, 40, 255) for number in range(16)})


def same_pixels(site: Site) -> None:
    """The last date holds the pixels of the first of its layer, as after a download that was answered from a cache."""
    last = site.of(None)[-1]
    layer = _DATE.sub("", last.name)
    first = next(path for path in site.of(None) if _DATE.sub("", path.name) == layer)
    site.touched.append(last.name)
    with rasterio.open(first) as source:
        pixels = source.read()
    rewrite(last, lambda _: pixels)


def half_the_ground(site: Site) -> None:
    """The last file shows the western half only."""
    path = site.of(None)[-1]
    site.touched.append(path.name)
    _, _, columns = shape_of(path)
    rewrite(path, lambda pixels: pixels[:, :, : columns // 2], width=columns // 2)


def lose(site: Site, *, quantity: str, number: int) -> None:
    """So many files of a quantity are not there."""
    for path in site.chance.sample(site.of(quantity), number):
        site.touched.append(path.name)
        path.unlink()


def stretched(site: Site, *, rows: int) -> None:
    """Pixels that are so many times as high as they are wide: every one is the mean of what it covers."""
    for path in site.rasters:
        with rasterio.open(path) as source:
            transform, height = source.transform, source.height // rows
        made = rasterio.Affine(transform.a, 0, transform.c, 0, transform.e * rows, transform.f)
        rewrite(
            path,
            lambda pixels, height=height: pixels.reshape(pixels.shape[0], height, rows, -1).mean(axis=2),  # type: ignore[misc]
            height=height,
            transform=made,
        )


CODE_FAULTS: Mapping[str, FileFault] = {
    "as_it_is": as_it_is,
    "recode": recode,
    "mark": mark,
    "shifted_integers": shifted_integers,
    "palette": palette,
    "same_pixels": same_pixels,
    "half_the_ground": half_the_ground,
    "lose": lose,
    "stretched": stretched,
}
