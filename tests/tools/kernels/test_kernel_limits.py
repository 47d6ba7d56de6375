"""Values against limits that few binary numbers are, whatever they are stored as."""

from __future__ import annotations

import numpy as np
import pytest

from knowflow.tools.kernels.limits import above, below, between


@pytest.mark.parametrize(("stored", "scale", "limit"), [(40, 0.01, 0.4), (6000, 0.0001, 0.6), (3000, 0.0001, 0.3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_scaled_number_is_its_limit(stored: int, scale: float, limit: float, dtype: type) -> None:
    values = np.array([stored - 1, stored, stored + 1], np.int16).astype(dtype) * dtype(scale)
    assert above(values, limit).tolist() == [False, False, True]
    assert below(values, limit).tolist() == [True, False, False]
    assert between(values, limit, limit).tolist() == [False, True, False]
