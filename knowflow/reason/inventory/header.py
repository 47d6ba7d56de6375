"""One file as an artifact: what its header and tags say. Pixels are not read.

Numbers of the header (grid, data type, nodata, scale) are *measured*; what tags state in words (quantity, unit,
date...) is *declared*. A raster without georeference has no CRS and no transform, and its grid is its shape alone: two
such rasters of one size are taken to lie on one grid.
"""

from __future__ import annotations

import csv
import re
import warnings
from math import isfinite
from pathlib import Path, PurePath
from typing import Any, cast

from knowflow.ground.columns import (
    MOST_ROWS,
    Columns,
    distinct,
    name_field,
    named_numbers,
    read_table,
    words_of,
)
from knowflow.ground.cubes import OTHER_GRIDS
from knowflow.ground.cubes import SUFFIXES as CUBES
from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.files import in_place_of_file
from knowflow.ground.opening import check_opening, open_data
from knowflow.ground.places_of_rows import place_columns
from knowflow.ground.regex import regex
from knowflow.ground.series_files import TIME, read_series
from knowflow.ground.table_endings import OLD_WORKBOOKS, TABLES, WORKBOOKS
from knowflow.model import geo
from knowflow.model.artifact import Artifact, ArtifactType
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.columns_noted import COLUMN
from knowflow.reason.inventory.crs import canonical_or_none, require_coordinate_systems
from knowflow.reason.inventory.tags import VARIABLE, packing, pixel_facts, slice_facts, tag_facts, words_in

RASTER_SUFFIXES = CUBES | {".tif", ".tiff", ".jp2", ".img", ".png", ".jpg", ".jpeg", ".asc", ".bil", ".hgt"}
VECTOR_SUFFIXES = frozenset({".gpkg", ".geojson", ".shp", ".fgb"})
TABLE_SUFFIXES = TABLES | OLD_WORKBOOKS
COLOURS = "colour interpretation"
"""The source of what the colour interpretation of a band says."""
_PICTURE = ("red", "green", "blue")
_MIDDLE = 64  # pixels of a file that are looked at
NOTHING_SAID = (1.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_BLOCKS_CHECKED = 512
_MOST_NAMES = 400
_EDGES = 4
_PLACE, _NUMBERED = regex(r"Band ?1", re.IGNORECASE), regex(r"GDAL Band Number \d+")


def type_of(path: PurePath) -> ArtifactType | None:
    """What a file's ending says it is; None for files that hold no data we read."""
    suffix = path.suffix.casefold()
    for kind, suffixes in (("raster", RASTER_SUFFIXES), ("vector", VECTOR_SUFFIXES), ("table", TABLE_SUFFIXES)):
        if suffix in suffixes:
            return cast(ArtifactType, kind)
    return None


def read_artifact(path: Path, type: ArtifactType | None = None, band: int | None = None) -> Artifact:
    """The artifact of one file, or of one band (1-based) of a raster, with the facts of its header and tags.

    Raises ``UnreadableDataError`` for a file that is missing, truncated, or not what its name or ``type`` says.
    """
    path = Path(path)
    type = type or type_of(path)
    other = in_place_of_file(path)
    if other is not None:
        raise UnreadableDataError("the file is not there", where=str(path), expected="a file", found=other)
    if type == "vector":
        return _vector(path)
    if type == "table":
        return _table(path)
    if type in ("raster", "band_set", None):
        found = read_bands(path)[0] if band is None else _one_band(path, band)
        return found.with_facts(with_band_facts(found.facts))
    raise UnreadableDataError(
        f"a {type} is not read from a single file",
        where=str(path),
        expected="raster, vector or table",
        found=type,
    )


def read_bands(path: Path) -> tuple[Artifact, ...]:
    """The raster as a whole, then, where it has several bands, each of them as a raster of its own.

    Raises ``UnreadableDataError``, and ``NoCoordinateSystemsError`` where no raster can be placed at all.
    """
    import rasterio
    from rasterio.errors import CRSError, NotGeoreferencedWarning, RasterioError

    require_coordinate_systems()
    try:
        # TRUE: sidecar files are probed by name, so that opening one of many files does not list the folder
        with (
            warnings.catch_warnings(),
            rasterio.Env(GDAL_DISABLE_READDIR_ON_OPEN="TRUE", GDAL_PAM_ENABLED="YES"),
        ):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)  # said by the absence of crs and transform
            with open_data(path) as dataset:
                _refuse_truncated(path, dataset)
                _refuse_complex(path, dataset)
                grid = _grid_facts(dataset).over(_file_facts(path, dataset))
                bands = [_band(path, dataset, index, grid) for index in range(1, dataset.count + 1)]
                return (bands[0],) if dataset.count == 1 else (_whole(path, dataset, bands, grid), *bands)
    except (RasterioError, CRSError) as error:
        raise _unreadable(path, "a raster that GDAL can open", error) from error


