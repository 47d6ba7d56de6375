"""Regions as the sentence names them: capitalised names, and words such as "the delta"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowflow.knowledge.phrases import Lexicon, Mention
from knowflow.knowledge.words import Token, stem

_BEFORE = frozenset(
    {"in", "over", "of", "near", "around", "for", "within", "across", "at", "inside", "from", "on", "to", "between"}
)
_DEFINITE = frozenset({"the", "this", "our", "my"})
_INSIDE_NAMES = frozenset({"of", "de", "del", "la", "the", "du", "da", "do", "al", "el"})
# categories whose words are part of a name when capitalised beside one: Lake Geneva, Black Forest, Green River
_NAMEABLE = frozenset({"feature", "setting", "scope", "common", "operation", "direction"})


@dataclass(frozen=True, slots=True)
class Place:
    """A region with its tokens (first, past the last)."""

    name: str
    first: int
    past: int


def places(
    text: str, pieces: Sequence[Token], mentions: Sequence[Mention], skip: frozenset[int], known: Lexicon
) -> tuple[Place, ...]:
    """The regions of a sentence in order; ``skip`` are tokens of dates and limits."""
    fixed = set(skip)
    whole = {(mention.first, mention.past) for mention in mentions}
    for mention in mentions:
        categories = {meaning.category for meaning in mention.meanings}
        named_alone = categories & {"quantity"} or any(
            m.entry.slot in ("sensor", "algorithm") for m in mention.meanings
        )
        if named_alone or not categories <= _NAMEABLE:
            fixed.update(range(mention.first, mention.past))
    found: list[Place] = []
    index = 0
    while index < len(pieces):
        past = _run(pieces, index, fixed)
        run = pieces[index:past]
        if all(_plain_word(piece, known) for piece in run):  # and so is every part of it, or it is empty
            index = max(past, index + 1)
            continue
        if not _begins_sentence(pieces, index) or _is_name_at_start(run, known):
            if _is_name(run, found) and not _covered(index, past, whole):
                past = _with_kind(pieces, past, known, fixed)
                name = text[pieces[index].start : pieces[past - 1].end].removesuffix("'s")
                found.append(Place(name, index, past))
            index = past
        else:
            index += 1
    return tuple(found) or _common_places(text, pieces, mentions, known)


def _is_name(run: Sequence[Token], earlier: Sequence[Place]) -> bool:
    """Acronyms alone (TOA, FRP) are no names, unless they follow one: "California, USA"."""
    return any(not piece.text.isupper() and piece.text[1:].islower() for piece in run) or bool(earlier)


def _covered(first: int, past: int, whole: set[tuple[int, int]]) -> bool:
    """Whether one phrase of the lexicon is all of it: "Fire Radiative Power"."""
    return any(start <= first and past <= end for start, end in whole)


def _run(pieces: Sequence[Token], index: int, fixed: set[int]) -> int:
    """Past the last token of the capitalised words that start here, and of small ones between them; else ``index``."""
    if not _capital(pieces, index, fixed):
        return index
    past = index + 1
    while past < len(pieces):
        if _capital(pieces, past, fixed) or (pieces[past].text == "-" and _capital(pieces, past + 1, fixed)):
            past += 1
        elif pieces[past].text.lower() in _INSIDE_NAMES and _capital(pieces, past + 1, fixed):
            past += 2
        elif past + 1 < len(pieces) and pieces[past].text.lower() == "the" and pieces[past - 1].text == "of":
            past += 1
        else:
            break
    while past - index > 1 and pieces[past - 1].text == "-":
        past -= 1
    return past


def _begins_sentence(pieces: Sequence[Token], index: int) -> bool:
    return index == 0 or pieces[index - 1].text in (".", "?", "!", ":")


def _is_name_at_start(run: Sequence[Token], known: Lexicon) -> bool:
    """Whether words are a name though a sentence begins with them, which any word is capitalised for."""
    if run[0].text.endswith("'s"):
        return True
    return len(run) > 1 and (not _plain_word(run[0], known) or stem(run[0].text) in known.places)


def _capital(pieces: Sequence[Token], index: int, fixed: set[int]) -> bool:
    if index >= len(pieces) or index in fixed:
        return False
    text = pieces[index].text
    return (
        pieces[index].kind == "word"
        and text[0].isupper()
        and (len(text) > 2 or text.isupper())
        and not any(c.isdigit() for c in text)
    )


def _plain_word(piece: Token, known: Lexicon) -> bool:
    """A word of the domain or of everyday language, capitalised or not."""
    return (
        piece.stem in known.common
        or (piece.stem,) in known.phrases
        or piece.stem in known.places
        or len(piece.text) == 1
    )


def _with_kind(pieces: Sequence[Token], past: int, known: Lexicon, fixed: set[int]) -> int:
    """A name together with what it is: "Okavango" + "delta", "Tokyo" + "metropolitan area"."""
    for length in (2, 1):
        following = pieces[past : past + length]
        key = " ".join(piece.stem for piece in following)
        if len(following) == length and key in known.places and not fixed & set(range(past, past + length)):
            return past + length
    return past


def _common_places(
    text: str, pieces: Sequence[Token], mentions: Sequence[Mention], known: Lexicon
) -> tuple[Place, ...]:
    """Places without a name: "of the delta", "in this catchment"."""
    busy = {index for mention in mentions if mention.of("feature") for index in range(mention.first, mention.past)}
    found = []
    for index in range(2, len(pieces)):
        definite = pieces[index - 1].text.lower() in _DEFINITE and pieces[index - 2].text.lower() in _BEFORE
        if definite and index not in busy and pieces[index].stem in known.places:
            found.append(Place(text[pieces[index - 1].start : pieces[index].end], index - 1, index + 1))
    return tuple(found)
