"""Values against limits that few binary numbers are, whatever they are stored as."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.tools.kernels.limits import above, below, between
from knowflow.tools.raster.scaling import scale_into


@pytest.mark.parametrize(("stored", "scale", "limit"), [(40, 0.01, 0.4), (6000, 0.0001, 0.6), (3000, 0.0001, 0.3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_scaled_number_is_its_limit(stored: int, scale: float, limit: float, dtype: type) -> None:
    values = np.empty(3, dtype)
    scale_into(values, np.array([stored - 1, stored, stored + 1], np.int16), scale, 0.0)
    assert above(values, limit).tolist() == [False, False, True]
    assert below(values, limit).tolist() == [True, False, False]
    assert between(values, limit, limit).tolist() == [False, True, False]


@given(
    st.lists(st.integers(-10000, 20000), min_size=1, max_size=20),
    st.sampled_from([0.1, 0.01, 0.02, 0.004, 0.001, 0.0001, 0.00002, -0.01]),
    st.integers(-2000, 2000),
    st.sampled_from([np.float32, np.float64]),
)
def test_decimals_are_the_nearest_numbers_of_their_type(
    stored: list[int], scale: float, steps: int, dtype: type[np.float32 | np.float64]
) -> None:
    parts = round(1 / scale)
    offset = steps / parts
    for told in (scale, float(np.float32(scale))):  # as most headers hold it, and as those of netCDF may
        values = np.empty(len(stored), dtype)
        scale_into(values, np.array(stored, np.int16), told, offset)
        assert values.tolist() == [float(dtype((number + steps) / parts)) for number in stored]


@given(st.floats(-1e3, 1e3, allow_nan=False), st.floats(-1e3, 1e3, allow_nan=False))
def test_any_scale_and_offset_are_applied(scale: float, offset: float) -> None:
    stored = np.array([-300, 0, 7, 20000], np.int16)
    for size in (stored, np.tile(stored, 40000)):  # within the processor's cache and beyond it
        values = np.empty(size.shape, np.float64)
        scale_into(values, size, scale, offset)
        assert np.allclose(values, size * scale + offset, rtol=1e-12, atol=1e-9)
