"""What the vector files of a folder are called, and what they hold by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.columns import day_column, row_field, yes_or_no
from knowflow.ground.columns import words_of as words_of_columns
from knowflow.ground.inflection import plural
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.row_times import YEAR_COLUMN, are_years
from knowflow.ground.units import compatible
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.things import other_names
from knowflow.knowledge.words import stem
from knowflow.model.artifact import Artifact
from knowflow.question.reading.called import MEASURES
from knowflow.question.reading.features import MONEY, FeatureLayer
from knowflow.question.reading.nouns import in_layer, is_by
from knowflow.question.typing_of_features import OF_YEAR
from knowflow.reason.column_units import element_of, without_unit
from knowflow.reason.data_keys import OBJECTS, keys_noted, keys_of_polygons
from knowflow.reason.inventory.names import name_facts
from knowflow.reason.noted_numbers import noted_of
from knowflow.reason.noted_words import NOTHING_NOTED, NotedWords
from knowflow.reason.polygon_files import columns_of, texts_among
from knowflow.reason.vector_shapes import has_points

_NO_NUMBER = re.compile(
    r"(^|_)(id|fid|gid|oid|uid|uuid|guid|code|index|iso\w*|lon|lat|x|y|year)(_|$|\d*$)", re.IGNORECASE
)
_LONGEST = 60
_FEW = 4  # rows that may have such numbers by chance
_SHORT = 3  # letters of a unit
_WORD = re.compile(r"[^\W\d_]+\d{0,2}")
_YEAR = re.compile(r"(19|20)\d\d")
_PARTS = re.compile(r"_+|(?<=[^\W\d_]{2})(?=(?:19|20)\d\d(?!\d))")
_YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MOST_DAYS = 400
_COUNTS = frozenset(
    {
        *("count", "n", "number", "individuals", "abundance", "anzahl", "numero", "nombre_individuos", "num"),
        *(f"{group}_size" for group in ("group", "flock", "herd", "pod", "party", "school", "cluster")),
    }
)
"""Columns that tell how many of it there are in each row."""
_OF_YEARS = frozenset({"year", "yr", "in", "since", "date", "of"})
_JOINING = frozenset({"of", "in", "to", "per", "by", "at", "on", "for", "from", "with", "a", "the", "and"})
_SAYS_WHETHER = frozenset({"is", "has", "was", "are"})
UNTOLD = "class_label"  # classes of nothing that is known: of polygons their names
_COUNTED = ("day", "year")
"""Units of which there are so many, which the name of a column says, too."""
_MEASURED_IN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("MW", "kW", "GW"), ("capacity", "power")),
    "kV": ("voltage",),
    **dict.fromkeys(("ha", "m2", "km2"), ("area",)),
    **dict.fromkeys(("kg", "t"), ("weight", "mass")),
    "m3": ("volume",),
    "money": ("sum", "amount"),
    "degC": ("temperature",),
    **dict.fromkeys(("year", "day"), ("age",)),
    **dict.fromkeys(("h", "min", "s"), ("time", "duration")),
}
"""What is measured in a unit, which the name of a column may leave out."""


@dataclass(frozen=True, slots=True)
class Held:
    """The names that vector files bring, as :class:`DataWords` has them."""

    objects: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    spots: tuple[tuple[str, str], ...]
    features: tuple[FeatureLayer, ...]
    classes: Mapping[str, tuple[str, ...]]


def held_by_vectors(artifacts: Iterable[Artifact]) -> Held:
    """What the vector files of a folder hold by name; those that tell known classes hold these."""
    vectors = [one for one in artifacts if one.type == "vector" and one.path is not None]
    given = [one for one in vectors if not _tells_classes(one)]
    objects: dict[str, None] = {}
    classes: dict[str, tuple[str, ...]] = {}
    keys: dict[tuple[str, str], None] = {}
    spots: dict[tuple[str, str], None] = {}
    features: list[FeatureLayer] = []
    for item in vectors:
        every = columns_of(item)
        columns = texts_among(every)
        names = dict.fromkeys(_names(columns))
        if item not in given:
            kind = str(item.fact("quantity"))
            classes[kind] = tuple(dict.fromkeys((*classes.get(kind, ()), *names)))
            continue
        noted = noted_of(item, units_of_numbers(every))
        layer = _of_years(layer_of(item, every, len(given) == 1, noted), [one.name for one in given])
        layer = replace(layer, measured=tuple(measured(every))) if has_points(item) else layer
        own = [*keys_of_polygons(item, columns, layer.name is not None), *keys_noted(item, noted, columns)]
        objects |= names
        keys |= dict.fromkeys((name, in_layer(key, layer.name)) for name, key in own)
        points = own if has_points(item) else []
        spots |= dict.fromkeys((name, in_layer(key, layer.name)) for name, key in points if key == OBJECTS)
        features = _with_version(features, layer)
    files = {name for layer in features if layer.name is not None for name in layer.called}
    kept = tuple((name, key) for name, key in keys if not (name in files and is_by(key)))
    return Held(tuple(objects), kept, tuple(spots), tuple(features), classes)


def measured(columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str, str]]:
    """The quantities that columns of numbers are of, by their names, as far as the unit that these end in is one."""
    for column, values in columns.items():
        told = [one for one in values if one is not None]
        if not told or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in told):
            continue
        kind = quantity_kinds().get(str(name_facts(f"{column}.tif").facts.value("quantity")))
        _, unit = without_unit([one for one in _PARTS.split(column) if one])
        if kind is not None and not kind.categorical and kind.family not in OF_ANYTHING and compatible(unit, kind.unit):
            yield kind.name, column, unit


def _of_years(layer: FeatureLayer, names: Sequence[str]) -> FeatureLayer:
    """A layer as one of several years, where others are called alike but for the year."""
    years = _YEAR_IN.findall(layer.name or "")
    called = _YEAR_IN.sub(OF_YEAR, layer.name or "")
    alike = [name for name in names if _YEAR_IN.sub(OF_YEAR, name) == called]
    return replace(layer, name=called, versions=(int(years[0]),)) if len(years) == 1 and len(alike) > 1 else layer


def _with_version(features: Sequence[FeatureLayer], layer: FeatureLayer) -> list[FeatureLayer]:
    """Layers with another one, as one where they are of several years."""
    known = next((one for one in features if layer.versions and one.name == layer.name), None)
    if known is None:
        return [*features, layer]
    both = replace(
        known,
        count=max(known.count, layer.count),
        names=tuple(dict.fromkeys((*known.names, *layer.names))),
        values=tuple(dict.fromkeys((*known.values, *layer.values))),
        versions=(*known.versions, *layer.versions),
    )
    return [both if one is known else one for one in features]


def _tells_classes(vector: Artifact) -> bool:
    """Whether the features of a file are a map of classes that are known."""
    kind = quantity_kinds().get(str(vector.fact("quantity")))
    return kind is not None and kind.categorical and kind.name != UNTOLD


def _names(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """The texts that features are told apart by."""
    for column in columns.values():
        texts = dict.fromkeys(value.strip() for value in column if isinstance(value, str))
        yield from (text for text in texts if any(map(str.isalpha, text)) and len(text) <= _LONGEST)


def layer_of(
    vector: Artifact, columns: Mapping[str, list[Any]], alone: bool, noted: NotedWords = NOTHING_NOTED
) -> FeatureLayer:
    """A vector file by its words, and by those of notes; ``alone``: there is no other."""
    texts = texts_among(columns)
    called = row_field(texts)
    own = () if called is None else texts[called]
    every = (*keys_of_polygons(vector, texts, not alone), *keys_noted(vector, noted, texts))
    named = tuple(dict.fromkeys(name for name, key in every if key == OBJECTS))
    others = (value for name, values in texts.items() if name != called for value in values)
    sorts = {name: values for name, values in words_of_columns(texts).items() if name != called}
    return FeatureLayer(
        None if alone else vector.name,
        int(vector.fact("features") or 0),
        named,
        tuple(_said(own)),
        tuple(_said(others)),
        tuple(names_of_numbers(columns, noted)),
        tuple(sorts.items()),
        tuple(_names_of_flags(columns, noted)),
        tuple(_names_of_years(columns, noted)),
        tuple(one for one in noted.values if one[0] in sorts or one[0] == called),
        year=_only_year(columns),
        yearly=tuple(_in_years(columns, noted)),
        days=_days(columns),
        noted=noted.said,
        counts=next((name for name, values in columns.items() if counts_rows(name, values)), None),
    )


def counts_rows(name: str, values: Sequence[Any]) -> bool:
    """Whether a column tells how many of it there are in each row: whole numbers, as no northings ``n`` are."""
    told = [one for one in values if one not in (None, "")] if name.casefold() in _COUNTS else []
    numbers = [float(one) for one in told if str(one).replace(".", "", 1).isdigit()]
    return bool(numbers) and len(numbers) == len(told) and all(one.is_integer() for one in numbers)


def _names_of_flags(columns: Mapping[str, Sequence[Any]], noted: NotedWords) -> Iterator[tuple[str, str]]:
    """What columns of yes and no are called: ``insured``, of ``is_insured`` too. Ones and noughts are numbers."""
    for column, values in columns.items():
        told = [one for one in values if one is not None and one != ""]
        words = [one for one in column.lower().split("_") if one]
        numbers = any(isinstance(one, int | float) and not isinstance(one, bool) for one in told)
        if told and words and not numbers and all(yes_or_no(one) is not None for one in told):
            yield from ((" ".join(name), column) for name in noted.of(column).names)
            yield " ".join(words), column
            if words[0] in _SAYS_WHETHER and len(words) > 1:
                yield " ".join(words[1:]), column


def _names_of_years(columns: Mapping[str, Sequence[Any]], noted: NotedWords) -> Iterator[tuple[str, str]]:
    """What columns of years are called without the word for it: ``built``, of ``year_built``; and with it."""
    called: dict[str, list[str]] = {}
    for column, values in columns.items():
        for words in (column.lower().split("_"), *noted.of(column).names) if are_years(values) else ():
            kept = [one for one in words if one and one not in _OF_YEARS]
            for said in dict.fromkeys((" ".join(kept), kept[0], *other_names(" ".join(kept)))) if kept else ():
                called.setdefault(said, []).append(column)
    yield from ((said, found[0]) for said, found in called.items() if len({*found}) == 1)


def _only_year(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """The one column of years that is called so and nothing else: of what happened in them."""
    found = [name for name, values in columns.items() if YEAR_COLUMN.fullmatch(name) and are_years(values)]
    return found[0] if len(found) == 1 else None


def _days(columns: Mapping[str, Sequence[Any]]) -> tuple[str, tuple[str, ...]] | None:
    """The one column of days, and these, of which there are few enough to be told by name."""
    found = day_column(columns)
    days = tuple(sorted({day for day in found[1] if day})) if found else ()
    return (found[0], days) if found and len(days) <= _MOST_DAYS else None


def _said(values: Iterable[Any]) -> Iterator[str]:
    yield from dict.fromkeys(value.strip() for value in values if isinstance(value, str))


def names_of_numbers(
    columns: Mapping[str, Sequence[Any]], noted: NotedWords = NOTHING_NOTED
) -> Iterator[tuple[str, str, str]]:
    """What columns of numbers are called, each with the unit that its name ends in, or that notes tell: ``depth_m``,
    ``flow_l_s``; a year may be left out where there is one such column: ``claim_2023_eur``."""
    called: dict[str, dict[tuple[str, str], None]] = {}
    for column, values in columns.items():
        told = [one for one in values if one is not None]
        numbers = bool(told) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in told)
        kept, unit = without_unit([one for one in _PARTS.split(column) if one])
        if unit == "1" and len(told) > _FEW and list(values) in _numbers_of_rows(len(values)):
            continue
        unit = noted.of(column).unit or unit
        words = [one for one in kept if not _YEAR.fullmatch(one)]
        if not numbers or not words or _NO_NUMBER.search("_".join(words)):
            continue
        years = [one for one in kept if _YEAR.fullmatch(one)]
        if not years and (year := noted.of(column).year) is not None:
            years = [year]
        own = [kept] if all(map(_WORD.fullmatch, words)) else []
        own += [[column]] if years and "_" not in column else []  # pop2017, by all of it, too
        own += [[element]] if (element := element_of(column)) is not None else []
        nouns = _MEASURED_IN.get("money" if column.rpartition("_")[2].lower() in MONEY else unit, ())
        for name in (*own, *([*told, *years] for told in noted.of(column).names)):
            for said in dict.fromkeys(_said_of_number(name, nouns)):
                called.setdefault(said, {})[column, unit] = None
        for spoken in noted.of(column).whole:
            called.setdefault(" ".join(spoken), {})[column, unit] = None
        counted = " ".join(one.lower() for one in column.split("_") if one)
        if own and unit in _COUNTED and " " in counted:  # summer days
            called.setdefault(counted, {})[column, unit] = None
    for said, meant in list(called.items()):
        elements = any(element_of(column) for column, _ in meant)  # of which a grade is no slope
        units = {unit for _, unit in meant} - {"1"}
        for other in (*(() if elements else _names_of_kinds(said, units)), *_other_names_in_years(said)):
            called.setdefault(other, meant)
    for said, columns_of_it in called.items():
        if len(columns_of_it) == 1 and not _YEAR.fullmatch(said):
            ((column, unit),) = columns_of_it
            yield said, column, unit
            if plural(said) not in called:
                yield plural(said), column, unit


def units_of_numbers(columns: Mapping[str, Sequence[Any]]) -> Mapping[str, str]:
    """The columns of numbers, each with the unit that its name ends in: a number where in none."""
    found: dict[str, str] = {}
    for _, column, unit in names_of_numbers(columns):
        found.setdefault(column, unit)
    return found


def _in_years(
    columns: Mapping[str, Sequence[Any]], noted: NotedWords
) -> Iterator[tuple[str, tuple[tuple[int, str], ...], str]]:
    """What columns are called that tell the same of several years, each with its column, and their unit."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    for column in columns:
        years = _YEAR_IN.findall(column)
        if len(years) == 1:
            for said, own, unit in names_of_numbers({column: columns[column]}, noted):
                if own == column and not _YEAR_IN.search(said):
                    found.setdefault((said, unit), {})[int(years[0])] = column
    yield from ((said, tuple(sorted(of.items())), unit) for (said, unit), of in found.items() if len(of) > 1)


