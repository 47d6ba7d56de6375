"""Verdicts: three-valued answers to conditions, with the evidence, the unknown facts and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.model.artifact import Artifact

Place = tuple[str | int, ...]
Environment = Mapping[str, Any]
Operand = tuple[Place, Any]


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True)
class Goal:
    """A ground sub-goal that would make a condition true: ``same_grid(bands.red, bands.nir)``.

    ``place`` locates the artifact to be changed among a node's arguments; ``like`` is a second artifact or a value.
    """

    predicate: str
    place: Place
    like: Place | None = None
    value: Any = None

    def __str__(self) -> str:
        subject = place_text(self.place)
        if self.like is not None:
            return f"{self.predicate}({subject}, {place_text(self.like)})"
        if self.value is not None:
            return f"{self.predicate}({subject}) == {self.value!r}"
        return f"{self.predicate}({subject})"


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that a condition needs and nobody knows."""

    place: Place
    fact: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The truth of a condition with the evidence for it."""

    truth: bool | None
    because: str = ""
    missing: tuple[Missing, ...] = ()
    goals: tuple[Goal, ...] = ()


TRUE = Verdict(True)


def place_text(place: Place) -> str:
    """``("bands", "red")`` as ``bands.red``, ``("series", 2)`` as ``series[2]``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text


def leaves(place: Place, artifact: Artifact) -> Iterator[tuple[Place, Artifact]]:
    """The single artifacts inside one, each with its place."""
    if artifact.items:
        for index, item in enumerate(artifact.items):
            yield from leaves((*place, index), item)
    elif artifact.members:
        for name, member in artifact.members.items():
            yield from leaves((*place, name), member)
    else:
        yield place, artifact


def combine(conjunction: bool, verdicts: list[Verdict]) -> Verdict:
    """Kleene's strong three-valued ``and`` / ``or``, keeping the evidence that decides."""
    if len(verdicts) == 1:  # of thousands of nodes with one file each, it is what a plan asks most
        (only,) = verdicts
        settled = only.truth is True and conjunction and (only.missing or only.goals)
        return Verdict(True, only.because) if settled else only
    decisive = [verdict for verdict in verdicts if verdict.truth is (not conjunction)]
    unknown = [verdict for verdict in verdicts if verdict.truth is None]
    chosen = decisive or unknown or verdicts
    truth = (not conjunction) if decisive else None if unknown else conjunction
    if truth is True and conjunction:
        return Verdict(True, "; ".join(dict.fromkeys(v.because for v in verdicts[:3] if v.because)))
    return Verdict(
        truth,
        "; ".join(dict.fromkeys(verdict.because for verdict in chosen[:5] if verdict.because)),
        tuple(item for verdict in chosen for item in verdict.missing),
        tuple(item for verdict in (*decisive, *unknown) for item in verdict.goals),
    )


def short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."
