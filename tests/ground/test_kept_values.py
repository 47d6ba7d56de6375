"""What is made of words is made once for each state of them; what is amiss with what was kept costs time only."""

from __future__ import annotations

import pickle
import pickletools
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from knowflow.ground.kept import as_authored, forget, kept
from knowflow.ground.kept_values import STORE, between_runs, kept_values, pickled
from knowflow.ground.resources import resources
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.retrieval import retrieve
from knowflow.question.reading.vocabulary import vocabulary
from knowflow.reason.inventory.names import name_facts

made: list[Any] = []


@kept()
@between_runs
def sayings() -> MappingProxyType[str, tuple[object, ...]]:
    """The words of a folder that nothing else reads, with an expression and a mapping inside."""
    texts = tuple(sorted(found.path.read_text() for found in resources("pkb", "sayings/*.yaml")))
    made.append(texts)
    return MappingProxyType({"texts": texts, "found": (re.compile("b.rd", re.IGNORECASE), MappingProxyType({1: 2}))})


@kept()
@between_runs
def unwritable() -> object:
    made.append("unwritable")
    return lambda: 1


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    (tmp_path / "pkb" / "sayings").mkdir(parents=True)
    (tmp_path / "pkb" / "sayings" / "one.yaml").write_text("early bird")
    made.clear()
    yield tmp_path / "pkb" / "sayings"
    forget()


def run(home: Path, make: Any = sayings) -> Any:
    """What another run of the command line has."""
    forget()
    as_authored()
    with kept_values(home):
        return make()


def test_it_is_made_once_for_all_runs(words: Path, tmp_path: Path) -> None:
    first, again = run(tmp_path), run(tmp_path)
    assert made == [("early bird",)]
    assert first == again
    assert isinstance(again, MappingProxyType)
    assert again["found"][0].fullmatch("BIRD")


@pytest.mark.parametrize("change", ["edited", "added", "taken away"])
def test_it_is_made_again_where_a_file_is_another(words: Path, tmp_path: Path, change: str) -> None:
    run(tmp_path)
    if change == "edited":
        (words / "one.yaml").write_text("owls")
    elif change == "added":
        (words / "two.yaml").write_text("still waters")
    else:
        (words / "one.yaml").unlink()
    expected = {"edited": ("owls",), "added": ("early bird", "still waters"), "taken away": ()}[change]
    assert run(tmp_path)["texts"] == run(tmp_path)["texts"] == expected
    assert made == [("early bird",), expected]


def test_what_changes_while_it_is_made_is_not_kept(words: Path, tmp_path: Path) -> None:
    with kept_values(tmp_path):
        forget()
        sayings()
        (words / "two.yaml").write_text("still waters")
    (words / "two.yaml").unlink()
    assert not (tmp_path / STORE).exists()


def test_other_code_makes_its_own(words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    monkeypatch.setattr("knowflow.ground.kept_values._CODE", (".html",))
    run(tmp_path)
    assert len(made) == 2


@pytest.mark.parametrize("at", [0, 18, -3])
def test_damage_is_seen(words: Path, tmp_path: Path, at: int) -> None:
    expected = run(tmp_path)
    with sqlite3.connect(tmp_path / STORE) as connection:
        ((row,),) = connection.execute("SELECT told FROM made")
        broken = bytearray(row)
        broken[at] ^= 1
        connection.execute("UPDATE made SET told = ?", (bytes(broken),))
    connection.close()
    assert run(tmp_path) == run(tmp_path) == expected
    assert len(made) == 2, "and it was kept again"


def test_what_cannot_be_written_is_made_each_time(words: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, unwritable)() == 1
    assert made == ["unwritable"] * 2


def test_a_home_that_cannot_be_written_costs_time_only(words: Path, tmp_path: Path) -> None:
    assert run(words / "one.yaml")["texts"] == ("early bird",)


def test_a_program_that_uses_the_library_keeps_nothing(
    words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path / "home"))
    forget()
    sayings()
    assert not (tmp_path / "home").exists()


def test_what_is_brought_back_reads_as_what_was_made(tmp_path: Path) -> None:
    names = ("S2A_MSIL2A_20200701T100031_N0214_R122_T33TWM_B04.tif", "LC08_L2SP_190028_20210715_02_T1_ST_B10.TIF", "x")
    questions = ("How much water is there?", "Map of burn severity after the fire", "What is a good breakfast?")

    def all_of_it() -> tuple[object, ...]:
        told = tuple((one.facts, one.product, one.family, one.groups) for one in map(name_facts, names))
        return lexicon(), vocabulary(), told, tuple(retrieve(question) for question in questions)

    first, again = run(tmp_path, all_of_it), run(tmp_path, all_of_it)
    forget()
    assert first == again == all_of_it()
    with sqlite3.connect(tmp_path / STORE) as connection:
        (kept_so,) = connection.execute("SELECT COUNT(*) FROM made").fetchone()
    assert kept_so in (4, 5)  # the indices of the catalogue among them, unless this process had read them before
    connection.close()


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    inside: tuple[Plain, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    name: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ByName:
    one: int
    two: int


@dataclass
class Open:
    one: int


def test_values_are_brought_back_as_they_are_made() -> None:
    value = Plain("a", (Plain("b"), Plain("c", (Plain("b"),))))
    kept_so = pickled(value)
    assert pickle.loads(kept_so) == value
    # fields are not looked up value by value, as dataclasses with slots do by themselves
    assert "BUILD" not in {operation.name for operation, _, _ in pickletools.genops(kept_so)}


def test_what_is_more_than_its_fields_is_brought_back_as_it_was() -> None:
    extended = Open(1)
    extended.more = 2  # type: ignore[attr-defined]
    values = (Told("abc"), ByName(one=1, two=2), extended)
    found = pickle.loads(pickled(values))
    assert found == values
    assert found[2].more == 2
