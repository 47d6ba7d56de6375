from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.execution.persist import from_text, plain_bytes, read_json, to_text, write_json
from knowflow.model.literal import plain

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def same(first: Any, second: Any) -> bool:
    """Equality in which nan is nan."""
    return repr(first) == repr(second)


@given(documents)
def test_a_document_reads_back_as_it_was(document: Any) -> None:
    assert same(from_text(to_text(document)), document)


@given(documents)
def test_what_is_plain_already_is_written_the_same(document: Any) -> None:
    assert same(from_text(plain_bytes(plain(document)).decode()), from_text(to_text(plain(document))))


@given(documents)
def test_every_json_reader_accepts_it(document: Any) -> None:
    beyond_json: list[str] = []
    json.loads(to_text(document), parse_constant=beyond_json.append)
    assert beyond_json == []


def test_numpy_and_paths_are_written_as_what_they_stand_for() -> None:
    document = {"a": np.float32(1.5), "b": np.arange(3), "c": Path("x/y"), "d": (np.int64(2), np.nan)}
    read = from_text(to_text(document))
    assert read["a"] == 1.5
    assert (read["b"], read["c"], read["d"][0]) == ([0, 1, 2], "x/y", 2)
    assert math.isnan(read["d"][1])


def test_a_failed_write_leaves_the_old_document_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"old": 1})
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises((RecursionError, ValueError)):
        write_json(path, loop)
    assert read_json(path) == {"old": 1}
    assert [found.name for found in tmp_path.iterdir()] == ["x.json"]
