"""Labelled folders made of real files: rasters by rasterio, vectors by pyogrio, everything else as text.

The pixels of a file depend on what it is called in its document alone, so that a folder under other names holds the
same ones. They are made by formulas (``numbers_of``), and no two bands have the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DocumentError
from knowflow.model import geo
from knowflow_bench.inventory.labelled_folder import BandPixels, FileTruth, LabelledFile, LabelledFolder, RasterPixels


def write_folder(folder: LabelledFolder, place: Path, number: int = 0) -> Path:
    """Make a folder below a place, under its published names (0) or those of a renaming; the folder.

    Raises:
        DocumentError: GDAL has no driver for the ending of a name, or the pixels cannot be stored as the document says.
    """
    root = place / folder.folder_name(number)
    for file in folder.files:
        path = root / folder.name_of(file, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, file, _key(folder, file))
    return root


def write_tidy(folder: LabelledFolder, root: Path) -> LabelledFolder:
    """Make a folder of the same pixels, each band a file of its own whose name and tags say all that is true of it; the
    folder as a document.

    What has no truth, vectors and texts are as published. Raises as ``write_folder``.
    """
    root.mkdir(parents=True, exist_ok=True)
    made: list[LabelledFile] = []
    for file in folder.files:
        if file.pixels is None or not file.truth:
            path = root / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, file, _key(folder, file))
            made.append(file.model_copy(update={"renamed": ()}))
            continue
        bands = numbers_of(file.pixels, _key(folder, file))
        truths = file.truth if len(file.truth) > 1 else file.truth * len(bands)
        for header, truth, numbers in zip(file.pixels.each, truths, bands, strict=True):
            pixels = _tidy(file.pixels, header, truth)
            named = [pixels.tags[tag] for tag in ("QUANTITY", "DATETIME", "BAND", "DAYNIGHT") if tag in pixels.tags]
            path = _free(root, "_".join(named).replace(":", ""))
            write_raster(path, pixels, [numbers], _key(folder, file))
            told = truth.model_copy(update={"ask": ()})  # here nobody has to ask
            made.append(LabelledFile.model_validate({"path": path.name, "pixels": pixels, "truth": (told,)}))
    return folder.model_copy(update={"folder": root.name, "renamed": (), "files": tuple(made)})


def _key(folder: LabelledFolder, file: LabelledFile) -> str:
    return f"{folder.folder}/{file.path}"


def _write(path: Path, file: LabelledFile, key: str) -> None:
    if file.pixels is not None:
        write_raster(path, file.pixels, numbers_of(file.pixels, key), key)
    elif file.features is not None:
        _write_vector(path, file)
    else:
        path.write_text(file.text or "", encoding="utf-8")


def _tidy(pixels: RasterPixels, header: BandPixels, truth: FileTruth) -> RasterPixels:
    """One band with a header that says what is true."""
    scale = header.scale if truth.scale is None else truth.scale
    offset = header.offset if truth.offset is None else truth.offset
    said = {
        "QUANTITY": truth.quantity[0] if isinstance(truth.quantity, tuple) else truth.quantity,
        "UNIT": truth.unit,
        "DATETIME": None if truth.date is None else truth.date.partition("/")[0],
        "PERIOD": truth.date if "/" in (truth.date or "") else None,
        "BAND": truth.band,
        "SENSOR": truth.sensor,
        "DAYNIGHT": truth.daynight,
    }
    return pixels.model_copy(
        update={
            "bands": (),
            "tags": {tag: value for tag, value in said.items() if value is not None},
            "band_tags": {},
            "description": truth.about,
            "unit": None,
            "colour": None,
            "scale": scale,
            "offset": offset,
            "nodata": pixels.nodata if truth.nodata is None else truth.nodata,
        }
    )


def _free(root: Path, name: str) -> Path:
    """A name that no file has yet."""
    names = (f"{name or 'layer'}{f'_part{number}' if number else ''}.tif" for number in range(10_000))
    return next(path for path in (root / one for one in names) if not path.exists())


def numbers_of(pixels: RasterPixels, key: str) -> list[NDArray[Any]]:
    """The stored numbers of each band, rows x columns in the file's data type; ``key`` is ``FOLDER/PATH``.

    With x and y from 0 to 1 over the columns and rows, and three numbers a, b, c from the CRC-32 of the key and band,
    the field is ``sin(2 pi (a x + c)) + cos(2 pi (b y + 2 c)) + sin(37 x + 53 y + c) / 10``, stretched to what the
    band says.
    """
    rows, columns = pixels.shape
    x, y = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
    found = []
    for index, band in enumerate(pixels.each, start=1):
        numbers = _stretched(_field(x, y, f"{key}#{index}"), band)
        if pixels.gaps and pixels.nodata is not None:
            slant = x + 0.7 * y
            numbers = np.where(slant < np.quantile(slant, pixels.gaps), pixels.nodata, numbers)
        found.append(_stored(numbers, pixels, key))
    return found


def _field(x: NDArray[np.float64], y: NDArray[np.float64], key: str) -> NDArray[np.float64]:
    """Smooth numbers from 0 to 1 that hardly repeat."""
    code = zlib.crc32(key.encode())
    a, b, c = 0.6 + code % 97 / 97, 0.6 + code % 89 / 89, code % 83 / 83
    waves: NDArray[np.float64] = (
        np.sin(2 * np.pi * (a * x + c)) + np.cos(2 * np.pi * (b * y + 2 * c)) + np.sin(37 * x + 53 * y + c) / 10
    )
    lowest, span = float(waves.min()), float(np.ptp(waves))
    return (waves - lowest) / (span or 1.0)


def _stretched(field: NDArray[np.float64], band: BandPixels) -> NDArray[np.float64]:
    if not band.values:
        return band.low + field * (band.high - band.low)
    classes = np.asarray(band.values, dtype=np.float64)
    patches: NDArray[np.float64] = classes[np.minimum((field * len(classes)).astype(int), len(classes) - 1)]
    return patches


def _stored(numbers: NDArray[np.float64], pixels: RasterPixels, key: str) -> NDArray[Any]:
    if pixels.dtype.startswith("float"):
        return numbers.astype(pixels.dtype)
    limits = np.iinfo(pixels.dtype)
    rounded = np.round(numbers)
    if not (np.isfinite(rounded) & (rounded >= limits.min) & (rounded <= limits.max)).all():
        raise DocumentError(
            "pixels of a labelled file do not fit its data type",
            where=key,
            expected=f"numbers from {limits.min} to {limits.max} ({pixels.dtype})",
            found=f"{numbers.min():g} to {numbers.max():g}",
            hint="low, high and values are numbers as they are stored",
        )
    return rounded.astype(pixels.dtype)


def write_raster(path: Path, pixels: RasterPixels, bands: Sequence[NDArray[Any]], key: str) -> None:
    """Write one raster file in the format of its ending, with the header that the document says; ``bands`` are the
    stored numbers, ``key`` is what problems call the file.

    Raises:
        DocumentError: as ``write_folder``.
    """
    from rasterio._err import CPLE_BaseError
    from rasterio.errors import RasterioError
    from rasterio.io import MemoryFile
    from rasterio.shutil import copy

    driver = _driver(path, key)
    try:
        with MemoryFile() as memory:
            with memory.open(**_profile(pixels, len(bands))) as file:
                _fill(file, bands, pixels)
            if driver == "GTiff":
                path.write_bytes(memory.read())
                return
            with memory.open() as source:
                copy(source, path, driver=driver)
    except (RasterioError, CPLE_BaseError, ValueError) as error:
        raise DocumentError(
            "a labelled file cannot be written", where=key, expected="pixels that its format can hold", found=str(error)
        ) from error


def _driver(path: Path, key: str) -> str:
    from rasterio.drivers import driver_from_extension

    try:
        return str(driver_from_extension(path.with_suffix(path.suffix.casefold())))
    except ValueError as error:
        raise DocumentError(
            "a labelled file has pixels and no raster's name",
            where=key,
            expected=".tif, .jp2, .img, .png...",
            found=path.suffix or "no ending",
        ) from error


def _profile(pixels: RasterPixels, count: int) -> dict[str, Any]:
    from rasterio.transform import Affine

    width, height = pixels.resolution if isinstance(pixels.resolution, tuple) else (pixels.resolution,) * 2
    west, north = pixels.origin
    if pixels.crs is not None and not geo.is_crs(pixels.crs):
        raise DocumentError(
            "a labelled file lies on a grid of no CRS that is known",
            expected="an authority code, a WKT or a PROJ string",
            found=pixels.crs,
        )
    crs = None if pixels.crs is None else geo.crs_of(pixels.crs)
    if crs is not None and crs.is_geographic and abs(north) > 90.5:
        raise DocumentError(
            "a labelled file in degrees lies nowhere on the Earth",
            expected="an origin in the unit of its CRS",
            found=f"{pixels.crs} with the origin {west:g}, {north:g}",
        )
    profile = {
        "driver": "GTiff",
        "height": pixels.shape[0],
        "width": pixels.shape[1],
        "count": count,
        "dtype": pixels.dtype,
        "crs": None if crs is None else crs.to_wkt(),
        "transform": Affine(width, 0.0, west, 0.0, -height, north),
        "nodata": pixels.nodata,
        "compress": pixels.compress,
    }
    return {name: value for name, value in profile.items() if value is not None}


def _fill(file: Any, bands: Sequence[NDArray[Any]], pixels: RasterPixels) -> None:
    """The numbers and the header of an open file."""
    from rasterio.enums import ColorInterp

    told = pixels.each
    for index, (band, numbers) in enumerate(zip(told, bands, strict=True), start=1):
        file.write(numbers, index)
        if band.description is not None:
            file.set_band_description(index, band.description)
        if band.tags:
            file.update_tags(index, **band.tags)
    file.update_tags(**pixels.tags)
    if any(band.colour for band in told):
        file.colorinterp = tuple(ColorInterp[band.colour or "undefined"] for band in told)
    if any(band.unit for band in told):
        file.units = tuple(band.unit or "" for band in told)
    if any(band.scale is not None or band.offset is not None for band in told):
        file.scales = tuple(1.0 if band.scale is None else band.scale for band in told)
        file.offsets = tuple(band.offset or 0.0 for band in told)
    if pixels.colours:
        file.write_colormap(1, {number: (*colour, 255) for number, colour in pixels.colours.items()})


def _write_vector(path: Path, file: LabelledFile) -> None:
    import shapely

    from knowflow.ground.vectors import detect_write_driver, write

    features = file.features or ()
    geometries = [shapely.box(*one.box) if one.box is not None else shapely.Point(one.point) for one in features]
    fields = list(dict.fromkeys(name for one in features for name in one.attributes))
    kinds = {geometry.geom_type for geometry in geometries}
    write(
        path,
        geometry=np.array(shapely.to_wkb(geometries), dtype=object),
        field_data=[np.array([one.attributes.get(name) for one in features]) for name in fields],
        fields=fields,
        crs=file.crs,
        geometry_type=kinds.pop() if len(kinds) == 1 else "Unknown",
        driver="KML" if path.suffix.casefold() == ".kml" else detect_write_driver(str(path)),  # several write these
    )
