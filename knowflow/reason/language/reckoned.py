"""What divides or multiplies numbers: "the ratio of that peak to the mean", "divided by its maximum"; no step does."""

from __future__ import annotations

import re

from knowflow.model.goal import QueryGoal
from knowflow.reason.language.clauses import another_question

_DIVIDES = re.compile(r"divides?|multipl(?:y|ies)|ratios?|quotients?", re.IGNORECASE)
_DIVIDED_BY = re.compile(r"\b(?P<word>divided|multiplied)\s+(?:by|with)\b", re.IGNORECASE)


def reckoned(goal: QueryGoal) -> str:
    """The word of a question for what divides or multiplies; empty where there is none, or something known is so called
    ("the burn ratio", "the NIR/red ratio")."""
    named = goal.slots.get("quantity")
    said = "" if named is None else named.words.lower()
    own = goal.text.lower().partition(said)[2].rstrip("?.").split()[:1] if said else []
    word = next((one for one in filter(_DIVIDES.fullmatch, goal.leftover) if one.lower() not in own), "")
    by = _DIVIDED_BY.search(goal.text)
    if not word and by is not None and by["word"] in goal.leftover and "group_by" not in goal.slots:
        word = by["word"]
    return word.lower()


def only_besides(goal: QueryGoal, word: str) -> bool:
    """Whether a word stands in a question beside the main one: "when was it highest, and what is the ratio ...?"."""
    asked = goal.slots.get("operation")
    if asked is None or not asked.words:
        return False
    text = goal.text.lower()
    first, place = text.find(asked.words.lower()), text.find(word)
    return 0 <= first < place and another_question(text, first + len(asked.words), place)
