"""Skewness and kurtosis of values that arrive block by block."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class HigherMoments:
    """Count, mean and the sums of the second to fourth powers of the deviations; blocks are merged pairwise."""

    count: int = 0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> HigherMoments:
        """Of the finite values of an array."""
        sample = values[np.isfinite(values)].astype(np.float64)
        if sample.size == 0:
            return cls()
        mean = float(sample.mean())
        deviation = sample - mean
        square = deviation**2
        return cls(
            int(sample.size),
            mean,
            float(square.sum()),
            float((square * deviation).sum()),
            float((square**2).sum()),
        )

    def merged(self, other: HigherMoments) -> HigherMoments:
        """Both samples together: Pebay 2008 (doi:10.2172/1028931), eq. 2.1 to 2.3."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        a, b = self.count, other.count
        n = a + b
        step = other.mean - self.mean
        third = (
            self.third
            + other.third
            + step**3 * a * b * (a - b) / n**2
            + 3 * step * (a * other.second - b * self.second) / n
        )
        fourth = (
            self.fourth
            + other.fourth
            + step**4 * a * b * (a * a - a * b + b * b) / n**3
            + 6 * step**2 * (a * a * other.second + b * b * self.second) / n**2
            + 4 * step * (a * other.third - b * self.third) / n
        )
        second = self.second + other.second + step**2 * a * b / n
        return HigherMoments(n, self.mean + step * b / n, second, third, fourth)

    def skewness(self, bias: bool = False) -> float:
        """Skewness; without ``bias`` corrected for the size of the sample (Joanes and Gill 1998: G1, else g1)."""
        if self.count < (1 if bias else 3) or self.second == 0:
            return math.nan
        n = self.count
        g1 = math.sqrt(n) * self.third / math.pow(self.second, 1.5)
        return g1 if bias else g1 * math.sqrt(n * (n - 1)) / (n - 2)

    def kurtosis(self, bias: bool = True) -> float:
        """Kurtosis in excess of the normal distribution's; without ``bias`` corrected (Joanes and Gill 1998: G2)."""
        if self.count < (1 if bias else 4) or self.second == 0:
            return math.nan
        n = self.count
        g2 = n * self.fourth / self.second**2 - 3.0
        return g2 if bias else ((n + 1) * g2 + 6) * (n - 1) / ((n - 2) * (n - 3))
