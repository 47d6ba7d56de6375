"""Statistics of values grouped by class, in one pass."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.kernels.distribution import Moments


def moments_by_class(values: NDArray[np.floating], classes: NDArray[np.floating]) -> dict[int, Moments]:
    """Moments of the finite values in each class; pixels without a (finite) class are left out."""
    known = np.isfinite(classes) & np.isfinite(values)
    sample = values[known].astype(np.float64)
    labels, group, count = np.unique(classes[known], return_inverse=True, return_counts=True)
    if labels.size == 0:
        return {}
    mean = np.bincount(group, weights=sample) / count
    squares = np.bincount(group, weights=np.square(sample - mean[group]))
    low, high = np.full(labels.size, np.inf), np.full(labels.size, -np.inf)
    np.minimum.at(low, group, sample)
    np.maximum.at(high, group, sample)
    return {
        int(label): Moments(int(n), float(m), float(s), float(a), float(b))
        for label, n, m, s, a, b in zip(labels, count, mean, squares, low, high, strict=True)
    }


def merge_classes(a: Mapping[int, Moments], b: Mapping[int, Moments]) -> dict[int, Moments]:
    """Both samples together, class by class."""
    return {label: a.get(label, Moments()).merged(b.get(label, Moments())) for label in (*a, *(set(b) - set(a)))}
