"""Formulas over the names of bands: "(NIR - red) / (NIR + red)" is NDVI, whatever else its words may mean.

A formula is read whole or not at all. One that is no index of the catalogue is asked back: its bands alone ("green")
would be taken for something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowflow.ground.bands import band, common_name
from knowflow.ground.index_formulas import indices_of
from knowflow.ground.indices import BAND_SYMBOLS, spectral_indices
from knowflow.ground.regex import regex
from knowflow.knowledge.phrases import Lexicon
from knowflow.model.goal import Ambiguity
from knowflow.reason.language.subjects import Subject

_SYMBOLS = {common: symbol for symbol, common in BAND_SYMBOLS.items()}
COLOURS = frozenset({"blue", "green", "yellow", "red"})
_NUMBER = r"\d+(?:\.\d+)?|\.\d+"
_BAND = (
    r"(?:near[\s-]?infra-?red|short-?\s?wave[\s-]infra-?red(?:[\s-]?[12])?|red[\s-]?edge(?:[\s-]?[123])?|swir(?:[\s-]?[12]|16|22)?|"
    r"nir(?:08|09)?|lwir(?:11|12)?|coastal|blue|green1?|yellow|red|vv|vh|hh|hv|band\s?\d{1,2}|b\d{1,2}a?|"
    rf"(?-i:{'|'.join(sorted(BAND_SYMBOLS, key=len, reverse=True))}))(?![\w.])(?:\s+(?:band|reflectance)\b)?"
)
_PIECE = rf"(?P<number>{_NUMBER})|(?P<band>{_BAND})|(?P<mark>\*\*|[-+*/÷×^()\[\]])"
_PIECES = regex(_PIECE, re.IGNORECASE)
_RUN = regex(rf"(?<![\w.])(?:(?:{re.sub(r'[?]P<[a-z]+>', '?:', _PIECE)})\s*){{3,}}", re.IGNORECASE)
_AS_WRITTEN = {"÷": "/", "×": "*", "^": "**", "[": "(", "]": ")"}
# "the green band", "of the green and NIR bands", "blue TOA reflectance": no vegetation, and no lake that is blue
_OTHERS = rf"(?:(?:\s*[,/&+-]\s*|\s+(?:and|or|to|by|minus|plus)\s+)(?:the\s+)?{_BAND})*"
_OF_BANDS = (
    r"(?:(?:surface|toa|boa|(?:top|bottom)[\s-]of[\s-](?:the[\s-])?atmosphere|spectral|mean|average|median|maximum|minimum)\s+)*"
    r"(?:wave)?(?:bands?|channels?|reflectances?|radiances?|wavelengths?|light|spectrum|(?:part|range|region)\s+of\s+the\s+spectrum)\b"
)
# "reflectance in the blue on 1 June", "reflectance, red": nothing is called so after the colour
_IN_COLOUR = r"\b(?:bands?|channels?|reflectances?|radiances?)(?:\s*[,:(]\s*|\s+(?:in|at|of|for)\s+|\s+)(?:the\s+)?"
_NOTHING_CALLED_SO = (
    r"(?=\s*(?:[.,;:?!()]|$)|\s+(?:on|in|at|for|over|of|from|between|during|by|per|is|was|were|are|has|had|within|inside|"
    r"across|to|before|after|with|than|as|and|or|each|every|please|\d)(?!\w))"
)
_COLOUR = rf"(?:{'|'.join(sorted(COLOURS))})\b(?![\s-]edge)"
_COLOUR_OF_BAND = regex(
    rf"\b{_COLOUR}(?={_OTHERS}\s+{_OF_BANDS})|"
    rf"{_IN_COLOUR}(?P<after>{_BAND}{_OTHERS}){_NOTHING_CALLED_SO}",
    re.IGNORECASE,
)
_ONE_COLOUR = regex(rf"\b{_COLOUR}", re.IGNORECASE)
_SEVERAL = regex(r"\s*(?:bands|reflectances?|channels|data|imagery|images|polari[sz]ations?)\b", re.IGNORECASE)
# what stands between a name and the formula that it is the name of
_IS = regex(
    r"\s*(?:index\s*)?(?:[(,:=;]\s*)?(?:(?:i\.e\.|that\s+is|which\s+is|is|as|being|defined\s+as|computed\s+as|calculated\s+as|"
    r"known\s+as|also\s+called|called|or|the)[\s,:]*){0,3}[(=]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula with its place, the indices that it is, the best known first, and its bands that may be several."""

    first: int
    past: int
    words: str
    indices: tuple[str, ...]
    unread: tuple[str, ...]


def formulas(text: str, known: Lexicon) -> tuple[Formula, ...]:
    """The formulas over bands of a cleaned text, in order."""
    found = [pieces for run in _RUN.finditer(text) for pieces in _parts(text, run) if _is_formula(text, pieces)]
    if not found:
        return ()
    named = (meaning for mention in known.scan(text) for meaning in mention.meanings)
    sensor = next((str(one.entry.value) for one in named if one.entry.slot == "sensor"), None)
    return tuple(_read(text, pieces, sensor, known) for pieces in found)


def colours_of_bands(text: str) -> tuple[tuple[int, int], ...]:
    """Where colours are said of bands: "the mean of the green band" is about no vegetation."""
    found = (match.span("after") if match["after"] else match.span() for match in _COLOUR_OF_BAND.finditer(text))
    return tuple(colour.span() for first, past in found for colour in _ONE_COLOUR.finditer(text, first, past))


