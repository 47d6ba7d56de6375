"""Memory that goes round: whole, of any type, and never handed out twice at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from knowflow.tools.raster.buffers import Buffers, erased, spare, zeroed


@pytest.mark.parametrize("masked", [False, True])
def test_what_is_given_back_serves_another_shape_and_type(masked: bool) -> None:
    buffers = Buffers()
    first = buffers.take((2, 30, 40), np.uint16)
    first[:] = 7
    buffers.give(np.ma.MaskedArray(first, mask=first == 7) if masked else first)
    second = buffers.take((20, 30), np.float32)
    assert np.shares_memory(first, second)
    assert (second.shape, second.dtype) == ((20, 30), np.float32)
    larger = buffers.take((500, 30), np.float64)
    assert not np.shares_memory(larger, second)


def test_two_takers_never_share_and_what_others_made_is_not_taken_in() -> None:
    buffers = Buffers()
    taken = [buffers.take((10,), np.int32) for _ in range(3)]
    assert not any(np.shares_memory(a, b) for a in taken for b in taken if a is not b)
    foreign = np.zeros((4, 5))
    buffers.give(foreign)
    buffers.give(foreign[1:])
    assert not np.shares_memory(buffers.take((2,), np.float64), foreign)


def test_each_thread_has_spare_memory_of_its_own_and_takes_first_what_it_gave_back_last() -> None:
    first, second = spare.take((100,), np.float64), spare.take((3, 4), np.float32)
    assert (first.shape, second.shape, second.dtype) == ((100,), (3, 4), np.float32)
    assert {array.ctypes.data % 64 for array in (first, second)} == {0}
    spare.give(second)
    spare.give(first)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(spare.take, (2,), np.float32).result()
    assert not any(np.shares_memory(other, array) for array in (first, second))
    assert np.shares_memory(spare.take((2, 2), np.int8), first)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_blanked_as_by_copying_where_they_are_gone(dtype: type) -> None:
    values = np.array([[0.0, -0.0, 1.5, -np.inf, np.nan, 6e-8], [3.0, np.nan, -0.0, 7.0, np.inf, -2.0]], dtype)
    gone = np.array([[0, 0, 1, 0, 0, 0], [1, 1, 1, 0, 1, 0]], np.bool_)
    for blank, number in ((erased, np.nan), (zeroed, 0)):
        made, expected = values.copy(), values.copy()
        blank(made, gone)
        np.copyto(expected, number, where=gone)
        assert made.tobytes() == expected.tobytes()
