"""The triangle of surface temperature over NDVI: its dry and wet edges, and the dryness index between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WetEdge = Literal["sloping", "horizontal"]


@dataclass(frozen=True, slots=True)
class BinExtremes:
    """Highest and lowest temperature, and number of pixels, in each class of NDVI; classes have equal width."""

    low: float
    high: float
    warmest: Array
    coldest: Array
    count: NDArray[np.int64]

    @classmethod
    def empty(cls, low: float, high: float, bins: int) -> BinExtremes:
        nothing = np.full(bins, np.nan)
        return cls(low, high, nothing, nothing.copy(), np.zeros(bins, dtype=np.int64))

    def with_block(self, ndvi: NDArray[np.floating], temperature: NDArray[np.floating]) -> BinExtremes:
        """These and the pixels of a block in which both are data and NDVI lies within the classes."""
        bins = self.count.size
        inside = np.isfinite(ndvi) & np.isfinite(temperature) & (ndvi >= self.low) & (ndvi <= self.high)
        x, t = ndvi[inside].astype(np.float64), temperature[inside].astype(np.float64)
        place = np.clip((x - self.low) / (self.high - self.low) * bins, 0, bins - 1).astype(np.intp)
        warmest, coldest = self.warmest.copy(), self.coldest.copy()
        np.fmax.at(warmest, place, t)
        np.fmin.at(coldest, place, t)
        count = self.count + np.bincount(place, minlength=bins)
        return BinExtremes(self.low, self.high, warmest, coldest, count)

    def merged(self, other: BinExtremes) -> BinExtremes:
        """The extremes of both, class by class; both have the same classes."""
        warmest, coldest = np.fmax(self.warmest, other.warmest), np.fmin(self.coldest, other.coldest)
        return BinExtremes(self.low, self.high, warmest, coldest, self.count + other.count)

    @property
    def centres(self) -> Array:
        bins = self.count.size
        return self.low + (np.arange(bins) + 0.5) * (self.high - self.low) / bins


@dataclass(frozen=True, slots=True)
class Edges:
    """The dry and the wet edge as straight lines, ``temperature = intercept + slope * ndvi``."""

    dry_slope: float
    dry_intercept: float
    wet_slope: float
    wet_intercept: float


def fit_edges(extremes: BinExtremes, minimum_count: int, wet_edge: WetEdge) -> Edges | None:
    """Straight lines through the extremes of the classes that hold enough pixels; None if fewer than two do.

    Source: Sandholt, Rasmussen and Andersen 2002 (doi:10.1016/S0034-4257(01)00274-7): the dry edge is a
    least-squares fit to the maxima; the wet edge is the lowest temperature of the triangle (``horizontal``) or a fit to
    the minima (``sloping``).
    """
    used = extremes.count >= max(minimum_count, 1)
    if np.count_nonzero(used) < 2:
        return None
    ndvi = extremes.centres[used]
    dry_slope, dry_intercept = np.polyfit(ndvi, extremes.warmest[used], 1)
    if wet_edge == "horizontal":
        wet_slope, wet_intercept = 0.0, float(extremes.coldest[used].min())
    else:
        wet_slope, wet_intercept = np.polyfit(ndvi, extremes.coldest[used], 1)
    return Edges(float(dry_slope), float(dry_intercept), float(wet_slope), float(wet_intercept))


def dryness_index(ndvi: Array, temperature: Array, edges: Edges) -> Array:
    """TVDI, 0 on the wet edge and 1 on the dry edge (Sandholt et al. 2002); beyond an edge it is that edge's.

    NaN where the edges have met or crossed, for there the triangle says nothing.
    """
    wet = edges.wet_intercept + edges.wet_slope * ndvi
    dry = edges.dry_intercept + edges.dry_slope * ndvi
    span = dry - wet
    with np.errstate(invalid="ignore", divide="ignore"):
        index = np.clip((temperature - wet) / span, 0.0, 1.0)
    return np.where(span > 0, index, np.nan)
