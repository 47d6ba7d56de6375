"""The tokens of a name: runs of its words and numbers, each with what it means, by look-ups and one pattern.

A name falls into pieces where separators stand (``_ - .`` and blanks are the same), where letters meet digits, and
where small letters meet capitals. Of all ways to cover the pieces with runs that mean something the one is taken that
covers most letters; what nothing covers stays as words that nobody claims. No part of a longer word means anything: the
B8 of ``B8E5`` is no band.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from knowflow.ground.regex import regex
from knowflow.reason.inventory.letters import romanized
from knowflow.reason.inventory.month_words import without_accents
from knowflow.reason.inventory.name_dates import DATE_MARK

ONE_PRODUCT = "of one product"
"""The value of a word that a single product calls a layer by, which may say anything elsewhere."""
APART = "apart"
"""The entry of what means something only where its parts stand apart."""
NUMBER = "#"
"""What stands for a number in authored names: ``BT_#``."""
_LONGEST = 10  # pieces of one run
_MONTHS, _PAIR = 12, 2
_MOST_TYPED = 18  # letters and digits of a run that is told by its form
# what it is worth to cover a number, and a word of products that are not told here, beside the letters of known words
_LITTLE = MappingProxyType({"number": 0.05, "hint": 0.06})
NO_LAYERS: Mapping[str, Any] = MappingProxyType({})
_GLUED = 4  # letters of a name that may be written together with a statistic: ndvimax

_BETWEEN_NUMBERS = regex(r"(?<=\d)[^0-9A-Za-z#]+(?=\d)")
_SEPARATORS = regex(r"[^\w#.]|_|(?<!\d)\.|\.(?!\d)")
_DECIMAL = r"(?<![0-9A-Za-z.])\d{1,2}\.\d{1,3}(?=[VH](?![A-Za-z])|deg|km|m(?![A-Za-z])|arc)"
# of letters that stand in words Greek, Cyrillic and Arabic ones; others, as those of Chinese, may each be a word
_PIECE = regex(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[\u0370-\u052f\u0600-\u065f\u066e-\u06ef\u1f00-\u1fff]+"
    rf"|[^\W_]+?|{DATE_MARK}"
)
_RUNNING = regex(rf"{_DECIMAL}|[^\W_]+|{DATE_MARK}")
_ACRONYM = regex(r"([A-Z]{2,})([a-z]{3,})")
# what is told by its form; of small letters, the dot between two numbers
_FORM = regex(
    r"(?P<band>b(?:and)?(?:\d{1,2}|8a|08a|3n|6vcid[12]))"
    r"|(?P<resolution>r?\d+(?:\.\d+|p\d+)?(?:m|km|deg|degree|degrees|arcsec|arcmin|as|ss|sec)|0p\d{1,4})"
    r"|(?P<height>\d+hpa|\d+(?:\.\d+)?cm)"
    r"|(?P<step>p\d{1,3}[dmyw]|\d{1,2}(?:d|day|days|month|months|year|years|yr|min))"
    r"|(?P<tile>t?\d\d[c-hj-np-x][a-hj-np-z]{2}|h\d\dv\d\d|[ns]\d\d(?:\.00)?[ew]\d{3}(?:\.00)?|\d\d[ns]\d{3}[ew]|r\d{1,2}c\d{1,2}"
    r"|p(?:ath)?\d{1,3}r(?:ow)?\d{1,3})"
    r"|(?P<percentile>pc?\d\d|(?:perc|pct|percentile|q)\d\d|\d\d(?:th)?(?:perc|pct|percentile))"
    r"|(?P<version>v(?:er|ersion)?\d+(?:\.(?!(?:19|20)\d\d(?!\d))\d+)*[a-z]?|c(?:ol|ollection)?0?\d|r20\d\d[a-z]|n0\d{3}|aid\d{4})"
    r"|(?P<level>l(?:evel)?[0-4][a-d]?|l[12](?:sp|tp|gt|gs|sr)|3b)"
    r"|(?P<relative_orbit>r\d{3}|(?:orbit|orb|track|relorb|relorbit)\d{1,3})"
    r"|(?P<projection>utm\d{1,2}[ns]?|epsg\d{4,5})"
    r"|(?P<unit>(?:[cdhkmu]?g|[cmu]?mol)(?:per)?(?:[cdk]?m[23]|(?:kg|ha)1?))"
    r"|(?P<times>x10{1,4})"
    r"|(?P<clock>(?:[01]\d|2[0-3])[0-5]\d(?:utc|gmt|z))"
    r"|(?P<year>[ey]?(?:19[4-9]\d|20[0-3]\d))"
    r"|(?P<number>\d+(?:\.\d+)?)"
)
_BY_LETTERS = MappingProxyType({"nW": "nW cm-2 sr-1"})  # units that only their capitals tell from other words
_BELOW = ("cm2", "cm3", "dm2", "dm3", "km2", "km3", "m2", "m3", "kg", "ha")  # what an amount is per
_YEAR = regex(r"19[4-9]\d|20[0-3]\d")
_MGRS = regex(r"T?\d\d[A-Z]{3}")


