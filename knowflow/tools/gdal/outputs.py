"""What GDAL wrote, delivered as every tool of ours delivers it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import rasterio.shutil
from affine import Affine
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, MaskFlags
from rasterio.vrt import WarpedVRT

from knowflow.graph.effects import predicted_outputs
from knowflow.ground.errors import ToolError
from knowflow.ground.vectors import list_layers, read, write
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts
from knowflow.model.tool import ToolSchema
from knowflow.tools.gdal.inputs import Desk
from knowflow.tools.raster.blocks import Block
from knowflow.tools.raster.engine import map_blocks
from knowflow.tools.raster.output import TAGGED_FACTS, Output, colormap
from knowflow.tools.raster.source import Handles, handles, open_raster, open_source

_VECTOR_FORMATS: Mapping[str, str] = {
    ".geojson": "GeoJSON",
    ".json": "GeoJSON",
    ".fgb": "FlatGeobuf",
    ".csv": "CSV",
}
_DESCRIBING = tuple(name for name in TAGGED_FACTS if name not in ("scale", "offset"))
_COLOURS = frozenset({ColorInterp.red, ColorInterp.green, ColorInterp.blue, ColorInterp.alpha})


def _on_grid_of_effects(scratch: Path, facts: Facts) -> Path:
    """A raster whose rows GDAL has turned around, as some of its algorithms do from south to north, with them as given.

    Pixel for pixel: only rows and columns change their order.
    """
    crs, transform, shape = (facts.value(name) for name in ("crs", "transform", "shape"))
    if crs is None or transform is None or shape is None:
        return scratch
    expected, turned = Affine(*transform), scratch.with_name(f"turned_{scratch.name}")
    with open_raster(scratch) as written:
        found = written.transform
        same_place = np.allclose(geo.bounds_of(found[:6], written.shape), geo.bounds_of(expected[:6], shape))
        if found.almost_equals(expected) or written.shape != shape or not same_place:
            return scratch
        size = {"height": shape[0], "width": shape[1]}
        with WarpedVRT(written, crs=written.crs, transform=expected, **size) as mirrored:
            rasterio.shutil.copy(mirrored, str(turned), driver="GTiff", TILED="YES", BIGTIFF="IF_SAFER")
    return turned


def vector_format(path: Path) -> str:
    """GDAL's name of the vector format that a file name asks for; GeoPackage where it asks for none."""
    return _VECTOR_FORMATS.get(path.suffix.lower(), "GPKG")


def deliver_raster(schema: ToolSchema, output: str, scratch: Path, path: Path, arguments: Mapping[str, Any]) -> None:
    """Copy a raster, block by block, into one whose header tells the truth.

    Statistics are measured, missing numbers become NaN in floating point rasters, and the tags are exactly the facts
    that the tool's effects imply: what GDAL took over from the input's header by itself may no longer be so.
    """
    _require(scratch, f"a raster for {output}")
    facts = predicted_outputs(schema, arguments, schema.tool)[output].facts
    scratch = _on_grid_of_effects(scratch, facts)
    sources = {"written": Artifact("raster", path=str(scratch))}
    with handles() as opened:
        dataset = opened.get(str(scratch))
        dtype = str(np.result_type(*dataset.dtypes))
        colours: tuple[ColorInterp, ...] = dataset.colorinterp
        flags = {flag for flags in dataset.mask_flag_enums for flag in flags}
        described = Output(
            path,
            dtype=dtype,
            nodata=math.nan if np.dtype(dtype).kind == "f" else dataset.nodata,
            bands=tuple(dataset.descriptions),
            tags={name.upper(): _tag(facts.value(name)) for name in _DESCRIBING if facts.value(name) is not None},
            keep=(),
            colormap=colormap(dataset, 1),
        )
        if flags == {MaskFlags.all_valid} and not described.floating:
            sources |= _origin(sources["written"], arguments, opened)

    def copy(block: Block) -> NDArray[Any]:
        if "origin" in block:
            values = block.raw("written")
            return np.ma.MaskedArray(values, mask=np.broadcast_to(~block.valid("origin"), values.shape))
        if MaskFlags.alpha in flags or flags == {MaskFlags.all_valid}:
            return block.raw("written")
        return block.stored("written")

    map_blocks(copy, sources, described, many_bands=True)
    if _COLOURS & set(colours):
        with open_raster(path, "r+") as finished:
            finished.colorinterp = colours


def _origin(written: Artifact, arguments: Mapping[str, Any], opened: Handles) -> dict[str, Artifact]:
    """The raster that integers without a nodata value were made of, where it is one, on their grid, with gaps.

    What was missing there has become some number here: GDAL converts NaN to 0 and says nothing.
    """
    rasters = [value for value in arguments.values() if isinstance(value, Artifact) and value.type == "raster"]
    if len(rasters) != 1:
        return {}
    source = open_source(rasters[0], opened, many_bands=True)
    gaps = source.masked or source.nodata is not None or np.dtype(source.dtype).kind == "f"
    there = open_source(written, opened, many_bands=True).grid
    return {"origin": rasters[0]} if gaps and source.grid.token == there.token and len(source.bands) == 1 else {}


def deliver_file(scratch: Path, path: Path) -> None:
    """Move a finished file to where it belongs."""
    _require(scratch, f"a file for {path.name}")
    os.replace(scratch, path)


def name_originals(scratch: Path, desk: Desk) -> None:
    """Let fields that name files name those that were meant, instead of what stood for them.

    Indexes and footprints note where each raster lies; stand-ins are gone when the tool has ended.
    """
    if not desk.stand_ins or not scratch.exists():
        return
    for layer, _ in list_layers(scratch):
        meta, _, geometries, columns = read(scratch, layer=layer)
        changed = False
        for column in columns:
            if column.dtype == object:
                named = [desk.stand_ins.get(text) for text in column]
                for row, original in enumerate(named):
                    if original is not None:
                        column[row], changed = original, True
        if changed:
            write(
                scratch,
                geometry=geometries,
                field_data=columns,
                fields=meta["fields"],
                layer=layer,
                driver=vector_format(scratch),
                geometry_type=meta["geometry_type"],
                crs=meta["crs"],
            )


def _require(scratch: Path, expected: str) -> None:
    if not scratch.exists():
        raise ToolError("the tool ended well, but wrote nothing", expected=expected, found="no file")


def _tag(value: Any) -> str:
    return ("YES" if value else "NO") if isinstance(value, bool) else str(value)
