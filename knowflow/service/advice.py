"""What is known of a question before it is attempted: what experts mind, and what earlier attempts came to.

The guidance of task cards is for every question of a kind; reflections are of attempts at this instance. Both are told
to people and to a language model, and decide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.retrieval import retrieve
from knowflow.memory.reflections import Reflection, Reflections, instance_of
from knowflow.model.plan import Plan

_MOST_CARDS = 3
_MOST_REFLECTIONS = 5


@dataclass(frozen=True, slots=True)
class Advice:
    """The cards that a question is about, each a title and what an expert minds; and reflections, latest first."""

    guidance: tuple[tuple[str, str], ...] = ()
    earlier: tuple[Reflection, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "guidance": [{"task": task, "guidance": text} for task, text in self.guidance],
            "earlier": [one.model_dump(mode="json") for one in self.earlier],
        }


def advice(plan: Plan, home: Path, *, memory: bool = True) -> Advice:
    """What is known of the question of a plan; without ``memory`` only what experts wrote."""
    cards = {card.card: card for card in load_cards()}
    found = [cards[hit.id] for hit in retrieve(plan.query, _MOST_CARDS).hits if hit.id in cards]
    earlier = Reflections(home).of(instance_of(plan)) if memory else ()
    return Advice(tuple((card.title, card.guidance) for card in found), earlier[:_MOST_REFLECTIONS])
