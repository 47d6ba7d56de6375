"""Words of a question that nothing knows, and the names that they may be misspelt from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.spelling import lookalikes
from knowflow.knowledge.reading_words import reading_words
from knowflow.knowledge.words import MONTHS
from knowflow.question.reading.times_in_sentences import are_of_periods
from knowflow.question.reading.vocabulary import DataWords, data_phrases

_LIKENESS = 0.75  # two letters of eight may be wrong, or two neighbours of four changed over
_SHORTEST = 4
_SHORTEST_WORD = 5  # of a word in small letters, unless its letters are those of a name
_DAYS = frozenset(("day", "days", "daily"))
_MOST = 2  # words: a text with more of them is about something else


def misspelt(unread: Iterable[str], data: DataWords) -> str:
    """The names that look like words that nothing knows, as a hint; empty where none does."""
    words = tuple(unread)
    if _DAYS.intersection(words) and are_of_periods(data):
        return "the maps are of longer times than a day: ask for dates, months or years"
    return " ".join(f"{word}: did you mean {' or '.join(close)}?" for word, close in _close(words, data))


def _close(unread: Iterable[str], data: DataWords) -> Iterator[tuple[str, list[str]]]:
    own = [part for name, _, _ in data_phrases(data) for part in (name, *name.split())]
    words = list(dict.fromkeys(unread))
    for word in words if len(words) <= _MOST else ():
        known = [one for one in dict.fromkeys((*own, *_names())) if len(one) >= _SHORTEST]
        if len(word) < (_SHORTEST_WORD if word.islower() else _SHORTEST):
            known = [one for one in known if sorted(one.lower()) == sorted(word)]
        close = lookalikes(word, known, likeness=_LIKENESS)
        if close and word.lower() not in (one.lower() for one in close):
            yield word, close


@kept()
def _names() -> tuple[str, ...]:
    """Single words of the names of quantities and of questions, the short names of indices, and months."""
    spoken = [text for kind in quantity_kinds().values() for text in (kind.name.replace("_", " "), *kind.synonyms)]
    asked = [phrase[0] for phrase in reading_words().phrases if len(phrase) == 1]
    words = [word for text in (*spoken, *asked) for word in text.split() if word.isalpha()]
    indices = (index.short_name for index in spectral_indices().values())
    return tuple(dict.fromkeys((*indices, *(one.title() for one in MONTHS), *words)))
