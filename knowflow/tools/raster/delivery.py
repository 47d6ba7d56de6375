"""Final results: cloud optimised GeoTIFF with overviews, carrying what is known of them."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import rasterio
import rasterio.shutil
from rasterio._err import CPLE_BaseError
from rasterio.enums import ColorInterp
from rasterio.errors import RasterioError

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.raster.engine import map_blocks
from knowflow.tools.raster.output import TAGGED_FACTS, Output, known_tags
from knowflow.tools.raster.source import Source, handles, open_raster, open_source, unreadable
from knowflow.tools.raster.writer import (
    COMPRESSION_THREADS,
    TILE,
    WRITE_BEHIND_BYTES,
    no_space,
    verify_tiles,
    write_error,
)


def deliver_cog(source: Artifact, destination: Path) -> None:
    """Write a raster as a cloud optimised GeoTIFF with overviews; whole or not at all.

    An artifact that is one band of a file is delivered as that band alone. Stored numbers, nodata, masks, scale,
    colours, descriptions and tags are kept, and what the artifact's facts say beyond its header (CRS, transform,
    quantity, unit, date...) is written into it. Overviews average continuous values and take the nearest of classes.
    """
    check_cancelled()
    partial = destination.with_name(f".{destination.name}.partial")
    alone = destination.with_name(f".{destination.name}.band")
    try:
        with handles() as opened:
            meaning = open_source(source, opened, many_bands=True)
            if len(meaning.bands) < opened.get(meaning.path).count:
                map_blocks(lambda block: block.stored("raster"), {"raster": source}, Output.like(alone, source))
                source = replace(source, path=str(alone), band=None)
                meaning = open_source(source, opened, many_bands=True)
            destination.parent.mkdir(parents=True, exist_ok=True)
            free, needed = shutil.disk_usage(destination.parent).free, Path(meaning.path).stat().st_size
            if free < needed + min(needed, WRITE_BEHIND_BYTES):
                raise no_space(destination, f"{free >> 20} MB free")
            _convert(source, meaning, opened.get(meaning.path), partial)
        _verify(partial, destination)
        partial.replace(destination)
    except (RasterioError, CPLE_BaseError, OSError) as error:
        if Path(str(source.path)).name in str(error):  # GDAL begins with the file that it means
            raise unreadable(str(source.path), error) from error
        raise write_error(destination, error) from error
    finally:
        partial.unlink(missing_ok=True)
        alone.unlink(missing_ok=True)
    report_progress(1.0)


def _verify(partial: Path, destination: Path) -> None:
    """Raise unless what was written can be read: of a disk that fills up as it closes a file GDAL tells nobody."""
    try:
        verify_tiles(partial)
    except UnreadableDataError as error:
        raise write_error(destination, error) from error


def _convert(source: Artifact, meaning: Source, dataset: Any, target: Path) -> None:
    """Copy through a view of the file that says what the facts say."""
    view = f"/vsimem/{uuid4().hex}.vrt"
    tags = known_tags(source, dataset, TAGGED_FACTS)
    try:
        rasterio.shutil.copy(dataset, view, driver="VRT")
        with open_raster(view, "r+") as seen:
            if meaning.grid.crs is not None:
                seen.crs = rasterio.CRS.from_user_input(meaning.grid.crs)
            if not meaning.grid.transform.is_identity:
                seen.transform = meaning.grid.transform
            if meaning.nodata is not None and not _same(seen.nodata, meaning.nodata):
                seen.nodata = meaning.nodata
            seen.update_tags(**tags)
        with open_raster(view) as seen, rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES):
            rasterio.shutil.copy(
                seen,
                target,
                driver="COG",
                compress="ZSTD",
                level=9,
                predictor="YES",
                blocksize=TILE,
                overview_resampling="AVERAGE" if _continuous(tags, seen) else "NEAREST",
                num_threads=COMPRESSION_THREADS,
                bigtiff="IF_SAFER",
            )
    finally:
        if rasterio.shutil.exists(view):
            rasterio.shutil.delete(view)


def _continuous(tags: dict[str, str], dataset: Any) -> bool:
    """Whether averages of the numbers mean something: by quantity, else by whether they have no colours."""
    kind = quantity_kinds().get(tags.get("QUANTITY", "").casefold())
    if kind is not None:
        return kind.continuous
    return bool(dataset.colorinterp[0] != ColorInterp.palette)


def _same(a: float | None, b: float) -> bool:
    return a is not None and (a == b or (math.isnan(a) and math.isnan(b)))
