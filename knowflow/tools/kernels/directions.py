"""Directions that arrive block by block: their mean and spread around the circle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Directions:
    """Sum of the unit vectors of a sample of directions; ``turn`` is a full turn in their unit (360 for degrees).

    ``mass`` is the sum of their weights; of directions that weigh alike their number.

    Source: Mardia and Jupp (2000), Directional Statistics, sections 2.2 and 2.3.
    """

    turn: float = 360.0
    count: int = 0
    cosines: float = 0.0
    sines: float = 0.0
    mass: float = 0.0

    @classmethod
    def of(
        cls, values: NDArray[np.floating], turn: float = 360.0, weights: NDArray[np.float64] | None = None
    ) -> Directions:
        """The finite directions of an array; ``weights`` fit its shape."""
        finite = np.isfinite(values)
        angles = values[finite].astype(np.float64) * (2 * math.pi / turn)
        heavy = np.ones(angles.size) if weights is None else np.broadcast_to(weights, values.shape)[finite]
        cosines, sines = float(np.cos(angles) @ heavy), float(np.sin(angles) @ heavy)
        return cls(turn, int(angles.size), cosines, sines, float(heavy.sum()))

    def merged(self, other: Directions) -> Directions:
        """Both samples together."""
        return Directions(
            self.turn,
            self.count + other.count,
            self.cosines + other.cosines,
            self.sines + other.sines,
            self.mass + other.mass,
        )

    @property
    def mean(self) -> float:
        """Direction of the sum, from 0 to a full turn; NaN where there is none, or where all cancel out."""
        if self._length < 1e-9:
            return math.nan
        angle = math.atan2(self.sines, self.cosines) % (2 * math.pi) * self.turn / (2 * math.pi)
        near = 1e-9 * self.turn
        return angle if near < angle < self.turn - near else 0.0

    @property
    def std(self) -> float:
        """Circular standard deviation, in the unit of the directions; infinite where all cancel out."""
        if self.count == 0:
            return math.nan
        length = min(self._length, 1.0)
        return math.sqrt(-2 * math.log(length)) * self.turn / (2 * math.pi) if length > 0 else math.inf

    @property
    def _length(self) -> float:
        """Length of the mean unit vector: 1 where all are alike, 0 where they cancel out."""
        return math.hypot(self.cosines, self.sines) / self.mass if self.mass else 0.0
