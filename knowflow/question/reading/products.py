"""The products and sensors by which a question names its data.

Such a name is a fact of the data beside their quantity. Where all layers of the quantity are of that product it tells
them not apart and is left out; where the only layer is of a product that nobody knows it is taken for that, which is
told. In all other cases it stays, and data that are of another product, or of none that is known, are not taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from knowflow.knowledge.reading_words import words_of
from knowflow.knowledge.words import Token
from knowflow.question.operators import Expression, Quantity, walk, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import PRODUCT, Chosen, DataWords, HeldProduct

_LONGEST = 6  # words of a name


def products_said(
    kept: Sequence[Token], words: Sequence[str], found: Sequence[Entity], said: Sequence[Entity], data: DataWords
) -> list[Entity]:
    """The names of products and sensors: any of those that the files are of, of others those that are no words; none
    that the vocabulary knows (``said``) as a quantity or as something on the ground."""
    taken = {(one.start, one.end) for one in said if one.symbol in ("QUANTITY", "GROUND")}
    named = [one for one in _named(kept, words, found, data) if (one.start, one.end) not in taken]
    return [
        one
        for one in named
        if not any(other.start <= one.start and one.end <= other.end and other is not one for other in named)
    ]


def with_products(found: Sequence[Entity]) -> Iterator[Entity]:
    """What words stand for, of sensors and of names of quantities that have that of a product in them: ``CHIRPS`` is
    the quantity of that product; ``CHIRPS rain`` is none, which its parts tell without leaving anything out."""
    products = {(one.start, one.end): one.value for one in found if one.symbol == "PRODUCT"}
    of_kinds = [one for one in found if one.symbol in ("QUANTITY", "SOURCE")] if products else []
    names = {(one.start, one.end, one.value.kind) for one in of_kinds}
    for one in found:
        if one.symbol == "SENSOR" and (one.start, one.end) in products:
            continue  # which chooses among the data
        if one not in of_kinds:
            yield one
        elif (chosen := products.get((one.start, one.end))) is None:
            if not any(_holds(one, span, names) for span in products):
                yield one
        elif one.symbol == "QUANTITY" and (x := of_product(one.value, chosen)) is not None:
            yield replace(one, value=x)


def _holds(one: Entity, product: tuple[int, int], names: Collection[tuple[int, int, str]]) -> bool:
    start, end = product
    before = start == one.start and (end, one.end, one.value.kind) in names
    return before or (end == one.end and (one.start, start, one.value.kind) in names)


def _named(kept: Sequence[Token], words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    if not data.products:
        return
    known = [one for one in data.products if one.names]
    spoken = {(one.start, one.end): one.value for one in found if one.symbol == "SENSOR"}
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
            name = " ".join(words_of(" ".join(words[start:end])))
            written = "".join(one.text for one in kept[start:end])
            kinds = tuple(dict.fromkeys(one.kind for one in known if one.is_called(name)))
            sensor = " ".join(words_of(str(spoken.get((start, end), "")))) == name
            coded = name in data.product_names and written != written.lower()
            if kinds and (name in {one for held in known for one in held.names} or written[:1].isupper()):
                yield Entity("PRODUCT", start, end, Chosen(PRODUCT, name, kinds))
            elif coded or (sensor and name):
                yield Entity("PRODUCT", start, end, Chosen(PRODUCT, name, tuple(data.product_names.get(name, ()))))


def of_product(x: Expression, one: Chosen) -> Expression | None:
    """A question of the data of a product: of those of its quantities that it holds, else of its only one."""
    kinds = {part.kind for _, part in walk(x) if isinstance(part, Quantity)}
    asked = kinds & {*one.kinds} or kinds
    if len(asked) != 1 and asked == kinds - {*one.kinds}:
        return None

    def told(part: Expression) -> Expression:
        if isinstance(part, Quantity) and part.kind in asked and one.fact not in dict(part.having):
            return replace(part, having=(*part.having, (one.fact, one.value)))
        return with_children(part, told)

    found = told(x)
    return None if found == x else found


def as_products_held(x: Expression, data: DataWords) -> Expression:
    """An expression without the products that all data are of, or may be of where there is but one layer whose product
    nobody knows."""
    if not isinstance(x, Quantity) or not (name := dict(x.having).get(PRODUCT, "")):
        return with_children(x, lambda part: as_products_held(part, data))
    held = [one for one in data.products if one.kind == x.kind]
    made_of = held or data.products
    told = bool(made_of) and all(one.is_called(name) for one in made_of)
    told = told or _may_be(held, name, x.kind, data)
    others = tuple(one for one in x.having if one[0] != PRODUCT)
    return replace(x, having=others if told else (*others, (PRODUCT, name)))


def is_assumed(one: Entity, there: Collection[Expression], data: DataWords) -> bool:
    """Whether words name a product which data that are asked about may be of, and nobody knows whether they are."""
    if one.symbol != "PRODUCT":
        return False
    kinds = {part.kind for part in there if isinstance(part, Quantity)}
    held = ([of for of in data.products if of.kind == kind] for kind in kinds)
    return any(_may_be(some, one.value.value, kind, data) for kind, some in zip(kinds, held, strict=True))


def _may_be(held: Sequence[HeldProduct], name: str, kind: str, data: DataWords) -> bool:
    """Whether the only layer of a quantity is of a product that nobody knows, and that may be the one that is named."""
    alone = len(held) == 1 and held[0].layers == 1 and not held[0].names
    return alone and kind in data.product_names.get(name, frozenset((kind,)))
