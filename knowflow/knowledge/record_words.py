"""The words of questions about records: those that join, those that only tell that something is a record, and acts."""

from __future__ import annotations

from dataclasses import dataclass

from knowflow.ground.inflection import verb_forms
from knowflow.ground.kept import kept
from knowflow.ground.report import Problems
from knowflow.knowledge.documents import authored
from knowflow.knowledge.reading_words import READING_FILES, ReadingFile
from knowflow.knowledge.words import stem


@dataclass(frozen=True, slots=True)
class RecordWords:
    """Words that join what is told of records, verbs that only tell that it is one, and words of one act, as stems."""

    joining: frozenset[str]
    telling: frozenset[str]
    acts: tuple[frozenset[str], ...]


@kept()
def record_words() -> RecordWords:
    """The words around records, of all layers; files that are not valid have none."""
    files = [one.model.records for one in authored(READING_FILES, ReadingFile, Problems())]
    return RecordWords(
        frozenset(word for one in files for word in one.joining),
        frozenset(form for one in files for verb in one.telling for form in verb_forms(verb)),
        tuple(frozenset(stem(form) for word in act for form in verb_forms(word)) for one in files for act in one.acts),
    )


@kept(4096)
def acts_of(word: str) -> frozenset[str]:
    """The stems of the words for what a word does, or is done by; none of what is no act.

    >>> "purchas" in acts_of("bought")
    True
    """
    said = stem(word)
    return frozenset(one for act in record_words().acts if said in act for one in act)
