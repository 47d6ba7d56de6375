"""What is deep where the data tell how high the bed of water lies, and not how deep that is: the deepest lies lowest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowflow.question.reading.chart import Entity
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
            side = _ROUND[one.value[1]]
            yield replace(one, value=(bed, side))
            for spot in found:
                if spot.symbol == "spot" and spot.start == one.end:
                    yield Entity("POINT_OF", one.start, spot.end, (bed, f"{side}_point"))


def _bed_of(data: DataWords) -> str | None:
    """The heights of the data that are those of the bed of water, where they hold no depths."""
    held = [kind for kind in _HEIGHTS if kind in data.quantities and _DEPTH not in data.quantities]
    called = [kind for kind in held if any(of == kind and not _BEDS.isdisjoint(words) for of, words in data.called)]
    return called[0] if called else None

