"""Phrases of the domain, what they mean, and where they stand in a text: the longest wins over those inside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from knowflow.knowledge.lexicon_file import Entry
from knowflow.knowledge.rewording import Rewording
from knowflow.knowledge.words import Token, clean, is_article, tokens

_PATTERN_START = "^"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase means; ``manner`` says how surely."""

    category: str
    entry: Entry
    manner: Literal["plain", "weak", "usual", "after"] = "plain"


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase found in a text: its meanings, its tokens (first, past the last) and its words."""

    meanings: tuple[Meaning, ...]
    first: int
    past: int
    words: str

    def of(self, category: str) -> Meaning | None:
        return next((meaning for meaning in self.meanings if meaning.category == category), None)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases (as stems) with their meanings, and the words that carry none.

    ``retrieved`` says which quantity an algorithm retrieves, ``instead`` what a usual reading may mean as well,
    ``ranked`` are adjectives that values are ranked by and that tell no way in which they move.
    """

    phrases: Mapping[tuple[str, ...], tuple[Meaning, ...]]
    exact: Mapping[str, tuple[Meaning, ...]]
    operations: Mapping[str, Entry]
    units: tuple[Entry, ...]
    directions: tuple[Entry, ...]
    movements: tuple[Entry, ...]
    common: frozenset[str]
    function: frozenset[str]
    places: frozenset[str]
    ranked: frozenset[str]
    longest: int = field(default=1)
    reworded: Rewording = field(default_factory=Rewording)
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    retrieved: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def written_out(self, text: str) -> str:
        """A cleaned text with shortened words in full, and words of one meaning as one word.

        ``"no. of yrs"`` -> ``"number of years"``, ``"each overpass"`` -> ``"each scene"``.
        """
        return self.reworded(text).text

    def scan(self, text: str, found: Sequence[Token] | None = None, skip: Iterable[int] = ()) -> tuple[Mention, ...]:
        """The longest known phrases of a cleaned text, left to right, not overlapping.

        ``skip`` are indices of tokens that mean something else already and end a phrase.
        """
        pieces = tokens(text) if found is None else found
        closed = frozenset(skip)
        mentions: list[Mention] = []
        index = 0
        while index < len(pieces):
            mention = None if index in closed else self._longest_at(text, pieces, index, closed)
            if mention is not None:
                mentions.append(mention)
            index = mention.past if mention is not None else index + 1
        return tuple(mentions)

    def inner(self, text: str, found: Sequence[Token], mention: Mention) -> tuple[Mention, ...]:
        """Phrases inside a longer one: "hottest" in "hottest day", "water bodies" in "largest water bodies"."""
        parts = (found[mention.first + 1 : mention.past], found[mention.first : mention.past - 1])
        return tuple(one for part in parts if part for one in self.scan(text, part))

    def _longest_at(self, text: str, pieces: Sequence[Token], index: int, closed: frozenset[int]) -> Mention | None:
        best: Mention | None = None
        key: list[str] = [_PATTERN_START] if index == 0 or pieces[index - 1].text in ".?!;:" else []
        opened = len(key)
        past = index
        while past < len(pieces) and len(key) - opened < self.longest and past not in closed:
            piece = pieces[past]
            if piece.kind == "mark" and piece.text not in "-°%><>=<=≥≤&":
                break
            if past == index and (is_article(piece) or piece.text == "-"):
                break
            past += 1
            if is_article(piece) or piece.text == "-":
                continue
            key.append(piece.stem)
            meanings = self.phrases.get(tuple(key)) or self.phrases.get(tuple(key[opened:]))
            if past == index + 1:
                meanings = self.exact.get(piece.text) or meanings  # the very word, not another of its stem
            if meanings:
                best = Mention(meanings, index, past, text[pieces[index].start : piece.end])
        return best


@lru_cache(maxsize=1 << 15)
def key_of(phrase: str) -> tuple[str, ...]:
    """A phrase as compared: stems without articles and hyphens, with its ``^``."""
    start = (_PATTERN_START,) if phrase.startswith(_PATTERN_START) else ()
    pieces = tokens(clean(phrase.removeprefix(_PATTERN_START)))
    return start + tuple(piece.stem for piece in pieces if not is_article(piece) and piece.text != "-")
