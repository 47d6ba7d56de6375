"""What an index is made of, told behind its name: ``NDWI (green/NIR)``, ``SAVI (L = 0.5)``. It is what it is made of
anyway; where it is told to be made of something else, the words stay unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from knowflow.ground.indices import SpectralIndex, spectral_indices
from knowflow.question.operators import Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import number_of

_BETWEEN = frozenset({"/", "-", "and", "&", ",", "minus", "plus", "+", "over", "vs", "versus", "from", "of"})
_FAMILIES = ("nir", "swir")
"""Bands that are told without their number."""


def formulas_told(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """Brackets behind the names of indices, or their maps, that tell their bands, or a constant."""
    closing = [at for at, word in enumerate(words) if word == ")"]
    bands = {(one.start, one.end): str(one.value) for one in found if one.symbol == "BAND"}
    for one in found:
        index = spectral_indices().get(one.value.kind) if isinstance(one.value, Quantity) else None
        at = one.end + (words[one.end : one.end + 1] == ["map"])
        end = next((place for place in closing if place > at), None)
        if index is None or end is None or words[at : at + 1] != ["("]:
            continue
        if _are_bands(words, at + 1, end, bands, index) or _is_constant(words[at + 1 : end], index):
            yield Entity("FORMULA", at, end + 1, one.value.kind)


def _are_bands(
    words: Sequence[str], start: int, end: int, bands: dict[tuple[int, int], str], index: SpectralIndex
) -> bool:
    told: set[str] = set()
    at = start
    while at < end:
        spans = [(last, band) for (first, last), band in bands.items() if first == at and last <= end]
        if spans:
            told |= {_family(band) for last, band in spans}
            at = max(last for last, _ in spans)
        elif words[at] in (*_FAMILIES, *_BETWEEN):
            told |= {words[at]} - _BETWEEN
            at += 1
        else:
            return False
    return told == {_family(band) for band in index.bands}


def _family(band: str) -> str:
    return next((name for name in _FAMILIES if band.startswith(name)), band)


def _is_constant(words: Sequence[str], index: SpectralIndex) -> bool:
    """``L = 0.5``, which is what it is where nothing is told."""
    told = [word for word in words if word not in ("=", "of", "is")]
    constants = {name.lower(): value for name, value in index.constants.items()}
    pairs = list(pairwise(told))
    return len(told) == 2 and all(name in constants and number_of(value) == constants[name] for name, value in pairs)
