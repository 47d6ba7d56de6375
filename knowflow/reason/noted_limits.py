"""Limits as notes tell them in some other languages, in English: ``de 30 % o más``, ``mindestens 30 %``."""

from __future__ import annotations

import re

from knowflow.reason.inventory.month_words import without_accents

_AT_LEAST = (
    "al menos|por lo menos|pelo menos|no minimo|au moins|mindestens|wenigstens|almeno|ten minste|minst|co najmniej"
)
_AT_MOST = "a lo sumo|como maximo|no maximo|au plus|hochstens|maximal|al massimo|ten hoogste|hogst|co najwyzej"
_ABOVE = (
    "mayor(?:es)? (?:que|de|a)|mas de|superior(?:es|e)? a|maior(?:es)? (?:que|do que|de)|mais de|acima de|por encima de"
    "|plus de|superieure?s? a|au-dessus de|mehr als|grosser als|uber|oberhalb von|maggiore di|piu di|sopra"
    "|meer dan|groter dan|boven|wiecej niz|powyzej"
)
_BELOW = (
    "menor(?:es)? (?:que|de|a)|menos de|inferior(?:es|e)? a|menor do que|abaixo de|por debajo de|moins de"
    "|inferieure?s? a|au-dessous de|weniger als|kleiner als|unter|unterhalb von|minore di|meno di|sotto"
    "|minder dan|kleiner dan|onder|mniej niz|ponizej"
)
_NUMBER = r"(?P<n>-?\d+(?:[.,]\d+)?(?:\s?(?:%|[^\W\d_]{1,3}\b(?!\s*(?:o|ou|oder|of|e)\b)))?)"
_OR_MORE = re.compile(
    rf"(?:\b(?:de|von|di|van)\s+)?{_NUMBER}\s*(?:o|ou|oder|e|of|lub)\s+(?:mas|mais|plus|mehr|piu|meer|wiecej)\b",
    re.IGNORECASE,
)
_OR_LESS = re.compile(
    rf"(?:\b(?:de|von|di|van)\s+)?{_NUMBER}\s*(?:o|ou|oder|e|of|lub)\s+(?:menos|moins|weniger|meno|minder|mniej)\b",
    re.IGNORECASE,
)
_SIDES = tuple(
    (re.compile(rf"\b(?:(?:de|di|von|van|da)\s+)?(?:{words})\s+(?=-?\d)", re.IGNORECASE), f"{side} ")
    for words, side in ((_AT_LEAST, "at least"), (_AT_MOST, "at most"), (_ABOVE, "above"), (_BELOW, "below"))
)
_IN_YEAR = re.compile(r"\s+(?:em|en|im|nel|w)\s+(?:el (?:ano\s+)?|o (?:ano\s+)?)?(?=(?:19|20)\d\d\b)", re.IGNORECASE)
_COVER = re.compile(
    r"\b(?:treecover\d*|cobertura (?:de (?:copas?|arboles|arborea|dosel))|cobertura arborea|copas?|dosel|couvert arbore"
    r"|couverture arboree|canopee|kronendach|kronenschluss|uberschirmung|copertura arborea|kroonbedekking)\b",
    re.IGNORECASE,
)


def in_english(test: str) -> str:
    """A limit with its words of comparison in English, and of what forests are told by.

    >>> in_english("treecover2000 de 30 % o más"), in_english("copa >= 30 % em 2000"), in_english("NDVI mayor que 0.3")
    ('canopy 30 % or more', 'canopy >= 30 % in 2000', 'NDVI above 0.3')
    """
    plain = without_accents(test)
    said = _OR_LESS.sub(r"\g<n> or less", _OR_MORE.sub(r"\g<n> or more", plain))
    for pattern, side in _SIDES:
        said = pattern.sub(side, said)
    said = _COVER.sub("canopy", _IN_YEAR.sub(" in ", said))
    return said if said != plain else test
