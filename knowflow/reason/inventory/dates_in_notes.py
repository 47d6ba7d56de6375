"""When a raster is of whose file tells no date, where a note names it and a time: ``Copernicus DEM GLO-30: here from
TanDEM-X of February 2013``, beside an SRTM of 2000."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from knowflow.ground.units import known
from knowflow.knowledge.reading_words import words_of
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.question.reading.said_times import said_times
from knowflow.question.times import Times, times

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_BEFORE = frozenset(("of", "from", "in", "for", "on", "acquired", "taken", "flown", "surveyed", "dated", "year", "is"))
_MADE_LATER = re.compile(
    r"\b(?:download\w*|retrieved|accessed|processed|produced|created|published|released?|version|updated|doi|edition"
    r"|cite\w*|et al|copyright|before|after|since|until|outlines?)\b",
    re.IGNORECASE,
)
"""Words of sentences whose time is another one than that of what the file shows."""
_ISO = re.compile(r"\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b")
_DAY_AND_YEAR = re.compile(r"(\b\d\d?),\s*(?=(?:19|20)\d\d\b)")
_LONGEST = timedelta(days=366)
_YEARS = re.compile(r"\b((?:19|20)\d\d)\s*(?:[-\u2013/]|to|until)\s*((?:19|20)\d\d)\b")


def with_dates_noted(
    artifacts: Sequence[Artifact], notes: Callable[[Path], Iterable[tuple[Path, str]]]
) -> tuple[Artifact, ...]:
    """The artifacts, rasters without a date with the one that a note in their folder tells of them alone.

    The note has to name a file by a word of its name that no other raster here has in its own, in a sentence that tells
    one time, of a year or less, and names no other of them. The mean of a day of many years is of no date.
    """
    rasters = [item for item in artifacts if item.type == "raster" and item.path is not None]
    if all(_is_dated(item) for item in rasters):
        return tuple(artifacts)
    named = {str(item.path): _words(Path(str(item.path)).stem) for item in rasters}
    return tuple(
        _dated(item, named, notes) if item.type == "raster" and item.path is not None and not _is_dated(item) else item
        for item in artifacts
    )


def _is_dated(item: Artifact) -> bool:
    return bool({"datetime", "span"} & item.facts.keys())


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold().replace("_", " ")))


def _dated(
    item: Artifact,
    named: dict[str, frozenset[str]],
    notes: Callable[[Path], Iterable[tuple[Path, str]]],
) -> Artifact:
    path = Path(str(item.path))
    others = frozenset[str]().union(*(words for name, words in named.items() if name != str(item.path)))
    own = named[str(item.path)] - others
    found: dict[Times, str] = {}
    for note, text in notes(path.parent) if own else ():
        for sentence in _SENTENCE.split(text):
            said = _words(sentence)
            if own & said and not (others - own) & said and not _MADE_LATER.search(sentence):
                found |= {when: f"{note.name} ({sentence.strip()!r})" for when in _times(sentence)}
    if len(found) != 1:
        return item
    ((when, source),) = found.items()
    first, last = str(when.first), str(when.last)
    facts = Facts.of(Origin.DECLARED, source, datetime=first)
    if first != last:
        facts = facts.put("span", (first, last), Origin.DECLARED, source)
    return item.with_facts(item.facts.over(facts))


def _times(sentence: str) -> Iterator[Times]:
    """The times that a sentence tells, each as long as its words are; a number of four digits only behind a word that
    dates and before no unit, as others look like it."""
    if any(int(last) - int(first) > 1 for first, last in _YEARS.findall(sentence)):
        return
    yield from (when for told in _ISO.findall(sentence) if (when := times(told)) is not None)
    words = words_of(_DAY_AND_YEAR.sub(r"\1 ", _ISO.sub(" ", sentence)))
    longest: dict[int, tuple[int, Times]] = {}
    for start, end, when in said_times(words):
        if end > longest.get(start, (0, when))[0]:
            longest[start] = (end, when)
    reached = 0
    for start, (end, when) in sorted(longest.items()):
        if start < reached or when.first is None or when.last is None or when.last - when.first > _LONGEST:
            continue
        reached = end
        counts = words[end : end + 1] and known(words[end])
        if end - start > 1 or (not counts and words[start - 1 : start] and words[start - 1] in _BEFORE):
            yield when
