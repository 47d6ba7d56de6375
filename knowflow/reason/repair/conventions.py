"""The known conventions of Earth-observation files (integer scalings, degrees Celsius) as explanations of values that
cannot be right as they stand.

One is offered where it explains every value and no other does; of several the user is asked. All files of a kind count
together, since one dark pixel in one band tells how all bands of a product are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.model.facts import Origin
from knowflow.reason.repair.samples import Finding, Sample, in_unit_of, stored_number
from knowflow.reason.repair.values import FEW_OUTSIDE, range_evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scaling:
    """A factor and an offset from stored to physical numbers that producers use, and of what.

    ``sensors``: parts of the names of those whose files are stored so (none: of any); it is out of the question where
    another sensor is known. ``quantity``: a part of the name of the quantity; ``unit``: that of what is stored so;
    ``byte``: only in one byte a pixel; ``signed``: only of quantities that may be below zero. What is stored with an
    offset or in ``digits`` holds whole numbers.
    """

    scale: float
    offset: float = 0.0
    sensors: tuple[str, ...] = ()
    quantity: str = ""
    unit: str = ""
    byte: bool = False
    signed: bool = False
    digits: bool = False

    def said(self) -> dict[str, float]:
        return {"scale": self.scale, "offset": self.offset}

    def in_use_for(self, artifact: Artifact, kind: QuantityKind) -> bool:
        """Whether files such as this one are stored so somewhere."""
        sensor = str(artifact.fact("sensor") or "").casefold()
        if self.sensors and sensor and not any(name in sensor for name in self.sensors):
            return False
        if self.unit and self.unit != (artifact.fact("unit") or kind.unit):
            return False
        one_byte = str(artifact.fact("dtype")) in _ONE_BYTE
        below = kind.range[0] is not None and kind.range[0] < 0
        return self.quantity in kind.name and (one_byte or not self.byte) and (below or not self.signed)

    def may_be_of(self, samples: Sequence[Values]) -> bool:
        """Whether numbers may be stored so: decimals are what is left of no offset and no digits."""
        import numpy as np

        if not self.offset and not self.digits:
            return True
        return all(float((np.abs(one - np.round(one)) > 1e-3).mean()) < FEW_OUTSIDE for one in samples)


_ONE_BYTE = ("uint8", "int8")
_FREEZING = 273.15
_OFFSET = Scaling(1e-4, -0.1, sensors=("sentinel-2",))
# MODIS, VIIRS, Landsat Collection 1; Sentinel-2 since baseline 04.00 (January 2022) and, reprocessed, of any date;
# Landsat Collection 2 at the surface, and of level 1; ASTER; percent
REFLECTANCE_SCALINGS = (
    Scaling(1e-4),
    _OFFSET,
    Scaling(2.75e-5, -0.2, sensors=("landsat",), quantity="surface"),
    Scaling(2e-5, -0.1, sensors=("landsat",), quantity="toa"),
    Scaling(0.01),
)
# MODIS and others in two bytes, percent; indices in one byte as Copernicus and VITO store them, and as images do;
# emissivity of MODIS
FRACTION_SCALINGS = (
    Scaling(1e-4),
    Scaling(1e-3),
    Scaling(0.01),
    Scaling(0.004, byte=True),
    Scaling(0.005, byte=True),
    Scaling(1 / 255, byte=True),
    Scaling(0.004, -0.08, byte=True, signed=True),
    Scaling(0.004, -0.1, byte=True, signed=True),
    Scaling(0.01, -1.0, byte=True, signed=True),
    Scaling(2 / 255, -1.0, byte=True, signed=True),
    Scaling(0.002, 0.49, byte=True, quantity="emissivity"),
)
# kelvin or degrees Celsius with one or two decimals, MODIS, Landsat Collection 2; degrees Celsius where kelvin is said
TEMPERATURE_SCALINGS = (
    Scaling(0.1, digits=True),
    Scaling(0.01, digits=True),
    Scaling(0.02, unit="K"),
    Scaling(0.00341802, 149.0, sensors=("landsat",), unit="K"),
    Scaling(0.01, _FREEZING, unit="K"),
    Scaling(0.1, _FREEZING, unit="K"),
)
# what is usual on Earth, narrower than what is possible: a convention that explains values puts them here
USUAL: Mapping[str, tuple[float, float]] = {
    "reflectance": (-0.02, 1.2),
    "temperature": (225.0, 350.0),
    "polar temperature": (180.0, 350.0),
}
_LEAST_SPAN = 0.05  # of the upper end of the range, that values reach at least once they are scaled rightly
_LEAST_SPREAD = 0.01  # of the usual range, that values span at least: one number everywhere tells nothing of a scale
_OFFSET_SINCE = "2022-01-25"  # when Sentinel-2 went over to processing baseline 04.00


def processed_alike(artifact: Artifact) -> tuple[object, ...]:
    """What tells files apart that may be stored in different ways: the mission, and for Sentinel-2 the date."""
    sensor = str(artifact.fact("sensor") or "").casefold().rstrip("abc")
    date = str(artifact.fact("datetime") or "") if "sentinel-2" in sensor else ""
    return (sensor, date >= _OFFSET_SINCE)


def offset_is_open(artifact: Artifact) -> bool:
    """Whether somebody said the scale of Sentinel-2's reflectance, and nobody whether it has an offset."""
    scale, sensor = artifact.known("scale"), str(artifact.fact("sensor") or "").casefold()
    said = scale is not None and scale.origin is Origin.USER and abs(float(scale.value) - _OFFSET.scale) < 1e-9
    reflectance = "bidirectional_reflectance" in str(artifact.fact("quantity") or "")
    return said and reflectance and "sentinel-2" in sensor and artifact.known("offset") is None


