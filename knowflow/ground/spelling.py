"""How names are spelled: whether a text says one, and those that somebody may have meant by one that does not exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


def lookalikes(name: str, known: Iterable[str], most: int = 3, likeness: float = 0.6) -> list[str]:
    """The known names that look most like a name, the likest first, whatever their case.

    ``likeness`` is the least that counts, of 1 for the same: twice the letters in common, over those of both.
    """
    wanted = name.casefold()
    spelled: dict[str, str] = {}
    for one in known:
        spelled.setdefault(one.casefold(), one)
    close = difflib.get_close_matches(wanted, spelled, n=len(spelled) or 1, cutoff=likeness)
    close.sort(key=lambda key: sorted(key) != sorted(wanted))  # letters changed over are the commonest slip
    return [spelled[key] for key in close[:most]]


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", most: int = 3) -> str:
    """The hint for a name that does not exist: those that look like it, else what to do otherwise."""
    close = lookalikes(name, known, most)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def says(text: str, name: str) -> bool:
    """Whether words of a text are a name, whatever their case and what stands between them.

    "Yellow River" says ``YellowRiver``, and "the great lakes" ``great_lake``. A single letter
    is no name, nor is a part of a word.
    """
    wanted = [letter for letter in name.casefold() if letter.isalnum()]
    if len(wanted) < 2:
        return False
    spelled = r"[\W_]*".join(map(re.escape, wanted))
    return re.search(rf"(?<![^\W_]){spelled}s?(?![^\W_])", text.casefold()) is not None
