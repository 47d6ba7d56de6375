"""netCDF files of the classic formats (CDF-1, CDF-2, CDF-5) by their parts: a header, and numbers row after row.

https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import UnreadableDataError
from knowflow.tools.remote.cube_array import Array, Place
from knowflow.tools.remote.ranges import Ranges

_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
_STREAMING = 0xFFFFFFFF
# what stands where nothing was written, of files that do not say; bytes have none
FILLS = {"int16": -32767.0, "int32": -2147483647.0, "float32": 9.969209968386869e36, "float64": 9.969209968386869e36}
_MOST_LISTED = 100_000


class _Header:
    """What comes next in the header of a file."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges, self._at = ranges, 4
        version = ranges.read(3, 1)[0]
        self._count, self._offset = (">q", ">q") if version == 5 else (">i", ">q" if version == 2 else ">i")

    def number(self, form: str = ">i") -> int:
        (found,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return int(found)

    def count(self) -> int:
        found = self.number(self._count)
        if not 0 <= found < _MOST_LISTED:
            raise broken(self._ranges.address, f"a list of {found}")
        return found

    def size(self) -> int:
        return self.number(self._count)

    def offset(self) -> int:
        return self.number(self._offset)

    def take(self, size: int) -> bytes:
        found = self._ranges.read(self._at, size)
        if len(found) != size:
            raise broken(self._ranges.address, "its header ends early")
        self._at += size
        return found

    def padded(self, size: int) -> bytes:
        found = self.take(size)
        self._at += -size % 4
        return found

    def name(self) -> str:
        return self.padded(self.count()).decode("utf-8", "replace")

    def listed(self, one: Callable[[], Any]) -> list[Any]:
        self.number()  # the kind of list, or 0
        return [one() for _ in range(self.count())]

    def attribute(self) -> tuple[str, Any]:
        name, kind, count = self.name(), self.number(), self.count()
        dtype = np.dtype(_TYPES[kind])
        values = np.frombuffer(self.padded(count * dtype.itemsize), dtype)
        return name, values.tobytes().decode("utf-8", "replace") if kind == 2 else values


def broken(address: str, why: str) -> UnreadableDataError:
    """The error of a file that is no netCDF that can be read by its parts."""
    return UnreadableDataError(
        "the cube cannot be read by its parts", where=address, expected="netCDF or HDF5 as CF has it", found=why
    )


def arrays_in(ranges: Ranges) -> dict[str, Array]:
    """The variables of a file by name; those of letters are left out.

    Raises:
        UnreadableDataError: it is none. RemoteDataError: it cannot be had.
    """
    try:
        return _arrays_in(ranges, _Header(ranges))
    except (KeyError, struct.error, IndexError, OverflowError) as error:
        raise broken(ranges.address, f"{type(error).__name__}: {error}") from error


def _arrays_in(ranges: Ranges, header: _Header) -> dict[str, Array]:
    records = header.size()
    if records < 0 or records == _STREAMING:
        raise broken(ranges.address, "a number of records that is not known")
    axes: list[tuple[str, int]] = header.listed(lambda: (header.name(), header.size()))
    of_all = dict(header.listed(header.attribute))
    found = {"": Array("", (), (), "", of_all, None, (), lambda _: np.zeros(()))}

    def variable() -> tuple[Any, ...]:
        name = header.name()
        along = [axes[header.size()] for _ in range(header.count())]
        said = dict(header.listed(header.attribute))
        kind, size, begin = header.number(), header.size(), header.offset()
        return name, along, said, _TYPES[kind], size, begin

    listed = header.listed(variable)
    in_records = [one for one in listed if one[1] and one[1][0][1] == 0]
    one_record = sum(size for *_, size, _ in in_records)
    for name, along, said, kind, _, begin in listed:
        dtype = np.dtype(kind)
        if dtype.kind == "S":
            continue
        recorded = bool(along) and along[0][1] == 0
        shape = tuple(size or records for _, size in along)
        row = prod(shape[1:]) * dtype.itemsize
        step = (row if len(in_records) == 1 else one_record) if recorded else row
        fill = said.get("_FillValue", said.get("missing_value", FILLS.get(dtype.name)))
        number = None if fill is None or isinstance(fill, str) else float(np.ravel(fill)[0])
        chunks = tuple(1 for _ in shape[:-1]) + shape[-1:]
        read = _reader(ranges, dtype, shape, begin, step)
        found[name] = Array(name, tuple(axis for axis, _ in along), shape, dtype.name, said, number, chunks, read)
    return found


def _reader(
    ranges: Ranges, dtype: np.dtype[Any], shape: tuple[int, ...], begin: int, step: int
) -> Callable[[Place], NDArray[Any]]:
    """Reads places of an array whose parts along its first axis begin ``step`` bytes apart; the last axis comes whole,
    and what lies in one piece in one piece."""
    strides = [prod(shape[axis + 1 :]) * dtype.itemsize for axis in range(len(shape))]
    run = max(len(shape) - 2, 0)  # the axis whose parts lie one after the other, with all behind it
    if strides and strides[0] != step:
        strides[0], run = step, max(run, 1)

    def piece(start: int, count: int) -> NDArray[Any]:
        found = ranges.read(start, count * dtype.itemsize)
        if len(found) != count * dtype.itemsize:
            raise broken(ranges.address, "it ends within its numbers")
        return np.frombuffer(found, dtype)

    def read(place: Place) -> NDArray[Any]:
        spans = [
            range(*one.indices(size)) if isinstance(one, slice) else range(one, one + 1)
            for one, size in zip(place, shape, strict=True)
        ]
        starts = (
            begin + sum(at * stride for at, stride in zip(ahead, strides, strict=False))
            for ahead in itertools.product(*spans[:run])
        )
        after, inside = spans[run:], shape[run + 1 :]
        first = after[0].start * strides[run] if after else 0
        count = len(after[0]) * prod(inside) if after else 1
        found = np.concatenate([piece(start + first, count) for start in starts])
        whole = found.reshape([*map(len, spans[: run + 1]), *inside])
        cut = whole[
            (*(slice(None) for _ in spans[: run + 1]), *(slice(one.start, one.stop) for one in spans[run + 1 :]))
        ]
        return cut[tuple(slice(None) if isinstance(one, slice) else 0 for one in place)]

    return read
