"""What the notes of a folder call its vectors, their columns and the values in them: ``vrs: sum insured (kEUR)``.

What a note tells behind a name that is written as the file has it, and a sign that it is told (``=``, ``:``, a bar, or
quotes around the name), up to the next comma. A column is that of the file that was named last, where that has one of
the name; a value is told behind its column, in a list without signs, too (``widmung (Bau building, Wald wood)``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.legends_beside import text_of_note
from knowflow.reason.inventory.noted import NOTES

LAYER, COLUMN, VALUE = "layer", "column", "value"
_HOLDING = ("vector", "table")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ANY_YEAR = ("YYYY", "yyyy", "JJJJ", "jjjj", "AAAA", "aaaa", "<year>", "*")
_TOLD = re.compile(r"[\"'`*’]*\s*(?:[=:|]|\bmeans\b|[–—](?=\s)|-(?=\s))\s*")
_QUOTED = re.compile(r"[\"'`*]+\s+")
_BRACKET = re.compile(r"\s*\(")
_UNIT_ALONE = re.compile(r"\s+(?:is |are |both )?in\s+")
_ALSO = re.compile(r"\s*(?:,|/|&|\band\b)")
_BEFORE = re.compile(r"([^.;:,\n()]+)\($")
_LISTED = re.compile(r"[(,:;]\s*[\"'`]?$")
_END = re.compile(r"[,;()\n|]|\.(?=\s|$)|$")
_IN_BRACKETS = re.compile(r"\s*\(([^()]*)\)")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST = 80  # letters of what something is called

Noted = tuple[str, str, str, str, str]
"""Whether a layer, a column or a value of it is told, the column, the name as it is written, what it is called, and the
unit that is told beside in brackets."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A name that a note may tell: of a file, which ``place`` numbers, of a column of it, or of a value there."""

    place: int
    kind: str
    column: str
    written: str


def with_columns_noted(artifacts: Sequence[Artifact], files: Iterable[Path]) -> tuple[Artifact, ...]:
    """The artifacts, vectors with what notes in their folder tell of them (fact ``noted``)."""
    places = [n for n, item in enumerate(artifacts) if item.type in _HOLDING and item.path is not None]
    notes = [one for one in files if one.suffix.casefold() in NOTES] if places else []
    found: dict[int, dict[Noted, None]] = {}
    sources: dict[int, str] = {}
    for note in notes:
        here = _spoken_of(note, artifacts)
        text = text_of_note(note) if any(n in places for n in here) else ""
        for place, told in _told(text, artifacts, here):
            if artifacts[place].type in _HOLDING:
                found.setdefault(place, {})[told] = None
                sources[place] = note.name
    return tuple(
        item.with_facts(item.facts.put("noted", (*(item.fact("noted") or ()), *found[n]), Origin.DECLARED, sources[n]))
        if n in found
        else item
        for n, item in enumerate(artifacts)
    )


def _spoken_of(note: Path, artifacts: Sequence[Artifact]) -> list[int]:
    """The files that a note may speak of: those beside it, and those below whose name no other one there has."""
    paths = [(n, Path(item.path)) for n, item in enumerate(artifacts) if item.path]
    below = [(n, path) for n, path in paths if path.is_relative_to(note.parent)]
    places: dict[str, set[Path]] = {}
    for _, path in below:
        places.setdefault(path.stem, set()).add(path.parent)
    return [n for n, path in below if path.parent == note.parent or len(places[path.stem]) == 1]


def _terms(artifacts: Sequence[Artifact], here: Iterable[int]) -> Iterator[tuple[str, _Term]]:
    """All that a note may speak of by name, as it may be written."""
    for place in here:
        item = artifacts[place]
        path = PurePath(str(item.path))
        for written in (path.name, path.stem):
            yield written, _Term(place, LAYER, "", path.stem)
        if item.type not in _HOLDING:
            continue
        for column in map(str, item.fact("fields") or ()):
            yield column, _Term(place, COLUMN, column, column)
            year = _YEAR.search(column)
            for mark in _ANY_YEAR if year is not None else ():
                yield column.replace(year[0], mark), _Term(place, COLUMN, column, column)  # type: ignore[index]
        for column, values in item.fact("words") or ():
            yield from ((str(value), _Term(place, VALUE, str(column), str(value))) for value in values)


