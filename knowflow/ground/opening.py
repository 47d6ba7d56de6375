"""The door to files of data: what may be opened, and that nothing but the file itself is read.

Data come from others. A text of GDAL's under the name of a raster may name an address, which is then fetched, or a file
anywhere, which is then read; so a file is looked at before GDAL sees it. Open are files of one's own disk in formats
that hold their data themselves, and virtual rasters whose sources are such files in the folder of the virtual one, or
below it. Who trusts the data says so with ``KNOWFLOW_TRUST_DATA=on`` (``knowflow --trust-data ...``).

Importing this module tells the GDAL libraries of this process and of those that it starts the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from knowflow.ground.cubes import as_raster, signed_as_hdf5
from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.files import endless
from knowflow.ground.hdf5_links import held_elsewhere
from knowflow.ground.references import is_reference

TRUST_VARIABLE = "KNOWFLOW_TRUST_DATA"
# formats of rasters that hold their own pixels, and VRT, whose sources are looked at here
RASTER_DRIVERS = (
    "GTiff", "COG", "VRT", "MEM", "JP2OpenJPEG", "JP2KAK", "JP2ECW", "HFA", "PNG", "JPEG", "AAIGrid", "EHdr", "ENVI",
    "SRTMHGT", "HDF4", "HDF4Image", "HDF5", "HDF5Image", "netCDF", "GRIB", "GPKG", "BMP", "GIF", "WEBP", "JPEGXL",
    "DTED", "USGSDEM", "GSAG", "GSBG", "GS7BG", "GRASSASCIIGrid", "SAGA", "RRASTER", "RST", "XYZ", "BSB", "SGI", "PNM",
    "NITF", "ENVISAT", "BAG", "KEA",
)  # fmt: skip
_MOST_TOLD = 64 * 2**20  # bytes of a description: longer ones are no descriptions
_HEAD = 4096
_DEEPEST = 8

_ADDRESS = re.compile(r"^\s*[a-z][a-z0-9+.-]*://|/vsi(?!mem\b|zip\b|gzip\b|tar\b|7z\b|rar\b)\w+", re.IGNORECASE)
_INLINE = re.compile(r"^\s*[<{]")
# parts of a file that GDAL names by format, file and part
_PART_OF = re.compile(
    r'^(?:HDF4_SDS|HDF4_EOS|HDF5|BAG|NETCDF|GPKG|GTIFF_DIR|GTIFF_RAW|SENTINEL2_\w+):(?:\w+:)?"?(.+?)"?(?::[^/\\]*|://.*)?$',
    re.IGNORECASE,
)
_OTHER_PREFIX = re.compile(r"^[A-Za-z][A-Za-z0-9_]+:(?!\\)")
_NAMES_A_FILE = re.compile(r"(filename|dataset|datasource|_file|_dem)(_\d+)?$", re.IGNORECASE)
_FORMAT_OF_ROOT = {
    "gdal_wms": "WMS", "wms_capabilities": "WMS", "wmt_ms_capabilities": "WMS", "gdal_wmts": "WMTS",
    "capabilities": "WMTS", "wcs_gdal": "WCS", "ogrwfsdatasource": "WFS", "gdaltileindexdataset": "GTI",
}  # fmt: skip
_DESCRIBED = frozenset({"vrtdataset", "ogrvrtdatasource"})
_OWN_DATA = frozenset({"kml", "gpx"})
# GDAL finds these anywhere in the first bytes, up to the first that is zero
_ROOTS = re.compile(
    rb"<\s*(?:\w+:)?(?:VRTDataset|OGRVRTDataSource|GDAL_WMS|WM[ST]_\w+|WMT_\w+|TileMap|TileServer|Capabilities|WCS_\w+|"
    rb"OGRWFS\w+|WFS_\w+|GDAL\w*Index\w*|\w*FeatureCollection|csw:\w+)",
    re.IGNORECASE,
)
_STREAMED = b"gdal_streamed_alg"


def trusted() -> bool:
    """Whether somebody said that files of data may name addresses, and files outside of their folder."""
    return os.environ.get(TRUST_VARIABLE, "").strip().casefold() in ("1", "on", "true", "yes")


def check_opening(path: str | Path) -> None:
    """Refuse a file of data that would have GDAL read something else than this file and its own folder.

    Paths inside of archives and of GDAL's memory are let through, directories and files that are not there too: what
    opens them says what it finds.

    Raises:
        UnreadableDataError: the format, the address or file that it names, and what to do.
    """
    if is_reference(path):
        return
    if not trusted():
        _check(str(path), 0)
    elif (other := endless(Path(path))) is not None:
        raise _refused(str(path), "a file", other)


def open_data(path: str | Path) -> Any:
    """A raster of data, opened for reading by the drivers that are allowed, as ``rasterio.open`` does by any.

    A file of several variables, times or levels is one raster of many bands (:mod:`knowflow.ground.cubes`).

    Raises:
        UnreadableDataError: as :func:`check_opening`.
        rasterio.errors.RasterioIOError: none of the drivers knows it.
    """
    import rasterio

    from knowflow.ground.reader import OPENING, Reader

    check_opening(path)
    with rasterio.Env(**OPENING):
        cube = as_raster(path)
        if cube is not None:
            return Reader(cube, driver=["VRT"])
        if trusted():
            return rasterio.open(path)
        return Reader(os.fspath(path), driver=list(RASTER_DRIVERS))


def told_elsewhere(path: str | Path) -> tuple[str, ...]:
    """What a file of data names beside itself and its folder; empty for almost all. It is read where data are trusted.

    Nothing is opened but the file.
    """
    try:
        _check(str(path), 0)
    except UnreadableDataError as error:
        return (error.found or error.message,)
    return ()


def told_by_others(path: str | Path) -> bool:
    """Whether a file is a description, so that what it says is for other files to change: a virtual raster."""
    if is_reference(path):
        return False
    try:
        with open(path, "rb") as stream:
            text = stream.read(_HEAD).partition(b"\0")[0]
    except OSError:
        return True
    return text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<" or bool(_ROOTS.search(text))


def _check(path: str, depth: int) -> None:
    if path.startswith("/vsimem/"):
        return
    if _ADDRESS.search(path) or _INLINE.search(path):
        raise _refused(path, "a file of this machine", f"the address {path[:200]}")
    if not os.path.exists(path):
        part = _PART_OF.match(path)
        if part is not None:
            _check(part[1], depth)
        elif _OTHER_PREFIX.match(path):
            raise _refused(path, "a file of this machine", f"a connection, {path[:200]}")
        return
    other = endless(Path(path))
    if other is not None:
        raise _refused(path, "a file", other)
    if os.path.isdir(path):
        return
    try:
        with open(path, "rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return  # what opens it says so
    _check_sidecar(path)
    if signed_as_hdf5(head) and (other := held_elsewhere(path)) is not None:
        raise _refused(path, "a file that holds its data itself", other)
    text = head.partition(b"\0")[0]
    start = text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"<" or _ROOTS.search(text):
        _check_markup(path, depth)
    elif _STREAMED in text:
        raise _refused(path, "data", "GDALG, a description of how to make them of others")
    elif depth and (start == b"{" or ".gti." in os.path.basename(path).casefold()):
        raise _refused(path, "a raster as source of a virtual one", "a description of data elsewhere")


def _check_markup(path: str, depth: int) -> None:
    """XML: a virtual raster or vector whose every source is in its folder, or a format that holds its own data."""
    root = _parsed(path)
    name = root.tag.rpartition("}")[2].casefold()
    if name in _OWN_DATA:
        return
    if name not in _DESCRIBED:
        kind = _FORMAT_OF_ROOT.get(name, f"XML ({root.tag[:40]})")
        address = next((text.strip() for text in root.itertext() if _ADDRESS.search(text)), "")
        raise _refused(path, "data", f"{kind}, a description of data elsewhere{address and f': {address[:200]}'}")
    if depth >= _DEEPEST:
        raise _refused(path, f"at most {_DEEPEST} virtual files, each made of the next", "more")
    folder = os.path.dirname(os.path.abspath(path))
    for source, relative in _sources(root):
        beside = os.path.join(folder, source) if relative else os.path.abspath(source)
        if _ADDRESS.search(source) or _INLINE.search(source) or _OTHER_PREFIX.match(source):
            part = _PART_OF.match(source)
            if part is None or _ADDRESS.search(part[1]):
                raise _refused(path, "sources that are files of its folder", f"VRT, made of {source[:200]}")
            beside = os.path.join(folder, part[1]) if relative else os.path.abspath(part[1])
        if os.path.commonpath((folder, os.path.normpath(beside))) != folder:
            raise _refused(path, "sources inside of its folder", f"VRT, made of {source[:200]}")
        if os.path.normpath(beside) != os.path.abspath(path):
            _check(os.path.normpath(beside), depth + 1)


def _parsed(path: str) -> ElementTree.Element:
    """GDAL's own reader forgives more: what is no XML to another one is not handed to it."""
    try:
        if os.path.getsize(path) > _MOST_TOLD:
            raise _refused(path, f"at most {_MOST_TOLD} bytes of XML", f"{os.path.getsize(path)} bytes")
        text = Path(path).read_bytes()
        if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            raise _refused(path, "XML without definitions of its own", "a DOCTYPE")
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
        raise _refused(path, "a raster, or whole XML", f"text that begins like XML: {error}") from None


