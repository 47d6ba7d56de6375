"""What polygons, their attributes and classes of maps are called: the keys that a question may ask by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from knowflow.ground.columns import day_column, name_field, row_field, words_of
from knowflow.ground.inflection import plural, singular
from knowflow.knowledge.legends import each_called
from knowflow.knowledge.things import other_names
from knowflow.model.artifact import Artifact
from knowflow.question.reading.nouns import BY, CLASSES_OF, LAND_COVER
from knowflow.reason.inventory.called import described_words, own_words
from knowflow.reason.noted_words import NotedWords

OBJECTS, CLASSES = "objects", "classes"
_EDGES = "0123456789_- "
_APART = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_OF_ITSELF = frozenset({"name", "names", "label", "title", "id", "nom", "nombre", "nome"})  # what names a thing, not it
_NAME = frozenset(
    ("name", "names", "nm", "nam", "nom", "nombre", "nome", "naam", "nazwa", "namn", "navn", "nazev", "naziv", "ime")
)
"""The word for a name, in a column of them."""
_INVENTORIES = frozenset({"rgi", "glims"})  # called by their letters
_OUTLINES = frozenset(
    {
        "outlines",
        "outline",
        "boundaries",
        "boundary",
        "polygons",
        "borders",
        "shapes",
        "footprints",
        "perimeter",
        "perimeters",
    }
)
_SORTS = ("type", "types", "class", "classes", "category", "categories")
_SHORTEST = 3  # letters of a word that is a name


_NUMBERED = re.compile(r"^([^\W\d_]{3,})\d+$")  # rgi60, parcels2020


def keys_of_polygons(
    vector: Artifact, columns: Mapping[str, Sequence[Any]], among: bool = False
) -> Iterator[tuple[str, str]]:
    """What the polygons of a file are called, one or many, by its name and by that of the attribute that names them;
    and its other attributes of words: ``forest_stands.gpkg``, ``district``, ``crop``. ``among``: there are other
    files, and one word of its name may tell it."""
    stem = PurePath(str(vector.path)).stem
    parts = (_NUMBERED.sub(r"\1", one) for one in re.split(r"[\W_]+", stem))
    told = [one for one in parts if not any(map(str.isdigit, one))]
    words = _words("_".join(told or re.split(r"[\W_]+", stem.rstrip(_EDGES))))
    for start in range(len(words)):
        short = among or words[-1].endswith("s") or start == 0
        yield from ((name, OBJECTS) for name in _one_and_many(words[start:]) if short)
        yield from ((name, OBJECTS) for other in _otherwise(words[start:]) for name in _one_and_many(other))
    if len(words) > 1 and words[-1] in _OUTLINES:
        inside = (words[:-1], *_otherwise(words[:-1]))
        yield from ((name, OBJECTS) for thing in inside for name in _one_and_many(thing))
    yield from ((name, OBJECTS) for head in _heads(words) for name in _one_and_many(head))
    named = name_field(columns) or _told_apart_by(columns)
    thing = _words(_without_name(named or ""))
    own = (thing, *_otherwise(thing)) if thing else ()
    yield from ((name, OBJECTS) for one in own for name in _one_and_many(one))
    if words and thing and words[-1] not in _one_and_many(thing):  # protected sites, of ``protected`` with a ``site``
        yield from ((name, OBJECTS) for name in _one_and_many((*words, *thing)))
    things = [next(_one_and_many(words[start:])) for start in range(len(words))]  # station type, of stations
    for field in words_of(columns).keys() - {named}:
        for name in dict.fromkeys(names_of_column(field)):
            yield name, f"{BY}{field}"
            if not name.endswith(_SORTS):
                yield from ((f"{name} {sort}", f"{BY}{field}") for sort in _SORTS)
            yield from ((f"{thing} {name}", f"{BY}{field}") for thing in things)


def _heads(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What stands in front of a place in the name of a file: ``districts_chaco``; or an inventory by its letters:
    ``rgi_quelccaya``."""
    for end in range(1, len(words)):
        front = words[:end]
        if front[-1].endswith("s"):
            yield front
        if front[-1].endswith("s") or front[0] in _INVENTORIES:
            yield from _otherwise(front)


def _without_name(column: str) -> str:
    """What a column names, without the word for a name: ``ward``, of ``ward_name``."""
    parts = [part for part in _APART.split(column) if part]
    kept = [part for part in parts if part.casefold() not in _NAME]
    return "_".join(kept if kept else parts)


