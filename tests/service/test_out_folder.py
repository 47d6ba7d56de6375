"""A folder for results is of one run at a time, and says whose results it holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.service.out_folder import OutputInUseError, taken
from knowflow.service.results import RunResult

MEAN, SHARE = "What is the mean NDVI?", "What share of the area has NDVI above 0.6?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return scene(tmp_path / "data")


def test_a_second_run_with_the_folder_of_one_that_has_not_ended_is_refused(data: Path, tmp_path: Path) -> None:
    out, second = tmp_path / "out", []

    def meanwhile(event: Any) -> None:
        if type(event).__name__ == "RunStarted":
            second.append(KnowFlow().run(SHARE, data, out=out))

    first = KnowFlow().run(MEAN, data, out=out, on_event=meanwhile)
    assert (first.status, second[0].status) == ("completed", "refused")
    assert (second[0].error or {})["code"] == "output_in_use"
    assert str(os.getpid()) in (second[0].error or {})["found"]
    assert json.loads((out / "answer.json").read_text())["query"] == MEAN
    assert KnowFlow().run(SHARE, data, out=out).status == "completed"


def test_runs_at_once_with_one_folder_never_mix_their_files(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def ask(query: str) -> RunResult:
        return KnowFlow().run(query, data, out=out)

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(ask, (MEAN, SHARE)))
    completed = [one for one in found if one.status == "completed"]
    assert {one.status for one in found} <= {"completed", "refused"}
    held = json.loads((out / "answer.json").read_text())
    assert held["run_id"] in {one.run_id for one in completed}
    assert held["run_id"] in (out / "report.html").read_text()


def test_the_folder_of_a_run_whose_process_was_killed_is_free_again(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from knowflow.service.out_folder import taken\n"
        "with taken(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert "pid" in json.loads((tmp_path / ".knowflow-run").read_text())
    with taken(tmp_path), pytest.raises(OutputInUseError), taken(tmp_path):
        pass
    with taken(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == [], "nothing was delivered"


def test_maps_of_another_question_that_are_still_in_the_folder_are_told(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = KnowFlow().run(SHARE, data, out=out)
    kept = sorted(Path(path).name for path in first.outputs.values() if Path(path).parent == out)
    assert first.status == "completed"
    assert kept
    second = KnowFlow().run(MEAN, data, out=out)
    (told,) = [note for note in second.notes if "held the results of" in note]
    assert str(first.run_id) in told
    assert kept[0] in told
    third = KnowFlow().run(MEAN, data, out=out)
    assert not [note for note in third.notes if "held the results of" in note]
