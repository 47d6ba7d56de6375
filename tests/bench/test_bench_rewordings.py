"""Questions of Earth-Bench in other people's words: read, planned and reported set by set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.roof.cli import main
from knowflow_bench.earth_bench import run
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.earth_bench.rewordings import in_other_words, read_rewordings
from knowflow_bench.parity import Call

LIST = Call("get_filelist", {"dir_path": "data/q1"}, None)
MEAN = Call("mean", {"x": [1, 2]}, None)
ASKED = Question(1, "products", "What was the mean?", "data/q1", ("a.tif",), (LIST, MEAN))
OTHER = Question("b", "rgb", "How many planes?", "data/q2", ("A.jpg",), (LIST,))


def written(folder: Path, *lines: str) -> Path:
    path = folder / "wordings.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def by_word(question: Question) -> Prediction:
    """Knows what a mean is, and nothing of averages."""
    return Prediction((LIST, MEAN)) if "mean" in question.text else Prediction((LIST,))


def test_wordings_are_read_by_set_and_question(tmp_path: Path) -> None:
    path = written(
        tmp_path, '{"id": 1, "wordings": {"near": "x", "far": "y"}}', "", '{"id": "b", "wordings": {"far": "z"}}'
    )
    assert read_rewordings(path) == {"near": {1: "x"}, "far": {1: "y", "b": "z"}}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[]", "[]"),
        ("5", "5"),
        ("no json", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"id": 1}', "the keys id"),
        ('{"wordings": {"a": "x"}}', "the keys wordings"),
        ('{"id": 2, "wordings": ["x"]}', "the wordings ['x']"),
        ('{"id": 2, "wordings": {"a": null}}', "the wordings {'a': None}"),
        ('{"id": 2, "wordings": {"a": " "}}', "the wordings {'a': ' '}"),
        ('{"id": [2], "wordings": {"a": "x"}}', "the id [2]"),
        ('{"id": true, "wordings": {"a": "x"}}', "the id True"),
        ('{"id": 1, "wordings": {"near": "y"}}', "the question 1 of the set 'near' a second time"),
    ],
)
def test_what_is_no_wording_is_named_with_its_line(tmp_path: Path, line: str, found: str) -> None:
    path = written(tmp_path, '{"id": 1, "wordings": {"near": "x"}}', line)
    with pytest.raises(UnreadableDataError) as caught:
        read_rewordings(path)
    assert str(caught.value.where).endswith(":2")
    assert (caught.value.found or "").startswith(found)


def test_a_missing_file_and_one_without_wordings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        read_rewordings(tmp_path / "none.jsonl")
    with pytest.raises(UnreadableDataError):
        read_rewordings(written(tmp_path, ""))


def test_every_set_is_scored_by_itself_against_the_experts_calls() -> None:
    wordings = {"near": {1: "Give me the mean.", "b": "Planes?"}, "far": {1: "Its average?"}, "none": {7: "?"}}
    found = in_other_words([ASKED, OTHER], wordings, by_word, lambda name: True)
    assert (found["near"]["n"], found["near"]["tem"]) == (2, 1.0)
    assert (found["far"]["n"], found["far"]["tem"]) == (1, 0.5)
    assert found["far"]["by_modality"]["products"]["tem"] == 0.5
    assert [line["asked"] for line in found["far"]["questions"]] == ["Its average?"]
    assert found["none"] == {"n": 0}


def test_the_command_prints_a_row_for_every_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "planner_of", lambda name, tools, llm: by_word)
    questions = tmp_path / "questions.jsonl"
    calls = [{"name": "get_filelist", "input": {"dir_path": "data/q1"}}, {"name": "mean", "input": {"x": [1, 2]}}]
    one = {
        "id": 1,
        "modality": "products",
        "query_auto_planning": "The mean?",
        "data_dir": "data/q1",
        "files": ["a.tif"],
    }
    questions.write_text(json.dumps({**one, "tool_calls": calls}), encoding="utf-8")
    path = written(
        tmp_path,
        '{"id": 1, "wordings": {"far": "Its average?", "near": "Mean, please"}}',
        '{"id": 9, "wordings": {"odd": "x"}}',
    )
    command = ["bench", "earth-bench", "--questions", str(questions), "--regime", "ap", "--rewordings", str(path)]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
    shown = capsys.readouterr().out.partition("The same questions in other words:")[2].splitlines()
    assert [line.split()[:2] for line in shown[1:3]] == [["far", "1"], ["near", "1"]]
    assert "odd: none of its questions is in the file" in shown[3]
