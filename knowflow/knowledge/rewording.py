"""Words that are read as others: what is short in full, and of words that are alike the one that is known.

A text is read in the words of the lexicon, and spoken of in its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from knowflow.ground.regex import regex

# small words that only a title writes large inside a sentence
_TITLED = regex(
    r"(?<=[\w,] )(?:Each|Every|Per|By|The|Of|In|For|Is|Are|Was|Were|Do|Does|Did|And|To|With|On|From|Than|Between)\b"
)
_ENDS = ".?!:;"


@dataclass(frozen=True, slots=True)
class Reworded:
    """A text as it is read, the text as it was written, and where they differ: (as read, as written)."""

    text: str
    written: str
    changes: tuple[tuple[str, str], ...] = ()

    def as_written(self, words: str) -> str:
        """Words of the text as read, as they were written; what was written so in another place stays."""
        kept = self.written
        for _, written in self.changes:
            kept = kept.replace(written, "|")
        for read, written in reversed(self.changes):  # "five" -> "5", then "minus 5" -> "-5"
            pattern = rf"(?<!\w){re.escape(read)}(?!\w)"
            if not re.search(pattern, kept, re.IGNORECASE):
                words = re.sub(pattern, lambda _, own=written: own, words, flags=re.IGNORECASE)  # type: ignore[misc]
        return words


@dataclass(frozen=True)
class Rewording:
    """What words are read as; of ``common`` ones those that are written large inside a sentence are names and stay."""

    read_as: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    common: Collection[str] = frozenset()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.read_as, key=len, reverse=True)
        pattern = rf"(?<![\w])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
        return regex(pattern if longest_first else "(?!)", re.IGNORECASE)

    def __call__(self, text: str) -> Reworded:
        """A cleaned text as it is read."""
        changes: dict[tuple[str, str], None] = {}

        def read(match: re.Match[str]) -> str:
            written = match.group()
            known = self.read_as[written.lower()]
            if written.lower() in self.common and _is_name(match):
                return written
            changes[known, written] = None
            return known

        return Reworded(self._pattern.sub(read, text), text, tuple(changes))


def _is_name(match: re.Match[str]) -> bool:
    """Whether a word is written large where no sentence begins, in a text that does not write all words so."""
    before = match.string[: match.start()].rstrip(" \"'([*-")
    if not match.group()[0].isupper() or not before or before[-1] in _ENDS:
        return False
    return not (match.string.isupper() or _TITLED.search(match.string))
