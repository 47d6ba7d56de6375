"""When a raster may be of whose file tells no date: candidates from the folder's name and from the files beside it.

None is a fact: a folder of one flood holds its terrain as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.dates import told_time
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.layers import Open
from knowflow.reason.inventory.name_dates import dates_in

_OF_FOLDER, _BESIDE = 0.25, 0.2  # what these weigh
_MOST = 5  # dates of the files beside it, the most usual first
_LASTING = frozenset({"terrain"})  # families of what has no date


def with_dates_beside(artifacts: Iterable[Artifact], left: Open, root: Path) -> Open:
    """What is open of layers, with candidates for the date of those rasters that tell none. One pass over the files."""
    rasters = [item for item in artifacts if item.type == "raster" and item.path is not None]
    undated = [item for item in rasters if not _is_dated(item, left)]
    if not undated:
        return left
    of_root = tuple(
        Candidate("datetime", told_time(span.moment, (span.first[:10], span.last)), ("the folder's name",), _OF_FOLDER)
        for one in dates_in(root.name)[1]
        for span in one.spans[:1]
        if span.moment is not None
    )
    told: dict[PurePath, Counter[str]] = {}
    for item in rasters:
        if (moment := item.fact("datetime")) is not None:
            when = told_time(str(moment)[:10], item.fact("span"))
            told.setdefault(PurePath(str(item.path)).parent, Counter())[when] += 1
    found = dict(left)
    for item in undated:
        usual = told.get(PurePath(str(item.path)).parent, Counter()).most_common(_MOST)
        beside = (Candidate("datetime", when, (f"{count} beside it",), _BESIDE) for when, count in usual)
        key = (str(item.path), item.band)
        if more := {one.value: one for one in (*beside, *of_root)}:
            found[key] = (*found.get(key, ()), *more.values())
    return found


def _is_dated(item: Artifact, left: Open) -> bool:
    """Whether a date is told, may be told, or cannot be expected."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    lasting = kind is not None and kind.family in _LASTING
    open_ = left.get((str(item.path), item.band), ())
    return lasting or bool({"datetime", "span"} & item.facts.keys()) or any(one.fact == "datetime" for one in open_)
