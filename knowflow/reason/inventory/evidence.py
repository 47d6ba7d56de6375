"""What speaks for the facts of a layer, weighed: names, headers, companions and siblings give clues.

A clue names a fact, a value, who says so and how much that counts. The value of a fact that is well ahead of all
others becomes a fact; where none is, the values stay candidates, to be shown with the ``--assume`` that would settle
them.

Who reads a file gives its draft in ``scan.py`` a tuple of clues (``Draft.clues``), to which the level of the folder
adds what siblings say before all are weighed. What stayed open is kept beside the artifacts, in ``Inventory.open``:
the candidates of each layer by ``(path, band)``, as ``Artifact.path`` and ``Artifact.band`` are; a layer about which
nothing is open is not in it. Facts know what spoke for them: ``Fact.source`` joins the sources of their clues.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.literal import frozen

CERTAIN = 1.0
"""The weight of a declaration: a tag, a published name, a companion."""
ENOUGH = 0.5
"""What the clues for a value weigh together, at least, where it becomes a fact."""
SPEAKS = 0.4
"""What a clue weighs, at least, that is more than one of many things that may be."""
AHEAD = 0.25
"""How much more than those of any other value they weigh then."""


@dataclass(frozen=True, slots=True)
class Clue:
    """Something that speaks for a value of a fact.

    ``weight`` lies in 0..1: 1 is as certain as a declaration, below about 0.5 it makes a candidate only. A clue of
    origin ``ASSUMED`` (what is merely usual) counts where no other speaks of that fact, but as one of many things that
    may be.
    """

    fact: str
    value: Any
    source: str
    weight: float = CERTAIN
    origin: Origin = Origin.DECLARED

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", frozen(self.value))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that a fact may have; ``weight`` is what its clues weigh together."""

    fact: str
    value: Any
    sources: tuple[str, ...]
    weight: float

    @property
    def assumption(self) -> str:
        """What ``--assume`` takes after the pattern of the file: ``quantity=ndvi``, ``bands=[red,nir]``."""
        listed = isinstance(self.value, tuple)
        value = f"[{','.join(str(one) for one in self.value)}]" if listed else str(self.value)
        return f"{self.fact}={value}"


Weighed: TypeAlias = "tuple[Facts, tuple[Candidate, ...]]"


def weigh(clues: Iterable[Clue]) -> Weighed:
    """The facts that clues settle, and the candidates of the others, per fact the heaviest first.

    Clues for one value add up as independent hints do: ``1 - (1 - w1)(1 - w2)...``. The only value that is certain is a
    fact whatever hints speak against it; two that are certain are a disagreement and stay candidates, both.
    """
    by_fact: dict[str, list[Clue]] = {}
    for clue in clues:
        by_fact.setdefault(clue.fact, []).append(clue)
    facts: dict[str, Fact] = {}
    left: list[Candidate] = []
    for fact, said in by_fact.items():
        stated = [clue for clue in said if clue.origin > Origin.ASSUMED]
        strong = stated if any(clue.weight >= SPEAKS for clue in stated) else said
        values = _by_value(fact, strong)
        if _settled(values):
            origin = max(clue.origin for clue in strong)
            facts[fact] = Fact(values[0].value, origin, "; ".join(values[0].sources))
        else:
            left += values
    return Facts(facts), tuple(left)


def disagreements(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """In words, the facts of which more than one value is certain."""
    certain: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.weight >= CERTAIN:
            certain.setdefault(one.fact, []).append(one)
    return tuple(
        f"{fact} is " + ", ".join(f"{one.value} by {' and '.join(one.sources)}" for one in values) + "; neither is used"
        for fact, values in certain.items()
        if len(values) > 1
    )


def clues_of(facts: Mapping[str, Fact], weight: float = CERTAIN) -> tuple[Clue, ...]:
    """Facts that one source states, as clues of that weight."""
    return tuple(Clue(name, fact.value, fact.source, weight, fact.origin) for name, fact in facts.items())


def _by_value(fact: str, clues: list[Clue]) -> list[Candidate]:
    alike: dict[str, list[Clue]] = {}
    for clue in clues:
        number = isinstance(clue.value, int | float) and not isinstance(clue.value, bool)
        alike.setdefault(repr(float(clue.value) if number else clue.value), []).append(clue)
    found = [
        Candidate(
            fact,
            same[0].value,
            tuple(dict.fromkeys(clue.source for clue in same)),
            1.0 - math.prod(1.0 - clue.weight for clue in same),
        )
        for same in alike.values()
    ]
    return sorted(found, key=lambda one: -one.weight)


def _settled(values: list[Candidate]) -> bool:
    first = values[0].weight
    second = values[1].weight if len(values) > 1 else 0.0
    return first >= ENOUGH and (first - second >= AHEAD or second < CERTAIN <= first)
