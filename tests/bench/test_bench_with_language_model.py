"""Calls of a pack planned with a language model where there is no plan without it, and what that gains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from knowflow.roof.cli import main
from knowflow_bench.openai_server import OpenAIServer, Reply, openai_server

pytest.importorskip("openai")

FILES = [f"Ruritania_2020-07-{day}_NDVI.tif" for day in ("01", "09", "17", "25")]
PATHS = [f"data/q1/{name}" for name in FILES]
MEANS = {"name": "calc_batch_image_mean", "input": {"file_list": PATHS}, "output": [1, 2, 3, 4]}
LIST = {"name": "get_filelist", "input": {"dir_path": "data/q1"}, "output": FILES}
UNDERSTOOD = {
    "id": 1,
    "modality": "products",
    "query_auto_planning": "What was the mean NDVI of Ruritania in July 2020?",
    "query_instruction_following": "Average every NDVI image of Ruritania of July 2020, then average the averages.",
    "data_dir": "data/q1",
    "files": FILES,
    "tool_calls": [LIST, MEANS, {"name": "mean", "input": {"x": [1, 2, 3, 4]}, "output": 2.5}],
}
TAILS = {
    **UNDERSTOOD,
    "id": 2,
    "query_auto_planning": "What is the tailedness?",
    "tool_calls": [LIST, MEANS, {"name": "kurtosis", "input": {"x": [1, 2, 3, 4]}, "output": 1.6}],
}
GLEE = {**UNDERSTOOD, "id": 3, "query_auto_planning": "Is the glee there?"}
READ = {"fillings": [{"slot": "operation", "value": "kurtosis", "words": "tailedness"}]}
NOTHING = {"cannot": "glee is no quantity", "because": "glee is no quantity", "choice": ""}


def answer(body: Mapping[str, Any]) -> Reply:
    """Reads "tailedness" and gives up on all else, in whichever shape it is asked."""
    if "tailedness" in body["messages"][1]["content"]:
        return Reply(READ)
    shape = body["response_format"]["json_schema"]["schema"]["properties"]
    return Reply({name: value for name, value in NOTHING.items() if name in shape})


def use(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    monkeypatch.setenv("KNOWFLOW_LLM_BASE_URL", server.url)
    monkeypatch.setenv("KNOWFLOW_LLM_MODEL", "m")


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    out, err = capfd.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, (UNDERSTOOD, TAILS, GLEE))), encoding="utf-8")
    return path


def test_the_model_is_asked_only_where_there_is_no_plan_and_its_gains_are_told_apart(
    questions: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(say=answer) as server:
        use(monkeypatch, server)
        code, out, _ = run(capfd, "bench", "earth-bench", "--questions", questions, "--regime", "ap", "--llm", "--json")
    assert code == 0
    found = json.loads(out)
    gained = found["language_model"]
    assert (gained["asked"], gained["planned"], gained["questions"]) == (2, 1, [2, 3])
    assert gained["by_stage"] == {"filled slots": 1, "none": 1}
    assert gained["tokens"] == 100 * len(server.requests)
    assert gained["without"]["abstained"] == pytest.approx(2 / 3, abs=1e-3)
    assert gained["with"]["abstained"] == pytest.approx(1 / 3, abs=1e-3)
    assert gained["with"]["tem"] == found["tem"] > gained["without"]["tem"]
    assert gained["of_its_plans"]["tem"] == 1.0
    assert found["invented"] == []


def test_without_the_option_no_model_is_asked_and_nothing_is_said_of_one(
    questions: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(READ) as server:
        use(monkeypatch, server)
        code, out, _ = run(capfd, "bench", "earth-bench", "--questions", questions, "--regime", "ap", "--json")
    assert (code, server.requests) == (0, [])
    assert "language_model" not in json.loads(out)


def test_the_gains_are_a_part_of_the_table(
    questions: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(say=answer) as server:
        use(monkeypatch, server)
        _, out, _ = run(capfd, "bench", "earth-bench", "--questions", questions, "--regime", "ap", "--llm")
    assert "The language model (m) was asked 2 times and planned 1" in out
    assert "without its plans" in out


def test_the_option_without_a_model_is_an_error(questions: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capfd, "bench", "earth-bench", "--questions", questions, "--regime", "ap", "--llm")
    assert code == 2
    assert "none is configured" in err


def test_calls_are_planned_and_explained_with_the_models_part(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("\n".join(FILES), encoding="utf-8")
    asked = ("plan", "What is the tailedness?", "--data", names, "--tools", "earth_agent", "--calls", "--explain")
    code, _, _ = run(capfd, *asked)
    assert code == 2
    with openai_server(READ) as server:
        use(monkeypatch, server)
        code, out, _ = run(capfd, *asked, "--llm")
    assert code == 0
    assert "kurtosis" in out
    assert "a language model (m) filled slots" in out
    assert "tailedness" in out


@pytest.mark.parametrize(
    "choice",
    [
        {"choice": "tool rm_rf", "because": "?"},
        {"choice": "data other_folder/secret.tif", "because": "?"},
        {"choice": "tool calc_batch_image_mean", "because": "?", "values": {"file_list": ["/etc/passwd"]}},
    ],
)
def test_calls_name_only_tools_and_files_that_exist(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, choice: Mapping[str, Any]
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("\n".join(FILES), encoding="utf-8")
    with openai_server({"cannot": "no"}, choice) as server:  # without a quantity there is no plan to adapt
        use(monkeypatch, server)
        code, out, err = run(
            capfd, "plan", "Is the glee there?", "--data", names, "--tools", "earth_agent", "--calls", "--llm"
        )
    assert (code, out) == (2, "")
    assert "composed a template" in err
    assert len(server.requests) == 4
    assert "expected" in server.requests[2]["messages"][-1]["content"]