def _one_band(path: Path, band: int) -> Artifact:
    found = read_bands(path)
    bands = found[1:] or found
    if not 1 <= band <= len(bands):
        raise UnreadableDataError(
            f"{path.name} has no band {band}",
            where=str(path),
            expected=f"a band from 1 to {len(bands)}",
            found=str(band),
        )
    return bands[band - 1]


def _grid_facts(dataset: Any) -> Facts:
    shape = (int(dataset.height), int(dataset.width))
    crs = canonical_or_none(dataset.crs.to_wkt()) if dataset.crs else None
    facts = Facts.of(Origin.MEASURED, "header", shape=shape, crs=crs)
    transform = tuple(float(number) for number in tuple(dataset.transform)[:6])
    if dataset.transform.is_identity:
        return facts.put("grid", geo.grid_token(crs, IDENTITY, shape), Origin.MEASURED, "header (size alone)")
    a, b, _, d, e, _ = transform
    return Facts.of(
        Origin.MEASURED,
        "header",
        transform=transform,
        resolution=((a * a + d * d) ** 0.5, (b * b + e * e) ** 0.5),
        bounds=geo.bounds_of(transform, shape),
        grid=geo.grid_token(crs, transform, shape),
    ).over(facts)


def _file_facts(path: Path, dataset: Any) -> Facts:
    return Facts.of(Origin.MEASURED, "header", count=int(dataset.count), size=path.stat().st_size)


def _band(path: Path, dataset: Any, index: int, grid: Facts) -> Artifact:
    """One band; its index is kept only where the file has others."""
    dtype = str(dataset.dtypes[index - 1])
    header = Facts.of(Origin.MEASURED, "header", dtype=dtype, nodata=dataset.nodatavals[index - 1])
    scale, offset = float(dataset.scales[index - 1]), float(dataset.offsets[index - 1])
    if (scale, offset) != NOTHING_SAID:
        header = Facts.of(Origin.MEASURED, "header", scale=scale, offset=offset).over(header)
    if dtype in ("uint8", "uint16") and dataset.colorinterp[index - 1].name == "palette":
        header = header.put("palette", True, Origin.MEASURED, "header")
    tags, band_tags = _tags(dataset, 0), _without_places(_tags(dataset, index))
    description = dataset.descriptions[index - 1]
    if description and not (band_tags or dataset.count > 1) and _PLACE.fullmatch(description):
        description = None
    declared = tag_facts(tags, band_tags, unit=dataset.units[index - 1], description=description)
    said = declared.over(packing(tags, band_tags, dtype)).over(words_in(tags, band_tags, description))
    facts = header.over(grid).over(said)
    along = slice_facts(tags, band_tags)
    facts = pixel_facts(tags, band_tags).over(along).over(facts)
    several = dataset.count > 1
    if several:
        facts = (_of_picture(dataset, index, description) if dtype == "uint8" else _of_alpha(dataset, index)).over(
            facts
        )
    if several and description:
        source = VARIABLE if band_tags.get("NETCDF_VARNAME") == description else "band description"
        facts = facts.put("layer", description, Origin.DECLARED, source)
    words = (description or str(index), *(str(fact.value) for fact in along.values()))
    name = f"{path.stem}:{' '.join(words)}" if several else path.stem
    others = tags.get(OTHER_GRIDS)
    if index == 1 and others:
        facts = facts.put("unread", others, Origin.MEASURED, "header")
    return Artifact(type="raster", facts=facts, name=name, path=str(path), band=index if several else None)


def _without_places(band_tags: dict[str, str]) -> dict[str, str]:
    """The tags of a band without the names that GDAL gives to variables of files that it writes: they count bands, and
    are none of a sensor's."""
    if not _NUMBERED.fullmatch(band_tags.get("long_name", "")):
        return band_tags
    return {name: text for name, text in band_tags.items() if name not in ("long_name", "NETCDF_VARNAME")}