def may_have_offset(samples: Sequence[Sample]) -> bool:
    """Whether scaled reflectance is possible with Sentinel-2's offset as well: nowhere would it be below black."""
    low = USUAL["reflectance"][0] - _OFFSET.offset
    values = [sample.values for sample in samples if sample.values.size]
    return bool(values) and all(float((one < low).mean()) <= FEW_OUTSIDE for one in values)


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
    fits = [found for found in _conventions(artifact, kind, values) if _fits(found, values, artifact, kind, usual)]
    if {"unit": "degC"} in fits:  # whole degrees all over are no tenths of them that differ by less than a few
        fits = [found for found in fits if found.get("offset") != _FREEZING]
    told = in_unit_of(kind, artifact, values[0])
    evidence = [] if told is None else [range_evidence(artifact, told, kind)]
    if len(fits) > 1:
        all_of_them = " or ".join(_factor(one) for one in fits)
        evidence.append(Evidence("scale", "one factor", f"{all_of_them} would make all values possible", "measured"))
        cause = "scale_missing" if any("scale" in one for one in fits) else "unit_wrong"
        return Finding(cause, tuple(evidence), {"choices": tuple(fits)})
    if not fits:
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
    if "unit" in convention:
        return f"the unit {convention['unit']}"
    return f"times {convention['scale']:g}" + (f" {convention['offset']:+g}" if convention["offset"] else "")


def _conventions(artifact: Artifact, kind: QuantityKind, samples: Sequence[Values]) -> Iterator[dict[str, Any]]:
    """Units and scalings in use for a quantity, other than what is said of the file."""
    temperature = kind.unit == "K" and (kind.range[0] or 0.0) >= 50
    declared = artifact.fact("unit") or kind.unit
    one_byte = str(artifact.fact("dtype")) in _ONE_BYTE  # holds no kelvin: what remains of them looks like Celsius
    if temperature and not (one_byte and declared == "K"):
        yield from ({"unit": unit} for unit in ("K", "degC") if unit != declared)
    known = artifact.facts.known("scale")
    if (known is not None and known.value != 1) or artifact.fact("offset"):
        return
    if temperature:
        scalings: tuple[Scaling, ...] = () if one_byte else TEMPERATURE_SCALINGS
    elif "reflectance" in kind.name:
        scalings = REFLECTANCE_SCALINGS
    elif kind.unit == "1" and None not in kind.range:
        scalings = FRACTION_SCALINGS
    else:
        return
    for scaling in scalings:
        if scaling.in_use_for(artifact, kind) and scaling.may_be_of(samples):
            yield scaling.said()


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
    artifact: Artifact,
    kind: QuantityKind,
    usual: tuple[float, float] | None,
) -> bool:
    """Whether a convention makes the values of every sample usual ones, of which not all are next to nothing, nor all
    the same."""
    import numpy as np

    low, high = kind.range
    if usual is not None:
        low, high = max(low if low is not None else usual[0], usual[0]), min(high or usual[1], usual[1])
    ends: list[float] = []
    for values in samples:
        told = _told(convention, values, artifact, kind)
        inside = np.ones(told.shape, dtype=bool)
        if low is not None:
            inside &= told >= low
        if high is not None:
            inside &= told <= high
        if inside.mean() < 1 - FEW_OUTSIDE:
            return False
        ends += np.quantile(told, (0.01, 0.99)).tolist()
    spread = max(ends) - min(ends)
    if high is None:
        return spread > 0
    reach = max(map(abs, ends))
    return reach >= _LEAST_SPAN * high and spread >= _LEAST_SPREAD * (high - (low or 0.0))


def _told(convention: Mapping[str, Any], values: Values, artifact: Artifact, kind: QuantityKind) -> Values:
    """Values in the unit of their kind, if a convention holds."""
    import numpy as np

    if "unit" in convention:
        return np.asarray(convert(values, convention["unit"], kind.unit))
    told = in_unit_of(kind, artifact, values * convention["scale"] + convention["offset"])
    return np.full(values.shape, np.inf) if told is None else told
