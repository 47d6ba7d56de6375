"""What tests of reading share: that a question is read as another one is."""

from __future__ import annotations

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def assert_read_as(said: str, other: str, data: DataWords) -> None:
    """Both are read, and ask the same."""
    one, wanted = read(said, data).expression, read(other, data).expression
    assert wanted is not None, other
    assert one is not None, said
    assert equal(one, wanted)
