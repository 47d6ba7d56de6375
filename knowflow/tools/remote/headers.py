"""Headers of rasters elsewhere: read once by a few small requests, kept, and cut to what an area needs of them."""

from __future__ import annotations

import hashlib
import os
import threading
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree as Xml

from affine import Affine

from knowflow.ground.json_text import json_text
from knowflow.ground.references import Part, State, sources_home, write_reference
from knowflow.model import geo
from knowflow.tools.remote.secrets import asked
from knowflow.tools.remote.vsi import failed, gdal_name, options, patiently

DRIVERS = ("GTiff", "JP2OpenJPEG")
_MARGIN = 8  # pixels around an area: of kernels that look at neighbours, and of resampling
Window = tuple[int, int, int, int]


def header_of(address: str, state: State) -> Xml.Element:
    """The header of a raster as the text of a virtual one.

    Raises:
        RemoteDataError: it cannot be read.
    """
    key = hashlib.sha256(json_text([address, state.etag, state.size]).encode()).hexdigest()[:32]
    kept = sources_home() / "headers" / f"{key}.vrt"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_name(f".{key}.{os.getpid()}.{threading.get_ident()}.vrt")
        asked(address, lambda now: patiently(address, lambda: _read(address, now, draft)))
        draft.replace(kept)
    return Xml.parse(kept).getroot()


def _read(address: str, now: str, draft: Path) -> None:
    import rasterio
    import rasterio.shutil
    from rasterio.errors import RasterioError
    from rasterio.io import DatasetReader
    from rasterio.session import DummySession  # credentials are GDAL's to find: its own session would ask boto3

    name = gdal_name(now)
    try:
        with rasterio.Env(DummySession(), **options(name)), DatasetReader(name, driver=list(DRIVERS)) as dataset:
            rasterio.shutil.copy(dataset, draft, driver="VRT")
    except RasterioError as error:
        raise failed(address, str(error.__cause__ or error)) from None
    tree = Xml.parse(draft)
    for source in tree.iter("SourceFilename"):
        source.text = "-"  # it may be signed, and is another one in every reference
    tree.write(draft)


def size_of(root: Xml.Element) -> tuple[int, int]:
    """Rows and columns."""
    return int(root.attrib["rasterYSize"]), int(root.attrib["rasterXSize"])


def transform_of(root: Xml.Element) -> Affine | None:
    """Where the pixels lie; None where the header does not say."""
    text = root.findtext("GeoTransform")
    return None if text is None else Affine.from_gdal(*(float(one) for one in text.split(",")))


def crs_of(root: Xml.Element) -> str | None:
    """The CRS as WKT; None where the header says none."""
    return root.findtext("SRS") or None


def window_of(root: Xml.Element, extent: geo.Box | None) -> Window | None:
    """The blocks of a raster that an extent (west, south, east, north in degrees) needs: row, column, rows, columns.

    All of it where there is no extent, or nobody knows where it lies; None where it lies elsewhere.
    """
    from rasterio.errors import CRSError
    from rasterio.warp import transform_bounds

    rows, columns = size_of(root)
    transform, crs = transform_of(root), crs_of(root)
    if extent is None or transform is None or crs is None:
        return 0, 0, rows, columns
    try:
        west, south, east, north = transform_bounds("EPSG:4326", crs, *extent, densify_pts=21)
    except CRSError:
        return 0, 0, rows, columns
    corners = [~transform @ (x, y) for x in (west, east) for y in (south, north)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    if max(across) <= 0 or max(down) <= 0 or min(across) >= columns or min(down) >= rows:
        return None
    block = root.find(".//SourceProperties")
    wide, high = (1, 1) if block is None else (int(block.get("BlockXSize", 1)), int(block.get("BlockYSize", 1)))
    left, right = _snapped(min(across) - _MARGIN, max(across) + _MARGIN, wide, columns)
    top, bottom = _snapped(min(down) - _MARGIN, max(down) + _MARGIN, high, rows)
    return top, left, bottom - top, right - left


def _snapped(low: float, high: float, block: int, size: int) -> tuple[int, int]:
    first = max(int(low // block) * block, 0)
    return first, min(-int(-high // block) * block, size)


def on_grid(root: Xml.Element, shape: tuple[int, int], transform: Affine | None) -> Xml.Element:
    """A header for other rows and columns, with the pixels of the whole of its source."""
    made = deepcopy(root)
    rows, columns = shape
    made.set("rasterYSize", str(rows))
    made.set("rasterXSize", str(columns))
    placed = made.find("GeoTransform")
    if placed is not None and transform is not None:
        placed.text = ", ".join(f"{number:.17g}" for number in transform.to_gdal())
    for element in made.iter():
        if element.tag in ("SrcRect", "DstRect"):
            element.attrib.update(xOff="0", yOff="0", xSize=str(columns), ySize=str(rows))
        elif element.tag == "SourceProperties":
            element.attrib.update(RasterXSize=str(columns), RasterYSize=str(rows))
    for list_ in (made, *made.iter("VRTRasterBand")):
        for old in (*list_.findall("OverviewList"), *list_.findall("Overview")):
            list_.remove(old)
    return made


def refer(path: Path, root: Xml.Element, address: str, state: State, extent: geo.Box | None) -> bool:
    """Write the reference to a raster elsewhere, cut to the blocks that an extent needs; whether it needs any."""
    window = window_of(root, extent)
    if window is None:
        return False
    row, column, rows, columns = window
    transform = transform_of(root)
    moved = None if transform is None else transform @ Affine.translation(column, row)
    refer_to(path, on_grid(root, (rows, columns), moved), (Part(address, state, window),))
    return True


def refer_to(path: Path, root: Xml.Element, parts: tuple[Part, ...]) -> None:
    """Write the reference to what is made of parts, with a header on its own grid."""
    said = [*(one.to_json() for one in parts), size_of(root), root.findtext("GeoTransform")]
    key = hashlib.sha256(json_text(said).encode()).hexdigest()[:32]
    write_reference(path, root, parts, sources_home() / "pixels" / f"{key}.tif")
