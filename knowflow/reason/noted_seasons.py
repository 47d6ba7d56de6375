"""The seasons that the notes of a folder name, with their months: ``kiremt = June to September``, ``long rains
(Mar-May)``, ``MAM = long rains (March-May)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS
from knowflow.question.reading.vocabulary import SeasonNamed, vocabulary

_NUMBERS = {**MONTHS, **SHORT_MONTHS}
_MONTH = r"\b(" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")\b\.?"
_SPAN = re.compile(rf"{_MONTH}\s*(?:-|–|—|to|until|till|through)\s*{_MONTH}(?!\s*\d)", re.IGNORECASE)
_ENDS = re.compile(r"[.;\n]\s|\n")
_SIGN = re.compile(r"\s*(?:=|:|\bis\b|\bare\b|\bmeans?\b)\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:(?:and|of|the|our|in|for|during)\s+)+", re.IGNORECASE)
_OF_SEASONS = frozenset(("rain", "rains", "season", "monsoon", "summer", "winter", "spring", "autumn"))
_MOST_WORDS = 3


def seasons_noted(texts: Iterable[str]) -> tuple[SeasonNamed, ...]:
    """The words of each season that the texts of notes tell in one way, with its first and last month."""
    found: dict[tuple[str, ...], set[tuple[int, int]]] = {}
    for text in texts:
        for name, months in _told(text):
            found.setdefault(words_of(name), set()).add(months)
    return tuple((words, months.pop()) for words, months in found.items() if len(months) == 1)


def _told(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    end = 0
    for span in _SPAN.finditer(text):
        before = text[end : span.start()]
        end = span.end()
        clause = _ENDS.split(before)[-1].lstrip(" ),;")
        months = (_NUMBERS[span[1].lower()], _NUMBERS[span[2].lower()])
        for name in _names(clause):
            yield name, months


def _names(clause: str) -> Iterator[str]:
    """What is named before some months: all that stands before a sign, or in apposition behind it, and what the
    brackets stand behind in which they are."""
    bracketed = clause.rstrip().endswith("(")
    parts = _SIGN.split(clause.rstrip().rstrip("(,").rstrip())
    if len(parts) > 1:
        named = [*parts[0].split(",")[-1:], *(one for part in parts[1:] for one in part.split(","))]
        yield from (name for one in named if (name := _plain(one, told=True)))
    elif bracketed:
        words = parts[0].split(",")[-1].split()
        tails = (" ".join(words[-count:]) for count in range(2, _MOST_WORDS + 1) if len(words) >= count)
        yield from (name for one in tails if (name := _plain(one, told=False)))


def _plain(said: str, told: bool) -> str:
    """A name of a season; "" of what is none: a word that means something else, or names no season by itself."""
    name = _ARTICLE.sub("", said.strip(" \t*#-\"'`"))
    words = words_of(name)
    if not 0 < len(words) <= _MOST_WORDS or not all(word.isalpha() for word in words):
        return ""
    if words[-1] in _OF_SEASONS and len(words) > 1:
        return name
    known = words in reading_words().phrases or key_of(name) in vocabulary().phrases or words[0] in _NUMBERS
    return name if told and len(words) == 1 and not known else ""
