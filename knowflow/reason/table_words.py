"""What the tables of a folder are called, and what they hold by name: their rows are features without a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from knowflow.ground.columns import row_field
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.row_times import row_times
from knowflow.ground.units import compatible
from knowflow.knowledge.words import stem
from knowflow.model.artifact import Artifact
from knowflow.question.reading.features import FeatureLayer, tells_of
from knowflow.question.reading.nouns import BY, in_layer
from knowflow.question.typing_of_features import is_count
from knowflow.reason.data_keys import OBJECTS, keys_noted, keys_of_polygons, names_of_column
from knowflow.reason.inventory.called import words_of_file
from knowflow.reason.inventory.names import name_facts, plain_stem
from knowflow.reason.noted_numbers import noted_of
from knowflow.reason.noted_words import NotedColumn, NotedWords, noted_words
from knowflow.reason.polygon_files import columns_of, texts_among
from knowflow.reason.vector_words import OF_ANYTHING, Held, layer_of, measured, units_of_numbers

_OF_LEGENDS = 3  # columns
SHORTENED = MappingProxyType({"tmin": "minimum", "tmax": "maximum", "tmean": "mean", "tavg": "mean"})
"""Statistics as the names of columns and layers have them."""
_CODES = re.compile(
    r"(?:.*[_ ])?(?:code|value|class|id|nr|no|number|kod|wert|key|dn|gridcode)s?(?:_?id)?", re.IGNORECASE
)
_HOLDING = frozenset(
    {
        *("count", "counts", "data", "record", "records", "measurement", "measurements", "reading", "readings"),
        *("value", "values", "series", "statistics", "survey", "observations", "use", "usage", "consumption"),
    }
)
"""Words of a file's name behind what it holds so much of."""
Key = tuple[str, str]


def with_tables(held: Held, artifacts: Iterable[Artifact]) -> Held:
    """What vector files bring by name, and the tables of a folder with the rows that they hold."""
    tables = [one for one in artifacts if one.type == "table" and one.path is not None and not is_legend(one)]
    objects, keys, features = dict.fromkeys(held.objects), dict.fromkeys(held.keys), [*held.features]
    for table in tables:
        columns = columns_of(table)
        layer = _layer_of(table, columns)
        objects |= dict.fromkeys((*layer.names, *layer.values))
        found = [*dict.fromkeys(_keys(table, columns, held.features))]
        apart = {name for name, key in found if key != OBJECTS}  # stations, of a file of them with a row for each day
        measured = {_stems(name) for name, *_ in layer.numbers}  # admissions, which are told and not counted
        layer = replace(layer, called=tuple(name for name in layer.called if _stems(name) not in measured))
        kept = [(name, key) for name, key in found if key != OBJECTS or not (name in apart or _stems(name) in measured)]
        keys |= dict.fromkeys((name, in_layer(key, layer.name)) for name, key in kept)
        features.append(layer)
    return replace(held, objects=tuple(objects), keys=tuple(keys), features=tuple(features))


def _stems(name: str) -> tuple[str, ...]:
    return tuple(map(stem, name.split(" ")))


def is_legend(table: Artifact) -> bool:
    """Whether a table names the classes of a map, and holds nothing else: numbers, and what they are called."""
    numbers, fields = table.fact("named_numbers"), tuple(table.fact("fields") or ())
    return bool(numbers) and len(fields) <= _OF_LEGENDS and bool(_CODES.fullmatch(str(numbers[0])))


def _layer_of(table: Artifact, columns: Mapping[str, list[Any]]) -> FeatureLayer:
    """The rows of a table as a layer, called as the file is."""
    numbers_of = {name: of for name, of in columns.items() if not _tells_times(of)}
    noted = noted_of(table, units_of_numbers(numbers_of))
    layer = layer_of(table, numbers_of, False, noted)
    numbers = tuple((name, column, _per_time(noted.of(column), unit)) for name, column, unit in layer.numbers)
    layer = replace(layer, numbers=numbers)
    numbers = tuple(_with_file(layer.numbers, words_of_file(plain_stem(str(table.path)))))
    name = PurePath(str(table.path)).name
    times = row_times(columns)
    days = None if times is None else (times[0], tuple(sorted({*times[1]} - {""})))
    kinds = tuple(_kinds(table, columns, layer.numbers, noted))
    return replace(layer, name=name, numbers=numbers, year=None, days=days, years=(), yearly=(), kinds=kinds)


