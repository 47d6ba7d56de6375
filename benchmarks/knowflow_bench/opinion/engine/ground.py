"""Opinions on what has a place: areas, polygons, classes, objects, tiles, terrain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from knowflow_bench.opinion.engine.field import (
    Field,
    NoOpinionError,
    Partly,
    Pixels,
    class_names,
    levels,
    mean_level,
    read_polygons,
)

_IN_M2 = {"m2": 1.0, "ha": 1e4, "km2": 1e6}


def _pixel_areas(field: Field) -> Pixels:
    """The area of every pixel in m2: on the ellipsoid where degrees are its sides, else in the plane.

    Projections that stretch areas by more than a percent have no opinion."""
    rows, columns = field.pixels.shape
    t = field.transform
    if field.crs is None or not field.crs.is_geographic:
        code = field.crs.to_epsg() if field.crs else None
        if code in (3857, 3395):
            raise NoOpinionError("areas of a projection that stretches them")
        return np.full((rows, columns), abs(t.a * t.e - t.b * t.d))
    from pyproj import Geod

    geod = Geod(ellps="WGS84")
    areas = []
    for row in range(rows):
        north, south = t.f + row * t.e, t.f + (row + 1) * t.e
        middle, half = (north + south) / 2, abs(t.e) / 2
        lats = np.concatenate([np.full(9, middle - half), np.full(9, middle + half)])
        lons = np.concatenate([np.linspace(0, t.a, 9), np.linspace(t.a, 0, 9)])
        areas.append(abs(geod.polygon_area_perimeter(lons, lats)[0]))
    return np.repeat(np.array(areas)[:, None], columns, axis=1)


def area(mask: Field, unit: str = "ha", when_empty: str = "fail") -> float:
    return float(_pixel_areas(mask)[mask.pixels == 1].sum()) / _IN_M2[unit]


def area_by_class(raster: Field, unit: str = "ha") -> list[dict[str, Any]]:
    areas, seen = _pixel_areas(raster), np.isfinite(raster.pixels)
    rows = []
    for code in np.unique(raster.pixels[seen]):
        here = raster.pixels == code
        shared = float(areas[here].sum()) / float(areas[seen].sum())
        rows.append(
            {
                "class": int(code),
                "pixels": int(here.sum()),
                "area": float(areas[here].sum()) / _IN_M2[unit],
                "share": shared,
            }
        )
    return rows


def _named(classes: Field, code: float) -> dict[str, Any]:
    """The column with the name of a class, where the file itself has one."""
    names = class_names(classes)
    return {"name": names[int(code)]} if int(code) in names else {}


def zonal_by_raster(
    raster: Field, zones: Field, statistics: Sequence[str] = ("count", "mean", "std", "minimum", "maximum", "sum")
) -> list[dict[str, Any]]:
    both = np.isfinite(raster.pixels) & np.isfinite(zones.pixels)
    rows = []
    for code in np.unique(zones.pixels[both]):
        here = raster.pixels[both & (zones.pixels == code)]
        found = {"count": here.size, "mean": here.mean(), "std": here.std()}
        found |= {"minimum": here.min(), "maximum": here.max(), "sum": here.sum()}
        rows.append({"class": int(code), **_named(zones, code), **{name: found[name] for name in statistics}})
    return rows


def _covered(field: Field, shape: Any) -> Pixels:
    """The share of each pixel that a polygon covers, by intersecting the two."""
    import shapely

    rows, columns = np.indices(field.pixels.shape)
    x0, y0 = field.transform @ (columns, rows)
    x1, y1 = field.transform @ (columns + 1, rows + 1)
    boxes = shapely.box(np.minimum(x0, x1), np.minimum(y0, y1), np.maximum(x0, x1), np.maximum(y0, y1))
    return np.asarray(shapely.area(shapely.intersection(boxes, shape)) / shapely.area(boxes))


def zonal_statistics(raster: Field, zones: str, statistics: Sequence[str] = (), **_: Any) -> list[dict[str, Any]]:
    """Means and sums weighted by the covered share of pixels."""
    rows = []
    for attributes, shape in read_polygons(zones):
        weight = np.where(np.isfinite(raster.pixels), _covered(raster, shape), 0.0)
        numbers = np.where(weight > 0, raster.pixels, 0.0)
        count = float(weight.sum())
        row = {"count": count, "sum": float((weight * numbers).sum())}
        if count:
            seen = weight > 0
            row["mean"] = mean_level(raster.pixels[seen], weight[seen]) if levels(raster) else row["sum"] / count
            row["minimum"], row["maximum"] = (float(f(raster.pixels[weight > 0])) for f in (np.min, np.max))
        if levels(raster):
            del row["sum"]  # of levels there is none
        rows.append({**attributes, **row})
    return rows


def area_by_polygon(mask: Field, zones: str, unit: str = "ha", **_: Any) -> list[dict[str, Any]]:
    rows, areas = [], _pixel_areas(mask)
    for attributes, shape in read_polygons(zones):
        weight = np.where(np.isfinite(mask.pixels), _covered(mask, shape), 0.0)
        yes = weight * (mask.pixels == 1)
        row = {
            "pixels": float(yes.sum()),
            "count": float(weight.sum()),
            "area": float((yes * areas).sum()) / _IN_M2[unit],
        }
        rows.append({**attributes, **row, "share": float((yes * areas).sum() / (weight * areas).sum())})
    return rows


def mask_of_class(raster: Field, name: str, **_: Any) -> Pixels:
    """By the names that the file itself gives its classes."""
    names = class_names(raster)
    codes = [code for code, text in names.items() if text.lower().replace(" ", "_") == name]
    if not codes:
        raise NoOpinionError("classes that the file does not name so")
    return np.where(np.isnan(raster.pixels), np.nan, np.isin(raster.pixels, codes).astype(float))


def connected_components(mask: Field, connectivity: int = 8, minimum_size: int = 1, **_: Any) -> dict[str, Any]:
    around = np.ones((3, 3)) if connectivity == 8 else None
    labels, count = ndimage.label(mask.pixels == 1, around)
    sizes = np.bincount(labels.ravel())[1:]
    kept = [number + 1 for number in range(count) if sizes[number] >= minimum_size]
    numbers = np.zeros(count + 1)
    numbers[kept] = np.arange(1, len(kept) + 1)
    found = numbers[labels]
    return {"value": len(kept), "output": Partly(found, np.isfinite(mask.pixels))}


def count_objects(mask: Field, connectivity: int = 8, minimum_size: int = 1, when_empty: str = "fail") -> float:
    return float(connected_components(mask, connectivity, minimum_size)["value"])


def largest_object(mask: Field, unit: str = "ha", connectivity: int = 8, when_empty: str = "fail") -> float:
    labels, _ = ndimage.label(mask.pixels == 1, np.ones((3, 3)) if connectivity == 8 else None)
    areas = np.bincount(labels.ravel(), _pixel_areas(mask).ravel())[1:]
    return float(areas.max(initial=0.0)) / _IN_M2[unit]


def otsu_threshold(raster: Field, bins: int = 256) -> float:
    """Otsu (1979): of all limits the one with the largest variance between the two groups."""
    seen = raster.seen
    counts, edges = np.histogram(seen, bins=bins)
    middles = (edges[:-1] + edges[1:]) / 2
    below, above = np.cumsum(counts)[:-1], counts.sum() - np.cumsum(counts)[:-1]
    sums = np.cumsum(counts * middles)
    between = below * above * (sums[:-1] / below - (sums[-1] - sums[:-1]) / above) ** 2
    return float(middles[int(np.argmax(between))])


def mosaic(series: Sequence[Field], method: str = "first", **_: Any) -> Pixels:
    """Rasters on one grid beside each other; the first that has data counts."""
    if method != "first":
        raise NoOpinionError(method)
    first = series[0]
    places = []
    for one in series:
        column, row = ~first.transform @ (one.transform.c, one.transform.f)
        if abs(column - round(column)) > 1e-3 or abs(row - round(row)) > 1e-3 or one.transform.a != first.transform.a:
            raise NoOpinionError("rasters on other grids")
        places.append((round(row), round(column), *one.pixels.shape))
    top, left = min(place[0] for place in places), min(place[1] for place in places)
    bottom, right = max(p[0] + p[2] for p in places), max(p[1] + p[3] for p in places)
    found = np.full((bottom - top, right - left), np.nan)
    for one, (row, column, rows, columns) in zip(series, places, strict=True):
        part = found[row - top : row - top + rows, column - left : column - left + columns]
        np.copyto(part, one.pixels, where=np.isnan(part))
    return found


# --- terrain: Horn (1981), in the interior; at the edge there are several customs -------------------------------------


def _gradient(dem: Field) -> tuple[Pixels, Pixels, Any]:
    """Rise to the east and to the north, per metre, and where both are known by eight neighbours."""
    if dem.crs is None or dem.crs.is_geographic or dem.unit not in ("", "m"):
        raise NoOpinionError("heights that are not in metres on a plane")
    z, t = dem.pixels, dem.transform
    if t.b or t.d or t.a <= 0:
        raise NoOpinionError("rotated grids")
    across = np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    east = ndimage.correlate(z, across, mode="nearest") / (8 * t.a)
    north = -ndimage.correlate(z, across.T, mode="nearest") / (8 * abs(t.e)) * (1 if t.e < 0 else -1)
    inside = np.zeros(z.shape, dtype=bool)
    inside[1:-1, 1:-1] = True
    inside &= ~ndimage.binary_dilation(np.isnan(z), np.ones((3, 3)))
    return east, north, inside


def slope(dem: Field, **_: Any) -> Partly:
    east, north, inside = _gradient(dem)
    return Partly(np.degrees(np.arctan(np.hypot(east, north))), inside)


def slope_percent(dem: Field, **_: Any) -> Partly:
    east, north, inside = _gradient(dem)
    return Partly(100 * np.hypot(east, north), inside)


def aspect(dem: Field, **_: Any) -> Partly:
    """The way down, clockwise from north; flat ground has none."""
    east, north, inside = _gradient(dem)
    down = np.degrees(np.arctan2(-east, -north)) % 360
    return Partly(down, inside & (np.hypot(east, north) > 1e-9))


def tri(dem: Field, **_: Any) -> Partly:
    """Riley et al. (1999): the root of the sum of squared differences from the eight neighbours."""
    inside = _gradient(dem)[2]
    z = dem.pixels
    total = np.zeros(z.shape)
    for row in (-1, 0, 1):
        for column in (-1, 0, 1):
            total += (np.roll(z, (row, column), axis=(0, 1)) - z) ** 2
    return Partly(np.sqrt(total), inside)
