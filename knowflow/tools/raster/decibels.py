"""Decibels are averaged as power: half of the ground at 0 dB and half at -20 dB send back -3 dB, not -10.

Of differences in decibels, which are ratios, the arithmetic mean is the geometric mean of the ratios: they stay as they
are. Source: Ulaby and Long 2014, Microwave Radar and Radiometric Remote Sensing, section 5-7.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.quantities import CALLED, quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell

Floating = TypeVar("Floating", bound=np.floating[Any])
_UNIT = "dB"
_LEVELS = frozenset({"sigma0", "gamma0", "sigma0_db", "gamma0_db"})


def is_decibel(artifact: Artifact) -> bool:
    """Whether numbers are levels in decibels: backscatter by its unit, whatever its quantity is usually told in, and
    what of which the quantity is not known. Differences and ratios are none."""
    kind = quantity_kinds().get(str(artifact.fact("quantity") or ""))
    if kind is None or kind.family == CALLED:
        return bool(artifact.fact("unit") == _UNIT)
    return bool(kind.name in _LEVELS and (artifact.fact("unit") or kind.unit) == _UNIT)


def power(levels: NDArray[Floating]) -> NDArray[np.float64]:
    """The power behind levels in decibels (any shape), NaN where there is none."""
    return np.power(10.0, levels.astype(np.float64) / 10.0)


def level(power: NDArray[np.float64]) -> NDArray[np.float64]:
    """Power (any shape) in decibels; NaN where it is not above 0."""
    return 10.0 * np.log10(np.where(power > 0, power, np.nan))


def level_of(mean: float) -> float:
    """One power in decibels."""
    return float(level(np.array([mean], dtype=np.float64))[0])


def tell_power(what: str, artifact: Artifact) -> None:
    """Tell the user how decibels were averaged."""
    tell(f"{what} of {artifact.name or 'the decibels'} is that of the power, told in dB")
