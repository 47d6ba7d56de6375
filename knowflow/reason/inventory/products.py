"""Products as data (``pkb/products/*.yaml``): how their files are named, by their producers and by people, and what the
numbers in them mean.

A product is known by its ``marks``: words of a name, or of a folder's, wherever they stand. Its ``names`` are shapes of
published names, which say what each part is; what stands around a shape is read as words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from knowflow.ground.regex import regex
from knowflow.ground.report import Problems
from knowflow.knowledge.documents import Authored, authored
from knowflow.model.tool import Document
from knowflow.reason.inventory.concepts import concepts_of, in_english
from knowflow.reason.inventory.meanings import Clause, Layer, Meaning, layer_names
from knowflow.reason.inventory.tokens import Token, plain

FILES = "products/**/*.yaml"
_WORDED = frozenset({"word", "derived", "hint", "layer"})  # tokens that are words of the field
_SHORTEST = 4  # letters of a mark that is a word
_STORED = ("unit", "scale", "offset", "nodata")  # facts of how numbers are stored
MACROS: Mapping[str, str] = MappingProxyType(
    {
        "date": r"(?P<date>(?:19|20)\d\d(?P<_s>[-_.]?)(?:0[1-9]|1[0-2])(?P=_s)(?:0[1-9]|[12]\d|3[01]))",
        "time": r"(?P<time>[0-2]\d[0-5]\d(?:[0-5]\d)?)",
        "doy": r"(?P<date>(?:19|20)\d\d[0-3]\d\d)",
        "month": r"(?P<date>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2]))",
        "year": r"(?P<date>(?:19|20)\d\d)",
        "dekad": r"(?P<dekad>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?[1-3])",
        "part": r"(?P<of_month>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?[1-6])",
        "yydekad": r"(?P<yydekad>\d\d(?:0[1-9]|[12]\d|3[0-6]))",
        "yypart": r"(?P<yypart>\d\dM?(?:0[1-9]|1[0-2])(?:M|D[1-3])?)",
        "yy": r"(?P<yy>\d\d)",
        "monthfirst": r"(?P<month_first>(?:0[1-9]|1[0-2])_(?:19|20)\d\d)",
        "mmdd": r"(?P<mmdd>(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))",
        "mdytime": r"(?P<mdy>(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d[0-2]\d[0-5]\d[0-5]\d)",
        "week": r"(?P<week_from_january>(?:19|20)\d\d0(?:0[1-9]|[1-4]\d|5[0-2]))",
        "yymmdd": r"(?P<yymmdd>\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))",
        "end": r"(?P<end>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01]))",
        "tile": r"(?P<tile>T?\d\d[A-Z]{3}|h\d\dv\d\d|[NS]\d\d(?:_00)?_?[EW]\d{3}(?:_00)?|\d\d[NS]_?\d{3}[EW]"
        r"|R\d+_C\d+)",
    }
)
"""What stands for a part of a published name, ``{date}``: a regular expression."""
_WORD = regex(r"[a-z]{3,}")
_PIECES = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MACRO = regex(r"\{([a-z]+)\}")


class Where(Document):
    """Facts that hold under conditions."""

    when: Mapping[str, str | int | float | None] = Field(
        description="groups of the name, band, daynight, statistic, step, level, polarisation, name (of the layer), "
        "dtype: a regular expression for the whole of it, or null: says nothing; date_from and date_before: a date"
    )
    facts: Mapping[str, Any] = Field(default_factory=dict, description="what is certain then")
    assume: Mapping[str, Any] = Field(default_factory=dict, description="what is usual then")
    open: tuple[str, ...] = Field((), description="quantities of which nobody can tell then which one it is")
    confirmed: bool = Field(True, description="false: no guide of the producer states its numbers, which are assumed")


class Stated(Document):
    """What is known of a layer, or of all layers of a product."""

    facts: Mapping[str, Any] = Field(default_factory=dict, description="what is certain")
    assume: Mapping[str, Any] = Field(default_factory=dict, description="what is usual, and shown as assumed")
    where: tuple[Where, ...] = Field((), description="what holds under conditions; the later ones override")
    confirmed: bool = Field(True, description="false: no guide of the producer states its numbers, which are assumed")


class ProductLayer(Stated):
    """One layer of a product, under all of its names."""

    names: tuple[str, ...] = Field(min_length=1, description="words; # stands for a number; the first is the label")
    open: tuple[str, ...] = Field((), description="quantities of which nobody can tell from the name which one it is")
    gives_way: bool = Field(False, description="what other layers of a name are made of: SR of SR_NDVI")


class Begins(Document):
    """On which days of a year the composites of a product begin."""

    mark: str | None = Field(None, description="beginning of the word of a name that it holds for: MYD; none: for all")
    first: int = Field(1, ge=1, le=366, description="day of the year on which the first begins")
    every: int = Field(ge=2, le=366, description="days from one to the next")


class Product(Stated):
    """How the files of one product are named, and what they hold."""

    product: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=3)
    marks: tuple[str | tuple[str, ...], ...] = Field(
        (), description="words that tell it anywhere in a name or folder; of a list all have to be there"
    )
    names: tuple[str, ...] = Field(
        (), description="shapes of published names: regular expressions with {date}, {time}, {doy}, {month}, {year}..."
    )
    told_by_shape: bool = Field(False, description="its names tell it without any of its marks, too")
    family: str | None = Field(None, description="files of one family, folder, region and date come from one sensor")
    layers: tuple[ProductLayer, ...] = ()
    date: Literal["day", "start", "middle", "end"] = Field("day", description="what the date in a name is of the span")
    span: str | None = Field(None, pattern=r"^P\d+[DMY]$", description="length of time the numbers are of: P16D, P1M")
    begins: tuple[Begins, ...] = Field(
        (), description="days of the year on which its composites begin; the first entry whose mark the name has counts"
    )
    year_begins: str | None = Field(
        None, pattern=r"^\d\d-\d\d$", description="month and day on which its years begin, where that is no 1 January"
    )
    source: str = Field(description="where this is documented")
    examples: Mapping[str, Mapping[str, Any]] = Field(
        default_factory=dict, description="published and renamed names with the facts that they tell"
    )


class ProductFile(Document):
    """One file of products."""

    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A product as names are read by: ``marks`` are sets of words that tell it, ``layers`` are by their names."""

    product: Product
    meaning: Meaning
    marks: tuple[frozenset[str], ...]
    layers: Mapping[str, Layer]
    words: frozenset[str] = frozenset()
    """The words of its title, which say nothing else beside it."""
    by_concept: Mapping[str, Layer] = field(default_factory=lambda: MappingProxyType({}))
    """The layers whose names are words of the field, by what these say in any language."""

    @property
    def asks_for(self) -> frozenset[str]:
        """What the conditions of it and its layers ask for."""
        return self.meaning.asks_for.union(*(layer.meaning.asks_for for layer in self.layers.values()))

    def shortened(self, word: str) -> Layer | None:
        """The only layer of it that a word is short for by its initials: ``ptc`` of Percent_Tree_Cover."""
        found = {layer.meaning.name: layer for layer in self.layers.values() if word == _initials(layer.name)}
        (one,) = found.values() if len(found) == 1 else (None,)
        return one if one is not None and len(one.meaning.quantities) == 1 else None

    def shape_in(self, stem: str) -> re.Match[str] | None:
        """Where a published name of it stands in a name."""
        return next((found for one in self.product.names if (found := compiled(one).search(stem))), None)

    def in_words(self, word: str) -> Layer | None:
        """The layer that a word of any language names: the occurrence of ``occorrenza``."""
        return self.layers.get(in_english(word)) or self.by_concept.get(in_english(word))

    def is_marked_by(self, word: str) -> bool:
        """Whether a word means what stands in English in one of its marks of several, and says no more of it: of a
        product of one quantity."""
        marks = (mark for mark in self.marks if len(mark) > 1 and self.meaning.quantities)
        return any(_means(one, in_english(word)) and plain(word) != one for mark in marks for one in mark)

    def told_by(self, words: frozenset[str], concepts: frozenset[str] = frozenset()) -> int:
        """The letters of the words that tell it, the most of any of its marks; 0 where none do. Of a mark of several
        words some may be told by what they mean, in other languages: ``concepts``."""
        return max((sum(map(len, mark)) for mark in self.marks if _is_told(mark, words, concepts)), default=0)


