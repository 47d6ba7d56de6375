"""What the values of a raster tell of themselves: whether they can be what their quantity, unit and scale say.

A sample of the pixels is compared with the physical range of the quantity kind. Where they cannot be right, the known
conventions of Earth-observation files (nodata markers, integer scalings, degrees Celsius) are tried one by one; only
one that explains every value, where no other does, is offered as the explanation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import convert, known
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

# stored numbers that producers use for missing data, where the header forgets to say so
MARKERS = (-9999.0, -99999.0, -32768.0, -32767.0, -999.0, -9998.0, 65535.0, 32767.0, 9999.0, 99999.0, 1e20, -1e20)
MARKERS_OF_FLOATS = (-3.4028234663852886e38, 3.4028234663852886e38, 9.969209968386869e36, -1e30, 1e30)
# factor and offset from stored to physical numbers: MODIS, Landsat Collection 2, Sentinel-2 (before and since baseline
# 04.00), percent
REFLECTANCE_SCALINGS = ((1e-4, 0.0), (1e-4, -0.1), (2.75e-5, -0.2), (0.01, 0.0))
FRACTION_SCALINGS = ((1e-4, 0.0), (1e-3, 0.0), (0.01, 0.0), (0.004, -0.08))
TEMPERATURE_SCALINGS = ((0.1, 0.0), (0.01, 0.0), (0.02, 0.0), (0.00341802, 149.0))
# what is usual on Earth, narrower than what is possible: a convention that explains values puts them here
USUAL: Mapping[str, tuple[float, float]] = {
    "reflectance": (-0.02, 1.2),
    "temperature": (225.0, 350.0),
    "polar temperature": (180.0, 350.0),
}
_FEW_OUTSIDE = 0.001  # share of values outside the physical range that is put down to noise
_MANY_OUTSIDE = 0.1  # from this share on, unit or scale are suspected rather than single pixels
_NOISE = 0.02  # share of values up to which impossible ones are single pixels to be left out
_SATURATED = 0.05  # share of pixels at the end of the data type from which a scene counts as saturated
_LEAST_SPAN = 0.05  # of the upper end of the range, that values reach at least once they are scaled rightly


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with values: a cause, what a repair may use, and the evidence."""

    cause: str
    evidence: tuple[Evidence, ...]
    found: Mapping[str, Any] = field(default_factory=dict)
    certain: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Values of one raster (finite ones, in its unit) and what is missing among them."""

    values: Values
    total: int
    infinite: int
    lines_missing: float = 0.0

    @property
    def valid_share(self) -> float:
        return (self.values.size + self.infinite) / self.total if self.total else 0.0


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
    return Sample(flat, total, infinite, gone / lines if lines else 0.0)


def implausible(artifact: Artifact, sample: Sample) -> Finding | None:
    """What is wrong with the values of a raster of a known quantity, or None where nothing is."""
    if sample.infinite:
        share = sample.infinite / sample.total
        evidence = Evidence("infinite values", "finite numbers", f"{share:.2%} of the pixels", "measured")
        found = {"share": share} | ({"infinite": share} if share <= _NOISE else {})
        return Finding("not_finite", (evidence,), found, certain=True)
    if not sample.values.size:
        return None
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    spike = _spike(artifact, sample.values, kind)
    if spike is not None or kind is None:
        return spike
    told = _in_unit_of(kind, artifact, sample.values)
    if told is None:
        return _of_something_else(kind, artifact)
    outside = _outside(told, kind)
    share = float(outside.mean())
    if share <= _FEW_OUTSIDE and not _far_outside(told, kind):
        return None
    shown = _range_evidence(artifact, told, kind)
    if share >= _MANY_OUTSIDE:
        return Finding("values_implausible", (shown,), {"share": share}, others=("unit_wrong", "scale_missing"))
    found = {"share": share} | ({"outliers": share} if share <= _NOISE else {})
    return Finding("values_implausible", (shown,), found, others=("nodata_undeclared",))


def _of_something_else(kind: QuantityKind, artifact: Artifact) -> Finding | None:
    """A temperature that is said to be a length, and a pure number that is said to have a dimension.

    Other quantities are told in units of other dimensions, too: columns of water in cm, for what lies on a square
    metre. Words that are no units say nothing, and decibels are pure numbers.
    """
    unit = str(artifact.fact("unit"))
    if kind.unit not in ("K", "1") or not known(unit) or unit.startswith("dB"):
        return None
    shown = Evidence("unit", f"one of {kind.title}, such as {kind.unit}", unit, "declared")
    return Finding("unit_mismatch", (shown,), certain=True, others=("unit_wrong", "quantity_wrong"))


def saturated(artifact: Artifact, sample: Sample) -> Finding | None:
    """Many pixels at the largest number that the data type holds; what they really were is lost."""
    import numpy as np

    kind = str(artifact.fact("dtype") or "")
    if not sample.values.size or not kind.startswith(("int", "uint")):
        return None
    top = _stored(artifact, float(sample.values.max()))
    share = float((sample.values == sample.values.max()).mean())
    if top < np.iinfo(kind).max or share < _SATURATED:
        return None
    shown = Evidence(f"pixels at {top:g}, the largest {kind}", "few", f"{share:.0%}", "measured")
    return Finding("saturated", (shown,), {"share": share})


def explanation(artifact: Artifact, samples: Sequence[Sample]) -> Finding | None:
    """The one convention of unit or scale that explains implausible values of files of one kind; else None."""
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    values = [sample.values for sample in samples if sample.values.size]
    if kind is None or not values:
        return None
    usual = USUAL.get(_climate(artifact, kind))
    fits = [found for found in _conventions(artifact, kind) if _fits(found, values, kind, usual)]
    told = _in_unit_of(kind, artifact, values[0])
    evidence = [] if told is None else [_range_evidence(artifact, told, kind)]
    if len(fits) > 1 and all("scale" in one for one in fits):
        choices = " or ".join(_factor(one) for one in fits)
        evidence.append(Evidence("scale", "one factor", f"{choices} would make all values possible", "measured"))
        return Finding("scale_missing", tuple(evidence), {"choices": choices})
    if len(fits) != 1:
        return None
    found = fits[0]
    if "unit" in found:
        said = f"all values are possible in {found['unit']}, and in no other unit that is in use for them"
        evidence.append(Evidence("unit", str(artifact.fact("unit") or kind.unit), said, "measured"))
        return Finding("unit_wrong", tuple(evidence), {**found, "kind_unit": kind.unit})
    said = f"{_factor(found)} makes all values possible, and no other factor in use does"
    evidence.append(Evidence("scale", "physical values", said, "measured"))
    return Finding("scale_missing", tuple(evidence), found)


def _factor(convention: Mapping[str, Any]) -> str:
    return f"times {convention['scale']:g}" + (f" {convention['offset']:+g}" if convention["offset"] else "")


def _spike(artifact: Artifact, values: Values, kind: QuantityKind | None) -> Finding | None:
    """One constant value, far from all others, that cannot be data: missing pixels that nobody declared."""
    for extreme in (values.min(), values.max()):
        rest = values[values != extreme]
        count = values.size - rest.size
        if not rest.size:
            continue
        gap = float(abs(rest - extreme).min())
        if gap <= float(rest.max() - rest.min()):
            continue
        stored = _stored(artifact, float(extreme))
        marker = _marker(stored, artifact)
        told = None if kind is None else _in_unit_of(kind, artifact, values[values == extreme][:1])
        impossible = kind is not None and told is not None and bool(_outside(told, kind).any())
        if marker is None and not (impossible and count < rest.size and _possible_without(artifact, rest, kind)):
            continue  # where the others are impossible, too, or the fewer, something else is wrong with all of them
        if kind is not None and kind.categorical and not impossible:
            continue
        if (impossible and count >= 2) or (marker is not None and (impossible or count >= 2)):
            number = marker if marker is not None else stored
            share = count / values.size
            what = f"the value {number:g}"
            shown = f"{share:.2%} of the pixels hold it, {gap:g} away from all others"
            evidence = [Evidence(what, "no such constant", shown, "measured")]
            if marker is not None:
                evidence.append(Evidence(what, "", "producers use this number for missing data", "convention"))
            if impossible and kind is not None:
                evidence.append(Evidence(kind.name, _possible(kind), f"{extreme:g}", "measured"))
            return Finding("nodata_undeclared", tuple(evidence), {"nodata": number, "share": share}, certain=impossible)
    return None


def _possible_without(artifact: Artifact, rest: Values, kind: QuantityKind | None) -> bool:
    """Whether the values beside a spike are possible ones."""
    told = None if kind is None else _in_unit_of(kind, artifact, rest)
    return kind is not None and told is not None and bool(_outside(told, kind).mean() <= _NOISE)


def _stored(artifact: Artifact, value: float) -> float:
    scale, offset = artifact.fact("scale") or 1.0, artifact.fact("offset") or 0.0
    stored = (value - offset) / scale
    return float(round(stored)) if str(artifact.fact("dtype") or "").startswith(("int", "uint")) else stored


def _marker(stored: float, artifact: Artifact) -> float | None:
    for marker in (*MARKERS, *MARKERS_OF_FLOATS):
        if abs(stored - marker) <= 1e-5 * abs(marker):
            return marker if abs(marker) < 1e20 else stored
    return None


def _conventions(artifact: Artifact, kind: QuantityKind) -> Iterator[dict[str, Any]]:
    """Units and scalings in use for a quantity, other than what is said of the file."""
    temperature = kind.unit == "K" and (kind.range[0] or 0.0) >= 50
    declared = artifact.fact("unit") or kind.unit
    if temperature:
        yield from ({"unit": unit} for unit in ("K", "degC") if unit != declared)
    known = artifact.facts.known("scale")
    if (known is not None and known.value != 1) or artifact.fact("offset"):
        return
    if temperature:
        scalings: Sequence[tuple[float, float]] = TEMPERATURE_SCALINGS
    elif kind.family == "reflectance" or "reflectance" in kind.name:
        scalings = REFLECTANCE_SCALINGS
    elif kind.unit == "1" and None not in kind.range:
        scalings = FRACTION_SCALINGS
    else:
        return
    for scale, offset in scalings:
        if (scale, offset) != (1e-4, -0.1) or _may_have_offset(artifact):
            yield {"scale": scale, "offset": offset}


def _may_have_offset(artifact: Artifact) -> bool:
    """Whether reflectance may be stored with Sentinel-2's offset of 1000, in use since 25 January 2022."""
    sensor, date = str(artifact.fact("sensor") or "").casefold(), str(artifact.fact("datetime") or "")
    return (not sensor or "sentinel-2" in sensor) and (not date or date >= "2022-01-25")


