"""Memory that is used again: the system clears every page that it hands out, which costs as much as the arithmetic."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LINE = 64  # bytes that the processor's cache holds together


class Buffers:
    """Arrays that go round between threads; what is taken and never given back is simply freed some day."""

    def __init__(self) -> None:
        self._free: list[NDArray[np.uint8]] = []

    def __reduce__(self) -> tuple[type[Buffers], tuple[()]]:
        """In another process, memory of its own."""
        return Buffers, ()

    def take(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array with arbitrary content."""
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(0, dtype=np.uint8)
        if memory.size < size:
            memory = _fresh(size)
        return np.ndarray(shape, kind, memory)

    def give(self, values: NDArray[Any]) -> None:
        """Give back an array that came from :meth:`take`, masked since or not, and that nobody looks at any more."""
        memory = values.data if isinstance(values, np.ma.MaskedArray) else values
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        if memory.dtype == np.uint8 and memory.ndim == 1:
            self._free.append(memory)


def _fresh(size: int) -> NDArray[np.uint8]:
    """Memory that begins with a line of the cache, as no array's does: writing across lines takes twice as long."""
    memory = np.empty(size + _LINE, dtype=np.uint8)
    return np.frombuffer(memory.data, dtype=np.uint8, count=size, offset=-memory.ctypes.data % _LINE)


class _Spare(threading.local, Buffers):
    """Buffers of a thread for what lies between two steps of a computation: what was given back last is taken first,
    since it is still in the processor's cache."""


spare = _Spare()
# of a NaN as numpy writes it, by the bytes of a number
_BITS: dict[int, tuple[Any, int]] = {2: (np.int16, 0x7E00), 4: (np.int32, 0x7FC00000), 8: (np.int64, 0x7FF8 << 48)}


def erased(values: NDArray[Any], gone: NDArray[np.bool_], out: NDArray[Any] | None = None) -> None:
    """Make decimal numbers NaN where they are ``gone``, in place or in ``out``: without a branch for each, where these
    are scattered it takes a tenth of the time."""
    bits, nan = _BITS[values.dtype.itemsize]
    spread = spare.take(values.shape, bits)
    np.multiply(gone.view(np.int8), bits(nan), out=spread, dtype=bits)
    np.subtract(values, spread.view(values.dtype), out=values if out is None else out)  # x - 0 is x, whatever its sign
    spare.give(spread)


def zeroed(values: NDArray[Any], gone: NDArray[np.bool_], out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Decimal numbers, 0 where they are ``gone``, in place or in ``out``, as :func:`erased`."""
    bits, _ = _BITS[values.dtype.itemsize]
    kept, made = spare.take(values.shape, bits), values if out is None else out
    np.copyto(kept, np.subtract(gone.view(np.int8), np.int8(1)))  # all bits, where they are not
    np.bitwise_and(values.view(bits), kept, out=made.view(bits))
    spare.give(kept)
    return made
