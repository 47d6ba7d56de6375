"""Small questions about CRS, grids and extents, asked of facts. No pixels, no files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyproj import CRS

    from knowflow.model.artifact import Artifact

Box = tuple[float, float, float, float]


@lru_cache(maxsize=256)
def crs_of(text: str) -> CRS:
    """The CRS behind an authority code, a WKT or a PROJ string."""
    from pyproj import CRS

    return CRS.from_user_input(text)


def is_crs(text: str) -> bool:
    """Whether the text defines a CRS."""
    from pyproj.exceptions import CRSError

    try:
        crs_of(text)
    except CRSError:
        return False
    return True


def is_projected(text: str) -> bool:
    return bool(crs_of(text).is_projected)


def canonical_crs(text: str) -> str:
    """``EPSG:32633`` where the definition has a code, else its WKT: two spellings of one CRS compare equal."""
    crs = crs_of(text)
    authority = crs.to_authority(min_confidence=70)
    return ":".join(authority) if authority else str(crs.to_wkt())


def grid_token(crs: str | None, transform: Sequence[float], shape: Sequence[int]) -> str:
    """The identity of a measured grid: equal tokens mean pixel-for-pixel correspondence.

    The size of pixels is rounded to 1e-9 of itself, their direction to 1e-6 and the origin to 1e-4 of a pixel, so that
    the noise of writers does not make two grids of one.
    """
    a, b, c, d, e, f = (float(number) for number in transform)
    pixel = max(abs(a) + abs(b), abs(d) + abs(e)) or 1.0
    digits = [round(number / pixel * 1e6) for number in (a, b, d, e)]
    origin = [round(c / pixel * 1e4), round(f / pixel * 1e4)]
    text = repr((crs, f"{pixel:.9g}", digits, origin, tuple(int(n) for n in shape)))
    return "grid:" + hashlib.sha256(text.encode()).hexdigest()[:16]


def symbolic_grid(*makers: str) -> str:
    """The identity of a grid that a tool will make at run time, from what decides it."""
    return "made:" + hashlib.sha256(repr(makers).encode()).hexdigest()[:16]


def symbolic(token: str) -> bool:
    return token.startswith("made:")


def describe(fact: str, artifact: Artifact) -> Any:
    """A fact in words a person can compare; a grid as CRS, size, resolution and origin."""
    if fact != "grid":
        return artifact.fact(fact)
    transform = artifact.fact("transform")
    shape = artifact.fact("shape")
    if transform is None or shape is None:
        return artifact.fact("grid")
    a, _, c, _, e, f = transform
    return f"{artifact.fact('crs')} {shape[0]}x{shape[1]} at {abs(a):.8g}x{abs(e):.8g} from ({c:.8g}, {f:.8g})"


def bounds_of(transform: Sequence[float], shape: Sequence[int]) -> Box:
    """West, south, east, north of a grid, rotated grids included."""
    a, b, c, d, e, f = transform
    rows, columns = shape
    xs = [c, c + a * columns, c + b * rows, c + a * columns + b * rows]
    ys = [f, f + d * columns, f + e * rows, f + d * columns + e * rows]
    return min(xs), min(ys), max(xs), max(ys)


def lonlat_box(artifact: Artifact) -> Box | None:
    """The extent in degrees (EPSG:4326), or None where CRS or bounds are unknown."""
    crs, bounds = artifact.fact("crs"), artifact.fact("bounds")
    if crs is None or bounds is None or not is_crs(crs):
        return None
    return transform_box(crs, "EPSG:4326", tuple(bounds))


@lru_cache(maxsize=1024)
def transform_box(source: str, target: str, box: Box) -> Box:
    """The box around a box in another CRS, edges densified."""
    if source == target:
        return box
    from pyproj import Transformer

    transformer = Transformer.from_crs(crs_of(source), crs_of(target), always_xy=True)
    west, south, east, north = transformer.transform_bounds(*box, densify_pts=21)
    return float(west), float(south), float(east), float(north)


def boxes_overlap(a: Box, b: Box) -> bool:
    """Whether two extents in degrees share an area; a west greater than the east means across the antimeridian."""
    if not (a[1] < b[3] and b[1] < a[3]):
        return False
    return any(
        west < other_east and other_west < east for west, east in _spans(a) for other_west, other_east in _spans(b)
    )


def _spans(box: Box) -> tuple[tuple[float, float], ...]:
    return ((box[0], box[2]),) if box[0] <= box[2] else ((box[0], 180.0), (-180.0, box[2]))


def utm_crs(box: Box) -> str:
    """The UTM zone (WGS 84) of the middle of an extent in degrees; universal polar stereographic beyond 84 N and 80 S.

    Lengths are true to 1 % in each, over extents that are not much wider than its zone.
    """
    east = box[2] if box[0] <= box[2] else box[2] + 360
    longitude, latitude = (box[0] + east) / 2, (box[1] + box[3]) / 2
    longitude = (longitude + 180) % 360 - 180
    if latitude > 84:
        return "EPSG:5041"
    if latitude < -80:
        return "EPSG:5042"
    zone = min(int((longitude + 180) // 6) + 1, 60)
    return f"EPSG:{(32600 if latitude >= 0 else 32700) + zone}"


def in_unit(values: Sequence[float], unit: str | None, target: str) -> tuple[float, ...]:
    """Values in the target unit, unchanged where the unit is unknown or the same."""
    if unit is None or unit == target:
        return tuple(values)
    from knowflow.ground.units import convert

    return tuple(float(convert(value, unit, target)) for value in values)
