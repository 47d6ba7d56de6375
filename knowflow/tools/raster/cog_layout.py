"""A tiled GeoTIFF and its overviews as one cloud optimised file, tile by tile as they are compressed.

GDAL's own COG driver decompresses every tile and compresses it again: of a large map that is most of what its delivery
costs. Here only the order changes: all directories first, then the tiles of the smallest overview, those of the next,
and at last those of the full resolution. Sources: TIFF 6.0 (Adobe 1992); the BigTIFF design of libtiff; the layout of
https://gdal.org/drivers/raster/cog.html, whose "ghost area" tells readers that a file has it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import IO

from knowflow.ground.errors import ToolError

_SUBFILE, _OFFSETS, _COUNTS = 254, 324, 325
_SHORT, _LONG, _LONG8 = 3, 4, 16
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_WIDE_TYPES = frozenset({16, 17, 18})
_LETTERS = {_SHORT: "H", _LONG: "I", _LONG8: "Q"}
_LARGEST_CLASSIC = (1 << 32) - 1
_GHOST = (
    b"LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n"
    b"BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n "
)
_AROUND = 4  # bytes before each tile, and behind it
_REDUCED = 1


@dataclass(frozen=True, slots=True)
class _Entry:
    """One field of a directory: its tag, type, number of values, and their bytes."""

    tag: int
    type: int
    count: int
    value: bytes

    @property
    def numbers(self) -> tuple[int, ...]:
        return struct.unpack(f"<{self.count}{_LETTERS[self.type]}", self.value)


@dataclass(frozen=True, slots=True)
class _Image:
    """One directory of a file: what it says, and where its compressed tiles are."""

    file: Path
    entries: tuple[_Entry, ...]

    def numbers(self, tag: int) -> tuple[int, ...]:
        return next((entry.numbers for entry in self.entries if entry.tag == tag), ())

    @property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        """Offset and length of every tile, in the order of the tiles."""
        return tuple(zip(self.numbers(_OFFSETS), self.numbers(_COUNTS), strict=True))


@dataclass(frozen=True, slots=True)
class _Form:
    """How a TIFF counts: in 4 bytes, or, if it is a BigTIFF, in 8."""

    big: bool

    @property
    def header(self) -> int:
        return 16 if self.big else 8

    @property
    def word(self) -> int:
        return 8 if self.big else 4

    @property
    def count(self) -> str:
        return "<Q" if self.big else "<H"

    @property
    def offset(self) -> str:
        return "<Q" if self.big else "<I"

    @property
    def entry(self) -> str:
        return "<HHQ" if self.big else "<HHI"

    def directory(self, entries: int) -> int:
        """Bytes of a directory of so many entries, without the values that do not fit into them."""
        return struct.calcsize(self.count) + entries * (struct.calcsize(self.entry) + self.word) + self.word


def arrange(full: Path, overviews: Path | None, target: Path, header: Path | None = None) -> None:
    """Write ``full``, a tiled GeoTIFF of one image, with the images of ``overviews`` (largest first) as a COG.

    What is said of it is taken from ``header``, where there is one: a file that :func:`hollow` made of it.

    Raises:
        ToolError: one of them is not what it must be.
        OSError: a file cannot be read or written.
    """
    images = [replace(_only(header or full), file=full), *(() if overviews is None else _images(overviews))]
    images = [images[0], *(_as_reduced(image) for image in images[1:])]
    data = sum(length + 2 * _AROUND for image in images for _, length in image.tiles)
    listed = sum(16 * len(image.tiles) + sum(len(e.value) + 32 for e in image.entries) for image in images)
    wide = any(entry.type in _WIDE_TYPES for image in images for entry in image.entries)
    form = _Form(wide or data + listed + len(_GHOST) + 1024 > _LARGEST_CLASSIC)
    placed, start = _placed(images, form)
    room = memoryview(bytearray(max((length for image in images for _, length in image.tiles), default=0)))
    with target.open("wb") as out:
        out.write(_preamble(form))
        for number, (image, place) in enumerate(placed):
            following = placed[number + 1][1] if number + 1 < len(placed) else 0
            _write_directory(out, image, place, following, form)
        out.seek(start)
        for image in reversed(images):
            with FileIO(image.file) as source:
                for offset, length in image.tiles:
                    if length:
                        _append(source, offset, room[:length], out)


def hollow(full: Path, target: Path) -> None:
    """Write a tiled GeoTIFF of one image without its tiles, for its header to be changed: they are holes.

    Raises: as :func:`arrange`.
    """
    size, place = full.stat().st_size, 0
    with full.open("rb") as source, target.open("wb") as out:
        for offset, length in [*sorted(tile for tile in _only(full).tiles if tile[1]), (size, 0)]:
            source.seek(place)
            out.seek(place)
            out.write(source.read(max(offset - place, 0)))
            place = max(place, offset + length)
        out.truncate(size)


def _only(path: Path) -> _Image:
    images = _images(path)
    if len(images) != 1:
        raise ToolError("not one image", where=str(path), expected="a GeoTIFF of one image", found=f"{len(images)}")
    return images[0]


def _images(path: Path) -> list[_Image]:
    """Every directory of a TIFF; ``ToolError`` where it is none in this byte order, is cut, or has no tiles."""
    try:
        found = _read(path)
    except struct.error as error:
        raise ToolError("not a whole TIFF", where=str(path), found=str(error)) from error
    if any(not image.numbers(_OFFSETS) for image in found):
        raise ToolError("not a tiled TIFF", where=str(path), expected="tiles", found="strips")
    return found


def _read(path: Path) -> list[_Image]:
    with path.open("rb") as file:
        order, version = struct.unpack("<2sH", file.read(4))
        if order != b"II" or version not in (42, 43):
            raise ToolError("not a little-endian TIFF", where=str(path), expected="II", found=repr(order))
        form = _Form(version == 43)
        file.seek(8 if form.big else 4)
        (place,) = struct.unpack(form.offset, file.read(form.word))
        found = []
        while place:
            entries, place = _directory(file, place, form)
            found.append(_Image(path, entries))
    return found


def _directory(file: IO[bytes], place: int, form: _Form) -> tuple[tuple[_Entry, ...], int]:
    """The entries of a directory, and where the next one begins (0: there is none)."""
    file.seek(place)
    (count,) = struct.unpack(form.count, file.read(struct.calcsize(form.count)))
    size = struct.calcsize(form.entry)
    raw = file.read(count * (size + form.word) + form.word)
    entries = []
    for number in range(count):
        at = number * (size + form.word)
        tag, kind, values = struct.unpack_from(form.entry, raw, at)
        value = raw[at + size : at + size + form.word]
        length = values * _SIZES[kind]
        if length > form.word:
            file.seek(struct.unpack(form.offset, value)[0])
            value = file.read(length)
        entries.append(_Entry(tag, kind, values, value[:length]))
    return tuple(entries), struct.unpack_from(form.offset, raw, count * (size + form.word))[0]


def _as_reduced(image: _Image) -> _Image:
    """An image that says that it is another one at a reduced resolution."""
    said = _Entry(_SUBFILE, _LONG, 1, struct.pack("<I", _REDUCED))
    rest = (entry for entry in image.entries if entry.tag != _SUBFILE)
    return replace(image, entries=tuple(sorted((said, *rest), key=lambda entry: entry.tag)))


def _placed(images: Sequence[_Image], form: _Form) -> tuple[list[tuple[_Image, int]], int]:
    """The images with their tiles where they will be, each with the place of its directory; and where tiles begin."""
    kind, letter = (_LONG8, "Q") if form.big else (_LONG, "I")

    def retold(image: _Image, offsets: Sequence[int]) -> _Image:
        lengths = [length for _, length in image.tiles]
        tables = {
            tag: _Entry(tag, kind, len(values), struct.pack(f"<{len(values)}{letter}", *values))
            for tag, values in ((_OFFSETS, offsets), (_COUNTS, lengths))
        }
        return replace(image, entries=tuple(tables.get(entry.tag, entry) for entry in image.entries))

    place, places = len(_preamble(form)), []
    for image in images:
        places.append(place)
        empty = retold(image, [0] * len(image.tiles))
        place += form.directory(len(empty.entries)) + sum(_outside(entry, form) for entry in empty.entries)
        place += place % 2
    start = place
    told: list[tuple[_Image, int]] = []
    for image, at in reversed(list(zip(images, places, strict=True))):
        offsets = []
        for _, length in image.tiles:
            offsets.append(place + _AROUND if length else 0)
            place += length + 2 * _AROUND if length else 0
        told.insert(0, (retold(image, offsets), at))
    return told, start


def _outside(entry: _Entry, form: _Form) -> int:
    """Bytes of the values of an entry that do not fit into it, to the next even place."""
    length = len(entry.value)
    return length + length % 2 if length > form.word else 0


def _preamble(form: _Form) -> bytes:
    """The header of the file, and what tells readers of its layout; the first directory follows at an even place."""
    ghost = f"GDAL_STRUCTURAL_METADATA_SIZE={len(_GHOST):06d} bytes\n".encode() + _GHOST
    ghost += b"\0" * ((form.header + len(ghost)) % 2)
    first = form.header + len(ghost)
    if form.big:
        return struct.pack("<2sHHHQ", b"II", 43, 8, 0, first) + ghost
    return struct.pack("<2sHI", b"II", 42, first) + ghost


def _write_directory(out: IO[bytes], image: _Image, place: int, following: int, form: _Form) -> None:
    beyond = place + form.directory(len(image.entries))
    inside, outside = [struct.pack(form.count, len(image.entries))], []
    for entry in image.entries:
        inside.append(struct.pack(form.entry, entry.tag, entry.type, entry.count))
        if len(entry.value) <= form.word:
            inside.append(entry.value.ljust(form.word, b"\0"))
            continue
        inside.append(struct.pack(form.offset, beyond))
        outside.append(entry.value + b"\0" * (len(entry.value) % 2))
        beyond += len(outside[-1])
    inside.append(struct.pack(form.offset, following))
    out.seek(place)
    out.write(b"".join((*inside, *outside)))


def _append(source: FileIO, offset: int, room: memoryview, out: IO[bytes]) -> None:
    """One compressed tile to the end of a file, with its size before it and its last 4 bytes repeated behind it.

    ``room`` is memory of its size, the same for all tiles: to ask the system for that of each costs more than to copy.
    """
    source.seek(offset)
    read = 0
    while read < len(room):
        count = source.readinto(room[read:])
        if not count:
            raise OSError(f"{source.name} ends before its tiles do")
        read += count
    out.write(struct.pack("<I", len(room)))
    out.write(room)
    out.write(bytes(room[-_AROUND:]).rjust(_AROUND, b"\0"))
