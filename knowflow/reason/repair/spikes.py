"""Numbers that stand alone inside of what is possible: missing data, flags, saturation.

Measured numbers hardly repeat and have neighbours. One exact number that many pixels hold, with nothing near it, was
put there: for missing data, as a flag, or where something was cut off. Which of these it was is often not to be seen,
and then it is told, with what the mean is without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowflow.ground.quantities import QuantityKind
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Evidence
from knowflow.reason.repair.samples import Counts, Finding, marker_of, stored_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

FEWEST = 5  # pixels of one number that are no chance
_FEW = 0.005  # share of the pixels from which a number that stands alone is told
_MANY = 0.2  # share of the smallest or largest number that is asked about wherever the others lie
_RARE = 0.05  # share of the others that the commonest of them may have: measured numbers hardly repeat
_OFTENER = 5.0  # times as often as any other: a number that was put among its neighbours
_WIDE = 0.05  # of the range of the others: a gap without any number
_WIDER = 2.0  # times as wide as any gap between the others
_BULK = 0.01  # share of the pixels at either end that may be scattered
_MOST_FLAGS = 6  # numbers that stand together at one end
_MEASURED = frozenset({"index", "radar", "radiometry", "temperature"})  # in these families zero is nothing special
_COUNTED = frozenset({"digital_number", "display_value", "downward_shortwave_flux"})  # but these: black, or night
_NEVER_ZERO = frozenset({"radar", "radiometry", "temperature"})  # families of which hardly a pixel is 0 exactly


def spikes(artifact: Artifact, every: Counts, kind: QuantityKind) -> Iterator[Finding]:
    """Numbers that may be missing data which nobody declared; the mean with them and without is told."""
    measured = kind.family in _MEASURED or kind.name == "elevation"
    if not kind.continuous or not measured or kind.name in _COUNTED:
        return
    if every.numbers.size < 3:
        return
    alone = [place for end in (0, -1) for place in _alone(every, end)]
    for place in dict.fromkeys((*alone, *_at_ends(every, kind), *_zero_among_others(every, kind))):
        number, top = stored_number(artifact, float(every.numbers[place])), place == every.numbers.size - 1
        others, share = every.without(place, place), float(every.counts[place]) / every.size
        if not _is_chosen(number) and (top or share <= _MANY):
            continue  # a field that is green all over, a lake
        what = ", the largest: saturated, or cut off there" if top else ""
        pixels = f"{share:.0%}" if share >= 0.095 else f"{share:.1%}"
        shown = Evidence(f"{pixels} of the pixels", "", f"the value {number:g}{what}", "measured")
        means = Evidence("mean", "", f"{every.mean():.4g} with them, {others.mean():.4g} without", "measured")
        yield Finding("nodata_undeclared", (shown, means), {"nodata": number, "share": share})


def flags(artifact: Artifact, every: Counts, kind: QuantityKind) -> Finding | None:
    """Several numbers at the end of an integer type, apart from all others: what was measured does not end in two."""
    import numpy as np

    dtype, declared = str(artifact.fact("dtype") or ""), artifact.fact("nodata")
    if not kind.continuous or not dtype.startswith(("int", "uint")) or kind.name in _COUNTED:
        return None
    if every.numbers.size < 3 or stored_number(artifact, float(every.numbers[-1])) < np.iinfo(dtype).max - _MOST_FLAGS:
        return None
    group = [stored_number(artifact, float(every.numbers[place])) for place in _alone(every, -1)]
    end = float(np.iinfo(dtype).max)
    marks = {*group, end} if declared == end else set(group)
    if not group or marks != {end - back for back in range(len(marks))} or len(marks) < 2:
        return None
    share = float(every.counts[-len(group) :].sum()) / every.size
    listed = " and ".join(f"{number:g}" for number in sorted(group))
    what = f"the value{'s' if len(group) > 1 else ''} {listed}"
    evidence = (
        Evidence(what, "", f"{share:.2%} of the pixels, with nothing measured near", "measured"),
        Evidence(what, "", f"the last numbers of {dtype}: producers use them as flags", "convention"),
    )
    found = {"nodata": min(group), "last": max(group), "share": share}
    return Finding("nodata_undeclared", evidence, found)


def _hardly_repeat(every: Counts) -> bool:
    return every.size > 0 and bool(every.counts.max() <= max(_RARE * every.size, 1))


def _bulk(every: Counts) -> Values:
    """The numbers without the few pixels at either end."""
    import numpy as np

    below = np.cumsum(every.counts)
    inside = (below > _BULK * every.size) & (below - every.counts < (1 - _BULK) * every.size)
    return every.numbers[inside]


def _alone(every: Counts, end: int) -> list[int]:
    """The places of numbers at one end (0, -1) that many pixels hold each, with a wide gap to all others."""
    import numpy as np

    size = every.numbers.size
    for count in range(1, min(_MOST_FLAGS, size - 2) + 1):
        places = list(range(count)) if end == 0 else list(range(size - count, size))
        if every.counts[places].min() < FEWEST:
            return []
        rest = every.without(places[0], places[-1])
        bulk = _bulk(rest)
        gap = abs(float(every.numbers[places[-1] + 1] - every.numbers[places[-1]])) if end == 0 else 0.0
        gap = gap or abs(float(every.numbers[places[0]] - every.numbers[places[0] - 1]))
        if bulk.size < 3 or not _hardly_repeat(rest):
            continue
        widest = float(np.diff(bulk).max())
        if gap >= _WIDE * float(bulk[-1] - bulk[0]) and gap >= _WIDER * widest:
            return places if every.counts[places].sum() >= _FEW * every.size else []
    return []


def _at_ends(every: Counts, kind: QuantityKind) -> Iterator[int]:
    """The smallest and the largest number, where a large share of the pixels hold it and the others hardly repeat; of
    ground the lowest is the sea."""
    if kind.family not in _MEASURED:
        return
    for place in (0, every.numbers.size - 1):
        if every.counts[place] > _MANY * every.size and _hardly_repeat(every.without(place, place)):
            yield place


def _zero_among_others(every: Counts, kind: QuantityKind) -> Iterator[int]:
    """Zero, where far more pixels hold it than any other number, and it is not where an index was cut off."""
    import numpy as np

    place = int(np.searchsorted(every.numbers, 0.0))
    if place == every.numbers.size or every.numbers[place] != 0:
        return
    others, count = every.without(place, place), int(every.counts[place])
    inside = every.counts[:place].sum() >= _FEW * every.size and every.counts[place + 1 :].sum() >= _FEW * every.size
    often = count >= max(FEWEST, _FEW * every.size, _OFTENER * int(others.counts.max()))
    if often and _hardly_repeat(others) and (inside or kind.family in _NEVER_ZERO):
        yield place


def _is_chosen(number: float) -> bool:
    """Whether somebody would write such a number for missing data, or cut others off there: a round one, the largest
    of so many bits, one that producers use."""
    of_bits = number > 0 and float(number + 1).is_integer() and (int(number) & int(number + 1)) == 0
    return of_bits or float(f"{number:.1g}") == number or marker_of(number) is not None