def _said_of_number(kept: Sequence[str], nouns: Sequence[str]) -> Iterator[str]:
    """The names of a number by its words, years among them."""
    words = [one for one in kept if not _YEAR.fullmatch(one)]
    for noun in nouns if stem(words[-1]) not in MEASURES else ():  # free capacity, of free_mw
        yield from (f"{' '.join(words)} {noun}", f"{noun} {' '.join(words)}")
    whole = kept.index("per") if "per" in kept else len(kept)  # vehicles per day, which are no days
    ends = (kept[start:] for start in range(whole) if not start or not _is_said_of(kept[start:]))
    yield from (" ".join(end) for end in ends if end == list(kept) or _is_name(end))
    yield " ".join(words)
    words = words[:whole]
    years = [one for one in kept if _YEAR.fullmatch(one)]
    yield from (f"{' '.join(words)} {word} {year}" for year in years for word in ("in", "of", "for"))
    said = reading_words().phrases  # of a standing volume, standing says something else
    parts = (one for one in words if stem(one) not in MEASURES and ((one,) not in said or len(words) == 1))
    yield from (one for one in parts if len(one) > _SHORT and not (len(words) > 1 and _is_said_of([one])))


def _is_name(words: Sequence[str]) -> bool:
    """Whether the end of a name names the number as well: no ``in gers``, and no ``day`` of the rain a day."""
    meant = {symbol for symbol, _ in reading_words().phrases.get((words[0],), ())}
    return words[0] not in _JOINING and not (len(words) == 1 and ("GRAIN" in meant or len(words[0]) < _SHORT))


