"""Words of the field in any language, and the quantities that several of them name together, whatever their order:
``altezza media degli edifici`` and ``building_height_mean`` are of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.reason.inventory.cognates import meaning_alike, sorted_spellings
from knowflow.reason.inventory.letters import romanized
from knowflow.reason.inventory.meanings import documents
from knowflow.reason.inventory.month_words import without_accents

WORDS, TOGETHER, THINGS, NO_CONTENTS = "concepts", "together", "things", "no_contents"
"""The parts of a document that hold words by their concept, what several concepts name, the concepts that say of what,
where or when something is measured, and words that say nothing of it."""
STATISTIC, HOW_MUCH = "statistic", "how_much"
"""The part of a document that holds words for statistics, and the list of words for amounts in that of words that say
nothing."""
_SHORTEST, _SHORTEST_COMPOUND = 3, 7  # letters of each part of a compound, and of all of it
_SHORTEST_STEM, _LONGEST_ENDING = 5, 3  # letters of what is left of an inflected word, and of what it may lose
_ENDINGS = "aeiouysnmhjwv"  # letters that inflection adds
_NOT_OF_NAMES = frozenset({"measure", "statistics", "index", "radar"})  # families whose names are no words of the field
_SAYS_NOTHING = frozenset({"of", "the", "and", "at", "in", "on", "to", "by", "per", "from", "near"})
_LINKS = ("", "s", "n", "en", "es")  # what may stand between them
_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def in_english(word: str) -> str:
    """The concept that a word says in any language; of a word that says none the word, in small letters."""
    plain = _plain(word)
    return _english().get(plain, plain)


def _plain(word: str) -> str:
    """A word in small Latin letters without accents, as far as it can be written in these."""
    return romanized(without_accents(word).casefold())


def concepts_in(text: str) -> Mapping[str, str]:
    """The concepts that the words of a text say, each with its word; compounds of two say both."""
    words = _WORD.findall(_CAMEL.sub(" ", text))
    return {concept: word for word in words for concept in _concepts_of(_plain(word))}


@kept(4096)
def _concepts_of(word: str) -> tuple[str, ...]:
    """The concept of a word, in any inflection, or those of the words that it is written of: wind + geschwindigkeit."""
    english = _english()
    if word in english:
        return (english[word],)
    if len(word) >= _SHORTEST_COMPOUND:
        for place in range(_SHORTEST, len(word) - _SHORTEST + 1):
            if word[place:] in english and (head := _head_of(word[:place])):
                return (*head, english[word[place:]])
            if word[place:] in _measures() and (head := _head_of(word[:place])):
                return head  # the sum of Regensumme is told of rain
            if word[:place] in _measures() and word[place:] in english:
                return (english[word[place:]],)
    if word in _no_contents():
        return ()  # products are no production
    stem = _stem(word)
    if stem in _stems():
        return (_stems()[stem],)
    alike = meaning_alike(word, _spellings())
    return () if alike is None else (alike,)


@kept()
def _spellings() -> Sequence[tuple[str, str]]:
    return sorted_spellings(_english().items())


def _head_of(first: str) -> tuple[str, ...]:
    """The concepts of the first part of a compound, with or without what links it to the second."""
    english = _english()
    for linked in _LINKS:
        head = first.removesuffix(linked)
        if first.endswith(linked) and len(head) >= _SHORTEST and head in english:
            return (english[head],)
    for linked in _LINKS:  # the surface of the land of Landoberflaechentemperatur
        head = first.removesuffix(linked)
        if first.endswith(linked) and len(head) >= _SHORTEST_COMPOUND and (found := _concepts_of(head)):
            return found
    return ()


def _stem(word: str) -> str:
    """A word without what inflection may have added to it."""
    shortest = max(_SHORTEST_STEM, len(word) - _LONGEST_ENDING)
    while len(word) > shortest and word[-1] in _ENDINGS:
        word = word[:-1]
    return word


def named_together(
    concepts: Iterable[str], may_be: Callable[[str], bool] | None = None
) -> Mapping[str, frozenset[str]]:
    """The quantities that concepts name, each with those that name it: where several do, those of most concepts; of
    those only that ``may_be``, where that is given."""
    found = _named_by(frozenset(concepts))
    if may_be is not None:
        found = {quantity: needed for quantity, needed in found.items() if may_be(quantity)}
    most = max(map(len, found.values()), default=0)
    return {quantity: needed for quantity, needed in found.items() if len(needed) == most}


@kept(4096)
def _named_by(said: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """The quantities that concepts name, each with the most of them that do."""
    found: dict[str, frozenset[str]] = {}
    for needed, quantities in _together().items():
        for quantity in quantities:
            if needed <= said and len(needed) > len(found.get(quantity, ())):
                found[quantity] = needed
    return found


def named_with(text: str) -> frozenset[str]:
    """The quantities in whose names the concepts of a text occur, by themselves or with others."""
    said = concepts_in(text).keys()
    return frozenset(one for needed, quantities in _together().items() if needed & said for one in quantities)


@kept(1024)
def concepts_of(quantity: str) -> frozenset[str]:
    """The concepts in the names of a quantity."""
    kind = quantity_kinds().get(quantity)
    names = () if kind is None else (kind.name.replace("_", " "), kind.title, kind.cf_name or "", *kind.synonyms)
    own = {concept for name in names for concept in concepts_in(name.replace("_", " "))}
    return frozenset(own.union(*(needed for needed, named in _together().items() if quantity in named)))


@kept()
def things() -> frozenset[str]:
    """The concepts that say of what, where or when something is measured, and not what."""
    return frozenset(str(one) for document in documents() for one in _listed(document.data, THINGS))


@kept()
def _no_contents() -> frozenset[str]:
    return frozenset(str(word) for listed in _parts(NO_CONTENTS).values() for word in listed)


def may_say_what(word: str) -> bool:
    """Whether nobody knows what a word says: no concept has it, and it is none of those that say nothing."""
    plain = _plain(word)
    return plain not in _no_contents() and not _concepts_of(plain)


@kept(4096)
def says_what(word: str, quantity: str) -> bool:
    """Whether a word that no layer has may say what is measured, and that it is something else than a quantity."""
    plain = _plain(word)
    if plain in _no_contents():
        return False
    said = set(_concepts_of(plain))
    return not said or not said <= things() | concepts_of(quantity)


@kept()
def _measures() -> frozenset[str]:
    """Words for the mean, the sum or the amount of anything, with which many languages write one word."""
    said = [*_parts(STATISTIC).values(), _parts(NO_CONTENTS).get(HOW_MUCH, ())]
    words = (_plain(str(one)) for listed in said for one in listed)
    return frozenset(word for word in words if len(word) >= _SHORTEST)


def _listed(data: object, key: str) -> Iterable[object]:
    return data.get(key) or () if isinstance(data, dict) else ()


@kept()
def _english() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for concept, words in _parts(WORDS).items():
        for word in (concept, *words):
            found.setdefault(_plain(str(word)), str(concept))
    return found


@kept()
def _stems() -> Mapping[str, str]:
    """The concepts by the stems of their words; not those that two of them share."""
    found: dict[str, set[str]] = {}
    for word, concept in _english().items():
        found.setdefault(_stem(word), set()).add(concept)
    return {stem: said.pop() for stem, said in found.items() if len(said) == 1 and len(stem) >= _SHORTEST_STEM}


@kept()
def _together() -> Mapping[frozenset[str], frozenset[str]]:
    """The quantities of each set of concepts: as authored, or else the only one of which a name has these words."""
    authored: dict[frozenset[str], set[str]] = {}
    for quantity, listed in _parts(TOGETHER).items():
        for text in listed:
            authored.setdefault(frozenset(text.split()), set()).add(str(quantity))
    named: dict[frozenset[str], set[str]] = {}
    for kind in quantity_kinds().values():
        if kind.family not in _NOT_OF_NAMES:
            for name in (kind.name, kind.cf_name or "", *(kind.synonyms if kind.family != "mask" else ())):
                words = [word for word in _WORD.findall(name.replace("_", " ").casefold()) if word not in _SAYS_NOTHING]
                said = frozenset(map(in_english, words))
                if len(said) > 1 and all(len(word) > 1 for word in words):
                    named.setdefault(said, set()).add(kind.name)
    found = {said: kinds for said, kinds in named.items() if len(kinds) == 1} | authored
    return {said: frozenset(kinds) for said, kinds in found.items()}


def _parts(key: str) -> dict[str, Any]:
    """What the authored documents hold under a key, the strongest first."""
    found: dict[str, Any] = {}
    for document in documents():
        if isinstance(document.data, dict):
            for name, listed in (document.data.get(key) or {}).items():
                found.setdefault(str(name), listed)
    return found
