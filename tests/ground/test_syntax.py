"""Parsing from many threads at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from knowflow.ground.syntax import PARSING, parse_expression, parse_module, text_of
from knowflow.ground.units import convert


def test_threads_that_parse_and_convert_at_once_do_not_disturb_one_another() -> None:
    deep = "+".join(["(" * 20 + "a" + ")" * 20] * 30)

    def work(number: int) -> float:
        assert len(parse_module(f"x = {deep}\n".encode() * 20).body) == 20
        parse_expression(f"{deep} + {number}")
        return convert(float(number), "degC", "K")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(64))) == pytest.approx([number + 273.15 for number in range(64)])


def test_a_traceback_is_written_while_nobody_else_parses() -> None:
    """Python parses the line that failed, to mark what of it did."""
    found: list[str] = []
    writing = threading.Thread(target=lambda: found.append(text_of(ValueError("no number"))))
    with PARSING:
        writing.start()
        writing.join(0.2)
        assert not found
    writing.join()
    assert found == ["ValueError: no number\n"]
