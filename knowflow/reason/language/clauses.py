"""Where sentences end, and where another question begins in one."""

from __future__ import annotations

import re
from collections.abc import Iterable

Span = tuple[int, int]

# a point inside of a number or of a short form ends nothing: "0.5 m", "i.e. water", "May vs. June"
_SHORT_FORM = r"(?<!\bi\.e)(?<!\be\.g)(?<!\bcf)(?<!\bca)(?<!\bvs)(?<!\bapprox)"
_POINT = rf"{_SHORT_FORM}\.(?=\s|$)"
_END = re.compile(rf"(?:{_POINT}|!(?=\s|$))+|\.{{2,}}(?=\s|$)|\?+|\n+")
_END_OF_PART = re.compile(rf"{_END.pattern}|;")
# another question in the same sentence: "the mean of 2016, and how much did it grow", "a map, and give the mean"
_ANOTHER = re.compile(
    r"[.?!;]\s|,?\s(?:and|plus|then|as well as)\s+(?:(?:also|then)\s+)?(?:by\s+)?"
    r"(?:how|what|which|when|where|whether|did|does|has|have|is|was|give|tell|show|make|draw|plot|compute|calculate|the|its)\b",
    re.IGNORECASE,
)


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text, first to past the last character, with the mark that ends them."""
    return _pieces(text, _END)


def parts(text: str) -> tuple[Span, ...]:
    """The sentences of a text, and of these the parts that a semicolon sets apart."""
    return _pieces(text, _END_OF_PART)


def within(place: int, spans: Iterable[Span]) -> bool:
    """Whether a place lies in one of several spans."""
    return any(first <= place < past for first, past in spans)


def _pieces(text: str, end: re.Pattern[str]) -> tuple[Span, ...]:
    past = [match.end() for match in end.finditer(text)]
    spans = zip([0, *past], [*past, len(text)], strict=True)
    return tuple((first, past) for first, past in spans if text[first:past].strip(" .!?;\n"))


def another_question(text: str, past: int, start: int) -> bool:
    """Whether what starts at one place is asked beside what ends at another, in a sentence or a clause of its own."""
    return _ANOTHER.search(text, past, start + 4) is not None
