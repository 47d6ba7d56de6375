"""File-name grammars: what a file's name says about it, by authored patterns (``pkb/grammars/*.yaml``).

A grammar declares only what its name makes certain; what is merely usual is *assumed* and shown as such. ``files.yaml``
holds patterns of whole names, ``layers.yaml`` what a layer's name means, ``words.yaml`` the words that keep a pattern
from guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.ground.resources import resources
from knowflow.ground.yamldoc import Document, load
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.dates import DATE_PATTERN, TIME_PATTERN, iso_datetime

FOLDER = "grammars"
MACROS: Mapping[str, str] = MappingProxyType(
    {
        "date": f"(?P<date>{DATE_PATTERN})",
        "time": f"(?P<time>{TIME_PATTERN})",
        "region": r"(?P<region>[^/]+?)",
        "name": r"(?P<name>[^/]+?)",
    }
)
_TIMES = frozenset({"date", "time", "doy", "year"})
_DATED = frozenset({"date_from", "date_before"})
_MACRO = regex(r"\{([a-z]+)\}")
_INDEX_TOKEN = r"(?P<layer>[A-Za-z][A-Za-z0-9]*)"
_ENDING_INSIDE = regex(r"\.tiff?(?=[_ ])", re.IGNORECASE)
_GROUP_NAME = regex(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class Clause:
    """Facts that hold under conditions on groups (a pattern, or None: absent), the date and the data type."""

    when: Mapping[str, str | None]
    facts: Mapping[str, Any]
    assume: Mapping[str, Any]

    def holds(self, groups: Mapping[str, str], moment: str | None, dtype: str | None) -> bool:
        return all(_holds(name, wanted, groups, moment, dtype) for name, wanted in self.when.items())


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What the names of one grammar or layer say: ``patterns`` match a whole name."""

    name: str
    title: str
    patterns: tuple[re.Pattern[str], ...]
    clauses: tuple[Clause, ...]
    product: str | None = None

    def match(self, text: str) -> dict[str, str] | None:
        """The groups of the first pattern that fits the whole text."""
        for pattern in self.patterns:
            found = pattern.fullmatch(text)
            if found:
                return {name: value for name, value in found.groupdict().items() if value is not None}
        return None


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What a name says, and the grammar that read it.

    Files of one ``product`` (such as ``landsat_collection2``), region and date come from one sensor.
    """

    facts: Facts = field(default_factory=Facts)
    grammar: str = ""
    product: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Grammars:
    """All grammars, layers and words in force."""

    files: tuple[Meaning, ...]
    layers: tuple[Meaning, ...]
    not_a_region: frozenset[str]
    indices: frozenset[str]


def read_name(path: str, dtype: str | None, grammars: Grammars) -> NameFacts:
    """What a name says by the given grammars."""
    stem = plain_stem(path)
    for grammar in grammars.files:
        groups = grammar.match(stem)
        if groups is None or not _plausible(groups, grammars):
            continue
        moment = _moment(groups)
        if moment is None and {"date", "doy", "year"} & groups.keys():
            continue
        layer, inner = _layer(groups.get("layer"), grammars)
        groups = {**inner, **groups}
        asked = _conditions(grammar, layer)
        told = tuple((name, value) for name, value in groups.items() if name not in _TIMES or name in asked)
        found = _timeless(grammar, layer, told, moment if asked & _DATED else None, dtype)
        if moment is not None:
            found = found.put("datetime", moment, Origin.DECLARED, f"file name ({grammar.title})")
        product = None if layer is None else layer.product
        return NameFacts(found, grammar.name, product, MappingProxyType(groups))
    return NameFacts(Facts.of(Origin.DECLARED, "file name", layer=stem))


@lru_cache(maxsize=1024)
def _conditions(grammar: Meaning, layer: Meaning | None) -> frozenset[str]:
    """What the clauses of both ask for."""
    clauses = (*grammar.clauses, *(() if layer is None else layer.clauses))
    return frozenset(name for clause in clauses for name in clause.when)


@kept(1024)  # the names of a folder differ in their dates for the most part
def _timeless(
    grammar: Meaning, layer: Meaning | None, told: tuple[tuple[str, str], ...], moment: str | None, dtype: str | None
) -> Facts:
    """What groups of a name say beside its date; ``moment`` is it where clauses hold from or before a date."""
    groups, source = dict(told), f"file name ({grammar.title})"
    found = _group_facts(groups, None, source).over(_clause_facts(grammar, groups, moment, dtype, source))
    if layer is not None:
        source = f"layer name {groups['layer']!r} ({layer.title})"
        found = found.over(_clause_facts(layer, groups, moment, dtype, source))
    return _with_canonical_sensor(found)


def read_layer(layer_name: str, dtype: str | None, grammars: Grammars) -> NameFacts:
    """What the name of a layer alone says by the given grammars."""
    layer, groups = _layer(layer_name, grammars)
    if layer is None and not groups:
        return NameFacts()
    found = Facts() if layer is None else _clause_facts(layer, groups, None, dtype, f"layer name {layer_name!r}")
    facts = _group_facts(groups, None, f"layer name {layer_name!r}").over(found)
    return NameFacts(_with_canonical_sensor(facts), product=None if layer is None else layer.product, groups=groups)


def plain_stem(path: str) -> str:
    """The file's name without folders and ending, also without an ending left inside (``NDVI.tif_2020-01-01.tif``)."""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", name)
    return _ENDING_INSIDE.sub("", stem)


def documents() -> Iterator[Document]:
    """Every authored grammar document, the strongest layer first."""
    for resource in resources("pkb", f"{FOLDER}/**/*.yaml"):
        yield load(resource.path)


