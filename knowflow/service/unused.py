"""Files of what a question is about that its plan does not take: each is told, with the reason.

What the question itself leaves out (another time, another region, another band than it names) is none of them; files of
the same layer and time as one that is taken are told by ``alike``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.file_patterns import stem_of
from knowflow.reason.inventory.grouping import TELLING_APART, mission_of
from knowflow.reason.named_bands import polarisation_of
from knowflow.service.alike import comparable, of_one_layer, shown
from knowflow.service.folder import asked_about

_MOST_NAMES = 3
_ASIDE = frozenset({"mask", "class"})  # families that only tell ground apart, unless the question is about them
_CALLED = {"daynight": "time of day", "orbit": "pass of the satellite"}
_WORD = re.compile(r"[^\W\d_]{2,}")


def unused(plan: Plan, inventory: Inventory, goal: QueryGoal) -> tuple[str, ...]:
    """What is to be told of files that look like those a plan takes, and play no part in it."""
    leaves = [leaf for item in plan.inputs.values() for leaf in item.leaves()]
    taken = {(leaf.path, leaf.band) for leaf in leaves}
    by_kind: dict[str, list[Artifact]] = {}
    for leaf in leaves:
        if comparable(leaf) and _is_meant(leaf, goal):
            by_kind.setdefault(str(leaf.fact("quantity")), []).append(leaf)
    reasons: dict[str, list[Artifact]] = {}
    meant = [item for item in asked_about(inventory, goal) if (item.path, item.band) not in taken]
    for kind, used in by_kind.items():
        of_kind = _Taken(used)
        for item in meant:
            if item.type == "raster" and item.fact("quantity") == kind and (why := of_kind.why_not(item)):
                reasons.setdefault(why, []).append(item)
    root = Path(inventory.root)
    told = [f"of the same quantity, {why}, and not used: {_listed(items, root)}" for why, items in reasons.items()]
    unread = [item for item in inventory.unidentified if (item.path, item.band) not in taken]
    return (*told, *_unread([leaf for used in by_kind.values() for leaf in used], unread, root))


def _is_meant(leaf: Artifact, goal: QueryGoal) -> bool:
    family = quantity_kinds()[str(leaf.fact("quantity"))].family
    asked = quantity_kinds().get(str(goal.value("quantity")))
    return family not in _ASIDE or (asked is not None and asked.family == family)


class _Taken:
    """What the rasters of one quantity that a plan takes are of."""

    def __init__(self, used: Sequence[Artifact]) -> None:
        self._facts: Mapping[str, set[object]] = {
            name: {raster.fact(name) for raster in used} for name in (*TELLING_APART, "region", "resolution")
        }
        self._missions = {mission_of(raster) for raster in used}
        self._polarisations = {polarisation_of(raster) for raster in used}
        self._bands = {raster.fact("bands") for raster in used}
        self._days = {_day(raster) for raster in used}
        self._of_a_day = {(_day(raster), of_one_layer(raster)) for raster in used}

    def why_not(self, item: Artifact) -> str:
        """Why a raster of that quantity is not among them; "" where it says nothing that they do not say."""
        for fact in TELLING_APART:
            if item.fact(fact) not in self._facts[fact]:
                taken = " or ".join(sorted(str(value) for value in self._facts[fact] - {None}))
                said = f"{item.fact(fact) or 'unknown'}; taken: {taken or 'unknown'}"
                return f"of another {_CALLED.get(fact, fact)} ({said})"
        if polarisation_of(item) not in self._polarisations:
            return f"of another polarisation ({str(polarisation_of(item) or 'unknown').upper()})"
        if item.fact("bands") not in self._bands or (_day(item), of_one_layer(item)) in self._of_a_day:
            return ""
        if mission_of(item) not in self._missions:
            return f"of another sensor ({mission_of(item) or 'unknown'})"
        if item.fact("region") not in self._facts["region"]:
            return f"of another region ({item.fact('region') or 'unknown'})"
        if _day(item) in self._days:
            return ""
        if not _day(item):
            return "of an unknown date"
        return "of other dates" if item.fact("resolution") in self._facts["resolution"] else "of another resolution"


def _day(raster: Artifact) -> str:
    return str(raster.fact("datetime") or "")[:10]


def _unread(used: Sequence[Artifact], unidentified: Sequence[Artifact], root: Path) -> Iterator[str]:
    """Rasters of unknown quantity whose names share a word with those of the rasters that are taken."""
    words = {word for raster in used for word in _words(raster)}
    alike = [item for item in unidentified if words & _words(item)]
    if alike:
        line = f'--assume "{stem_of(alike[0])}:quantity=VALUE"'
        yield f"what they hold is not known, and not used: {_listed(alike, root)}; say it: {line}"


def _words(raster: Artifact) -> set[str]:
    return {word.casefold() for word in _WORD.findall(PurePath(raster.path or raster.name).stem)}


def _listed(items: Sequence[Artifact], root: Path) -> str:
    names = list(dict.fromkeys(shown(item, root) for item in items))
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