class Word(NamedTuple):
    """What a run of words means: its kind, the value that it says, and the entry of a layer behind it.

    ``whole`` is where a letter that stands apart is no part of it: ``R_NDVI`` is no RNDVI.
    """

    kind: str
    value: str
    entry: Any = None
    whole: bool = False


Vocabulary = Mapping[str, Word]
"""The meaning of each word or run of words, written together in small letters, ``#`` for a number (see ``plain``)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A run of pieces and what it means; of kind ``word`` where nobody knows.

    ``text`` is the run as written, ``start`` and ``end`` its place, ``key`` the run in small letters without
    separators, ``form`` the same with ``#`` for its numbers.
    """

    kind: str
    value: str
    text: str
    start: int
    end: int
    key: str = ""
    form: str = ""
    entry: Any = None


class _Piece(NamedTuple):
    text: str
    key: str
    form: str
    start: int
    end: int
    run: int  # of letters and digits that nothing separates
    first: bool
    last: bool


@lru_cache(maxsize=8192)
def plain(words: str) -> str:
    """Words as a vocabulary knows them: small letters without separators; a dot stays between two numbers."""
    if words.isalnum() and words.isascii():
        return words.casefold()
    return romanized(_SEPARATORS.sub("", without_accents(_BETWEEN_NUMBERS.sub(".", words))).casefold())


def band_name(text: str) -> str:
    """A band as most producers write it: B4 for ``band_4``."""
    return f"B{text[4:].strip(' _-.')}" if text[:4].casefold() == "band" else text


def is_version(key: str) -> bool:
    """Whether a word is told to be a version by its form: v3."""
    return _form_of(key)[0] == "version"


def tokens_of(name: str, vocabulary: Vocabulary, own: Mapping[str, Any] = NO_LAYERS) -> tuple[Token, ...]:
    """The tokens of a name without its dates (``dates_in``), in their order; ``own`` are the names of the layers of its
    product, which come before all other words."""
    pieces = list(_pieces(without_accents(name), vocabulary))
    chosen = _sound(_best(pieces, name, vocabulary, own), pieces)
    found: list[Token] = []
    place = 0
    while place < len(pieces):
        token, behind = chosen.get(place, (None, place + 1))
        if token is None:
            while behind < len(pieces) and behind not in chosen and pieces[behind].run == pieces[place].run:
                behind += 1
            start, end = pieces[place].start, pieces[behind - 1].end
            text = name[start:end]
            token = Token("number" if text.isdigit() else "word", text, text, start, end, text.casefold())
        found.append(token)
        place = behind
    return tuple(found)


def _pieces(name: str, vocabulary: Vocabulary) -> Iterator[_Piece]:
    for run, found in enumerate(_RUNNING.finditer(name)):
        start, text = found.start(), found.group()
        spans = [(0, len(text))] if "." in text else list(_parts(text, vocabulary))
        for number, (left, right) in enumerate(spans):
            part = text[left:right]
            key = romanized(part.casefold())
            form = NUMBER if part[0].isdigit() and not _YEAR.fullmatch(part) else key  # spi_2020 is of a year
            yield _Piece(part, key, form, start + left, start + right, run, number == 0, number == len(spans) - 1)


