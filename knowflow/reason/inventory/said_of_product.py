"""The tokens of a name as its product reads them: words of its layers in any language, and whatever else is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from knowflow.reason.inventory.meanings import Layer
from knowflow.reason.inventory.products import Known, is_in_name
from knowflow.reason.inventory.tokens import Token

_TRANSLATED = frozenset({"word", "derived", "hint"})


def as_of_product(tokens: Iterable[Token], rest: str, product: Known | None) -> tuple[Token, ...]:
    """The tokens of a name (``rest``) as a product reads them; a word that stands in the name of what one of its layers
    measures makes nothing else of that: the stock of OCS."""
    own = tuple(_of_product(_unless_code(token, rest), product) for token in tokens)
    layers = () if product is None else tuple(product.layers.values())
    named = [token.entry for token in own if token.kind == "layer" and token.entry in layers]
    return tuple(
        replace(one, kind="plain") if one.kind == "derived" and any(is_in_name(one.text, it) for it in named) else one
        for one in own
    )


def _may_name(token: Token, layer: Layer) -> bool:
    """Whether a word in another language may name a layer: it says nothing by itself, or what that measures."""
    if token.kind != "layer" or not isinstance(token.entry, Layer):
        return token.kind in _TRANSLATED
    return not {*token.entry.meaning.quantities}.isdisjoint(layer.meaning.quantities)


def _unless_code(token: Token, rest: str) -> Token:
    """A word instead of a band that is glued to digits before it (``77B0``), and instead of metres in capitals."""
    in_code = token.kind == "band" and rest[max(token.start - 1, 0) : token.start].isdigit()
    return replace(token, kind="word", entry=None) if in_code or (token.kind, token.text) == ("unit", "M") else token


def _of_product(token: Token, product: Known | None) -> Token:
    """A word that names a layer of its product, in any language, whatever it says elsewhere; one of other products
    only is a word."""
    if token.kind == "plain" and isinstance(token.entry, Layer):
        return token  # other layers vary behind it: all was made of this one
    if product is not None and (token.key in product.layers or token.form in product.layers):
        return replace(token, kind="layer")
    if product is not None and (layer := product.in_words(token.text)) and _may_name(token, layer):
        return replace(token, kind="layer", value=layer.label, entry=layer)
    if product is not None and token.kind == "layer" and product.is_marked_by(token.text):
        return replace(token, kind="plain")  # the hoehe of ETH is that of the product
    if product is not None and token.kind == "word" and (layer := product.shortened(token.key)):
        return replace(token, kind="layer", value=layer.label, entry=layer)
    if (
        token.kind == "product"
        and product is not None
        and any({token.key, token.form} & mark for mark in product.marks)
    ):
        return token
    return replace(token, kind="word") if token.kind in ("hint", "product") else token
