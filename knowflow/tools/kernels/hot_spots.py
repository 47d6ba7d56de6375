"""The Getis-Ord Gi* statistic on a grid: how far the values around a pixel stand out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Population:
    """All values: how many, their mean and their standard deviation (of the population)."""

    count: int
    mean: float
    std: float


def getis_ord(values: Array, weights: Array, population: Population, correct_edges: bool = True) -> Array:
    """Gi* (a z-score) of every pixel of ``values`` (rows, columns; NaN is no data), with ``weights`` of its neighbours.

    ``(sum w x - m sum w) / (s sqrt((n sum w^2 - (sum w)^2) / (n - 1)))``: Ord and Getis 1995
    (doi:10.1111/j.1538-4632.1995.tb00912.x), eq. 4, with the sums over the neighbours that exist and are data. Without
    ``correct_edges`` a neighbour that is not there counts as a value of zero with its full weight.
    """
    from scipy.ndimage import correlate

    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    weighted = correlate(filled, weights, mode="constant", cval=0.0)
    if correct_edges:
        present = known.astype(np.float64)
        total = correlate(present, weights, mode="constant", cval=0.0)
        squares = correlate(present, weights**2, mode="constant", cval=0.0)
    else:
        total, squares = np.full(values.shape, weights.sum()), np.full(values.shape, (weights**2).sum())
    n = population.count
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = population.std * np.sqrt((n * squares - total**2) / (n - 1))
        score = (weighted - population.mean * total) / spread
    return np.where(known & (spread > 0), score, np.nan)
