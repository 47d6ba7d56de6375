"""Where the clause that a word stands in ends, and clauses that ask nothing though they stand in a question.

A refusal tells the words that it is about to the end of their clause: "within 50 m of" alone does not say of what.
"""

from __future__ import annotations

import re
from functools import lru_cache

from knowflow.knowledge.inflection import verb_forms

_REST = re.compile(r"(?:[^.?!;:,\n]|[.,](?=\d))*")
# what the person who asks means to do, and what is enough for an answer: no future of the ground
_OWN_FUTURE = re.compile(
    r"(?:^|[.?!;:,]|\b(?:and|but|because|since|so|as)\b)\s*(?:I|we|you|he|she)\s+(?:\w+ly\s+|then\s+)?will\b|"
    r"\bwill(?=\s+(?:do|suffice|serve|be\s+(?:enough|sufficient|fine|plenty))\b(?!\s+\w+\s*\?))",
    re.IGNORECASE,
)
_SAYING = (
    *(
        "deny",
        "claim",
        "say said",
        "argue",
        "believe",
        "think thought",
        "assert",
        "insist",
        "doubt",
        "complain",
        "fear",
    ),
    *("suspect", "maintain", "warn", "suggest", "swear swore", "report", "hold held", "suppose", "guess", "worry"),
)


def to_clause_end(text: str, first: int, past: int) -> str:
    """The words from a place on to the end of the clause that the words up to ``past`` stand in."""
    rest = _REST.match(text, past)
    return text[first : past if rest is None else rest.end()].strip()


def without_own_future(text: str) -> str:
    """The text without what the person who asks will do; of the same length, so that places stay."""
    return _OWN_FUTURE.sub(lambda match: " " * len(match.group()), text)


def reports(sentence: str) -> bool:
    """Whether a sentence tells what somebody says or believes: "an opponent denies that ...", "..., they say"."""
    return _reporting().search(sentence) is not None


@lru_cache(maxsize=1)
def _reporting() -> re.Pattern[str]:
    verbs = "|".join(form for verb in _SAYING for form in verb_forms(verb))
    return re.compile(
        rf"^\W*(?:an?|the|one|some|many|most|several|few|every)\s+(?:[\w'-]+\s+){{1,6}}?(?:{verbs})\s+that\b|"
        rf",\s*(?:they|people|some|others|he|she)\s+(?:{verbs})\W*$",
        re.IGNORECASE,
    )
