"""Features of vector files measured: how many, how large, how long, what their attributes say, how far apart.

Lengths, areas and distances are those on the WGS84 ellipsoid, in metres and square metres, whatever the CRS is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.columns import numbers_in, on_side
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.features import write_features
from knowflow.tools.ground import named
from knowflow.tools.polygons import moved
from knowflow.tools.raster import Block, Grid, Output, map_blocks
from knowflow.tools.raster.source import handles, open_source
from knowflow.tools.row_statistics import keys_of_rows
from knowflow.tools.zonal import Zones, in_each_zone, read_features, values_of, zones_on

Numbers = NDArray[np.float64]
Measured = Literal["area", "length", "attribute", "distance"]
Side = Literal["above", "at_least", "below", "at_most", "between"]
_DEGREES = "EPSG:4326"
_POINTS, _LINES, _AREAS = 0, 1, 2  # dimensions, as shapely tells them
_MOST_LETTERS = 80  # of a name, as keys have it
_WIDE = 2.0  # degrees; as far from the middle as half of it a distance is true to 0.01 %


def feature_numbers(
    features: Artifact,
    what: Measured,
    keys: Sequence[str],
    by: str = "",
    names: Sequence[str] = (),
    attribute: str = "",
    to: Artifact | None = None,
    to_names: Sequence[str] = (),
    unit: str = "m",
) -> list[float]:
    """One number for each key, in ``unit``: the area or length of features, an attribute, or the distance.

    ``by`` is the attribute that holds the keys; without it they are the features in order. What has one key is taken
    together: areas and lengths are added, of distances the smallest counts. ``names`` are those of the features that
    are meant, texts of any attribute. NaN is what nothing is known of, how many there are of which is told: of features
    without a place in their file, or without the attribute; and, untold, an attribute of what was cut away, and all of
    what is not among the features.
    The distance is 0 where two touch. Source: C. F. F. Karney (2013), doi:10.1007/s00190-012-0578-z.

    Raises:
        MissingFactError: a CRS is not known.
        ToolError: lines are asked for areas, points for lengths; there is no such attribute, or it holds no numbers.
    """
    found = named(read_features(features), names)
    groups = groups_of(found, keys, by)
    if what == "attribute":
        given = _attribute(found, attribute)
        several = next((key for key, rows in zip(keys, groups, strict=True) if len(rows) > 1), None)
        if several is not None:
            raise ToolError(
                "several features have one name, and an attribute each", expected="names that differ", found=several
            )
        told = [float(given[rows[0]]) if rows else float("nan") for rows in groups]
        return _with_unknown_told(told, groups, found, f"{attribute!r}")
    shapes = _in_degrees(found, features)
    if what == "distance":
        if to is None:
            raise ToolError("nothing is given to measure the distance to", expected="features", found="none")
        others = [one for one in _in_degrees(named(read_features(to), to_names), to) if _is_there(one)]
        sizes = _distances(shapes, others)
        apart = [min((sizes[row] for row in rows if sizes[row] == sizes[row]), default=float("nan")) for rows in groups]
        return _with_unknown_told([float(convert(one, "m", unit)) for one in apart], groups, found, "place")
    sizes = [_size(one, what, features) for one in shapes]
    base = "m2" if what == "area" else "m"
    told = [float(convert(sum(sizes[row] for row in rows), base, unit)) if rows else float("nan") for rows in groups]
    return _with_unknown_told(told, groups, found, "place")


def _with_unknown_told(numbers: list[float], groups: Sequence[Sequence[int]], found: Zones, what: str) -> list[float]:
    """Numbers of features, with a word on how many are not known of what was not cut away."""
    unknown = sum(
        number != number and any(not is_cut_away(found.geometries[row]) for row in rows)
        for number, rows in zip(numbers, groups, strict=True)
    )
    if unknown:
        tell(f"of {unknown} of {len(numbers)} features the file tells no {what}: they do not count")
    return numbers


def groups_of(found: Zones, keys: Sequence[str], by: str) -> list[list[int]]:
    """The rows of each key."""
    if not by:
        if len(found) != len(keys):
            raise ToolError("the file has changed", expected=f"{len(keys)} features", found=str(len(found)))
        return [[row] for row in range(len(found))]
    if by not in found.fields:
        raise ToolError(f"there is no attribute {by!r}", expected=", ".join(found.fields) or "attributes", found=by)
    texts = list(map(text_of, found.fields[by]))
    return [[row for row, text in enumerate(texts) if text == key] for key in keys]


def _attribute(found: Zones, name: str) -> Numbers:
    """An attribute of each, missing of what was cut away."""
    return np.where([is_cut_away(one) for one in found.geometries], np.nan, _column(found, name))


def _column(found: Zones, name: str) -> Numbers:
    if name not in found.fields:
        raise ToolError(f"there is no attribute {name!r}", expected=", ".join(found.fields) or "attributes", found=name)
    try:
        return np.array(numbers_in(found.fields[name]))
    except (TypeError, ValueError) as error:
        raise ToolError(f"the attribute {name!r} holds no numbers", expected="numbers", found=str(error)) from error


def _is_there(shape: Any) -> bool:
    return shape is not None and not shape.is_empty


def is_cut_away(shape: Any) -> bool:
    """Whether nothing was left of a feature; one without a place in its file has no shape at all."""
    return shape is not None and shape.is_empty


def _nowhere() -> Any:
    import shapely

    return shapely.GeometryCollection()


def _in_degrees(found: Zones, of: Artifact) -> list[Any]:
    import shapely

    crs, there = _crs_of(found, of), [one for one in found.geometries if _is_there(one)]
    if all(shapely.get_dimensions(one) == _POINTS for one in there):  # without edges, all at once
        change = geo.transformer_between(crs, _DEGREES).transform
        return list(shapely.transform(found.geometries, change, interleaved=False))
    return [moved(one, crs, _DEGREES) if _is_there(one) else one for one in found.geometries]


def _crs_of(found: Zones, of: Artifact) -> str:
    if found.crs is None:
        raise MissingFactError("the CRS of the features is unknown", where=str(of.path), expected="a CRS")
    return found.crs


def _size(shape: Any, what: str, of: Artifact) -> float:
    """The area (m2) or the length (m) of a shape in degrees; 0 of what was cut away, NaN of what has no place."""
    import shapely
    from pyproj import Geod

    if not _is_there(shape):
        return 0.0 if is_cut_away(shape) else float("nan")
    needed = _LINES if what == "length" else _AREAS
    if shapely.get_dimensions(shape) != needed:
        kinds = {_LINES: "lines", _AREAS: "polygons"}
        expected = kinds[needed] + (", or the outlines of polygons" if what == "length" else "")
        raise ToolError(f"the features have no {what}", where=str(of.path), expected=expected, found=shape.geom_type)
    geod = Geod(ellps="WGS84")
    if what == "length":
        return float(geod.geometry_length(shape))
    parts = [shapely.geometry.polygon.orient(part) for part in shapely.get_parts(shape)]
    return float(sum(abs(geod.geometry_area_perimeter(part)[0]) for part in parts))


def _around(shape: Any) -> Any:
    """What brings degrees into metres around a shape: true distances from its middle."""
    middle = shape.centroid
    own = f"+proj=aeqd +lat_0={middle.y} +lon_0={middle.x} +datum=WGS84 +units=m"
    return geo.transformer_between(_DEGREES, own).transform


def _distances(shapes: Sequence[Any], others: Sequence[Any]) -> list[float]:
    """The shortest way (m) from each to the nearest of others: around all of them, or where they lie far apart around
    each by itself."""
    import shapely

    there = [one for one in shapes if _is_there(one)]
    if not there or not others:
        return [float("nan")] * len(shapes)
    everything = shapely.GeometryCollection([*there, *others])
    west, south, east, north = everything.bounds
    if max(east - west, north - south) > _WIDE:
        return [_shortest(one, others, _around(one)) if _is_there(one) else float("nan") for one in shapes]
    near = _around(shapely.box(west, south, east, north))
    whole = shapely.union_all([shapely.transform(one, near, interleaved=False) for one in others])
    shapely.prepare(whole)
    return [
        float(whole.distance(shapely.transform(one, near, interleaved=False))) if _is_there(one) else float("nan")
        for one in shapes
    ]


def _shortest(shape: Any, others: Sequence[Any], near: Any) -> float:
    import shapely

    here = shapely.transform(shape, near, interleaved=False)
    return float(min(here.distance(shapely.transform(one, near, interleaved=False)) for one in others))


def feature_count(features: Artifact, names: Sequence[str] = ()) -> int:
    """How many features there are: of a file, of these names (texts of any attribute), or of what was left of them."""
    found = named(read_features(features), names)
    return sum(not is_cut_away(one) for one in found.geometries)


def features_within(
    features: Artifact,
    zones: Artifact,
    output: Path,
    names: Sequence[str] = (),
    zones_names: Sequence[str] = (),
    outside: bool = False,
) -> None:
    """Write features cut to polygons: the parts of lines and polygons inside, the points inside; or what is outside. Of
    polygons and points it is the whole of each polygon in which one of the points lies.

    ``names`` are those of the features that are meant, ``zones_names`` those of the polygons, texts of any attribute.
    All features stay in order; of one of which nothing lies inside the shape is empty. How many have no place in the
    file is told: they are left out. Raises ``MissingFactError`` where a CRS
    is not known, ``ToolError`` where the others are no polygons or a name is not there.
    """
    import shapely

    found, others = named(read_features(features), names), named(read_features(zones), zones_names)
    crs = _crs_of(found, features)
    ground = [moved(one, _crs_of(others, zones), crs) for one in others.geometries if _is_there(one)]
    holding = bool(ground) and all(shapely.get_dimensions(one) == _POINTS for one in ground)
    if holding and not outside and all(shapely.get_dimensions(one) == _AREAS for one in found.geometries if one):
        points = shapely.union_all(ground)
        held = [one if _is_there(one) and shapely.intersects(one, points) else _nowhere() for one in found.geometries]
        _write(output, held, found)
        return
    if not ground or any(shapely.get_dimensions(one) != _AREAS for one in ground):
        kinds = {one.geom_type for one in ground} or {"none"}
        raise ToolError("nothing lies in them", where=str(zones.path), expected="polygons", found=", ".join(kinds))
    whole = shapely.union_all(ground)
    _tell_unplaced(found)
    _write(output, [_part(one, whole, outside) if _is_there(one) else _nowhere() for one in found.geometries], found)


def _tell_unplaced(found: Zones) -> None:
    unplaced = sum(one is None for one in found.geometries)
    if unplaced:
        tell(f"of {unplaced} of {len(found)} features the file tells no place: they are left out")


def _part(shape: Any, whole: Any, outside: bool) -> Any:
    """The part of a shape inside another, or outside, of its own dimension; an empty one where there is none."""
    import shapely

    own, cut = shapely.get_dimensions(shape), shapely.difference if outside else shapely.intersection
    parts = [one for one in shapely.get_parts(cut(shape, whole)) if not one.is_empty]
    kept = [one for one in parts if shapely.get_dimensions(one) == own]
    return kept[0] if len(kept) == 1 else shapely.union_all(kept)


def outlines_of_features(features: Artifact, output: Path, names: Sequence[str] = ()) -> None:
    """Write the lines around polygons, those around holes too; ``names`` are those that are meant, texts of any
    attribute. Raises ``ToolError`` where others are meant than polygons."""
    import shapely

    found = named(read_features(features), names)
    there = [one for one in found.geometries if _is_there(one)]
    if any(shapely.get_dimensions(one) != _AREAS for one in there):
        raise ToolError("only polygons have outlines", where=str(features.path), expected="polygons", found="others")
    _write(output, [one.boundary if _is_there(one) else one for one in found.geometries], found)


def features_where(features: Artifact, mask: Artifact, output: Path, names: Sequence[str] = ()) -> None:
    """Write the points in whose pixel a mask is true; of the others the shape is empty.

    ``names`` are those of the points that are meant, texts of any attribute. Of how many the mask is unknown is told.
    Raises ``MissingFactError`` where a CRS is not known, ``ToolError`` where they are not points.
    """
    import shapely

    found = named(read_features(features), names)
    if any(_is_there(one) and shapely.get_dimensions(one) != _POINTS for one in found.geometries):
        raise ToolError("only points lie in one pixel", where=str(features.path), expected="points", found="others")
    there = np.array([_is_there(one) for one in found.geometries])
    held = np.full(len(found), np.nan)
    with handles() as opened:
        source = open_source(mask, opened)
        pixels = zones_on(features, source.grid)
        chosen = named(pixels, names)
        told = in_each_zone(chosen, values_of(source, opened), ["mean"])
        values = [np.nan if one["mean"] is None else float(one["mean"]) for _, one in told]
    held[there] = values
    unknown = int(np.isnan(held[there]).sum())
    if unknown:
        tell(f"of {unknown} of {len(found)} points it is not known whether it is so: they are left out")
    _tell_unplaced(found)
    _write(output, [one if held[row] == 1 else _nowhere() for row, one in enumerate(found.geometries)], found)


def features_with(
    features: Artifact,
    attribute: str,
    output: Path,
    values: Sequence[str] = (),
    side: Side = "above",
    limit: float | None = None,
    upper: float | None = None,
    names: Sequence[str] = (),
    grain: str = "",
) -> None:
    """Write the features of which an attribute is one of some texts, or a number on a side of a limit.

    With a ``grain`` it is when each was that is one of them, its date, month or year. ``between`` has two limits, both
    included. ``names`` are those of the features that are meant, texts of any attribute. Of how many the attribute is
    not known is told: they are left out. Raises ``ToolError`` where there is no such attribute, or where it holds no
    numbers and a limit is told.
    """
    found = named(read_features(features), names)
    if grain:
        chosen = np.array([one in values for one in keys_of_rows(found, "", grain)], dtype=bool)
    elif limit is None:
        if attribute not in found.fields:
            known = ", ".join(found.fields) or "attributes"
            raise ToolError(f"there is no attribute {attribute!r}", expected=known, found=attribute)
        chosen = np.array([text_of(one) in values for one in found.fields[attribute]], dtype=bool)
    else:
        numbers = _column(found, attribute)
        unknown = int(np.isnan(numbers).sum())
        if unknown:
            tell(f"of {unknown} of {len(found)} features the file tells no {attribute!r}: they do not count")
        chosen = on_side(numbers, side, limit, upper)
    kept = found.only(chosen)
    _write(output, list(kept.geometries), kept)


def text_of(value: Any) -> str:
    return "" if value is None else str(value).strip()[:_MOST_LETTERS]


def _write(output: Path, shapes: Sequence[Any], found: Zones) -> None:
    write_features(output, shapes, found.fields, found.crs, "Unknown", output.stem)


def distance_to_features(like: Artifact, features: Artifact, output: Path, names: Sequence[str] = ()) -> None:
    """Write how far it is (m) from the centre of each pixel of a grid to the nearest feature; 0 inside polygons.

    ``names`` are those of the features that are meant, texts of any attribute. Raises ``MissingFactError`` where a CRS
    is not known, ``ToolError`` where a name is not there.
    """
    import shapely

    found = named(read_features(features), names)
    shapes = [one for one in _in_degrees(found, features) if _is_there(one)]
    if not shapes:
        raise ToolError("there is no feature", where=str(features.path), expected="features", found="none")

    def kernel(block: Block) -> Numbers:
        points = _centres(block.grid)
        found = np.full(points.shape[:-1], np.nan)
        for part in _parts_of(points):
            near = _around_points(points[part])
            there = shapely.union_all([shapely.transform(one, near, interleaved=False) for one in shapes])
            shapely.prepare(there)
            x, y = near(points[part][..., 0], points[part][..., 1])
            found[part] = shapely.distance(shapely.points(x, y), there)
        return found

    map_blocks(kernel, {"like": like}, Output(output, quantity="distance", unit="m", keep=()))


def _parts_of(points: Numbers) -> Iterator[tuple[slice, slice]]:
    """Parts of a block of longitudes and latitudes (rows, columns, 2) that are small enough for true distances."""
    rows, columns = (_at_once(points, axis) for axis in (0, 1))
    for row in range(0, points.shape[0], rows):
        for column in range(0, points.shape[1], columns):
            yield slice(row, row + rows), slice(column, column + columns)


def _at_once(points: Numbers, axis: int) -> int:
    """How many pixels along an axis span half of what is wide."""
    steps = np.abs(np.diff(points, axis=axis))
    if not steps.size:
        return 1
    steps[..., 0] = np.minimum(steps[..., 0], 360 - steps[..., 0])
    largest = float(np.nanmax(steps))
    return max(1, int(_WIDE / 2 / largest)) if largest else int(points.shape[axis])


def _around_points(points: Numbers) -> Any:
    """As :func:`_around`, of longitudes and latitudes on whichever side of the date line."""
    import shapely

    longitudes, latitudes = np.radians(points[..., 0]), points[..., 1]
    middle = np.degrees(np.arctan2(np.sin(longitudes).mean(), np.cos(longitudes).mean()))
    return _around(shapely.Point(middle, latitudes.mean()))


def _centres(grid: Grid) -> Numbers:
    """Longitude and latitude of the middle of each pixel."""
    crs = grid.require_crs("a distance from pixels")
    rows, columns = grid.shape
    column, row = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    x, y = grid.transform @ (column, row)
    return np.stack(geo.transformer_between(crs, _DEGREES).transform(x, y), axis=-1)


def number_of_list(values: Sequence[float | None], place: int) -> float:
    """One number of a list, by its place from 0; missing where it is."""
    value = values[place]
    return float("nan") if value is None else float(value)
