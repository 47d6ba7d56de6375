"""What an answer is for: "..., so that we can judge how well it holds", "it's to gauge seasonality", "as a sign of".

Such clauses name analyses that nobody asks for.
"""

from __future__ import annotations

import re

_NOT_WANTED = "".join(rf"(?<!\b{word} )" for word in ("want", "wants", "need", "needs", "like", "have", "has", "is"))
_PURPOSE = re.compile(
    r"\b(?:(?:it|this|that|which|all)(?:'s|\s+is|\s+are|\s+was)\s+(?:all\s+|just\s+|meant\s+|needed\s+)?(?:to|for|as)|"
    r"as\s+an?\s+(?:measure|indication|indicator|sign|proxy|illustration|expression)\s+of|"
    rf"{_NOT_WANTED}\bto\s+(?:reflect|assess|characteri[sz]e|describe|illustrate)\s+"
    r"(?:how|whether|if|the\s+extent\s+to\s+which)\b|"
    r"so\s+(?:that\s+)?(?:we|i|you|they|one)\s+(?:can|may|could|know|see)|in\s+order\s+to\s+(?:assess|judge|gauge|learn|understand|see))\b"
    r"[^.?;!]*",
    re.IGNORECASE,
)


def without_purposes(text: str) -> str:
    """The text without the clauses that tell what the answer is for; of the same length, so that places stay."""
    return _PURPOSE.sub(lambda match: " " * len(match.group()), text)
