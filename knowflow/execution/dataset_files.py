"""The files that one dataset consists of: what GDAL reads beside the file that it is called by, and behind it.

GDAL's own list (``GDALGetFileList``) names what it has used: world file, tags (``.aux.xml``), overviews, masks, what a
satellite operator put beside (``.IMD``, ``.RPB``, ``_RPC.TXT``), the sources of a VRT. A file of those names that is
not used, since another goes before it, counts as well: which goes before which is GDAL's to change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.references import is_reference
from knowflow.ground.table_endings import WORKBOOKS

# of vectors and tables, which GDAL's list for rasters does not know: what stands beside them under their name
_BESIDE_VECTOR = {
    ".shp": (".shx", ".dbf", ".prj", ".cpg", ".qpj", ".sbn", ".sbx", ".qix", ".idm", ".ind"),
    ".tab": (".dat", ".map", ".id", ".ind"),
    ".mif": (".mid",),
    ".gml": (".gfs", ".xsd"),
    ".csv": (".csvt", ".prj"),
}
# what a GeoPackage has not taken in yet is in its log
_APPENDED_TO_VECTOR: tuple[str, ...] = (".xml", "-wal", "-journal")
_APPENDED = (".aux.xml", ".msk", ".ovr", ".vat.dbf")
_INSTEAD_OF_ENDING = (".wld", ".prj", ".aux", ".hdr", ".ige", ".tab", ".imd", ".rpb", ".pvl", ".rrd")
_BEHIND_STEM = ("_RPC.TXT", "_rpc.txt", "_metadata.txt")
_NO_RASTER = frozenset({".gpkg", ".geojson", ".json", ".fgb", ".txt", ".onnx", ".yaml", ".yml", ".xml", ".kml"})
_NO_RASTER |= WORKBOOKS


def parts_of(file: Path) -> tuple[Path, ...]:
    """A file with everything that is read where it is: itself first, the others in the order of their paths.

    What a VRT is made of is looked into in turn. Files that are named and are not there are left out.
    """
    if is_reference(file):  # its text says what its pixels are
        return (file,)
    found = {file}
    waiting = [file]
    while waiting:
        one = waiting.pop()
        for other in (*_by_name(one), *_by_gdal(one)):
            if other not in found:
                found.add(other)
                if not other.name.startswith(one.stem) or other.suffix.lower() == ".vrt":
                    waiting.append(other)
    return (file, *sorted(found - {file}))


def _by_name(file: Path) -> Iterator[Path]:
    """Files beside one whose names make them part of it, and that hold something."""
    suffix, whole = file.suffix.lower(), str(file)
    stem = whole[: len(whole) - len(file.suffix)]
    endings: tuple[str, ...] = _BESIDE_VECTOR.get(suffix, ())
    behind: tuple[str, ...] = ()
    appended = _APPENDED_TO_VECTOR
    if suffix not in _BESIDE_VECTOR and suffix not in _NO_RASTER:
        world = (f".{suffix[1]}{suffix[-1]}w", f"{suffix}w") if len(suffix) > 2 else ()
        endings, appended, behind = (*_INSTEAD_OF_ENDING, *world), _APPENDED, _BEHIND_STEM
    names = [f"{stem}{ending}" for ending in behind] + [f"{whole}{ending}" for ending in appended]
    names += [f"{stem}{spelt}" for ending in endings for spelt in (ending, ending.upper())]
    for name in names:
        # asked of the system without a Path for each: there are thirty names, and hardly one is there
        if os.access(name, os.F_OK) and os.path.isfile(name) and os.path.getsize(name):
            yield Path(name)  # the log of a GeoPackage that is open comes and goes empty


def _by_gdal(file: Path) -> Iterator[Path]:
    """What GDAL tells of a raster; of what it cannot open, nothing."""
    if file.suffix.lower() in _NO_RASTER or file.suffix.lower() in _BESIDE_VECTOR:
        return
    import rasterio

    from knowflow.tools.raster.source import open_raster

    try:  # TRUE: what stands beside is probed by name, so that opening one of many files does not list the folder
        with rasterio.Env(GDAL_DISABLE_READDIR_ON_OPEN="TRUE"), open_raster(file) as dataset:
            told = tuple(dataset.files)
    except UnreadableDataError:
        return
    for name in told:
        path = Path(os.path.normpath(name))
        if path.is_file() and not os.path.samefile(path, file):
            yield path