def _is_said_of(words: Sequence[str]) -> bool:
    """Whether a part of a name is no noun, but said of things: insured, of a sum insured."""
    return len(words) == 1 and words[0].endswith("ed") and len(words[0]) > _SHORT + 1


def _other_names_in_years(said: str) -> Iterator[str]:
    """Other names of what is measured, with what is said behind it: ``harvested in 2023``, of a yield."""
    words = said.split(" ")
    if any(symbol == "counted" for symbol, _ in reading_words().phrases.get(tuple(words), ())):
        return  # seen, which are no lakes
    behind = next((at for at, word in enumerate(words) if word in ("in", "of", "for") or _YEAR.fullmatch(word)), None)
    front, rest = " ".join(words[:behind]), words[behind:] if behind is not None else []
    yield from (" ".join((other, *rest)) for other in other_names(front, whatever=True))


OF_ANYTHING = ("statistics", "measure", "mask", "class")  # families of kinds that are asked of much


def _names_of_kinds(said: str, units: Collection[str]) -> Iterator[str]:
    """All names of a quantity, by one of them: ``pm25`` is PM2.5; of the first that is told in such units."""
    kinds = _kinds_by_names().get(said, ())
    yield from next((names for unit, names in kinds if all(compatible(unit, one) for one in units)), ())


