"""Lengths and directions on the ground: what the projection of a raster makes of them. From facts alone, no pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.verdict import Missing, Place, Verdict, place_text, short

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TRUE_TO = 0.01
"""Lengths of a projection that differ by less from those on the ground are taken for them."""
AREAS_TRUE_TO = 1e-3
"""Areas of a projection that differ by less from those on the ground are taken for them."""
SQUARE_TO = 1e-3
NORTH_TO = 5.0
"""Degrees by which the direction of columns may differ from north."""
_MESH = 5
_WIDE = 15.0  # degrees of latitude
_EDGE_POINTS = 64


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a projection does over an extent: ground lengths per length of its plane, and how far its north is turned.

    ``least`` and ``most`` are over all directions and places (1: true); ``turn`` is the largest angle in degrees
    between the plane's second axis and north.
    """

    least: float
    most: float
    turn: float


def axes_on_ground(crs: str, x: Array, y: Array, step: float) -> tuple[Array, Array, Array, Array]:
    """How far a step of one unit along x, and along y, leads on the ellipsoid at each point: (m east, m north) of both.

    ``step``, in units of the CRS, is what the differences are taken over. Not finite beyond the reach of the
    projection. Differences are of positions in space, so that a pole is a place like any other but for where east is.
    Source: geodetic to geocentric coordinates and the local directions east and north, EPSG Guidance Note 7-2,
    sections 4.1.1 and 4.1.2.
    """
    import numpy as np
    from pyproj import Transformer

    own = geo.crs_of(crs)
    geodetic = own.geodetic_crs
    to_degrees = Transformer.from_crs(own, geodetic, always_xy=True)
    radians = float(geodetic.axis_info[0].unit_conversion_factor)
    ellipsoid = own.get_geod()

    def geographic(dx: float, dy: float) -> tuple[Array, Array]:
        longitude, latitude = to_degrees.transform(x + dx, y + dy)
        return radians * np.asarray(longitude), radians * np.asarray(latitude)

    def position(dx: float, dy: float) -> tuple[Array, Array, Array]:
        longitude, latitude = geographic(dx, dy)
        normal = ellipsoid.a / np.sqrt(1.0 - ellipsoid.es * np.sin(latitude) ** 2)
        across = normal * np.cos(latitude)
        return across * np.cos(longitude), across * np.sin(longitude), normal * (1 - ellipsoid.es) * np.sin(latitude)

    def along(dx: float, dy: float) -> tuple[Array, Array]:
        back, ahead = position(-dx / 2, -dy / 2), position(dx / 2, dy / 2)
        u, v, w = ((end - start) / step for start, end in zip(back, ahead, strict=True))
        outwards = u * np.cos(longitude) + v * np.sin(longitude)
        return v * np.cos(longitude) - u * np.sin(longitude), w * np.cos(latitude) - outwards * np.sin(latitude)

    with np.errstate(invalid="ignore"):
        longitude, latitude = geographic(0.0, 0.0)
        return (*along(step, 0.0), *along(0.0, step))


def pixel_on_ground(crs: str, transform: Sequence[float], shape: Sequence[int]) -> tuple[float, float]:
    """Width and height (m) of the pixel in the middle of a grid, on the ellipsoid; not finite off the CRS's map."""
    import numpy as np

    a, b, c, d, e, f = transform
    row, column = shape[0] / 2, shape[1] / 2
    middle = np.array([a * column + b * row + c]), np.array([d * column + e * row + f])
    x_east, x_north, y_east, y_north = (float(part[0]) for part in axes_on_ground(crs, *middle, math.hypot(a, d)))
    width = math.hypot(a * x_east + d * y_east, a * x_north + d * y_north)
    return width, math.hypot(b * x_east + e * y_east, b * x_north + e * y_north)


