"""Clauses within a sentence that asks which ask nothing themselves: who says what counts as what, and why it is asked.

"The water board calls a date dry if ..." is about no water; "We want to plant trees, so list ..." is about no trees.
"""

from __future__ import annotations

import re

from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stem
from knowflow.reason.language.clauses import Span, sentences
from knowflow.reason.language.statements import WANTS

# "their mean NDVI", "how warm is it there": the question is about what was told before it
REFERS = regex(r"\b(?:there|their|theirs|them|they|its|those|these|of it|in it|on it|such)\b", re.IGNORECASE)
_IF = r"(?:if|when|whenever|where|once|as\s+soon\s+as|in\s+case|provided|only\s+if)"
_NOUN = r"(?:(?:an?|any|the|every|each)\s+)?(?P<noun>[a-z]+)"
# "our insurer calls a day wet if ...": who calls it so, and what it is called
_CALLED = regex(
    r"^\W*(?P<who>(?:the|an?|our|my|their|this|that)\s+(?:[\w'-]+\s+){1,4}?|(?:we|i|they|people|experts|farmers)\s+)"
    rf"(?:calls?|call|considers?|deems?|regards?|counts?|terms?|speaks?\s+of|takes?)\s+{_NOUN}\s+(?:as\s+)?(?:an?\s+)?"
    rf"(?P<kind>[a-z-]+(?:\s+[a-z-]+)?),?\s+{_IF}\b",
    re.IGNORECASE,
)
# "a day is serious for us when ..."
_IS_SO = regex(
    rf"^\W*{_NOUN}\s+(?:is|are|counts?\s+as|is\s+called|is\s+considered|is\s+said\s+to\s+be|qualifies\s+as)\s+(?:an?\s+)?"
    rf"(?P<kind>[a-z-]+)(?:\s+(?:for|to|by|with)\s+\w+)?,?\s+{_IF}\b",
    re.IGNORECASE,
)
# "everything under -17 dB is taken as water": what a limit stands for, behind it
_TAKEN_AS = regex(
    r"\b(?:everything|anything|all|what(?:ever)?|wherever|pixels?|places?|areas?|ground|land|values?)\b[^?!;:]*\d[^?!;:,]*?,?\s+"
    r"(?:is|are|gets?|we)\s+(?:(?:to\s+be|being)\s+)?"
    r"(?:taken|take|regarded|treated?|seen|classed|classified|counted|considered|deemed|called|call|labelled|marked)\s+"
    r"(?:(?:as|for|to\s+be)\s+)?(?P<kind>[a-z-]+(?:\s+[a-z-]+)?)\s*(?=[.,;]|$)",
    re.IGNORECASE,
)
# "Bare or nearly bare: NDVI under 0.2. How many ha is that?"
_HEADED = regex(r"^\W*(?P<kind>[a-z][^.:;?!\d]{2,60}):\s+[^?!:;]*\d[^?!:;]*$", re.IGNORECASE)
_SPEAKS_OF_IT = regex(r"\b(?:that|this|it|those|these|such|so)\b", re.IGNORECASE)
_KNOWING = (
    r"know|learn|see|find|get|have|compare|compute|calculate|determine|measure|estimate|map|count|rank|list|check|"
    r"understand|assess|quantify|express|use|look|tell|show|report|work|extract|derive|produce|create|make"
)
_MOTIVE = regex(
    r"^\W*(?:we|i|they|you|he|she|people|the\s+\w+|our\s+\w+)\s+(?:(?:want|wish|plan|intend|hope|need|have|aim|mean)s?\s+to|"
    rf"(?:would|'d)\s+like\s+to|(?:am|are|is)\s+(?:going|planning|about)\s+to|will|must)\s+(?!(?:{_KNOWING})\b)[a-z]+\b"
    r"[^.?!;]*?(?:[,;]|\s-)\s*(?:and\s+)?(?:so|therefore|hence|thus|for\s+(?:that|this))\b(?!\s+that\b)",
    re.IGNORECASE,
)

