"""What words may stand for, before any sentence: quantities, units, and what the data bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, Literal

from knowflow.ground.called import is_unknown
from knowflow.ground.inflection import plural
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_file import Entry
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.things import other_names_of_all, parts_of
from knowflow.knowledge.words import stem
from knowflow.question.operators import Beyond, Expression, IsClass, Not, Number, Point, Quantity
from knowflow.question.reading.features import FeatureLayer, feature_phrases, sorts_of
from knowflow.question.reading.grades import Grades, also_said, grades_of
from knowflow.question.times import Times

Stems = tuple[str, ...]
BEFORE, AFTER = ("before", "pre"), ("after", "post")
"""Words for the time around an event, of questions and of names of layers."""
_NO_FIELDS = ("statistics", "measure", "mask", "class")
"""Families of kinds that are no quantity by name: what is asked of one, and what lies on the ground."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool or template that answers by itself: the quantity that is meant where none is named, its parameters that
    are numbers with their units, the one that is a place, and those that are choices with these. ``takes`` is what it
    is told of: what lies over space, a quantity by its name, or nothing."""

    tool: str
    of: str | None = None
    numbers: tuple[tuple[str, str | None], ...] = ()
    place: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    takes: Literal["map", "quantity", "nothing"] = "map"


LAYERS = "layers"
"""The fact that tells of which layers something is together."""
AGES = "ages"
"""The fact that tells of which groups of people, by sex and age, something is together."""
PAIR = "pair"
"""The fact that a layer is of two dates, its first and last day: an interferogram."""
TILE = "tile"
"""The fact that data are of a tile of the grid that their product is cut by."""
PRODUCT = "product"
"""The fact that data are of a product, or of a sensor, by a name that people give it."""
STATISTIC = "statistic"
"""The fact that tells of which statistic of each time maps are."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A fact of some data beside their quantity: ``band`` ``red``; the kinds of those that have it, and what else its
    value is called: ``b4``. ``alone``: it is what is asked of, where no kind is named."""

    fact: str
    value: str
    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        return self.fact in ("band", "polarisation")


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A raster or a table by the words that it is called by, as stems, the quantity of the one and the other's name."""

    words: frozenset[str]
    kind: str = ""
    table: str | None = None


@dataclass(frozen=True, slots=True)
class HeldProduct:
    """The product of some layers of a quantity: its ``names`` and its sensor's, the ``words`` of its title, and how
    many ``layers`` they are. Of which product layers without any of these are, nobody knows."""

    kind: str
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    layers: int = 1

    def is_called(self, name: str) -> bool:
        """Whether a name is its own, or is made of several words of its title: ``Copernicus 100 m land cover``."""
        words = name.split()
        return name in self.names or (len(words) > 1 and self.words.issuperset(words))


SeasonNamed = tuple[tuple[str, ...], tuple[int, int]]
"""The words that name a season, with its first and last month."""


