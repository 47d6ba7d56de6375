"""What notes say that the numbers of a file are, where they name the file alone: ``assays.csv: copper grade in %``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from knowflow.ground.units import compatible, known
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import stem
from knowflow.model.artifact import Artifact
from knowflow.reason.column_units import without_unit
from knowflow.reason.inventory.columns_noted import LAYER
from knowflow.reason.inventory.names import plain_stem
from knowflow.reason.noted_meanings import texts_beside
from knowflow.reason.noted_words import NotedColumn, NotedWords, noted_names, noted_words, unit_said

_SIGN = r"[\"'`*]*(?:\.\w{2,4})?[\"'`*]*\s*(?:[:=|]\s*|[–—-]\s+|(?=in\s))"
_SENTENCE = re.compile(r"\n\s*\n|\n\s*[-*#|]|\.(?=\s|$)|[\w-]+\.\w{3,4}\b")
_PART = re.compile(r"[,;\n]|\s+and\s+(?![^()]*\))")
_IN_BRACKETS = re.compile(r"^(?P<name>[^()]+?)\s*\((?P<unit>[^()]*)\)")
_AT_END = re.compile(r"^(?P<name>[^()]+?)\s+(?P<unit>[^\s()]+)$")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_IN = re.compile(r"^(?P<name>.+?)\s+in\s+(?P<unit>.+)$")
_DATE = re.compile(
    r"[-_]?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_]?)?(?:19|20)\d\d", re.IGNORECASE
)
_BEHIND = re.compile(r"\s+(?:above|below|since|for|at|on|with|from|by|during|within|as|relative|under|over)\s.*$")
_FIRST = re.compile(r"[^\W\d_]{4,}")
_SHORTEST, _UNIT_WORDS = 3, 3
_NO_UNITS = frozenset({"in", "a", "d", "unit", "units", "ph"})
_MEANS = ("mean", "average")

Columns = Mapping[str, str]
"""The columns of numbers of a file, each with the unit that its name tells."""


_LED_BY_IN = re.compile(r"^\s*in\s+(?=\S)")
"""A word before a unit, which is no inch there: ``resin, in grams``."""


def noted_of(item: Artifact, columns: Columns) -> NotedWords:
    """What the notes in the folder of a file tell of it, and of its numbers what they tell behind its name."""
    noted = noted_words(item)
    found: dict[str, NotedColumn] = {}
    of_columns: set[tuple[str, ...]] = set()
    for name, unit in _told(item):
        column = _column_of(name, unit, columns)
        of_columns |= {tuple(words_of(name))} if column is not None and unit is not None else set()
        words = [tuple(one) for one in _names_of(name, column)]
        given = unit if column is not None and columns[column] == "1" else None
        if column is not None and (words or given):
            before = found.get(column) or noted.of(column)
            whole = tuple(dict.fromkeys((*before.whole, *words)))
            found[column] = replace(before, whole=whole, unit=before.unit or given)
    said = frozenset(stem(word) for name, _ in _told(item) for word in words_of(name) if word.isalpha())
    features = tuple(words for words in noted.features if tuple(words) not in of_columns)  # resin scraped off, in grams
    return replace(noted, features=features, columns=tuple((dict(noted.columns) | found).items()), said=said)


def _told(item: Artifact) -> Iterator[tuple[str, str | None]]:
    """What stands behind the name of a file in the notes beside it, part by part, with the unit that is told."""
    for kind, _, _, called, _ in item.fact("noted") or ():
        if kind == LAYER:
            yield from _parts(called)
    own = PurePath(str(item.path)).stem
    names = {own, plain_stem(str(item.path)), *(_DATE.split(own)[:1])}
    names |= {name.replace("_", " ") for name in names} | {*_first_word(Path(str(item.path)))}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if len(name) >= _SHORTEST)
    for text in texts_beside((item,)) if either else ():
        for told in re.finditer(rf"(?<![\w.-])(?:{either}){_SIGN}", text, re.IGNORECASE):
            yield from _parts(_SENTENCE.split(text[told.end() :])[0])


def _first_word(path: Path) -> Iterator[str]:
    """The first word of the name of a file, where no other of its folder begins so: the stations, of
    ``stations_daily_2019.csv``."""
    first = _FIRST.match(path.stem)
    if first is not None and path.is_file():
        word = first[0].lower()
        alike = [one for one in path.parent.iterdir() if one.stem.lower().startswith(word)]
        yield from (word, word.removesuffix("s")) if len(alike) == 1 else ()


def _parts(said: str) -> Iterator[tuple[str, str | None]]:
    waiting = ""
    for part in map(str.strip, _PART.split(said)):
        per = " per " in f" {waiting} "  # fines per area and year
        if waiting and not per and (unit := unit_said(_LED_BY_IN.sub("", _BRACKETS.sub(" ", part)))) is not None:
            yield waiting, unit  # weight, kg
            waiting = ""
            continue
        if waiting:
            yield waiting, None
        waiting = ""
        every = (_IN_BRACKETS.match(part), _IN.match(_BRACKETS.sub(" ", part)), _AT_END.match(part))
        told, unit = next(((one, unit) for one in every if one and (unit := _unit_of(one["unit"]))), (None, None))
        if told is None:
            first, _, rest = part.partition(" ")
            if first[:1].isalpha() and rest and known(first) and (given := unit_said(first)) is not None:
                yield f"= {rest}", given  # GWh sold
            else:
                waiting = part.partition("(")[0].strip()
            continue
        yield told["name"].strip(), unit
    if waiting:
        yield waiting, None


def _unit_of(said: str) -> str | None:
    """The unit that a text begins with; none of a word that says something else: brought in, pH unit."""
    return None if said.lower() in _NO_UNITS or words_of(said) in reading_words().phrases else _unit_first(said)


def _unit_first(said: str) -> str | None:
    """The unit that a text begins with: ``% for intervals of 10 m``."""
    words = said.split()
    spoken = (" ".join(words[:end]).rstrip(",") for end in range(min(len(words), _UNIT_WORDS), 0, -1))
    return next((unit for one in spoken if (unit := unit_said(one)) is not None), None)


def _column_of(name: str, unit: str | None, columns: Columns) -> str | None:
    """The one column that a part of a note is of: by its unit, else by a word that it ends in."""
    told = {one: own if own != "1" else _unit_of(one.rpartition("_")[2]) for one, own in columns.items()}
    in_unit = [one for one, own in told.items() if unit not in (None, "1") and own == unit]
    if len(in_unit) == 1:
        return in_unit[0]
    own = {part for one in columns for part in one.lower().split("_")}
    words = [word for word in words_of(_BEHIND.sub("", name)) if word.isalpha() or word in own]
    head = stem(words[words.index("of") - 1] if "of" in words[1:] else words[-1]) if words else ""
    alike = [one for one in columns if head in {stem(part) for part in one.lower().split("_")}]
    if not alike and unit is not None:
        said = {stem(word) for word in words}
        alike = [
            one for one in columns if columns[one] == "1" and said & {stem(part) for part in one.lower().split("_")}
        ]
    fitting = [one for one in alike if unit is None or columns[one] == "1" or compatible(unit, columns[one])]
    return fitting[0] if len(fitting) == 1 else None


def _names_of(name: str, column: str | None) -> Iterator[Sequence[str]]:
    """The names that a part tells: none that says what is done with it, but for the mean of some time."""
    if name.startswith("= "):  # GWh sold, of a column of electricity
        verb = words_of(name[2:])[:1]
        own = without_unit([one for one in (column or "").split("_") if one])[0]
        if verb and verb[0].endswith(("ed", "ld", "en", "ght")) and own:
            yield (*own, *verb)
        return
    for words in noted_names(_BEHIND.sub("", name)) if "_" not in name else ():
        plain = words[1:] if words[0] in _MEANS else words
        signed = len(plain) > 1 and plain[-1] == (column or "").lower()  # discharge Q, of a column Q
        plain = plain[:-1] if signed else plain
        said = {*plain} - {"time"}  # a response time, which is no date
        if (len(plain) > 1 or signed) and reading_words().operators.isdisjoint(said) and "of" not in plain:
            yield plain
