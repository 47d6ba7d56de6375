"""Slopes of what is fitted to values in time, which are none of the ground: "the slope of a line fitted to the monthly
means", "the slope that a straight-line fit yields", "the robust (Sen) slope"."""

from __future__ import annotations

import re

from knowflow.reason.language.patterns import any_of

_SLOPE = r"(?:slope|gradient)s?"
_LINE = r"(?:straight|regression|trend|fitted|linear|least-squares|best-fit)[\s-]+(?:line|fit|regression)s?"
_FIT = rf"(?:{_LINE}|line\s+(?:is\s+)?(?:fitted|fit|drawn|laid)|(?:line|fit)\s+(?:through|to)|least[\s-]squares)"
SEN = (
    r"\b(?:theil\s*(?:[-–]|\band\b)?\s*)?sen\b(?:['’]?s)?\)?(?:['’]s)?[\s-]+(?:\w+\s+)?(?:slope|estimat|method|trend)\w*",
    r"\bsen'?s\s+(?:slope|estimator)",
    r"\btheil\s*(?:[-–]|\band\b)?\s*sen\b",
    r"\b(?:slope|trend)s?\s*(?:\(|(?:after|by|of|according\s+to|following)\s+)sen\b",
)
"""Names of the median of all slopes between two values."""
_OF_A_FIT = any_of(
    rf"\b{_SLOPE}\b[^.;?]*?\b{_FIT}\b",
    rf"\b{_FIT}\b[^.;?]*?\b(?:its|the|what|which|whose)\s+{_SLOPE}\b(?!\s+of\s+the\s+(?:ground|terrain|land|hill))",
    rf"\b{_SLOPE}\s+per\s+(?:month|day|season|week|date|time\s+step|composite|acquisition)\b",
    *SEN,
)


def slope_of_a_fit(text: str) -> re.Match[str] | None:
    """Where a text speaks of the slope of what is fitted to values in time."""
    return _OF_A_FIT.search(text)
