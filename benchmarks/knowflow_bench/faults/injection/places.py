"""Faults of where pixels lie: other orders of rows, wrong labels, longitudes counted otherwise, lost transforms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import rasterio
from rasterio.control import GroundControlPoint
from rasterio.transform import Affine

from knowflow_bench.faults.injection.data import FileFault, Site, rewrite, write

_LONGITUDE_LATITUDE = "EPSG:4326"


def _of_one_layer(site: Site) -> list[Path]:
    """All files of one layer; which one is decided by the seed."""
    name = site.chance.choice([one.name for one in site.scene.layers])
    found = [path for path in site.rasters if path.stem.startswith(name)]
    site.touched.extend(path.name for path in found)
    return found


def south_up(site: Site, *, every: bool = False) -> None:
    """Rows from south to north, as many NetCDF files have them; every pixel lies where it lay."""
    for path in site.rasters if every else _of_one_layer(site):
        with rasterio.open(path) as source:
            turned = source.transform @ Affine.translation(0, source.height) @ Affine.scale(1, -1)
        rewrite(path, lambda pixels: pixels[:, ::-1, :], transform=turned)


def relabel(site: Site, *, crs: str, every: bool = False) -> None:
    """One layer, or all, whose files say another CRS than their coordinates are in."""
    for path in site.rasters if every else _of_one_layer(site):
        rewrite(path, lambda pixels: pixels, crs=crs)


def longitudes(site: Site, *, start: float) -> None:
    """All files in longitude and latitude, with longitudes counted from ``start`` to ``start`` + 360."""
    from pyproj import Transformer

    for path in site.rasters:
        with rasterio.open(path) as source:
            pixels, profile, tags, names = source.read(), source.profile, source.tags(), source.descriptions
            to_degrees = Transformer.from_crs(source.crs, _LONGITUDE_LATITUDE, always_xy=True)
            to_metres = Transformer.from_crs(_LONGITUDE_LATITUDE, source.crs, always_xy=True)
            west, south, east, north = source.bounds
            inverse = ~source.transform
        x, y = to_degrees.transform([west, west, east, east], [south, north, south, north])
        x = (np.asarray(x) - start) % 360 + start
        columns, rows = profile["width"], profile["height"]
        transform = Affine(np.ptp(x) / columns, 0, x.min(), 0, -np.ptp(y) / rows, max(y))
        column, row = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        metres = to_metres.transform(*(transform @ (column, row)))
        at_column, at_row = (np.floor(one).astype(int) for one in inverse @ metres)
        inside = (at_column >= 0) & (at_column < columns) & (at_row >= 0) & (at_row < rows)
        taken = pixels[:, at_row.clip(0, rows - 1), at_column.clip(0, columns - 1)]
        profile.update(crs=_LONGITUDE_LATITUDE, transform=transform)
        write(path, np.where(inside, taken, np.nan).astype(profile["dtype"]), profile, tags, names)


def swap_axes(site: Site) -> None:
    """One layer whose corner was written with latitude and longitude in the wrong order."""
    for path in _of_one_layer(site):
        with rasterio.open(path) as source:
            a, b, c, d, e, f = list(source.transform)[:6]
        rewrite(path, lambda pixels: pixels, transform=Affine(a, b, f, d, e, c))


def lost_transform(site: Site) -> None:
    """Files that say their CRS, but not where in it they lie."""
    for path in site.rasters:
        rewrite(path, lambda pixels: pixels, transform=Affine.identity())


def control_points(site: Site) -> None:
    """Files that tell where a few of their points lie, as raw scenes do."""
    for path in site.rasters:
        with rasterio.open(path) as source:
            transform, crs, height, width = source.transform, source.crs, source.height, source.width
        rewrite(path, lambda pixels: pixels, transform=Affine.identity(), crs=None)
        corners = [(row, column) for row in (0, height) for column in (0, width)]
        points = [
            GroundControlPoint(row, column, *(transform @ (column, row)), id=str(number))
            for number, (row, column) in enumerate(corners)
        ]
        with rasterio.open(path, "r+") as file:
            file.gcps = (points, crs)


def point_pixels(site: Site) -> None:
    """Files whose coordinates are those of the middles of pixels, and that say so."""
    for path in site.rasters:
        with rasterio.open(path, "r+") as file:
            file.update_tags(AREA_OR_POINT="Point")


PLACE_FAULTS: Mapping[str, FileFault] = {
    "south_up": south_up,
    "relabel": relabel,
    "longitudes": longitudes,
    "swap_axes": swap_axes,
    "lost_transform": lost_transform,
    "control_points": control_points,
    "point_pixels": point_pixels,
}
