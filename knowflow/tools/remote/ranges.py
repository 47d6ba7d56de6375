"""Bytes of one object elsewhere by their place, as a file that libraries read: small looks are kept."""

from __future__ import annotations

import io
import os
from collections import OrderedDict

from knowflow.ground.errors import RemoteDataError
from knowflow.ground.references import State
from knowflow.tools.remote.secrets import asked
from knowflow.tools.remote.vsi import read

_BLOCK = 1 << 14
_MOST_BLOCKS = 4096
_PASSES = 1 << 14  # bytes from which on a look is asked for as it is


class Ranges:
    """Reads parts of an object; what fails is kept in ``error``, for libraries that hide what their file raises."""

    def __init__(self, address: str, state: State) -> None:
        self.address, self.state = address, state
        self.error: RemoteDataError | None = None
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def read(self, start: int, size: int) -> bytes:
        """So many bytes from a place on, fewer where the object ends.

        Raises:
            RemoteDataError: they do not come.
        """
        size = max(min(size, self.state.size - start), 0)
        if size >= _PASSES:
            return self._asked(start, size)
        first, last = start // _BLOCK, (start + size - 1) // _BLOCK
        if size and any(number not in self._blocks for number in range(first, last + 1)):
            self._fill(first, last)
        whole = b"".join(self._blocks[number] for number in range(first, last + 1)) if size else b""
        return whole[start - first * _BLOCK :][:size]

    def _fill(self, first: int, last: int) -> None:
        begin = first * _BLOCK
        found = self._asked(begin, min((last + 1) * _BLOCK, self.state.size) - begin)
        for number in range(first, last + 1):
            self._blocks[number] = found[(number - first) * _BLOCK :][:_BLOCK]
        while len(self._blocks) > _MOST_BLOCKS:
            self._blocks.popitem(last=False)

    def _asked(self, start: int, size: int) -> bytes:
        try:
            return asked(self.address, lambda now: read(now, start, size))
        except RemoteDataError as error:
            self.error = error
            raise


class RangeFile(io.RawIOBase):
    """The same as a file for reading."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._ranges.state.size}[whence]
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        found = self._ranges.read(self._at, len(view))
        view[: len(found)] = found
        self._at += len(found)
        return len(found)
