"""Times that an answer is to leave out: "excluding July 2017", "in 2017 except December", "with June left out".

A plan takes the dates of one time. That of the time left out would be the answer to the opposite question, and that of
the whole heeds nothing: such a question is asked back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.ground.kept import kept
from knowflow.model.goal import Ambiguity
from knowflow.reason.language.clauses import Span as Characters
from knowflow.reason.language.clauses import within
from knowflow.reason.language.dates import Span
from knowflow.reason.language.restricting import LEFT_OUT, leaves_out, left_out

_HINT = "say from when to when, such as 'from January to May 2017', or ask about the whole time"
# what may stand between the word that leaves out and the time: "without the scenes of", "except for those between"
_OF_TIME = (
    r"(?:(?:the|all|any|every|each|those|these|our|of|in|for|from|on|during|between|month|year|season|period|"
    r"(?:data|values?|scenes?|images?|dates?|days?|acquisitions?|observations?|months|years|seasons)"
    r"(?:\s+(?:taken|acquired|dated|recorded))?)\s+)*"
)
_TAKES_AWAY = re.compile(
    r"minus\b|(?:\w+\s+)?no\s", re.IGNORECASE
)  # "2022 minus 2016"; "pixels that have no data in 2016"
_REACH = 80  # characters before a time in which what leaves it out stands


def times_aside(text: str, spans: Sequence[Span], told: Sequence[Characters]) -> tuple[Ambiguity, ...]:
    """The times of a question that are to be left out, to be asked back; ``told`` are sentences that ask nothing."""
    found = (_aside(text, span) for span in spans if not within(span.first, told))
    return tuple(Ambiguity("period", words, (), why=LEFT_OUT, hint=_HINT) for words in found if words)


def _aside(text: str, span: Span) -> str:
    before = _before().search(text, max(0, span.first - _REACH), span.first)
    if before is not None and not _TAKES_AWAY.match(before["how"]):
        return text[before.start() : span.past]
    behind = left_out().match(text, span.past)
    if behind is not None and behind["how"].lower() != "removed":  # "forest of 2016 was removed"
        return text[span.first : behind.end()]
    return ""


@kept()
def _before() -> re.Pattern[str]:
    how = rf"{leaves_out()}|outside(?:\s+of)?|(?<!or )not|(?:all|any|every)\s+[\w-]+\s+but"
    return re.compile(rf"\b(?P<how>{how})\s+{_OF_TIME}$", re.IGNORECASE)