def is_in_name(word: str, layer: Layer) -> bool:
    """Whether a word, in any language, stands in the name of the only quantity of a layer."""
    quantities = layer.meaning.quantities
    return len(quantities) == 1 and in_english(word) in concepts_of(quantities[0])


def _is_told(mark: frozenset[str], words: frozenset[str], concepts: frozenset[str]) -> bool:
    unsaid = mark - words
    return not unsaid or (unsaid < mark and all(any(_means(word, one) for one in concepts) for word in unsaid))


def _means(word: str, concept: str) -> bool:
    """Whether a word of a mark says what words of other languages do: short ones are the letters of something."""
    return len(word) >= _SHORTEST and in_english(word) == concept


def files(problems: Problems) -> Iterator[Authored[ProductFile]]:
    """The valid files of products, the strongest layer first."""
    return authored(FILES, ProductFile, problems)


def known_products(listed: Iterable[Product]) -> Mapping[str, Known]:
    """Products by name; of two of one name the first counts."""
    found: dict[str, Known] = {}
    for one in listed:
        if one.product not in found:
            found[one.product] = _known(one)
    return MappingProxyType(found)


@lru_cache(maxsize=4096)
def _initials(name: str) -> str:
    """The first letters of the words of a name, and its numbers; "" of a single word."""
    pieces = _PIECES.findall(name)
    words = sum(not piece.isdigit() for piece in pieces)
    return "".join(piece if piece.isdigit() else piece[0] for piece in pieces).casefold() if words > 1 else ""


