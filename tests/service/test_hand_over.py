"""What is left in the output folder when a run ends, however the page that tells of it fares."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from service_examples import NDVI, Command, scene

from knowflow import KnowFlow
from knowflow.roof.library import Pages
from knowflow.service import hand_over
from knowflow.service.results import RunResult
from knowflow.service.run_edits import Change

QUERY = "What share of the area has NDVI above 0.25?"
DATES = ["2022-06-01", "2022-06-11", "2022-06-21"]
LAST = f"map_{DATES[-1]}.tif"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    field = {**NDVI, "values": "minimum(x + t, 1)", "dates": DATES}
    clouds = {**NDVI, "name": "clouds", "quantity": "cloud_mask", "values": "x + t > 0.75", "dtype": "uint8"}
    return scene(tmp_path / "data", field, {**clouds, "dates": DATES})


SEEN = "is of what was seen"


@pytest.fixture
def run(data: Path, tmp_path: Path) -> RunResult:
    return KnowFlow().run(QUERY, data, out=tmp_path / "out")


def without_last_date(run: RunResult, out: Path) -> RunResult:
    assert run.run_id is not None
    (last,) = [node["id"] for node in run.nodes if node["tool"] == "mask_clouds" and DATES[-1] in node["id"]]
    return KnowFlow().edit_run(run.run_id, Change(drop=(last,)), out=out)


def test_results_beside_those_of_another_question_are_told(run: RunResult, data: Path, tmp_path: Path) -> None:
    assert run.notes == KnowFlow().run(QUERY, data, out=tmp_path / "out").notes
    assert all(SEEN in note for note in run.notes)
    other = KnowFlow().run("What is the mean NDVI?", data, out=tmp_path / "out")
    (note,) = other.notes
    assert (QUERY in note, str(tmp_path / "out") in note, "--out" in note) == (True, True, True)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TypeError("no such colour"), ("a defect of KnowFlow: TypeError: no such colour", "report.log")),
        (OSError(errno.ENOSPC, "No space left on device"), ("no space is left to write",)),
    ],
)
def test_a_report_that_cannot_be_made_takes_no_answer_away(
    knowflow: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: list[str]
) -> None:
    def fail(*_: object) -> Path:
        raise error

    monkeypatch.setattr(Pages, "report", fail)
    found = knowflow("run", QUERY, "--data", data, "--out", tmp_path / "out", "--runner", "local")
    assert (found.code, found.result["status"], found.result["report"]) == (0, "completed", None)
    assert found.result["answer"] == pytest.approx(0.69, abs=0.02)  # of what is clear: 0.5 / (0.75 - t), t to 20 days
    (note,) = [note for note in found.result["notes"] if SEEN not in note]
    for word in words:
        assert word in note
    assert (tmp_path / "out" / LAST).is_file()


def test_a_run_whose_results_a_defect_keeps_back_is_not_completed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise TypeError("no such format")

    with monkeypatch.context() as patched:
        patched.setattr(hand_over, "deliver", fail)
        found = KnowFlow().run(QUERY, data, out=tmp_path / "out")
    assert found.run_id is not None
    assert (found.status, KnowFlow().trace(found.run_id).status, found.answer) == ("failed", "failed", None)
    assert found.error is not None
    assert "TypeError: no such format" in found.error["found"]
    assert "no such format" in Path(found.error["hint"].rpartition(" with ")[2]).read_text(encoding="utf-8")
    assert KnowFlow().resume(found.run_id, out=tmp_path / "out").status == "completed"


def test_a_defect_of_the_report_leaves_its_traceback_with_the_run(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Path:
        raise KeyError("colour")

    monkeypatch.setattr(Pages, "report", fail)
    note = KnowFlow().run(QUERY, data, out=tmp_path / "out").notes[-1]
    log = Path(note.rpartition("report it with ")[2])
    assert 'raise KeyError("colour")' in log.read_text(encoding="utf-8")


def test_files_that_are_no_results_any_more_are_removed(run: RunResult, tmp_path: Path) -> None:
    assert (tmp_path / "out" / LAST).is_file()
    edited = without_last_date(run, tmp_path / "out")
    assert edited.status == "completed"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        ".knowflow-run",
        "answer.json",
        *(f"map_{day}{suffix}" for day in DATES[:-1] for suffix in (".qml", ".tif", ".tif.aux.xml")),
        "report.html",
    ]


def test_files_that_somebody_wrote_to_since_stay(run: RunResult, tmp_path: Path) -> None:
    kept = tmp_path / "out" / LAST
    os.utime(kept, ns=(0, 0))
    without_last_date(run, tmp_path / "out")
    assert kept.is_file()


def test_files_in_another_folder_stay(run: RunResult, tmp_path: Path) -> None:
    without_last_date(run, tmp_path / "other")
    assert (tmp_path / "out" / LAST).is_file()
    assert not (tmp_path / "other" / LAST).exists()
