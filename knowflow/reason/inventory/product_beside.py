"""The product of a file whose name tells none, by the names beside it.

Who renames the files of a product leaves its mark in some of them, or the name of a layer that no other product has. A
file is of the product that others of its folder are told to be of where its name is made like one of theirs, but for
the layer, dates and numbers (``clay 0-5cm`` beside ``cfvo 0-5cm``), or where the name of its layer says nothing by
itself and stands in one of theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from knowflow.ground.regex import regex
from knowflow.reason.inventory.meanings import Layer
from knowflow.reason.inventory.products import Known
from knowflow.reason.inventory.tokens import Token, plain

Shape: TypeAlias = "tuple[str, ...]"
_LAYER = "{}"
_VARIES = frozenset({"date", "number", "year", "months", "step", "height", "tile", "version", "resolution", "link"})
"""Tokens in which names of one product differ beside their layers."""
_WORDS = frozenset({"word", "hint", "product"})
_NUMBERED = regex(r"\d")
_SEVERAL = 3  # names that have to agree
_LAST = frozenset({"layer", "band"})
_KNOWN_ALONE = frozenset({"layer", "derived", "band", "colour"})


@dataclass(frozen=True, slots=True)
class Beside:
    """The products that the names of a folder tell: how their files are called but for what varies, and by which words
    these call their layers.

    ``shared`` are words that several of the names have, as a place or a project, and ``leading`` those of layers before
    which stand the same and behind which others (``ifg_coh``, ``ifg_unw``), or bands and others (``gamma0_VV``,
    ``gamma0_VH``, ``gamma0_dem``): these say what all was made of; ``noted`` are the words of the name of the whole
    folder and of notes.
    """

    shapes: Mapping[str, frozenset[Shape]] = field(default_factory=lambda: MappingProxyType({}))
    layers: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    shared: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()


def places_in(names: Iterable[tuple[Token, ...]]) -> frozenset[str]:
    """The words that stand in names of several quantities: those of a place, a project, or whoever made them."""
    kinds: dict[str, set[frozenset[str]]] = {}
    for tokens in names:
        told = frozenset(quantity for token in tokens for quantity in _quantities_of(token))
        for token in tokens if told else ():
            if token.kind in _WORDS and token.key.isalpha():
                kinds.setdefault(token.key, set()).add(told)
    return frozenset(word for word, some in kinds.items() if len(some) > 1 and not frozenset.intersection(*some))


def _quantities_of(token: Token) -> Iterable[str]:
    if isinstance(token.entry, Layer):
        return (*token.entry.meaning.quantities, *token.entry.meaning.open)
    return map(str, token.entry or ()) if token.kind == "product" else ()


def names_beside(told: Iterable[tuple[Known, tuple[Token, ...]]], plainly: Iterable[tuple[Token, ...]] = ()) -> Beside:
    """What names tell whose product is known, each with its tokens as that product reads them; ``plainly`` are the
    tokens of all names by themselves."""
    shapes: dict[str, set[Shape]] = {}
    layers: dict[str, set[str]] = {}
    for known, tokens in told:
        name = known.product.product
        layers.setdefault(name, set()).update(token.key for token in tokens if _is_layer(token, known))
        if (shape := _shape(tokens, known)) is not None:
            shapes.setdefault(name, set()).add(shape)
    return Beside(
        MappingProxyType({name: frozenset(some) for name, some in shapes.items()}),
        MappingProxyType({name: frozenset(some) for name, some in layers.items()}),
        *_in_common(plainly),
    )


def _in_common(plainly: Iterable[tuple[Token, ...]]) -> tuple[frozenset[str], frozenset[str]]:
    """The words that several of some names have, and those of layers behind which others vary."""
    names = {
        tuple((one.kind, one.key) for one in tokens if one.kind not in _VARIES and not _is_numbered(one))
        for tokens in plainly  # T010 and T100 are no more than numbers: what stands before is of one layer
    }
    words: Counter[str] = Counter()
    behind: dict[str, set[str]] = {}
    made_of: set[str] = set()
    for name in names:
        words.update({key for kind, key in name if kind in _WORDS})
        layers = [one for one in name if one[0] in _LAST]
        if len(set(layers)) > 1 and layers[0][0] == "layer":
            first, last = layers[0][1], layers[-1][1]
            behind.setdefault(first, set()).add(last)
            made_of |= {first} if layers[-1][0] == "layer" else set()
    shared = {key for key, count in words.items() if count >= _SEVERAL}
    leading = (key for key, others in behind.items() if len(others) >= _SEVERAL and key in made_of)
    return frozenset(shared), frozenset(leading)


def _is_numbered(token: Token) -> bool:
    """Whether a token holds a number that is no part of the name of its layer, as that of gamma0 is."""
    own = isinstance(token.entry, Layer) and plain(token.entry.name) == token.key
    return _NUMBERED.search(token.key) is not None and not own


def product_beside(
    beside: Beside,
    products: Mapping[str, Known],
    plainly: tuple[Token, ...],
    read: Callable[[Known], tuple[Token, ...]],
) -> Known | None:
    """The only product of the names beside it that a name is of; ``plainly`` are its tokens by themselves, ``read``
    gives them as a product reads them."""
    of_another = any(token.kind == "sensor" for token in plainly)
    alone = set() if of_another else {token.key for token in plainly if token.kind not in _KNOWN_ALONE}
    found = []
    for name, called in beside.layers.items():
        known = products[name]
        tokens = read(known)
        own = {token.key for token in tokens if _is_layer(token, known)}
        if _shape(tokens, known) in beside.shapes.get(name, ()) or own & called & alone:
            found.append(known)
    return found[0] if len(found) == 1 else None


def _is_layer(token: Token, known: Known) -> bool:
    return token.key in known.layers or token.form in known.layers


def _shape(tokens: Iterable[Token], known: Known) -> Shape | None:
    """What a name is made of but for what varies; None where it names no layer of the product."""
    parts = tuple(_LAYER if _is_layer(token, known) else token.key for token in tokens if token.kind not in _VARIES)
    return parts if _LAYER in parts else None