@lru_cache(maxsize=512)
def compiled(shape: str) -> re.Pattern[str]:
    """A shape of a name as an expression that stands between separators.

    Raises ``KeyError`` for an unknown macro and ``re.error`` for a broken expression.
    """
    return regex(rf"(?<![0-9A-Za-z])(?:{_MACRO.sub(lambda found: MACROS[found[1]], shape)})(?![0-9A-Za-z])", re.I)


def product_in(words: Iterable[Token], products: Mapping[str, Known], by_word: Mapping[str, tuple[str, ...]]) -> str:
    """The product that words tell, by the most telling mark; none ("") where two are told equally well."""
    listed = list(words)
    keys = frozenset(form for token in listed for form in (token.key, token.form))
    concepts = frozenset(in_english(token.text) for token in listed if token.kind in _WORDED)
    told = {name: products[name].told_by(keys, concepts) for key in keys for name in by_word.get(key, ())}
    best = sorted(((letters, name) for name, letters in told.items() if letters), reverse=True)
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return ""
    return best[0][1]


def _known(product: Product) -> Known:
    layers: dict[str, Layer] = {}
    for number, one in enumerate(product.layers):
        said = f"{product.product}.{number}"
        meaning = Meaning(said, product.title, _clauses(one), gives_way=one.gives_way, open=one.open)
        for key, layer in layer_names(one.names, meaning).items():
            layers.setdefault(key, layer)
    by_concept: dict[str, dict[str, Layer]] = {}
    for key, layer in layers.items():
        # the fal of ERA5 is no Polish wave, and SAVI no Finnish clay
        if (concept := in_english(key)) != key and key not in layer.meaning.quantities and is_in_name(key, layer):
            by_concept.setdefault(concept, {})[layer.meaning.name] = layer
    marks = [(mark,) if isinstance(mark, str) else mark for mark in product.marks]
    return Known(
        product,
        Meaning(product.product, product.title, _clauses(product), product.family),
        tuple(frozenset(map(plain, mark)) for mark in marks),
        MappingProxyType(layers),
        frozenset(_WORD.findall(product.title.casefold())),
        MappingProxyType({word: one for word, some in by_concept.items() if len(some) == 1 for one in some.values()}),
    )


def _clauses(said: Stated) -> tuple[Clause, ...]:
    first = _clause({}, said.facts, said.assume, said.confirmed)
    more = (_clause(one.when, one.facts, one.assume, said.confirmed and one.confirmed, one.open) for one in said.where)
    return first, *more


def _clause(
    when: Mapping[str, Any],
    facts: Mapping[str, Any],
    assume: Mapping[str, Any],
    confirmed: bool,
    open: tuple[str, ...] = (),
) -> Clause:
    """A clause; of what nobody has confirmed how its numbers are stored is usual, and not certain."""
    doubted = {} if confirmed else {name: facts[name] for name in _STORED if name in facts}
    certain = {name: value for name, value in facts.items() if name not in doubted}
    return Clause(when, certain, {**doubted, **assume}, open)