def as_subjects(
    text: str, found: Sequence[Formula], subjects: Sequence[Subject]
) -> tuple[tuple[Subject, ...], tuple[Ambiguity, ...]]:
    """What is named, with the indices that the formulas are; and the formulas that are none, or another one than the
    name that they stand beside."""
    every, asked_back = list(subjects), []
    for one in found:
        name = next((named for named in subjects if _is_its_name(text, one, named)), None)
        if name is None and one.indices:
            every.append(Subject(one.indices[0], one.first, one.past, one.words))
        elif name is None or not (one.unread or name.quantity in one.indices):
            asked_back.append(_asked_back(one, name))
    return tuple(sorted(every, key=lambda subject: subject.first)), tuple(asked_back)


def _asked_back(formula: Formula, name: Subject | None) -> Ambiguity:
    """Why a formula cannot be taken, beside a name that it is not the formula of or alone, and what to say instead."""
    if name is not None:
        choices = (f"{name.words}, {spectral_indices()[name.quantity].formula}", formula.words)
        return Ambiguity("quantity", f"{name.words}, {formula.words}", choices)
    why, hint = "is no formula of the catalogue of spectral indices", "name an index, or write the formula of one"
    if formula.unread:
        why = f"is a formula of {', '.join(formula.unread)}, which may be several bands"
        hint = "name them as NIR, red, SWIR1, SWIR2, or say the sensor"
    return Ambiguity("quantity", formula.words, (), None, why, hint)


def _parts(text: str, run: re.Match[str]) -> Iterator[list[re.Match[str]]]:
    """What of a run of bands, numbers and signs may be a formula: two values side by side belong to two of them."""
    part: list[re.Match[str]] = []
    for piece in _PIECES.finditer(text, run.start(), run.end()):
        if part and _ends_value(part[-1]) and (_opens(piece) or piece["mark"] is None):
            yield _balanced(part)
            part = []
        part.append(piece)
    yield _balanced(part)


def _balanced(pieces: list[re.Match[str]]) -> list[re.Match[str]]:
    """The pieces without signs at the ends that join nothing and brackets that have no other one."""
    depth = 0
    for place, piece in enumerate(pieces):
        depth += _opens(piece) - _closes(piece)
        if depth < 0:
            return _balanced(pieces[:place])
    while pieces and not _ends_value(pieces[-1]):
        pieces = pieces[:-1]
    while (
        pieces
        and pieces[0]["mark"] is not None
        and (not _opens(pieces[0]) or sum(map(_opens, pieces)) > sum(map(_closes, pieces)))
    ):
        pieces = pieces[1:]
    return pieces


def _is_formula(text: str, pieces: Sequence[re.Match[str]]) -> bool:
    """Whether pieces combine bands: of two bare ones side by side, "NIR / red" does, "red-green" and "VV/VH data" do
    not."""
    bands = [piece for piece in pieces if piece["band"]]
    if len(bands) < 2 or len(pieces) < 3:
        return False
    if any(map(_opens, pieces)):
        return True
    names = {common_name(piece["band"]) for piece in bands}
    apart = all(text[piece.start() - 1].isspace() for piece in pieces if piece.group() == "-")
    radar = names <= {"vv", "vh", "hh", "hv"}
    return apart and not (names <= COLOURS or radar or _SEVERAL.match(text, pieces[-1].end()))


def _read(text: str, pieces: Sequence[re.Match[str]], sensor: str | None, known: Lexicon) -> Formula:
    names = [_common(piece["band"], sensor) if piece["band"] else None for piece in pieces]
    unread = [p["band"] for p, name in zip(pieces, names, strict=True) if p["band"] and name not in _SYMBOLS]
    written = " ".join(
        _AS_WRITTEN.get(piece.group(), piece.group()) if name is None else _SYMBOLS.get(name, "")
        for piece, name in zip(pieces, names, strict=True)
    )
    counted = Counter(str(one.entry.value) for found in known.phrases.values() for one in found)
    indices = () if unread else indices_of(written)
    best = sorted(indices, key=lambda index: (len(index.constants), -counted[index.name]))
    first, past = pieces[0].start(), pieces[-1].end()
    return Formula(first, past, text[first:past], tuple(index.name for index in best), tuple(dict.fromkeys(unread)))


def _common(name: str, sensor: str | None) -> str | None:
    """The common name of a band; None where sensors call several so and none is named."""
    plain = re.sub(r"\s+(?:band|reflectance)$", "", name, flags=re.IGNORECASE)
    if plain in BAND_SYMBOLS:
        return BAND_SYMBOLS[plain]
    numbered = re.sub(r"^band\s?", "B", plain, flags=re.IGNORECASE)
    found = band(sensor, numbered) if sensor is not None else None
    plain = re.sub(r"short-?\s?wave[\s-]infra-?red", "swir", plain, flags=re.IGNORECASE)
    return common_name(plain) if found is None else found.common_name


def _is_its_name(text: str, formula: Formula, named: Subject) -> bool:
    """Whether an index is named right before or behind a formula."""
    if named.sure < 2 or named.quantity not in spectral_indices():
        return False
    before = named.past <= formula.first and _IS.fullmatch(text, named.past, formula.first)
    return bool(
        before or (formula.past <= named.first and _IS.fullmatch(text.replace(")", "("), formula.past, named.first))
    )


def _ends_value(piece: re.Match[str]) -> bool:
    return piece["mark"] is None or _closes(piece)


def _opens(piece: re.Match[str]) -> bool:
    return piece.group() in ("(", "[")


def _closes(piece: re.Match[str]) -> bool:
    return piece.group() in (")", "]")