def _of_picture(dataset: Any, index: int, description: str | None) -> Facts:
    """What a band of a picture is by its colour interpretation: red, green, blue, and where the picture is.

    GDAL takes three bands of eight bits for a picture, and a fourth for its alpha, where nobody says otherwise: that
    fourth one is believed where its description says the same, or its numbers are 0 and 255 alone.
    """
    colours = [one.name for one in dataset.colorinterp]
    said = [(one or "").casefold() for one in dataset.descriptions]
    if colours[:3] != list(_PICTURE) or dataset.count > len(_PICTURE) + 1:
        return Facts()
    if any(told and told != colour for told, colour in zip(said, colours, strict=True)):
        return Facts()
    if dataset.count > len(_PICTURE) and said[-1] != "alpha" and not _hides(dataset):
        return Facts()
    if index <= len(_PICTURE):
        return Facts.of(Origin.DECLARED, COLOURS, bands=(colours[index - 1],))
    return Facts.of(Origin.DECLARED, COLOURS, quantity="valid_mask", unit="1")


def _of_alpha(dataset: Any, index: int) -> Facts:
    """What the last band is that is said to hide pixels: of other numbers than those of pictures nobody assumes it."""
    if index != dataset.count or dataset.colorinterp[-1].name != "alpha":
        return Facts()
    return Facts.of(Origin.DECLARED, COLOURS, quantity="valid_mask", unit="1")


