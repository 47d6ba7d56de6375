"""What the masks of a folder are called, and what they do not mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Expression, Not, Quantity
from knowflow.reason.inventory.called import own_words

_OF_MASKS = frozenset({"mask", "extent", "map", "flag"})
_REST = frozenset({"other", "others", "rest", "background", "no data", "unknown"})
"""What is not marked, by names of nothing."""


def is_mask(item: Artifact) -> bool:
    """Whether a raster marks one thing."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return kind is not None and kind.family == "mask"


def names_of_masks(rasters: Iterable[Artifact]) -> Iterator[tuple[str, Expression]]:
    """What masks call what they do not mark, ``0=open 1=forest``, and what their names say more than their quantity
    is: permanent water."""
    for item in filter(is_mask, rasters):
        mask = Quantity(str(item.fact("quantity")))
        names = dict(item.fact("classes") or ())
        name = names[0].casefold() if names.keys() == {0, 1} else ""
        if name and name not in _REST and words_of(name) not in reading_words().phrases:
            yield name, Not(mask)
        own = " ".join(word for word in own_words(item) if word not in _OF_MASKS and word.isalpha())
        if " " in own and item.fact("layer") is not None and words_of(own) not in reading_words().phrases:
            yield own, replace(mask, having=(("layer", str(item.fact("layer"))),))
