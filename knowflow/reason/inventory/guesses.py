"""What a raster of unknown quantity may hold: kinds whose names share words with what it is called, and kinds whose
numbers look like its own.

A kind is the better guess the more of the words are its own and the more of its range the numbers fill: those of a
raster from -0.2 to 0.9 may be heights, and are rather those of an index. Of kinds that are alike the one goes first of
which more products have layers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePath

from knowflow.ground.bands import COMMON_NAMES
from knowflow.ground.kept import kept
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.concepts import in_english
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.products import Known

MOST = 8
"""Candidates for the quantity of one layer."""
_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WHOLE, _BEGUN, _WITHIN = 1.0, 0.5, 0.4  # of a word that is a kind's own, begins alike, or holds it
_SHORTEST_BEGUN, _SHORTEST_WITHIN, _SHORTEST_INITIALS = 3, 6, 3
_OF_UNIT = 0.6  # what a unit in a name counts beside words
_OF_FOLDERS = 0.5  # what the words of folders count beside those of the name
_OF_OTHERS = 1.0  # what it counts that other files of the folder are of it
_LEAST_FILLED = 0.25  # what possible values count, however little of a range they fill
_MOST_OF_FAMILY = 3
_COLDEST, _HOTTEST, _OF_KELVIN = 220.0, 345.0, 2.0  # numbers that mostly are temperatures, and what that counts
_HINT = 0.3  # what the best guess weighs
_OF_WORDS = 4.0  # what a word counts beside the values
_MORE_TELLING = ("change_mask", "flood_mask", "ice_mask")  # a change of forest, and water where there is none usually
_FEW_CLASSES = 30
_NO_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "at", "by", "class", "in", "index", "is", "its", "mask", "of", "one", "per"),
        *("the", "to", "two", "whole"),
    )
)
_OF_MASKS = frozenset(
    (
        *("area", "binary", "cnn", "detected", "else", "extent", "false", "flag", "from", "ikke", "inte", "kmeans"),
        *("mascara", "maschera", "maska", "maske", "masken", "masks", "masque", "nao", "ne", "nein", "nie", "niet"),
        *("nodata", "non", "not", "observed", "open", "other", "otherwise", "otsu", "pixel", "pixels", "rest", "rf"),
        *("sar", "surface", "svm", "thresh", "threshold", "true", "unet", "value", "values", "where", "with", "yes"),
    )
)
"""Words beside those of what a mask is of that say nothing else of it."""
_BEFORE = re.compile(r" (?:before|pre|preflood|avant|vor|antes|prima|permanent|normal) ")
_COMPOUND = re.compile(r"\b(\w{3,})(maske?|masque)\b")
_MASK = re.compile(r"\b(?:masks?|masken?|masque|mascara|maschera|maska)\b")
_RARE = frozenset({"index"})  # families of which there are so many that only words tell one


_CALCULATED = "calculated"
_OWN = Candidate("quantity", _CALCULATED, ("nothing says what somebody calculated",), 0.01)
"""What may be said of any numbers."""


@dataclass(frozen=True, slots=True)
class Around:
    """What lies around a file: the folder that all are in, and the quantities of the others."""

    root: Path
    quantities: frozenset[str] = frozenset()

    def folders_of(self, item: Artifact) -> tuple[str, ...]:
        folder = Path(str(item.path)).parent
        below = folder.relative_to(self.root).parts if folder.is_relative_to(self.root) else ()
        return (*below, self.root.name)


def masks_in_words(item: Artifact, in_root: bool = False) -> Mapping[str, str]:
    """The kinds of mask that the words of a layer speak of, those of most words, each with its word: of its own name,
    or else of its description, or else of its folder. Other words in a description, and other words of its own beside
    those of a folder, may say of which water, snow or forest it is a mask: then neither says it. What is called a mask
    of something else is one. The folder of everything (``in_root``) says what all is about, not what one file is."""
    stem, *described = _own_texts(item)
    for texts in ((stem,), described, () if in_root else (PurePath(str(item.path)).parent.name,)):
        words = _joined(_COMPOUND.sub(r"\1 \2", _joined(texts)).split())
        told: dict[str, set[str]] = {}
        for kind in quantity_kinds().values():
            forms = ((word, _in_english(word)) for word in kind.words)
            said = {form for some in forms for form in some if f" {form} " in words}
            if said and kind.family == "mask":
                told[kind.name] = {part for word in said for part in word.split()}
        said_of = words if texts is described else _joined((stem,))
        if told and texts == (stem,) and (other := _head_behind(stem, told)):
            told = {name: parts for name, parts in told.items() if name != other}
        if told and texts != (stem,) and _other_words(said_of, {part for parts in told.values() for part in parts}):
            break
        if len(told) > 1:  # the mask of an area, and of what
            told.pop("mask", None)
        most = max(map(len, told.values()), default=0)
        best = {name: " ".join(sorted(parts)) for name, parts in told.items() if len(parts) == most}
        if _BEFORE.search(words):  # before a flood there is water only
            told.pop("flood_mask", None)
        for name in _MORE_TELLING:
            if name in told:
                return {name: " ".join(sorted(told[name]))}
        if best:
            return best
    own = _MASK.search(_COMPOUND.sub(r"\1 \2", _joined((stem,))))
    return {} if own is None else {"mask": own.group()}


@kept(1024)
def _in_english(words: str) -> str:
    return " ".join(map(in_english, words.split()))


def _head_behind(stem: str, told: Mapping[str, Collection[str]]) -> str | None:
    """The mask whose word stands, in small letters, before another one that nobody claims: the water of a water
    hyacinth is what that grows on. Places are mostly written large, and who says that it is a mask means it."""
    pieces = re.split(r"[ _.-]+", stem)
    if any(piece.casefold() in _OF_MASKS or piece.casefold() == "mask" for piece in pieces):
        return None
    for name, parts in told.items():
        for word, behind in pairwise(pieces):
            claimed = not behind.isalpha() or not behind.islower() or not _other_words(f" {behind} ", parts)
            if not claimed and word.islower() and in_english(word) in parts and word not in behind:
                return name
    return None


def _other_words(text: str, said: Collection[str]) -> set[str]:
    """The words of a text that say something, and that nobody claims."""
    vocabulary = load_lore().vocabulary
    known = {word for kind in quantity_kinds().values() if kind.family == "mask" for word in kind.words}
    words = {word for word in text.split() if len(word) > 2} - {*said, *known, *_NO_WORDS, *_OF_MASKS}
    return {word for word in words if word not in vocabulary or vocabulary[word].kind in ("hint", "product")}


def guesses(item: Artifact, look: Look | None, known: Collection[str], around: Around) -> tuple[Candidate, ...]:
    """Candidates for the quantity of a raster beside those that are ``known``, the best first; together no more than
    ``MOST``."""
    if (item.fact("count") or 1) > 1 and item.band is None and item.fact("bands"):
        return ()
    unit = item.fact("unit")
    folders = _words_of([str(one) for one in around.folders_of(item)])
    said = None if unit is None else str(unit)
    found = _guessed(_own_words(item), folders, look, said, tuple(known), around.quantities)
    if look is None or look.yes_or_no or _CALCULATED in known:
        return found
    return (*found[: max(0, MOST - len(known) - 1)], _OWN)


def units_of_guesses(item: Artifact, left: Iterable[Candidate], guessed: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The units of what a layer of unknown quantity may be of."""
    if "unit" in item.facts or any(one.fact == "unit" for one in left):
        return ()
    kinds = [kind for one in guessed if (kind := quantity_kinds().get(str(one.value))) is not None]
    units = {unit: kind for kind in kinds if not kind.borrows_unit for unit in (kind.unit, *kind.units_beside)}
    return tuple(Candidate("unit", unit, (f"of {kind.name}",), _HINT / 2) for unit, kind in units.items())


