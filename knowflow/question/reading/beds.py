"""What is deep where the data tell how high the bed of water lies, not how deep that is: the deepest is the lowest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import LIKELIER
from knowflow.question.reading.vocabulary import DataWords

_DEPTH, _HEIGHTS = "bathymetry", ("topobathymetry", "elevation")
_BEDS = frozenset(
    {"bed", "bottom", "floor", "seabed", "seafloor", "bathy", "bathymetry", "topobathy", "topobathymetry"}
)
_ROUND = {"highest": "lowest", "lowest": "highest"}


def of_beds(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """``the deepest bed level``, ``the shallowest spot``, of heights: their lowest and highest. Other words of depths
    stay those of what is not held: how far it is down to the bed is counted from a surface that such data do not tell.
    """
    bed = _bed_of(data)
    for one in found:
        if bed is None or one.symbol != "RANKED" or one.value[0] != _DEPTH:
            yield one
        else:
            yield replace(one, value=(bed, _ROUND[one.value[1]]))


def _bed_of(data: DataWords) -> str | None:
    """The heights of the data that are those of the bed of water, where they hold no depths."""
    held = [kind for kind in _HEIGHTS if kind in data.quantities and _DEPTH not in data.quantities]
    called = [kind for kind in held if any(of == kind and not _BEDS.isdisjoint(words) for of, words in data.called)]
    return called[0] if called else None


def above_the_sea(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """``in m above sea level``: the unit of a height, where no limit is told and the data hold no depths."""
    numbers = {one.end for one in found if one.symbol == "NUM"}
    for unit in found:
        if unit.symbol == "UNIT" and unit.start not in numbers and _DEPTH not in data.quantities:
            ends = {one.end for one in found if one.symbol == "above_sea" and one.start == unit.end}
            yield from (replace(unit, end=end, cost=LIKELIER) for end in ends)
