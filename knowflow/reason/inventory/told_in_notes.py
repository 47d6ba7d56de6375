"""What notes in a folder say that its files are: ``lc_12.tif and lc_18.tif: land cover of 2012 and 2018``.

Of a raster that nothing else tells the quantity of, the note that names it does, where what stands behind the name is
what one quantity is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.phrases import key_of
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.called import tells_heights
from knowflow.reason.inventory.meanings import names_of_quantities
from knowflow.reason.inventory.tags import unit_of

_MORE = r"(?:\s*(?:,|&|/|\band\b)\s*[\w-]+(?:\.\w+)?)*?"
"""Other files of which the same is told."""
_TOLD = re.compile(rf"(?:\.\w+)?{_MORE}\s*(?:[:=]|\b(?:is|are|holds?|contains?)\b)\s*([^.,;:=()\n]+)", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:(?:the|a|an|mean|average|maps? of|model|modelled)\s+)+", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(?:of|in|from|for|at|by|on|above|per|as)\s.*$|\s+\d.*$", re.IGNORECASE)
_UNDATED = re.compile(r"(.*?[^\W\d_])[\W_]*(?:19|20)\d\d[\W\d_]*$")
_IN_UNIT = re.compile(r"\bin\s+([^\s,;()]+)")


def with_what_notes_tell(
    artifacts: Sequence[Artifact], notes: Callable[[Path], Iterable[tuple[Path, str]]]
) -> tuple[Artifact, ...]:
    """The artifacts, rasters of which nothing is known with the quantity (and unit) that a note in their folder tells;
    ``notes`` gives the texts in a folder."""
    return tuple(
        item
        if item.type != "raster" or item.path is None
        else _as_heights(_as_unseen(item, notes), notes)
        if "quantity" in item.facts
        else _as_told(item, notes)
        for item in artifacts
    )


_UNSEEN = r"(?:no[ -]?data|not (?:seen|observed|measured|known)|unknown|missing)"


def _as_unseen(item: Artifact, notes: Callable[[Path], Iterable[tuple[Path, str]]]) -> Artifact:
    """A raster of whose missing number a note says that nothing is known there, not that there is none."""
    nodata = item.fact("nodata")
    if "blank" in item.facts or nodata is None or not float(nodata).is_integer():
        return item
    number = rf"(?<![\w.-]){int(nodata)}(?:\.0+)?(?![\w.])"
    joined = r"\s*(?:[:=,(]|is|are|for)?\s*"
    said = re.compile(rf"{number}{joined}{_UNSEEN}\b|\b{_UNSEEN}(?: value)?{joined}{number}", re.IGNORECASE)
    told = next((note.name for note, text in notes(Path(str(item.path)).parent) if said.search(text)), None)
    return item if told is None else item.with_facts(item.facts.put("blank", "unknown", Origin.DECLARED, told))


_DEPTHS, _HEIGHTS = "bathymetry", "elevation"


def _as_heights(item: Artifact, notes: Callable[[Path], Iterable[tuple[Path, str]]]) -> Artifact:
    """Depths that a note calls elevations as these, which are negative below the sea."""
    known, path = item.known("quantity"), Path(str(item.path))
    if known is None or known.value != _DEPTHS or known.origin >= Origin.USER:
        return item
    for note, text in notes(path.parent):
        for said in (one for name in _names_of(path) for one in _said_of(name, text)):
            if tells_heights(said):
                return item.with_facts(item.facts.put("quantity", _HEIGHTS, Origin.DECLARED, f"{note.name} ({said!r})"))
    return item


def _names_of(path: Path) -> tuple[str, ...]:
    """A file's name, and what is before its date: a note may tell of several files at once."""
    undated = _UNDATED.match(path.stem)
    return (path.stem, undated[1]) if undated else (path.stem,)


def _as_told(item: Artifact, notes: Callable[[Path], Iterable[tuple[Path, str]]]) -> Artifact:
    path = Path(str(item.path))
    found: dict[str, Facts] = {}
    for note, text in notes(path.parent):
        for said in _said_of(path.stem, text):
            facts = _facts(said, note.name)
            found |= {} if facts is None else {str(facts.value("quantity")): facts}
    return item.with_facts(item.facts.over(*found.values())) if len(found) == 1 else item


def _said_of(stem: str, text: str) -> Iterable[str]:
    """What stands behind a file's name, as far as it says one thing."""
    for place in re.finditer(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", text, re.IGNORECASE):
        if told := _TOLD.match(text, place.end()):
            yield told[1].strip()


def _facts(said: str, note: str) -> Facts | None:
    """The quantity that words are the name of, with the unit that they end in."""
    name = _BEFORE.sub("", said)
    quantity = _called_so().get(key_of(name)) or _called_so().get(key_of(_BEHIND.sub("", name)))
    if quantity is None:
        return None
    facts = Facts.of(Origin.DECLARED, f"{note} ({said!r})", quantity=quantity)
    unit = unit_of(match[1]) if (match := _IN_UNIT.search(said)) else None
    kind = quantity_kinds()[quantity]
    if kind.unit == "1" and kind.categorical:
        unit = "1"
    if unit is None or not (unit in (kind.unit, *kind.units_beside) or compatible(unit, kind.unit)):
        return facts
    return Facts.of(Origin.DECLARED, f"{note} ({said!r})", unit=unit).over(facts)


@kept()
def _called_so() -> Mapping[tuple[str, ...], str]:
    """The quantities by their names, those of one alone."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for kind in quantity_kinds().values():
        others = names_of_quantities().get(kind.name, ())
        for name in (kind.name.replace("_", " "), kind.title, *kind.synonyms, *others):
            if key := key_of(name):
                found.setdefault(key, {})[kind.name] = None
    return {key: next(iter(kinds)) for key, kinds in found.items() if len(kinds) == 1}
