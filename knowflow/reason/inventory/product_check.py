"""Everything that is wrong with authored products, with file and line, and their examples read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from knowflow.ground.report import Problem, Problems
from knowflow.ground.yamldoc import Document, Key
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.grammar_check import CONDITIONS, fact_problems, name_problems, unknown
from knowflow.reason.inventory.lore import Lore, lore_of
from knowflow.reason.inventory.meanings import documents
from knowflow.reason.inventory.names import read_name
from knowflow.reason.inventory.products import MACROS, Product, Stated, compiled, files


def check_products(units_too: bool = True) -> tuple[Problem, ...]:
    """Problems of all products; ``units_too=False`` leaves out what needs the unit library."""
    problems = Problems()
    listed = list(files(problems))
    for file in listed:
        for number, product in enumerate(file.model.products):
            problems.extend(_check(file.document, ("products", number), product, units_too))
    if not problems.errors:
        lore = lore_of([one.data for one in documents()], [one for file in listed for one in file.model.products])
        for file in listed:
            for number, product in enumerate(file.model.products):
                problems.extend(_failed_examples(file.document, ("products", number), product, lore))
    return tuple(problems)


def _check(document: Document, path: Key, product: Product, units_too: bool) -> Iterator[Problem]:
    if not product.marks and not product.names:
        yield document.problem((*path, "product"), "missing_key", "'marks', or 'names'", "neither")
    groups = set(CONDITIONS)
    for place, shape in enumerate(product.names):
        try:
            groups |= set(compiled(shape).groupindex)
        except KeyError as error:
            yield unknown(document, (*path, "names", place), "unknown_macro", error.args[0], MACROS)
        except re.error as error:
            hint = "see the documentation of re"
            yield document.problem((*path, "names", place), "bad_pattern", "a regular expression", str(error), hint)
    yield from _begins(document, path, product)
    yield from _stated(document, path, product, groups, units_too)
    for place, layer in enumerate(product.layers):
        where = (*path, "layers", place)
        yield from name_problems(document, (*where, "names"), list(layer.names))
        yield from _stated(document, where, layer, groups, units_too)


def _begins(document: Document, path: Key, product: Product) -> Iterator[Problem]:
    """Days on which composites begin that are none of the dates of their names, and marks that are no words."""
    if product.begins and product.date != "start":
        yield document.problem((*path, "begins"), "not_allowed", "date: start", f"date: {product.date}")
    for place, one in enumerate(product.begins):
        if one.mark is not None and not one.mark.isalnum():
            where = (*path, "begins", place, "mark")
            yield document.problem(where, "bad_name", "letters and digits, as in MYD", repr(one.mark))


def _stated(document: Document, path: Key, said: Stated, groups: set[str], units_too: bool) -> Iterator[Problem]:
    facts = partial(fact_problems, document, units_too=units_too)
    yield from facts(path, said.model_dump(include={"facts", "assume"}))
    for place, clause in enumerate(said.where):
        where = (*path, "where", place)
        yield from facts(where, clause.model_dump(include={"facts", "assume"}))
        for name in clause.when:
            if name not in groups:
                yield unknown(document, (*where, "when", name), "unknown_name", name, sorted(groups))


def _failed_examples(document: Document, path: Key, product: Product, lore: Lore) -> Iterator[Problem]:
    """Examples whose name says something else than they state; ``@int16`` behind a name is the data type."""
    for name, expected in product.examples.items():
        text, _, dtype = str(name).partition("@")
        folders, _, file = text.rpartition("/")
        read = read_name(file, dtype or None, lore, folders)
        facts = with_band_facts(read.facts)
        where = (*path, "examples", name)
        if read.product != product.product:
            yield document.problem(where, "example", f"read by {product.product}", f"by {read.product or 'none'}")
        for fact, value in expected.items():
            wanted = tuple(value) if isinstance(value, list) else value
            if facts.value(fact) != wanted:
                yield document.problem((*where, fact), "example", f"{fact} = {wanted!r}", f"{facts.value(fact)!r}")
