"""A case as a relation sees it: a folder, what is asked about it, and the chance that its seed decides."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowflow.model.template import Scene

SUFFIX = ".tif"
EXACT = 1e-9
"""The same pixels and the same arithmetic, if in another order."""
ROUNDED = 2e-6
"""Numbers that were stored in another way, and rounded to the 24 bits of float32 once more."""


@dataclass(frozen=True)
class Asked:
    """A question: its sentence (or the title of its template), parameters, and area of interest."""

    template: str
    query: str | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    aoi: str | None = None


@dataclass
class Site:
    """A written scene with what is asked about it. A relation changes the folder, and may put another question."""

    folder: Path
    scene: Scene
    asked: Asked
    chance: random.Random

    @property
    def quantities(self) -> frozenset[str]:
        return frozenset(layer.quantity for layer in self.scene.layers)


def _anything(site: Site) -> str:
    return ""


@dataclass(frozen=True)
class Relation:
    """One thing that may change.

    ``change`` rewrites the folder of ``site`` in place and gives the question to ask then. ``not_of`` says why the
    relation does not hold for a case, in words; empty where it does. ``tolerance`` is relative to the size of what is
    compared. ``base`` changes the folder and question that the answer is compared with, where that is not as they are.
    ``moved`` gives the map coordinates of the changed folder for those of the one compared with. ``back`` gives a text
    of the changed folder's answer as the other folder would have told it. ``may_refuse`` gives codes of refusals that
    the change itself makes right, with the reason.
    """

    name: str
    same: str
    change: Callable[[Site], Asked]
    tolerance: float = EXACT
    not_of: Callable[[Site], str] = _anything
    base: Callable[[Site], Asked] | None = None
    moved: tuple[float, float] = (0.0, 0.0)
    back: Callable[[str], str] | None = None
    may_refuse: Mapping[str, str] = field(default_factory=dict)
    maps: bool = True
    """Whether maps lie on grids of which one is in the other, so that they can be compared at pixels."""
    numbered: bool = True
    """Whether patches have the same numbers: they are counted from the first row on, and where rows run another way,
    another one is met first."""
    columns: tuple[str, ...] = ()
    """Columns of tables that count pixels, or are of all of them, where there are other pixels."""