# "To show the council how much hotter ..., I need": what somebody else is to be told with the answer
_MESSAGE = regex(
    r"^\W*to\s+(?:show|tell|convince|persuade|remind|warn|inform|assure|explain\s+to|prove\s+to|demonstrate\s+to)\s+"
    r"(?:(?:the|our|my|an?|their|this|these|those|his|her)\s+(?:(?!how\b|that\b|why\b|where\b|what\b)[\w'-]+\s+){0,2}?"
    r"(?P<head>[a-z'-]+)|people|them|him|her|everybody|everyone)\s+(?:how|that|why|where|what|about)\b[^.?!;]*?,\s*"
    r"(?=(?:I|we|please|give|tell|show|compute|calculate|list|what|which|how|the)\b)",
    re.IGNORECASE,
)
# "The fee hangs on sealing: I need ...": what depends on the answer
_DEPENDS = regex(
    r"^\W*(?:the|our|my|their|this|an?)\s+(?:[\w'-]+\s+){1,5}?(?:(?:depends?|hangs?|hinges?|rests?|turns?)\s+(?:up)?on|"
    r"(?:is|are)\s+(?:based|levied|charged|paid|set|fixed|decided|granted)\s+(?:up)?(?:on|by|per|according\s+to))\s+"
    r"[^.?!:;\d<>]*(?::|;|\s-)\s+(?=(?:so\s+)?(?:I|we|they|please|give|tell|what|which|how)\b)",
    re.IGNORECASE,
)
# "Our brigade goes on alert once the FRP is above 25 MW.": what a rule is for, before the limit that it sets
_RULE = regex(
    rf"^\W*(?P<who>(?:(?:the|an?|our|my|their|this|that|each|every|any)\s+[^.,:;?!\d]{{3,80}}?|(?:we|they|people)\s+[^.,:;?!\d]{{3,80}}?)),?"
    rf"\s+(?:once|{_IF})\s+[^?!;]*\d",
    re.IGNORECASE,
)

# "For the storm water fee we need ...": what it is for, where nobody knows that thing as a place or a class
_FOR = regex(
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
        told = motive or _MESSAGE.match(text[first:past]) or _DEPENDS.match(text[first:past])
        if told is not None and _to_somebody(told) and not REFERS.search(text, first + told.end()):
            found.append((first, first + told.end()))
        rule = _RULE.match(text[first:past])
        if rule is not None and text[past:].strip() and _asks_nothing(rule["who"]):
            found.append((first, first + rule.end("who")))
    return tuple(found)


def _is_unknown(word: str) -> bool:
    return not word.endswith("s") and _is_no_term(word)


def _is_no_term(word: str) -> bool:
    known = lexicon()
    return not known.scan(word) and stem(word) not in {*known.common, *known.function, *known.places}


def _to_somebody(told: re.Match[str]) -> bool:
    """Whether a message is for a person, whom no term means: "to show the council", and not "to show the trend"."""
    head = told.groupdict().get("head")
    return head is None or _is_no_term(head.lower())


def _asks_nothing(words: str) -> bool:
    """Whether a clause names nothing that could be asked for, and no place of it."""
    return WANTS.search(words) is None and not any(
        meaning.category in ("operation", "quantity", "feature", "setting")
        for mention in lexicon().scan(words)
        for meaning in mention.meanings
    )


def defined(text: str) -> tuple[Span, ...]:
    """Every place of a word whose meaning a sentence gives by a condition: "a day is serious when ...", "serious"."""
    spans: list[Span] = []
    for first, past in sentences(text):
        headed = _HEADED.match(text[first:past])
        if headed is not None and _SPEAKS_OF_IT.search(text, past):
            spans.append((first, first + headed.end("kind")))
        told = _CALLED.match(text[first:past]) or _IS_SO.match(text[first:past]) or _TAKEN_AS.search(text[first:past])
        if told is not None:
            kind = re.compile(rf"\b{re.escape(told['kind'])}\b", re.IGNORECASE)
            spans += [match.span() for match in kind.finditer(text)]
    return tuple(spans)
