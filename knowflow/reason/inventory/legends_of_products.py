"""What the classes of well-known products are called: of a map whose layer or file name tells the product, and whose
numbers are all in its legend, where neither the file itself nor what lies beside it names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePath

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.legends import legend_of
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.glance import glance
from knowflow.reason.inventory.lore import load_lore

_TITLE = re.compile(r"\((.+)\)$")


def with_legends_of_products(artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """The artifacts, class maps of well-known products with what their classes are called (fact ``classes``)."""
    titles = {one.product.title: name for name, one in load_lore().products.items()}
    for item in artifacts:
        if not _is_map_without_names(item):
            yield item
            continue
        path = PurePath(str(item.path))
        told = (str(item.fact("layer") or ""), item.name, path.stem, *_products(item, titles))
        found = legend_of(str(item.fact("quantity")), told, partial(_occurring, item))
        if found is None:
            yield item
        else:
            names = tuple(sorted(found.called.items()))
            yield item.with_facts(item.facts.put("classes", names, Origin.DECLARED, f"legend of {found.title}"))


def _products(item: Artifact, titles: Mapping[str, str]) -> Iterator[str]:
    """The products that the sources of the facts of a file name by their titles, by which it was read."""
    ends = (_TITLE.search(fact.source) for fact in item.facts.values())
    yield from dict.fromkeys(titles[end[1]] for end in ends if end is not None and end[1] in titles)


def _occurring(item: Artifact) -> frozenset[int]:
    """The numbers in windows spread over a map."""
    return frozenset(int(number) for number in set(glance(item).tolist()))


def _is_map_without_names(item: Artifact) -> bool:
    """Whether a raster is known to be a map of classes, and nobody has said what its numbers mean."""
    if item.type != "raster" or item.path is None or "classes" in item.facts:
        return False
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return kind is not None and kind.categorical and kind.family == "class" and not kind.classes
