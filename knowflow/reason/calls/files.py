"""Files for the arguments of a call: wrong paths matched by name and date, files that a tool can make first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.condition import Call as Predicate
from knowflow.model.condition import Compare, Const
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.reason.calls.call import Call, KnownFiles, texts_in
from knowflow.reason.calls.check import is_file_parameter
from knowflow.reason.calls.file_names import by_date, described, file_name, matches
from knowflow.reason.calls.words import content, purpose

_ABBREVIATION = re.compile(r"\b[A-Z]{2,5}\b")


@dataclass(frozen=True)
class Found:
    """What was found for the file arguments: new values, the calls that make files first, and what was done."""

    values: Mapping[str, Any]
    before: tuple[Call, ...] = ()
    changes: tuple[str, ...] = ()


def with_files(call: Call, schema: ToolSchema, tools: Mapping[str, ToolSchema], known: KnownFiles) -> Found | None:
    """Files that are there for every file argument of a call, given or lacking; None where some cannot be found.

    Lists that stand for scenes in parallel are paired by date. No file is given to two arguments.
    """
    settled: dict[str, list[str]] = {}
    open_: dict[str, list[str]] = {}
    before: list[Call] = []
    sources = [name for name, parameter in schema.inputs.items() if is_file_parameter(parameter) and parameter.required]
    told = {text for name in sources for text in texts_in(call.arguments.get(name))}
    for name, parameter in schema.parameters.items():
        if not is_file_parameter(parameter) or parameter.keyed_by is not None:
            continue
        value = call.arguments.get(name)
        if value is None and not parameter.required:
            continue
        texts = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
        if any(not isinstance(text, str) for text in texts):
            continue
        if texts and all(known.has_file(text) is not False for text in texts):
            settled[name] = texts
            continue
        made = made_first(texts, tools, known) if texts else ()
        if made:
            before += made
            settled[name] = texts
            continue
        found = _found(name, texts, schema, known, len(told) == 1) or _nth(name, texts, sources, known)
        if not found:
            return None
        (settled if len(found) == 1 or len(texts) > 1 else open_)[name] = found
    chosen = _chosen(settled, open_)
    if chosen is None or _twice(call, chosen):
        return None
    return _as_values(call, schema, chosen, before)


def _found(name: str, texts: Sequence[str], schema: ToolSchema, known: KnownFiles, told_once: bool) -> list[str]:
    """Known files for the texts of one argument: one for each of several, or all that one may mean.

    ``told_once``: the call names one and the same file wherever it names any.
    """
    role, quantities = content(name), schema.parameters[name].quantity
    if len(texts) > 1:
        each = [matches(text, known.beside(text), role, quantities) for text in texts]
        hits = [one for one in each if one]
        # dates that nobody has are left out, as long as most of what was asked for is there; a year is all its files
        found = list(dict.fromkeys(path for one in hits for path in one))
        periods = schema.parameters[name].type == "raster_series" and all(file_name(text).date for text in texts)
        single = all(len(one) == 1 for one in hits)
        return found if 2 * len(hits) >= len(texts) and (single or periods) else []
    text = texts[0] if texts else ""
    there = known.beside(text)
    alone = sum(is_file_parameter(parameter) for parameter in schema.parameters.values()) == 1 or told_once
    if text and known.has_folder(text):
        fitting = matches("", there, role, quantities)
        return list(fitting or there)
    if text and (likely := matches(text, there, role, quantities)):
        return list(likely)
    if alone and len(there) == 1:
        return list(there)
    return list(matches("", there, role, quantities)) if role and not text else []


def _nth(name: str, texts: Sequence[str], sources: Sequence[str], known: KnownFiles) -> list[str]:
    """Of as many files as the tool takes, and none that says what it is: the one in the argument's place."""
    if len(texts) != 1 or known.has_folder(texts[0]) or name not in sources:
        return []
    there = known.beside(texts[0])
    nameless = not any(one.words & content(own) for one in described(there) for own in sources)
    dateless = not file_name(texts[0]).date
    return [there[sources.index(name)]] if len(there) == len(sources) > 1 and nameless and dateless else []


def _chosen(settled: Mapping[str, list[str]], open_: Mapping[str, list[str]]) -> dict[str, list[str]] | None:
    """One file, or one list, for each argument; None where dates do not tell which."""
    chosen = {name: list(files) for name, files in settled.items()}
    dates = {file_name(file).date for files in settled.values() for file in files} - {""}
    if open_ and dates:
        for name, files in open_.items():
            chosen[name] = [file for file in files if file_name(file).date in dates]
    elif len(open_) == 1 and not settled:
        chosen |= open_
    elif open_:
        rows = by_date(list(open_.values()))
        if rows is None:
            return None
        chosen |= {name: list(column) for name, column in zip(open_, zip(*rows, strict=True), strict=True)}
    if any(not files for files in chosen.values()) or len({len(files) for files in chosen.values()} - {1}) > 1:
        return None
    return chosen


def _twice(call: Call, chosen: Mapping[str, list[str]]) -> bool:
    """Whether files that were chosen here stand in for two arguments that were not given the same."""
    columns: dict[tuple[str, ...], list[Any]] = {}
    for name, files in chosen.items():
        columns.setdefault(tuple(files), []).append(call.arguments.get(name))
    return any(given[0] is None or given.count(given[0]) < len(given) for given in columns.values() if len(given) > 1)


