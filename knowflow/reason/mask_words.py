"""What the masks of a folder are called, and what they do not mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.model.artifact import Artifact
from knowflow.question.form import expression_of
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
        words = [word for word in own_words(item) if word not in _OF_MASKS and word.isalpha()]
        own = " ".join(words[: _behind_what_it_is(words, mask)])
        if " " in own and item.fact("layer") is not None and words_of(own) not in reading_words().phrases:
            yield own, replace(mask, having=(("layer", str(item.fact("layer"))),))


def _behind_what_it_is(words: Sequence[str], mask: Quantity) -> int | None:
    """Where the word ends by which a mask is called for what it marks, where others stand before and behind it: who
    made it, as in ``permanent water jrc``."""
    of = (at for at, word in enumerate(words) if at and _marks(word, mask))
    return next((at + 1 for at in of), None)


def _marks(word: str, mask: Quantity) -> bool:
    said = (expression_of(value)[0] for symbol, value in reading_words().phrases.get((word,), ()) if symbol == "GROUND")
    return mask in said
