"""Files that somebody writes to while a run reads them: no result is ever kept under the key of another content."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import execution_toolbox
import numpy as np
import pytest
import rasterio
from execution_examples import node, plan, schema
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.execution.action import Action, Outcome
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.keys import FileDigests, Keyring
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, FromNode
from knowflow.reason.inventory import read_artifact
from knowflow.tools.registry import implementation_digest

NUMBER_IN = schema("number_in", {"file": {"type": "path"}})
CONTENTS = (1.0, 2.0, 3.0)


def workshop(home: Path) -> Workshop:
    return Workshop(Cache(home), Keyring(FileDigests(home / "digests.sqlite"), implementation_digest))


def carry(at: Workshop, file: Path) -> Outcome:
    return at(Action("n", "the node", NUMBER_IN, {"file": str(file)}))


def over(file: Path, number: float) -> None:
    file.write_text(str(number))


def in_its_place(file: Path, number: float) -> None:
    """Another file under its name, as old as the one before."""
    before = os.stat(file)
    other = file.with_name("other")
    other.write_text(str(number))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)


def with_the_old_time(file: Path, number: float) -> None:
    before = os.stat(file)
    file.write_text(str(number))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def there_and_back(file: Path, number: float) -> None:
    kept = file.read_text()
    file.write_text(str(number))
    file.write_text(kept)


WAYS: tuple[Callable[[Path, float], None], ...] = (over, in_its_place, with_the_old_time, there_and_back)
deeds = st.lists(st.tuples(st.sampled_from(WAYS), st.sampled_from(CONTENTS)), max_size=2)


@given(st.lists(st.fixed_dictionaries({"before": deeds, "after": deeds}), min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_whatever_is_done_to_a_file_while_it_is_read_the_cache_tells_the_truth_of_each_content(
    script: list[Mapping[str, Any]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        file, home = Path(folder) / "n.txt", Path(folder) / "home"
        over(file, CONTENTS[0])
        turns = iter(script)
        turn: list[Mapping[str, Any]] = []

        def meanwhile(when: str) -> None:
            if when == "before":
                turn[:] = [next(turns, {})]
            for way, number in turn[0].get(when, ()):
                way(file, number)

        patch.setattr(execution_toolbox, "meanwhile", meanwhile)
        found = carry(workshop(home), file)
        if found.error is not None:
            assert (found.error.code, found.error.where) == ("changed_input", str(file))
        patch.setattr(execution_toolbox, "meanwhile", lambda when: None)
        for number in CONTENTS:
            over(file, number)
            assert carry(workshop(home), file).outputs["value"].value == number


def test_a_node_whose_file_is_replaced_while_it_is_read_fails_and_names_the_file(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "n.txt"
    over(file, 1.0)
    monkeypatch.setattr(execution_toolbox, "meanwhile", lambda when: when == "before" and in_its_place(file, 2.0))
    error = carry(workshop(home), file).error
    assert error is not None
    assert (error.code, error.where, error.exit_code) == ("changed_input", str(file), 3)
    assert "n.txt was written" in error.message


def test_a_node_whose_file_is_only_touched_is_repeated(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    file, touched = tmp_path / "n.txt", []
    over(file, 1.0)

    def touch(when: str) -> None:
        if not touched:
            touched.append(when)
            os.utime(file, (1, 1))

    monkeypatch.setattr(execution_toolbox, "meanwhile", touch)
    found = carry(workshop(home), file)
    assert (found.error, found.outputs["value"].value) == (None, 1.0)
    assert calls.read_text() == "number_in\n" * 2


def test_a_tool_that_fails_since_its_file_went_away_is_told_by_the_file(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "n.txt"
    over(file, 1.0)
    monkeypatch.setattr(execution_toolbox, "meanwhile", lambda when: file.write_text("no number") and None)
    error = carry(workshop(home), file).error
    assert error is not None
    assert error.code == "changed_input"


@pytest.fixture
def rasters(tmp_path: Path) -> dict[str, Any]:
    def write(name: str, fill: float) -> Path:
        path = tmp_path / name
        profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
        with rasterio.open(path, "w", transform=rasterio.Affine(10, 0, 0, 0, -10, 0), **profile) as file:
            file.write(np.full((1, 4, 4), fill, "float32"))
        return path

    return {"a": write("a.tif", 1.0), "b": write("b.tif", 5.0)}


MEAN: dict[str, ToolSchema] = {
    "mean_of": schema("mean_of", {"raster": {"type": "raster"}}),
    "mean_after": schema("mean_after", {"raster": {"type": "raster"}, "later": {"type": "number"}}),
}


def test_two_nodes_of_one_run_never_read_two_states_of_a_file(
    rasters: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second node begins after the first has ended, by when the file is another."""
    first = node("first", "mean_of", raster=FromInput("r"))
    second = node("second", "mean_after", raster=FromInput("r"), later=FromNode("first"))
    asked = replace(plan(first, second), inputs={"r": read_artifact(rasters["a"])})

    def meanwhile(event: Any) -> None:
        if type(event).__name__ == "NodeEnded" and event.record.node == "first":
            rasters["b"].replace(rasters["a"])

    trace = execute(asked, MEAN, LocalRunner(1), home, on_event=meanwhile)
    assert trace.record("first").outputs["value"].value == 1.0
    assert (trace.status, (trace.error or {})["code"]) == ("failed", "changed_input")
    assert (trace.error or {})["message"].startswith("a.tif was written")


def test_a_file_that_was_replaced_since_the_run_began_is_not_read_by_the_facts_of_the_one_before(
    rasters: dict[str, Any], home: Path
) -> None:
    asked = replace(plan(node("n", "mean_of", raster=FromInput("r"))), inputs={"r": read_artifact(rasters["a"])})

    def meanwhile(event: Any) -> None:
        if type(event).__name__ == "RunStarted":
            rasters["b"].replace(rasters["a"])

    trace = execute(asked, MEAN, LocalRunner(1), home, on_event=meanwhile)
    assert (trace.status, (trace.error or {})["code"]) == ("failed", "changed_input")
    again = execute(asked, MEAN, LocalRunner(1), home)
    assert again.outputs["answer"].value == 5.0


def test_the_plan_is_asked_for_once_its_files_are_on_record_and_what_it_tells_is_a_note(
    rasters: dict[str, Any], home: Path
) -> None:
    asked = replace(plan(node("n", "mean_of", raster=FromInput("r"))), inputs={"r": read_artifact(rasters["a"])})
    trace = execute(asked, MEAN, LocalRunner(1), home, admit=lambda plan: ("the file is new",))
    assert (trace.status, trace.notes) == ("completed", ("the file is new",))
