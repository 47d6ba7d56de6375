"""Where the settings come from, which wins, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import DocumentError
from knowflow.reason.llm import Settings, settings, status

FILE = """\
base_url: http://localhost:11434/v1
model: small
temperature: 0
attempts: 5
budget: {calls: 7}
"""


def written(folder: Path, text: str) -> Path:
    (folder / "llm.yaml").write_text(text)
    return folder


def test_nothing_said_is_nothing_configured(tmp_path: Path) -> None:
    found = settings({}, tmp_path)
    assert found == Settings()
    assert not found.configured
    assert not status(found).on
    assert status(found).ok


def test_the_file_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    folder = written(tmp_path, FILE)
    found = settings({}, folder)
    assert (found.base_url, found.model, found.temperature, found.attempts) == (
        "http://localhost:11434/v1",
        "small",
        0.0,
        5,
    )
    assert (found.limits.calls, found.limits.tokens) == (7, 200_000)
    over = settings({"KNOWFLOW_LLM_MODEL": "large", "KNOWFLOW_LLM_TOKENS": "99", "OPENAI_API_KEY": "sk-1"}, folder)
    assert (over.model, over.limits.tokens, over.limits.calls, over.api_key) == ("large", 99, 7, "sk-1")


def test_our_own_variables_win_over_those_of_openai(tmp_path: Path) -> None:
    environment = {
        "OPENAI_API_KEY": "sk-theirs",
        "KNOWFLOW_LLM_API_KEY": "sk-ours",
        "OPENAI_BASE_URL": "http://theirs",
        "KNOWFLOW_LLM_BASE_URL": "http://ours",
    }
    found = settings(environment, tmp_path)
    assert (found.api_key, found.base_url) == ("sk-ours", "http://ours")


@pytest.mark.parametrize("word", ["off", "no", "0", "False"])
def test_it_can_be_switched_off_whatever_is_configured(tmp_path: Path, word: str) -> None:
    found = settings({"KNOWFLOW_LLM": word, "OPENAI_API_KEY": "sk-1"}, tmp_path)
    assert not found.configured
    assert status(found).says == "switched off"


def test_every_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        settings({"KNOWFLOW_LLM_CALLS": "many", "KNOWFLOW_LLM_TIMEOUT": "-1"}, tmp_path)
    assert {problem.where for problem in caught.value.problems} == {"KNOWFLOW_LLM_CALLS", "KNOWFLOW_LLM_TIMEOUT"}


def test_a_wrong_file_is_refused_with_its_lines(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        settings({}, written(tmp_path, "modell: x\nretries: lots\n"))
    assert {(problem.code, problem.line) for problem in caught.value.problems} == {("unknown_key", 1), ("bad_value", 2)}


def test_the_folder_of_a_project_has_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".knowflow").mkdir()
    written(tmp_path / ".knowflow", "base_url: http://elsewhere.example\n")
    monkeypatch.chdir(tmp_path)
    assert not settings({}).configured


def test_no_key_and_no_password_is_said(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    found = settings(
        {"KNOWFLOW_LLM_BASE_URL": "https://me:pass@host:8000/v1?key=q", "OPENAI_API_KEY": "sk-1234567"}, tmp_path
    )
    said = status(found).says
    assert "https://host:8000/v1" in said
    assert not any(secret in said for secret in ("sk-1234567", "pass", "key=q"))


def test_recorded_exchanges_stand_for_a_model_where_the_file_is_there(tmp_path: Path) -> None:
    found = settings({"KNOWFLOW_LLM_REPLAY": str(tmp_path / "llm.jsonl")}, tmp_path)
    assert found.configured
    assert not status(found).ok
    (tmp_path / "llm.jsonl").touch()
    assert status(found).on
