"""Dates and layers that are hardly two: the same pixels under both, or dates with other ground under each.

A scene that was downloaded twice and renamed makes a change of nothing, a band under another band's name an index of
nothing; dates of unlike extent compare what lies in different places. Nothing in the answer shows it, so it is told.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.kept_rows import KeptRows, digest
from knowflow.ground.kept_values import state
from knowflow.ground.resources import state_home
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.reason.inventory.remembered import STORE, Identity, code, settled, stamps_of
from knowflow.service.alike import comparable, of_one_layer, same_pixels, shown

_MOST_READ = 400  # files of one layer of which a few windows are read
_WINDOWS = 4
_MOST_ROWS = 100_000  # of what is remembered
_LOOKED_AT = 4096  # pixels of a window among which different numbers are counted
_FEW_NUMBERS = 16  # masks and classes of two kinds may agree: the ground may be all of both
_LIKE = 0.95  # share of the ground that two dates have together
_MOST_NAMES = 3


def dates_apart(plan: Plan, root: str) -> tuple[str, ...]:
    """What is to be told of the dates that a plan takes: which hold the same pixels, and which cover other ground."""
    twice: list[str] = []
    elsewhere: list[str] = []
    digests = _Digests(plan)
    for dated in _layers(plan):
        twice += [f"{shown(two, Path(root))} (as {shown(one, Path(root))})" for one, two in _repeated(dated, digests)]
        elsewhere += [
            f"{shown(other, Path(root))} has {share:.0%} of its ground in common with {shown(first, Path(root))}"
            for first, other, share in _of_other_ground(dated)
        ]
    confused = [f"{shown(two, Path(root))} (as {shown(one, Path(root))})" for one, two in _confused(plan, digests)]
    digests.close()
    notes = []
    if confused:
        notes.append(
            f"the same pixels under the names of several layers: {_listed(confused)}; one of them is not what it says"
        )
    if twice:
        notes.append(f"the same pixels under several dates: {_listed(twice)}; each counts as a date of its own")
    if elsewhere:
        notes.append(
            f"dates of unlike extent: {_listed(elsewhere)}; what some do not cover is known of the others alone"
        )
    return tuple(notes)


def _layers(plan: Plan) -> Iterator[list[Artifact]]:
    """The rasters of each layer that a plan takes for several dates, in their order."""
    layers: dict[Hashable, dict[Hashable, Artifact]] = {}
    for item in plan.inputs.values():
        for leaf in item.leaves():
            if comparable(leaf) and leaf.fact("datetime") is not None:
                key = (*of_one_layer(leaf), leaf.fact("region"))
                layers.setdefault(key, {}).setdefault((leaf.path, leaf.band), leaf)
    for found in layers.values():
        dated = sorted(found.values(), key=lambda leaf: str(leaf.fact("datetime")))
        if len({str(leaf.fact("datetime"))[:10] for leaf in dated}) > 1:
            yield dated


def _repeated(dated: Sequence[Artifact], digests: _Digests) -> Iterator[tuple[Artifact, Artifact]]:
    """Each raster that holds the pixels of one of another day before it, with that one."""
    return (
        pair for pair in _twins(dated[:_MOST_READ], digests, several=2) if len({_day(raster) for raster in pair}) > 1
    )


def _confused(plan: Plan, digests: _Digests) -> Iterator[tuple[Artifact, Artifact]]:
    """Each raster that holds the pixels of one of another layer before it, with that one; masks and classes aside."""
    leaves = [leaf for item in plan.inputs.values() for leaf in item.leaves() if comparable(leaf)]
    rasters = sorted({(leaf.path, leaf.band): leaf for leaf in leaves}.values(), key=_day)
    if len({of_one_layer(raster) for raster in rasters}) > 1:
        for one, two in _twins(rasters[:_MOST_READ], digests, several=_FEW_NUMBERS):
            if of_one_layer(one) != of_one_layer(two):
                yield one, two


def _twins(rasters: Iterable[Artifact], digests: _Digests, several: int) -> Iterator[tuple[Artifact, Artifact]]:
    """Each raster that holds the pixels of one before it, with that one, where they hold so many numbers or more."""
    first: dict[Hashable, Artifact] = {}
    for raster in rasters:
        held, numbers = digests.of(raster)
        if numbers < several:
            continue
        one = first.setdefault((raster.fact("grid"), held), raster)
        if one is not raster and same_pixels(one, raster):
            yield one, raster


def _day(raster: Artifact) -> str:
    return str(raster.fact("datetime"))[:10]


class _Digests:
    """What a few windows of each raster of a plan hold, read once for each state of its file and of those beside it."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._begun = plan, time.time_ns()
        self._known: dict[Hashable, tuple[str, int]] = {}
        self._rows = KeptRows(state_home() / STORE, "windows", _MOST_ROWS)
        self._new: list[tuple[bytes, bytes]] = []

    @cached_property
    def _stamps(self) -> dict[Path, tuple[Identity, ...]]:
        leaves = (leaf for item in self._plan.inputs.values() for leaf in item.leaves())
        return stamps_of({Path(leaf.path) for leaf in leaves if leaf.path is not None})

    def of(self, raster: Artifact) -> tuple[str, int]:
        """A digest of a few windows, and at least how many numbers they hold (0 where they cannot be read)."""
        key = raster.path, raster.band
        if key not in self._known:
            self._known[key] = self._remembered(raster)
        return self._known[key]

    def _remembered(self, raster: Artifact) -> tuple[str, int]:
        stamp = self._stamps.get(Path(str(raster.path)), ())
        key = digest(state() + repr((code(), stamp, raster.path, raster.band, raster.facts)).encode())
        told = self._rows.told(key) if stamp else None
        if told is not None:
            words = told.decode().split()
            return words[0], int(words[1])
        found = _digest(raster)
        if stamp and found[0] and settled(stamp, self._begun):
            self._new.append((key, " ".join(map(str, found)).encode()))
        return found

    def close(self) -> None:
        """Keep what was read."""
        self._rows.close(self._new)


