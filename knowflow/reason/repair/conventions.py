"""The known conventions of Earth-observation files (integer scalings, degrees Celsius) as explanations of values that
cannot be right as they stand: only one that explains every value, where no other does, is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.reason.repair.samples import Finding, Sample, in_unit_of, stored_number
from knowflow.reason.repair.values import FEW_OUTSIDE, range_evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

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
_LEAST_SPAN = 0.05  # of the upper end of the range, that values reach at least once they are scaled rightly


def explanation(artifact: Artifact, samples: Sequence[Sample]) -> Finding | None:
    """The one convention of unit or scale that explains implausible values of files of one kind; else None."""
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    values = [sample.values for sample in samples if sample.values.size]
    if kind is None or kind.categorical or not values:
        return None
    return _by_convention(artifact, kind, values) or _spike_behind(artifact, kind, values)


def _spike_behind(artifact: Artifact, kind: QuantityKind, values: Sequence[Values]) -> Finding | None:
    """One constant beside values that a convention explains: undeclared nodata in a unit that is wrong, too."""
    for pick in (min, max):
        extreme = pick(float(pick(one)) for one in values)
        rest = [one[one != extreme] for one in values]
        every = [one for one in rest if one.size]
        count = sum(one.size for one in values) - sum(one.size for one in rest)
        if not every or count < 2 or count >= sum(one.size for one in every):
            continue
        low, high = min(float(one.min()) for one in every), max(float(one.max()) for one in every)
        if min(abs(low - extreme), abs(high - extreme)) <= high - low:
            continue
        if (found := _by_convention(artifact, kind, every)) is not None and found.found.get("choices") is None:
            number, share = stored_number(artifact, extreme), count / sum(one.size for one in values)
            shown = (
                f"{share:.2%} of the pixels hold it, far from all others, which are possible in another unit or scale"
            )
            evidence = Evidence(f"the value {number:g}", "no such constant", shown, "measured")
            return Finding("nodata_undeclared", (evidence, *found.evidence), {"nodata": number, "share": share})
    return None


def _by_convention(artifact: Artifact, kind: QuantityKind, values: Sequence[Values]) -> Finding | None:
    usual = USUAL.get(_climate(artifact, kind))
    fits = [found for found in _conventions(artifact, kind) if _fits(found, values, kind, usual)]
    told = in_unit_of(kind, artifact, values[0])
    evidence = [] if told is None else [range_evidence(artifact, told, kind)]
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


def _conventions(artifact: Artifact, kind: QuantityKind) -> Iterator[dict[str, Any]]:
    """Units and scalings in use for a quantity, other than what is said of the file."""
    temperature = kind.unit == "K" and (kind.range[0] or 0.0) >= 50
    declared = artifact.fact("unit") or kind.unit
    one_byte = str(artifact.fact("dtype")) in (
        "uint8",
        "int8",
    )  # holds no kelvin: what remains of them looks like Celsius
    if temperature and not (one_byte and declared == "K"):
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
        if inside.mean() < 1 - FEW_OUTSIDE:
            return False
        reach = max(reach, float(np.abs(np.quantile(told, 0.99))))
    return high is None or reach >= _LEAST_SPAN * high
