"""Images that a question tells by when they were taken: "in this pre-disaster image", "the picture after the fire".

The hazard is then part of the name of the image, and says nothing of what is asked of the things on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowflow.reason.language.image_number_words import REMAINS
from knowflow.reason.language.image_words import GONE, HARM, HAZARD, RECOVERY
from knowflow.reason.language.patterns import any_of

_IMAGE = r"(?:images?|pictures?|photo(?:graph)?s?|scenes?|shots?|snapshots?|imagery|frames?|tiles?)"
_EVENT = rf"(?:{HAZARD}s?|event|catastrophe|incident|impact)"
_TAKEN = r"(?:\s+(?:that\s+)?(?:was\s+|were\s+|is\s+)?(?:taken|captured|acquired|shot|recorded|made|dated))?"
_OF_EVENT = rf"\s+(?:the\s+|an?\s+)?(?:\w+\s+){{0,2}}?{_EVENT}\b"
_IS_IT = r"(?!\s+(?:and|or|to|with)\s+(?:(?:the|its|that)\s+)*(?:before|after|pre|post|later|earlier)|\s*/)"
_SIDES = (
    ("before", rf"\bpre(?:[-\s]?{_EVENT})?", r"(?:before|prior\s+to)"),
    ("after", rf"\bpost(?:[-\s]?{_EVENT})?", r"(?:after|following)"),
)
_TOLD = tuple(
    (
        moment,
        any_of(
            rf"{prefix}[-\s]+(?:\w+\s+)?{_IMAGE}\b{_IS_IT}",
            rf"\b{_IMAGE}{_TAKEN}\s+{word}{_OF_EVENT}{_IS_IT}",
        ),
    )
    for moment, prefix, word in _SIDES
)
# what is asked of both times of a place
_OF_BOTH = (
    any_of(r"\b(?:before|prior|pre|first|earlier|former\w*|original\w*|initial\w*|previous\w*)\b"),
    any_of(r"\b(?:after|following|post|second|later|subsequent\w*)\b"),
    *(HARM, GONE, RECOVERY, REMAINS),
)


@dataclass(frozen=True, slots=True)
class Moment:
    """The only time that a question tells its images by, its words, and the question with the plain "image" there."""

    name: str
    said: str
    text: str


def moment_told(text: str) -> Moment | None:
    """The moment of the only images that are asked about; None where none is told, and where something is asked of
    both: what was lost, what remains."""
    for moment, pattern in _TOLD:
        rest = pattern.sub("image", text)
        if (found := pattern.search(text)) and not any(both.search(rest) for both in _OF_BOTH):
            return Moment(moment, found.group(), rest)
    return None