def area_on_ground(crs: str, transform: Sequence[float], shape: Sequence[int]) -> float:
    """The ground (m2) that a grid covers, by geodesics along its edges; not finite off the CRS's map.

    In the plane of the projection where that is true to :data:`AREAS_TRUE_TO`, as areas of masks are.
    """
    import numpy as np
    from pyproj import Transformer

    a, b, c, d, e, f = transform
    along = np.linspace(0.0, 1.0, _EDGE_POINTS, endpoint=False)
    columns = shape[1] * np.concatenate([along, np.ones_like(along), 1 - along, np.zeros_like(along)])
    rows = shape[0] * np.concatenate([np.zeros_like(along), along, np.ones_like(along), 1 - along])
    own = geo.crs_of(crs)
    to_degrees = Transformer.from_crs(own, own.geodetic_crs, always_xy=True)
    longitude, latitude = to_degrees.transform(a * columns + b * rows + c, d * columns + e * rows + f)
    area, _ = own.get_geod().polygon_area_perimeter(longitude, latitude)
    planar = abs(a * e - b * d) * shape[0] * shape[1] * float(own.axis_info[0].unit_conversion_factor) ** 2
    return planar if abs(abs(area) / planar - 1.0) <= AREAS_TRUE_TO else abs(float(area))


@lru_cache(maxsize=1024)
def stretch_over(crs: str, box: geo.Box) -> Stretch | None:
    """What a projected CRS does to lengths and directions within a box; None where part of it is off its map.

    Lengths of the plane count in the unit of the CRS (metres, feet).
    """
    import numpy as np

    west, south, east, north = box
    x, y = np.meshgrid(np.linspace(west, east, _MESH), np.linspace(south, north, _MESH))
    step = max(east - west, north - south) * 1e-2
    if not step > 0:
        return None
    parts = axes_on_ground(crs, x, y, step)
    found = np.stack(parts).reshape(4, -1)
    if not np.isfinite(found).all():
        return None
    singular = np.linalg.svd(found.T.reshape(-1, 2, 2), compute_uv=False)
    singular /= float(geo.crs_of(crs).axis_info[0].unit_conversion_factor)
    turn = np.degrees(np.arctan2(found[2], found[3]))
    return Stretch(float(singular.min()), float(singular.max()), float(np.abs(turn).max()))


def true_lengths(place: Place, leaf: Artifact) -> Verdict:
    """Whether lengths in the plane of the CRS are those on the ground, to :data:`TRUE_TO`, over the whole extent."""
    found = _stretch(place, leaf)
    if isinstance(found, Verdict):
        return found
    truth = found.least >= 1.0 - TRUE_TO and found.most <= 1.0 + TRUE_TO
    times = f"{1 / found.most:.4g} to {1 / found.least:.4g} times" if found.least else "no lengths: no part of"
    shown = f"lengths of {place_text(place)} in {short(leaf.fact('crs'))} are {times} those on the ground"
    box = geo.lonlat_box(leaf)
    wide = not truth and box is not None and box[3] - box[1] > _WIDE
    return Verdict(
        truth, f"{shown}; no map shows so large a part of the Earth truly: --aoi takes less" if wide else shown
    )


def in_metres(place: Place, leaf: Artifact) -> Verdict:
    """Whether the CRS is projected and counts in metres, not in feet or the like."""
    crs = leaf.fact("crs")
    if crs is None or not geo.is_crs(crs) or not geo.is_projected(crs):
        found = _stretch(place, leaf)
        return found if isinstance(found, Verdict) else Verdict(True)
    unit = geo.crs_of(crs).axis_info[0]
    return Verdict(unit.unit_conversion_factor == 1.0, f"{short(crs)}, of {place_text(place)}, is in {unit.unit_name}")


def grid_north(place: Place, leaf: Artifact) -> Verdict:
    """Whether the second axis of the CRS points north, to :data:`NORTH_TO` degrees, over the whole extent."""
    found = _stretch(place, leaf)
    if isinstance(found, Verdict):
        return found
    shown = f"north is turned by up to {found.turn:.3g} degrees in {short(leaf.fact('crs'))}, which {place_text(place)}"
    return Verdict(found.turn <= NORTH_TO, f"{shown} is in")


