"""The forms of English words by rule: what a verb is in its other forms, and the comparative of an adjective.

Forms are made of the words that the lexicon has, not words of forms, so that a few dozen verbs need no dictionary of
the whole language.
"""

from __future__ import annotations

import re

_DOUBLED = re.compile(r"(?:[^aeiou]|qu|^)[aeiou][bdgmnprt]$")
_ONE_AS_MANY = frozenset({"series", "species"})
_NO_MANY = frozenset({"ss", "us", "is"})  # ends of words in the singular
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")


def verb_forms(spoken: str) -> tuple[str, ...]:
    """All forms of a verb: ``"drop"`` -> drop, drops, dropping, dropped; ``"go went gone + up"`` -> go up, went up...

    The base form comes first, then the irregular past forms, if any; a particle stands behind a plus.
    """
    words, _, particle = spoken.partition("+")
    base, *past = words.split()
    forms = [base, _third_person(base), _participle(base), *(past or [_past(base)])]
    return tuple(dict.fromkeys(f"{form} {particle.strip()}".strip() for form in forms))


def comparative(adjective: str) -> str:
    """``"big"`` -> bigger, ``"dry"`` -> drier, ``"large"`` -> larger."""
    return _past(adjective)[:-1] + "r"


def superlative(adjective: str) -> str:
    """``"big"`` -> biggest, ``"dry"`` -> driest, ``"large"`` -> largest."""
    return comparative(adjective)[:-1] + "st"


def degrees(adjective: str) -> tuple[str, str, str]:
    """An adjective with its comparative and its superlative."""
    return adjective, comparative(adjective), superlative(adjective)


def singular(word: str) -> str:
    """A word in the singular, where it is a plural: ``city``, of cities.

    >>> singular("cities"), singular("branches"), singular("glass"), singular("species")
    ('city', 'branch', 'glass', 'species')
    >>> singular("status"), singular("analysis")
    ('status', 'analysis')
    """
    if word in _ONE_AS_MANY:
        return word
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and word[-2:] not in _NO_MANY else word


def plural(noun: str) -> str:
    """``"patch"`` -> patches, ``"parish"`` -> parishes, ``"date of acquisition"`` -> dates of acquisition."""
    head, of, rest = noun.partition(" of ")
    return f"{_third_person(head)}{of}{rest}"


def is_plural(noun: str) -> bool:
    """Whether a noun ends as plurals do: ``"cells"`` does, ``"overpass"`` does not."""
    return noun.endswith("s") and not noun.endswith("ss")


def _third_person(base: str) -> str:
    if _ends_in_y(base):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(_SIBILANT) else "s")


def _participle(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if _ends_in_y(base) else _doubled(base) + "ed"


def _doubled(base: str) -> str:
    """The last consonant of a short word is doubled: drop, dim, big; not of one with two syllables, such as widen."""
    short = len(re.findall(r"[aeiouy]+", base)) == 1
    return base + base[-1] if short and _DOUBLED.search(base) else base


def _ends_in_y(base: str) -> bool:
    return base.endswith("y") and base[-2:-1] not in "aeiou"
