"""Final results: cloud optimised GeoTIFF with overviews, carrying what is known of them."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import rasterio
import rasterio.shutil
from rasterio._err import CPLE_BaseError
from rasterio.enums import ColorInterp, MaskFlags, Resampling
from rasterio.errors import RasterioError

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.raster.cog_layout import arrange, hollow
from knowflow.tools.raster.engine import map_blocks
from knowflow.tools.raster.grid import header_crs
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

_COMPRESSIONS = frozenset({"zstd", "deflate", "lzw"})
_OVERVIEWS = {
    "GDAL_CACHEMAX": WRITE_BEHIND_BYTES,
    "GDAL_NUM_THREADS": COMPRESSION_THREADS,
    "GDAL_TIFF_OVR_BLOCKSIZE": TILE,
    "COMPRESS_OVERVIEW": "ZSTD",
    "ZSTD_LEVEL_OVERVIEW": 1,
    "BIGTIFF_OVERVIEW": "IF_SAFER",
}


def deliver_cog(source: Artifact, destination: Path) -> None:
    """Write a raster as a cloud optimised GeoTIFF with overviews; whole or not at all.

    An artifact that is one band of a file is delivered as that band alone, and one with codes without them. Stored
    numbers, nodata, masks, scale, colours, descriptions and tags are kept, and what the artifact's facts say beyond its
    header (CRS, transform, quantity, unit, date...) is written into it. Overviews average continuous values and take
    the nearest of classes.
    """
    check_cancelled()
    partial = destination.with_name(f".{destination.name}.partial")
    alone = destination.with_name(f".{destination.name}.band")
    try:
        with handles() as opened:
            meaning = open_source(source, opened, many_bands=True)
            if len(meaning.bands) < opened.get(meaning.path).count or meaning.valid_range is not None:
                source = written_alone(source, alone)
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


def written_alone(source: Artifact, path: Path) -> Artifact:
    """The bands of a raster in a file of their own, as they are stored; codes beyond what was measured are no data."""
    map_blocks(lambda block: block.stored("raster"), {"raster": source}, Output.like(path, source))
    return replace(source, path=str(path), band=None, facts=source.facts.without(("valid_range",)))


def tells_all(source: Artifact) -> bool:
    """Whether a raster is all of a file whose header says what is known of it."""
    with handles() as opened:
        meaning = open_source(source, opened, many_bands=True)
        dataset = opened.get(meaning.path)
        tags = known_tags(source, dataset, TAGGED_FACTS)
        whole = len(meaning.bands) == dataset.count and meaning.valid_range is None
        return whole and not _unsaid(dataset, meaning, tags)


def is_cog(path: str) -> bool:
    """Whether a file is in the layout of a cloud optimised GeoTIFF."""
    with open_raster(path) as dataset:
        return bool(dataset.tags(ns="IMAGE_STRUCTURE").get("LAYOUT") == "COG")


def _verify(partial: Path, destination: Path) -> None:
    """Raise unless what was written can be read: of a disk that fills up as it closes a file GDAL tells nobody."""
    try:
        verify_tiles(partial)
    except UnreadableDataError as error:
        raise write_error(destination, error) from error


def _convert(source: Artifact, meaning: Source, dataset: Any, target: Path) -> None:
    """Bring a file into the form of a COG that says what the facts say."""
    tags = known_tags(source, dataset, TAGGED_FACTS)
    unsaid = _unsaid(dataset, meaning, tags)
    resampling = Resampling.average if _continuous(tags, dataset) else Resampling.nearest
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        view = Path(folder) / "view.vrt"
        rasterio.shutil.copy(dataset, str(view), driver="VRT")
        _say(view, unsaid)
        if not _can_be_arranged(dataset):
            _compressed_again(view, resampling, target)
            return
        overviews = _overviews(view, resampling, max(dataset.shape))
        full, header = Path(dataset.name), view.with_name("header.tif")
        if unsaid:
            hollow(full, header)
            _say(header, unsaid)
        arrange(full, overviews, target, header if unsaid else None)


def _unsaid(dataset: Any, meaning: Source, tags: Mapping[str, str]) -> dict[str, Any]:
    """What is known of a raster and its header does not say: CRS, transform, nodata, scale, tags."""
    grid, found = meaning.grid, {}
    if grid.crs is not None and header_crs(dataset) != grid.crs:
        found["crs"] = rasterio.CRS.from_user_input(grid.crs)
    if not grid.transform.is_identity and dataset.transform != grid.transform:
        found["transform"] = grid.transform
    if meaning.nodata is not None and not _same(dataset.nodata, meaning.nodata):
        found["nodata"] = meaning.nodata
    said = (meaning.scale,) * dataset.count, (meaning.offset,) * dataset.count
    if (dataset.scales, dataset.offsets) != said:
        found["scales"], found["offsets"] = said
    if not tags.items() <= dataset.tags().items():
        found["tags"] = tags
    return found


def _say(path: Path, unsaid: Mapping[str, Any]) -> None:
    """Write it into the header of a file."""
    with open_raster(path, "r+") as dataset:
        for name, value in unsaid.items():
            if name == "tags":
                dataset.update_tags(**value)
            else:
                setattr(dataset, name, value)


def _can_be_arranged(dataset: Any) -> bool:
    """Whether a file is as the writer leaves it: one image of compressed tiles; no masks, overviews or sidecars."""
    profile = dataset.profile
    masked = {MaskFlags.per_dataset, MaskFlags.alpha} & {flag for flags in dataset.mask_flag_enums for flag in flags}
    return bool(
        dataset.driver == "GTiff"
        and dataset.count == 1
        and profile.get("tiled")
        and profile.get("compress") in _COMPRESSIONS
        and profile["blockxsize"] <= TILE
        and len(dataset.files) == 1
        and not masked
        and not dataset.overviews(1)
    )


def _overviews(view: Path, resampling: Resampling, side: int) -> Path | None:
    """The file beside a view with what is seen from further away, or None where one tile holds it all."""
    levels = [2**n for n in range(1, 32) if side > TILE * 2 ** (n - 1)]
    if not levels:
        return None
    with rasterio.Env(**_OVERVIEWS), open_raster(view, "r+") as seen:
        seen.build_overviews(levels, resampling)
    return view.with_name(f"{view.name}.ovr")


def _compressed_again(view: Path, resampling: Resampling, target: Path) -> None:
    """What GDAL's driver makes of a raster that is not as the writer leaves it."""
    with open_raster(view, own=True) as seen, rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES):
        rasterio.shutil.copy(
            seen,
            target,
            driver="COG",
            compress="ZSTD",
            level=1,
            predictor="YES",
            blocksize=TILE,
            overview_resampling=resampling.name.upper(),
            num_threads=COMPRESSION_THREADS,
            bigtiff="IF_SAFER",
        )


def _continuous(tags: dict[str, str], dataset: Any) -> bool:
    """Whether averages of the numbers mean something: by quantity, else by whether they have no colours."""
    kind = quantity_kinds().get(tags.get("QUANTITY", ""))
    if kind is not None:
        return kind.continuous
    return bool(dataset.colorinterp[0] != ColorInterp.palette)


def _same(a: float | None, b: float) -> bool:
    return a is not None and (a == b or (math.isnan(a) and math.isnan(b)))
