"""Statistics of values grouped by class, in one pass."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.kernels.distribution import Moments


def moments_by_class(
    values: NDArray[np.floating], classes: NDArray[np.floating], weights: NDArray[np.float64] | None = None
) -> dict[int, Moments]:
    """Moments of the finite values in each class; pixels without a (finite) class are left out.

    ``weights`` fit the shape of the values, where they weigh differently.
    """
    known = np.isfinite(classes) & np.isfinite(values)
    sample = values[known].astype(np.float64)
    labels, group, count = np.unique(classes[known], return_inverse=True, return_counts=True)
    if labels.size == 0:
        return {}
    summed = np.bincount(group, weights=sample)
    heavy = None if weights is None else np.broadcast_to(weights, values.shape)[known]
    mass = count if heavy is None else np.bincount(group, weights=heavy)
    mean = (summed if heavy is None else np.bincount(group, weights=sample * heavy)) / mass
    squares = np.square(sample - mean[group])
    squares = np.bincount(group, weights=squares if heavy is None else squares * heavy)
    low, high = np.full(labels.size, np.inf), np.full(labels.size, -np.inf)
    np.minimum.at(low, group, sample)
    np.maximum.at(high, group, sample)
    rows = np.stack([mean, squares, low, high, *([] if heavy is None else [mass, summed])], axis=1).tolist()
    return {int(label): Moments(int(n), *row) for label, n, row in zip(labels, count, rows, strict=True)}


def merge_classes(a: Mapping[int, Moments], b: Mapping[int, Moments]) -> dict[int, Moments]:
    """Both samples together, class by class."""
    return {label: a.get(label, Moments()).merged(b.get(label, Moments())) for label in (*a, *(set(b) - set(a)))}