def _told(text: str, artifacts: Sequence[Artifact], here: Sequence[int]) -> Iterator[tuple[int, Noted]]:
    """What a note tells of vectors, each by its place."""
    terms: dict[str, dict[_Term, None]] = {}
    for written, term in _terms(artifacts, here) if text else ():
        terms.setdefault(written, {})[term] = None
    if not terms:
        return
    names = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    file, column, waiting = -1, _Term(-1, COLUMN, "", ""), list[_Term]()
    for match in re.finditer(rf"(?<![\w.-])(?:{names})(?!\w|\.\w|-\w)", text):
        every = list(terms[match[0]])
        own = [one for one in every if one.place == file and one.kind != LAYER]
        files = [one for one in every if one.kind == LAYER]
        if files and not own:
            file, column = files[0].place, _Term(-1, COLUMN, "", "")
        meant = own or files or ([] if file >= 0 and _has(artifacts[file], match[0]) else every)
        before, behind = text[max(0, match.start() - _LONGEST) : match.start()], text[match.end() :][: 2 * _LONGEST]
        values = [one for one in meant if one.kind == VALUE and column.column in ("", one.column)]
        values = values if len({one.column for one in values}) == 1 else []
        columns = [one for one in meant if one.kind == COLUMN]
        listed = bool(values) and _LISTED.search(before) is not None and behind[:1] == " "
        sign = _TOLD.match(behind) or _QUOTED.match(behind) or (re.match(r"\s+", behind) if listed else None)
        told = columns or values or [one for one in meant if one.kind == LAYER]
        if sign is None and columns and (unit := _UNIT_ALONE.match(behind)):
            said = _until(behind[unit.end() :])
            yield from ((one.place, (COLUMN, one.column, one.written, "", said)) for one in (*columns, *waiting))
            waiting = []
        elif sign is None and not values and (bracket := _BRACKET.match(behind)):
            called = _until(behind[bracket.end() :])
            yield from ((one.place, (one.kind, one.column, one.written, called, "")) for one in told if called)
        elif sign is not None:
            rest = behind[sign.end() :]
            called, unit_told = _until(rest), _IN_BRACKETS.match(rest[len(_until(rest)) :])
            begun = re.match(rf"(?:{names})(?!\w)", rest)
            values_follow = begun is not None and any(one.kind == VALUE for one in terms[begun[0]])
            if called and not (begun and (values_follow or _begins_another(rest[begun.end() :]))):
                unit_said = unit_told[1] if unit_told and not begun else ""
                for one in told:
                    name = called.partition(":")[0].strip() if one.kind == LAYER else called  # its columns follow
                    if one.kind != LAYER or "=" not in name:
                        yield one.place, (one.kind, one.column, one.written, name, unit_said)
        elif columns and behind[:1] == ")" and (front := _BEFORE.search(before)):
            yield from ((one.place, (one.kind, one.column, one.written, _until(front[1]), "")) for one in columns)
        column = columns[0] if columns else column
        waiting = [*waiting, *columns] if sign is None and _ALSO.match(behind) else []


def _has(file: Artifact, name: str) -> bool:
    return file.type in _HOLDING and name in map(str, file.fact("fields") or ())


def _begins_another(behind: str) -> bool:
    """Whether what follows a name tells that, so that it is not what something else is called."""
    return _TOLD.match(behind) is not None or behind[:1] in ("/", "_")


def _until(text: str) -> str:
    """What something is called, up to where that ends; nothing where it is no name."""
    end = _END.search(text)
    said = text[: end.start() if end else len(text)].strip()
    return said if _LETTER.search(said) and len(said) <= _LONGEST else ""
