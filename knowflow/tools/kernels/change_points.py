"""Where a series changes its level: exact segmentation with a penalty for each change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
CostModel = Literal["l2", "l1", "rbf"]
Cost = Callable[[int, int], float]

SHORTEST = 2


def change_points(signal: Array, penalty: float, model: CostModel = "l2", shortest: int = SHORTEST) -> list[int]:
    """The ends of the segments of a series, the last of which is its length: the least sum of costs and penalties.

    ``l2``: squared departures from the segment's mean; ``l1``: absolute ones from its median; ``rbf``: scatter under a
    Gaussian kernel whose width is the median distance. Source: PELT, Killick et al. 2012
    (doi:10.1080/01621459.2012.737745).
    """
    length = signal.size
    if length < 2 * shortest:
        return [length]
    cost = _cost(signal, model)
    best = np.full(length + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(length + 1, dtype=np.int64)
    leaves = {0: length + shortest}  # start of a last segment -> the end from which on it is no candidate
    for end in range(shortest, length + 1):
        totals = {
            start: best[start] + cost(start, end) for start, gone in leaves.items() if start <= end - shortest < gone
        }
        start = min(totals, key=lambda s: totals[s])
        best[end], previous[end] = totals[start] + penalty, start
        for start, total in totals.items():
            if total >= best[end]:  # a change here is better for all ends that are a segment away (eq. 12)
                leaves[start] = min(leaves[start], end)
        leaves = {start: gone for start, gone in leaves.items() if gone > end + 1 - shortest}
        leaves[end] = length + shortest
    ends, end = [], length
    while end > 0:
        ends.append(int(end))
        end = int(previous[end])
    return ends[::-1]


def _cost(signal: Array, model: CostModel) -> Cost:
    if model == "l1":
        return lambda start, end: float(np.abs(signal[start:end] - np.median(signal[start:end])).sum())
    if model == "l2":
        sums, squares = (np.concatenate([[0.0], np.cumsum(part)]) for part in (signal, signal**2))
        return lambda a, b: float(squares[b] - squares[a] - (sums[b] - sums[a]) ** 2 / (b - a))
    distances = (signal[:, None] - signal[None, :]) ** 2
    width = float(np.median(distances[np.triu_indices(signal.size, 1)])) or 1.0
    similar = np.exp(-distances / width)
    table = np.zeros((signal.size + 1, signal.size + 1))
    table[1:, 1:] = similar.cumsum(axis=0).cumsum(axis=1)

    def scatter(a: int, b: int) -> float:
        inside = table[b, b] - table[a, b] - table[b, a] + table[a, a]
        return float((b - a) - inside / (b - a))

    return scatter