def _climate(artifact: Artifact, kind: QuantityKind) -> str:
    """Which values are usual: of reflectance everywhere the same, of temperature by latitude where it is known."""
    if "reflectance" in kind.name:
        return "reflectance"
    if kind.unit != "K" or (kind.range[0] or 0.0) < 50:
        return ""
    box = geo.lonlat_box(artifact)
    return "polar temperature" if box is None or max(abs(box[1]), abs(box[3])) > 60 else "temperature"


def _fits(
    convention: Mapping[str, Any],
    samples: Sequence[Values],
    kind: QuantityKind,
    usual: tuple[float, float] | None,
) -> bool:
    """Whether a convention makes the values of every sample usual ones, and not all of them next to nothing."""
    import numpy as np

    low, high = kind.range
    if usual is not None:
        low, high = max(low if low is not None else usual[0], usual[0]), min(high or usual[1], usual[1])
    reach = 0.0
    for values in samples:
        if "unit" in convention:
            told = np.asarray(convert(values, convention["unit"], kind.unit))
        else:
            told = values * convention["scale"] + convention["offset"]
        inside = np.ones(told.shape, dtype=bool)
        if low is not None:
            inside &= told >= low
        if high is not None:
            inside &= told <= high
        if inside.mean() < 1 - _FEW_OUTSIDE:
            return False
        reach = max(reach, float(np.abs(np.quantile(told, 0.99))))
    return high is None or reach >= _LEAST_SPAN * high


