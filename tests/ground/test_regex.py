"""Expressions that are brought back are those that ``re`` compiles; what is amiss with the store costs time only."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground import regex as module
from knowflow.ground.regex import STORE, kept_regexes, regex

WORDS = r"\b(?P<way>above|(?:more|greater)\s+than)\s+(?P<n>[+-]?\d+(?:\.\d+)?)(?!\s*(?P=way))"
PIECES = ("a", "ß", r"\d+", "[^x-z]", r"\b", "(?:rise|fall)s?", "(?P<n>.)", "(?<!k)m", r"(?i:K)", "x{2,5}?", "(", "*")


def rows(home: Path) -> dict[bytes, bytes]:
    with sqlite3.connect(home / STORE) as connection:
        found = dict(connection.execute("SELECT key, told FROM regexes"))
    connection.close()
    return found


def keep(home: Path, *sources: str, flags: int = re.IGNORECASE) -> None:
    with kept_regexes(home):
        for source in sources:
            regex(source, flags)


def only_brought_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(source: str, flags: int = 0) -> re.Pattern[str]:
        raise AssertionError(f"{source!r} was compiled")

    monkeypatch.setattr(module.re, "compile", compile_)


def test_what_was_compiled_once_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = re.compile(WORDS, re.IGNORECASE)
    keep(tmp_path, WORDS)
    with monkeypatch.context() as patch, kept_regexes(tmp_path):
        only_brought_back(patch)
        found = regex(WORDS, re.IGNORECASE)
    assert found == compiled, "their code is compared"
    assert (found.pattern, found.flags, found.groupindex) == (WORDS, compiled.flags, compiled.groupindex)
    match = found.search("More  than 12.5")
    assert match is not None
    assert match.groupdict() == {"way": "More  than", "n": "12.5"}
    assert match.lastgroup == "n"


@given(
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.sampled_from((0, re.IGNORECASE, re.ASCII | re.MULTILINE, re.VERBOSE | re.DOTALL)),
    st.text("aßkKmxyz12 rise", max_size=12),
)
def test_an_expression_that_is_brought_back_finds_what_the_compiled_one_finds(
    tmp_path_factory: pytest.TempPathFactory, source: str, flags: int, text: str
) -> None:
    home = tmp_path_factory.mktemp("home")
    try:
        compiled = re.compile(source, flags)
    except re.error:
        with kept_regexes(home), pytest.raises(re.error):
            regex(source, flags)
        return
    keep(home, source, flags=flags)
    with kept_regexes(home):
        found = regex(source, flags)
    assert found == compiled
    assert [(m.span(), m.groups()) for m in found.finditer(text)] == [
        (m.span(), m.groups()) for m in compiled.finditer(text)
    ]


def test_flags_and_expressions_do_not_share_what_is_kept(tmp_path: Path) -> None:
    with kept_regexes(tmp_path):
        regex("water")
    with kept_regexes(tmp_path):
        assert regex("water", re.IGNORECASE).search("WATER")
        assert regex("water").search("WATER") is None
    assert len(rows(tmp_path)) == 2


@pytest.mark.parametrize("at", [0, 20, -3])
def test_a_damaged_row_is_compiled_again(tmp_path: Path, at: int) -> None:
    keep(tmp_path, WORDS)
    ((key, row),) = rows(tmp_path).items()
    broken = bytearray(row)
    broken[at] ^= 1
    with sqlite3.connect(tmp_path / STORE) as connection:
        connection.execute("UPDATE regexes SET told = ? WHERE key = ?", (bytes(broken), key))
    connection.close()
    with kept_regexes(tmp_path):
        assert regex(WORDS, re.IGNORECASE) == re.compile(WORDS, re.IGNORECASE)
    assert rows(tmp_path) == {key: row}, "and kept again"


def test_the_row_of_another_expression_is_not_taken(tmp_path: Path) -> None:
    keep(tmp_path, "rain", "snow")
    first, second = rows(tmp_path).items()
    with sqlite3.connect(tmp_path / STORE) as connection:
        connection.execute("UPDATE regexes SET told = ? WHERE key = ?", (second[1], first[0]))
        connection.execute("UPDATE regexes SET told = ? WHERE key = ?", (first[1], second[0]))
    connection.close()
    with kept_regexes(tmp_path):
        assert regex("rain", re.IGNORECASE).search("snow") is None


@pytest.mark.parametrize("content", [b"", b"no database at all, but a text that is long enough to be looked at" * 4])
def test_a_store_that_is_none_is_made_again(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STORE).write_bytes(content)
    for _ in range(2):
        with kept_regexes(tmp_path):
            assert regex(WORDS).groups == 2
    assert len(rows(tmp_path)) == 1


def test_a_home_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with kept_regexes(tmp_path / "file"):
        assert regex(WORDS).groups == 2


def test_code_that_another_interpreter_made_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, WORDS)
    monkeypatch.setattr(module, "_interpreter", lambda: "another one")
    keep(tmp_path, WORDS)
    assert len(rows(tmp_path)) == 2


def test_nothing_is_kept_where_code_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_brought_back", lambda source, body: re.compile("something else"))
    keep(tmp_path, WORDS)
    assert not (tmp_path / STORE).exists()


def test_a_program_that_uses_the_library_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path))
    assert regex(WORDS).groups == 2
    assert not list(tmp_path.iterdir())


def test_the_expressions_that_read_questions_are_the_same_in_every_process(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from knowflow.ground.regex import kept_regexes\n"
        "with kept_regexes(Path(__import__('sys').argv[1])):\n"
        "    from knowflow.reason.language.understanding import understand\n"
        "    understand('Mean NDVI above two kelvin in 2021?')\n"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program, str(tmp_path / seed)], check=True, env=environment)
    first, second = rows(tmp_path / "1"), rows(tmp_path / "2")
    assert len(first) > 100
    assert first == second
