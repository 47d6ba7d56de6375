"""Colours that are said of bands: "the mean of the green band" is about no vegetation."""

from __future__ import annotations

import re

from knowflow.ground.indices import BAND_SYMBOLS
from knowflow.ground.regex import regex

COLOURS = frozenset({"blue", "green", "yellow", "red"})
_BAND = (
    r"(?:near[\s-]?infra-?red|short-?\s?wave[\s-]infra-?red(?:[\s-]?[12])?|red[\s-]?edge(?:[\s-]?[123])?|swir(?:[\s-]?[12]|16|22)?|"
    r"nir(?:08|09)?|lwir(?:11|12)?|coastal|blue|green1?|yellow|red|vv|vh|hh|hv|band\s?\d{1,2}|b\d{1,2}a?|"
    rf"(?-i:{'|'.join(sorted(BAND_SYMBOLS, key=len, reverse=True))}))(?![\w.])(?:\s+(?:band|reflectance)\b)?"
)
# "the green band", "of the green and NIR bands", "blue TOA reflectance": no vegetation, and no lake that is blue
_OTHERS = rf"(?:(?:\s*[,/&+-]\s*|\s+(?:and|or|to|by|minus|plus)\s+)(?:the\s+)?{_BAND})*"
_OF_BANDS = (
    r"(?:(?:surface|toa|boa|(?:top|bottom)[\s-]of[\s-](?:the[\s-])?atmosphere|spectral|mean|average|median|maximum|minimum)\s+)*"
    r"(?:wave)?(?:bands?|channels?|reflectances?|radiances?|wavelengths?|light|spectrum|(?:part|range|region)\s+of\s+the\s+spectrum)\b"
)
# "reflectance in the blue on 1 June", "reflectance, red": nothing is called so after the colour
_IN_COLOUR = r"\b(?:bands?|channels?|reflectances?|radiances?)(?:\s*[,:(]\s*|\s+(?:in|at|of|for)\s+|\s+)(?:the\s+)?"
_NOTHING_CALLED_SO = (
    r"(?=\s*(?:[.,;:?!()]|$)|\s+(?:on|in|at|for|over|of|from|between|during|by|per|is|was|were|are|has|had|within|inside|"
    r"across|to|before|after|with|than|as|and|or|each|every|please|\d)(?!\w))"
)
_COLOUR = rf"(?:{'|'.join(sorted(COLOURS))})\b(?![\s-]edge)"
_COLOUR_OF_BAND = regex(
    rf"\b{_COLOUR}(?={_OTHERS}\s+{_OF_BANDS})|"
    rf"{_IN_COLOUR}(?P<after>{_BAND}{_OTHERS}){_NOTHING_CALLED_SO}",
    re.IGNORECASE,
)
_ONE_COLOUR = regex(rf"\b{_COLOUR}", re.IGNORECASE)


def colours_of_bands(text: str) -> tuple[tuple[int, int], ...]:
    """Where colours are said of bands: "the mean of the green band" is about no vegetation."""
    found = (match.span("after") if match["after"] else match.span() for match in _COLOUR_OF_BAND.finditer(text))
    return tuple(colour.span() for first, past in found for colour in _ONE_COLOUR.finditer(text, first, past))
