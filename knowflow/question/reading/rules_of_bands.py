"""Bands of one width of what is measured, as a key: elevation bands of 100 m, slopes by 5 degrees."""

from __future__ import annotations

from knowflow.question.operators import Number, Quantity
from knowflow.question.reading.chart import Line
from knowflow.question.reading.nouns import key_of_bands, level_of
from knowflow.question.reading.order import typed


def _bands(x: Quantity, width: Number) -> str | None:
    """The key, where the width is one of the quantity, and what is had of that is not asked."""
    key = None if x.having or x.method else key_of_bands(x.kind, width)
    return key if key is not None and typed(level_of(key)) is not None else None


RULES_OF_BANDS: tuple[Line, ...] = (
    ("BANDS <- QUANTITY bands of NUMBER", _bands),
    ("BANDS <- QUANTITY bands open NUMBER close", _bands),
    ("BANDS <- QUANTITY in bands of NUMBER", _bands),
    ("BANDS <- bands of NUMBER of QUANTITY", lambda width, x: _bands(x, width)),
    ("BANDS <- bands of NUMBER in? QUANTITY", lambda width, x: _bands(x, width)),
    ("BANDS <- NUMBER bands of QUANTITY", lambda width, x: _bands(x, width)),
    ("BANDS <- NUMBER QUANTITY bands", lambda width, x: _bands(x, width)),
    ("K <- in? BANDS", level_of),
    ("K <- per BANDS", level_of),
    ("K <- over BANDS", level_of),
    ("K <- per NUMBER of? QUANTITY", lambda width, x: (key := _bands(x, width)) and level_of(key)),
    ("NAMED_KEY <- BANDS", lambda key: key),
)