@kept(4096)  # the files of a folder differ in their dates for the most part
def _guessed(
    own: tuple[str, ...],
    folders: tuple[str, ...],
    look: Look | None,
    unit: str | None,
    known: tuple[str, ...],
    others: frozenset[str],
) -> tuple[Candidate, ...]:
    spoken = _spoken(own)
    if look is None and not spoken:
        return ()
    for name, score in _spoken(folders).items():
        spoken[name] = spoken.get(name, 0.0) + _OF_FOLDERS * score
    units = [str(word.value) for one in own if (word := load_lore().vocabulary.get(one)) and word.kind == "unit"]
    scores: dict[str, float] = {}
    for kind in quantity_kinds().values():
        if kind.name in known or (unit is not None and not _told_in(kind, unit)):
            continue
        of_words = spoken.get(kind.name, 0.0) + (_OF_UNIT if any(_told_in(kind, one) for one in units) else 0.0)
        if not of_words and (look is None or (kind.family in _RARE and kind.name not in _layers_of())):
            continue
        of_values = 0.0 if look is None else _likeness(kind, look, unit)
        if look is None or of_values > 0.0:
            scores[kind.name] = _OF_WORDS * of_words + of_values + (_OF_OTHERS if kind.name in others else 0.0)
    yes_or_no = look is not None and look.yes_or_no  # of 0 and 1 nearly everything is some mask
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    best = _of_each_family(ranked, spoken, MOST - len(known), MOST if yes_or_no else _MOST_OF_FAMILY)
    return tuple(
        Candidate("quantity", name, (_why(name, spoken, look),), round(_HINT / (place + 1), 3))
        for place, name in enumerate(best)
    )


