"""Memory in a database that several homes share: a file of SQLite, and a real Postgres where there is one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from postgres_server import NEEDS_POSTGRES
from test_reflections import HERE, said
from test_shelf import TOOLS, learned

from knowflow.ground.databases import sqlite_url
from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.knowledge.memory_database import MemoryDatabase, MemoryDatabaseError, shared_memory
from knowflow.knowledge.memory_settings import mode
from knowflow.knowledge.success_record import MethodRecord, SuccessRecord
from knowflow.memory.reflections import Reflections
from knowflow.memory.shelf import Shelf, TemplateShelf, project_of

DATABASES = [pytest.param("sqlite", id="sqlite"), pytest.param("postgres", id="postgres", marks=NEEDS_POSTGRES)]


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    found = str(request.getfixturevalue("postgres_url")) if request.param == "postgres" else None
    found = found or sqlite_url(tmp_path / "shared.sqlite")
    monkeypatch.setenv("KNOWFLOW_MEMORY", found)
    return found


def test_what_one_home_learned_is_known_in_another(url: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    shelf, name = Shelf(here, "homes"), learned("a").name
    assert (shelf.empty, TemplateShelf(there, "homes").empty) == (True, True)
    with shelf.changing():
        shelf.put(learned("a"))
    assert Shelf(there, "homes").one(name, TOOLS) == learned("a")
    assert [rule.rule for rule in Shelf(there, "homes").rules(TOOLS)] == [name]
    assert (Shelf(there, "other").empty, TemplateShelf(there, "homes").empty, here.exists()) == (True, True, False)
    with Shelf(there, "homes").changing():
        Shelf(there, "homes").forget(name)
    with pytest.raises(UnknownNameError):
        shelf.one(name, TOOLS)


def test_a_change_that_is_broken_off_leaves_nothing(url: str, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, "broken off")
    with suppress(KeyError), shelf.changing():
        shelf.put(learned("a"))
        assert shelf.has(learned("a").name)
        raise KeyError
    assert shelf.empty


def test_texts_with_errors_are_left_out_and_told(url: str, tmp_path: Path) -> None:
    memory = shared_memory()
    assert memory is not None
    with memory.changing():
        memory.put("errors", "rules", "half", "memory: 1\nrule: {")
    shelf = Shelf(tmp_path, "errors")
    assert [one.file for one in shelf.found(TOOLS).problems] == [f"{shelf.where}/half.yaml"]
    with pytest.raises(DocumentError, match="has errors"):
        shelf.one("half", TOOLS)


def test_reflections_and_records_are_shared_too(url: str, tmp_path: Path) -> None:
    Reflections(tmp_path / "here", "p").keep(HERE, [said("x")])
    Reflections(tmp_path / "there", "p").keep(HERE, [said("y"), said("x", when="2030-01-01")])
    assert [one.title for one in Reflections(tmp_path / "here", "p").of(HERE)] == ["y", "x"]
    assert Reflections(tmp_path / "here", "p").all()[0].title == "x"
    assert Reflections(tmp_path, "p").forget() == 2
    memory = shared_memory()
    assert memory is not None
    assert SuccessRecord(tmp_path).all() == {}
    assert MethodRecord(tmp_path, "p").likely() == {}


def _learn(home: Path, worker: int) -> None:
    shelf = Shelf(home, "at once")
    for number in range(5):
        with shelf.changing():
            count = learned("count")
            known = shelf.found(TOOLS).learned.get(count.name)
            case = count.cases[0].model_copy(update={"number": worker * 5 + number})
            shelf.put(count.model_copy(update={"cases": (*(known.cases if known else ()), case)}))


def test_homes_that_learn_at_once_lose_nothing(url: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: _learn(tmp_path / str(one), one), range(3)))
    (counted,) = Shelf(tmp_path, "at once").found(TOOLS).learned.values()
    assert sorted(one.number for one in counted.cases) == list(range(15))


@pytest.mark.parametrize("url", DATABASES[1:], indirect=True)
def test_what_a_machine_was_at_that_was_lost_is_not_there_and_holds_up_nobody(url: str, tmp_path: Path) -> None:
    import psycopg

    shelf = Shelf(tmp_path, "lost")
    with psycopg.connect(url.replace("+psycopg", "")) as server, pytest.raises(MemoryDatabaseError):
        _lose(shelf, server)
    assert shelf.empty
    with shelf.changing():
        shelf.put(learned("b"))
    assert shelf.has(learned("b").name)


def _lose(shelf: Shelf, server: Any) -> None:
    with shelf.changing():
        shelf.put(learned("a"))
        ended = "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'"
        assert server.execute(ended).fetchall() == [(True,)]


def test_where_it_is_and_what_a_project_is_called_are_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "somewhere" / ".knowflow" / "memory.yaml"
    settings.parent.mkdir(parents=True)
    monkeypatch.chdir(settings.parent)
    url = sqlite_url(tmp_path / "m.sqlite")
    settings.write_text(f"learning: review\ndatabase: {url}\nproject: moors", encoding="utf-8")
    shared = shared_memory()
    assert shared is not None
    assert (shared.where, mode(), project_of()) == (url, "review", "moors")
    monkeypatch.setenv("KNOWFLOW_MEMORY", "off")
    assert (shared_memory(), mode()) == (shared, "off")
    settings.write_text("project: ../elsewhere", encoding="utf-8")
    with pytest.raises(DocumentError):
        project_of()


@pytest.mark.parametrize(
    "said",
    ["postgresql+psycopg://me:a-secret@127.0.0.1:9/db", "nothing://me:a-secret@host", "sqlite:////nowhere/at/all/x"],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(
    said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KNOWFLOW_MEMORY", said)
    with pytest.raises(MemoryDatabaseError) as raised:
        Shelf(tmp_path, "p")
    assert "a-secret" not in str(raised.value)


def test_a_memory_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "m.sqlite")
    memory: Any = MemoryDatabase(url)
    memory.write("create table if not exists one (a)", "update knowflow_memory_version set version=:v", [{"v": 2}])
    with pytest.raises(MemoryDatabaseError, match="newer"):
        MemoryDatabase(url)
