"""Text as tokens and stems: the one way in which queries, cards and the lexicon are compared.

A stem is a comparison key, not a word: plural, -ing, -ed, -ation and a final e are taken off, the same on both sides.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

Kind = Literal["word", "number", "mark"]

MONTHS = MappingProxyType({name.lower(): number for number, name in enumerate(calendar.month_name) if name})
"""Months in small letters, with their numbers."""
SHORT_MONTHS = MappingProxyType({name[:3]: number for name, number in MONTHS.items()} | {"sept": 9})
"""How months are shortened; May is its own short form."""
NUMBER_WORDS = MappingProxyType(
    {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
    | {"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20}
)
"""Numbers that are written out."""
_FIRST_NINE = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = ("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth")
ORDINAL_WORDS = MappingProxyType(
    {
        **{word: number for number, word in enumerate((*_FIRST_NINE, *_TEENS, "eighteenth", "nineteenth"), start=1)},
        "twentieth": 20,
        "thirtieth": 30,
        "thirty-first": 31,
        **{f"twenty-{word}": number for number, word in enumerate(_FIRST_NINE, start=21)},
    }
)
"""Places in an order that are written out, as far as a month has days."""

_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\w.]*[^\W\d_]))"
    r"|(?P<word>[^\W_]+(?:'[^\W_]+|(?<=[^\W\d_]\d)\.\d+(?!\w))*)"
    r"|(?P<mark>>=|<=|[><=≥≤%°&+/,;:.?!()\-])",
    re.IGNORECASE,
)
_CHARACTERS = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "℃": "°C"}
    # letters that patterns take for Latin ones when case does not matter, and whose lower case is another letter
    | {"İ": "I", "ı": "i", "ſ": "s"}
    | {"٫": ".", "٬": ","}
)
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_DIGITS = str.maketrans(f"{_RAISED}₂₃⁻", "012345678923-")
_POWER = re.compile(rf"(?<=\d)(?=⁻?[{_RAISED}])")
_FRACTION = re.compile(r"(?<!\d)(\d*)([¼-¾⅐-⅞])")
_BLANKS = re.compile(r" {2,}")
_ARTICLES = frozenset({"a", "an", "the"})
# words that an ending makes into another one: greening is a trend, green is not
_WHOLE = frozenset(
    {"greening", "browning", "warming", "cooling", "drying", "wetting", "meaning", "building", "evening", "morning"}
    | {"during", "nothing", "something", "anything", "everything", "heating", "housing", "series", "species"}
)
_VOWELS = frozenset("aeiouy")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text with its place: ``text`` as written, ``stem`` as compared."""

    text: str
    stem: str
    start: int
    end: int
    kind: Kind


def clean(text: str) -> str:
    """One kind of dash, quote, digit and blank, no control characters: ``"½  km² ‘x’"`` -> ``"0.5 km2 'x'"``."""
    composed = text
    if not (text.isascii() and text.isprintable()):
        composed = "".join(map(_plain, unicodedata.normalize("NFC", text).translate(_CHARACTERS)))
    composed = _BLANKS.sub(" ", composed)  # patterns of words go through a run of blanks from each of them
    return composed if text.isascii() else _FRACTION.sub(_decimal, _POWER.sub("^", composed)).translate(_PLAIN_DIGITS)


def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    if character.isdecimal():  # the digits of other scripts
        return str(unicodedata.decimal(character))
    return character if character.isprintable() else " "


def _decimal(fraction: re.Match[str]) -> str:
    return f"{int(fraction[1] or 0) + unicodedata.numeric(fraction[2]):.6f}".rstrip("0")


def tokens(text: str) -> tuple[Token, ...]:
    """Words, numbers and marks of a cleaned text, in order; hyphenated words are several tokens."""
    found = []
    for match in _TOKEN.finditer(text):
        kind: Kind = "number" if match["number"] else "word" if match["word"] else "mark"
        piece = match.group()
        found.append(Token(piece, stem(piece) if kind == "word" else piece, match.start(), match.end(), kind))
    return tuple(found)


def stems(text: str) -> tuple[str, ...]:
    """The stems of the words and numbers of a text, articles left out."""
    return tuple(token.stem for token in tokens(clean(text)) if token.kind != "mark" and not is_article(token))


def is_article(token: Token) -> bool:
    return token.text.lower() in _ARTICLES and token.text != "A"


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The comparison key of a word: ``"Burned"`` and ``"burns"`` -> ``"burn"``, ``"averages"`` -> ``"averag"``."""
    key = _singular(word.lower().removesuffix("'s"))
    if key in _WHOLE or key + "s" in _WHOLE:
        return key
    for suffix, kept, shortest in (("ation", "at", 4), ("ing", "", 3), ("ed", "", 3)):
        base = key.removesuffix(suffix)
        if base != key and len(base) >= shortest and _VOWELS & set(base) and not key.endswith("eed"):
            key = _single(base) if not kept else base + kept
            break
    key = key[:-1] if len(key) > 4 and key.endswith("e") else key
    return _american(key)


def _american(key: str) -> str:
    """British and American spellings meet: ``normalis`` -> ``normaliz``, ``vapour`` -> ``vapor``."""
    if len(key) > 5 and key.endswith(("alis", "aris", "mis", "anis")):
        return key[:-1] + "z"
    return key[:-2] + "r" if len(key) > 4 and key.endswith("our") else key


def _singular(key: str) -> str:
    if len(key) > 4 and key.endswith("ies"):
        return key[:-3] + "y"
    if len(key) > 4 and key.endswith(("sses", "shes", "ches", "xes")):
        return key[:-2]
    if len(key) > 3 and key.endswith("s") and not key.endswith(("ss", "us", "is")):
        return key[:-1]
    return key


def _single(base: str) -> str:
    """``mapp`` -> ``map``; doubled l and s stay (``fall``, ``pass``)."""
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls":
        return base[:-1]
    return base
