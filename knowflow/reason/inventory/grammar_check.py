"""Everything that is wrong with the authored layers and words of file names, with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from knowflow.ground import units
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document, Key
from knowflow.model.facts import FACT_TITLES
from knowflow.model.quality_schemes import Scheme
from knowflow.reason.inventory.concepts import NO_CONTENTS, THINGS, TOGETHER, WORDS
from knowflow.reason.inventory.made_of import OTHER
from knowflow.reason.inventory.meanings import ALSO, PLAIN_KINDS, RATES, TEMPORARY, WORD_KINDS, documents
from knowflow.reason.inventory.tokens import plain

_LAYER_KEYS = ("layer", "title", "names", "family", "gives_way", "open", "facts", "assume", "where", "source")
_WORD_KEYS = (*WORD_KINDS, *PLAIN_KINDS, ALSO, WORDS, TOGETHER, THINGS, NO_CONTENTS, RATES, TEMPORARY, "not_an_index")
_LISTS = ("several", *PLAIN_KINDS, THINGS, "not_an_index")
_CLAUSE_KEYS = ("when", "facts", "assume")
CONDITIONS = frozenset(
    {"date_from", "date_before", "dtype", "name", "layer", "band", "daynight", "step", "level", "orbit", "polarisation"}
    | {"statistic", "sensor", "height", "tile", "unit"}
)
"""What conditions may ask for beside the groups of a published name."""
_GROUP, _DAY = regex(r"\{[a-z]\w*\}"), regex(r"(?:\d\d|\d{4})-\d\d-\d\d")
_NO_WORDS = regex(r"[\\()|?*+\[\]^$]")


def check_grammars(units_too: bool = True) -> tuple[Problem, ...]:
    """Problems of all documents of layers and words; ``units_too=False`` leaves out what needs the unit library."""
    problems = Problems()
    for document in documents():
        problems.extend(document.problems)
        if not document.problems:
            _check_document(document, problems, units_too)
    return tuple(problems)


def fact_problems(document: Document, path: Key, entry: Mapping[Any, Any], units_too: bool) -> Iterator[Problem]:
    """What is wrong with the facts that an entry states, for certain and as usual."""
    for section in ("facts", "assume"):
        values = entry.get(section, {})
        if not isinstance(values, dict):
            yield document.problem((*path, section), "wrong_type", "a mapping of facts", repr(values)[:80])
            continue
        for fact, value in values.items():
            where = (*path, section, fact)
            if fact not in FACT_TITLES:
                yield unknown(document, where, "unknown_fact", fact, FACT_TITLES)
            elif fact == "quantity" and value not in quantity_kinds():
                yield unknown(document, where, "unknown_quantity", value, quantity_kinds())
            elif fact == "unit" and units_too and not (isinstance(value, str) and units.known(value)):
                yield document.problem(where, "unknown_unit", "a unit, in quotes where it is 1", repr(value))
            elif fact == "span" and not _is_span(value):
                yield document.problem(
                    where, "wrong_type", "[YYYY-MM-DD, YYYY-MM-DD], or {group} for a part", repr(value)
                )
            elif fact == "valid_range" and not _is_range(value):
                yield document.problem(where, "wrong_type", "[smallest, largest]", repr(value))
            elif fact == "marking" and value not in get_args(Scheme):
                yield unknown(document, where, "unknown_scheme", value, get_args(Scheme))
            elif fact in ("scale", "offset", "nodata") and not isinstance(value, int | float):
                yield document.problem(where, "wrong_type", "a number", repr(value))


def _is_range(value: object) -> bool:
    match value:
        case [int() | float() as low, int() | float() as high]:
            return low < high
    return False


def _is_span(value: object) -> bool:
    days = [_GROUP.sub("20", str(end).replace("20{", "{")) for end in value] if isinstance(value, list) else []
    return len(days) == 2 and all(_DAY.fullmatch(day) for day in days)


def unknown(document: Document, path: Key, code: str, found: Any, allowed: Any) -> Problem:
    """That a name is none of those allowed, with the one that was meant."""
    names = [str(name) for name in allowed]
    expected = f"one of {', '.join(names)}" if len(names) < 20 else "a known name"
    return document.problem(path, code, expected, repr(found), did_you_mean(str(found), names))


def _check_document(document: Document, problems: Problems, units_too: bool) -> None:
    data = document.data
    if isinstance(data, dict):
        _check_words(document, data, problems)
        return
    if not isinstance(data, list):
        problems.add(document.problem((), "wrong_type", "a list of layers", type(data).__name__))
        return
    seen: dict[str, int] = {}
    for index, entry in enumerate(data):
        if isinstance(entry, dict) and "grammar" in entry:
            problems.add(_moved(document, (index, "grammar")))
            continue
        if not (isinstance(entry, dict) and "layer" in entry):
            problems.add(document.problem((index,), "wrong_type", "a mapping with 'layer'", repr(entry)[:80]))
            continue
        name = str(entry["layer"])
        if name in seen:
            found = f"{name} again, first in line {document.line((seen[name], 'layer'))}"
            problems.add(document.problem((index, "layer"), "duplicate_name", "each layer once", found))
        seen.setdefault(name, index)
        _check_layer(document, (index,), entry, problems, units_too)


def _moved(document: Document, path: Key) -> Problem:
    hint = (
        "write it as a product in pkb/products/: 'product' for 'grammar', 'names: [...]' for 'pattern', and "
        "'marks: [...]' with the words that tell it (docs/products.md)"
    )
    return document.problem(path, "moved", "a layer: shapes of names are those of products", "a grammar", hint)


def _check_words(document: Document, data: Mapping[Any, Any], problems: Problems) -> None:
    known = _known_layers() if ALSO in data else set()
    for key, value in data.items():
        if key == "not_a_region":
            hint = "call it 'derived': words that make another thing of a layer"
            problems.add(document.problem((key,), "unknown_key", f"one of {', '.join(_WORD_KEYS)}", repr(key), hint))
        elif key not in _WORD_KEYS:
            problems.add(unknown(document, (key,), "unknown_key", key, _WORD_KEYS))
        else:
            lists = {None: value} if key in _LISTS else value if isinstance(value, dict) else {None: None}
            if key == RATES and isinstance(value, dict):
                lists = {name: one for some in value.values() for name, one in _named_lists(some).items()}
            for said, words in lists.items():
                if key == ALSO and said is not None and plain(str(said)) not in known:
                    problems.add(document.problem((key, said), "unknown_name", "the name of a layer", repr(said)))
                if key == TOGETHER and said is not None and said not in quantity_kinds():
                    problems.add(unknown(document, (key, said), "unknown_quantity", said, quantity_kinds()))
                if key == "derived" and said is not None:
                    for kind in {*str(said).split("|")} - {OTHER, *quantity_kinds()}:
                        problems.add(unknown(document, (key, said), "unknown_quantity", kind, quantity_kinds()))
                if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
                    where = (key,) if said is None else (key, said)
                    problems.add(document.problem(where, "wrong_type", "a list of words", repr(words)[:80]))


def _named_lists(value: Any) -> Mapping[str | None, Any]:
    return value if isinstance(value, dict) else {None: value}


def _known_layers() -> set[str]:
    """What other words may be given for: the names of layers and of quantity kinds."""
    listed = [entry for document in documents() if isinstance(document.data, list) for entry in document.data]
    names = [str(name) for entry in listed if isinstance(entry, dict) for name in entry.get("names") or ()]
    return {plain(name) for name in (*names, *quantity_kinds())}


def _check_layer(document: Document, path: Key, entry: Mapping[Any, Any], problems: Problems, units_too: bool) -> None:
    for key in entry:
        if key not in _LAYER_KEYS:
            hint = "call it 'family'" if key == "product" else did_you_mean(str(key), _LAYER_KEYS)
            expected = f"one of {', '.join(_LAYER_KEYS)}"
            problems.add(document.problem((*path, key), "unknown_key", expected, repr(key), hint))
    for key in ("title", "source"):
        if not isinstance(entry.get(key), str):
            problems.add(document.problem((*path, key), "missing_field", f"the text {key!r}", repr(entry.get(key))))
    names = entry.get("names")
    if not (isinstance(names, list) and names and all(isinstance(one, str) for one in names)):
        problems.add(document.problem((*path, "names"), "missing_field", "'names', a list of words", repr(names)))
    else:
        problems.extend(name_problems(document, (*path, "names"), names))
    problems.extend(fact_problems(document, path, entry, units_too))
    for number, clause in enumerate(entry.get("where") or ()):
        where = (*path, "where", number)
        if not (isinstance(clause, dict) and isinstance(clause.get("when"), dict)):
            problems.add(document.problem(where, "wrong_type", "a mapping with 'when'", repr(clause)[:80]))
            continue
        for key in clause:
            if key not in _CLAUSE_KEYS:
                problems.add(unknown(document, (*where, key), "unknown_key", key, _CLAUSE_KEYS))
        for key in clause["when"]:
            if key not in CONDITIONS:
                problems.add(unknown(document, (*where, "when", key), "unknown_name", key, sorted(CONDITIONS)))
        problems.extend(fact_problems(document, where, clause, units_too))


def name_problems(document: Document, path: Key, names: list[str]) -> Iterator[Problem]:
    """Names of layers that are no words but expressions."""
    for place, name in enumerate(names):
        if _NO_WORDS.search(name):
            hint = "write each name out; # stands for a number, {#} for that of a band: BT_{#}"
            yield document.problem((*path, place), "bad_name", "words, as in land_cover", repr(name), hint)
