"""The files of a folder by the words of their names, for questions that say of which they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from knowflow.knowledge.reading_words import words_of
from knowflow.knowledge.words import stem
from knowflow.model.artifact import Artifact
from knowflow.question.reading.vocabulary import HeldFile

_LETTERS = re.compile(r"[^\W\d_]{2,}")


def files_held(artifacts: Iterable[Artifact]) -> Iterator[HeldFile]:
    """The rasters and tables by the words of their names, and by the sensors that they are of."""
    for item in artifacts:
        if item.path is not None and item.type in ("raster", "table"):
            said = (*_LETTERS.findall(PurePath(item.path).stem), str(item.fact("sensor") or ""))
            words = frozenset(stem(word) for text in said for word in words_of(text) if word.isalpha())
            table = PurePath(item.path).name if item.type == "table" else None
            yield HeldFile(words, str(item.fact("quantity") or ""), table)
