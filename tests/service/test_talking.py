"""A conversation over real runs: what is changed is told, and the answer is that of the whole question."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from service_examples import Command, scene

from knowflow import KnowFlow

NDVI = {"name": "field", "quantity": "ndvi", "values": "x", "dates": ["2016-07-01", "2017-07-01"]}
FIRST = "What share of the area had NDVI above 0.25 in 2016?"


def test_what_is_asked_next_is_a_change_of_the_last_question(knowflow: Command, tmp_path: Path) -> None:
    folder = scene(tmp_path / "data", NDVI)
    assert knowflow("ask", "and in 2017?").code == 2, "there is nothing to go on from"
    assert knowflow("ask", FIRST, "--data", folder).result["answer"] == pytest.approx(0.75, abs=0.02)
    half = knowflow("ask", "and above 0.5?").result
    assert half["answer"] == pytest.approx(0.5, abs=0.02)
    assert any("above 0.5, in place of above 0.25" in one for one in half["assumptions"])
    percent = knowflow("ask", "in percent").result
    assert (percent["answer"], percent["unit"]) == (pytest.approx(50, abs=2), "%")
    later = knowflow("ask", "what about 2017").result
    assert "in 2017" in later["understood"]
    assert later["unit"] == "%", "what was asked for stays"
    shown = knowflow("ask", "as a map").result
    assert shown["status"] == "completed", shown
    assert shown["outputs"]["map_2017-07-01"].endswith("answer-5/map_2017-07-01.tif")
    first = next(run.run_id for run in reversed(KnowFlow().runs()))
    assert knowflow("ask", "above 0.75", "--after", first).result["answer"] == pytest.approx(0.25, abs=0.02)


def test_questions_may_come_line_by_line(
    knowflow: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = scene(tmp_path / "data", NDVI)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{FIRST}\n\nand above 0.5?\nand the zorblax?\nabove 0.75\n"))
    from knowflow.roof.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["ask", "--data", str(folder)])
    out, err = capfd.readouterr()
    assert ended.value.code == 2, "one was not understood"
    assert [line for line in out.splitlines() if "is above" in line and "Understood" in line] != []
    assert "zorblax" in err
    assert "above 0.75, in place of above 0.5" in out


def test_with_another_folder_a_new_conversation_begins(knowflow: Command, tmp_path: Path) -> None:
    folder, other = scene(tmp_path / "data", NDVI), scene(tmp_path / "other", NDVI)
    assert knowflow("ask", FIRST, "--data", folder).code == 0
    assert "in 2017" in knowflow("ask", "and in 2017?", "--data", folder).result["understood"]
    assert knowflow("ask", "and in 2016?", "--data", other).code == 2, "nothing was asked of it"


def test_a_run_that_answered_no_question_is_not_gone_on_from(tmp_path: Path) -> None:
    kf, folder = KnowFlow(), scene(tmp_path / "data", NDVI)
    file = next(folder.glob("*.tif"))
    ran = kf.run_tool("raster_statistic", {"raster": str(file), "statistic": "mean"}, out=tmp_path / "out")
    assert ran.status == "completed", ran.error
    assert kf.last_asked() is None
    refused = kf.run("and in 2017?", folder, after=ran.run_id)
    assert refused.error is not None
    assert refused.error["expected"] == "a run that answered a question"
    assert kf.run("and in 2017?").status == "refused"
