"""Names of classes that stand beside a class map: in GDAL's and QGIS's sidecars, in tables, texts and vectors.

What shares the map's name is of it. A table, a text or the attributes of a vector in its folder are of it where they
name every number that occurs, and are called like it, are called a legend, or name no other numbers; where several
such name the numbers differently, none is believed. What lies in a folder above is of the maps below it too, where it
is called a legend; what lies nearer is believed before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from knowflow.ground.columns import read_legend
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.dates_in_notes import with_dates_noted
from knowflow.reason.inventory.glance import glance
from knowflow.reason.inventory.told_in_notes import with_what_notes_tell

_SIDECARS = (".aux.xml", ".qml", ".vat.dbf")
_TEXTS = (".txt", ".csv", ".tsv", ".clr")
_LONGEST_NOTE = 1 << 16  # bytes
_LARGEST = 4 << 20  # bytes of a sidecar
_CALLED = re.compile(
    r"legend|clas[es]|klass|[ck]ategor|lookup|lut(?![a-z])|label|code|key(?![a-z])|nomenclature", re.IGNORECASE
)
_LEGEND = re.compile(r"l[eé](?:gg?|y)end", re.IGNORECASE)
"""What is called a legend, in several languages, is of the maps beside it; codes are of anything."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_OF_ANYTHING = frozenset({"name", "code", "value", "class", "label", "map", "raster", "index", "tif"})
_NOTES = (".txt", ".md")
_FILE = re.compile(r"\n\s*\n|[^\s,;]+\.\w{3,4}\b")
_SENTENCE = re.compile(_FILE.pattern + r"|\.(?=\s|$)")
"""Where a sentence about a map ends: at an empty line, the name of another file, or a full stop."""
_NOTED = re.compile(
    r"(?<![\w.])(\d{1,5})\s*[=:]?\s+([^\W\d_](?:\([^()\n]*\)|[^,;=\n\d()])*?)\s*(?=[,;\n)]|$|\s\d|\sand\s\d)"
)
"""A number with its name, in a list of them."""
_OF_YEAR = re.compile(r"[-_ .]?(?:19|20)\d\d$")
_FEWEST = 3  # numbers that a map and a list have in common by more than chance

Names = Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """Named numbers in a file, and the words that it and its columns are called by."""

    path: Path
    names: Names
    words: frozenset[str]
    a_legend: bool


def with_class_names(artifacts: Sequence[Artifact], files: Iterable[Path]) -> tuple[Artifact, ...]:
    """The artifacts as notes beside them tell what they are, class maps with what their classes are called (fact
    ``classes``) where something beside tells."""
    listed = _Listed(artifacts, files)
    artifacts = with_dates_noted(with_what_notes_tell(artifacts, listed.notes), listed.notes)
    maps = [item for item in artifacts if _may_have_classes(item)]
    if not maps:
        return tuple(artifacts)
    named = {id(item): found for item in maps if (found := _named(item, listed))}
    return tuple(
        item.with_facts(item.facts.put("classes", tuple(sorted(found[0].items())), Origin.DECLARED, found[1]))
        if (found := named.get(id(item)))
        else item
        for item in artifacts
    )


