"""What layers are called: their own names, by which people ask for what no vocabulary knows.

A raster of which nobody knows the quantity is of the one that it is called, in the unit that it declares; so are
layers of a quantity that says next to nothing (a distance, a class) where there are several such of different names.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from knowflow.ground.called import CLASSES, OBJECTS, called_kind, counted
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, known
from knowflow.knowledge.reading_words import reading_words
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.depths import without_depths
from knowflow.reason.inventory.header_clues import kinds_in_words
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.made_of import OTHER
from knowflow.reason.inventory.name_dates import dates_in
from knowflow.reason.inventory.names import plain_stem
from knowflow.reason.inventory.tags import unit_of
from knowflow.reason.inventory.tokens import Token, tokens_of
from knowflow.reason.vector_shapes import has_points

AS_IT_IS = "no unit is told: its numbers are taken as they are"
_NO_NAME = frozenset(
    (
        *("number", "year", "unit", "resolution", "version", "projection", "tile", "level", "relative_orbit", "sensor"),
        *("height", "step", "months", "percentile", "date", "statistic"),
    )
)
"""Tokens of a name that say nothing of what is measured."""
_SAYS_LITTLE = frozenset({"statistics", "measure", "drought"})
"""Families of kinds that are of something else, or of spans that names tell alone: SPI of 3 and of 12 months."""
_CLASS_LABEL = "class_label"
_DEPTHS, _HEIGHTS = "bathymetry", "elevation"
_HIGH = frozenset({"elevation", "elevations", "level", "levels", "height", "heights", "altitude"})
_DEEP = frozenset({"depth", "depths", "deep", "water"})
_UPWARDS = re.compile(
    r"\bpositive[\s:=]+(?:is\s+)?up|\bnegative(?:\s*[=:]\s*|\s+(?:is|means)?\s*)below\b", re.IGNORECASE
)
_BRACKETS = re.compile(r"[\[(][^\])]*[\])]")
_BEHIND = re.compile(r"[,;:=]|\s(?:below|above|relative|since|from|positive|negative)\s")
_WORD = re.compile(r"[^\W\d_][^\W_]*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_ANY = frozenset({"band", "layer", "raster", "data", "value", "values", "image", "file", "map", "output", "result"})
_FORMS = frozenset({"map", "maps", "raster", "layer", "grid", "image", "file", "final", "clip", "clipped"})
_MOST_WORDS = 8
_IN_FULL = MappingProxyType(
    {
        "dist": "distance",
        "dens": "density",
        "prob": "probability",
        "conc": "concentration",
        "temp": "temperature",
        "elev": "elevation",
        "pop": "population",
        "pct": "percent",
        "perc": "percent",
        "frac": "fraction",
        "veg": "vegetation",
        "vel": "velocity",
        "hgt": "height",
        "precip": "precipitation",
        "idx": "index",
    }
)
"""Words that names of files shorten."""


def with_own_names(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts as questions are asked of them: rasters of an unknown quantity are of that which they are called,
    and so are those of one that says little where several of it are called otherwise."""
    listed = tuple(map(_as_heights, artifacts))
    alike: dict[str, set[tuple[str, ...]]] = {}
    for item in listed:
        if item.type == "raster" and says_little(item):
            alike.setdefault(str(item.fact("quantity")), set()).add(own_words(item))
    common = _without_variants(listed)
    return tuple(
        _called(item, common.get(item.name)) if item.type == "raster" and _may_be_called(item, alike) else item
        for item in listed
    )


def _as_heights(item: Artifact) -> Artifact:
    """Depths that their header calls heights as these: those of a seabed are negative, and no depths."""
    known = item.known("quantity")
    if known is None or known.value != _DEPTHS or known.origin >= Origin.USER:
        return item
    if not any(map(tells_heights, item.fact("described") or ())):
        return item
    return item.with_facts(item.facts.put("quantity", _HEIGHTS, known.origin, "what its header calls it"))


def tells_heights(said: object) -> bool:
    """Whether what is said of a bed of water calls it by how high it lies, and not by how deep: ``bed level above the
    datum``, ``positive up``."""
    words = {word.casefold() for word in _WORD.findall(_BEHIND.split(_BRACKETS.sub(" ", str(said)), maxsplit=1)[0])}
    return bool(_UPWARDS.search(str(said))) or (not words.isdisjoint(_HIGH) and words.isdisjoint(_DEEP))


