"""What layers are called by the notes of a folder, ``bathy: height of the sea bed``, and by words that are made of the
same as their names: a magnetometer reading, of ``magnetometry``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from knowflow.ground.called import is_unknown
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import stem
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Quantity
from knowflow.question.reading.called import MEASURES
from knowflow.question.reading.vocabulary import vocabulary
from knowflow.reason.inventory.called import own_words

_BEHIND_NAME = re.compile(r"[-_. ]*(?:(?:19|20)\d\d|[-_][A-Za-z]{0,2}\d).*$")
"""What names of files have behind that by which notes speak of them: dates, depths, cases."""
_SIGN = r"[\"'`*]*(?:\.\w{2,4})?(?:[-_](?:Y{2,4}|J{4}|A{4})\w*)?[\"'`*]*\s*(?:[:=]|[–—]\s|-\s)\s*"
_UNTIL = re.compile(
    r"[.,;:()\n]|\s\d|\s(?:in|at|for|per|on|with|from|by|during|as|within|relative|above|below|and|or)\s"
)
_ARTICLES = frozenset({"the", "a", "an"})
_BEFORE = frozenset({"STAT", "EVERY", "RANKED", "ALL_TIME"})
_BEFORE_WORDS = frozenset({"long", "term", "-", "modelled", "model", "gridded", "map", "local"})
_LEVELS = ("elevation", "height", "altitude", "level")
_OF_ANYTHING = frozenset({"code", "codes", "value", "values", "class", "classes", "number", "numbers", "type", "types"})
_SHORTEST, _SHORTEST_NAME, _MOST_WORDS = 3, 5, 4
_METRY, _MADE = "metry", ("meter", "metric", "metrical")


def names_noted(texts: Iterable[str], rasters: Iterable[Artifact]) -> Iterator[tuple[str, str]]:
    """The names of layers by notes, each with its kind; none that is that of two, or says something else."""
    listed = [item for item in rasters if item.path is not None and item.fact("quantity") in quantity_kinds()]
    written = _written(listed)
    found: dict[str, set[str]] = {}
    for text in texts:
        small = text.casefold()
        for name, kind in ((name, kind) for name, kind in written.items() if name in small):
            for told in re.finditer(rf"(?<![\w.-]){re.escape(name)}{_SIGN}(?P<said>[^\n]+)", text, re.IGNORECASE):
                for said in _names(told["said"]):
                    found.setdefault(said, set()).add(kind)
    for kind in {str(item.fact("quantity")) for item in listed}:
        for said in _made_of(kind, listed):
            found.setdefault(said, set()).add(kind)
    yield from ((said, next(iter(kinds))) for said, kinds in found.items() if len(kinds) == 1 and _may_be(said, kinds))


def _written(rasters: Sequence[Artifact]) -> Mapping[str, str]:
    """How notes may write the names of files, of those of one kind alone."""
    found: dict[str, set[str]] = {}
    for item in rasters:
        own = PurePath(str(item.path)).stem
        short = _BEHIND_NAME.sub("", own)
        layer = str(item.fact("layer") or item.fact("band") or "") if item.band is not None else ""
        first = re.split(r"[-_ ]", short)[0]
        for name in (own, short, short.replace("_", " "), first, layer):
            if len(name) >= _SHORTEST:
                found.setdefault(name.casefold(), set()).add(str(item.fact("quantity")))
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1}


def _names(said: str) -> Iterator[str]:
    """The names in what something is told to be: ``bed level``, of the height of the sea bed."""
    end = _UNTIL.search(f"{said} ")
    words = [word for word in words_of(said[: end.start()] if end else said) if word not in _ARTICLES]
    while words and (words[0] in _BEFORE_WORDS or _symbols(words[0]) & _BEFORE):
        words = words[1:]
    spoken = bool(words) and all(map(str.isalpha, words)) and "-of-" not in said
    if not spoken or _is_unit(words[0]) or any("GRAIN" in _symbols(word) for word in words):
        return
    at = words.index("of") if "of" in words else len(words)
    head, thing = words[:at], words[at + 1 :]
    measured = bool(head) and (head[-1] in _LEVELS or stem(head[-1]) in MEASURES)
    if thing and measured and len(thing) <= _MOST_WORDS:
        yield from _measured(head, thing)
    long = len(head) > 1 or (not thing and len(head) == 1 and len(head[0]) >= _SHORTEST_NAME)
    if long and len(head) <= _MOST_WORDS and _OF_ANYTHING.isdisjoint(head):
        yield " ".join(head)


def _measured(head: Sequence[str], thing: Sequence[str]) -> Iterator[str]:
    """``elevation of the reservoir floor``: how high a point of it is, in whatever words."""
    high = head[-1] in _LEVELS
    for own in dict.fromkeys((" ".join(thing), "".join(thing[-2:]), thing[-1])):  # the seabed
        for measure in dict.fromkeys((" ".join(head), *(_LEVELS if high else ()))):
            yield from (f"{own} {measure}", f"{measure} of {own}")
        yield from (f"point of {own}", f"points of {own}") if high else ()


def _made_of(kind: str, rasters: Sequence[Artifact]) -> Iterator[str]:
    """Words of the family of what a layer of an unknown quantity is called: magnetometer, magnetic."""
    words = {word for item in rasters if item.fact("quantity") == kind and is_unknown(kind) for word in own_words(item)}
    for word in words:
        if word.endswith(_METRY):
            root = word.removesuffix(_METRY)
            yield from (*(f"{root}{end}" for end in _MADE), f"{root.removesuffix('o')}ic")


def _may_be(name: str, kinds: set[str]) -> bool:
    """Whether a name says nothing else: it is none of another quantity, and no word of questions."""
    if words_of(name) in reading_words().phrases:
        return False
    return not any(
        symbol != "QUANTITY" or (isinstance(value, Quantity) and value.kind not in kinds)
        for symbol, value in vocabulary().phrases.get(key_of(name), ())
    )


def _symbols(word: str) -> set[str]:
    return {symbol for symbol, _ in reading_words().phrases.get((word,), ())}


def _is_unit(word: str) -> bool:
    every = (*vocabulary().exact.get(word, ()), *vocabulary().phrases.get(key_of(word), ()))
    return any(symbol == "UNIT" for symbol, _ in every)
