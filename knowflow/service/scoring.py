"""From the task cards that a question is about to the templates that may answer it."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.ground.errors import NotUnderstoodError
from knowflow.ground.report import Problem
from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.retrieval import Retrieval, retrieve, template_index
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template
from knowflow.service.question_text import shown

# A card lists its templates best first: each next one counts a little less.
RANK_PENALTY = 0.02
# A template found by its own words, with no card to vouch for it, counts less than one a card names.
UNNAMED_WEIGHT = 0.8


def retrieved(goal: QueryGoal, templates: Mapping[str, Template]) -> tuple[Retrieval, dict[str, float]]:
    """The task cards that a question is about, and the templates they name, scored.

    Raises:
        NotUnderstoodError: nothing is asked, or no card is close enough, and not both a quantity and what to do with it
            are understood.
    """
    if not goal.text.strip():
        raise NotUnderstoodError(
            "nothing is asked",
            expected="a question in plain words",
            found="an empty text",
            hint="for example: What is the mean NDVI? What share of the area is water?",
        )
    retrieval = retrieve(goal)
    foreign = retrieval.foreign
    asked = bool(goal.value("operations")) or ("index" in goal.slots and not goal.leftover)  # "SAVI on 1 July"
    understood = goal.value("quantity") is not None and asked
    if retrieval.abstained and (foreign or not understood):
        raise NotUnderstoodError(
            "no task is close enough to this question",
            expected="a question about Earth-observation data",
            found=shown(goal.text) + (f" (no task speaks of {', '.join(foreign)})" if foreign else ""),
            hint="`knowflow templates search WORDS` shows what can be asked",
            problems=[
                Problem("near_miss", hit.title, f"a score of {hit.score:.2f}", where=hit.id)
                for hit in retrieval.near_misses[:3]
            ],
        )
    return retrieval, template_scores(retrieval, templates, goal)


def template_scores(retrieval: Retrieval, templates: Mapping[str, Template], goal: QueryGoal) -> dict[str, float]:
    """A score for each template: that of the best card that names it, else that of its own words."""
    cards = {card.card: card for card in load_cards()}
    scores: dict[str, float] = {}
    for hit in retrieval.hits:
        for rank, name in enumerate(cards[hit.id].templates):
            scores[name] = max(scores.get(name, 0.0), hit.score - RANK_PENALTY * rank)
    named = {name for card in cards.values() for name in card.templates}
    unnamed = [
        template
        for name, template in sorted(templates.items())
        if name not in named and template.answers and template.method_of is None
    ]
    if unnamed:
        index = template_index(unnamed)
        scores.update({hit.id: UNNAMED_WEIGHT * hit.score for hit in index.rank(goal, len(unnamed))})
    return scores