@dataclass(frozen=True, slots=True)
class DataWords:
    """The names that data bring along, of which a question may speak.

    ``classes`` are the classes of each kind of class map, ``objects`` the values of the polygons' name fields,
    ``points`` the names of points with longitude and latitude, ``layers`` names of layers with what they hold,
    ``quantities`` the kinds at hand, and ``dates`` those of the acquisitions. ``keys`` is what the polygons of a file,
    their attributes and classes are called, each with the key that it is, ``asked`` are the tools that can be asked
    for, by the nouns that ask for them; ``names`` is what layers of the kinds at hand are called, each with the kind.
    ``at_hand`` are layers and bands by the names of their files, with the kinds of which there are others as well.
    ``places`` are what file names call the one place that all files are of, ``sensors`` what the images are by: where
    that is not known, it is what the question says.
    ``called`` are the words by which layers are called that no vocabulary knows, each with the kind, ``units`` what
    the data write units, each with the one it is. ``surveyed`` are kinds that stand for all dates and of which there
    are maps of several, ``maps`` of how many dates there are maps of each kind. ``anywhere``: of the files only the
    names are known, so that a name that nothing knows is where they are from. ``stated`` are kinds of which all layers
    are a statistic by their names, each with it: ``tmin``, ``ndvi_peak``. ``spots`` is what points are called, each
    with its key, ``seasonal`` are kinds whose dates are of less than three quarters of a year. ``features`` are the
    vector files, ``events`` the days before and after what happened, where layers are called so: ``nbr_pre_fire``.
    ``globe`` says that the files are of the whole Earth; ``meant`` are words for ground of which the notes of the data
    say what they mean, ``down`` motions of the ground of which they say which sign those downwards have. ``told`` are
    kinds at hand that are to be taken from the columns of tables, ``less`` words that mean less here than elsewhere.
    ``files`` are the rasters and tables by the words of their names, ``products`` those that layers are known to be
    of, and ``product_names`` what any product may be called, with the quantities that it holds. ``tiles`` are the codes
    of those that files are of, ``undated`` the kinds of which no map has a date, ``grades`` the
    classes of quantities that notes tell, ``seasons`` what these call parts of a year, and ``scales`` by what the
    numbers of files are to be multiplied.
    """

    quantities: frozenset[str] = frozenset()
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    objects: tuple[str, ...] = ()
    points: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))
    layers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dates: tuple[date, ...] = ()
    asked: tuple[tuple[str, Asked], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    chosen: tuple[Chosen, ...] = ()
    years: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    at_hand: tuple[Chosen, ...] = ()
    places: tuple[str, ...] = ()
    sensors: frozenset[str] = frozenset()
    called: tuple[tuple[str, tuple[str, ...]], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    surveyed: tuple[str, ...] = ()
    anywhere: bool = False
    maps: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    stated: tuple[tuple[str, str], ...] = ()
    spots: tuple[tuple[str, str], ...] = ()
    seasonal: frozenset[str] = frozenset()
    features: tuple[FeatureLayer, ...] = ()
    events: tuple[date, ...] = ()
    globe: bool = False
    meant: tuple[tuple[str, Expression], ...] = ()
    down: tuple[tuple[str, int], ...] = ()
    told: frozenset[str] = frozenset()
    less: frozenset[str] = frozenset()
    files: tuple[HeldFile, ...] = ()
    products: tuple[HeldProduct, ...] = ()
    product_names: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    tiles: frozenset[str] = frozenset()
    undated: frozenset[str] = frozenset()
    grades: tuple[Grades, ...] = ()
    seasons: tuple[SeasonNamed, ...] = ()
    scales: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def two(self) -> tuple[Times, Times] | None:
        """The two times that a change is from and to, where the data tell which: their dates, or those of an event."""
        days = self.events or self.dates
        return (Times(days[0], days[0]), Times(days[1], days[1])) if len(days) == 2 else None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Phrases, as stems, with the symbol and value they may be; ``exact`` are spelled as they are."""

    phrases: Mapping[Stems, tuple[tuple[str, Any], ...]]
    exact: Mapping[str, tuple[tuple[str, Any], ...]]
    longest: int


@kept()
@between_runs
def vocabulary() -> Vocabulary:
    """The vocabulary of all questions, whatever the data."""
    phrases: dict[Stems, dict[tuple[str, Any], None]] = {}
    exact: dict[str, dict[tuple[str, Any], None]] = {}
    known, own = lexicon(), {stem(word) for word in reading_words().operators}
    for key, meanings in known.phrases.items():
        for meaning in meanings:
            for symbol, value in _values(meaning.category, meaning.entry, meaning.manner):
                if symbol == "UNIT" or not own.intersection(key):  # no name of a thing says what is done with it
                    phrases.setdefault(key, {})[symbol, value] = None
    for kind in quantity_kinds().values():
        if kind.family in _NO_FIELDS:
            continue
        for key in map(key_of, (kind.name.replace("_", " "), *kind.synonyms)):
            if key and not own.intersection(key) and not (len(key) == 1 and key[0] in known.common):
                phrases.setdefault(key, {("QUANTITY", Quantity(kind.name)): None})
    for word, meanings in known.exact.items():
        for meaning in meanings:
            for one in _values(meaning.category, meaning.entry, meaning.manner):
                exact.setdefault(word, {})[one] = None
    return Vocabulary(
        MappingProxyType({key: tuple(found) for key, found in phrases.items()}),
        MappingProxyType({key: tuple(found) for key, found in exact.items()}),
        max(map(len, phrases), default=1),
    )


def _values(category: str, entry: Entry, manner: str) -> Iterator[tuple[str, Any]]:
    """What an entry of the lexicon is to the grammar: a quantity, a method, a sensor, or a unit."""
    if category == "quantity" and manner == "plain" and str(entry.value) in quantity_kinds():
        yield "QUANTITY", Quantity(str(entry.value))
    elif category == "setting" and entry.slot == "algorithm":
        yield "METHOD", (str(entry.value), entry.quantity)
    elif category == "setting" and entry.slot == "sensor":
        yield "SENSOR", str(entry.value)
    elif category == "unit":
        yield "UNIT", str(entry.value)
        if entry.value == "degree":
            yield "UNIT", "degC"


_NEGATED = ("un", "non-")  # unlit, non-forest
_EXTENTS = ("extent", "mask", "presence", "footprint")  # what tells where something is, by 1 and 0
_LETTERS = 3  # of what is no word
_FAR = ("distance", "to", "from")
_PLACE = ("SCOPE", "place")  # a city or a park, which may be those of a file
_OF_GROUND = frozenset(
    {"GROUND", "BODY", "SHARE_OF", "NAMED_KEY", "MEDIUM"} | {"sort", "use", "asker", "event", "counted"}
)


def _may_be_key(name: str) -> bool:
    """Whether a name of polygons or classes says nothing else but what lies there: no file makes ``area`` a key."""
    said = {symbol for symbol, value in reading_words().phrases.get(words_of(name), ()) if (symbol, value) != _PLACE}
    return "NAMED_KEY" in said or (said <= _OF_GROUND and key_of(name) not in vocabulary().phrases)


def _models(one: Chosen) -> Iterator[tuple[str, Quantity]]:
    """The names of a model of heights that are those of nothing else: ``surface model``, ``DTM``, not ``ground``."""
    for name in one.names if one.fact == "surface" else ():
        if name.isupper() or name.endswith("model"):
            yield name, Quantity(one.kinds[0], having=((one.fact, one.value),))


def _names_with_operators(kind: str, operators: Set[str]) -> Iterator[tuple[str, str]]:
    """The names of a kind at hand that hold a word of an operator, and say nothing that is done: without that word they
    name nothing (``sea level anomaly``, unlike ``total rain``). Each with what is left without it."""
    known = quantity_kinds().get(kind)
    for name in () if known is None else (kind.partition("__")[0].replace("_", " "), *known.synonyms):
        words = words_of(name)
        rest = [word for word in words if word not in operators]
        if 1 < len(rest) < len(words) and key_of(" ".join(rest)) not in vocabulary().phrases:
            yield name, " ".join(rest)
        elif known is not None and words[:1] == ("total",) and rest and not known.accumulates:
            yield name, ""  # the total ozone, which is that of the column


_SHORT = frozenset({"TOLD_AS", "ANOMALY", "RISE"})
_ALSO_SHORT = frozenset({"height", "level", "change"})


def _short_names(data: DataWords) -> Iterator[tuple[str, str]]:
    """The nouns at the end of names, where one kind alone is called so and they mean nothing else: ``the anomaly`` of
    sea level, ``the loss``, ``the velocity`` of the ground."""
    said, known, ends = reading_words().phrases, vocabulary().phrases, dict[str, set[str]]()
    names = [(kind, kind.partition("__")[0]) for kind in data.quantities]
    heads = [(kind, name.partition("_of_")[0].split("_")) for kind, name in names]
    for kind, words in (*heads, *((kind, name.split("_")) for kind, name in names if "_of_" in name), *data.called):
        noun = words[-1]
        meant = said.get((noun,), ())  # not what is called so of what the data do not hold
        meanings = {symbol for symbol, value in meant if symbol != "HELD" or value in data.quantities}
        new = not meanings and key_of(noun) not in known and noun.isalpha() and len(noun) > _LETTERS
        if len(words) > 1 and (meanings & _SHORT or noun in _ALSO_SHORT or new):
            ends.setdefault(noun, set()).add(kind)
    apart = {name for one in data.chosen for name in one.names}
    for noun, kinds in ends.items():
        if len(kinds) == 1 and noun not in apart:
            kind = kinds.pop()
            yield from ((name, kind) for name in dict.fromkeys((noun, plural(noun))))


def _other_names(data: DataWords) -> Iterator[tuple[str, str, Any]]:
    """Classes, and values of attributes, by their names in other languages: ``spruce``, of a class ``Fichte``. One that
    is another name of two that are held is that of none, and what files are called is that of all in them: protected
    areas."""
    files = {words_of(name) for layer in data.features for name in layer.called}
    classes = {name: IsClass(Quantity(kind), (name,)) for kind, names in data.classes.items() for name in names}
    told = Counter(name for names in data.classes.values() for name in names)
    sorts = {one.x.names[0]: one for _, one in sorts_of(data.features)}
    for other, name in other_names_of_all((*classes, *sorts, *data.objects)):
        if words_of(other) in files:
            continue
        known = {
            words_of(other),
            words_of(name),
        } <= reading_words().phrases.keys()
        if name in classes and name not in sorts and told[name] == 1 and not known:
            yield other, "GROUND", classes[name]
        elif name in sorts and name not in classes:
            yield other, "SORT", sorts[name]
            yield other, "OBJECTS", sorts[name].x


_EARTH = ("Earth", "globe", "world", "planet", "globally", "worldwide")


def _is_said_of(name: str) -> bool:
    """Whether a class is called by what is said of ground, which other ground is not: protected, and unprotected."""
    return name.isalpha() and name.endswith("ed") and name.islower()


def data_phrases(data: DataWords) -> Iterator[tuple[str, str, Any]]:
    """The names that data bring, with the symbol and value they are."""
    for kind, names in data.classes.items():
        yield from ((name, "GROUND", IsClass(Quantity(kind), (name,))) for name in names)
    of_classes = [
        (part, kind, name) for kind, names in data.classes.items() for name in names for part in parts_of(name)
    ]
    for part, kind, name in of_classes:
        if _is_said_of(part):
            yield from ((f"{no}{part}", "GROUND", Not(IsClass(Quantity(kind), (name,)))) for no in _NEGATED)
            if sum(part == other for other, *_ in of_classes) == 1:
                yield part, "GROUND", IsClass(Quantity(kind), (name,))
    if data.globe:
        yield "global", "spatial", None
        yield from ((name, "SCOPE", "area") for name in _EARTH)
    meant = {said: x for name, x in data.meant for said in (name, *also_said(name))}
    yield from ((said, "GROUND", x) for said, x in meant.items())
    yield from ((f"{no}{name}", "GROUND", Not(x)) for name, x in data.meant for no in _NEGATED)
    classes = {name for names in data.classes.values() for name in names}
    graded = (one for each in grades_of(data.grades, data.meant, data.quantities, classes) for one in each.phrases())
    yield from (one for one in graded if one[0] not in meant)
    yield from _other_names(data)
    yield from feature_phrases(data.features, data.objects)
    yield from ((name, "POINT", Point(*place)) for name, place in data.points.items())
    parts = {words_of(part) for part, *_ in of_classes}
    keys = (one for one in data.keys if words_of(one[0]) not in parts)  # a class of a map that is called so
    yield from ((name, "NAMED_KEY", key) for name, key in keys if _may_be_key(name))
    yield from ((name, "SPOT_KEY", key) for name, key in data.spots)
    yield from ((name, "ASKED", asked) for name, asked in data.asked)
    yield from ((name, "CHOSEN", one) for one in data.chosen for name in one.names)
    yield from ((name, "QUANTITY", model) for one in data.chosen for name, model in _models(one))
    said, own = reading_words().phrases, reading_words().operators  # no name says what is done with it: total rain
    held = ((name, kind) for name, kind in data.names if words_of(name) not in said)
    yield from ((name, "HELD", kind) for name, kind in held if not own.intersection(words_of(name)))
    for kind in data.quantities:
        for name, rest in _names_with_operators(kind, own):
            yield name, "QUANTITY", Quantity(kind)
            yield from ((rest, "SHORT", kind),) if rest else ()
    yield from ((name, "SHORT", kind) for name, kind in _short_names(data))
    for kind, words in data.called:
        if is_unknown(kind) and kind.endswith("__1") and len(words) > 1 and words[-1] in _EXTENTS:
            yield " ".join(words[:-1]), "GROUND", Beyond(Quantity(kind), "above", Number(0.0))
    for kind, words in data.called:
        if words[0] in _FAR and len(words) > 2:
            yield " ".join(words[2:] if words[1] in _FAR else words[1:]), "NEAR", kind
    yield from ((name, "UNIT", unit) for name, unit in data.units)
    choices = dict.fromkeys(choice for _, asked in data.asked for _, choice in asked.choices)
    yield from ((choice.replace("_", " "), "CHOICE", choice) for choice in choices)
    yield from ((name, "QUANTITY", Quantity(kind, having=(("layer", name),))) for name, kind in data.layers.items())