def _of_each_family(ranked: Iterable[str], spoken: Collection[str], most: int, of_family: int) -> list[str]:
    """The first of some kinds; of one family no more than so many that no word speaks for."""
    found: list[str] = []
    families: dict[str, int] = {}
    for name in ranked:
        family = quantity_kinds()[name].family
        if name not in spoken:
            families[family] = families.get(family, 0) + 1
        if len(found) < most and families.get(family, 0) <= of_family:
            found.append(name)
    return found


def _why(name: str, spoken: Mapping[str, float], look: Look | None) -> str:
    said = ["words of its name"] if spoken.get(name) else []
    if look is not None:
        said.append(f"values from {look.low:g} to {look.high:g}")
    return " and ".join(said)


def _told_in(kind: QuantityKind, unit: str) -> bool:
    if kind.borrows_unit:
        return True
    return unit == kind.unit or (unit != "1" and compatible(unit, kind.unit))


def _likeness(kind: QuantityKind, look: Look, unit: str | None) -> float:
    """How much the numbers of a kind look like those that are seen, from 0: they cannot be."""
    prior = 0.2 + 0.2 * math.log2(1.0 + _layers_of().get(kind.name, 0))
    if kind.family == "mask":
        return 2.0 + prior + _OF_WORDS * (kind.name == "mask") if look.yes_or_no else 0.0
    if kind.categorical:
        if not look.whole or look.low % 1 or look.top % 1:  # what a known scale makes parts of is no class
            return 0.0
        return prior + (1.0 if look.codes and len(look.codes) <= _FEW_CLASSES else 0.2)
    if look.yes_or_no and look.whole and not look.physical:
        return 0.1 * prior
    if kind.name == "display_value":
        return prior + look.top / 255.0 if look.whole and look.low >= 0 and look.top <= 255.0 else 0.0
    fills = max((_filled(kind, look, one) for one in ((unit,) if unit else (kind.unit, *kind.units_beside))), default=0)
    if look.physical:
        kelvin = _OF_KELVIN if fills and kind.unit == "K" and look.low >= _COLDEST and look.high <= _HOTTEST else 0.0
        return (_LEAST_FILLED + fills) * (0.5 + prior) + kelvin if fills else 0.0
    stored = 0.5 if kind.is_share and look.top <= 10_500.0 else 0.0  # whole numbers to be scaled
    return max(fills, stored) * (0.5 + prior)


