"""Authored files are parsed once for each of their contents; what is amiss with what was kept costs time only."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground import yamldoc
from knowflow.ground.kept import forget
from knowflow.ground.kept_documents import STORE, kept_documents
from knowflow.ground.yamldoc import Document, load
from knowflow.reason.inventory.lore import load_lore

TEXT = "layer: lst\nnames: [LST, 5, 0.5, .inf]\n1: {no: ~, when: 2022-07-01}\n"
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, width=16)
    | st.text("aß: #-", max_size=5)
)
contents = st.recursive(
    scalars,
    lambda some: (
        st.lists(some, max_size=3) | st.dictionaries(st.text("xyz", min_size=1) | st.integers(0, 9), some, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is parsed."""
    counted: Counter[str] = Counter()
    parse = yamldoc.parse

    def counting(text: str, file: str = "") -> Document:
        counted[Path(file).relative_to(Path(file).parents[1]).as_posix()] += 1
        return parse(text, file)

    monkeypatch.setattr(yamldoc, "parse", counting)
    return counted


def loaded(home: Path, path: Path) -> Document:
    with kept_documents(home):
        return load(path)


@given(contents)
def test_what_is_brought_back_is_what_was_parsed(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    home = tmp_path_factory.mktemp("home")
    path = home / "a.yaml"
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    plain, first, again = load(path), loaded(home, path), loaded(home, path)
    assert plain.data == first.data == again.data
    assert repr(plain.data) == repr(again.data)
    assert dict(plain.lines) == dict(first.lines) == dict(again.lines)
    assert len(again.lines) == len(plain.lines)
    assert plain.problems == again.problems == ()


def test_contents_are_parsed_once_wherever_they_lie(tmp_path: Path, parsed: Counter[str]) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(TEXT)
    for _ in range(2):
        found = [loaded(tmp_path, tmp_path / name) for name in ("a.yaml", "b.yaml")]
    assert parsed == {f"{tmp_path.name}/a.yaml": 1}
    assert [one.file for one in found] == [str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")]
    assert found[1].line((1, "no")) == 3
    (tmp_path / "a.yaml").write_text(TEXT + "2: two\n")
    assert loaded(tmp_path, tmp_path / "a.yaml").data[2] == "two"
    assert parsed == {f"{tmp_path.name}/a.yaml": 2}


def test_what_something_is_wrong_with_is_parsed_each_time(tmp_path: Path, parsed: Counter[str]) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\na: 2\n")
    for _ in range(2):
        (problem,) = loaded(tmp_path, tmp_path / "a.yaml").problems
        assert (problem.code, problem.line) == ("duplicate_key", 2)
    assert parsed == {f"{tmp_path.name}/a.yaml": 2}


@pytest.mark.parametrize("at", [0, 18, -3])
def test_damage_is_seen(tmp_path: Path, parsed: Counter[str], at: int) -> None:
    (tmp_path / "a.yaml").write_text(TEXT)
    expected = loaded(tmp_path, tmp_path / "a.yaml")
    with sqlite3.connect(tmp_path / STORE) as connection:
        ((row,),) = connection.execute("SELECT told FROM documents")
        broken = bytearray(row)
        broken[at] ^= 1
        connection.execute("UPDATE documents SET told = ?", (bytes(broken),))
    connection.close()
    assert loaded(tmp_path, tmp_path / "a.yaml").data == expected.data
    assert parsed == {f"{tmp_path.name}/a.yaml": 2}
    assert loaded(tmp_path, tmp_path / "a.yaml").data == expected.data, "and it was kept again"
    assert parsed == {f"{tmp_path.name}/a.yaml": 2}


@pytest.mark.parametrize("content", [b"", b"no database at all, but a text that is long enough to be looked at" * 4])
def test_a_store_that_is_none_is_made_again(tmp_path: Path, parsed: Counter[str], content: bytes) -> None:
    (tmp_path / STORE).write_bytes(content)
    (tmp_path / "a.yaml").write_text(TEXT)
    for _ in range(4):
        assert loaded(tmp_path, tmp_path / "a.yaml").data["layer"] == "lst"
    assert parsed[f"{tmp_path.name}/a.yaml"] <= 2


def test_a_home_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TEXT)
    assert loaded(tmp_path / "a.yaml", tmp_path / "a.yaml").data["layer"] == "lst"


def test_a_program_that_uses_the_library_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path / "home"))
    (tmp_path / "a.yaml").write_text(TEXT)
    load(tmp_path / "a.yaml")
    assert not (tmp_path / "home").exists()


def test_what_names_are_read_by_is_parsed_once(tmp_path: Path, parsed: Counter[str]) -> None:
    sizes = []
    for _ in range(2):
        forget()
        with kept_documents(tmp_path):
            sizes.append(len(load_lore().vocabulary))
        first = dict(parsed)
        assert len(first) > 20
        assert max(first.values()) == 1
    forget()
    assert sizes[0] == sizes[1]
