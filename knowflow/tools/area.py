"""Areas in real units: what a mask or a class covers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError
from knowflow.ground.json_text import json_value
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert
from knowflow.knowledge.legends import Legend, legend_of
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Grid, grid_of, reduce_blocks
from knowflow.tools.raster.pixel_area import pixel_area
from knowflow.tools.raster.source import handles
from knowflow.tools.thresholding import WhenEmpty, counted, marked, nothing_to_count, tell_what_was_seen


def area(mask: Artifact, unit: str = "ha", ground: Artifact | None = None, when_empty: WhenEmpty = "fail") -> float:
    """Area where the mask is 1; nodata does not count, and a mask of nothing else has no area (``when_empty``).

    ``ground`` is as for ``mask_share``.

    In the plane of the projection; on the ellipsoid where the CRS is geographic, or stretches areas by more than 0.1 %.
    """
    measure = pixel_area(georeferenced(mask))
    counts = counted(mask)
    if counts is not None and measure.planar is not None:
        tell_what_was_seen("the area", mask, *counts[1:], ground)
        return float(convert(counts[0] * measure.planar, "m2", unit))

    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["mask"]
        found = measure.total(block.grid, marked(values))
        return np.array([found, np.count_nonzero(np.isfinite(values)), values.size])

    size, known, pixels = reduce_blocks(kernel, {"mask": mask}, np.zeros(3), lambda a, b: a + b)
    if not known:
        return nothing_to_count(mask, when_empty)
    tell_what_was_seen("the area", mask, known, pixels, ground)
    return float(convert(float(size), "m2", unit))


def area_by_class(raster: Artifact, unit: str = "ha") -> list[dict[str, Any]]:
    """One row per class that occurs: class, name (as the quantity kind calls it), pixels, area, share of the data."""
    measure = pixel_area(georeferenced(raster))

    def kernel(block: Block) -> dict[int, tuple[int, float]]:
        classes, valid = block.raw("raster"), block.valid("raster")
        found = {}
        for label in np.unique(classes[valid]):
            here = valid & (classes == label)
            found[int(label)] = (int(np.count_nonzero(here)), measure.total(block.grid, here))
        return found

    def together(
        a: Mapping[int, tuple[int, float]], b: Mapping[int, tuple[int, float]]
    ) -> dict[int, tuple[int, float]]:
        none = (0, 0.0)
        labels = {**a, **b}
        return {n: (a.get(n, none)[0] + b.get(n, none)[0], a.get(n, none)[1] + b.get(n, none)[1]) for n in labels}

    start: dict[int, tuple[int, float]] = {}
    totals = reduce_blocks(kernel, {"raster": raster}, start, together)
    whole = sum(size for _, size in totals.values())
    grid = grid_of(raster)
    tell_what_was_seen("the area", raster, sum(count for count, _ in totals.values()), grid.shape[0] * grid.shape[1])
    names = class_names(raster, lambda: totals)
    return [
        {
            "class": label,
            "name": names.get(label, ""),
            "pixels": count,
            "area": float(convert(size, "m2", unit)),
            "unit": unit,
            "share": size / whole,
        }
        for label, (count, size) in sorted(totals.items())
    ]


def class_names(raster: Artifact, numbers: Callable[[], Iterable[int]] | None = None) -> Mapping[int, str]:
    """What a raster calls its classes: its facts say it, or its tag CLASSES, else its quantity kind.

    With ``numbers`` (of those that occur; asked for where they are needed) else the product that its name tells, if
    that has them all.
    """
    known = raster.fact("classes")
    if known is not None:
        return {int(code): str(name) for code, name in known}
    with handles() as opened:
        text = opened.get(str(raster.path)).tags().get("CLASSES")
    with suppress(ValueError, AttributeError):
        return {int(code): str(name) for code, name in json_value(text or "null").items()}
    kind = quantity_kinds().get(str(raster.fact("quantity")))
    if kind is None or kind.classes or not kind.categorical or numbers is None:
        return {} if kind is None else kind.classes
    found = product_legend(raster, numbers)
    return {} if found is None else found.called


def product_legend(raster: Artifact, numbers: Callable[[], Iterable[int]]) -> Legend | None:
    """The legend of the product that a class map is by its names, if it has all the numbers that occur."""
    told = (str(raster.fact("layer") or ""), raster.name, Path(str(raster.path)).stem)
    return legend_of(raster.fact("quantity"), told, numbers)


def numbers_in(raster: Artifact) -> frozenset[int]:
    """The numbers of a class map that occur."""

    def kernel(block: Block) -> frozenset[int]:
        return frozenset(int(number) for number in np.unique(block.raw("raster")[block.valid("raster")]))

    return reduce_blocks(kernel, {"raster": raster}, frozenset[int](), frozenset.union)


def georeferenced(raster: Artifact) -> Grid:
    """The grid of a raster whose pixels have a size; raises ``MissingFactError`` where they have none."""
    grid = grid_of(raster)
    grid.require_crs("an area")
    if grid.transform.is_identity:
        raise MissingFactError(
            "an area needs the size of the pixels",
            where=raster.path,
            expected="a raster with a geotransform",
            found="none",
            hint="say it: --assume crs=EPSG:...,resolution=...",
        )
    return grid