def _filled(kind: QuantityKind, look: Look, unit: str) -> float:
    """Which part of the range of a kind the numbers fill, from 0: they are out of it; of open ranges little."""
    if unit != kind.unit and ("dB" in (unit, kind.unit) or not compatible(unit, kind.unit)):  # shares are no levels
        return 0.0
    low, high = (float(convert(end, unit, kind.unit)) for end in (look.low, look.high))
    (least, most), (from_, to) = kind.range, kind.top
    if (least is not None and low < least) or (most is not None and high > most):
        return 0.0
    if to is not None and not (from_ or 0.0) <= max(abs(low), abs(high)) <= to:
        return 0.05
    if least is None or most is None:
        return 0.15 if least is None else 0.1
    return 0.1 + 0.9 * math.sqrt((high - low) / (most - least))


@kept()
def _layers_of() -> Mapping[str, int]:
    """How many layers of products there are of each quantity."""
    found: dict[str, int] = {}
    for known in load_lore().products.values():
        for quantity in _quantities_of(known):
            found[quantity] = found.get(quantity, 0) + 1
    return found


def _quantities_of(known: Known) -> Iterable[str]:
    meanings = {layer.meaning.name: layer.meaning for layer in known.layers.values()}
    return (*known.meaning.quantities, *(one for meaning in meanings.values() for one in meaning.quantities))


def _spoken(said: Collection[str]) -> dict[str, float]:
    """How much of what is said speaks for each kind."""
    found: dict[str, float] = {}
    for word in said:
        for name, weight in _spoken_by(word).items():
            found[name] = found.get(name, 0.0) + weight
    return found


@kept(4096)
def _spoken_by(word: str) -> Mapping[str, float]:
    """The kinds that a word speaks for; one that many kinds have counts little."""
    held: dict[str, float] = {}
    for name, words in _words_of_kinds().items():
        weight = max((_alike(word, own) for own in words), default=0.0)
        if weight:
            held[name] = weight
    best = max(held.values(), default=0.0)
    return {name: weight / (1.0 + 0.2 * len(held)) for name, weight in held.items() if weight == best}


def _alike(word: str, own: str) -> float:
    if word == own:
        return _WHOLE
    if len(word) >= _SHORTEST_BEGUN and own.startswith(word):
        return _BEGUN
    return _WITHIN if len(own) >= _SHORTEST_WITHIN and own[:8] in word else 0.0


@kept()
def _words_of_kinds() -> Mapping[str, frozenset[str]]:
    """The words of the names of each kind, and the initials of its names of several words."""
    found = {}
    for kind in quantity_kinds().values():
        names = [_WORD.findall(name.casefold()) for name in (kind.name.replace("_", " "), kind.title, *kind.synonyms)]
        if kind.family in _RARE:  # their titles hold the words of other kinds
            names = [[kind.name]]
        initials = {"".join(word[0] for word in name) for name in names if len(name) >= _SHORTEST_INITIALS}
        found[kind.name] = frozenset({*(word for name in names for word in name), *initials, *kind.words} - _NO_WORDS)
    return found


def _own_texts(item: Artifact) -> tuple[str, ...]:
    return (PurePath(str(item.path)).stem, *map(str, item.fact("described") or ()))


def _own_words(item: Artifact) -> tuple[str, ...]:
    """What a layer is called, but for colours, which are in the names of many indices."""
    return _words_of(_own_texts(item))


def _words_of(texts: Collection[str]) -> tuple[str, ...]:
    words = (*_joined(texts).split(), *_WORD.findall(" ".join(texts).casefold()))
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and word not in COMMON_NAMES))


def _joined(texts: Iterable[str]) -> str:
    """The words of some texts in small letters, each between blanks."""
    words = _WORD.findall(" ".join(_CAMEL.sub(" ", text) for text in texts))
    return f" {' '.join(map(in_english, words))} "
