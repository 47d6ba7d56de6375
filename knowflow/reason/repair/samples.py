"""Samples of pixels that a diagnosis goes by, what it finds in them, and the numbers that mark missing data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import QuantityKind
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

# stored numbers that producers use for missing data, where the header forgets to say so
MARKERS = (-9999.0, -99999.0, -32768.0, -32767.0, -999.0, -9998.0, 65535.0, 32767.0, 9999.0, 99999.0, 1e20, -1e20)
MARKERS_OF_FLOATS = (-3.4028234663852886e38, 3.4028234663852886e38, 9.969209968386869e36, -1e30, 1e30)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with values: a cause, what a repair may use, and the evidence."""

    cause: str
    evidence: tuple[Evidence, ...]
    found: Mapping[str, Any] = field(default_factory=dict)
    certain: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers that occur in a raster, ascending, and how many pixels hold each."""

    numbers: Values
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: Values) -> Counts:
        import numpy as np

        return cls(*np.unique(values, return_counts=True))

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    def share(self, chosen: NDArray[np.bool_]) -> float:
        """The share of the pixels that hold one of some numbers (shaped as all of them)."""
        return int(self.counts[chosen].sum()) / self.size

    def without(self, first: int, last: int) -> Counts:
        """All but those of the places first..last."""
        import numpy as np

        gone = slice(first, last + 1)
        return Counts(np.delete(self.numbers, gone), np.delete(self.counts, gone))

    def mean(self) -> float:
        return float(self.numbers @ self.counts / self.size)

    def median(self) -> float:
        import numpy as np

        places = (self.size - 1) // 2, self.size // 2
        low, high = self.numbers[np.searchsorted(np.cumsum(self.counts), places, "right")].tolist()
        return float((low + high) / 2)


@dataclass(frozen=True)
class Sample:
    """Values of one raster (finite ones, in its unit), each or counted, and what is missing among them."""

    total: int
    infinite: int
    lines_missing: float = 0.0
    each: Values | None = None
    counted: Counts | None = None

    @cached_property
    def values(self) -> Values:
        """One for each pixel, in the order of these where it is known."""
        import numpy as np

        if self.each is not None:
            return self.each
        return np.repeat(self.counts.numbers, self.counts.counts)

    @cached_property
    def counts(self) -> Counts:
        return Counts.of(self.values) if self.counted is None else self.counted

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.counts.size if self.each is None else self.each.size

    @property
    def valid_share(self) -> float:
        return (self.size + self.infinite) / self.total if self.total else 0.0


def sample_of(windows: Sequence[Any]) -> Sample:
    """The sample that windows (rows, columns; NaN: missing) make together."""
    import numpy as np

    finite, total, infinite, lines, gone = [], 0, 0, 0, 0
    for window in windows:
        known = np.isfinite(window)
        finite.append(window[known].astype(np.float64))
        total += window.size
        infinite += int(np.isinf(window).sum())
        if known.any():
            missing = ~known
            lines += sum(window.shape)
            gone += int(missing.all(axis=1).sum()) + int(missing.all(axis=0).sum())
    flat = np.concatenate(finite) if finite else np.zeros(0)
    return Sample(total, infinite, gone / lines if lines else 0.0, each=flat)


def ready_lines(file: str, choices: Iterable[Mapping[str, Any]]) -> str:
    """The options that say each of several facts of a file that only the user can choose between."""
    lines = (" ".join(f"--assume '{file}:{fact}={_plain(value)}'" for fact, value in one.items()) for one in choices)
    return ", or ".join(lines)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def stored_number(artifact: Artifact, value: float) -> float:
    """The number that a file holds for a physical value."""
    scale, offset = artifact.fact("scale") or 1.0, artifact.fact("offset") or 0.0
    stored = (value - offset) / scale
    return float(round(stored)) if str(artifact.fact("dtype") or "").startswith(("int", "uint")) else stored


def marker_of(stored: float) -> float | None:
    """The number for missing data, as producers write it, that a stored number is; None where it is none."""
    for marker in (*MARKERS, *MARKERS_OF_FLOATS):
        if abs(stored - marker) <= 1e-5 * abs(marker):
            return marker if abs(marker) < 1e20 else stored
    return None


def in_unit_of(kind: QuantityKind, artifact: Artifact, values: Values) -> Values | None:
    """Values in the unit of their kind; None where they are said to be in a unit of something else."""
    import numpy as np

    unit = artifact.fact("unit")
    if unit is None or unit == kind.unit:
        return values
    try:
        return np.asarray(convert(values, unit, kind.unit), dtype=np.float64)
    except UnitError:
        return None
