"""All that names of files are read by, loaded once: words, layers and products in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.ground.report import Problems
from knowflow.reason.inventory.grammar_check import check_grammars
from knowflow.reason.inventory.meanings import documents, vocabulary_of
from knowflow.reason.inventory.products import Known, Product, files, known_products
from knowflow.reason.inventory.tokens import ONE_PRODUCT, Vocabulary, Word, is_version


@dataclass(frozen=True, slots=True, eq=False)
class Lore:
    """All that names are read by: words, products, the products that each word may tell, and shapes without a mark."""

    vocabulary: Vocabulary
    products: Mapping[str, Known]
    by_word: Mapping[str, tuple[str, ...]]
    unmarked: tuple[Known, ...]


@kept()
@between_runs
def load_lore() -> Lore:
    """The words, layers and products in force, the project's and the user's before the packaged ones.

    Raises ``DocumentError`` with everything that is wrong with them.
    """
    # units are checked by `check_grammars()` alone: that loads the unit library
    problems = Problems()
    problems.extend(problem for problem in check_grammars(units_too=False) if problem.severity == "error")
    listed = [one for file in files(problems) for one in file.model.products]
    if problems.errors:
        raise DocumentError("what names of files are read by is not valid", problems=problems.errors)
    return lore_of([document.data for document in documents()], listed)


def lore_of(contents: Iterable[object], listed: Iterable[Product]) -> Lore:
    """Lore of the plain data of documents of layers and words, and of products."""
    products = known_products(listed)
    told_by = frozenset(key for known in products.values() for mark in known.marks for key in mark)
    words = vocabulary_of(contents, told_by)
    by_word: dict[str, dict[str, None]] = {}
    hints: dict[str, dict[str, None]] = {}
    products_of: dict[str, int] = {}
    marks: dict[str, None] = {}
    for name, known in products.items():
        meanings = {layer.meaning for layer in known.layers.values()}
        told = {meaning: dict.fromkeys((*meaning.quantities, *meaning.open)) for meaning in meanings}
        for key, layer in known.layers.items():
            hints.setdefault(key, {}).update(told[layer.meaning])
            products_of[key] = products_of.get(key, 0) + 1
        for mark in known.marks:
            for key in mark:
                marks[key] = None
                hints.setdefault(key, {}).update(dict.fromkeys(known.meaning.quantities))
                by_word.setdefault(key, {})[name] = None
    for key in marks:
        if not key.isdigit() and not is_version(key):  # whose files have a version nobody can tell by it
            words.setdefault(key, Word("product", key, tuple(hints.get(key, ()))))
    for key, quantities in hints.items():
        if len(key) > 1 and not (key in marks and is_version(key)):  # a letter says something beside its product alone
            words.setdefault(key, Word("hint", key if products_of.get(key, 0) > 1 else ONE_PRODUCT, tuple(quantities)))
    return Lore(
        MappingProxyType(words),
        products,
        MappingProxyType({key: tuple(names) for key, names in by_word.items()}),
        tuple(known for known in products.values() if not known.marks or known.product.told_by_shape),
    )