def _told_apart_by(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """The column of texts that tells the rows apart: ``policy``, of ``P-032``."""
    own = row_field(columns)
    texts = own is not None and all(isinstance(value, str) for value in columns[own])
    return own if texts and day_column(columns) is None else None


def names_of_column(field: str) -> Iterator[str]:
    """What a column is called by its name, one and many: ``station``."""
    own = _words(field)
    yield from (name for said in (own, *_otherwise(own)) for name in _one_and_many(said))


def keys_noted(vector: Artifact, noted: NotedWords, columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str]]:
    """What notes call the features of a file, by what they are or by the attribute that tells them apart, and its other
    attributes of words."""
    own = row_field(columns)
    file = _words(PurePath(str(vector.path)).stem.rstrip(_EDGES))
    named = noted.of(own).names if own is not None else ()
    whole = ((*file, *words[1:]) for words in named if file[-1:] == words[:1])  # beach access points
    yield from ((name, OBJECTS) for words in (*noted.features, *whole) for name in _one_and_many(words))
    for field in columns:
        names = dict.fromkeys(name for words in noted.of(field).names for name in _one_and_many(words))
        yield from ((name, OBJECTS if field == own else f"{BY}{field}") for name in names)


def keys_of_classes(raster: Artifact, legends: Sequence[Artifact] = ()) -> Iterator[tuple[str, str]]:
    """What the classes of a map are called, by its name, by what its header calls it, ``crop type``, and by the column
    of the table that names them."""
    kind = str(raster.fact("quantity"))
    key = CLASSES if kind == LAND_COVER.kind else f"{CLASSES_OF}{kind}"
    told = (_words(str(raster.fact("band") or "")), own_words(raster), *described_words(raster))
    told = (*told, *_columns_of_legend(raster, legends), *_told_by_product(raster))
    for words in dict.fromkeys((_words(PurePath(str(raster.path)).stem.rstrip(_EDGES)), *told)):
        parts = [part for start in range(len(words)) for part in (words[start:], *_otherwise(words[start:]))]
        for name in dict.fromkeys(name for part in parts for name in _one_and_many(part)):
            yield name, key
            yield from ((f"{name} {sort}", key) for sort in _SORTS[:4])


_OF_LEGENDS = frozenset(
    {
        "code",
        "codes",
        "value",
        "values",
        "class",
        "classes",
        "label",
        "labels",
        "category",
        "type",
        "description",
        "text",
    }
    | {"number", "key", "colour", "color", "count", "area", "hex", "rgb", "red", "green", "blue", "meaning", "pixel"}
)
"""What columns of any legend are called."""


def _columns_of_legend(raster: Artifact, legends: Sequence[Artifact]) -> Iterator[tuple[str, ...]]:
    """What the columns of the table are called that names the classes of a map: ``rock``."""
    told = raster.known("classes")
    source = None if told is None else told.source
    for table in legends:
        if PurePath(str(table.path)).name == source:
            names = (_words(str(field)) for field in table.fact("fields") or ())
            yield from (words for words in names if words and _OF_LEGENDS.isdisjoint(words))


def _told_by_product(raster: Artifact) -> Iterator[tuple[str, ...]]:
    """What one of the classes is called in the legend of the product that calls its numbers so: ``soil group``."""
    yield from (tuple(name.split()) for name in each_called(dict(raster.fact("classes") or ())))


def _otherwise(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The names of a thing in other languages, or of what it is a sort of: huts, of ``huetten``, landslide danger."""
    for front, last in ((words[:0], words), (words[:-1], words[-1:])):
        names = other_names(" ".join(last)) if last else ()
        yield from ((*front, *found) for name in names if (found := _words(name.replace(" ", "_"))))


def _words(name: str) -> tuple[str, ...]:
    """The words of a name; none where it holds anything else, or is called as anything is."""
    words = tuple(one.lower() for one in _APART.split(name) if one)
    fits = all(one.isalpha() and len(one) >= _SHORTEST for one in words) and not _OF_ITSELF.issuperset(words)
    return words if fits else ()


def _one_and_many(words: Sequence[str]) -> Iterator[str]:
    """A name in the singular and in the plural: ``forest stand``, ``counties``."""
    if not words:
        return
    *front, last = words
    one = singular(last)
    yield from (" ".join((*front, word)) for word in dict.fromkeys((one, plural(one), last)))