def _without_variants(items: Iterable[Artifact]) -> Mapping[str, tuple[str, ...]]:
    """What undated layers are called together that one numbered word of their names tells apart: the flood depths of 10
    and of 100 years; by the names of the layers."""
    groups: dict[tuple[object, ...], dict[str, str]] = {}
    for item in items:
        if item.type == "raster" and "quantity" not in item.facts and item.fact("datetime") is None:
            words = own_words(item)
            for at, word in enumerate(words):
                if any(map(str.isdigit, word)):
                    key = (item.fact("unit"), item.fact("grid"), *words[:at], *words[at + 1 :])
                    groups.setdefault(key, {})[item.name] = word
    found: dict[str, tuple[str, ...]] = {}
    for (_, _, *common), names in groups.items():
        if common and len(names) > 1 and len({*names.values()}) == len(names):
            found |= dict.fromkeys(names, tuple(map(str, common)))
    return found


def called(item: Artifact) -> str | None:
    """The words by which a raster may be asked for of which nobody knows the quantity; None for other data."""
    named = item.type == "raster" and "quantity" not in item.facts and _may_be_called(item, {})
    return " ".join(own_words(item)) if named else None


def says_little(item: Artifact) -> bool:
    """Whether the known quantity of a layer is that of many things: a distance, a share, a class."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return kind is not None and (kind.family in _SAYS_LITTLE or kind.name == _CLASS_LABEL)


def names_of_kinds(items: Iterable[Artifact]) -> Mapping[str, str]:
    """What layers of kinds that say little are called, by kind: ``tree species`` of classes; not of those of which
    several are called otherwise. Where objects are the points of one file, they are what it is called: ``stations``,
    or else points."""
    items = tuple(items)
    found: dict[str, set[tuple[str, ...]]] = {}
    for item in items:
        if item.type == "raster" and says_little(item):
            found.setdefault(str(item.fact("quantity")), set()).add(own_words(item))
    one = {kind: next(iter(names)) for kind, names in found.items() if len(names) == 1}
    objects = [item for item in items if item.type == "vector"]
    points = own_words(objects[0]) if len(objects) == 1 and has_points(objects[0]) else None
    own = {} if points is None else {OBJECTS: " ".join(points) if points and points[-1].endswith("s") else "points"}
    return MappingProxyType({kind: " ".join(words) for kind, words in one.items() if words} | own)


def own_words(item: Artifact) -> tuple[str, ...]:
    """The words that a layer is called by, in small letters; none where its name says nothing of that kind.

    Of a file of several layers the name of each is that of its band.
    """
    if item.band is not None:
        return _words(str(item.fact("layer") or item.fact("band") or ""))
    if (item.fact("count") or 1) > 1:
        return ()
    every = words_of_file(plain_stem(str(item.path or item.name)))
    words = tuple(word for word in every if not _is_around(word)) or every
    return words[:-1] if len(words) > 1 and unit_in_name(item) is not None else words


def _is_around(word: str) -> bool:
    """Whether a word of a name says that it is before or after an event: ``predredge``."""
    event = re.sub(r"^(?:pre|post)", "", word)
    return event != word and ("event", None) in reading_words().phrases.get((event,), ())


def unit_in_name(item: Artifact) -> str | None:
    """The word that a file's name ends in where it is the unit of its numbers: ``ohm``."""
    told, last = item.fact("unit"), _tokens(plain_stem(str(item.path or item.name)))[-1:]
    if told in (None, "1") or item.band is not None or not last or last[0].kind != "word":
        return None
    return last[0].text if unit_of(last[0].text) == told else None


def described_words(item: Artifact) -> Iterator[tuple[str, ...]]:
    """The words of what the header of a layer calls it."""
    for text in item.fact("described") or ():
        words = _words(without_depths(_BRACKETS.sub(" ", str(text))))
        if 0 < len(words) <= _MOST_WORDS:
            yield words


