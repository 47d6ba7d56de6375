"""Small questions about CRS, grids and extents, asked of facts. No pixels, no files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import ToolError

if TYPE_CHECKING:
    from pyproj import CRS, Transformer

    from knowflow.model.artifact import Artifact

SIZE_ALONE = "--assume resolution"
"""The source of a transform that tells how large pixels are, and not where they lie."""
Box = tuple[float, float, float, float]
_MESH = 5

LONLAT = "EPSG:4326"
_SCALE_ON_MERIDIAN, _SCALE_AT_POLES = 0.9996, 0.994  # as UTM and UPS have them
_SAME_BODY = 0.01  # of the radius: ellipsoids of one body differ by much less, bodies by more


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


def are_degrees(crs: str, box: Sequence[float]) -> bool:
    """Whether an extent can be one in a CRS of degrees; in any other, every number can be.

    A file that says nothing of its CRS is read as one of degrees (RFC 7946), whatever its numbers are.
    """
    west, south, east, north = box
    return not crs_of(crs).is_geographic or (max(abs(west), abs(east)) <= 360 and max(abs(south), abs(north)) <= 90)


def canonical_crs(text: str) -> str:
    """``EPSG:32633`` where the definition has a code, else its WKT: two spellings of one CRS compare equal."""
    crs = crs_of(text)
    authority = crs.to_authority(min_confidence=70)
    return ":".join(authority) if authority else str(crs.to_wkt())


@lru_cache(maxsize=1024)
def same_crs(one: str, other: str) -> bool:
    """Whether two definitions are of one CRS, however a file format names its parts."""
    same = canonical_crs(one) == canonical_crs(other)
    return same or bool(crs_of(one).equals(crs_of(other), ignore_axis_order=True))


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
    """The extent in degrees (EPSG:4326 on Earth), or None where CRS or bounds are unknown, or have none."""
    crs, bounds = artifact.fact("crs"), artifact.fact("bounds")
    if crs is None or bounds is None or not is_crs(crs) or (degrees := degrees_on(crs)) is None:
        return None
    return transform_box(crs, degrees, tuple(bounds))


def pixel_of(
    crs: str, transform: Sequence[float], shape: tuple[int, int], longitude: float, latitude: float
) -> tuple[int, int] | None:
    """Row and column of the pixel that a point (degrees east and north) lies in; None beside the grid.

    Raises:
        ToolError: nothing is known that leads from degrees on Earth to the CRS.
    """
    from affine import Affine

    x, y = transformer_between(LONLAT, crs).transform(longitude, latitude)
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    column, row = (math.floor(one) for one in ~Affine(*transform[:6]) @ (x, y))
    return (row, column) if 0 <= row < shape[0] and 0 <= column < shape[1] else None


@lru_cache(maxsize=256)
def degrees_on(crs: str) -> str | None:
    """The CRS of longitude and latitude on the body that a CRS is of: EPSG:4326 on Earth; None of a plan of a site,
    which is of no body."""
    own = crs_of(crs)
    if own.ellipsoid is None or own.geodetic_crs is None:
        return None
    return LONLAT if one_body(crs, LONLAT) else canonical_crs(own.geodetic_crs.to_wkt())


@lru_cache(maxsize=1024)
def one_body(one: str, other: str) -> bool:
    """Whether two CRS are of the same celestial body, as far as its size tells."""
    radii = [crs_of(crs).ellipsoid for crs in (one, other)]
    if radii[0] is None or radii[1] is None:
        return False
    a, b = (float(ellipsoid.semi_major_metre) for ellipsoid in radii)
    return abs(a - b) <= _SAME_BODY * max(a, b)


def on_earth(crs: str) -> bool:
    """Whether a CRS is of the Earth."""
    return one_body(crs, LONLAT)


def transformer_between(source: str, target: str) -> Transformer:
    """What brings x, y (or longitude, latitude) of one CRS into another.

    Raises:
        ToolError: they are of different bodies, or nothing is known that leads from one to the other.
    """
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    try:
        return Transformer.from_crs(crs_of(source), crs_of(target), always_xy=True)
    except ProjError as error:
        names = [crs_of(crs).name for crs in (source, target)]
        raise ToolError(
            f"no place of {names[0]} has coordinates in {names[1]}",
            expected="two coordinate reference systems of one body",
            found=f"{_body(source)}, and {_body(target)}",
            hint="give coordinates in the CRS of the data, or data of one body",
        ) from error


def require_one_body(source: str, target: str) -> None:
    """Raises ``ToolError`` where nothing can be brought from one CRS into the other."""
    if source != target and not one_body(source, target):
        transformer_between(source, target)


def _body(crs: str) -> str:
    ellipsoid = crs_of(crs).ellipsoid
    return "a plan without a body" if ellipsoid is None else f"{ellipsoid.name} ({ellipsoid.semi_major_metre:.8g} m)"


@lru_cache(maxsize=1024)
def transform_box(source: str, target: str, box: Box) -> Box:
    """The box around a box in another CRS, edges densified; ``ToolError`` where the two are of different bodies."""
    if source == target:
        return box
    west, south, east, north = transformer_between(source, target).transform_bounds(*box, densify_pts=21)
    return float(west), float(south), float(east), float(north)


@lru_cache(maxsize=1024)
def shows(crs: str, degrees: str, box: Box) -> bool:
    """Whether a CRS has a place for every part of an extent in degrees."""
    from itertools import product
    from math import isfinite

    from pyproj import Transformer

    west, south, east, north = box
    parts = [index / (_MESH - 1) for index in range(_MESH)]
    points = [(west + x * (east - west), south + y * (north - south)) for x, y in product(parts, parts)]
    found = Transformer.from_crs(crs_of(degrees), crs_of(crs), always_xy=True).transform(*zip(*points, strict=True))
    return all(isfinite(number) for numbers in found for number in numbers)


def boxes_overlap(a: Box, b: Box) -> bool:
    """Whether two extents in degrees share an area; a west greater than the east means across the antimeridian."""
    if not (a[1] < b[3] and b[1] < a[3]):
        return False
    return any(
        west < other_east and other_west < east for west, east in _spans(a) for other_west, other_east in _spans(b)
    )


def _spans(box: Box) -> tuple[tuple[float, float], ...]:
    return ((box[0], box[2]),) if box[0] <= box[2] else ((box[0], 180.0), (-180.0, box[2]))


def utm_crs(box: Box, crs: str = LONLAT) -> str:
    """The UTM zone (WGS 84) of the middle of an extent in degrees; universal polar stereographic beyond 84 N and 80 S.

    Lengths are true to 1 % in each, over extents that are not much wider than its zone. ``crs`` is that of the data:
    on other bodies than the Earth it is the same projection of their own ellipsoid.
    """
    east = box[2] if box[0] <= box[2] else box[2] + 360
    longitude, latitude = (box[0] + east) / 2, (box[1] + box[3]) / 2
    longitude = (longitude + 180) % 360 - 180
    zone = min(int((longitude + 180) // 6) + 1, 60)
    if not on_earth(crs):
        return _metric_crs(6 * zone - 183, latitude, crs)
    if latitude > 84:
        return "EPSG:5041"
    if latitude < -80:
        return "EPSG:5042"
    return f"EPSG:{(32600 if latitude >= 0 else 32700) + zone}"


@lru_cache(maxsize=256)
def _metric_crs(meridian: float, latitude: float, crs: str) -> str:
    """A projection in metres on the body of a CRS: transverse Mercator, polar stereographic near its poles."""
    from pyproj.crs import ProjectedCRS
    from pyproj.crs.coordinate_operation import PolarStereographicAConversion, TransverseMercatorConversion

    conversion = (
        PolarStereographicAConversion(math.copysign(90.0, latitude), 0.0, scale_factor_natural_origin=_SCALE_AT_POLES)
        if abs(latitude) > 84
        else TransverseMercatorConversion(0.0, meridian, 500_000.0, 0.0, _SCALE_ON_MERIDIAN)
    )
    name = f"{conversion.method_name} {meridian:g}"
    made = ProjectedCRS(conversion, name=name, geodetic_crs=crs_of(crs).geodetic_crs)
    return canonical_crs(made.to_wkt())


def in_unit(values: Sequence[float], unit: str | None, target: str) -> tuple[float, ...]:
    """Values in the target unit, unchanged where the unit is unknown or the same."""
    if unit is None or unit == target:
        return tuple(values)
    from knowflow.ground.units import convert

    return tuple(float(convert(value, unit, target)) for value in values)
