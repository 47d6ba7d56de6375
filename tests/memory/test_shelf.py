"""Learned rules on disk: as they were written, one project beside another, several processes at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from examples import catalogue, tool
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.memory_settings import mode
from knowflow.memory.case import Case
from knowflow.memory.generalise import rule_of
from knowflow.memory.shelf import Learned, Shelf, as_text, project_of

TOOLS = catalogue(tool("summary", {"raster": {"type": "raster"}}, returns={"type": "scalar"}, kit="statistics"))
plain = (
    st.text(max_size=10)
    | st.integers(-(10**9), 10**9)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
)


def learned(run: str, scale: float = 1 / 64, facts: dict[str, Any] | None = None) -> Learned:
    """What a case teaches."""
    one = Case(
        run=run,
        by="person",
        cause="values_implausible",
        tool="summary",
        parameter="raster",
        of_file=True,
        facts={"quantity": "surface_temperature", "dtype": "uint16", **(facts or {})},
        lacks=("scale",),
        low=19000.0,
        high=20000.0,
        spread=(200.0, 300.0),
        then=({"state_facts": {"scale": scale}},),
    )
    return Learned(why="", rule=rule_of([one]), cases=(one,))


@given(st.dictionaries(st.sampled_from(["layer", "sensor", "level", "nodata"]), plain), st.floats(1e-6, 1e6))
def test_what_is_written_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, facts: dict[str, Any], scale: float
) -> None:
    one = learned("a", scale, facts)
    path = tmp_path_factory.mktemp("shelf") / f"{one.name}.yaml"
    path.write_text(as_text(one), encoding="utf-8")
    assert load_model(path, Learned).model == one


def test_projects_do_not_see_what_others_learned(tmp_path: Path) -> None:
    one = Shelf(tmp_path, "one")
    with one.changing():
        one.put(learned("a"))
    assert [rule.rule for rule in one.rules(TOOLS)] == [learned("a").name]
    assert (Shelf(tmp_path, "other").rules(TOOLS), Shelf(tmp_path, "other").empty, one.empty) == ((), True, False)
    folders = [tmp_path / "a" / "same", tmp_path / "b" / "same"]
    for folder in folders:
        (folder / ".knowflow").mkdir(parents=True)
    assert len({project_of(folder) for folder in [*folders, Path("/")]}) == 3
    assert project_of(folders[0] / ".knowflow") == project_of(folders[0])


def test_a_file_with_errors_is_left_out_and_told(tmp_path: Path) -> None:
    shelf, one = Shelf(tmp_path, "p"), learned("a")
    with shelf.changing():
        shelf.put(one)
    text = (shelf.folder / f"{one.name}.yaml").read_text(encoding="utf-8")
    (shelf.folder / f"{one.name}.yaml").write_text(
        text.replace("cause: [scale_missing", "cause: [no_cause"), encoding="utf-8"
    )
    (shelf.folder / "half.yaml").write_text("memory: 1\nrule: {", encoding="utf-8")
    found = shelf.found(TOOLS)
    assert (dict(found.learned), shelf.rules(TOOLS)) == ({}, ())
    assert {"unknown_cause"} < {problem.code for problem in found.problems}
    with pytest.raises(DocumentError):
        shelf.one(one.name, TOOLS)
    with pytest.raises(UnknownNameError):
        shelf.one("nothing", TOOLS)


def _learn(home: Path, worker: int, dies: bool) -> None:
    shelf = Shelf(home, "p")
    for number in range(10):
        with shelf.changing():
            shelf.put(learned(f"{worker}-{number}", 1 / (number + 2)))
            count = learned("count")
            known = shelf.found(TOOLS).learned.get(count.name)
            cases = (
                *(known.cases if known else ()),
                count.cases[0].model_copy(update={"number": worker * 10 + number}),
            )
            shelf.put(count.model_copy(update={"cases": cases}))
            if dies and number == 9:
                os.kill(os.getpid(), signal.SIGKILL)


def test_processes_that_learn_at_once_lose_nothing_though_one_is_killed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_learn, args=(tmp_path, number, number == 3)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, -signal.SIGKILL]
    found = Shelf(tmp_path, "p").found(TOOLS)
    assert (found.problems, len(found.learned)) == ((), 41)
    counted = found.learned[learned("count").name]
    assert sorted(one.number for one in counted.cases) == list(range(40))


def test_whether_a_person_is_asked_is_said_in_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".knowflow").mkdir()
    monkeypatch.chdir(tmp_path)
    assert mode() == "automatic"
    (tmp_path / ".knowflow" / "memory.yaml").write_text("learning: review", encoding="utf-8")
    assert mode() == "review"
    monkeypatch.setenv("KNOWFLOW_MEMORY", "off")
    assert mode() == "off"
    for said in ("nonsense", ""):
        monkeypatch.setenv("KNOWFLOW_MEMORY", said)
        (tmp_path / ".knowflow" / "memory.yaml").write_text("learning: 3", encoding="utf-8")
        with pytest.raises(DocumentError):
            mode()
