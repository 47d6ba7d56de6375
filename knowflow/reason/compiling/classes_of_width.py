"""Classes of one width: which of them may occur, by the pixels of the files, else by what is physically possible."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from pathlib import Path

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.opening import open_data
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.references import is_reference
from knowflow.ground.units import convert, in_a_sentence
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Classify
from knowflow.question.types import Measure
from knowflow.reason.compiling.made import Made, refuse

_MOST = 250
"""Classes that one map tells apart."""
_ROUNDING = 1e-9

Ends = tuple[float, float]


def of_one_width(e: Classify, x: Made) -> Classify:
    """The classes with their breaks and labels, as many as may occur.

    Raises:
        NotCompiledError: the width is too small for the values, or nothing tells how far these reach.
    """
    assert e.width is not None
    measure, width = x.type.measure, e.width
    ends = [_ends(item.bound.known, e.unit, measure) for item in x.items.values()]
    known = [one for one in ends if one is not None]
    if not ends or len(known) < len(ends):
        raise refuse(e, "numbers of which nobody says how far they reach", "state the breaks and what they are called")
    low, high = min(one for one, _ in known), max(one for _, one in known)
    first, last = math.floor(low / width + _ROUNDING), math.floor(high / width + _ROUNDING)
    if last - first >= _MOST:
        needed = f"at most {_MOST}: a width above {(high - low) / _MOST:.2g} {e.unit}"
        raise refuse(e, f"{last - first + 1} classes of {width:g} {e.unit}", needed)
    limits = [round(number * width, 12) for number in range(first, last + 2)]
    said = "" if e.unit == "1" else f" {in_a_sentence(e.unit)}"
    names = [f"{a:.12g} to {b:.12g}{said}" for a, b in pairwise(limits)]
    return Classify(e.x, tuple(limits[1:-1]), tuple(names), e.unit)


def _ends(item: Artifact, unit: str, measure: Measure) -> Ends | None:
    """The smallest and the largest number that a raster may have, in a unit; None where nothing tells both."""
    ends, own = _seen(item), str(item.fact("unit") or measure.unit)
    if ends is None and not measure.change and (kind := quantity_kinds().get(str(item.fact("quantity")))) is not None:
        low, high = kind.range
        ends, own = None if low is None or high is None else (low, high), kind.unit
    if ends is None:
        return None
    a, b = (float(convert(one, own, unit, difference=measure.change)) for one in ends)
    return min(a, b), max(a, b)


def _seen(item: Artifact) -> Ends | None:
    """The extremes of the pixels of a file that lies here, scaled; None of any other."""
    import numpy as np
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    if item.path is None or is_reference(str(item.path)):
        return None
    nodata, valid, ends = item.fact("nodata"), item.fact("valid_range"), []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with open_data(Path(str(item.path))) as dataset:
                for _, window in dataset.block_windows(item.band or 1):
                    values = dataset.read(item.band or 1, window=window, masked=True).compressed()
                    known = np.isfinite(values) if nodata is None else np.isfinite(values) & (values != nodata)
                    if valid is not None:  # what lies beyond are codes
                        known &= (values >= valid[0]) & (values <= valid[1])
                    kept = values[known]
                    ends += [float(kept.min()), float(kept.max())] if kept.size else []
    except (KnowFlowError, RasterioError, OSError):
        return None
    scale, offset = item.fact("scale") or 1.0, item.fact("offset") or 0.0
    physical = [one * scale + offset for one in ends]
    return (min(physical), max(physical)) if physical else None
