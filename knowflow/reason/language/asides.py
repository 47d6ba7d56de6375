"""Clauses within a sentence that asks which ask nothing themselves: who says what counts as what, and why it is asked.

"The water board calls a date dry if ..." is about no water; "We want to plant trees, so list ..." is about no trees.
"""

from __future__ import annotations

import re

from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stem
from knowflow.reason.language.clauses import Span, sentences

_IF = r"(?:if|when|whenever|where|once|as\s+soon\s+as|in\s+case|provided|only\s+if)"
_NOUN = r"(?:(?:an?|any|the|every|each)\s+)?(?P<noun>[a-z]+)"
# "our insurer calls a day wet if ...": who calls it so, and what it is called
_CALLED = re.compile(
    r"^\W*(?P<who>(?:the|an?|our|my|their|this|that)\s+(?:[\w'-]+\s+){1,4}?|(?:we|i|they|people|experts|farmers)\s+)"
    rf"(?:calls?|call|considers?|deems?|regards?|counts?|terms?|speaks?\s+of|takes?)\s+{_NOUN}\s+(?:as\s+)?(?:an?\s+)?"
    rf"(?P<kind>[a-z-]+(?:\s+[a-z-]+)?),?\s+{_IF}\b",
    re.IGNORECASE,
)
# "a day is serious for us when ..."
_IS_SO = re.compile(
    rf"^\W*{_NOUN}\s+(?:is|are|counts?\s+as|is\s+called|is\s+considered|is\s+said\s+to\s+be|qualifies\s+as)\s+(?:an?\s+)?"
    rf"(?P<kind>[a-z-]+)(?:\s+(?:for|to|by|with)\s+\w+)?,?\s+{_IF}\b",
    re.IGNORECASE,
)
_KNOWING = (
    r"know|learn|see|find|get|have|compare|compute|calculate|determine|measure|estimate|map|count|rank|list|check|"
    r"understand|assess|quantify|express|use|look|tell|show|report|work|extract|derive|produce|create|make"
)
_MOTIVE = re.compile(
    r"^\W*(?:we|i|they|you|he|she|people|the\s+\w+|our\s+\w+)\s+(?:(?:want|wish|plan|intend|hope|need|have|aim|mean)s?\s+to|"
    rf"(?:would|'d)\s+like\s+to|(?:am|are|is)\s+(?:going|planning|about)\s+to|will|must)\s+(?!(?:{_KNOWING})\b)[a-z]+\b"
    r"[^.?!;]*?(?:[,;]|\s-)\s*(?:and\s+)?(?:so|therefore|hence|thus|for\s+(?:that|this))\b(?!\s+that\b)",
    re.IGNORECASE,
)

# "For the storm water fee we need ...": what it is for, where nobody knows that thing as a place or a class
_FOR = re.compile(
    r"^\W*(?:for|as\s+(?:an?\s+)?(?:input|basis)\s+(?:of|for|to))\s+(?:the|an?|our|my|their|this)\s+(?:[\w'-]+\s+){0,4}?"
    r"(?P<head>[a-z'-]+),?\s+(?:we|i|they|you|one)\s+(?:need|want|require|must|would|have)",
    re.IGNORECASE,
)


def asides(text: str) -> tuple[Span, ...]:
    """Where a sentence tells who calls something so, or what somebody means to do with the answer."""
    found: list[Span] = []
    for first, past in sentences(text):
        purpose = _FOR.match(text[first:past])
        if purpose is not None and _is_unknown(purpose["head"]):
            found.append((first, first + purpose.end("head")))
        called, motive = _CALLED.match(text[first:past]), _MOTIVE.match(text[first:past])
        if called is not None:
            found.append((first, first + called.end("who")))
        if motive is not None:
            found.append((first, first + motive.end()))
    return tuple(found)


def _is_unknown(word: str) -> bool:
    known = lexicon()
    named = {*known.common, *known.function, *known.places}
    return not known.scan(word) and stem(word) not in named and not word.endswith("s")


def defined(text: str) -> tuple[Span, ...]:
    """Every place of a word whose meaning a sentence gives by a condition: "a day is serious when ...", "serious"."""
    spans: list[Span] = []
    for first, past in sentences(text):
        told = _CALLED.match(text[first:past]) or _IS_SO.match(text[first:past])
        if told is not None:
            kind = re.compile(rf"\b{re.escape(told['kind'])}\b", re.IGNORECASE)
            spans += [match.span() for match in kind.finditer(text)]
    return tuple(spans)
