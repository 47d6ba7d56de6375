"""What vector files bring to a question: the names of their layers, features and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.inflection import plural
from knowflow.ground.units import compatible
from knowflow.knowledge.reading_words import MEASURED_AS, reading_words, words_of
from knowflow.question.operators import Attribute, Expression, Polygons
from knowflow.question.reading.chart import Entity
from knowflow.question.typing_of_features import OF_TABLE, are_rows

MONEY: Mapping[str, tuple[str, ...]] = {
    "eur": ("euro", "euros", "EUR", "€"),
    "euro": ("euro", "euros", "EUR", "€"),
    "usd": ("dollar", "dollars", "USD"),
    "chf": ("franc", "francs", "CHF"),
    "gbp": ("pound", "pounds", "GBP"),
    "keur": ("thousand euro", "thousand euros", "thousands of euros", "kEUR", "thousand EUR"),
    "meur": ("million euro", "million euros", "millions of euros", "MEUR", "million EUR"),
}
"""Money as it ends the name of a column, and what it is called."""


@dataclass(frozen=True, slots=True)
class FeatureLayer:
    """A file of features: its name where there are several, how many there are, what one or all of them are called,
    the texts that name them, those of other attributes, and what its numbers are called, each with column and unit;
    ``sorts`` are attributes with their few texts, ``flags`` what those of yes and no are called, each with its column,
    ``years`` the same of those that hold years, ``told`` what notes call values: attribute, value and name. There are
    ``versions`` where it stands for files of these years, the name of each with its year in place of a mark. ``year``
    is the column that tells in which year each was, ``counts`` the one that tells how many there are in each row,
    ``days`` the one of days with these; of rows of a table it is the grain of their times. ``kinds`` are the quantities
    of which the columns of a table are, each with column, unit and the statistic that it is itself, ``measured`` those
    that the columns of a file of points are, each with column and unit, ``noted`` the stems of what notes say of the
    file."""

    name: str | None
    count: int
    called: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[str, ...]
    numbers: tuple[tuple[str, str, str], ...]
    sorts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    flags: tuple[tuple[str, str], ...] = ()
    years: tuple[tuple[str, str], ...] = ()
    told: tuple[tuple[str, str, str], ...] = ()
    versions: tuple[int, ...] = ()
    year: str | None = None
    counts: str | None = None
    days: tuple[str, tuple[str, ...]] | None = None
    yearly: tuple[tuple[str, tuple[tuple[int, str], ...], str], ...] = ()
    kinds: tuple[tuple[str, str, str, str], ...] = ()
    noted: frozenset[str] = frozenset()
    measured: tuple[tuple[str, str, str], ...] = ()


_LINKED = 0.6  # of the values of a column, which are names of features


def tells_of(texts: Collection[str], names: Collection[str]) -> bool:
    """Whether a column of a table tells of features by their names: most of its texts are names of theirs."""
    return len({*texts} & {*names}) > _LINKED * len({*texts})


@dataclass(frozen=True, slots=True)
class Yearly:
    """A number of features that their file tells of several years, each in a column."""

    x: Expression
    columns: tuple[tuple[int, str], ...]
    unit: str


@dataclass(frozen=True, slots=True)
class OfDays:
    """Features, and the days on which any of their file was, by the attribute that tells them."""

    x: Expression
    by: str
    days: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sort:
    """Features of one value of an attribute, the attribute, and those of its other values."""

    by: str
    x: Polygons
    others: tuple[str, ...] = ()


def feature_phrases(layers: Sequence[FeatureLayer], names: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """The names that vector files bring, with the symbol and value they are: features of a name or of the value of an
    attribute, layers of one feature, and numbers."""
    if not layers:
        yield from ((name, "OBJECTS", Polygons((name,))) for name in names)
    for name in names if layers else ():
        for layer in _holding(name, layers):
            only = layer.count == 1 and layer.name is not None
            yield name, "OBJECTS", Polygons(() if only else (name,), layer=layer.name)
            if name not in layer.names and name[:1].islower():
                yield plural(name), "OBJECTS", Polygons((name,), layer=layer.name)
    for layer in layers:
        if layer.count == 1:
            yield from ((name, "ONE_FEATURE", Polygons(layer=layer.name)) for name in layer.called)
        for name, column, unit in layer.numbers:
            money = MONEY.get(column.rpartition("_")[2].lower(), ())
            yield from ((spoken, "MONEY", column.rpartition("_")[2].lower()) for spoken in money)
            symbol = "TOLD" if are_rows(Polygons(layer=layer.name)) else "ATTRIBUTE"
            yield name, symbol, Attribute(Polygons(layer=layer.name), column, unit)
        yield from ((name, "YEARLY", Yearly(Polygons(layer=layer.name), of, unit)) for name, of, unit in layer.yearly)
        yield from ((name, "FLAG", Attribute(Polygons(layer=layer.name), column)) for name, column in layer.flags)
        yield from (
            (f"un{name}", "UNMARKED", Attribute(Polygons(layer=layer.name), column)) for name, column in layer.flags
        )
        yield from ((name, "DATED", Attribute(Polygons(layer=layer.name), column)) for name, column in layer.years)
        yield from _told_by_notes(layer)
        yield from _by_part_of_name(layer)
        yield from _of_rows(layer)
    yield from ((name, "SORT", one) for name, one in sorts_of(layers))


def _told_by_notes(layer: FeatureLayer) -> Iterator[tuple[str, str, Any]]:
    """Values by what notes call them; those of ground that has a name anyway only as values of their attribute."""
    sorts = dict(layer.sorts)
    for by, value, name in layer.told:
        of = Polygons((value,), layer=layer.name)
        others = tuple(one for one in sorts.get(by, ()) if one != value)
        for said in dict.fromkeys((name, plural(name))):
            if value not in layer.names:
                yield said, "SORT", Sort(by, of, others)
            if value in layer.names or words_of(said) not in reading_words().phrases:
                yield said, "OBJECTS", of


def _by_part_of_name(layer: FeatureLayer) -> Iterator[tuple[str, str, Any]]:
    """Features by their names without the word for what they are, in whatever language: the Mayu fault."""
    things = {words_of(name)[0] for name in layer.called if len(words_of(name)) == 1}
    parts: dict[str, set[str]] = {}
    for name in layer.names:
        words = words_of(name)
        rest = " ".join(word for word in words if word not in things)
        if 0 < len(rest.split()) < len(words) and len(rest) > _SHORT:
            parts.setdefault(rest, set()).add(name)
    for rest, names in parts.items():
        if len(names) == 1 and words_of(rest) not in reading_words().phrases:
            yield rest, "OBJECTS", Polygons(tuple(names), layer=layer.name)


def _of_rows(layer: FeatureLayer) -> Iterator[tuple[str, str, Any]]:
    """Features of which the file tells in which year each was, and how many it counts for."""
    named = [(name, Polygons(layer=layer.name)) for name in layer.called]
    named += [(one, sort.x) for value, sort in sorts_of([layer]) for one in dict.fromkeys((value, plural(value)))]
    told = [(one, Polygons((value,), layer=layer.name)) for _, value, one in layer.told]
    named += [(said, x) for one, x in told for said in (one, plural(one))]
    for name, x in named:
        if layer.year is not None and not layer.days:
            yield name, "OF_YEARS", Attribute(x, layer.year)
        if layer.days:
            yield name, "OF_DAYS", OfDays(x, *layer.days)
        if layer.counts is not None and x.names:
            yield name, "IN_ROWS", Attribute(x, layer.counts)


_SHORT = 2  # letters


def sorts_of(layers: Sequence[FeatureLayer]) -> Iterator[tuple[str, Sort]]:
    """Features by the value of an attribute that alone of their file has it, by all of its words or the last ones that
    no other value has: the wheat of ``winter wheat``."""
    for layer in layers:
        held = [(by, value) for by, values in layer.sorts for value in values]
        ends = Counter(end for _, value in held for end in {*_ends(value)})
        of = Counter(value for _, value in held)
        for by, value in held:
            if of[value] == 1 and value not in layer.names:
                others = tuple(one for attribute, one in held if attribute == by and one != value)
                sort = Sort(by, Polygons((value,), layer=layer.name), others)
                yield value, sort
                yield from ((end, sort) for end in _ends(value) if ends[end] == 1 and end != value)


def _ends(value: str) -> Iterator[str]:
    words = words_of(value)
    yield from (" ".join(words[start:]) for start in range(len(words)))


def _holding(name: str, layers: Sequence[FeatureLayer]) -> list[FeatureLayer]:
    """The layers of which a text names features; where it names none, those that hold it otherwise."""
    placed = [one for one in layers if not are_rows(Polygons(layer=one.name))]
    rows = [one for one in layers if one not in placed and name in (*one.names, *one.values)]
    named = [one for one in placed if name in one.names] or [one for one in placed if name in one.values]
    return named or rows


_NAMES = ("ONE_FEATURE", "NAMED_KEY", "SPOT_KEY", "OBJECTS")
_GRADED = {"BY_LENGTH": "RANKED_BY", "RANKED": "RANKED_BY", "COMPARED": "COMPARED_BY", "ADJECTIVE": "ADJECTIVE_BY"}
_MEASURES = ("perimeter_of", "length_of")


def _tables_apart(layers: Sequence[FeatureLayer]) -> Set[str]:
    """The tables that name their rows, and none of them as any other file names what it holds: no rows of these are
    about its polygons."""
    texts = {one.name: {*one.names, *one.values} for one in layers}
    return {
        name
        for name, own in texts.items()
        if name is not None
        and name.endswith(OF_TABLE)
        and own
        and not any(own & theirs for other, theirs in texts.items() if other != name)
    }


def whole_names(found: Sequence[Entity], held: Sequence[FeatureLayer]) -> list[Entity]:
    """Without what is a part of the name of a layer: the fire in the fire perimeter, and its perimeter."""
    layers = {(one.start, one.end) for one in found if one.symbol == "ONE_FEATURE"}

    def inside(one: Entity) -> bool:
        return any(
            start <= one.start and one.end <= end and (start, end) != (one.start, one.end) for start, end in layers
        )

    keys = [one for one in found if one.symbol == "NAMED_KEY"]
    apart = _tables_apart(held)
    files = {one: one.value.partition("\n")[0].removeprefix("objects of ") for one in keys}
    placed = (one for one in keys if files[one] in apart or not files[one].endswith(OF_TABLE))
    by = {(one.start, one.end) for one in placed if one.value.startswith(("objects by ", "objects of "))}
    by |= {(one.start, one.end) for one in found if one.symbol == "SORT"}

    def otherwise(one: Entity) -> bool:
        """Whether it is a word for any outlines, where the data call an attribute so, or one of several layers, or what
        an attribute holds: the region of departments, the camps among the sites."""
        return (one.symbol, one.value) == ("NAMED_KEY", "objects") and (one.start, one.end) in by

    named = [one for one in found if one.symbol == "OBJECTS"]

    def part_of_name(one: Entity) -> bool:
        """Whether it is the Long of Long Lake, which is called so by a part of its name, or another is."""
        longer = (other for other in named if other.end - other.start > one.end - one.start)
        return one.symbol == "OBJECTS" and any(other.start <= one.start and one.end <= other.end for other in longer)

    numbers = {(one.start, one.end) for one in found if one.symbol in ("TOLD", "ATTRIBUTE")}

    def any_number(one: Entity) -> bool:
        """Whether it is a word for any values, where the data call a number so: the level of a lake."""
        return one.symbol == "values" and (one.start, one.end) in numbers

    kept = (one for one in found if not otherwise(one) and not part_of_name(one) and not any_number(one))
    return [one for one in kept if one.symbol not in (*_NAMES, *_MEASURES) or not inside(one)]


def of_attributes(found: Sequence[Entity], layers: Sequence[FeatureLayer], held: Set[str]) -> Iterator[Entity]:
    """Words that grade what is measured, by the numbers of a layer that are called so: the deepest well, by its
    depth; the oldest bridge, by the year in which it was built. Those of the rows of a table that are not told apart
    grade by what its columns tell of: the dustiest station. ``held`` are the kinds of which there are maps."""
    for one in found:
        kind, side = ("", None) if one.symbol not in _GRADED else (one.value, None)
        kind, side = kind if isinstance(kind, tuple) else (kind, side)
        kind, side = ("length", one.value) if one.symbol == "BY_LENGTH" else (kind, side)
        for layer in layers if kind else ():
            whole = Polygons(layer=layer.name)
            for column, unit, way in dict.fromkeys(_graded_columns(str(kind), side, layer)):
                of = Attribute(whole, column, unit)
                value = of if side is None else (of, way)
                if layer.names or not are_rows(whole) or one.symbol != "RANKED":
                    yield Entity(_GRADED[one.symbol], one.start, one.end, value)
                if are_rows(whole) and one.symbol == "RANKED":
                    yield Entity("RANKED_ROWS", one.start, one.end, (of, way, kind in held))


def _graded_columns(kind: str, side: str | None, layer: FeatureLayer) -> Iterator[tuple[str, str, str | None]]:
    """The columns that a word grades by: each with its unit and the side that is meant of it."""
    noun = words_of(kind.removeprefix(MEASURED_AS).replace("_", " "))
    yield from ((column, unit, side) for name, column, unit in layer.numbers if words_of(name) == noun)
    if noun in _SPEEDS:  # the fastest drift
        speeds = {column: unit for _, column, unit in layer.numbers if unit != "1" and compatible(unit, "m s-1")}
        yield from ((column, unit, side) for column, unit in speeds.items())
    for own, column, unit, stated in layer.kinds:
        if own == kind and side in _STATED and stated in ("", "mean", _STATED[side]):
            yield column, unit, side
    years = {column for _, column in layer.years}
    if noun == _AGE and len(years) == 1 and side in _STATED:  # the oldest is of the earliest year
        yield years.pop(), "1", "lowest" if side == "highest" else "highest"


_SPEEDS = (("speed",), ("velocity",))
_STATED = {"highest": "maximum", "lowest": "minimum"}
_AGE = ("age",)
_RANKED = ("RANKED_BY", "RANKED_ROWS")


def as_extremes(found: Sequence[Entity]) -> Iterator[Entity]:
    """Words that grade a number before its own name, or before what it is said of: ``the best yield``, ``the deepest
    snow`` of its depth."""
    graded = {(one.start, one.end, one.value[0]): one.value for one in found if one.symbol in _RANKED}
    kinds = {(one.start, one.value[0]) for one in found if one.symbol == "RANKED"}
    for (start, end, of), (_, side, *_) in graded.items():
        for one in found if side in _STATED else ():
            named = one.symbol in ("TOLD", "ATTRIBUTE") and one.value == of
            said_of = one.symbol == "MEDIUM" and (start, one.value) in kinds
            if one.start == end and (named or said_of):
                yield Entity("STAT", start, end, _STATED[side])
            if one.start == end and said_of:
                yield replace(one, symbol="TOLD" if are_rows(of.x) else "ATTRIBUTE", value=of)


_SPANS = {"year": "year", "month": "month", "week": "week", "date": "day"}


def _is_span(one: Entity) -> bool:
    return one.symbol == "GRAIN" and one.value in _SPANS


def telling_rows(found: Sequence[Entity], layers: Sequence[FeatureLayer]) -> Iterator[Entity]:
    """What the rows of one table alone are told apart by, where it tells one number alone, with it: the gauge, of the
    rain."""
    alone = {layer.name: told.pop() for layer in layers if len(told := {(c, u) for _, c, u in layer.numbers}) == 1}
    keys: dict[tuple[int, int], list[Entity]] = {}
    for one in found:
        if one.symbol == "NAMED_KEY" and one.value.partition("\n")[0].endswith(OF_TABLE):
            keys.setdefault((one.start, one.end), []).append(one)
    for rows in keys.values():
        layer, _, by = rows[0].value.removeprefix("objects of ").partition("\n")
        if len({one.value for one in rows}) == 1 and by and layer in alone:
            of = Attribute(Polygons(layer=layer), *alone[layer])
            yield replace(rows[0], symbol="TELLER", value=(rows[0].value, of))


def of_units(found: Sequence[Entity], layers: Sequence[FeatureLayer]) -> Iterator[Entity]:
    """Units in which one number alone of a layer is told: ``with 220 kV or more``; years, where features are so old."""
    spans = (replace(one, symbol="UNIT", value=_SPANS[one.value]) for one in found if _is_span(one))
    told = [one for one in found if one.symbol == "UNIT"]
    in_use = {unit for layer in layers for _, _, unit in layer.numbers}
    for one in spans:
        if any(unit in _SPANS.values() for unit in in_use):
            told.append(one)
            yield one
    for layer in layers:
        units = {column: unit for _, column, unit in layer.numbers if unit != "1"}
        for one in told:
            alike = [(column, unit) for column, unit in units.items() if compatible(unit, one.value)]
            if len(alike) == 1:
                own = Attribute(Polygons(layer=layer.name), *alike[0])
                yield replace(one, symbol="UNIT_OF", value=(own, one.value))
