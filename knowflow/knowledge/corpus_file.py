"""The files of the corpus of questions: what may be written in ``pkb/corpus/*.yaml``."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from knowflow.model.tool import Document

FILES = "corpus/**/*.yaml"


class Names(Document):
    """The names that the data of a file's questions bring."""

    classes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    objects: tuple[str, ...] = ()
    dates: tuple[date, ...] = ()


class Sentence(Document):
    """A question, and the expression that it asks; none where it is to be asked back."""

    question: str
    asks: str | dict[str, Any] | None = None
    unit: str | None = Field(None, description="the unit that the answer is to be told in")


class CorpusFile(Document):
    """Questions about one folder of data."""

    corpus: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    data: Names = Names()
    questions: tuple[Sentence, ...]