def _as_values(call: Call, schema: ToolSchema, chosen: Mapping[str, list[str]], before: Sequence[Call]) -> Found | None:
    values: dict[str, Any] = {}
    changes = [f"first make {_count(_outputs(one))} with {one.tool}" for one in before]
    for name, files in chosen.items():
        parameter = schema.parameters[name]
        listed = parameter.type == "raster_series" and not (parameter.single and len(files) == 1)
        value: Any = list(files) if listed or len(files) > 1 else files[0]
        given = call.arguments.get(name)
        if given != value and [given] != value and (given is not None or parameter.required):
            changes.append(f"{name} is {_count(files)}")
            values[name] = value
    return Found(values, tuple(before), tuple(changes))


def _count(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files, {PurePosixPath(files[0]).name} first"


def _outputs(call: Call) -> list[str]:
    last = list(call.arguments.values())[-1]
    return [last] if isinstance(last, str) else list(last)


def made_first(texts: Sequence[str], tools: Mapping[str, ToolSchema], known: KnownFiles) -> tuple[Call, ...]:
    """The calls that make files which are not there from files that are: a product by its name, of the same dates.

    A name that tells a year or a month means the mean of its scenes.
    """
    there = frozenset(word for name in described(known.beside(texts[0])) for word in name.words)
    words = [file_name(text).words - there for text in texts]
    for name in sorted(tools):
        schema = tools[name]
        products = _products(schema)
        if not all(products & own for own in words):
            continue
        made = _make(texts, schema, known)
        made = made or tuple(call for text in texts for call in _mean_of_period(text, schema, tools, known))
        if made:
            return made
    return ()


def _mean_of_period(
    text: str, schema: ToolSchema, tools: Mapping[str, ToolSchema], known: KnownFiles
) -> tuple[Call, ...]:
    """The product of every scene of a period, and the mean of these."""
    average = next((one for name, one in sorted(tools.items()) if _averages(one)), None)
    period = file_name(text).date
    rows = _scenes(period, schema, known)
    if average is None or not rows or len(period) == 10:
        return ()
    path = PurePosixPath(text)
    each = [str(path.with_name(f"{path.stem}_{number}.tif")) for number in range(1, len(rows) + 1)]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    series = next(iter(average.inputs))
    return (
        Call(schema.tool, {**columns, schema.primary_output: each}),
        Call(average.tool, {series: each, average.primary_output: text}),
    )


def _averages(schema: ToolSchema) -> bool:
    """Whether a tool writes the mean of a series of images, and asks for nothing else."""
    needed = [parameter.type for parameter in schema.inputs.values() if parameter.required]
    said = purpose(schema.tool) & {"average", "mean"}
    return bool(said) and needed == ["raster_series"] and list(schema.outputs.values()) == ["raster"]


def _scenes(period: str, schema: ToolSchema, known: KnownFiles) -> list[dict[str, str]]:
    """The files that a tool takes, for every moment of a period at which all of them are there."""
    sources = _sources(schema)
    columns = []
    for name in sources:
        there = tuple(path for path in sorted(known.files) if file_name(path).date.startswith(period))
        columns.append(matches("", there, content(name), schema.inputs[name].quantity) if there else ())
    if not sources or not all(columns) or len(set(columns)) < len(columns):
        return []
    return [dict(zip(sources, row, strict=True)) for row in by_date(columns) or ()]


def _sources(schema: ToolSchema) -> list[str]:
    """The files that a tool takes; none where it needs anything else."""
    needed = {name: parameter for name, parameter in schema.inputs.items() if parameter.required}
    return list(needed) if all(is_file_parameter(parameter) for parameter in needed.values()) else []


def _products(schema: ToolSchema) -> frozenset[str]:
    """What a tool makes, as a word in a file's name would say it: its quantity, its synonyms, abbreviations of it."""
    if len(schema.outputs) != 1 or schema.returns is not None:
        return frozenset()
    words = set(_ABBREVIATION.findall(f"{schema.title} {schema.description}"))
    for _, expression in schema.parsed_sets:
        match expression:
            case Compare(left=Predicate(name="quantity"), op="==", right=Const(value=str(quantity))):
                words |= {quantity, *(quantity_kinds()[quantity].synonyms if quantity in quantity_kinds() else ())}
    return frozenset(word.lower() for word in words)


def _make(texts: Sequence[str], schema: ToolSchema, known: KnownFiles) -> tuple[Call, ...]:
    """One call that makes all of the files, each from the one scene of its date."""
    rows = [_scenes(file_name(text).date, schema, known) for text in texts]
    if not all(len(scenes) == 1 for scenes in rows):
        return ()
    columns: dict[str, Any] = {name: [scenes[0][name] for scenes in rows] for name in rows[0][0]}
    columns[schema.primary_output] = list(texts)
    listed = len(texts) > 1 or any(_many(schema.parameters[name]) for name in columns)
    return (Call(schema.tool, columns if listed else {name: files[0] for name, files in columns.items()}),)


def _many(parameter: Parameter) -> bool:
    return parameter.type == "raster_series" or (parameter.role == "output" and parameter.produces == "raster_series")
