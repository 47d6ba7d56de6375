"""Artifacts as GDAL reads them: the file itself, or a small VRT that states what the file does not say.

GDAL's algorithms know only headers, and most of them ignore scale and offset. Where an artifact's facts say otherwise
than its header (an assumed CRS, a scale, a nodata value), where one band of several is meant, or where numbers are
stored scaled, the algorithm is given a VRT: physical numbers, one nodata value, the grid and unit that are known.
Format: https://gdal.org/drivers/raster/vrt.html
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import rasterio
import rasterio.shutil

from knowflow.ground.cubes import SUFFIXES as CUBES
from knowflow.ground.errors import ToolError, UnitError, UnreadableDataError
from knowflow.ground.opening import check_opening
from knowflow.ground.table_endings import WORKBOOKS
from knowflow.ground.units import normalise
from knowflow.ground.workbooks import text_of
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.gdal.files import readable_path
from knowflow.tools.raster.delivery import written_alone
from knowflow.tools.raster.grid import Grid, header_crs
from knowflow.tools.raster.source import Handles, Source, open_raster, open_source

_TYPE_NAMES = {"uint8": "Byte", "bool": "Byte", "complex64": "CFloat32", "complex128": "CFloat64"}
_CODECS_OF_EVERY_GDAL = frozenset({"deflate", "lzw", "packbits", "jpeg", "ccittrle", "ccittfax3", "ccittfax4"})
_EXACT_IN_FLOAT32 = frozenset({"uint8", "int8", "uint16", "int16", "float16", "float32"})


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the inputs of one call are prepared: a folder for VRTs, and open files."""

    folder: Path
    opened: Handles
    stand_ins: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)

    def state(self, document: Xml.Element, original: str) -> str:
        """Write a VRT that stands for a file; its path."""
        path = str(self.folder / f"input{len(self.stand_ins)}.vrt")
        Path(path).write_bytes(Xml.tostring(document))
        self.stand_ins[path] = original
        return path

    def readable(self, path: str, compression: str | None) -> str:
        """A file that the library reads: itself, or a plain copy where its codec or format is not in every GDAL.

        Our own intermediate results are such files: the library of the pyogrio wheel lacks Zstandard. It lacks the
        formats of cubes, too.
        """
        known = compression is None or compression.lower() in _CODECS_OF_EVERY_GDAL
        if known and Path(path).suffix.casefold() not in CUBES:
            return path
        if path not in self.copies:
            copy = str(self.folder / f"decoded{len(self.copies)}.tif")
            rasterio.shutil.copy(self.opened.get(path), copy, driver="GTiff", TILED="YES", BIGTIFF="IF_SAFER")
            self.copies[path] = copy
            self.stand_ins[copy] = path
        return self.copies[path]

    def text_of(self, workbook: str) -> str:
        """A text file with the rows of a workbook's table."""
        if workbook not in self.copies:
            folder = self.folder / f"table{len(self.copies)}"
            folder.mkdir()
            self.copies[workbook] = str(text_of(Path(workbook), folder))
            self.stand_ins[self.copies[workbook]] = workbook
        return self.copies[workbook]

    def without_codes(self, raster: Artifact) -> Artifact:
        """A copy of a raster in which codes beyond what was measured are no data: headers tell one value alone."""
        path = self.folder / f"measured{len(self.stand_ins)}.tif"
        self.stand_ins[str(path)] = str(raster.path)
        return written_alone(raster, path)

    def with_originals(self, text: str) -> str:
        """Text that GDAL wrote, with the names of the files that it was really about."""
        for path, original in self.stand_ins.items():
            text = text.replace(path, original)
        return text


def paths(value: Any, name: str, desk: Desk) -> Iterator[str]:
    """What GDAL opens for an artifact, a series or a band set, each in its order; text is taken as it is."""
    if isinstance(value, Artifact):
        parts = value.parts()
        if parts:
            yield from paths(parts, name, desk)
        elif value.type == "raster":
            yield raster_path(value, name, desk)
        else:
            yield vector_path(value, name, desk)
    elif isinstance(value, dict):
        yield from paths(tuple(value.values()), name, desk)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from paths(item, name, desk)
    else:
        check_opening(readable_path(str(value)))
        yield readable_path(str(value))


def copy_raster(artifact: Artifact, name: str, desk: Desk, path: Path, whole: bool) -> None:
    """A copy of a raster that GDAL can change: numbers and facts as meant; ``whole``: overviews and all tags too."""
    readable = raster_path(artifact, name, desk)
    if whole and readable == artifact.path and desk.opened.get(readable).driver == "GTiff":
        shutil.copyfile(readable, path)
        return
    kept = {"TILED": "YES", "BIGTIFF": "IF_SAFER"} | ({"COPY_SRC_OVERVIEWS": "YES"} if whole else {})
    with open_raster(readable, own=readable in desk.stand_ins) as source:
        rasterio.shutil.copy(source, str(path), driver="GTiff", **kept)


def grid_of(artifact: Artifact, name: str, desk: Desk) -> Grid:
    """The pixel grid of a raster, its facts before its header."""
    return open_source(artifact, desk.opened, name, many_bands=True).grid


def raster_path(artifact: Artifact, name: str, desk: Desk) -> str:
    """The raster's own path where its header says it all, else that of a VRT."""
    source = open_source(artifact, desk.opened, name, many_bands=True)
    if source.valid_range is not None:
        return raster_path(desk.without_codes(artifact), name, desk)
    dataset = desk.opened.get(source.path)
    readable = desk.readable(source.path, dataset.profile.get("compress"))
    if _says_it_all(source, artifact, dataset):
        return readable
    return desk.state(_raster_vrt(source, artifact, dataset, readable), source.path)


