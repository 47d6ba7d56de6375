"""The rules of the products and sensors by which a question names its data: ``the CHIRPS rain``, ``elevation of the
Copernicus DEM``, ``built-up land in WorldCover 2021``."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.reading.chart import Line
from knowflow.question.reading.order import Thing
from knowflow.question.reading.pairs_of_dates import of_pair, of_tile
from knowflow.question.reading.products import of_product
from knowflow.question.reading.rules_of_sources import at_a_time, of_data
from knowflow.question.reading.vocabulary import Chosen

_BEFORE = ("in", "of", "by", "from", "using")


def noun_of_product(thing: Thing, one: Chosen) -> Thing | None:
    x = of_product(thing.x, one)
    return None if x is None else replace(thing, x=x)


def _of_both(thing: Thing, product: Chosen, tile: str) -> Thing | None:
    of_it = noun_of_product(thing, product)
    return of_it and of_tile(of_it, tile)


RULES_OF_PRODUCTS: tuple[Line, ...] = (
    ("PRODUCT <- PRODUCT carrier", lambda one: one),
    ("N <- PRODUCT N", lambda one, thing: noun_of_product(thing, one)),
    *((f"N <- N {word} PRODUCT", noun_of_product) for word in _BEFORE),
    ("N <- N open PRODUCT close", noun_of_product),
    *((f"N <- N {word} PAIR_OF_DATES", of_pair) for word in _BEFORE),
    *((f"N <- N {word} TILE", of_tile) for word in _BEFORE),
    *((f"N <- N {word} PRODUCT TILE", _of_both) for word in _BEFORE),
    ("SOURCES <- PRODUCT", of_data, 1),
    ("SOURCES <- PRODUCT SCOPE", lambda one, _: of_data(one)),
    ("SOURCES <- PRODUCT SOURCES", lambda one, said: (own := of_data(one)) and said.also(own)),
    ("NAMED_DATA <- PRODUCT", of_data, 1),
    ("NAMED_DATA <- PRODUCT TIME", lambda one, when: (said := of_data(one)) and at_a_time(said, when)),
    *((f"IN_DATA <- {word} NAMED_DATA", lambda said: said) for word in _BEFORE),
)
