"""Words in Cyrillic and Greek letters as they are written in Latin ones: ``влажность`` is vlazhnost, ``βροχή`` vrochi.

Who writes names in Latin letters writes their language so, and the words of its field are known in these.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from types import MappingProxyType

from knowflow.ground.regex import regex

_SHORTEST = 4  # letters
_UKRAINIAN = regex(r"[іїєґ]")
_PAIRS = (("ου", "ou"), ("αυ", "av"), ("ευ", "ev"), ("μπ", "b"))
_CYRILLIC = dict(
    zip("абвгдезийклмнопрстуфыэјљњћђџ", (*"abvgdeziyklmnoprstufye", "j", "lj", "nj", "c", "dj", "dz"), strict=True)
) | {
    "ё": "e",
    "ж": "zh",
    "х": "kh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "shch",
    "ь": "",
    "ъ": "",
    "ю": "yu",
    "я": "ya",
}
_OF_UKRAINE = {"г": "h", "и": "y", "і": "i", "ї": "yi", "є": "ye", "ґ": "g"}
_GREEK = dict(zip("αβγδεζηικλμνοπρσςτυφω", "avgdeziiklmnoprsstyfo", strict=True)) | {
    "θ": "th",
    "ξ": "x",
    "χ": "ch",
    "ψ": "ps",
}
_LETTERS = MappingProxyType(str.maketrans(_CYRILLIC | _GREEK))
_LETTERS_OF_UKRAINE = MappingProxyType(str.maketrans(_CYRILLIC | _OF_UKRAINE))


@lru_cache(maxsize=8192)
def romanized(word: str) -> str:
    """A word of small letters in Latin ones; letters of other scripts stay, as do short words, which may look like an
    abbreviation then: a house (``дом``) is no model of a surface.

    >>> romanized("осадки"), romanized("вологість"), romanized("θερμοκρασία"), romanized("降水量")
    ('osadki', 'volohist', 'thermokrasia', '降水量')
    """
    if word.isascii() or len(word) < _SHORTEST:
        return word
    marked = "".join(letter if letter in "йїё" else _without_mark(letter) for letter in word)
    for pair, latin in _PAIRS:
        marked = marked.replace(pair, latin)
    return marked.translate(_LETTERS_OF_UKRAINE if _UKRAINIAN.search(word) else _LETTERS)


def _without_mark(letter: str) -> str:
    """A Greek letter without its accent; any other letter as it is."""
    first = unicodedata.normalize("NFD", letter)[0]
    return first if "\u0370" <= first <= "\u03ff" else letter