class _Listed:
    """What stands beside the maps of a folder, each file read once, when a map asks."""

    def __init__(self, artifacts: Sequence[Artifact], files: Iterable[Path]) -> None:
        self._files = list(files)
        self._top = Path(os.path.commonpath([one.parent for one in self._files])) if self._files else Path()
        self._notes: dict[Path, list[tuple[Path, str]]] = {}
        self._named: dict[tuple[Path, str], list[Path]] = {}
        self._texts: dict[Path, list[Path]] = {}
        for path in self._files:
            name = path.name.casefold()
            ending = next((end for end in (*_SIDECARS, *_TEXTS) if name.endswith(end)), None)
            if ending is not None:
                self._named.setdefault((path.parent, name.removesuffix(ending)), []).append(path)
            if ending in _TEXTS and ending != ".csv":  # tables are among the artifacts
                self._texts.setdefault(path.parent, []).append(path)
        self._held = [item for item in artifacts if item.type in ("vector", "table") and item.fact("named_numbers")]
        self._lists: dict[Path, list[Listed]] = {}

    def above(self, folder: Path) -> Iterator[Path]:
        """A folder and those that it lies in, up to the one that holds all files."""
        yield folder
        yield from (one for one in folder.parents if one.is_relative_to(self._top))

    def notes(self, folder: Path) -> list[tuple[Path, str]]:
        """The notes in a folder and in those above, each with its text."""
        if folder not in self._notes:
            of = set(self.above(folder))
            paths = (one for one in self._files if one.parent in of and one.suffix.casefold() in _NOTES)
            self._notes[folder] = [(one, text) for one in paths if (text := text_of_note(one))]
        return self._notes[folder]

    def sidecars(self, path: Path) -> Iterator[Path]:
        """The files of the map's own name."""
        for name in dict.fromkeys((path.name.casefold(), path.stem.casefold())):
            yield from self._named.get((path.parent, name), ())

    def lists(self, folder: Path) -> list[Listed]:
        """The named numbers of the tables, texts and vectors in a folder."""
        if folder not in self._lists:
            found = [_of_artifact(item) for item in self._held if Path(item.path or "").parent == folder]
            for path in self._texts.get(folder, ()):
                if names := _read(path):
                    found.append(Listed(path, names, _words(path.stem), _is_called_so(path)))
            self._lists[folder] = found
        return self._lists[folder]


def _may_have_classes(item: Artifact) -> bool:
    """Whether the numbers of a raster can be classes that nobody has named: those of one band of whole numbers."""
    if item.type != "raster" or item.path is None or "classes" in item.facts:
        return False
    kind = quantity_kinds().get(str(item.fact("quantity")))
    whole = str(item.fact("dtype")).startswith(("int", "uint"))
    return whole and (kind is None or (kind.categorical and not kind.classes and kind.family == "class"))


def _named(item: Artifact, listed: _Listed) -> tuple[Names, str] | None:
    """What the classes of a map are called, and the file that says so."""
    path, known = Path(str(item.path)), item.fact("quantity") is not None
    for other in listed.sidecars(path):
        # GDAL writes one beside any file: it is opened for what is known to be a class map
        if (known or item.fact("palette") or not other.name.endswith(".aux.xml")) and (names := _read(other)):
            return names, other.name
    for folder in listed.above(path.parent):
        every = (one for one in listed.lists(folder) if folder == path.parent or one.a_legend)
        lists = [one for one in every if known or one.words & _words(path.stem) or _LEGEND.search(one.path.stem)]
        occurring = _occurring(item) if lists else frozenset()
        fitting = [one for one in lists if occurring and _is_of(one, path, occurring)]
        if not known and len(occurring) < _FEWEST:  # a legend is not of all that counts to two
            fitting = [one for one in fitting if one.words & _words(path.stem)]
        told = {tuple(one.names[number] for number in sorted(occurring & one.names.keys())) for one in fitting}
        if told:
            return (fitting[0].names, fitting[0].path.name) if len(told) == 1 else None
    return _noted(item, path, listed)


def _noted(item: Artifact, path: Path, listed: _Listed) -> tuple[Names, str] | None:
    """The numbers that a note in the folder names behind the name of the map, ``trees.tif: 1 = spruce, 2 = beech``, or,
    where none says that, behind what it is a map of: ``land cover codes: 1 meadow, 2 wood``."""
    names = (*_names_of(path), *_kinds_of(item))
    called = next((name for name in names if any(_says(text, name) for _, text in listed.notes(path.parent))), "")
    notes = [one for one in listed.notes(path.parent) if called and _says(one[1], called)]
    occurring = _occurring(item) if notes else frozenset()
    fitting = (
        (
            next((names for names in _told_behind(called, path.suffix, text) if occurring <= names.keys()), None),
            note.name,
        )
        for note, text in notes
    )
    found = [(names, name) for names, name in fitting if names is not None]
    return found[0] if len(found) == 1 and len(found[0][0]) >= _FEWEST - 1 else None


def _names_of(path: Path) -> Iterator[str]:
    """What a note may call a map: by its name, or without the year that it is of."""
    yield path.stem
    plain = _OF_YEAR.sub("", path.stem)
    if plain != path.stem and _WORD.search(plain):
        yield plain