def _hides(dataset: Any) -> bool:
    """Whether the last band holds nothing but 0 and 255 in the middle of the file, as no colour does."""
    from rasterio.windows import Window

    wide, high = min(_MIDDLE, dataset.width), min(_MIDDLE, dataset.height)
    middle = Window((dataset.width - wide) // 2, (dataset.height - high) // 2, wide, high)
    return set(dataset.read(dataset.count, window=middle).ravel().tolist()) <= {0, 255}


def _tags(dataset: Any, index: int) -> dict[str, str]:
    """Metadata items of the file (0) or of a band; items in another encoding than UTF-8 cannot be had singly."""
    try:
        return dict(dataset.tags(index))
    except UnicodeDecodeError:
        return {}


def _whole(path: Path, dataset: Any, bands: list[Artifact], grid: Facts) -> Artifact:
    """A file of several bands: what all bands agree on, with the common names of all where all have one."""
    shared = bands[0].facts
    for band in bands[1:]:
        shared = shared.common(band.facts)
    shared = shared.without(("layer", "band", "bands", "wavelength")).over(grid)
    names = [with_band_facts(band.facts).value("bands") for band in bands]
    if all(names):
        shared = shared.put("bands", [name for found in names for name in found], Origin.DECLARED, "band names")
    return Artifact(type="raster", facts=shared, name=path.stem, path=str(path))


def _refuse_truncated(path: Path, dataset: Any) -> None:
    """A GeoTIFF whose directory points beyond the end of the file has lost pixels, though its header opens."""
    if dataset.driver != "GTiff":
        return
    size = path.stat().st_size
    for index in {1, dataset.count}:
        rows, columns = dataset.block_shapes[index - 1]
        last = ((dataset.height - 1) // rows, (dataset.width - 1) // columns)
        blocks = [(row, column) for row in range(last[0] + 1) for column in range(last[1] + 1)]
        # of very many blocks the last ones: writers append
        for row, column in blocks[-_BLOCKS_CHECKED:]:
            start = dataset.get_tag_item(f"BLOCK_OFFSET_{column}_{row}", "TIFF", bidx=index)
            length = dataset.get_tag_item(f"BLOCK_SIZE_{column}_{row}", "TIFF", bidx=index)
            if start and length and int(start) + int(length) > size:
                raise UnreadableDataError(
                    f"{path.name} is truncated",
                    where=str(path),
                    expected=f"at least {int(start) + int(length)} bytes",
                    found=f"{size} bytes",
                    hint="download or copy the file again",
                )


def _refuse_complex(path: Path, dataset: Any) -> None:
    """Radar data before detection: what is to be made of real and imaginary parts is not for a reader to choose."""
    found = next((dtype for dtype in dataset.dtypes if str(dtype).startswith("complex")), None)
    if found is not None:
        raise UnreadableDataError(
            f"{path.name} holds complex numbers",
            where=str(path),
            expected="real numbers",
            found=f"{found}: a format of numbers that is not known here",
            hint="detect it first: its amplitude or intensity is a raster of real numbers",
        )


def _vector(path: Path) -> Artifact:
    from knowflow.ground.vectors import DataLayerError, DataSourceError, read_info

    check_opening(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a file of several layers: the first is taken and named
            info = read_info(path, force_feature_count=True, force_total_bounds=True)
            said = _said_by(_attributes(path), "attributes") if 0 < info["features"] <= MOST_ROWS else Facts()
    except (DataSourceError, DataLayerError) as error:
        raise _unreadable(path, "a vector file that GDAL can open", error) from error
    crs = canonical_or_none(info["crs"]) if info["crs"] else None
    edges = tuple(float(edge) for edge in info["total_bounds"] or ())  # none of a layer without a single geometry
    if crs is not None and len(edges) == _EDGES and not geo.are_degrees(crs, edges):
        crs = None  # taken for granted by the format, and not so
    facts = Facts.of(
        Origin.MEASURED,
        "header",
        crs=crs,
        bounds=edges if info["features"] and edges and all(map(isfinite, edges)) else None,
        geometry=info["geometry_type"],
        fields=tuple(str(name) for name in info["fields"]),
        features=int(info["features"]),
        layer=str(info["layer_name"]),
        size=path.stat().st_size,
    )
    return Artifact(type="vector", facts=facts.over(said), name=path.stem, path=str(path))


def _said_by(columns: Columns, source: str) -> Facts:
    """What a table's columns, or a vector's attributes, call its rows, and the numbers and words in them."""
    named, numbers = name_field(columns), named_numbers(columns)
    return Facts.of(
        Origin.DECLARED,
        source,
        name_field=named,
        names=None if named is None else distinct(columns[named])[:_MOST_NAMES],
        named_numbers=None if numbers is None else (numbers.code, numbers.name, tuple(sorted(numbers.names.items()))),
        words=tuple((name, words) for name, words in words_of(columns).items() if name != named) or None,
    )


def _attributes(path: Path) -> Columns:
    """The attributes of the features of a vector."""
    from knowflow.ground.vectors import read

    meta, _, _, columns = read(path, read_geometry=False)
    return {str(name): column.tolist() for name, column in zip(meta["fields"], columns, strict=True)}


def _table(path: Path) -> Artifact:
    sheets = Facts.of(Origin.MEASURED, "header", unread=_sheets_unread(path))
    try:
        columns, count = read_table(path)
    except csv.Error as error:
        message, expected = f"{path.name} cannot be read", "a table with a title of its own for each column"
        hint = "mend the file, or take it out of the folder"
        raise UnreadableDataError(message, where=str(path), expected=expected, found=str(error), hint=hint) from error
    except (UnicodeDecodeError, OSError) as error:
        raise _unreadable(path, "a CSV table in UTF-8", error) from error
    if place_columns(columns) is not None:
        found = _vector(path)
        return found.with_facts(sheets.over(found.facts))
    fields = [name for name in columns if name]
    if not fields:
        raise _unreadable(path, "a table with a header line", "an empty file")
    size = path.stat().st_size
    facts = Facts.of(Origin.MEASURED, "header", fields=tuple(fields), features=count, length=count, size=size)
    facts = sheets.over(facts.over(_said_by(columns, "columns")))
    return Artifact(type="table", facts=facts, name=path.stem, path=str(path))


def _sheets_unread(path: Path) -> str | None:
    """What is said of the sheets of a workbook that hold something and are not read; None where there are none."""
    if path.suffix.casefold() not in WORKBOOKS | OLD_WORKBOOKS:
        return None
    from knowflow.ground.workbooks import table_of

    try:
        first, others = table_of(path)
    except OSError as error:
        raise _unreadable(path, "a workbook", error) from error
    told = ", ".join(map(repr, others))
    return f"the sheets {told} are not read, the first that holds a table is {first.name!r}" if others else None


def read_table_of_series(path: Path) -> Artifact | None:
    """A file of series along time alone as a table, with what it calls its columns; None of any other."""
    series = read_series(path)
    if series is None:
        return None
    size, count = path.stat().st_size, len(series.columns[TIME])
    noted = tuple(
        (COLUMN, name, name, called.replace("_", " "), series.units[name]) for name, called in series.called.items()
    )
    facts = Facts.of(Origin.MEASURED, "header", fields=tuple(series.columns), features=count, length=count, size=size)
    facts = facts.put("noted", noted, Origin.DECLARED, "header")
    return Artifact(type="table", facts=facts, name=path.stem, path=str(path))


def _unreadable(path: Path, expected: str, error: object) -> UnreadableDataError:
    """Says what the file is instead, as far as its first bytes tell."""
    try:
        with path.open("rb") as stream:
            start = stream.read(64)
    except OSError as problem:
        return UnreadableDataError(
            f"{path.name} cannot be opened", where=str(path), expected=expected, found=problem.strerror or str(problem)
        )
    if not start:
        found = "an empty file"
    elif b"\0" not in start and start.isascii():
        found = f"text beginning {start[:40].decode('ascii')!r}"
    else:
        found = str(error).replace(str(path), path.name)
    return UnreadableDataError(
        f"{path.name} cannot be read",
        where=str(path),
        expected=expected,
        found=found,
        hint="the file may be truncated or mislabelled: download or copy it again, or take it out of the folder",
    )
