"""The words of a sentence, as they are spelt and compared: without those that mean nothing, and pauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import Token, clean, stem, tokens
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import of_vocabulary, of_words
from knowflow.question.reading.noted import as_noted
from knowflow.question.reading.said_positions import with_positions, without_their_names
from knowflow.question.reading.said_times import is_month
from knowflow.question.reading.spelt import as_spelt, within_names
from knowflow.question.reading.vocabulary import DataWords, data_phrases, vocabulary

_DOTTED = re.compile(r"(?<![\d.])([0-3]?\d\.)(\d\.(?:19|20)\d\d)(?!\d)")  # 15.6.2021
_OF_WATER = re.compile(r"\b(m|cm|mm)(?: w\.? ?e\b\.?|(?<=\(m) a\.? ?s\.? ?l\.?(?=\)))")  # so much water, or height
_PAUSES = (",", ";", ":", "?", "!", ".")
_ENDS = (":", "?", "!", ".", "(")
_LETTER = "A"
"""What is no article within a sentence: scenario A."""
NEXT = ("?", ";")  # where another question may follow
OWN = "'s"
_ARROWS = ("->", "\u2192")
_ASKING = ("me", "us")
AGAIN = ("it", "they")


@dataclass(frozen=True, slots=True)
class Heard:
    """The words of a sentence: all of them, those that mean something, these in small letters as they are spelt, what
    they may say by the vocabulary, the names that the data bring, and these as words."""

    text: str
    every: tuple[Token, ...]
    kept: tuple[Token, ...]
    words: list[str]
    said: list[Entity]
    names: list[tuple[str, str, Any]]
    whole: Set[tuple[str, ...]]


def hear(text: str, data: DataWords, again: bool) -> Heard:
    """The words of a sentence; with ``again`` those stay in that speak of what was named before."""
    text = clean(text).replace("i.e.", "namely")
    for arrow in _ARROWS:
        text = text.replace(arrow, " to ")
    text = _spaced(text)
    names = list(data_phrases(data))
    named = {word for name, symbol, _ in names if symbol != "HELD" for word in words_of(name)}
    whole = {words_of(name) for name, symbol, _ in names if symbol != "HELD"}
    every = tuple(piece for one in tokens(text) for piece in _pieces(one))
    own = {words_of(name) for layer in data.features for name in layer.called}
    kept = _that_mean_something(every, named, own, whole | own, again)
    words = as_spelt([one.text.lower() for one in kept], named)
    said = [*as_noted(words, of_words(words), data), *of_vocabulary(kept)]
    return Heard(text, every, kept, words, said, names, whole)


def _that_mean_something(
    every: Sequence[Token], named: Set[str], own: Set[tuple[str, ...]], whole: Set[tuple[str, ...]], again: bool
) -> tuple[Token, ...]:
    """The words of a sentence without those that mean nothing, and pauses; ``own`` is what the data call features, and
    ``whole`` are all names, of which they may be a word: the province of Can Tho."""
    nothing, mixed = reading_words().nothing, any(one.text.islower() for one in every)
    of_names = within_names(every, whole)
    return tuple(
        one
        for before, one, after in zip([None, *every], every, [*every[1:], None], strict=False)
        if (after is not None and after.text.lower() != "and" if one.text in NEXT else one.text not in _PAUSES)
        and (
            one.text.lower() not in nothing
            or one.text.lower() in named - nothing
            or (one.text.lower(),) in own
            or one.start in of_names
            or (again and one.text in AGAIN)
            or (before is not None and before.text == "/")  # m/s
            or (one.text.lower() == "own" and (after is None or after.text in _ENDS))  # which they own
            or (one.text == _LETTER and mixed and before is not None and before.text not in _ENDS)
        )
        and not (one.text == "-" and before is not None and _joins(before, one, after))
        and not (one.text.lower() == "as" and _as_a_whole(every, one))
        and not (one.text.lower() == "for" and after is not None and after.text.lower() in _ASKING)
    )


def _as_a_whole(every: Sequence[Token], one: Token) -> bool:
    """``the region as a whole``: which it is anyway."""
    at = every.index(one)
    behind = [word.text.lower() for word in every[at + 1 : at + 3]]
    return behind in (["a", "whole"], ["whole"]) or behind[:1] == ["whole"]


def _joins(before: Token, dash: Token, after: Token | None) -> bool:
    """Whether a dash joins words, and is no ``to`` between numbers or months."""
    months = after is not None and is_month(before.text.lower()) and is_month(after.text.lower())
    return not months and (before.text.isalpha() or before.end < dash.start)


def _spaced(text: str) -> str:
    """A text with a blank between a number and the unit that is written to it: ``600m``."""
    known, text = vocabulary(), without_their_names(with_positions(_OF_WATER.sub(r"\1", text)), _is_known)
    text = _DOTTED.sub(r"\g<1>0\2", text)
    for one in reversed(tokens(text)):
        unit = one.text.lstrip("0123456789")
        if one.kind == "word" and unit and unit != one.text:
            meant = (*known.exact.get(unit, ()), *known.phrases.get((stem(unit),), ()))
            if any(symbol == "UNIT" for symbol, _ in meant):
                text = f"{text[: one.end - len(unit)]} {unit}{text[one.end :]}"
    return text


def _is_known(word: str) -> bool:
    """Whether a word means something whatever the data are: a month, a quantity, a unit."""
    known = vocabulary()
    return is_month(word.lower()) or word in known.exact or any(phrase[0] == stem(word) for phrase in known.phrases)


def _pieces(one: Token) -> Iterator[Token]:
    """A word as it is compared: ``area's`` is two, unless a phrase begins with it."""
    if one.kind != "word" or not one.text.endswith(OWN) or one.text.lower() in _begin_phrases():
        yield one
        return
    cut = one.end - len(OWN)
    yield Token(one.text[: -len(OWN)], one.stem, one.start, cut, one.kind)
    yield Token(OWN, OWN, cut, one.end, one.kind)


@cache
def _begin_phrases() -> Set[str]:
    """Words with which phrases begin."""
    return {phrase[0] for phrase in reading_words().phrases}