def _sources(root: ElementTree.Element) -> Iterator[tuple[str, bool]]:
    """Every text of a virtual file that names another one, or an address; and whether it counts from its folder.

    GDAL takes an attribute for an element of the same name, and no case for another.
    """
    for element in root.iter():
        said = {name.casefold(): value for name, value in element.attrib.items()}
        relative = said.get("relativetovrt", "0").strip() in ("1", "true", "yes", "on")
        names = (element.tag, said.get("name", ""), said.get("key", ""))
        text = (element.text or "").strip()
        named = any(_NAMES_A_FILE.search(name) for name in names)
        if text and (named or (_ADDRESS.search(text) and element.tag.casefold() != "mdi")):
            yield text, relative
        for name, value in said.items():
            if value.strip() and (_NAMES_A_FILE.search(name) or _ADDRESS.search(value)):
                yield value.strip(), relative


def _check_sidecar(path: str) -> None:
    """GDAL's own sidecar may say that the overviews of a raster are elsewhere."""
    sidecar = f"{path}.aux.xml"
    if not os.path.isfile(sidecar):
        return
    with open(sidecar, "rb") as stream:
        text = stream.read(_MOST_TOLD).decode("utf-8", "replace")
    for said in re.findall(r"OVERVIEW_FILE[^>]*>([^<]*)<", text, re.IGNORECASE):
        if _ADDRESS.search(said) or os.path.isabs(said.strip()) or ".." in said:
            raise _refused(sidecar, "overviews beside the raster", f"overviews in {said.strip()[:200]}")


def _refused(path: str, expected: str, found: str) -> UnreadableDataError:
    name = os.path.basename(path) or path
    return UnreadableDataError(
        f"{name[:200]} is not opened",
        where=path[:1000],
        expected=expected,
        found=found,
        hint="fetch or copy the data themselves; whoever trusts these files says so: knowflow --trust-data ..., "
        f"or {TRUST_VARIABLE}=on",
    )


def _close_ways_out() -> None:
    """No requests behind file names, no Python in virtual rasters: both GDAL libraries read it here as they load."""
    os.environ.setdefault("GDAL_VRT_ENABLE_PYTHON", "NO")
    if not trusted():
        os.environ.setdefault("CPL_VSIL_CURL_ALLOWED_FILENAME", "/nothing-is-fetched")


_close_ways_out()
