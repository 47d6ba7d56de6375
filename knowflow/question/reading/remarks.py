"""Sentences around a question that only tell why it is asked: they are put aside, and the user is told.

``Those are the slopes that I worry about.`` A remark asks for nothing and binds nothing. It points back at the answer,
or somebody says how they stand to it and names nothing that the data hold; it has no number, no time, and no word by
which something could be meant (``only``, ``without``, ``counts as``). What remains has to be a whole question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowflow.knowledge.reading_words import remarks, words_of
from knowflow.question.reading.known import NAMING
from knowflow.question.reading.sentence import sentence_of
from knowflow.question.reading.vocabulary import DataWords

_ENDS = re.compile(r"(?<=[.?!:])\s+|\s+[-\u2013\u2014]\s+|\.{2,}\s*|,\s+(?=(?:I|we)\s|that is\s|this is\s)")
_FIGURES = re.compile(r"[\d%]")
_HEADING = 5  # words above a question, none of which is known: ``Orchard meadows: ...``
_BOUND = frozenset(("TIME", "NUM", "UNIT", "SIDE", "STAT", "GRAIN", "EVERY", "SHOWN", "OBJECTS", "NAMED_KEY"))
"""Symbols of words that restrict or measure, whatever stands beside them."""


def without_remarks(text: str, data: DataWords) -> tuple[str, tuple[str, ...]]:
    """A text without its remarks, and these; the text as it is where it has none, or nothing else.

    >>> without_remarks("What is the mean NDVI? We promised it to the council.", DataWords())
    ('What is the mean NDVI?', ('We promised it to the council.',))
    """
    parts = list(_sentences(text))
    said = [part for part in parts if not _is_remark(part, data)]
    if len(said) in (0, len(parts)):
        return text, ()
    return " ".join(said), tuple(part for part in parts if part not in said)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _ENDS.finditer(text):
        yield text[start : end.start()].strip()
        start = end.end()
    yield text[start:].strip()


def _is_remark(part: str, data: DataWords) -> bool:
    words = words_of(part.rstrip(".!:"))
    if not words or "?" in words or _FIGURES.search(part):
        return False
    for known in remarks():
        free = {"to", *known.attitudes}  # where to begin, most worried
        if any(
            word in known.binding and after not in free for word, after in zip(words, (*words[1:], ""), strict=True)
        ):
            continue
        if words[0] in known.pointing and not {*known.attitudes}.isdisjoint(words):
            return True
        speaks = words[0] in known.speakers and not {*known.attitudes}.isdisjoint(words)
        purpose = part.endswith(":") and words[0] in known.purposes
        if (speaks or purpose) and _names_nothing(part, data):
            return True
        if part.endswith(":") and len(words) <= _HEADING and not sentence_of(part, data).entities:
            return True
    return False


def _names_nothing(part: str, data: DataWords) -> bool:
    return all(one.symbol not in NAMING | _BOUND for one in sentence_of(part, data).entities)
