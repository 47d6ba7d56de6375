"""The reference page of products: how their files are named, and what is known of their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.products import Product, Stated
from knowflow.roof.reference.markdown import codes, table


def product_lines() -> Iterator[str]:
    """A table of all products, by title."""
    listed = sorted((known.product for known in load_lore().products.values()), key=lambda one: one.title.casefold())
    yield f"{len(listed)} products, known by the words in the second column wherever these stand in the name of a file"
    yield "or folder, and by their published names. [Products](../products.md) tells how to add one."
    yield ""
    rows = [[f"[{one.title}]({one.source})", _marks(one), ", ".join(_layers(one)), _example(one)] for one in listed]
    yield from table(["product", "told by", "layers", "names"], rows)


def _marks(product: Product) -> str:
    marks = [mark if isinstance(mark, str) else " with ".join(mark) for mark in product.marks]
    return codes(marks) or "its published name"


def _layers(product: Product) -> list[str]:
    """The quantities of a product, each with what is known of its numbers, and the names of its layers."""
    found: dict[str, None] = {}
    stated: list[tuple[tuple[str, ...], Stated]] = [((), product), *((layer.names, layer) for layer in product.layers)]
    for names, said in stated:
        clauses = [said.facts, *(clause.facts for clause in said.where)]
        for facts in clauses:
            if "quantity" in facts:
                label = f"{names[0]}: " if names else ""
                found[label + _numbers(facts)] = None
    return list(found) or ["as its names say"]


def _numbers(facts: Mapping[str, Any]) -> str:
    unit = facts.get("unit")
    return f"`{facts['quantity']}`{f' in {unit}' if unit not in (None, '1') else ''}"


def _example(product: Product) -> str:
    names = list(product.examples)
    return codes(names[:1] + names[-1:] if len(names) > 1 else names)
