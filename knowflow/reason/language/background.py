"""Sentences that ask nothing: why somebody asks, what is there, what happened before the question comes.

"Our town eats up the fields. How many hectares are built up?" is about built-up land, and no question about fields. The
reading takes from such sentences only what the sentences that ask leave open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knowflow.ground.regex import regex
from knowflow.knowledge.phrases import Lexicon, Meaning, Mention
from knowflow.knowledge.restrictions import restriction_words
from knowflow.knowledge.words import Token
from knowflow.reason.language.asides import REFERS, asides
from knowflow.reason.language.clauses import Span, reports, sentences, within
from knowflow.reason.language.statements import WANTS, stated

# who tells something opens with whom or what it is about; who asks opens with what is to be done or told
_TELLS = regex(
    r"^\W*(?:(?:and|but|so|well|hi|hello|yes|ok)\W+)*(?:i|we|you|they|he|she|it|there|people|my|our|their|this|these|those)\b|"
    r"^\W*(?:i|we|they|it|there)'(?:m|ve|re|d|s|ll)\b|"
    r"^\W*the\s+(?:\w+\s+)?(?:folder|directory|archive|dataset|data|files?|package)\s+(?:holds?|has|have|contains?|includes?)\b",
    re.IGNORECASE,
)
_STATES = regex(r"\w\s+(?:is|are|was|were|has|have|had|came|went|happened|began|broke)\b", re.IGNORECASE)
# "The town has spread.", "In the radar picture, smooth water looks dark.": what becomes of a thing, or how it looks
_OF_A_THING = regex(
    r"^\W*(?:(?:in|on|at|during|after|over)\s+(?:the|this|our|my|an?)\s+[^,.?]{1,40},\s*)?(?:(?:the|an?|every|some|many|most)\s+)?"
    r"(?:[\w'-]+\s+){1,3}?(?:(?:is|are|was|were)\s+(?:\w+ly\s+)?\w+ing\b|(?:has|have|had|looks?|appears?|seems?)\s+\w+)"
    r"(?:\s+\w+){0,3}[.!]?\s*$",
    re.IGNORECASE,
)
_IT = regex(
    r"(?<!\bcheck )(?<!\bverify )(?<!\btest )\bit\b(?!\s+true\b)", re.IGNORECASE
)  # the place that was spoken of, unless a limit says what is meant
# "bare ground counts as", "count what is above 0.3 as green."
_COUNTS_AS = regex(
    r"count(?:s|ed)? as\b|"
    r"count(?:ing)?\s+(?:[^.?!;]|\.(?=\d))+\sas\s+(?!(?:a|an|the|one)\s)(?:[\w-]+\s*){1,3}(?:[.;!]\s|,\s*(?:and|then)\b)",
    re.IGNORECASE,
)

_OWNED = regex(r"(?<!\bbehalf )\bof\s+(?:(?:the|our|my|all|these|those)\s+)*$", re.IGNORECASE)
_DROPPED = regex(
    r"\b(?:(?:throw|throws|threw|cut|cuts|leave|leaves|leaving|left|take)\w*\s+(?:out|away|off)|(?:drop|remov|discard|mask|skip|"
    r"ignor|exclud|filter|reject|disregard|omit|hid)\w*(?:\s+out)?|without)\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)


def background(
    text: str, mentions: Sequence[Mention], pieces: Sequence[Token], fixed: Sequence[int]
) -> tuple[Span, ...]:
    """The sentences that ask nothing, where another one asks and does not speak of them; and such clauses of others.

    ``fixed`` are the places of limits: a sentence that says what counts as what belongs to the question.
    """
    return (*_untouched(text, mentions, pieces, fixed), *asides(text))


def _untouched(
    text: str, mentions: Sequence[Mention], pieces: Sequence[Token], fixed: Sequence[int]
) -> tuple[Span, ...]:
    """The sentences that ask nothing, and that what is asked does not speak of."""
    told = telling(text, mentions, pieces, fixed)
    spoken = [text[first:past] for first, past in sentences(text) if (first, past) not in told]
    if any(REFERS.search(words) for words in spoken):
        return ()
    of_place = any(names_place(m) and within(pieces[m.first].start, told) for m in mentions)
    return () if of_place and not fixed and any(_IT.search(words) for words in spoken) else told


def telling(text: str, mentions: Sequence[Mention], pieces: Sequence[Token], fixed: Sequence[int]) -> tuple[Span, ...]:
    """The sentences that ask nothing, where another one asks, whether or not that one speaks of them."""
    asked = tuple(pieces[mention.first].start for mention in mentions if mention.of("operation") or _counts(mention))
    every = sentences(text)
    states = stated(text)
    silent = [span for span in every if span in states or _only_tells(text, span, asked)]
    told = tuple(span for span in silent if not _any(fixed, span))
    return told if any(_asks(text, span, asked) for span in every if span not in told) else ()


def _only_tells(text: str, span: Span, asked: Sequence[int]) -> bool:
    words = text[span[0] : span[1]]
    if "?" in words or WANTS.search(words):
        return False
    if _TELLS.search(words) or reports(words) or _OF_A_THING.search(words):
        return True
    return bool(_STATES.search(words)) and not _any(asked, span)


def _asks(text: str, span: Span, asked: Sequence[int]) -> bool:
    return "?" in text[span[0] : span[1]] or _any(asked, span)


def _any(places: Sequence[int], span: Span) -> bool:
    return any(within(place, (span,)) for place in places)


def in_question(
    mentions: Sequence[Mention], pieces: Sequence[Token], told: Sequence[Span], known: Lexicon, limited: bool
) -> tuple[Mention, ...]:
    """The mentions as the question means them: those of background sentences without what the others say themselves.

    Names of quantities stay: they may be those of the data. ``limited``: a limit says what the question is about.
    """

    def outside(mention: Mention) -> bool:
        return not within(pieces[mention.first].start, told)

    asking = [mention for mention in mentions if outside(mention)]
    about = limited or any(_is_topic(meaning) or _names(meaning) for mention in asking for meaning in mention.meanings)
    asks = any(mention.of("operation") for mention in asking)

    def open_still(meaning: Meaning) -> bool:
        if meaning.category == "operation":
            return not asks
        if meaning.entry.slot == "algorithm":
            return not asks or str(meaning.entry.value) in known.retrieved
        return not (about and _is_topic(meaning))

    kept = []
    for mention in mentions:
        meanings = mention.meanings if outside(mention) else tuple(filter(open_still, mention.meanings))
        if meanings:
            kept.append(replace(mention, meanings=meanings))
    return tuple(kept)


def names_body(text: str, mention: Mention, pieces: Sequence[Token]) -> bool:
    """Whether a thing only names who acts: "the forest office", "crop insurer here"; what is "of the forest owners" is
    where they are."""
    if _OWNED.search(text[: pieces[mention.first].start]):
        return False
    after = pieces[mention.past] if mention.past < len(pieces) else None
    joined = after is not None and after.start == pieces[mention.past - 1].end + 1
    return joined and after is not None and names_place(mention) and after.stem in restriction_words().bodies


def counts_as(text: str, place: int) -> bool:
    """Whether "counts as" begins at a place, which says what something is and counts nothing."""
    return _COUNTS_AS.match(text, place) is not None


def only_dropped(text: str, mention: Mention, place: int) -> bool:
    """Whether the pixels that a mention speaks of are left out, and not counted: "throw out the cloudy pixels of"."""
    return _counts(mention) and _DROPPED.search(text[:place]) is not None


def names_place(mention: Mention) -> bool:
    """Whether a phrase may restrict a question to a class of ground."""
    return any(meaning.entry.slot == "class" or meaning.entry.class_ for meaning in mention.meanings)


def _counts(mention: Mention) -> bool:
    return any(meaning.entry.slot == "count_of" for meaning in mention.meanings)


def _is_topic(meaning: Meaning) -> bool:
    """A thing on the ground, or a word that implies a quantity."""
    hinted = meaning.category == "quantity" and meaning.manner == "usual"
    return hinted or meaning.category == "feature" or meaning.entry.slot == "class"


def _names(meaning: Meaning) -> bool:
    return meaning.category == "quantity" and meaning.manner != "usual"
