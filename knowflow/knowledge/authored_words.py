"""What documents may hold where they hold words: types that say what was expected."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

_WORD = r"[^\W\d_]+(?:[-'][^\W\d_]+)*"
_IN_LETTERS = re.compile(rf"{_WORD}(?: {_WORD})*")
_OF_A_VERB = re.compile(rf"{_WORD}(?: {_WORD})*(?: ?\+ ?{_WORD})?")


def _in_letters(text: str) -> str:
    if not _IN_LETTERS.fullmatch(text):
        raise ValueError("words in letters")
    return text


def _of_a_verb(text: str) -> str:
    if not _OF_A_VERB.fullmatch(text):
        raise ValueError("a verb in letters, such as grow, or go went gone + up")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("words")
    return text


Words = Annotated[str, AfterValidator(_in_letters)]
Verb = Annotated[str, AfterValidator(_of_a_verb)]
Phrase = Annotated[str, AfterValidator(_not_blank)]