def heads_described(item: Artifact) -> Iterator[tuple[str, ...]]:
    """The words of what the header of a layer calls it, up to what it says of that: ``water depth``, of a water depth
    below chart datum, positive down."""
    for text in item.fact("described") or ():
        head = _BEHIND.split(_BRACKETS.sub(" ", str(text)), maxsplit=1)[0]
        words = _words(without_depths(head))
        if head != text and 0 < len(words) <= _MOST_WORDS:
            yield words


@kept(4096)  # the names of a folder differ in their dates for the most part
def words_of_file(stem: str) -> tuple[str, ...]:
    """The words of a file's name that say what is in it, without dates, units, versions, grids and sensors."""
    return _words(" ".join(token.text for token in _tokens(stem) if token.kind not in _NO_NAME))


def unread_words(stem: str, also: Container[str] = ()) -> frozenset[str]:
    """The words of a file's name that are neither a layer's nor say when, how or where, or whose kind is one of
    ``also``."""
    return frozenset(token.key for token in _tokens(stem) if token.kind in ("word", "hint") or token.kind in also)


def _tokens(stem: str) -> tuple[Token, ...]:
    return tokens_of(dates_in(stem)[0], load_lore().vocabulary)


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", text).replace("_", " ")))
    return () if _ANY.issuperset(words) else tuple(_IN_FULL.get(word, word) for word in words if word not in _FORMS)


def _may_be_called(item: Artifact, alike: Mapping[str, set[tuple[str, ...]]]) -> bool:
    words = own_words(item)
    if not words:
        return False
    if (named := item.known("quantity")) is not None:
        several = len(alike.get(str(named.value), ())) > 1
        return named.origin < Origin.USER and (several or _is_in_another_unit(item))
    if item.fact("bands") or item.fact("polarisation") or item.fact("sensor"):
        return False  # of images it is the band that is called so
    if item.fact("classes") is not None:
        return True  # numbers that stand for classes are of no quantity
    unit = item.known("unit")
    declared = item.fact("told_unit") is not None or (unit is not None and unit.origin > Origin.ASSUMED)
    return declared or not any(_names_a_quantity(one) for one in (words, *described_words(item)))


def _is_in_another_unit(item: Artifact) -> bool:
    """Whether numbers that are made of others are told in the unit of these: a trend in metres per year."""
    kind, unit = quantity_kinds().get(str(item.fact("quantity"))), str(item.fact("unit"))
    return kind is not None and kind.borrows_unit and known(unit) and not compatible(unit, kind.unit)


@lru_cache(maxsize=1024)
def _names_a_quantity(words: tuple[str, ...]) -> bool:
    """Whether some words are the name of a quantity that is known, which these numbers may or may not be."""
    tokens = tokens_of(" ".join(words), load_lore().vocabulary)
    made = any(token.kind == "derived" and token.value != OTHER for token in tokens)
    return made or any(token.kind == "layer" for token in tokens) or bool(kinds_in_words(" ".join(words)))


def _called(item: Artifact, common: tuple[str, ...] | None = None) -> Artifact:
    facts, words = item.facts, common or own_words(item)
    of_classes = facts.value("quantity") == _CLASS_LABEL or facts.value("classes") is not None
    if "unit" not in facts and not of_classes:
        facts = _with_unit(item, facts)
    told = str(facts.value("told_unit") or facts.value("unit") or "1")
    told = (counted(words) or told) if told == "1" else told
    kind = called_kind(words, CLASSES if of_classes else told)
    found = facts.without(("quantity",)).put("quantity", kind, Origin.DECLARED, "what it is called")
    return item.with_facts(found.over(Facts.of(Origin.DECLARED, "classes are pure numbers", unit="1")))


def _with_unit(item: Artifact, facts: Facts) -> Facts:
    """The facts with the unit that the name of a file ends in; else with numbers of what the header counts in, or as
    they are."""
    last = _tokens(plain_stem(str(item.path or item.name)))[-1:] if item.band is None else ()
    if facts.value("told_unit") is not None:
        return facts.put("unit", "1", Origin.DECLARED, f"numbers of {facts.value('told_unit')}")
    if last and last[0].kind == "unit":
        return facts.put("unit", last[0].value, Origin.DECLARED, f"file name ({last[0].text!r})")
    return facts.put("unit", "1", Origin.ASSUMED, AS_IT_IS)
