"""From the task cards that a question is about to the templates that may answer it."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.retrieval import Retrieval, template_index
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template

# A card lists its templates best first: each next one counts a little less.
RANK_PENALTY = 0.02
# A template found by its own words, with no card to vouch for it, counts less than one a card names.
UNNAMED_WEIGHT = 0.8


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
