"""What several items show of one solar day, as one image: on one grid, the first that has data counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from affine import Affine

from knowflow.ground.references import Part, State
from knowflow.reason.inventory.crs import canonical_or_none
from knowflow.service.sources.items import Asset, updated
from knowflow.tools.remote.headers import Window, crs_of, on_grid, size_of, transform_of

_MEANING = ("NoDataValue", "Scale", "Offset", "UnitType")
_OF_A_PIXEL = 1e-3


@dataclass(frozen=True, slots=True)
class Piece:
    """One asset of an image with its header, and the window of it that an area needs."""

    asset: Asset
    state: State
    root: Xml.Element
    window: Window

    @property
    def transform(self) -> Affine:
        found = transform_of(self.root)
        return Affine.identity() if found is None else found

    @property
    def crs(self) -> str | None:
        own = crs_of(self.root)
        return None if own is None else canonical_or_none(own) or own

    @property
    def grid(self) -> tuple[object, ...]:
        return self.crs, tuple(self.transform)[:6], size_of(self.root)

    @property
    def meaning(self) -> tuple[object, ...]:
        """What numbers mean that may stand in one raster."""
        bands = self.root.findall("VRTRasterBand")
        return tuple((band.get("dataType"), *(band.findtext(tag) for tag in _MEANING)) for band in bands)


@dataclass(frozen=True, slots=True)
class Image:
    """One raster of pieces: its header and parts, and the piece that says what it is."""

    first: Piece
    root: Xml.Element
    parts: tuple[Part, ...]
    note: str = ""


def images_of(pieces: Sequence[Piece]) -> list[Image]:
    """What the pieces of one layer and solar day are together: one image, or several where they cannot be one.

    Of pieces on the very same grid the newest version counts. Pieces whose numbers mean something else, or of which
    nobody knows where they have data, stay apart.
    """
    newest: dict[tuple[object, ...], Piece] = {}
    for piece in pieces:
        other = newest.get(piece.grid)
        if other is None or updated(piece.asset.item) > updated(other.asset.item):
            newest[piece.grid] = piece
    left = [piece for piece in pieces if newest[piece.grid] is not piece]
    kept = list(newest.values())
    note = f"of {_ids(kept)} an earlier version is there, and not used: {_ids(left)}" if left else ""
    placed = all(transform_of(one.root) is not None and one.crs is not None for one in kept)
    known = all(band.findtext("NoDataValue") is not None for one in kept for band in one.root.iter("VRTRasterBand"))
    if len(kept) == 1 or not placed or not known or len({one.meaning for one in kept}) > 1:
        return [_alone(piece, note if piece is kept[0] else "") for piece in kept]
    return [_together(kept, note)]


def _alone(piece: Piece, note: str) -> Image:
    row, column, rows, columns = piece.window
    moved = None if transform_of(piece.root) is None else piece.transform @ Affine.translation(column, row)
    part = Part(piece.asset.address, piece.state, piece.window)
    return Image(piece, on_grid(piece.root, (rows, columns), moved), (part,), note)


def _together(pieces: list[Piece], note: str) -> Image:
    """One image on the grid of those that share one and have most pixels; the others go there by nearest neighbour."""
    alike: dict[tuple[object, ...], list[Piece]] = {}
    for piece in pieces:
        alike.setdefault(_lattice(piece), []).append(piece)
    most = max(alike.values(), key=lambda group: sum(one.window[2] * one.window[3] for one in group))
    others = [piece for piece in pieces if piece not in most]
    origin = most[0].transform
    boxes = [_pixels(piece, origin) for piece in most] + [_reached(piece, most[0]) for piece in others]
    top, left = min(box[0] for box in boxes), min(box[1] for box in boxes)
    bottom, right = max(box[2] for box in boxes), max(box[3] for box in boxes)
    root = on_grid(most[0].root, (bottom - top, right - left), origin @ Affine.translation(left, top))
    parts = [
        Part(one.asset.address, one.state, one.window, (box[0] - top, box[1] - left))
        for one, box in zip(most, boxes, strict=False)
    ]
    parts += [Part(one.asset.address, one.state, one.window, warped=True) for one in others]
    told = f"{_ids([*most, *others])} are of one solar day and count as one image"
    if others:
        told += f", on the grid of {most[0].asset.folder} ({most[0].crs}); {_ids(others)} by nearest neighbour"
    return Image(most[0], root, tuple(parts), "; ".join(filter(None, (told, note))))


def _lattice(piece: Piece) -> tuple[object, ...]:
    """The grid that a piece is a part of: CRS, size of its pixels, and where they begin."""
    a, b, c, d, e, f = tuple(piece.transform)[:6]
    phase = tuple(round(start / size % 1.0 / _OF_A_PIXEL) % round(1 / _OF_A_PIXEL) for start, size in ((c, a), (f, e)))
    return piece.crs, a, b, d, e, phase


def _pixels(piece: Piece, origin: Affine) -> tuple[int, int, int, int]:
    """The window of a piece in rows and columns of a grid that it shares: top, left, bottom, right."""
    row, column, rows, columns = piece.window
    x, y = ~origin @ (piece.transform @ (column, row))
    return round(y), round(x), round(y) + rows, round(x) + columns


def _reached(piece: Piece, like: Piece) -> tuple[int, int, int, int]:
    """The same of a piece on another grid: the whole pixels that it reaches."""
    from rasterio.warp import transform_bounds

    row, column, rows, columns = piece.window
    left, top = piece.transform @ (column, row)
    right, bottom = piece.transform @ (column + columns, row + rows)
    west, south, east, north = transform_bounds(
        crs_of(piece.root), crs_of(like.root), min(left, right), min(top, bottom), max(left, right), max(top, bottom)
    )
    corners = [~like.transform @ (x, y) for x in (west, east) for y in (south, north)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return math.floor(min(down)), math.floor(min(across)), math.ceil(max(down)), math.ceil(max(across))


def _ids(pieces: Sequence[Piece]) -> str:
    names = list(dict.fromkeys(piece.asset.folder for piece in pieces))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
