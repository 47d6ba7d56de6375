"""Units that are written of several: ``µmol/m2``, ``W m-2``, ``m3/m3``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, known, normalise, per_time
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.words import Token
from knowflow.question.operators import During, Expression, Over, Quantity, Split, Within
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import vocabulary

_ONE = r"[°µμ]?[A-Za-z]+(?:\^?[23])?"
_OF_SEVERAL = re.compile(rf"{_ONE}(?:/{_ONE})+|{_ONE}(?: {_ONE})*(?: [A-Za-z]+\^?-[1-9])+")
_MIXED = re.compile(r"[a-z]+[A-Z][A-Za-z]*|[GMT](?:W|J|Wh|Pa|t)")  # hPa, dS, MW: no word of a sentence
_EACH = re.compile(r" an? (?=(?:year|month|week|day|hour|minute|second)$)")
_ONE_UNIT = re.compile(_ONE)
_SHORT = 3  # letters of a unit that is written short
_MOST_WORDS = 10
_ALIKE = ("mean", "median", "minimum", "maximum", "percentile", "range", "deviation", "first", "last")
"""Statistics that are told as the numbers that they are of."""
_OF_AREA = {
    f"{word} {prefix}{'metre' if uk else 'meter'}": f"{short}m{power}"
    for word, power in (("square", 2), ("cubic", 3))
    for prefix, short in (("", ""), ("centi", "c"), ("kilo", "k"), ("deci", "d"), ("milli", "m"))
    for uk in (0, 1)
} | {"hectare": "ha", "metre": "m", "meter": "m", "litre": "L", "second": "s", "hour": "hour", "yr": "year"}
_BELOW = re.compile(r" (?:and per|per|and) ")
_OF_STUFF = re.compile(r"(?P<unit>.+?) (?:of )?(?P<stuff>carbon|water)")
_FROM_ZERO = re.compile(
    r"(?:,\s*|\bas an? (?:share|fraction|number|value|proportion|probability|part)\s*,?\s*|^\s*)"
    r"\b(?:from|between|of)\s+(?:0|zero)\s+(?:to|and)\s+(?:1|one)\b[\s.?!]*$"
)
"""How it is said at the end of a question that an answer is a part of one: ``as a share from 0 to 1``."""


def said_units(text: str, words: Sequence[Token], kinds: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """The units of several parts in a text, each with the words that it is written in, as ``normalise`` spells it;
    ``kinds`` are those that the text names, which tell of what a mass may be: ``kg carbon``."""
    for start, first in enumerate(words):
        if _MIXED.fullmatch(first.text) and known(first.text):
            yield start, start + 1, normalise(first.text)
        for end in range(start + 2, min(start + _MOST_WORDS, len(words)) + 1):
            said = _EACH.sub(" per ", text[first.start : words[end - 1].end])
            said = _spelled(said, kinds) if " per " in said else said
            if _OF_SEVERAL.fullmatch(said) and known(said):
                yield start, end, normalise(said)


def parts_of_one(text: str, words: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The last words of a text, where they say that the answer is told from 0 to 1."""
    said = _FROM_ZERO.search(text)
    own = [at for at, word in enumerate(words) if said is not None and word.start >= said.start()]
    if own:
        yield own[0], len(words)


def _spelled(said: str, kinds: Collection[str]) -> str:
    """``mg per cubic metre`` as ``mg/m3``, ``nW per square centimetre and steradian`` as ``nW/cm2/sr``."""
    top, _, below = said.partition(" per ")
    if top.startswith("degree"):  # which may be of an angle or of warmth
        return ""
    stuff = _OF_STUFF.fullmatch(top)
    if stuff is not None:
        if not any(_is_of(kind, stuff["stuff"]) for kind in kinds):
            return ""
        top = stuff["unit"]
    parts = [_short(part) for part in (top, *_BELOW.split(below))]
    return "/".join(parts) if all(parts) else ""


def _is_of(kind: str, stuff: str) -> bool:
    """Whether what a quantity measures is of some stuff, as it is described."""
    own = quantity_kinds().get(kind)
    return own is not None and stuff in f"{kind} {own.title} {own.cf_name}".lower()


@lru_cache(maxsize=1024)
def _short(words: str) -> str:
    """A unit of words as it is written short; "" of what is none."""
    one = words.removesuffix("s") if len(words) > _SHORT else words
    if (unit := _OF_AREA.get(words) or _OF_AREA.get(one)) is not None:
        return unit
    meant = [str(value) for symbol, value in vocabulary().phrases.get(key_of(words), ()) if symbol == "UNIT"]
    if len(meant) == 1 and _ONE_UNIT.fullmatch(meant[0]):
        return meant[0]
    unit = next((each for each in (words, one) if _ONE_UNIT.fullmatch(each) and known(each)), "")
    return normalise(unit) if len(unit) > _SHORT else unit


def is_beside(x: Expression | None, unit: str) -> bool:
    """Whether a unit is one in which files often hold the quantity that numbers are told as, or so much of it a day:
    ``mm per day`` of what evaporates, in kilograms. Whether the file at hand holds it so, its own unit tells."""
    while isinstance(x, During | Within | Split) or (isinstance(x, Over) and x.statistic in _ALIKE):
        x = x.x
    kind = quantity_kinds().get(x.kind) if isinstance(x, Quantity) else None
    if kind is None or per_time(kind.unit) is not per_time(unit):
        return False
    told = (each if per_time(each) or not per_time(unit) else f"{each} day-1" for each in kind.told_in if known(each))
    return any(compatible(unit, each) for each in told)


def without_shorter(units: Sequence[tuple[int, int]], found: Sequence[Entity]) -> list[Entity]:
    """What words stand for without the units that longer ones begin with, where all that is named is so much in a time:
    ``mm`` of ``mm per day``, which is told of no day then."""
    kinds = [quantity_kinds().get(one.value.kind) for one in found if one.symbol == "QUANTITY"]
    if not kinds or not all(kind is not None and per_time(kind.unit) for kind in kinds):
        return list(found)
    starts = dict(sorted(units))
    return [one for one in found if one.symbol not in ("UNIT", "IU") or one.end >= starts.get(one.start, 0)]