def validity_path(artifact: Artifact, name: str, desk: Desk) -> str:
    """A raster that is 0 where the given one is not data, and 255 elsewhere."""
    grid = grid_of(artifact, name, desk)
    root, band = _empty_vrt(grid), {"dataType": "Byte", "band": "1"}
    part = Xml.SubElement(Xml.SubElement(root, "VRTRasterBand", band), "SimpleSource")
    _text(part, "SourceFilename", str(Path(raster_path(artifact, name, desk)).absolute())).set("relativeToVRT", "0")
    _text(part, "SourceBand", "mask,1")
    return desk.state(root, str(artifact.path))


def vector_path(artifact: Artifact, name: str, desk: Desk) -> str:
    """The vector's own path, or that of an OGR VRT where its CRS is known better than by its file."""
    from knowflow.ground.vectors import DataLayerError, DataSourceError, read_info

    if artifact.path is None:
        raise ToolError(f"{name} is not a file", expected="a vector or table file", found=artifact.type)
    check_opening(artifact.path)
    path = desk.text_of(artifact.path) if Path(artifact.path).suffix.casefold() in WORKBOOKS else artifact.path
    crs = artifact.fact("crs")
    if crs is None or artifact.type != "vector":
        return path
    try:
        header = read_info(path)
    except (DataSourceError, DataLayerError) as error:
        raise UnreadableDataError("the vector cannot be read", where=artifact.path, found=str(error)) from error
    if header["crs"] and geo.same_crs(header["crs"], crs):
        return path
    root = Xml.Element("OGRVRTDataSource")
    layer = Xml.SubElement(root, "OGRVRTLayer", name=str(header["layer_name"]))
    _text(layer, "SrcDataSource", str(Path(path).absolute()))
    _text(layer, "SrcLayer", str(header["layer_name"]))
    _text(layer, "LayerSRS", geo.crs_of(crs).to_wkt())
    return desk.state(root, artifact.path)


def _says_it_all(source: Source, artifact: Artifact, dataset: Any) -> bool:
    """Whether GDAL, reading the file alone, sees the numbers and the place that the artifact means."""
    floating = np.dtype(source.dtype).kind == "f"
    stated = [dataset.nodatavals[band - 1] for band in source.bands]
    wanted = math.nan if floating else source.nodata
    if Path(f"{source.path}.aux.xml").exists():  # the algorithms do not look at it; our reader does
        return False
    return (
        source.bands == tuple(range(1, dataset.count + 1))
        and (source.scale, source.offset) == (1.0, 0.0)
        and not source.masked
        and all(_same(found, wanted) for found in stated)
        and header_crs(dataset) == source.grid.crs
        and dataset.transform == source.grid.transform
        and all(_same_unit(dataset.units[band - 1], artifact.fact("unit")) for band in source.bands)
    )


def _raster_vrt(source: Source, artifact: Artifact, dataset: Any, readable: str) -> Xml.Element:
    """A VRT of the source's bands, read from ``readable``, on its grid.

    Physical numbers where they are stored scaled, NaN where not data.
    """
    root = _empty_vrt(source.grid)
    scaled = (source.scale, source.offset) != (1.0, 0.0)
    stored = np.dtype(source.dtype)
    computed = scaled or source.masked or stored.kind == "f"
    dtype = ("float32" if source.dtype in _EXACT_IN_FLOAT32 else "float64") if computed else source.dtype
    for number, band in enumerate(source.bands, start=1):
        element = Xml.SubElement(root, "VRTRasterBand", dataType=_type_name(dtype), band=str(number))
        if dataset.descriptions[band - 1]:
            _text(element, "Description", dataset.descriptions[band - 1])
        unit = artifact.fact("unit") or dataset.units[band - 1]
        if unit:
            _text(element, "UnitType", str(unit))
        nodata = math.nan if computed else source.nodata
        if nodata is not None:
            _text(element, "NoDataValue", f"{nodata:.17g}")
        part = Xml.SubElement(element, "ComplexSource" if computed else "SimpleSource")
        path = readable if "/vsi" in readable else str(Path(readable).absolute())
        _text(part, "SourceFilename", path).set("relativeToVRT", "0")
        _text(part, "SourceBand", str(band))
        if source.masked:
            _text(part, "UseMaskBand", "true")
        if computed and source.nodata is not None:
            _text(part, "NODATA", f"{source.nodata:.17g}")
        if scaled:
            _text(part, "ScaleOffset", f"{source.offset:.17g}")
            _text(part, "ScaleRatio", f"{source.scale:.17g}")
    return root


def _empty_vrt(grid: Grid) -> Xml.Element:
    """A VRT without bands."""
    rows, columns = grid.shape
    root = Xml.Element("VRTDataset", rasterXSize=str(columns), rasterYSize=str(rows))
    if grid.crs is not None:
        _text(root, "SRS", rasterio.CRS.from_user_input(grid.crs).to_wkt())
    if not grid.transform.is_identity:
        _text(root, "GeoTransform", ", ".join(f"{number:.17g}" for number in grid.transform.to_gdal()))
    return root


def _type_name(dtype: str) -> str:
    """GDAL's name of a numpy type: ``Byte``, ``UInt16``, ``Float32``..."""
    return _TYPE_NAMES.get(dtype) or dtype.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")


def _text(parent: Xml.Element, name: str, text: str) -> Xml.Element:
    element = Xml.SubElement(parent, name)
    element.text = text
    return element


def _same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return a == b or (math.isnan(a) and math.isnan(b))


def _same_unit(header: str | None, fact: str | None) -> bool:
    if not fact:
        return True
    try:
        return bool(header) and normalise(str(header)) == normalise(fact)
    except UnitError:
        return False
