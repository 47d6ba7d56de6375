"""Tiles of one image: files that lie edge to edge on one grid, and are one raster to whoever asks.

Only what differs in nothing but its place is put together, and only where no pixel is given twice: of scenes that
overlap nobody knows which one counts. A raster of tiles has them as items; a plan that takes it begins with a mosaic.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.grouping import TELLING_APART

_SAME = (
    *TELLING_APART,
    *("unit", "datetime", "band", "bands", "sensor", "crs", "scale", "offset", "dtype", "nodata"),
)
_OF_A_PIXEL = 1e-3
Rectangle: TypeAlias = "tuple[int, int, int, int]"


@dataclass(frozen=True, slots=True)
class _Tile:
    """A raster with the whole pixels it covers, counted from a common origin: top, left, bottom, right."""

    raster: Artifact
    place: Rectangle


def with_tiles_joined(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with one raster in the place of the first of the tiles that it is made of."""
    listed = tuple(artifacts)
    alike: dict[Hashable, list[Artifact]] = {}
    for item in listed:
        if item.type == "raster" and not item.items and (key := _layer_and_grid(item)) is not None:
            alike.setdefault(key, []).append(item)
    joined: dict[int, Artifact] = {}
    gone: set[int] = set()
    for group in alike.values():
        for tiles in _images(group) if len(group) > 1 else ():
            joined[id(tiles[0].raster)] = _joined(tiles)
            gone |= {id(tile.raster) for tile in tiles[1:]}
    return tuple(joined.get(id(item), item) for item in listed if id(item) not in gone)


def is_of_tiles(known: object) -> bool:
    """Whether something is a raster that is made of tiles."""
    return isinstance(known, Artifact) and known.type == "raster" and bool(known.items)


def items_of(artifact: Artifact) -> tuple[Artifact, ...]:
    """The items of a series; of anything else itself, whether it is made of tiles or not."""
    return (artifact,) if is_of_tiles(artifact) else artifact.items or (artifact,)


def _layer_and_grid(item: Artifact) -> Hashable | None:
    """All that tiles of one image have in common, the grid that they are parts of included; None for what is none."""
    transform, shape = item.fact("transform"), item.fact("shape")
    if item.fact("quantity") is None or item.fact("crs") is None or transform is None or shape is None:
        return None
    a, b, c, d, e, f = transform
    if b or d or not a or not e:
        return None
    phase = tuple(
        round(offset / abs(size) % 1.0 / _OF_A_PIXEL) % round(1 / _OF_A_PIXEL) for offset, size in ((c, a), (f, e))
    )
    said = tuple(repr(item.fact(name)) for name in _SAME)
    return (*said, f"{a:.9g}", f"{e:.9g}", phase)


def _images(group: list[Artifact]) -> list[list[_Tile]]:
    """Tiles that touch, directly or by others, in groups of at least two; none of a layer where two overlap."""
    tiles = [_Tile(item, _place(item)) for item in group]
    near = _Near(tiles)
    image_of = {id(tile): tile for tile in tiles}  # a tile of the same image; its own where it is the first

    def first(tile: _Tile) -> _Tile:
        while (other := image_of[id(tile)]) is not tile:
            image_of[id(tile)] = image_of[id(other)]
            tile = image_of[id(tile)]
        return tile

    for tile in tiles:
        for other in near.before(tile):
            if _overlap(tile.place, other.place):
                return []
            if _touch(tile.place, other.place):
                image_of[id(first(tile))] = first(other)
    images: dict[int, list[_Tile]] = {}
    for tile in tiles:
        images.setdefault(id(first(tile)), []).append(tile)
    return [image for image in images.values() if len(image) > 1]


class _Near:
    """Tiles by the squares of the ground that they touch, of the size of the largest: each meets a few others."""

    def __init__(self, tiles: list[_Tile]) -> None:
        self._high = max(bottom - top for top, _, bottom, _ in (tile.place for tile in tiles)) or 1
        self._wide = max(right - left for _, left, _, right in (tile.place for tile in tiles)) or 1
        self._squares: dict[tuple[int, int], list[_Tile]] = {}

    def before(self, tile: _Tile) -> list[_Tile]:
        """The tiles asked for before this one that may touch it or overlap it."""
        top, left, bottom, right = tile.place
        found: dict[int, _Tile] = {}
        for row in range(top // self._high, bottom // self._high + 1):
            for column in range(left // self._wide, right // self._wide + 1):
                there = self._squares.setdefault((row, column), [])
                found |= {id(other): other for other in there}
                there.append(tile)
        return list(found.values())


def _place(item: Artifact) -> Rectangle:
    a, _, c, _, e, f = item.fact("transform")
    rows, columns = item.fact("shape")
    left, first = round(c / a), round(f / e)
    return first, left, first + rows, left + columns


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _touch(one: Rectangle, other: Rectangle) -> bool:
    """Whether two rectangles share a part of an edge, not only a corner."""
    beside = one[3] == other[1] or other[3] == one[1]
    above = one[2] == other[0] or other[2] == one[0]
    rows = min(one[2], other[2]) - max(one[0], other[0])
    columns = min(one[3], other[3]) - max(one[1], other[1])
    return (beside and rows > 0) or (above and columns > 0)


def _joined(tiles: list[_Tile]) -> Artifact:
    """The raster of all tiles: what they share, on the grid that holds them."""
    first = tiles[0]
    a, b, c, d, e, f = first.raster.fact("transform")
    top, left = (min(tile.place[side] for tile in tiles) for side in (0, 1))
    bottom, right = (max(tile.place[side] for tile in tiles) for side in (2, 3))
    transform = (a, b, c + a * (left - first.place[1]), d, e, f + e * (top - first.place[0]))
    shape, crs = (bottom - top, right - left), first.raster.fact("crs")
    facts = Facts.of(
        Origin.DERIVED,
        f"{len(tiles)} tiles side by side",
        transform=transform,
        shape=shape,
        bounds=geo.bounds_of(transform, shape),
        grid=geo.grid_token(crs, transform, shape),
    )
    return Artifact(type="raster", facts=facts, name=first.raster.name, items=tuple(tile.raster for tile in tiles))
