"""What the values of a raster tell of themselves: whether they can be what their quantity, unit and scale say.

A sample of the pixels is compared with the physical range of the quantity kind, with the numbers that producers use
for missing data, and with what a scale is for. What could explain values that cannot be right is in ``conventions``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.model.facts import Origin
from knowflow.reason.repair.masks import Numbers, of_mask
from knowflow.reason.repair.samples import Counts, Finding, Sample, in_unit_of, marker_of, stored_number
from knowflow.reason.repair.spikes import FEWEST, flags, spikes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

# the fill value of the vegetation indices of MODIS and VIIRS (MOD13, VNP13), the valid range that lies above it, and
# the scale with which it would be a possible index
INDEX_FILL, INDEX_RANGE, INDEX_SCALE = -3000.0, (-2000.0, 10000.0), 1e-4
FEW_OUTSIDE = 0.001  # share of values outside the physical range that is put down to noise
_MANY_OUTSIDE = 0.1  # from this share on, unit or scale are suspected rather than single pixels
_NOISE = 0.02  # share of values up to which impossible ones are single pixels to be left out
_SATURATED = 0.05  # share of pixels at the end of the data type from which a scene counts as saturated
_DARKEST = -0.05  # reflectance below which only few pixels lie, whatever a correction of the atmosphere does to them
_STRAY = 0.1  # of the range of a quantity: so far outside single values are asked about
_FINE = 0.005  # a scale of stored integers: coarser ones may belong to decimal numbers


def implausible(artifact: Artifact, sample: Sample, others: Collection[Numbers] = ()) -> Finding | None:
    """What is wrong with the values of a raster of a known quantity, or None where nothing is.

    ``others`` are the numbers of the masks of its kind, from which more can be seen than from one alone.
    """
    if sample.infinite:
        share = sample.infinite / sample.total
        evidence = Evidence("infinite values", "finite numbers", f"{share:.2%} of the pixels", "measured")
        found = {"share": share} | ({"infinite": share} if share <= _NOISE else {})
        return Finding("not_finite", (evidence,), found, certain=True)
    if not sample.size:
        return None
    kind, every = quantity_kinds().get(artifact.fact("quantity") or ""), sample.counts
    if kind is not None and kind.family == "mask" and artifact.fact("unit") in (None, "1"):
        return of_mask(artifact, sample, others)
    if kind is not None and (indices := _indices_of_colours(artifact, kind)) is not None:
        return indices
    spike = _spike(artifact, every, kind)
    if spike is not None or kind is None:
        return spike
    if (flagged := flags(artifact, every, kind)) is not None:
        return flagged
    told = in_unit_of(kind, artifact, every.numbers)
    if told is None:
        return _of_something_else(kind, artifact)
    share = every.share(_outside(told, kind))
    if (scaled := _scaled_already(artifact, sample, kind, share)) is not None:
        return scaled
    if share <= FEW_OUTSIDE and not _far_outside(told, kind):
        return _below_black(told, every, kind)
    shown = _range_evidence(artifact, told, share, kind)
    if share >= _MANY_OUTSIDE:
        return Finding("values_implausible", (shown,), {"share": share}, others=("unit_wrong", "scale_missing"))
    found = {"share": share} | ({"outliers": share} if share <= _NOISE else {})
    return Finding("values_implausible", (shown,), found, others=("nodata_undeclared",))


def _indices_of_colours(artifact: Artifact, kind: QuantityKind) -> Finding | None:
    """Numbers of a colour table that are said to be measured: what 17 stands for, the colours tell, and no mean. Who
    says quantity or scale of the file, knows that they are measured and coloured for show only."""
    quantity = artifact.known("quantity")
    said = artifact.known("scale") is not None or (quantity is not None and quantity.origin is Origin.USER)
    if not artifact.fact("palette") or said or not kind.continuous or kind.name == "display_value":
        return None
    evidence = Evidence(f"numbers of {artifact.name or kind.name}", kind.title, "indices of a colour table", "measured")
    return Finding("quantity_wrong", (evidence,), {"choices": ({"quantity": kind.name},)})


def _scaled_already(artifact: Artifact, sample: Sample, kind: QuantityKind, share: float) -> Finding | None:
    """Numbers with decimals under a scale of stored integers, that are possible only as they stand: somebody applied
    the scale and left it in the header. ``share`` of them is impossible under it."""
    import numpy as np

    scale, offset = artifact.fact("scale") or 1.0, artifact.fact("offset") or 0.0
    low, high = kind.range
    if scale == 1 or not str(artifact.fact("dtype") or "").startswith("float") or low is None or high is None:
        return None
    stored = (sample.values - offset) / scale
    decimals = float((np.abs(stored - np.round(stored)) > 1e-3).mean())
    if decimals < 0.5 or (share < _MANY_OUTSIDE and abs(scale) > _FINE):
        return None
    if float(_outside(stored, kind).mean()) > FEW_OUTSIDE or float(np.quantile(np.abs(stored), 0.99)) < 0.01 * high:
        return None
    shown = f"as they stand they are {stored.min():.6g}..{stored.max():.6g}, {decimals:.0%} of them with decimals"
    evidence = Evidence(f"stored numbers under a scale of {scale:g}", "whole numbers", shown, "measured")
    return Finding("scale_wrong", (evidence,), {"scale": 1.0, "offset": 0.0}, certain=True, others=("scale_missing",))


def _below_black(told: Values, every: Counts, kind: QuantityKind) -> Finding | None:
    """Reflectance of many pixels below zero, by more than a correction of the atmosphere is wrong."""
    if "bidirectional_reflectance" not in kind.name:
        return None
    share = every.share(told < _DARKEST)
    if share < _MANY_OUTSIDE:
        return None
    shown = f"{told.min():.6g}..{told.max():.6g}, {share:.0%} of the pixels below {_DARKEST:g}"
    evidence = Evidence(
        f"values as {kind.name}", "hardly any below 0: nothing reflects less than nothing", shown, "measured"
    )
    return Finding("values_implausible", (evidence,), {"share": share}, others=("scale_missing",))


def _of_something_else(kind: QuantityKind, artifact: Artifact) -> Finding | None:
    """A temperature that is said to be a length, and a pure number that is said to have a dimension."""
    unit = str(artifact.fact("unit"))
    if kind.may_be_in(unit):
        return None
    shown = Evidence("unit", f"one of {kind.title}, such as {kind.unit}", unit, "declared")
    return Finding("unit_mismatch", (shown,), certain=True, others=("unit_wrong", "quantity_wrong"))


def saturated(artifact: Artifact, sample: Sample) -> Finding | None:
    """Many pixels at the largest number that the data type holds; what they really were is lost."""
    import numpy as np

    kind = str(artifact.fact("dtype") or "")
    if not sample.size or not kind.startswith(("int", "uint")):
        return None
    every = sample.counts
    top, share = stored_number(artifact, float(every.numbers[-1])), int(every.counts[-1]) / every.size
    if top < np.iinfo(kind).max or share < _SATURATED:
        return None
    shown = Evidence(f"pixels at {top:g}, the largest {kind}", "few", f"{share:.0%}", "measured")
    return Finding("saturated", (shown,), {"share": share})


def _documented_fill(artifact: Artifact, every: Counts, kind: QuantityKind | None) -> Finding | None:
    """Pixels of a vegetation index at the fill value that its producer documents, which reads as an index once it is
    scaled: -3000 as -0.3. All others are in the valid range of the product; a pixel or two may be water."""
    import numpy as np

    whole = str(artifact.fact("dtype") or "").startswith(("int", "uint"))
    if kind is None or not whole or kind.family != "index" or kind.unit != "1":
        return None
    scale, offset = artifact.fact("scale") or 1.0, artifact.fact("offset") or 0.0
    stored = np.round((every.numbers - offset) / scale)
    fill = stored == INDEX_FILL
    rest = stored[~fill]
    if scale not in (1.0, INDEX_SCALE) or offset or not fill.any() or not rest.size:
        return None
    low, high = INDEX_RANGE
    if every.counts[fill].sum() < FEWEST or rest.min() < low or rest.max() > high or np.abs(rest).max() <= 1:
        return None
    share = every.share(fill)
    what = f"the value {INDEX_FILL:g}"
    evidence = (
        Evidence(
            what, "", f"{share:.2%} of the pixels hold it, all others are {rest.min():g} to {rest.max():g}", "measured"
        ),
        Evidence(what, "", f"the fill value of indices that are stored with the scale {INDEX_SCALE:g}", "convention"),
    )
    return Finding("nodata_undeclared", evidence, {"nodata": INDEX_FILL, "share": share}, certain=True)


def _spike(artifact: Artifact, every: Counts, kind: QuantityKind | None) -> Finding | None:
    """One constant value, far from all others, that cannot be data: missing pixels that nobody declared."""
    documented = _documented_fill(artifact, every, kind)
    if documented is not None:
        return documented
    last = every.numbers.size - 1
    for place, next_one in ((0, 1), (last, last - 1)) if last > 0 else ():
        extreme, count = every.numbers[place], int(every.counts[place])
        rest = every.without(place, place)
        gap = float(abs(every.numbers[next_one] - extreme))
        if gap <= float(rest.numbers[-1] - rest.numbers[0]):
            continue
        stored = stored_number(artifact, float(extreme))
        marker = marker_of(stored)
        told = None if kind is None else in_unit_of(kind, artifact, every.numbers[place : place + 1])
        impossible = kind is not None and told is not None and bool(_outside(told, kind).any())
        if marker is None and not (impossible and count < rest.size and _possible_without(artifact, rest, kind)):
            continue  # where the others are impossible, too, or the fewer, something else is wrong with all of them
        if kind is not None and kind.categorical and not impossible:
            continue
        if (impossible and count >= 2) or (marker is not None and (impossible or count >= 2)):
            number = marker if marker is not None else stored
            share = count / every.size
            if share > 0.5 and number == _largest(artifact):
                shown = f"{share:.0%} of the pixels; it may mark missing data as well"
                evidence_of_end = Evidence(
                    f"{number:g}, the largest number of the type", "few pixels", shown, "measured"
                )
                return Finding("saturated", (evidence_of_end,), {"share": share}, others=("nodata_undeclared",))
            what = f"the value {number:g}"
            shown = f"{share:.2%} of the pixels hold it, {gap:g} away from all others"
            evidence = [Evidence(what, "no such constant", shown, "measured")]
            if marker is not None:
                evidence.append(Evidence(what, "", "producers use this number for missing data", "convention"))
            if impossible and kind is not None:
                evidence.append(Evidence(kind.name, _possible(kind), f"{extreme:g}", "measured"))
            return Finding("nodata_undeclared", tuple(evidence), {"nodata": number, "share": share}, certain=impossible)
    return None


def doubtful(artifact: Artifact, sample: Sample) -> tuple[Finding, ...]:
    """What values may be that are not wrong for certain: missing data that nobody declared, saturated, disturbed."""
    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    if kind is None or not sample.size:
        return ()
    return (*spikes(artifact, sample.counts, kind), *_stray(artifact, sample.counts, kind))


def _stray(artifact: Artifact, every: Counts, kind: QuantityKind) -> Iterator[Finding]:
    """Single values clearly outside the physical range, too few to be refused: one of them is a maximum."""
    told, (low, high) = in_unit_of(kind, artifact, every.numbers), kind.range
    if told is None or low is None or high is None:
        return
    beyond = _STRAY * (high - low)
    beside = (told < low - beyond) | (told > high + beyond)
    stray, pixels = told[beside], int(every.counts[beside].sum())
    if pixels:
        shown = f"{stray.min():.4g}" if pixels == 1 else f"{stray.min():.4g} to {stray.max():.4g}"
        evidence = Evidence(f"{pixels} of {every.size} pixels looked at hold", _possible(kind), shown, "measured")
        yield Finding("values_implausible", (evidence,), {"share": pixels / every.size})


def _largest(artifact: Artifact) -> float | None:
    """The largest number of an unsigned integer type, at which sensors saturate."""
    import numpy as np

    kind = str(artifact.fact("dtype") or "")
    return float(np.iinfo(kind).max) if kind.startswith("uint") else None


def _possible_without(artifact: Artifact, rest: Counts, kind: QuantityKind | None) -> bool:
    """Whether the values beside a spike are possible ones."""
    told = None if kind is None else in_unit_of(kind, artifact, rest.numbers)
    return kind is not None and told is not None and rest.share(_outside(told, kind)) <= _NOISE


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


def range_evidence(artifact: Artifact, told: Values, kind: QuantityKind) -> Evidence:
    return _range_evidence(artifact, told, float(_outside(told, kind).mean()), kind)


def _range_evidence(artifact: Artifact, told: Values, outside: float, kind: QuantityKind) -> Evidence:
    shown = f"{told.min():.6g}..{told.max():.6g} {kind.unit}, {outside:.1%} of them impossible"
    return Evidence(f"values of {artifact.name or kind.name} as {kind.name}", _possible(kind), shown, "measured")
