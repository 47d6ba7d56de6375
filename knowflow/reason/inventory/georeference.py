"""Where the pixels of a file lie by each source that says so: the file itself, and the files beside it.

GDAL takes the first that it finds (an ``.aux.xml`` before the file's own header) and says nothing of the others. Where
two of them place the pixels differently, nobody but the user knows which one is right.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import open_data
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.assume import Assumption
from knowflow.reason.inventory.crs import canonical_or_none

Transform = tuple[float, ...]

APART = 0.1
"""Pixels by which two sources may place the corners of a raster differently: they are written with few digits."""
_LARGEST = 4 << 20  # bytes of a sidecar that are worth parsing
_TELLS_INSIDE = frozenset({"GTiff", "COG", "JP2OpenJPEG"})  # drivers that can be told to look at nothing but the file
_NOTHING_BESIDE = {"GDAL_PAM_ENABLED": "NO", "GDAL_GEOREF_SOURCES": "INTERNAL", "GDAL_DISABLE_READDIR_ON_OPEN": "TRUE"}
_NOTHING_INSIDE = frozenset({"PNG", "JPEG", "BMP", "GIF"})


@dataclass(frozen=True, slots=True)
class Place:
    """What one source says of where a raster lies; None: it does not say."""

    source: str
    crs: str | None = None
    transform: Transform | None = None


def require_one_place(
    path: Path, raster: Artifact, said: Iterable[Place], assumptions: Sequence[Assumption] = ()
) -> None:
    """Refuse a raster that its sources place differently, but for what the user has settled.

    ``raster`` is the file as its header tells it, ``said`` what is known already of other sources. Raises
    ``UnreadableDataError`` with what each of two sources says, and the ``--assume`` that settles it.
    """
    beside = [place for place in (*_beside(path), *said) if place.crs or place.transform]
    if not beside:
        return
    shape = raster.fact("shape")
    places = [_inside(path, bool(_world_files(path))), *beside]
    settled = {one.fact for one in assumptions if one.files is not None and one.applies_to(raster)}
    for fact, differs in (("crs", _other_crs), ("transform", _other_transform)):
        told = [place for place in places if getattr(place, fact) is not None]
        other = next((place for place in told[1:] if differs(told[0], place, shape)), None)
        if other is not None and fact not in settled:
            one, two = ((place.source, _shown(getattr(place, fact))) for place in (told[0], other))
            raise UnreadableDataError(
                f"the sources of {path.name} disagree on its {fact}",
                where=str(path),
                expected="one place for its pixels",
                found=f"{one[1]} by {one[0]}, {two[1]} by {two[0]}; "
                f"say which is right: --assume '{path.name}:{fact}={one[1]}' or --assume '{path.name}:{fact}={two[1]}'",
                hint="or take the wrong one away",
            )


def _beside(path: Path) -> list[Place]:
    """What the files beside a raster say: ``.aux.xml``, world files, and a ``.prj`` that is not of a shapefile."""
    found = []
    sidecar = path.with_name(f"{path.name}.aux.xml")
    if sidecar.is_file() and sidecar.stat().st_size <= _LARGEST:
        found.append(_of_pam(sidecar))
    found += [_of_world_file(file) for file in _world_files(path)]
    projection = path.with_suffix(".prj")
    if projection.is_file() and not path.with_suffix(".shp").exists() and projection.stat().st_size <= _LARGEST:
        found.append(Place(projection.name, crs=canonical_or_none(projection.read_text("utf-8", "replace").strip())))
    return found


def _world_files(path: Path) -> list[Path]:
    """``x.tfw``, ``x.tifw``, ``x.wld`` of ``x.tif``. Source: https://gdal.org/drivers/raster/wld.html"""
    ending = path.suffix[1:]
    names = (f".{ending[:1]}{ending[-1:]}w", f".{ending}w", ".wld") if ending else ()
    return [file for name in names if (file := path.with_suffix(name)).is_file()]


def _of_pam(sidecar: Path) -> Place:
    try:
        text = sidecar.read_bytes()
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, OSError):
        return Place(sidecar.name)
    definition, numbers = (
        (root.findtext("SRS") or "").strip(),
        _numbers((root.findtext("GeoTransform") or "").split(",")),
    )
    transform = None
    if len(numbers) == 6:
        c, a, b, f, d, e = numbers
        transform = (a, b, c, d, e, f)
    return Place(sidecar.name, canonical_or_none(definition) if definition else None, transform)


def _of_world_file(file: Path) -> Place:
    """A world file tells the centre of the first pixel, a transform its corner."""
    try:
        numbers = _numbers(file.read_text("ascii", "replace").split())
    except OSError:
        return Place(file.name)
    if len(numbers) != 6:
        return Place(file.name)
    a, d, b, e, x, y = numbers
    return Place(file.name, transform=(a, b, x - (a + b) / 2, d, e, y - (d + e) / 2))


def _inside(path: Path, world_file: bool) -> Place:
    """What the file itself says, whatever lies beside it."""
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    try:
        with warnings.catch_warnings(), rasterio.Env(**_NOTHING_BESIDE):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with open_data(path) as dataset:
                if dataset.driver in _NOTHING_INSIDE:
                    return Place(path.name)
                return _of_header(path, dataset, dataset.driver in _TELLS_INSIDE or not world_file)
    except RasterioError:
        return Place(path.name)


def _of_header(path: Path, dataset: Any, own_transform: bool) -> Place:
    crs = canonical_or_none(dataset.crs.to_wkt()) if dataset.crs else None
    transform = tuple(float(number) for number in tuple(dataset.transform)[:6])
    placed = own_transform and not dataset.transform.is_identity
    return Place(path.name, crs, transform if placed else None)


def _other_crs(one: Place, other: Place, shape: Sequence[int]) -> bool:
    """Whether two definitions place the pixels differently; spellings of one do not."""
    if one.crs is None or other.crs is None or one.crs == other.crs:
        return False
    transform = one.transform or other.transform
    if transform is None:
        return True
    from pyproj import Transformer

    corners = _corners(transform, shape)
    moved = Transformer.from_crs(geo.crs_of(other.crs), geo.crs_of(one.crs), always_xy=True)
    xs, ys = moved.transform(*zip(*corners, strict=True))
    return _apart(corners, list(zip(xs, ys, strict=True)), transform)


def _other_transform(one: Place, other: Place, shape: Sequence[int]) -> bool:
    if one.transform is None or other.transform is None:
        return False
    return _apart(_corners(one.transform, shape), _corners(other.transform, shape), one.transform)


def _corners(transform: Transform, shape: Sequence[int]) -> list[tuple[float, float]]:
    a, b, c, d, e, f = transform
    rows, columns = shape
    return [(a * x + b * y + c, d * x + e * y + f) for x in (0, columns) for y in (0, rows)]


def _apart(ones: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]], transform: Transform) -> bool:
    """Whether any corner lies further from its like than :data:`APART` pixels."""
    a, b, _, d, e, _ = transform
    pixel = min(math.hypot(a, d), math.hypot(b, e))
    return any(not math.dist(one, other) <= APART * pixel for one, other in zip(ones, others, strict=True))


def _numbers(texts: Iterable[str]) -> list[float]:
    try:
        found = [float(text) for text in texts]
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []


def _shown(value: str | Transform) -> str:
    return value if isinstance(value, str) else ",".join(f"{number:.12g}" for number in value)
