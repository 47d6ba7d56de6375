"""Slopes of what is fitted to values in time, which are none of the ground: "the slope of a line fitted to the monthly
means", "the slope that a straight-line fit yields", "the robust (Sen) slope"."""

from __future__ import annotations

SEN = (
    r"\b(?:theil\s*(?:[-–]|\band\b)?\s*)?sen\b(?:['’]?s)?\)?(?:['’]s)?[\s-]+(?:\w+\s+)?(?:slope|estimat|method|trend)\w*",
    r"\bsen'?s\s+(?:slope|estimator)",
    r"\btheil\s*(?:[-–]|\band\b)?\s*sen\b",
    r"\b(?:slope|trend)s?\s*(?:\(|(?:after|by|of|according\s+to|following)\s+)sen\b",
)
"""Names of the median of all slopes between two values."""
