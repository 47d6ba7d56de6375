"""Files that could serve as well as those a plan takes: other pixels of the same layer and time.

A folder may hold a scene in two versions, two tiles of one day, or the same index from two hands. A plan takes one of
them, or each as a date of its own; which numbers then count nothing in the answer shows, so it is told.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.spelling import says
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.grouping import layer_of
from knowflow.reason.inventory.tiles import is_of_tiles
from knowflow.reason.named_bands import length_of, variants_among

_WITHOUT_MEANING = frozenset({"digital_number", "display_value", "qa_bits"})  # these say nothing of what a file holds
_ONE_PASS = 1800  # seconds between scenes of one overpass
_SAME_GROUND = 0.9  # share of a file's extent that another one covers as well
_COMPARED = 20  # pairs of files whose pixels are compared
_MOST_NAMES = 3
Pair: TypeAlias = "tuple[Artifact, Artifact]"


def alike(plan: Plan, inventory: Inventory, goal: QueryGoal) -> tuple[str, ...]:
    """What is to be told of files of the same layer and time: that one is used of several, or several are."""
    places = {_place(leaf) for item in plan.inputs.values() for leaf in item.leaves()}
    meant = [item for item in inventory.rasters if comparable(item)]
    taken = [item for item in meant if _place(item) in places]
    others = [item for item in meant if _place(item) not in places]
    pairs = (pair for pair in _pairs(taken, others) if not variants_among(pair))  # of which the question names one
    apart = [pair for pair in _differing(pairs) if not _asked_apart(pair, goal)]
    instead = [pair for pair in apart if _of_one_ground(*pair)]
    beside = [pair for pair in apart if pair not in instead]
    both = [pair for item in plan.inputs.values() for pair in _differing(_within(item))]
    root = Path(inventory.root)
    return tuple(
        f"of the same layer and time, {what}: {_listed(pairs, root)}; {hint}"
        for pairs, what, hint in (
            (instead, "with other pixels, and not used", "point --data at what is to count"),
            (beside, "of other ground, and not used", "to have both, put them together first (tool mosaic)"),
            (both, "with other pixels, and both used", "move one away if only the other is to count"),
        )
        if pairs
    )


def comparable(item: Artifact) -> bool:
    """Whether it is known what the pixels of a file mean."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return item.type == "raster" and item.path is not None and kind is not None and kind.name not in _WITHOUT_MEANING


def _place(item: Artifact) -> Hashable:
    return item.path, item.band


def of_one_layer(item: Artifact) -> tuple[Hashable, ...]:
    """What files of one layer have in common, whatever their date."""
    return (*layer_of(item), item.fact("resolution"))


def _layer(item: Artifact) -> Hashable:
    """What files of one layer, day and length of time have in common."""
    return (str(item.fact("datetime") or "")[:10], length_of(item), *of_one_layer(item))


def _one_name(one: Artifact, other: Artifact) -> bool:
    """Whether their names call two files the same layer; what no grammar reads is no layer's name."""
    layers = [layer for item in (one, other) if (layer := item.known("layer")) and layer.source != "file name"]
    return len({str(layer.value).casefold() for layer in layers}) < 2


def _pairs(taken: Iterable[Artifact], others: Iterable[Artifact]) -> Iterator[Pair]:
    """Each of the others with the first of those taken that it is of one layer and time with."""
    by_layer: dict[Hashable, list[Artifact]] = {}
    for item in taken:
        by_layer.setdefault(_layer(item), []).append(item)
    for other in others:
        found = next(
            (one for one in by_layer.get(_layer(other), ()) if _one_name(one, other) and _one_time(one, other)), None
        )
        if found is not None:
            yield found, other


def _within(item: Artifact) -> Iterator[Pair]:
    """Files of one layer and moment among the items of a series."""
    first: dict[Hashable, Artifact] = {}
    for leaf in _rasters_of(item) if item.items else ():
        if comparable(leaf) and leaf.fact("datetime") is not None:
            other = first.setdefault((_layer(leaf), leaf.fact("datetime")), leaf)
            if _place(other) != _place(leaf) and _one_name(other, leaf):
                yield other, leaf


def _rasters_of(item: Artifact) -> Iterator[Artifact]:
    """The single rasters of a composite; of one that is made of tiles the first of them."""
    if is_of_tiles(item):
        yield next(item.leaves())
        return
    for part in item.parts():
        yield from _rasters_of(part)
    if not item.parts():
        yield item


def _one_time(one: Artifact, other: Artifact) -> bool:
    """Whether two files of one day are of one overpass, as far as they say it."""
    times = [str(item.fact("datetime") or "") for item in (one, other)]
    if any(len(time) <= 10 for time in times):
        return True
    first, second = map(datetime.fromisoformat, times)
    return abs((first - second).total_seconds()) <= _ONE_PASS


def _asked_apart(pair: Pair, goal: QueryGoal) -> bool:
    """Whether the question names the region of the one that is taken, and not that of the other."""
    taken, other = (str(item.fact("region") or "") for item in pair)
    return taken.casefold() != other.casefold() and says(goal.text, taken) and not says(goal.text, other)


def _of_one_ground(one: Artifact, other: Artifact) -> bool:
    """Whether one covers what the other does; without a place in both, they are taken to be of the same."""
    boxes = [geo.lonlat_box(item) for item in (one, other)]
    if boxes[0] is None or boxes[1] is None:
        return True
    west, south, east, north = boxes[1]
    shared = max(0.0, min(east, boxes[0][2]) - max(west, boxes[0][0])) * max(
        0.0, min(north, boxes[0][3]) - max(south, boxes[0][1])
    )
    return shared >= _SAME_GROUND * (east - west) * (north - south)


def _differing(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs whose pixels differ; of many the first are looked at, and the others taken to differ."""
    for number, (one, other) in enumerate(pairs):
        if number >= _COMPARED or not same_pixels(one, other):
            yield one, other


def same_pixels(one: Artifact, other: Artifact) -> bool:
    """Whether two files hold the same numbers at the same places, as far as a sample tells."""
    import numpy as np

    from knowflow.tools.raster import sample_windows

    if one.fact("grid") is None or one.fact("grid") != other.fact("grid"):
        return False
    try:
        windows = zip(sample_windows(one), sample_windows(other), strict=True)
        return all(np.array_equal(a, b, equal_nan=True) for a, b in windows)
    except KnowFlowError:
        return False


def _listed(pairs: list[Pair], root: Path) -> str:
    told: Mapping[Any, None] = dict.fromkeys(
        f"{shown(other, root)} (beside {shown(one, root)})" for one, other in pairs
    )
    more = len(told) - _MOST_NAMES
    return ", ".join(list(told)[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def shown(item: Artifact, root: Path) -> str:
    """The path of a file as seen from its folder."""
    path = Path(item.path or "")
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