def _parts(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """Where a run of letters and digits falls apart; ``NDVImax`` and ``meanndvi`` do where both parts are known."""
    if text.isalpha() and text.casefold() not in vocabulary:
        acronym = _ACRONYM.fullmatch(text)
        if acronym and acronym[1].casefold() in vocabulary and acronym[2] in vocabulary:
            yield from ((0, acronym.end(1)), (acronym.end(1), len(text)))
            return
        glued = _glued(text.casefold(), vocabulary)
        if glued:
            yield from ((0, glued), (glued, len(text)))
            return
    yield from ((found.start(), found.end()) for found in _PIECE.finditer(text))


def _glued(word: str, vocabulary: Vocabulary) -> int:
    """Where the name of a layer and a statistic meet in a word; 0 where they do not."""
    for place in range(3, len(word) - 2):
        kinds = [vocabulary[part].kind if part in vocabulary else "" for part in (word[:place], word[place:])]
        if sorted(kinds) == ["layer", "statistic"]:
            layer = word[:place] if kinds[0] == "layer" else word[place:]
            if len(layer) >= _GLUED:
                return place
    return 0


def _best(
    pieces: list[_Piece], name: str, vocabulary: Vocabulary, own: Mapping[str, Any]
) -> dict[int, tuple[Token, int]]:
    """The runs that cover most, by where they begin, each with where the next one may."""
    count = len(pieces)
    worth = [0.0] * (count + 1)
    taken: list[tuple[Token, int] | None] = [None] * count
    for place in range(count - 1, -1, -1):
        worth[place] = worth[place + 1]
        key = form = ""
        for behind in range(place + 1, min(count, place + _LONGEST) + 1):
            piece = pieces[behind - 1]
            if piece.text == DATE_MARK and behind > place + 1:
                break
            dot = "." if key[-1:].isdigit() and piece.key[0].isdigit() else ""
            key, form = key + dot + piece.key, form + piece.form
            if piece.run != pieces[place].run and not (pieces[place].first and piece.last):
                continue  # a part of one word and a part of the next
            layer = own.get(key) or own.get(form)
            word = Word("layer", layer.label, layer) if layer else _meant(key, form, vocabulary)
            if word is not None and word.whole and _letter_apart(pieces[place : place + 2], name):
                word = None
            if word is not None and word.entry == APART and behind == place + 1:
                word = None  # Kano is no K in a year
            if word is not None and word.kind == "unit" and _of_a_month(word, pieces[place : behind + 1], vocabulary):
                word = None  # mm mes 01 is of the first month, and in mm
            if word is not None and word.kind == "layer" and len(key) == 1 and not (piece.first and piece.last):
                word = None  # the N of N45
            if word is not None and word.kind == "before" and not _stands_before(pieces[place:], piece):
                word = None  # the R of L2R
            if word is None:
                text = name[pieces[place].start : piece.end]
                word = _by_form(key, text, pieces[place], piece)
                if word is None:
                    continue
            value = (_LITTLE.get(word.kind) or len(key) - 0.5) + worth[behind]
            if value > worth[place]:
                start, end = pieces[place].start, piece.end
                worth[place] = value
                taken[place] = Token(word.kind, word.value, name[start:end], start, end, key, form, word.entry), behind
    chosen: dict[int, tuple[Token, int]] = {}
    place = 0
    while place < count:
        found = taken[place]
        if found is not None and (worth[place] > worth[place + 1]):
            chosen[place] = found
            place = found[1]
        else:
            place += 1
    return chosen


def _of_a_month(unit: Word, pieces: list[_Piece], vocabulary: Vocabulary) -> bool:
    """Whether the month of an amount a month is one of the year by the number behind it, and the amount a unit."""
    if len(pieces) <= _PAIR or not unit.value.endswith(" month-1"):
        return False
    *amount, _, behind = pieces
    numbered = behind.text.isdigit() and 1 <= int(behind.text) <= _MONTHS
    known = vocabulary.get("".join(piece.key for piece in amount)) if numbered else None
    return known is not None and known.kind == "unit"


def _meant(key: str, form: str, vocabulary: Vocabulary) -> Word | None:
    """What a run means as it is written, or else with any number; the name of a layer before a word of products."""
    word = vocabulary.get(key)
    if word is None or word.kind == "hint":
        other = vocabulary.get(form)
        return other if word is None or (other is not None and other.kind == "layer") else word
    return word


def _stands_before(pieces: list[_Piece], last: _Piece) -> bool:
    """Whether a piece stands alone, or in small letters at a name in capitals: dNDMI."""
    first = pieces[0]
    glued = first is last and first.text.islower() and len(pieces) > 1 and pieces[1].text.isupper()
    return first.first and (last.last or (glued and pieces[1].run == first.run and pieces[1].last))


def _letter_apart(first: list[_Piece], name: str) -> bool:
    return len(first) == 2 and len(first[0].text) == 1 and not name[first[0].end : first[1].end].isalnum()


def _by_form(key: str, text: str, first: _Piece, last: _Piece) -> Word | None:
    if key == DATE_MARK:
        return Word("date", "")
    if len(key) > _MOST_TYPED:
        return None
    if text in _BY_LETTERS:
        return Word("unit", _BY_LETTERS[text])
    kind, value = _form_of(key)
    if kind in ("resolution", "height") and first.run != last.run and _form_of(first.key)[0] == "year":
        return None  # the unit behind a year is that of the numbers: 2020_m
    if kind == "tile" and _MGRS.fullmatch(value) and not _MGRS.fullmatch(text):
        return None  # tiles of the military grid are in capitals: 12day is none
    if kind == "unit" and text.isalpha() and not key.endswith("kg"):
        return None  # a unit has its parts apart, or a power: GHA is Ghana
    if len(first.text) == 1 and not text[:2].isalnum() and kind != "unit":
        return None  # a letter that stands alone belongs to no number: b_4
    if first is not last and (kind == "number" or (kind == "resolution" and "." in key and first.key.isdigit())):
        return None  # two numbers are no decimal
    return Word(kind, value) if kind else None


@lru_cache(maxsize=8192)
def _form_of(key: str) -> tuple[str, str]:
    """The kind of a run by its form, and what it says."""
    found = _FORM.fullmatch(key)
    kind = str(found.lastgroup) if found else ""
    if kind == "tile":
        return kind, key.upper().removeprefix("T") if _MGRS.fullmatch(key.upper()) else _tile(key)
    if kind == "year":
        return kind, key[-4:]
    if kind == "unit":
        return kind, _unit(key)
    if kind == "percentile":
        return "statistic", f"p{''.join(filter(str.isdigit, key))}"
    if kind == "resolution":
        return kind, key.removeprefix("r").replace("p", ".")
    return kind, key


def _tile(key: str) -> str:
    """A tile as its producer writes it: h18v04, N45E012, 40N_080W."""
    return key if key[0] in "hp" else key.replace(".00", "").upper()


def _unit(key: str) -> str:
    """An amount per mass, volume or area: dg kg-1 of dgkg."""
    plain_key = key.replace("per", "").removesuffix("1")
    below = next(one for one in _BELOW if plain_key.endswith(one))
    power = below if below[-1].isdigit() else f"{below}1"
    return f"{plain_key.removesuffix(below)} {power[:-1]}-{power[-1]}"


def _sound(chosen: dict[int, tuple[Token, int]], pieces: list[_Piece]) -> dict[int, tuple[Token, int]]:
    """Without what lies inside of a word that is not covered whole, as a band in a checksum; years stand out."""
    covered = {place for start, (_, behind) in chosen.items() for place in range(start, behind)}
    partly = {piece.run for place, piece in enumerate(pieces) if place not in covered}
    return {
        start: (token, behind)
        for start, (token, behind) in chosen.items()
        if token.kind == "year"
        or all(piece.run not in partly or own for piece, own in _ends(pieces[start], pieces[behind - 1]))
    }


def _ends(first: _Piece, last: _Piece) -> tuple[tuple[_Piece, bool], tuple[_Piece, bool]]:
    """The outer pieces of a run, each with whether it is at the end of its word."""
    return (first, first.first), (last, last.last)
