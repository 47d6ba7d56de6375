"""Everything that is wrong with authored file-name grammars, with file and line, and their examples run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from knowflow.ground import units
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document, Key
from knowflow.model.facts import FACT_TITLES
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.grammar import MACROS, Grammars, compile_grammars, documents, expand, read_name

_FILE_KEYS = ("grammar", "title", "pattern", "facts", "assume", "where", "source", "examples")
_LAYER_KEYS = ("layer", "title", "names", "product", "facts", "assume", "where", "source")
_WORD_KEYS = ("not_a_region", "not_an_index")
_CLAUSE_KEYS = ("when", "facts", "assume")
_CONDITIONS = frozenset({"date_from", "date_before", "dtype"})
_SYMBOLIC = re.compile(r"\(\?P<(\w+)>|\{([a-z]+)\}")


def check_grammars(units_too: bool = True) -> tuple[Problem, ...]:
    """Problems of all grammar documents; ``units_too=False`` leaves out what needs the unit library."""
    problems = Problems()
    listed = list(documents())
    for document in listed:
        problems.extend(document.problems)
        if not document.problems:
            _check_document(document, problems, units_too)
    if not problems.errors:
        compiled = compile_grammars([document.data for document in listed])
        for document in listed:
            problems.extend(_failed_examples(document, compiled))
    return tuple(problems)


def _check_document(document: Document, problems: Problems, units_too: bool) -> None:
    data = document.data
    if isinstance(data, dict):
        _check_words(document, data, problems)
        return
    if not isinstance(data, list):
        problems.add(document.problem((), "wrong_type", "a list of grammars or layers", type(data).__name__))
        return
    seen: dict[str, int] = {}
    for index, entry in enumerate(data):
        path: Key = (index,)
        if not isinstance(entry, dict) or not ("grammar" in entry) ^ ("layer" in entry):
            problems.add(document.problem(path, "wrong_type", "a mapping with 'grammar' or 'layer'", repr(entry)[:80]))
            continue
        kind = "grammar" if "grammar" in entry else "layer"
        name = str(entry[kind])
        if name in seen:
            expected = f"each {kind} once"
            problems.add(
                document.problem((index, kind), "duplicate_name", expected, f"{name} again, first in line {seen[name]}")
            )
        seen.setdefault(name, document.line((index, kind)))
        _check_entry(document, path, entry, kind, problems, units_too)


def _check_words(document: Document, data: Mapping[Any, Any], problems: Problems) -> None:
    for key, value in data.items():
        if key not in _WORD_KEYS:
            problems.add(_unknown(document, (key,), "unknown_key", key, _WORD_KEYS))
        elif not (isinstance(value, list) and all(isinstance(word, str) for word in value)):
            problems.add(document.problem((key,), "wrong_type", "a list of words", repr(value)[:80]))


def _check_entry(
    document: Document, path: Key, entry: Mapping[Any, Any], kind: str, problems: Problems, units_too: bool
) -> None:
    allowed, text = (_FILE_KEYS, "pattern") if kind == "grammar" else (_LAYER_KEYS, "names")
    for key in entry:
        if key not in allowed:
            problems.add(_unknown(document, (*path, key), "unknown_key", key, allowed))
    for key in ("title", "source"):
        if not isinstance(entry.get(key), str):
            problems.add(document.problem((*path, key), "missing_field", f"the text {key!r}", repr(entry.get(key))))
    listed = entry.get(text)
    patterns = [listed] if kind == "grammar" else listed
    if not (isinstance(patterns, list) and patterns and all(isinstance(one, str) for one in patterns)):
        problems.add(
            document.problem((*path, text), "missing_field", f"{text!r}, as regular expressions", repr(listed))
        )
        return
    groups: set[str] = set()
    for one in patterns:
        problems.extend(_pattern_problems(document, (*path, text), one))
        groups |= {found[1] or found[2] for found in _SYMBOLIC.finditer(one)}
    _check_facts(document, path, entry, problems, units_too)
    for number, clause in enumerate(entry.get("where") or ()):
        where = (*path, "where", number)
        if not (isinstance(clause, dict) and isinstance(clause.get("when"), dict)):
            problems.add(document.problem(where, "wrong_type", "a mapping with 'when'", repr(clause)[:80]))
            continue
        for key in clause:
            if key not in _CLAUSE_KEYS:
                problems.add(_unknown(document, (*where, key), "unknown_key", key, _CLAUSE_KEYS))
        # the groups of a layer's name join those of the file name it stands in
        known = groups | _CONDITIONS | {"layer"} | ({"band", "index", "daynight"} if "layer" in groups else set())
        for key in clause["when"]:
            if key not in known:
                problems.add(_unknown(document, (*where, "when", key), "unknown_name", key, sorted(known)))
        _check_facts(document, where, clause, problems, units_too)


def _pattern_problems(document: Document, path: Key, pattern: str) -> Iterator[Problem]:
    try:
        list(expand(pattern, "layer"))
    except KeyError as error:
        yield _unknown(document, path, "unknown_macro", str(error.args[0]), [*MACROS, "layer"])
    except re.error as error:
        yield document.problem(path, "bad_pattern", "a regular expression", f"{error}", "see the documentation of re")


def _check_facts(document: Document, path: Key, entry: Mapping[Any, Any], problems: Problems, units_too: bool) -> None:
    for section in ("facts", "assume"):
        values = entry.get(section, {})
        if not isinstance(values, dict):
            problems.add(document.problem((*path, section), "wrong_type", "a mapping of facts", repr(values)[:80]))
            continue
        for fact, value in values.items():
            where = (*path, section, fact)
            if fact not in FACT_TITLES:
                problems.add(_unknown(document, where, "unknown_fact", fact, FACT_TITLES))
            elif fact == "quantity" and value not in quantity_kinds():
                problems.add(_unknown(document, where, "unknown_quantity", value, quantity_kinds()))
            elif fact == "unit" and units_too and not (isinstance(value, str) and units.known(value)):
                problems.add(document.problem(where, "unknown_unit", "a unit, in quotes where it is 1", repr(value)))
            elif fact in ("scale", "offset", "nodata") and not isinstance(value, int | float):
                problems.add(document.problem(where, "wrong_type", "a number", repr(value)))


def _failed_examples(document: Document, compiled: Grammars) -> Iterator[Problem]:
    """Examples whose name says something else than they state."""
    for index, entry in enumerate(document.data if isinstance(document.data, list) else ()):
        for name, expected in (entry.get("examples") or {}).items():
            found = read_name(str(name), None, compiled)
            facts = with_band_facts(found.facts)
            path: Key = (index, "examples", name)
            if found.grammar != entry["grammar"] and "quantity" not in expected:
                yield document.problem(
                    path, "example", f"read by {entry['grammar']}", f"read by {found.grammar or 'none'}"
                )
            for fact, value in expected.items():
                wanted = tuple(value) if isinstance(value, list) else value
                if facts.value(fact) != wanted:
                    yield document.problem((*path, fact), "example", f"{fact} = {wanted!r}", f"{facts.value(fact)!r}")


def _unknown(document: Document, path: Key, code: str, found: Any, allowed: Any) -> Problem:
    names = [str(name) for name in allowed]
    expected = f"one of {', '.join(names)}" if len(names) < 20 else "a known name"
    return document.problem(path, code, expected, repr(found), did_you_mean(str(found), names))
