"""Relations of where pixels lie: rows and tiles, margins, finer pixels, other places and projections."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.transform import Affine

from knowflow.ground.quantities import quantity_kinds
from knowflow_bench.metamorphic.relations.sheet import Sheet, rasters, read_sheet, rewritten, write_sheet
from knowflow_bench.metamorphic.relations.site import Asked, Relation, Site

_FAR = (40_000.0, -60_000.0)
_COUNTS = ("count", "pixels", "sum", "training_pixels", "test_pixels", "rows", "columns")
_FROM_THE_FIRST_ROW = ("rows",)  # downwards in the file, which is northwards there
_MARGIN = "valid_fraction"
_EXTREMES = ("minimum", "maximum", "p5", "p95")
_CLUSTERED = "which group a pixel is of hangs on all others"
_RANKED_PATCHES = "patches are what lies above a percentile of all pixels: one pixel more joins two of them"
_IN_GROUPS: Mapping[str, str] = {
    "land_cover_clusters": _CLUSTERED,
    "land_cover_from_training": _CLUSTERED,
    "change_map": "what counts as change is what stands out of the noise of all pixels, which interpolation smooths",
    "heat_hotspots": _RANKED_PATCHES,
}
_IN_PIXELS: Mapping[str, str] = {
    "heat_hotspots": _RANKED_PATCHES,
    "change_map": "principal components are of squares of so many pixels",
    "count_of_spots": "spots are as round as their pixels are small",
    "pixels_beyond_limit": "pixels are counted",
    "land_cover_from_training": "pixels are counted, by what they are and what they are taken for",
    "mosaic_of_scenes": "seams are feathered over so many pixels",
    "registration_check": "images are compared in windows of so many pixels",
}
_RANKED = 1e-3
"""Percentiles lie between two numbers, and of more numbers these are nearer to each other."""
_RESAMPLED = 0.05
"""Numbers between pixels, and pixels at borders, are others."""


def _gap_of(sheet: Sheet) -> float | None:
    """What marks a gap in a file that has none yet; None where nothing does."""
    if sheet.nodata is not None:
        return sheet.nodata
    return float("nan") if sheet.stored.dtype.kind == "f" else None


def _neighbours_count(site: Site) -> str:
    """Why pixels cannot be added or divided: what is derived of neighbours is another quantity then."""
    kinds = quantity_kinds()
    families = {kinds[name].family for name in site.quantities if name in kinds}
    if "terrain" in families:
        return "slopes are of neighbouring pixels"
    if "population_count" in site.quantities or site.asked.parameters.get("statistic") == "sum":
        return "pixels are added up"
    if "radar" in families:
        return "speckle is filtered in windows of so many pixels"
    return _IN_PIXELS.get(site.asked.template, "")


def _grouped(site: Site) -> str:
    """Why numbers that are a little different may give a very different map."""
    return _IN_GROUPS.get(site.asked.template, "")


def _unmarked(site: Site) -> str:
    """Why a scene cannot have a margin of gaps: a layer has nothing to mark them with."""
    for layer in site.scene.layers:
        if layer.nodata is None and np.dtype(layer.dtype).kind != "f":
            return f"{layer.name} has nothing to mark gaps with"
    return _neighbours_count(site)


def _one_grid(site: Site) -> str:
    odd = [one.name for one in site.scene.layers if one.crs or one.resolution or one.shift or one.size]
    return f"{odd[0]} has a grid of its own" if odd else ""


def _interpolated(site: Site) -> str:
    """Why pixels cannot be divided where grids differ: between the centres of four equal pixels lies another number
    than between those of one and its neighbours."""
    return "one grid is brought onto another between its pixels" if _one_grid(site) else ""


def _all_of(*reasons: Callable[[Site], str]) -> Callable[[Site], str]:
    return lambda site: next(filter(None, (reason(site) for reason in reasons)), "")


# --- the same pixels -----------------------------------------------------------------------------------------------


def _south_up(site: Site) -> Asked:
    def flipped(sheet: Sheet) -> Sheet:
        rows = sheet.stored.shape[1]
        transform = sheet.transform @ Affine(1, 0, 0, 0, -1, rows)
        return sheet.with_stored(np.ascontiguousarray(sheet.stored[:, ::-1]), transform=transform)

    rewritten(site.folder, flipped)
    return site.asked


def _padded(site: Site) -> Asked:
    """A margin without data, as wide on every file."""
    left, right, top, bottom = (site.chance.randrange(9) for _ in range(4))

    def widened(sheet: Sheet) -> Sheet:
        gap = _gap_of(sheet)
        assert gap is not None
        margin = ((0, 0), (top, bottom), (left, right))
        stored = np.pad(sheet.stored, margin, constant_values=sheet.stored.dtype.type(gap))
        return sheet.with_stored(stored, nodata=gap, transform=sheet.transform @ Affine.translation(-left, -top))

    rewritten(site.folder, widened)
    return site.asked


def _in_tiles(site: Site) -> Asked:
    """Every file as four beside each other, which overlap nowhere, in a folder for each tile."""
    across, down = site.chance.uniform(0.3, 0.7), site.chance.uniform(0.3, 0.7)
    for path in rasters(site.folder):
        sheet = read_sheet(path)
        rows, columns = sheet.stored.shape[1:]
        row, column = round(rows * down), round(columns * across)
        path.unlink()
        halves = (slice(0, row), slice(row, None)), (slice(0, column), slice(column, None))
        for number, (top, left) in enumerate(product(*halves)):
            folder = site.folder / f"tile {number + 1}"
            folder.mkdir(exist_ok=True)
            write_sheet(folder / path.name, cut(sheet, top, left))
    return site.asked


def cut(sheet: Sheet, rows: slice, columns: slice) -> Sheet:
    """A part of a sheet by its rows and columns."""
    transform = sheet.transform @ Affine.translation(columns.start or 0, rows.start or 0)
    return sheet.with_stored(np.ascontiguousarray(sheet.stored[:, rows, columns]), transform=transform)


def _window(site: Site) -> tuple[slice, slice]:
    """Rows and columns that an area of interest takes: the same for the folder's changed and unchanged half."""
    rows, columns = site.scene.size
    chance = type(site.chance)(f"{site.scene.size} {site.scene.origin}")
    top, left = chance.randrange(rows // 3), chance.randrange(columns // 3)
    bottom, right = rows - chance.randrange(rows // 3), columns - chance.randrange(columns // 3)
    return slice(top, bottom), slice(left, right)


def _cropped(site: Site) -> Asked:
    rows, columns = _window(site)
    rewritten(site.folder, lambda sheet: cut(sheet, rows, columns))
    return site.asked


def _within_area(site: Site) -> Asked:
    """The files as they are, and a polygon of the same window for an area of interest, beside the folder."""
    import shapely

    from knowflow.ground.vectors import write

    (rows, columns), scene = _window(site), site.scene
    west, north = scene.origin
    size = scene.resolution
    box = shapely.box(
        west + columns.start * size, north - rows.stop * size, west + columns.stop * size, north - rows.start * size
    )
    path = site.folder.parent / "area.gpkg"
    geometry = np.array([shapely.to_wkb(box)], dtype=object)
    write(
        path,
        geometry=geometry,
        field_data=[np.array([1])],
        fields=["id"],
        crs=scene.crs,
        geometry_type="Polygon",
        driver="GPKG",
        layer="area",
    )
    return replace(site.asked, aoi=str(path))


def _finer(site: Site) -> Asked:
    """Every pixel as four of half the size."""

    def halved(sheet: Sheet) -> Sheet:
        stored = sheet.stored.repeat(2, axis=1).repeat(2, axis=2)
        return sheet.with_stored(stored, transform=sheet.transform @ Affine.scale(0.5))

    rewritten(site.folder, halved)
    return site.asked


def _elsewhere(site: Site) -> Asked:
    """All pixels somewhere else in the same projection."""
    east, north = _FAR

    def moved(sheet: Sheet) -> Sheet:
        return replace(sheet, transform=Affine.translation(east, north) @ sheet.transform)

    rewritten(site.folder, moved)
    return site.asked


def _with_vectors(site: Site) -> str:
    return "polygons would have to move as well" if site.scene.vectors else ""


def _local(site: Site) -> str:
    if "elevation" in site.quantities:
        return "slopes are of distances on the ground, and maps have another scale elsewhere"
    return "degrees are not of one size" if site.scene.crs == "EPSG:4326" else ""


# --- resampled -----------------------------------------------------------------------------------------------------


def _there_and_back(site: Site) -> Asked:
    """Into another projection with pixels of a quarter, and back: what lies between pixels is interpolated twice."""
    from rasterio.crs import CRS

    there = CRS.from_epsg(3035)

    def travelled(sheet: Sheet) -> Sheet:
        away = _warped(sheet, there, 0.25, True)
        return _onto(away, sheet)

    rewritten(site.folder, travelled)
    return site.asked


def _reprojected(site: Site) -> Asked:
    """In another projection, with pixels of a third: nearest neighbours."""
    from rasterio.crs import CRS

    other = CRS.from_epsg(3035)
    rewritten(site.folder, lambda sheet: _warped(sheet, other, 1 / 3, False))
    return site.asked


def _warped(sheet: Sheet, crs: Any, finer: float, between: bool) -> Sheet:
    """A sheet in another projection in metres, with pixels of a part of their size, over all of its extent."""
    from rasterio.warp import transform_bounds

    rows, columns = sheet.stored.shape[1:]
    (west, north), (east, south) = sheet.transform @ (0, 0), sheet.transform @ (columns, rows)
    west, south, east, north = transform_bounds(sheet.crs, crs, west, south, east, north)
    size = sheet.transform.a * finer
    shape = math.ceil((north - south) / size), math.ceil((east - west) / size)
    return _resampled(sheet, crs, Affine(size, 0, west, 0, -size, north), shape, between)


def _onto(sheet: Sheet, like: Sheet) -> Sheet:
    """A sheet on the grid of another one, with its gaps, and its numbers where there are none."""
    found = _resampled(sheet, like.crs, like.transform, like.stored.shape[1:], True)
    return found.with_stored(np.where(like.gaps | found.gaps, like.stored, found.stored), nodata=like.nodata)


def _resampled(sheet: Sheet, crs: Any, transform: Affine, shape: tuple[int, ...], between: bool) -> Sheet:
    """Classes and masks by the nearest pixel; numbers, too, or ``between`` four."""
    from rasterio.warp import Resampling, reproject

    between = between and sheet.stored.dtype.kind == "f"
    gap = _gap_of(sheet)
    made: NDArray[Any] = np.full((len(sheet.stored), *shape), 0 if gap is None else gap, dtype=sheet.stored.dtype)
    reproject(
        sheet.stored,
        made,
        src_transform=sheet.transform,
        src_crs=sheet.crs,
        dst_transform=transform,
        dst_crs=crs,
        src_nodata=gap,
        dst_nodata=gap,
        resampling=Resampling.bilinear if between else Resampling.nearest,
    )
    return sheet.with_stored(made, crs=crs, transform=transform, nodata=gap)


GROUND = (
    Relation("south_up", "with rows from south to north", _south_up, numbered=False, columns=_FROM_THE_FIRST_ROW),
    Relation("padded", "with a margin without data", _padded, not_of=_unmarked, columns=(_MARGIN,)),
    Relation("tiles", "split into four tiles", _in_tiles, not_of=_one_grid),
    Relation("cropped", "cut to the area of interest before", _cropped, base=_within_area, not_of=_one_grid),
    Relation(
        "finer",
        "with pixels of half the size",
        _finer,
        _RANKED,
        not_of=_all_of(_neighbours_count, _interpolated),
        columns=_COUNTS,
    ),
    Relation(
        "elsewhere", "somewhere else in the projection", _elsewhere, not_of=_all_of(_with_vectors, _local), moved=_FAR
    ),
    Relation(
        "there_and_back",
        "reprojected and back again",
        _there_and_back,
        _RESAMPLED,
        not_of=_all_of(_neighbours_count, _grouped),
        maps=False,
        numbered=False,
        columns=_EXTREMES,
    ),
    Relation(
        "reprojected",
        "in another projection",
        _reprojected,
        _RESAMPLED,
        not_of=_all_of(_unmarked, _one_grid, _grouped),
        maps=False,
        numbered=False,
        columns=(*_COUNTS, _MARGIN),
    ),
)
