"""Processes that are killed while they run or learn: what was finished is on record, goes on, and nothing is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.execution import persist, run_store
from knowflow.execution.run_store import OpenRun
from knowflow.memory.shelf import Shelf
from knowflow.service.run_edits import Change
from knowflow.service.run_index import runs_found

QUERY = "What was the mean NDVI in 2022?"
MONTHS = range(1, 5)


def folder(path: Path, layer: str = "ndvi", factor: float = 1.0, dtype: str = "float32", high: float = 0.9) -> Path:
    """A raster a month, with values that differ between folders."""
    path.mkdir(parents=True, exist_ok=True)
    profile = {"driver": "GTiff", "width": 16, "height": 16, "count": 1, "dtype": dtype, "crs": "EPSG:32633"}
    for month in MONTHS:
        values = high * (0.9 + 0.1 * np.random.default_rng(month).random((16, 16)))
        transform = Affine(30, 0, 500000, 0, -30, 5100000)
        with rasterio.open(path / f"{layer}_2022-{month:02d}-01.tif", "w", transform=transform, **profile) as file:
            file.write((values * factor).astype(dtype), 1)
    return path


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _run_and_die(home: Path, data: Path, moment: str, number: int) -> None:
    """Run, and die at one of the changes of the record of the run: before it is on disk, in the middle of it, or after
    it. What was finished by then is told in a file of its own."""
    told = os.open(home / "told", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    count = 0

    def dying(change: Callable[..., Any], name: str) -> Callable[..., Any]:
        def changed(run: OpenRun, *given: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == number and moment == "before":
                _die()
            if count == number and moment == "amid":
                if name == "record":
                    run._append = lambda _: (os.write(_journal(run), b'{"node": "half'), _die())  # type: ignore[method-assign, assignment]
                else:
                    run_store.write_text = persist.os.replace = lambda *_: _die()  # type: ignore[attr-defined]
            result = change(run, *given, **more)
            if name == "record" and given[0].ready:
                os.write(told, f"{given[0].node}\n".encode())
            if count == number:
                _die()
            return result

        return changed

    for name in ("record", "replace", "end", "find"):
        setattr(OpenRun, name, dying(getattr(OpenRun, name), name))
    KnowFlow(home=home).run(QUERY, data, out=home / "out", runner="local")


def _journal(run: OpenRun) -> int:
    assert run._journal is not None
    return os.open(run._journal, os.O_APPEND | os.O_WRONLY)


@pytest.mark.parametrize(("moment", "number"), [("after", 1), ("before", 4), ("amid", 6), ("after", 9), ("amid", 12)])
def test_what_was_finished_before_a_kill_is_on_record_and_goes_on(tmp_path: Path, moment: str, number: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    data = folder(tmp_path / "data")
    truth = KnowFlow(home=tmp_path / "other").run(QUERY, data, out=tmp_path / "out").answer
    child = multiprocessing.get_context("spawn").Process(target=_run_and_die, args=(home, data, moment, number))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    finished = set((home / "told").read_text().split())
    (found,) = runs_found(home)
    trace = KnowFlow(home=home).trace(found.run_id)
    assert (found.status, trace.status, found.query) == ("interrupted", "interrupted", QUERY)
    assert trace.request["data"] == str(data)
    assert finished <= {name for name, record in trace.records.items() if record.ready}
    again = KnowFlow(home=home).resume(found.run_id)
    assert again.answer == truth
    cached = [record.status for record in KnowFlow(home=home).trace(found.run_id).records.values()].count("cached")
    assert cached >= len(finished)
    (attempt,) = KnowFlow(home=home).trace(found.run_id).attempts
    assert attempt["status"] == "interrupted"


LST = "What was the mean surface temperature in 2022?"
STORED = ((64, "uint16"), (70, "int32"), (1000, "int32"), (3000, "int32"))  # as no known convention stores them


def _learn(home: Path, place: Path, worker: int, dies: bool) -> None:
    """Fail on files that only this process knows to explain, and explain them."""
    flow, (factor, dtype) = KnowFlow(home=home), STORED[worker]
    data = folder(place / f"lst{worker}", "lst", factor, dtype, high=310.0 + worker)
    failed = flow.run(LST, data, out=place / f"out{worker}", runner="local")
    assert failed.run_id is not None
    if dies:
        put = Shelf.put

        def dying(shelf: Shelf, learned: Any) -> None:
            put(shelf, learned)
            _die()

        Shelf.put = dying  # type: ignore[method-assign]
    flow.edit_run(failed.run_id, Change(assume=(f"lst_*:scale={1 / factor},offset=0",)))


def test_processes_that_run_fail_and_learn_at_once_lose_no_run_and_no_rule_though_one_is_killed(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_learn, args=(home, tmp_path, number, number == 3)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, -signal.SIGKILL]
    flow = KnowFlow(home=home)
    assert len(runs_found(home)) == 4
    assert len(runs_found(home, by=["person"], cause=["values_implausible"])) == 4
    found, problems = flow.memory().all()
    assert problems == ()
    scales = {one.learned.rule.then[0].state_facts["scale"] for one in found if one.learned.rule.then[0].state_facts}
    assert scales == {1 / factor for factor, _ in STORED}