def _kinds(
    table: Artifact, values: Mapping[str, list[Any]], numbers: Sequence[tuple[str, str, str]], noted: NotedWords
) -> Iterator[tuple[str, str, str, str]]:
    """The quantities that columns of a table are of, by their names, or one alone by that of the file, as far as the
    unit is one of it."""
    columns = dict.fromkeys((column, unit) for _, column, unit in numbers)
    called = {column for column, _ in columns}
    columns |= dict.fromkeys((column, unit) for _, column, unit in measured(values) if column not in called)
    for column, unit in columns:
        told = ("_".join(words) for words in (*noted.of(column).names, *noted.of(column).whole))
        stems = (column, *told, *((plain_stem(str(table.path)),) if len(columns) == 1 else ()))
        kinds = (quantity_kinds().get(str(name_facts(f"{one}.tif").facts.value("quantity"))) for one in stems)
        kind = next((one for one in kinds if one is not None and one.family not in OF_ANYTHING), None)
        if kind is not None and not kind.categorical and compatible(unit, kind.unit):
            words = column.lower().split("_")
            stated = next((said for short, said in SHORTENED.items() for one in words if one == short), "")
            yield kind.name, column, unit, stated


def _per_time(noted: NotedColumn, unit: str) -> str:
    """The unit of a number that notes tell per time: vehicles per day."""
    pairs = ((word, span) for name in noted.names for word, span in pairwise(name)) if unit == "1" else ()
    return next((f"{span}-1" for word, span in pairs if word == "per" and is_count(f"{span}-1")), unit)


def _with_file(numbers: Sequence[tuple[str, str, str]], file: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Numbers of a table by the words of its file, too, that stand before the same word: asthma admissions; the only
    number by what its file holds so much of: traffic, of ``traffic_counts``."""
    yield from numbers
    columns = {(column, unit) for _, column, unit in numbers}
    if len(columns) == 1 and len(file) > 1 and file[-1] in _HOLDING:
        ((column, unit),) = columns
        yield " ".join(file[:-1]), column, unit
    for name, column, unit in numbers:
        at = [n for n, one in enumerate(file) if " " not in name and stem(one) == stem(name)]
        if len(at) == 1 and file[at[0]] != name:  # landings, of what was landed
            yield file[at[0]], column, unit
        if len(at) == 1:
            yield from ((" ".join((*file[start : at[0]], name)), column, unit) for start in range(at[0]))


def _keys(table: Artifact, columns: Mapping[str, list[Any]], others: Sequence[FeatureLayer]) -> Iterator[Key]:
    """What the rows of a table, and its columns of words, are called. A column of names of features of another layer is
    called as these are, too; one of days tells the day."""
    texts = {name: values for name, values in texts_among(columns).items() if not _tells_times(values)}
    own = row_field(texts)
    yield from keys_of_polygons(table, texts, True)
    file = words_of_file(plain_stem(str(table.path)))
    yield from ((" ".join(file[:end]), OBJECTS) for end in range(1, len(file)) if file[end - 1].isalpha())  # the buoy
    yield from keys_noted(table, noted_words(table), texts)
    times = row_times(columns)
    for name, values in columns.items():
        if times is not None and row_times({name: values}) == times:
            yield from ((one, times[0]) for one in names_of_column(name))
        elif name in texts:
            told = {one.strip() for one in values if isinstance(one, str)}
            linked = (one.called for one in others if tells_of(told, one.names))
            called = dict.fromkeys((*names_of_column(name), *(one for names in linked for one in names)))
            yield from ((one, OBJECTS if name == own else f"{BY}{name}") for one in called)


def _tells_times(values: Sequence[Any]) -> bool:
    """Whether a column of texts tells when each row was, which is the name of none."""
    return any(isinstance(one, str) for one in values) and row_times({"": values}) is not None