def _kinds_of(item: Artifact) -> Iterator[str]:
    """What the quantity of a map of classes is called."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    if kind is not None:
        yield kind.name.removesuffix("_class").replace("_", " ")
        yield from kind.synonyms


def _says(text: str, name: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(name)}", text, re.IGNORECASE) is not None


def _told_behind(name: str, suffix: str, text: str) -> Iterator[Names]:
    """The named numbers behind the name of a map, up to the end of its line, and of its sentence, or up to the name of
    another file; of the sentences behind the first on its line where they alone name numbers."""
    for place in re.finditer(re.escape(name), text, re.IGNORECASE):
        behind = text[place.end() :].removeprefix(suffix)
        said = _SENTENCE.split(behind)[0]
        line = _FILE.split(behind)[0].split("\n")[0]
        for part in dict.fromkeys((said.split("\n")[0], said, *(() if _NOTED.search(said) else (line,)))):
            yield {int(match[1]): match[2].strip() for match in _NOTED.finditer(part)}


def _is_of(listed: Listed, path: Path, occurring: frozenset[int]) -> bool:
    numbers = listed.names.keys()
    if not occurring <= numbers:
        return False
    if listed.words & _words(path.stem) or listed.a_legend:
        return True
    return len(occurring) >= _FEWEST and occurring == numbers - {0}


def _occurring(item: Artifact) -> frozenset[int]:
    """The numbers in windows spread over a map, without 0, which may mark missing data."""
    return frozenset(int(number) for number in set(glance(item).tolist())) - {0}


def _of_artifact(item: Artifact) -> Listed:
    code, name, pairs = item.fact("named_numbers")
    path = Path(str(item.path))
    a_legend = item.type == "table" and _is_called_so(path)
    return Listed(path, dict(pairs), _words(f"{path.stem} {code} {name}"), a_legend)


def _is_called_so(path: Path) -> bool:
    return any(words.search(path.stem) for words in (_CALLED, _LEGEND))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text)) - _OF_ANYTHING


def _read(path: Path) -> Names:
    """The named numbers of one file beside a map; none where it names none."""
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        if path.name.casefold().endswith(".vat.dbf"):
            return _of_attributes(path)
        if path.suffix.casefold() in (".xml", ".qml"):
            return _of_markup(ElementTree.fromstring(path.read_bytes()))
    except (OSError, ElementTree.ParseError, ValueError):
        return {}
    return read_legend(path)


def text_of_note(path: Path) -> str:
    """A note as text; nothing where it cannot be read, or is none."""
    try:
        return path.read_text(encoding="utf-8-sig") if path.stat().st_size <= _LONGEST_NOTE else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _of_attributes(path: Path) -> Names:
    """The value attribute table of ArcGIS: ``VALUE``, ``COUNT``, and what the classes are called."""
    from knowflow.ground.columns import named_numbers
    from knowflow.ground.vectors import DataSourceError, read

    try:
        meta, _, _, columns = read(path, read_geometry=False)
    except DataSourceError:
        return {}
    found = named_numbers({str(name): column.tolist() for name, column in zip(meta["fields"], columns, strict=True)})
    return {} if found is None else found.names


def _of_markup(root: ElementTree.Element) -> Names:
    """What GDAL's sidecar (category names, a raster attribute table) or a style of QGIS calls the numbers."""
    entries = [*root.iter("paletteEntry")]
    entries += [item for ramp in root.iter("colorrampshader") for item in ramp.iter("item")]
    styled = {entry.get("value", ""): entry.get("label", "") for entry in entries}
    categories = {str(n): one.text or "" for names in root.iter("CategoryNames") for n, one in enumerate(names)}
    for table in root.iter("GDALRasterAttributeTable"):
        usages = {usage.text: n for n, field in enumerate(table.iter("FieldDefn")) for usage in field.iter("Usage")}
        number, name = usages.get("5", usages.get("3")), usages.get("2")  # GFU_MinMax or GFU_Min, GFU_Name
        if number is not None and name is not None:
            rows = [[cell.text or "" for cell in row.iter("F")] for row in table.iter("Row")]
            categories |= {row[number]: row[name] for row in rows if len(row) > max(number, name)}
    found = {number: text.strip() for number, text in (styled or categories).items() if text.strip()}
    named = {int(float(number)): text for number, text in found.items() if re.fullmatch(r"\d+(\.0*)?", number)}
    # a style that repeats the numbers names nothing
    return {} if all(text == str(number) for number, text in named.items()) else named
