"""The cells of the grid: every statistic on every ground in every form that means something, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

WORDINGS = 3
OTHER = {"forest": "grassland", "high": "low"}
"""The ground that one is compared with."""
_ONLY_OTHERS = frozenset(OTHER.values())
_OF_ONE_PIXEL = ("value",)
_OF_ITS_DATES = ("mean", "median", "minimum", "maximum")
_WITH_DATES = ("year", "summer", "months", "seasons", "years", "calendar")
LIMITED = ("count", "fraction", "first", "spell", "test")


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination: a statistic of NDVI, of a ground, in a form (a grain of time, or a comparison)."""

    statistic: str
    ground: str
    form: str

    @property
    def name(self) -> str:
        """The three, for people."""
        return f"{self.statistic} / {self.ground} / {self.form}"


@cache
def _wordings() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text("utf-8"))
    return found


def cells() -> tuple[Cell, ...]:
    """All combinations that mean something: a pixel has one value on a date, and its statistics are of dates."""
    words = _wordings()
    grounds = [name for name in words["grounds"] if name not in _ONLY_OTHERS]
    every = (Cell(one, ground, form) for one in words["statistics"] for ground in grounds for form in words["forms"])
    return tuple(filter(_meant, every))


def _meant(cell: Cell) -> bool:
    if cell.form == "against" and cell.ground not in OTHER:
        return False
    if cell.ground != "point":
        return True
    several = cell.statistic in _OF_ITS_DATES and cell.form in _WITH_DATES
    return cell.statistic in _OF_ONE_PIXEL or several


def sentences(cell: Cell, limit: str) -> Iterator[str]:
    """A cell in its three wordings; ``limit`` is what its numbers are compared with, as it is written."""
    words = _wordings()
    for place in range(WORDINGS):
        yield words["forms"][cell.form][place].format(
            np=_noun(cell.statistic, cell.ground, place),
            other=_noun(cell.statistic, OTHER.get(cell.ground, cell.ground), place),
            limit=limit,
        )


def _noun(statistic: str, ground: str, place: int) -> str:
    words = _wordings()
    where = words["grounds"][ground]
    found: str = words["statistics"][statistic][place].format(g=where["g"][place], n=where["n"][place])
    return found
