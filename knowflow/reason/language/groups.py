"""What an answer is grouped by, where two words name groups: "our commune asks: how many ha of each class"."""

from __future__ import annotations

import re

from knowflow.knowledge.inflection import plural
from knowflow.knowledge.phrases import Mention

_BREAK = re.compile(r"[:.?!;](?=\s)")


def names_one_place(mention: Mention) -> bool:
    """Whether a word that means polygons in the plural stands in the singular: "our commune" is one place."""
    meaning = mention.of("setting")
    word = mention.words.lower()
    if meaning is None or meaning.entry.slot != "group_by" or " " in word or word in meaning.entry.phrases:
        return False
    return plural(word) in meaning.entry.phrases


def told_apart(text: str, one: str, other: str) -> bool:
    """Whether a sentence or a colon ends between two groups of words."""
    first, second = sorted((text.find(one), text.find(other)))
    return first >= 0 and _BREAK.search(text[first:second]) is not None
