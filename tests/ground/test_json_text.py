"""JSON of users, files and models: a value, or one kind of error, however it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.reason.calls.call import listed_in
from knowflow.reason.inventory.landsat_mtl import read_mtl
from knowflow.reason.llm.records import read_exchanges
from knowflow.roof.cli.output import values

DEEP = "[" * 100_000 + "]" * 100_000
BROKEN = (DEEP, "1" * 5000, "{", "", b"\xff")


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_value(text)


def test_json_is_read() -> None:
    assert json_value('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


def test_options_and_lists_of_calls_that_are_no_json_are_text(tmp_path: Path) -> None:
    assert values([f"a={DEEP}", f"b={'1' * 5000}", "c=2"], "--set") == {"a": DEEP, "b": "1" * 5000, "c": 2}
    assert listed_in(DEEP)


def test_files_that_are_nested_too_deeply_are_told(tmp_path: Path) -> None:
    path = tmp_path / "LC08_MTL.json"
    path.write_text(DEEP, encoding="utf-8")
    with pytest.raises(UnreadableDataError):
        read_mtl(path)
    with pytest.raises(UnreadableDataError):
        read_exchanges(path)