def _in_unit_of(kind: QuantityKind, artifact: Artifact, values: Values) -> Values | None:
    """Values in the unit of their kind; None where they are said to be in a unit of something else."""
    import numpy as np

    unit = artifact.fact("unit")
    if unit is None or unit == kind.unit:
        return values
    try:
        return np.asarray(convert(values, unit, kind.unit), dtype=np.float64)
    except UnitError:
        return None


def _outside(told: Values, kind: QuantityKind) -> NDArray[np.bool_]:
    import numpy as np

    low, high = kind.range
    slack = 1e-6 * max(abs(low or 0.0), abs(high or 0.0), 1.0)
    outside = np.zeros(told.shape, dtype=bool)
    if low is not None:
        outside |= told < low - slack
    if high is not None:
        outside |= told > high + slack
    return outside


def _far_outside(told: Values, kind: QuantityKind) -> bool:
    """Whether any value lies further outside than the whole range is wide."""
    low, high = kind.range
    if low is None or high is None:
        return False
    return bool(told.min() < low - (high - low) or told.max() > high + (high - low))


def _possible(kind: QuantityKind) -> str:
    low, high = kind.range
    return f"{'' if low is None else f'{low:g}'}..{'' if high is None else f'{high:g}'} {kind.unit}"


def _range_evidence(artifact: Artifact, told: Values, kind: QuantityKind) -> Evidence:
    shown = f"{told.min():.6g}..{told.max():.6g} {kind.unit}, {_outside(told, kind).mean():.1%} of them impossible"
    return Evidence(f"values of {artifact.name or kind.name} as {kind.name}", _possible(kind), shown, "measured")
