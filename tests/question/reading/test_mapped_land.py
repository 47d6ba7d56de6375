"""Land is what a map calls so, beside water; where none does it is all of the ground."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from knowflow.question.operators import IsClass, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def _data(*classes: str) -> DataWords:
    kinds = frozenset(("elevation", "land_cover_class"))
    return DataWords(quantities=kinds, classes=MappingProxyType({"land_cover_class": classes}))


@pytest.mark.parametrize(
    ("classes", "land"),
    [
        (("no data", "mapped land", "permanent water bodies"), "mapped land"),
        (("land", "water"), "land"),
        (("cropland", "water"), None),
        (("bare land", "built-up land", "water"), None),
    ],
)
@pytest.mark.parametrize("asked", ["What is the mean elevation on land?", "mean elevation of the land"])
def test_land_is_the_class_that_is_called_so(classes: tuple[str, ...], land: str | None, asked: str) -> None:
    found = read(asked, _data(*classes)).expression
    assert found is not None
    assert [part.names for _, part in walk(found) if isinstance(part, IsClass)] == ([(land,)] if land else [])
