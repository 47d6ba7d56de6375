"""A glance at the pixels of layers: small windows spread over them, where no header says what has to be known.

Of layers that are alike by folder and name two are looked at, and they have to agree.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.opening import open_data
from knowflow.ground.references import is_reference
from knowflow.model.artifact import Artifact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIDE, _WINDOWS = 64, 4  # pixels of a window, and how many along each side
_OUTER = (1.0, 50.0, 99.0)  # percentiles: the bulk of the values lies between the first and the last
_MOST_CODES = 40
_MOST = 96  # groups of layers that are looked at
_DIGITS = re.compile(r"\d+")
_YES = ((1,), (0, 255), (0, 100))  # what masks hold beside 0 and 1
_FILLS = (999.0, 9999.0, 32767.0, 32768.0, 65535.0, 99999.0, 999999.0)
_HUGE = 1e19
_ALL, _FLAGS, _MOST_FLAGS, _FEWEST_SHARES = 100, 200, 12, 20
_ALIKE = ("quantity", "unit", "dtype", "layer", "scale", "count")


@dataclass(frozen=True, slots=True)
class Look:
    """What a glance shows of a layer: ``low`` to ``high`` holds the bulk of its numbers, ``middle`` the larger half of
    them; with scale and offset where these are known.

    ``whole`` says that all numbers are whole ones, ``codes`` which, if they are few. ``physical`` says that the numbers
    are of the quantity itself: stored as decimal ones, or of a known scale.
    """

    low: float
    middle: float
    high: float
    whole: bool
    physical: bool
    codes: tuple[int, ...] = ()

    @property
    def top(self) -> float:
        """The size of the largest numbers."""
        return max(abs(self.low), abs(self.high))

    @property
    def varies(self) -> bool:
        """Whether the numbers tell anything: one number all over does not."""
        return self.low < self.high or self.codes == (0, 1)

    @property
    def yes_or_no(self) -> bool:
        """Whether it may be a mask; of ones alone, as whole numbers are stored, whose zeros are missing data."""
        return self.codes == (0, 1) or (self.codes in _YES and not self.physical)

    def times(self, scale: float) -> Look:
        """What it would show by a scale."""
        return Look(self.low * scale, self.middle * scale, self.high * scale, False, True)

    def merged(self, other: Look) -> Look:
        codes = tuple(sorted({*self.codes, *other.codes})) if self.codes and other.codes else ()
        low, high, middle = min(self.low, other.low), max(self.high, other.high), (self.middle + other.middle) / 2
        return Look(low, middle, high, self.whole, self.physical, codes)


def looks(items: Sequence[Artifact]) -> dict[int, Look]:
    """What a glance shows of each raster, by the ``id`` of the artifact; nothing of what shows no or but one number."""
    found: dict[int, Look] = {}
    for alike in _alike(items)[:_MOST]:
        ends = {id(one): one for one in (alike[0], alike[-1])}.values()
        seen = [_look(one) for one in ends]
        shown = [one for one in seen if one is not None]
        if shown and len(shown) == len(seen):
            merged = shown[0] if len(shown) == 1 else shown[0].merged(shown[1])
            found |= {id(item): merged for item in alike}
    return found


def _alike(items: Sequence[Artifact]) -> list[list[Artifact]]:
    """Rasters of one folder, whose names differ in numbers only."""
    groups: dict[Hashable, list[Artifact]] = {}
    for item in items:
        if item.type == "raster" and item.path is not None:
            path = PurePath(item.path)
            same = tuple(str(item.fact(name)) for name in _ALIKE)
            groups.setdefault((path.parent, _DIGITS.sub("#", path.stem), same, item.band), []).append(item)
    return list(groups.values())


def _look(item: Artifact) -> Look | None:
    import numpy as np

    values = _without_flags(_without_fill(glance(item)), str(item.fact("dtype")))
    if not values.size:
        return None
    decimal = values.dtype.kind == "f"
    whole = not decimal or bool(np.array_equal(values, np.rint(values)))
    codes = np.unique(values) if whole else np.zeros(0)
    few = tuple(int(code) for code in codes) if len(codes) <= _MOST_CODES else ()
    low, middle, high = (float(number) for number in np.percentile(values.astype(np.float64), _OUTER))
    if low == high and few not in ((1,), (0, 1)):  # one number all over
        return None
    scale, offset = item.fact("scale"), item.fact("offset") or 0.0
    ends = sorted(number * (scale or 1.0) + offset for number in (low, high))
    return Look(ends[0], middle * (scale or 1.0) + offset, ends[1], whole, decimal or scale is not None, few)


def _without_fill(values: NDArray[np.number[Any]]) -> NDArray[np.number[Any]]:
    """Numbers without the usual marks of missing data that a header does not declare."""
    import numpy as np

    if not values.size or np.abs(values[[values.argmin(), values.argmax()]].astype(np.float64)).max() < min(_FILLS):
        return values
    sizes = np.abs(values.astype(np.float64))
    return np.asarray(values[~np.isin(sizes, _FILLS) & (sizes < _HUGE)])


def _without_flags(values: NDArray[np.number[Any]], dtype: str) -> NDArray[np.number[Any]]:
    """Shares in per cent of 8 bits without the flags of a product above them: 250 for cloud."""
    import numpy as np

    if dtype != "uint8" or not values.size or values.max() < _FLAGS:
        return values
    flags = values >= _FLAGS
    shares = values[~flags]
    few = len(np.unique(values[flags])) <= _MOST_FLAGS
    return (
        shares if few and shares.size and len(np.unique(shares)) >= _FEWEST_SHARES and shares.max() <= _ALL else values
    )


def glance(item: Artifact) -> NDArray[np.number[Any]]:
    """Stored numbers of a raster, or of its first band, without those that mark missing data; none of what cannot be
    read."""
    import numpy as np
    from rasterio import Env
    from rasterio.errors import NotGeoreferencedWarning, RasterioError
    from rasterio.windows import Window

    if is_reference(str(item.path)):  # planning reads headers alone, whether pixels have been fetched or not
        return np.zeros(0)
    parts = []
    try:
        with warnings.catch_warnings(), Env(GDAL_DISABLE_READDIR_ON_OPEN="TRUE"):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with open_data(Path(str(item.path))) as dataset:
                for row, column in _corners(dataset.height, dataset.width):
                    window = Window(column, row, min(_SIDE, dataset.width - column), min(_SIDE, dataset.height - row))
                    parts.append(dataset.read(item.band or 1, window=window).ravel())
    except (KnowFlowError, RasterioError, OSError):
        return np.zeros(0)
    values = np.concatenate(parts)
    nodata = item.fact("nodata")
    kept = np.isfinite(values) if nodata is None else np.isfinite(values) & (values != nodata)
    if (valid := item.fact("valid_range")) is not None:
        kept &= (values >= valid[0]) & (values <= valid[1])
    return np.asarray(values[kept])


def _corners(height: int, width: int) -> Iterator[tuple[int, int]]:
    for row in range(0, height, max(_SIDE, height // _WINDOWS)):
        for column in range(0, width, max(_SIDE, width // _WINDOWS)):
            yield row, column
