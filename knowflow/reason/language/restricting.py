"""Words after which a question is restricted, by what they say of what stands there.

What leaves out, what lies beside something and what comes of a cause is authored in ``pkb/restrictions``: the same
words restrict by a thing that is known (``qualifiers``) and by one that is not (``restrictions``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.restrictions import restriction_words
from knowflow.reason.language.patterns import any_of, one_of

AREA = (
    "name a class of a map, a limit of a quantity or a layer of polygons, give the area as a file (--aoi FILE), "
    "or ask about the whole"
)
ASIDE = "give the area as a file: --aoi FILE, or ask about the whole"
MEASURED = "ask for what can be measured: a mean, a change, an area"
NO_CAUSE = "asks for a cause; data tell what was, where and when"
BESIDE = "speaks of what lies beside something, which no step cuts out"
LEFT_OUT = "leaves something out that no step cuts away"
NOT_KNOWN = "restricts the question to what is neither in the data nor known"

WHERE = r"\b(?:on|in|at|within|inside|under|across|over)\s+(?:(?:the|these|those|our|my|all|its)\s+)?"
_METRES = r"\d[\d.,]*\s*(?:cm|m|mm|metres?|meters?|centimet(?:re|er)s?|feet|ft)"
DEPTH = any_of(
    rf"\b(?:at|to|in|from)\s+(?:an?\s+)?{_METRES}\s+(?:of\s+)?(?:water\s+|soil\s+)?"
    r"(?:depth|deep|down)\b",
    rf"(?<![\w.,]){_METRES}\s+(?:below|under|beneath)\s+(?:the\s+)?(?:water\s+|sea\s+)?(?:surface|ground|water)\b",
    rf"\bat\s+(?:an?\s+)?depths?\s+of\s+{_METRES}",
    rf"\b(?:top|upper|uppermost)\s+{_METRES}(?!\w)",
)
DECIDED = any_of(r"\b(?P<how>zoned|earmarked|designated|reserved|licen[cs]ed|permitted|approved)\s+(?:for|as)\b")
# what was there before an event is left out of what the event left, whatever it was
ALREADY = regex(r"[^.?!;]*\b(?:already|beforehand)\b", re.IGNORECASE)
# "the parish called north"
BY_NAME = regex(
    r"\b(?P<kind>[a-z]+)\s+(?:(?:that|which)\s+is\s+)?(?:called|named|by\s+the\s+name\s+of)\s+\"?(?P<name>[\w-]+)",
    re.IGNORECASE,
)
FOR_A_THING = regex(r"\s+for\s+(?:the|this|these|those)\s+(?P<thing>\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Restriction:
    """Words that restrict, those of them that the lexicon does not know, and why that matters.

    ``place``: an area given as a file may stand for it.
    """

    words: str
    unknown: tuple[str, ...]
    why: str
    hint: str
    place: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """Words after which something restricts.

    ``whole``: every unknown word of the phrase counts, and so does the whole extent; else the first ones do. After a
    ``cause`` an occasion counts as well; of a ``kind`` ("was Saharan dust") the name of a region counts.
    """

    pattern: re.Pattern[str]
    why: str
    hint: str
    whole: bool = False
    place: bool = False
    cause: bool = False
    kind: bool = False


def _opening(pattern: str, why: str, hint: str, **counts: bool) -> Opening:
    return Opening(regex(rf"\b(?:{pattern})(?=\s)", re.IGNORECASE), why, hint, **counts)


PLACE = _opening(
    r"(?<!based )on|in|at|inside|within|over|across|throughout|under|underneath|beneath|among|amid|"
    r"only(?:\s+(?:care\s+(?:about|for)|(?:interested|concerned)\s+(?:in|with|about)))?",
    NOT_KNOWN,
    AREA,
    place=True,
)


def leaves_out() -> str:
    """What stands before what is to be left out, as one pattern without groups."""
    return one_of(restriction_words().leaves_out)


def beside() -> str:
    """What stands before the thing that something lies beside, as one pattern without groups."""
    return one_of(restriction_words().beside)


def causes() -> str:
    """What stands before a cause, as one pattern without groups."""
    return one_of(restriction_words().causes)


@kept()
def left_out() -> re.Pattern[str]:
    """What stands behind what is to be left out, with the blanks before it."""
    is_so = r"(?P<is>(?:is|are|was|were|being|(?:has|have|had)\s+been)\s+)?(?:to\s+be\s+)?"
    return regex(rf"\s+{is_so}(?P<how>{one_of(restriction_words().left_out)})\b", re.IGNORECASE)


@kept()
def openings() -> tuple[Opening, ...]:
    """All of them; the first that fits some words says why they matter."""
    return (
        _opening(
            leaves_out(),
            "leaves out what is neither in the data nor known",
            "ask about the whole; clouds are left out wherever there are masks of them",
            whole=True,
        ),
        _opening(
            # "is that from overgrazing", "was it the storm that felled them"
            rf"{causes()}|(?:is|are|was|were)\s+(?:it|that|this|these|those)\s+(?:all\s+|mainly\s+|mostly\s+)?(?:from|through|by)|"
            r"(?:comes?|came|stem(?:s|med)?|result(?:s|ed)?)\s+from|"
            r"(?:is|was|were)\s+it(?=\s+(?:an?|the)\s[^?.;]*\b(?:that|or)\b)",
            NO_CAUSE,
            MEASURED,
            whole=True,
            cause=True,
        ),
        _opening(beside(), BESIDE, ASIDE, whole=True, place=True),
        _opening(
            r"belong(?:s|ed|ing)?\s+to|(?:owned|managed|held|farmed|operated|administered|governed)\s+by",
            "speaks of owners or users, of whom the data tell nothing",
            "ask about the whole, or give the area as a file: --aoi FILE",
            whole=True,
        ),
        _opening(
            r"(?:eaten|cut|felled|damaged|destroyed|grazed|attacked|infested|lost|polluted|flooded|burn(?:ed|t)|hit|affected|cleared)"
            r"\s+by",
            NO_CAUSE,
            MEASURED,
        ),
        _opening(
            r"(?:how\s+(?:much|many)|share|fraction|part|portion|percentage|percent|proportion)\s(?:[^?.,;:]|[.,]\d)*?\s"
            r"(?:is|are|was|were)",
            "asks for what is neither in the data nor known",
            AREA,
            kind=True,
        ),
        _opening(
            r"(?:did|does|do|has|have)\s+(?:the|an?)",
            "tells who or what did it, which the data do not tell",
            MEASURED,
        ),
        _opening(
            r"how\s+\w+\s+(?:is|are|was|were)|(?:that|which|who)\s+(?:is|are|was|were|(?:has|have|had)\s+been)",
            NOT_KNOWN,
            AREA,
            place=True,
        ),
        _opening(
            r"(?:planted|sown|cultivated|overgrown|stocked|grown|cropped|used|registered)\s+(?:with|as|for)",
            "speaks of a kind that is neither in the data nor known",
            AREA,
            place=True,
        ),
        PLACE,
        _opening(
            r"(?<!number )(?<!count )(?<!date )(?<!kind )(?<!map )(?<!picture )of",
            NOT_KNOWN,
            AREA,
            place=True,
        ),
    )  # fmt: skip