def unrotated(place: Place, leaf: Artifact) -> Verdict:
    """Whether rows run along the first axis of the CRS and columns along the second, either way."""
    transform = leaf.fact("transform")
    if transform is None:
        return _undecided(place, leaf) or Verdict(True)
    a, b, _, d, e, _ = transform
    truth = max(abs(b), abs(d)) <= 1e-9 * max(abs(a), abs(e))
    return Verdict(
        truth, "" if truth else f"the rows of {place_text(place)} do not run from west to east: it is rotated"
    )


def square_pixels(place: Place, leaf: Artifact) -> Verdict:
    """Whether pixels are as wide as they are high: in the plane of the CRS, or on the ground where it is in degrees."""
    sides = _sides(leaf)
    if sides is None:
        return _undecided(place, leaf) or Verdict(True)
    width, height = sides
    crs = leaf.fact("crs")
    if crs is not None and geo.is_crs(crs) and not geo.is_projected(crs):
        box = _box(leaf)
        narrowest = max(abs(box[1]), abs(box[3])) if box is not None else 0.0
        ratio = width * math.cos(math.radians(min(narrowest, 90.0))) / height
        truth = abs(ratio - 1.0) <= TRUE_TO
        shown = f"pixels of {place_text(place)} are {ratio:.3g} times as wide as high on the ground"
        return Verdict(truth, "" if truth else shown)
    truth = abs(width / height - 1.0) <= SQUARE_TO
    return Verdict(truth, "" if truth else f"pixels of {place_text(place)} are {width:.6g} x {height:.6g}, not square")


def _stretch(place: Place, leaf: Artifact) -> Stretch | Verdict:
    crs = leaf.fact("crs")
    if crs is None:
        return Verdict(None, f"the CRS of {place_text(place)} is unknown", (Missing(place, "crs"),))
    if not geo.is_crs(crs):
        return Verdict(None, f"{short(crs)}, which {place_text(place)} is said to be in, is not a CRS")
    if not geo.is_projected(crs):
        return Verdict(False, f"the CRS of {place_text(place)} is {crs}, in degrees")
    box = _box(leaf)
    if box is None:
        undecided = _undecided(place, leaf) if leaf.type != "vector" else None
        return undecided or Verdict(True, f"{place_text(place)} lies nowhere in particular: lengths are as said")
    found = stretch_over(crs, box)
    return found or Verdict(False, f"{place_text(place)} lies, at least in part, off the map of {short(crs)}")


def _undecided(place: Place, leaf: Artifact) -> Verdict | None:
    """Why a grid cannot be judged: it is made at run time, or nobody knows it; None where only its place is unknown."""
    if geo.symbolic(leaf.fact("grid") or ""):
        return Verdict(None, f"the grid of {place_text(place)} is decided at run time")
    if leaf.fact("resolution") is not None or leaf.fact("transform") is not None:
        return None
    return Verdict(None, f"the transform of {place_text(place)} is unknown", (Missing(place, "transform"),))


def _box(leaf: Artifact) -> geo.Box | None:
    """The extent in the CRS; None where it is unknown, as of a raster of which only the size of the pixels was said."""
    bounds, transform, shape = (leaf.fact(name) for name in ("bounds", "transform", "shape"))
    if transform is not None and (transform[2], transform[5]) == (0.0, 0.0):
        return None
    if bounds is None and transform is not None and shape is not None:
        return geo.bounds_of(transform, shape)
    return None if bounds is None else tuple(bounds)


def _sides(leaf: Artifact) -> tuple[float, float] | None:
    """Width and height of a pixel in units of the CRS."""
    transform: Any = leaf.fact("transform")
    if transform is not None:
        a, b, _, d, e, _ = transform
        return math.hypot(a, d), math.hypot(b, e)
    resolution: Any = leaf.fact("resolution")
    if resolution is None:
        return None
    return resolution if isinstance(resolution, tuple) else (resolution, resolution)
