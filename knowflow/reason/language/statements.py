"""Sentences that state how things are, beside others that ask: "Snow scatters microwaves. Over which share ...?"

What tells them is what they lack: a question mark, a word that asks for something, and a number or a definition.
"""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stem
from knowflow.reason.language.clauses import Span, sentences

# what asks or tells to do something, in whatever words it opens with
WANTS = regex(
    r"\b(?:want|wants|need|needs|(?:'d|would) like|like to|likes to|love to|require|please|tell|show|give|wonder|"
    r"wondering|curious|interested|looking for|asks?|asked|asking|must|should|shall|let|question|consider|only|just|"
    r"exclusively|focus\w*|concentrat\w*|restrict\w*|limit(?:ed|s)?|concern\w*|matters?)\b",
    re.IGNORECASE,
)
# verbs that tell to do something, as they stand in an order
_ORDERS = regex(
    r"\b(?:analy[sz]e|assess|apply|calculate|characteri[sz]e|classify|compare|compute|count|decide|derive|describe|detect|"
    r"determine|divide|establish|estimate|evaluate|examine|express|extract|find|fit|generate|get|give|identify|indicate|"
    r"list|locate|make|map|mark|measure|name|obtain|output|perform|plot|present|produce|provide|quantify|rank|report|"
    r"retrieve|return|say|show|specify|state|subtract|sum|summari[sz]e|take|tell|test|use|verify|work out|"
    r"answer|task|aim|goal|"
    r"what|which|how|when|where|whether|by how)\b",
    re.IGNORECASE,
)
# "Judge the changes by ...": a verb that a sentence begins with, and what it is to be done with
_ORDER_FIRST = regex(
    r"\W*(?:(?:then|next|now|first|finally|also|and)\s+)*(?!(?:although|despite|beneath|beyond|unlike|even)\b)(?P<verb>[a-z]+)\s+"
    r"(?:the|an?|all|each|every|both|these|those|this|that|its|their|our|my|how|whether|what|which)\b",
    re.IGNORECASE,
)
# what limits, dates or defines something belongs to the question
_SETS = regex(
    r"[\d=<>≥≤÷/]|\b(?:defin\w+|denot\w+|call|called|means|mean|counts? as|regarded|considered)\b", re.IGNORECASE
)
_FEWEST = 5  # words: what is shorter is a heading or a remark that something hangs on


@kept(32)
def stated(text: str) -> tuple[Span, ...]:
    """The sentences that only state something; none where no other sentence asks or orders."""
    every = sentences(text)
    found = tuple(span for span in every if _only_states(text[span[0] : span[1]]))
    others = (text[first:past] for first, past in every if (first, past) not in found)
    return found if any("?" in one or _orders(one) for one in others) else ()


def without_stated(text: str) -> str:
    """The text without what is only stated; of the same length, so that places stay."""
    for first, past in stated(text):
        text = text[:first] + " " * (past - first) + text[past:]
    return text


def _only_states(sentence: str) -> bool:
    if "?" in sentence or _orders(sentence) or any(told.search(sentence) for told in (WANTS, _SETS)):
        return False
    return len(sentence.split()) >= _FEWEST


def _orders(sentence: str) -> bool:
    first = _ORDER_FIRST.match(sentence)
    return _ORDERS.search(sentence) is not None or (first is not None and stem(first["verb"]) not in lexicon().function)
