"""Words after which a question is restricted, by what they say of what stands there.

What leaves out, what lies beside something and what comes of a cause is authored in ``pkb/restrictions``: the same
words restrict by a thing that is known (``qualifiers``) and by one that is not (``restrictions``).
"""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.restrictions import restriction_words
from knowflow.reason.language.patterns import one_of

AREA = (
    "name a class of a map, a limit of a quantity or a layer of polygons, give the area as a file (--aoi FILE), "
    "or ask about the whole"
)
ASIDE = "give the area as a file: --aoi FILE, or ask about the whole"
MEASURED = "ask for what can be measured: a mean, a change, an area"
BESIDE = "speaks of what lies beside something, which no step cuts out"
LEFT_OUT = "leaves something out that no step cuts away"


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