def compile_grammars(contents: list[Any]) -> Grammars:
    """Grammars from the plain data of their documents; of two with one name the first counts."""
    entries = [entry for data in contents if isinstance(data, list) for entry in data]
    words = [data for data in contents if isinstance(data, dict)]
    layers: dict[str, Any] = {}
    files: dict[str, Any] = {}
    for entry in entries:
        (files if "grammar" in entry else layers).setdefault(entry.get("grammar") or entry.get("layer"), entry)
    excluded = {word.casefold() for data in words for word in data.get("not_an_index", ())}
    alternatives = "|".join(_GROUP_NAME.sub("(?:", name) for entry in layers.values() for name in entry["names"])
    return Grammars(
        files=tuple(
            Meaning(name, entry["title"], tuple(expand(entry["pattern"], alternatives)), _clauses(entry))
            for name, entry in files.items()
        ),
        layers=tuple(
            Meaning(
                name=name,
                title=entry["title"],
                patterns=tuple(regex(one, re.IGNORECASE) for one in entry["names"]),
                clauses=_clauses(entry),
                product=entry.get("product"),
            )
            for name, entry in layers.items()
        ),
        not_a_region=frozenset(word.casefold() for data in words for word in data.get("not_a_region", ())),
        indices=frozenset(spectral_indices()) - excluded,
    )


def expand(pattern: str, layers: str) -> Iterator[re.Pattern[str]]:
    """A pattern with its macros written out: once for authored layer names, once for a name that may be an index.

    Raises ``KeyError`` for an unknown macro and ``re.error`` for a broken expression.
    """
    for layer in (f"(?P<layer>{layers})", _INDEX_TOKEN) if "{layer}" in pattern else ("",):
        macros = {**MACROS, "layer": layer}
        yield regex(_MACRO.sub(lambda found, m=macros: m[found[1]], pattern), re.IGNORECASE)  # type: ignore[misc]


def _clauses(entry: Mapping[str, Any]) -> tuple[Clause, ...]:
    first = Clause({}, entry.get("facts", {}), entry.get("assume", {}))
    more = [Clause(one["when"], one.get("facts", {}), one.get("assume", {})) for one in entry.get("where", ())]
    return (first, *more)


def _holds(name: str, wanted: str | None, groups: Mapping[str, str], moment: str | None, dtype: str | None) -> bool:
    if name == "date_from":
        return moment is not None and moment >= str(wanted)
    if name == "date_before":
        return moment is not None and moment < str(wanted)
    found = dtype if name == "dtype" else groups.get(name)
    if wanted is None or found is None:
        return found is None and wanted is None
    return re.fullmatch(str(wanted), found, re.IGNORECASE) is not None


def _plausible(groups: Mapping[str, str], grammars: Grammars) -> bool:
    """Whether a match is certain enough: the layer means something, the region is not a word for a derived product."""
    layer = groups.get("layer")
    if layer is not None and _layer(layer, grammars) == (None, {}):
        return False
    words = re.split(r"[^a-z0-9]+", groups.get("region", "").casefold())
    return not grammars.not_a_region & set(words)


@lru_cache(maxsize=1024)  # the files of a folder have few layers between them
def _layer(name: str | None, grammars: Grammars) -> tuple[Meaning | None, Mapping[str, str]]:
    """The layer behind a name, with the groups of its pattern; an index has no entry of its own."""
    if name is None:
        return None, {}
    for layer in grammars.layers:
        groups = layer.match(name)
        if groups is not None:
            return layer, {"layer": name, **groups}
    return (None, {"layer": name, "index": name}) if name.casefold() in grammars.indices else (None, {})


def _clause_facts(
    meaning: Meaning, groups: Mapping[str, str], moment: str | None, dtype: str | None, source: str
) -> Facts:
    held = tuple(place for place, clause in enumerate(meaning.clauses) if clause.holds(groups, moment, dtype))
    return _stated(meaning, held, source)


@lru_cache(maxsize=1024)
def _stated(meaning: Meaning, held: tuple[int, ...], source: str) -> Facts:
    """What those clauses of a meaning say that hold, the later ones first."""
    declared, assumed = Facts(), Facts()
    for clause in (meaning.clauses[place] for place in held):
        declared = Facts.of(Origin.DECLARED, source, **clause.facts).over(declared)
        assumed = Facts.of(Origin.ASSUMED, f"usual for {source}", **clause.assume).over(assumed)
    return declared.over(assumed)


def _with_canonical_sensor(facts: Facts) -> Facts:
    sensor = facts.get("sensor")
    return (
        facts if sensor is None else facts.put("sensor", canonical_sensor(sensor.value), sensor.origin, sensor.source)
    )


def _moment(groups: Mapping[str, str]) -> str | None:
    if "date" in groups:
        time = groups.get("time")
        return iso_datetime(re.sub(r"[._]", "-", groups["date"]) + (f"T{time}" if time else ""))
    text = groups.get("doy") or groups.get("year")
    return None if text is None else iso_datetime(text)


def _group_facts(groups: Mapping[str, str], moment: str | None, source: str) -> Facts:
    index = groups.get("index")
    region = groups.get("region", "").strip(" _-")
    level, night, polarisation = (groups.get(name) for name in ("level", "daynight", "polarisation"))
    return Facts.of(
        Origin.DECLARED,
        source,
        datetime=moment,
        region=region or None,
        layer=groups.get("layer") or groups.get("name"),
        band=groups.get("band"),
        sensor=groups.get("sensor"),
        level=level.upper() if level else None,
        daynight=night.casefold() if night else None,
        polarisation=polarisation.upper() if polarisation else None,
        quantity=index.casefold() if index else None,
        unit="1" if index else None,
    )
