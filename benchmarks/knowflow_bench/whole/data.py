"""Files to ask about: two bands of one scene, a series of one date a year, polygons over it, and days in a row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio
from rasterio.windows import Window

from knowflow_bench.raster.scenes import TRANSFORM, profile_of

BANDS = ("S2_2020-07-01T100008_B04.tif", "S2_2020-07-01T100008_B08.tif")
POLYGONS = "fields.gpkg"
_ROWS = 512
_FIRST_YEAR = 2000


def make_bands(folder: Path, size: int, *, declared: bool) -> None:
    """Red and near infrared of ``size`` x ``size``: uint16 reflectance times 10000 with a margin without data (0).

    ``declared``: the files say their scale and what they hold; else the names are all that tells.
    """
    folder.mkdir(parents=True)
    for number, name in enumerate(BANDS):
        rng = np.random.default_rng(number)
        with rasterio.open(folder / name, "w", **profile_of(size, "uint16", 0, 2)) as dataset:
            if declared:
                dataset.scales, dataset.offsets = (1e-4,), (0.0,)
                dataset.update_tags(QUANTITY="surface_bidirectional_reflectance", SCALE="0.0001", OFFSET="0")
            columns = np.linspace(0, 9, size, dtype=np.float32)
            for row in range(0, size, _ROWS):
                rows = np.arange(row, min(row + _ROWS, size), dtype=np.float32)[:, None] / size
                smooth = np.sin(columns + number) * np.cos(7 * rows + number)
                texture = rng.normal(0, 60, (rows.size, size)).astype(np.float32)
                values = np.clip(1500 + number * 1500 + 1200 * smooth + texture, 60, 9000).astype(np.uint16)
                ponds = np.cos(60 * columns) * np.cos(60 * rows) > 0.8  # dark places tell whether there is an offset
                values[ponds] = np.clip(120 + texture[ponds], 60, 900)
                values[:, : size // 40] = 0
                dataset.write(values, 1, window=Window(0, row, size, rows.size))


def make_series(folder: Path, dates: int, side: int) -> None:
    """NDVI of ``side`` x ``side`` on one date a year, float32, a fifth of it without data, with a trend."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[0:side, 0:side].astype(np.float32) / side
    base = 0.4 + 0.3 * np.sin(6 * columns) * np.cos(5 * rows)
    for number in range(dates):
        values = base + 0.01 * number * columns + rng.normal(0, 0.02, base.shape).astype(np.float32)
        values[rng.random(values.shape, dtype=np.float32) < 0.2] = np.nan
        with rasterio.open(
            folder / f"NDVI_{_FIRST_YEAR + number}-07-01.tif", "w", **profile_of(side, "float32", np.nan, 3)
        ) as dataset:
            dataset.write(values.astype(np.float32), 1)


def make_dates(folder: Path, count: int, side: int = 16) -> None:
    """NDVI of ``side`` x ``side`` on so many days in a row: what there is to do for each is nothing to speak of."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    level = rng.normal(0.5, 0.1, count)
    profile = {**profile_of(side, "float32", np.nan, 3), "blockxsize": 16, "blockysize": 16, "num_threads": 1}
    for number in range(count):
        day = np.datetime64(f"{_FIRST_YEAR}-01-01") + number
        with rasterio.open(folder / f"NDVI_{day}.tif", "w", **profile) as dataset:
            dataset.write((level[number] + rng.normal(0, 0.05, (side, side))).astype(np.float32), 1)


def make_polygons(folder: Path, count: int, side: int) -> None:
    """About ``count`` fields in rows and columns over a series, each a slanted rectangle with a name."""
    import shapely

    from knowflow.ground.vectors import write

    across = max(1, round(count**0.5))
    step = 10.0 * side / across
    west, north = TRANSFORM.c, TRANSFORM.f
    shapes, names = [], []
    for row in range(across):
        for column in range(across):
            x, y = west + (column + 0.5) * step, north - (row + 0.5) * step
            box = shapely.box(x - 0.4 * step, y - 0.35 * step, x + 0.4 * step, y + 0.35 * step)
            shapes.append(shapely.affinity.rotate(box, 7.0))
            names.append(f"field {row}-{column}")
    write(
        folder / POLYGONS,
        geometry=shapely.to_wkb(np.array(shapes)),
        field_data=[np.array(names, dtype=object)],
        fields=["name"],
        geometry_type="Polygon",
        crs="EPSG:32633",
        driver="GPKG",
    )