@kept()
def _kinds_by_names() -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """The unit and all names of a quantity, by each of them."""
    found: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}
    for kind in quantity_kinds().values():
        if kind.family in OF_ANYTHING:
            continue
        stock = (phrase for phrase, said in reading_words().phrases.items() if ("STOCK", kind.name) in said)
        spoken = (kind.name.replace("_", " "), *kind.synonyms, *map(" ".join, stock))
        names = tuple(" ".join(words_of(name)) for name in spoken)
        for name in names:
            found[name] = (*found.get(name, ()), (kind.unit, names))
    return found


def _numbers_of_rows(rows: int) -> tuple[list[int], list[int]]:
    """What a column holds that only numbers the rows."""
    return list(range(rows)), list(range(1, rows + 1))


def beside_layers(
    features: Iterable[FeatureLayer], called: Iterable[tuple[str, tuple[str, ...]]]
) -> Iterator[FeatureLayer]:
    """Features without those names of their numbers that are only the end of one and that a layer has: where there is a
    map of depths, ``depth`` is no design depth."""
    heads = {words[-1] for _, words in called}
    for layer in features:
        numbers = (one for one in layer.numbers if one[0] not in heads or one[0] in one[1].lower().split("_")[:1])
        yield replace(layer, numbers=tuple(numbers))