def _digest(raster: Artifact) -> tuple[str, int]:
    import numpy as np

    from knowflow.tools.raster import sample_windows

    found, numbers = hashlib.blake2b(digest_size=16), 0
    try:
        for values in sample_windows(raster, _WINDOWS):
            known = values[np.isfinite(values)]
            some = len(np.unique(known[:: max(1, known.size // _LOOKED_AT)]))
            numbers = max(numbers, 2 if some == 1 and bool((known != known[0]).any()) else some)
            found.update(np.where(np.isnan(values), np.inf, values).tobytes())
    except KnowFlowError:
        return "", 0
    return found.hexdigest(), numbers


def _of_other_ground(dated: Sequence[Artifact]) -> Iterator[tuple[Artifact, Artifact, float]]:
    """Each raster whose extent is another than the usual one, with one of those, and the share they have together."""
    by_grid: dict[Hashable, list[Artifact]] = {}
    for raster in dated:
        by_grid.setdefault(raster.fact("grid"), []).append(raster)
    if len(by_grid) < 2:
        return
    usual = max(by_grid.values(), key=len)[0]
    for others in by_grid.values():
        share = _together(usual, others[0])
        if share is not None and 0 < share < _LIKE:
            yield from ((usual, other, share) for other in others)


def _together(one: Artifact, other: Artifact) -> float | None:
    """The ground that two rasters share, of all that they cover; None where it is not known where they lie."""
    a, b = geo.lonlat_box(one), geo.lonlat_box(other)
    if a is None or b is None or a[0] > a[2] or b[0] > b[2]:
        return None
    shared = _size((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    whole = _size(a) + _size(b) - shared
    return shared / whole if whole else None


def _size(box: geo.Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _MOST_NAMES
    return ", ".join(listed[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
