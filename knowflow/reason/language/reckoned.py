"""What divides or multiplies numbers: "the ratio of that peak to the mean", "divided by its maximum"; no step does."""

from __future__ import annotations

import re

from knowflow.model.goal import QueryGoal

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
