"""What layers and words of names mean, as authored in ``pkb/grammars``: ``layers.yaml`` and ``words.yaml``.

An authored layer declares only what its name makes certain; what is merely usual is *assumed* and shown as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from knowflow.ground.bands import COMMON_NAMES, sensor_spellings
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.resources import resources
from knowflow.ground.yamldoc import Document, load
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.month_words import MONTH_WORDS
from knowflow.reason.inventory.spans import Span
from knowflow.reason.inventory.tokens import APART, NUMBER, Word, plain

FOLDER = "grammars"
WORD_KINDS = (
    *("derived", "statistic", "daynight", "orbit", "unit", "bands", "colour", "sensor", "step", "months"),
    *("level", "projection", "rate", "several", "before"),
)
PLAIN_KINDS = ("link", "plain")
ALSO, RATES, TEMPORARY = "also", "units_in_time", "temporary"
"""The parts of a document that hold other words for layers, by a name that each of these has, how units of amounts in
lengths of time are written, and how what is kept for a while is called."""
_NOT_OF_FILES = frozenset({"measure", "statistics"})  # families of what is computed and no layer's name
_SEVERAL_WORDS = regex(r"[a-z]{2,}(?:[ _-][a-z0-9]{2,})+", re.IGNORECASE)
_LEVEL = regex(r"l[0-4]", re.IGNORECASE)
_BREAK = regex(r"[ _-]")
_LETTER_APART = regex(r"[A-Za-z][ _-]")
_SHORTEST_MONTH = 3  # letters of a month in any language that nothing else is called
_SHORTEST_NAME = 2  # letters and fewer that say too little in a sentence
_PLACES = frozenset("{}#*")
_SHORTEST_SENSOR = 3  # letters of a sensor's name that nothing else is called
_OF_NAMES = frozenset({"name", "layer"})  # conditions by which one name of a layer is another thing than the next

# the whole numbers of a product, as whoever converts its files may store them: they stay the same
_STORED_WIDER = {
    "int32": ("int16", "uint16"),
    "uint32": ("int16", "uint16"),
    "int64": ("int16", "uint16"),
}


@dataclass(frozen=True, slots=True)
class Clause:
    """Facts that hold under conditions on what a name says (a pattern, or None: says nothing), its date, and dtype."""

    when: Mapping[str, object]
    facts: Mapping[str, Any]
    assume: Mapping[str, Any]
    open: tuple[str, ...] = ()

    def holds(self, said: Mapping[str, str], moment: str | None, dtype: str | None) -> bool:
        return all(_holds(name, wanted, said, moment, dtype) for name, wanted in self.when.items())


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What a name of a layer, or of a product, stands for."""

    name: str
    title: str
    clauses: tuple[Clause, ...] = ()
    family: str | None = None
    gives_way: bool = False
    open: tuple[str, ...] = ()

    @property
    def asks_for(self) -> frozenset[str]:
        return frozenset(name for clause in self.clauses for name in clause.when)

    def facts(self, said: Mapping[str, str], moment: str | None, dtype: str | None, source: str) -> Facts:
        held = tuple(place for place, clause in enumerate(self.clauses) if clause.holds(said, moment, dtype))
        facts = _stated(self, held, source)
        return facts if "span" not in facts else _with_days(facts, said)

    def opened(self, said: Mapping[str, str], moment: str | None, dtype: str | None) -> tuple[str, ...]:
        """The quantities of which nobody can tell which one it is."""
        return (
            *self.open,
            *(one for clause in self.clauses if clause.holds(said, moment, dtype) for one in clause.open),
        )

    @property
    def is_of_one_thing(self) -> bool:
        """Whether all of its names are of the same: not where nothing says what they are of, nor where a name does."""
        by_name = any("quantity" in one.facts and _OF_NAMES.intersection(one.when) for one in self.clauses)
        return bool(self.quantities or self.open) and not by_name

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that it may be of, whatever the conditions."""
        return tuple(dict.fromkeys(str(one.facts["quantity"]) for one in self.clauses if "quantity" in one.facts))


@dataclass(frozen=True, slots=True)
class Layer:
    """One name of a layer: ``label`` is what the layer is called in facts, the same for all of its names where these
    are of one thing."""

    label: str
    name: str
    meaning: Meaning

    def band_in(self, text: str) -> str | None:
        """The band in a run of that name, where the name has a place for it in braces: ``BT_{#}``."""
        found = _with_band(self.name).fullmatch(text) if "{" in self.name else None
        return found["band"] if found else None


@kept()
def documents() -> tuple[Document, ...]:
    """Every authored document of layers and words, the strongest layer first."""
    return tuple(load(resource.path) for resource in resources("pkb", f"{FOLDER}/**/*.yaml"))


def clauses_of(entry: Mapping[str, Any]) -> tuple[Clause, ...]:
    first = Clause({}, entry.get("facts") or {}, entry.get("assume") or {})
    more = [Clause(one["when"], one.get("facts") or {}, one.get("assume") or {}) for one in entry.get("where") or ()]
    return (first, *more)


def layer_names(names: Sequence[object], meaning: Meaning) -> dict[str, Layer]:
    """The layer under each of its names, as a vocabulary knows them; the first is its label where all of them are of
    one thing, and otherwise each is its own."""
    label = str(names[0]) if meaning.is_of_one_thing else None
    return {plain(str(name)): Layer(label or str(name), str(name), meaning) for name in names}


def meaning_of(name: str, entry: Mapping[str, Any]) -> Meaning:
    return Meaning(
        name,
        entry.get("title") or name,
        clauses_of(entry),
        entry.get("family"),
        bool(entry.get("gives_way")),
        tuple(entry.get("open") or ()),
    )


def vocabulary_of(contents: Iterable[Any], marks: frozenset[str] = frozenset()) -> dict[str, Word]:
    """The vocabulary of authored documents, the first that names something before the later ones; behind them quantity
    kinds and indices under their own names, sensors and bands. ``marks`` are words that tell products."""
    listed = list(contents)
    words: dict[str, Word] = {}
    for entry in (entry for data in listed if isinstance(data, list) for entry in data):
        for key, layer in layer_names(entry["names"], meaning_of(entry["layer"], entry)).items():
            words.setdefault(key, Word("layer", layer.label, layer))
    authored = [data for data in listed if isinstance(data, dict)]
    for data in authored:
        for key, word in _words(data):
            words.setdefault(key, word)
    excluded = {word.casefold() for data in authored for word in data.get("not_an_index", ())}
    for name, kind in quantity_kinds().items():
        is_index = name in spectral_indices()
        if kind.family not in _NOT_OF_FILES and not (is_index and name.casefold() in excluded):
            facts = {"quantity": name, "unit": "1"} if is_index else {"quantity": name}
            meaning = Meaning(name, kind.title, (Clause({}, facts, {}),))
            words.setdefault(plain(name), Word("layer", name, Layer(name, name, meaning), is_index))
    _add_other_words(words, authored, marks)
    _mark_whole(words, listed)
    for spelling, sensor in sensor_spellings().items():
        if _LEVEL.fullmatch(spelling):
            continue  # L4 of a product of any sensor
        if len(spelling) >= _SHORTEST_SENSOR or any(letter.isdigit() for letter in spelling):
            words.setdefault(plain(spelling), Word("sensor", sensor))
    for name in COMMON_NAMES:
        words.setdefault(name, Word("colour", name))
    for name, month in MONTH_WORDS.items():
        if len(name) >= _SHORTEST_MONTH or name in MONTHS or name in SHORT_MONTHS:
            words.setdefault(name, Word("months", f"{month:02d}-{month:02d}"))
    return words


def _add_other_words(words: dict[str, Word], authored: Iterable[Mapping[str, Any]], marks: frozenset[str]) -> None:
    """Other words for layers that a vocabulary has: authored ones, and names of a quantity kind in several words."""
    for data in authored:
        for known, others in (data.get(ALSO) or {}).items():
            if (layer := words.get(plain(str(known)))) is not None:
                for one in others:
                    words.setdefault(plain(str(one)), layer)
    named: dict[str, set[str]] = {}
    for kind in quantity_kinds().values():
        if kind.family not in _NOT_OF_FILES and not kind.categorical and kind.family != "mask":
            for synonym in (kind.cf_name or "", *kind.synonyms):
                if _SEVERAL_WORDS.fullmatch(synonym) and marks.isdisjoint(map(plain, _BREAK.split(synonym))):
                    named.setdefault(plain(synonym), set()).add(kind.name)
    for key, kinds in named.items():
        if len(kinds) == 1 and (layer := words.get(plain(min(kinds)))) is not None and layer.kind == "layer":
            words.setdefault(key, layer)


def _mark_whole(words: dict[str, Word], listed: Iterable[Any]) -> None:
    """Mark as whole what is a letter and the name of a layer or index, as s + PI is, unless it is authored apart."""
    names = [entry["names"] for data in listed if isinstance(data, list) for entry in data]
    names += [others for data in listed if isinstance(data, dict) for others in (data.get(ALSO) or {}).values()]
    apart = {plain(str(one)) for some in names for one in some if _LETTER_APART.match(str(one))}
    indices = {re.sub(r"\d+", form, name.casefold()) for name in spectral_indices() for form in (r"\g<0>", NUMBER)}
    for key, word in words.items():
        rest = key[1:]
        if key not in apart and (rest in indices or (rest in words and words[rest].kind == "layer")):
            words[key] = word._replace(whole=True)


def _words(data: Mapping[str, Any]) -> Iterator[tuple[str, Word]]:
    for kind in WORD_KINDS:
        said = data.get(kind) or {}
        for value, spellings in said.items() if isinstance(said, dict) else ((kind, said),):
            yield from ((plain(str(one)), Word("band" if kind == "bands" else kind, str(value))) for one in spellings)
    for kind in PLAIN_KINDS:
        yield from ((plain(str(one)), Word(kind, str(one))) for one in data.get(kind) or ())
    yield from _rates(data.get(RATES) or {})
    kept_for_a_while = data.get(TEMPORARY) or {}
    for one in product(kept_for_a_while.get("short") or (), kept_for_a_while.get("what") or ()):
        yield plain(" ".join(one)), Word("plain", " ".join(one))


def _rates(data: Mapping[str, Any]) -> Iterator[tuple[str, Word]]:
    """Units of an amount in a length of time, in any language: ``m_rok``, ``mm_por_dia``."""
    times, links = data.get("times") or {}, ("", *(data.get("links") or ()))
    for unit, spellings in (data.get("amounts") or {}).items():
        amount, _, lengths = str(unit).partition(" in ")
        for length in lengths.split():
            written = amount.format(per=f"{length}-1") if "{" in amount else f"{amount} {length}-1"
            for one, link, time in product(spellings, links, times.get(length) or ()):
                word = Word("unit", written, APART if len(one) == 1 else None)
                yield plain(f"{one} {link} {time}"), word
                if "{" in amount and not link:  # kJ m-2 dia-1; the first month is in no such unit
                    yield plain(f"{one} {time} 1"), word


def _holds(name: str, wanted: object, said: Mapping[str, str], moment: str | None, dtype: str | None) -> bool:
    if name == "date_from":
        return moment is not None and moment >= str(wanted)
    if name == "date_before":
        return moment is not None and moment < str(wanted)
    found = dtype if name == "dtype" else said.get(name)
    if wanted is None or found is None:
        return found is None and wanted is None
    forms = (found, *_STORED_WIDER.get(found, ())) if name == "dtype" else (found,)
    return any(re.fullmatch(str(wanted), form, re.IGNORECASE) for form in forms)


def _with_days(facts: Facts, said: Mapping[str, str]) -> Facts:
    """The facts with the days that their span names, which may ask for groups of the name: ``{edition}-12-31``."""
    known = facts["span"]
    try:
        first, last = (str(end).format_map(said) for end in known.value)
    except KeyError:
        return facts.without(("span",))
    moment = None if facts.get("datetime") else Span(first, last).moment
    days = facts.without(("span",)).put("span", (first, last), known.origin, known.source)
    return days if moment is None else days.put("datetime", moment, known.origin, known.source)


@lru_cache(maxsize=256)
def _with_band(name: str) -> re.Pattern[str]:
    inside = {"{": "(?P<band>", "}": ")", NUMBER: r"\d+(?:\.\d+)?"}
    parts = [inside.get(one) or ("[^0-9A-Za-z]*" if not one.isalnum() else one) for one in name]
    return regex("[^0-9A-Za-z]*".join(parts).replace("(?P<band>[^0-9A-Za-z]*", "(?P<band>"), re.IGNORECASE)


@lru_cache(maxsize=1024)
def _stated(meaning: Meaning, held: tuple[int, ...], source: str) -> Facts:
    """What those clauses of a meaning say that hold, the later ones first."""
    declared, assumed = Facts(), Facts()
    for clause in (meaning.clauses[place] for place in held):
        declared = Facts.of(Origin.DECLARED, source, **clause.facts).over(declared)
        assumed = Facts.of(Origin.ASSUMED, f"usual for {source}", **clause.assume).over(assumed)
    return declared.over(assumed)


@kept()
@between_runs
def names_of_quantities() -> Mapping[str, tuple[str, ...]]:
    """What layers of each quantity kind are called, in words: the names of files that mean it, whatever else they say.

    >>> "sst" in names_of_quantities()["sea_surface_temperature"]
    True
    """
    found: dict[str, dict[str, None]] = {}
    kinds: dict[str, str] = {}
    contents = [document.data for document in documents()]
    for entry in (entry for data in contents if isinstance(data, list) for entry in data):
        quantities = meaning_of(entry["layer"], entry).quantities
        if len(quantities) == 1:
            kinds |= dict.fromkeys((plain(str(name)) for name in entry["names"]), quantities[0])
            found.setdefault(quantities[0], {}).update(dict.fromkeys(map(str, entry["names"])))
    for data in (data for data in contents if isinstance(data, dict)):
        for known, others in (data.get(ALSO) or {}).items():
            kind = kinds.get(plain(str(known)), str(known))
            if kind in quantity_kinds():
                found.setdefault(kind, {}).update(dict.fromkeys(map(str, others)))
    return {kind: tuple(filter(None, map(_in_words, names))) for kind, names in found.items()}


def _in_words(name: str) -> str:
    """The name of a file in words; none where it has a place for something else, or is a letter or two."""
    words = name.replace("_", " ").strip().casefold()
    return words if len(words) > _SHORTEST_NAME and not _PLACES.intersection(words) else ""
