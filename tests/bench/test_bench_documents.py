"""`knowflow bench check`: what is authored for benches is read, and everything wrong with it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowflow import KnowFlow
from knowflow.ground.errors import DataNotFoundError
from knowflow.ground.resources import packaged_root
from knowflow.roof.cli import main
from knowflow_bench.calibration import questions
from knowflow_bench.documents import KINDS, check
from knowflow_bench.tasks.documents import benchmark_files

BROKEN = {
    "benchmark": ("benchmark: nowhere\nscenes: {}\ntasks: []\n", {"unknown_name"}),
    "folder": ("- folder: a\n  files: [{path: a.tif}]\n  fils: []\n", {"unknown_key"}),
    "corpus": ("corpus: mine\nquestions:\n  - {question: a, asks: 'mean('}\n  - {question: a}\n", {"duplicate_name"}),
}


def test_all_that_is_at_hand_is_sound() -> None:
    assert check() == []
    assert check([packaged_root("benchmarks") / name for name in ("tasks", "folders", "corpus")]) == []
    assert len(questions("paraphrases", "unrelated", "held_out")) > 100


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_wrong_with_a_file_is_told_with_its_line(kind: str, tmp_path: Path) -> None:
    text, codes = BROKEN[kind]
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    found = check([tmp_path])
    assert {problem.code for problem in found} >= codes
    assert all(problem.file == str(path) and problem.line >= 1 for problem in found)


def test_a_document_that_is_no_bench_s_is_sent_on(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("rules: []\n", encoding="utf-8")
    (problem,) = check([path])
    assert (problem.code, "`knowflow check`" in (problem.hint or "")) == ("unknown_kind", True)
    with pytest.raises(DataNotFoundError):
        check([tmp_path / "nothing.yaml"])


def test_the_check_of_knowledge_says_who_reads_documents_of_benches(tmp_path: Path) -> None:
    for kind in KINDS:
        path = tmp_path / f"{kind}.yaml"
        path.write_text(BROKEN[kind][0], encoding="utf-8")
        (problem,) = KnowFlow().check([path])
        assert (problem.code, "`knowflow bench check`" in (problem.hint or "")) == ("unknown_kind", True)


def test_a_project_has_tasks_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / ".knowflow" / "benchmarks" / "tasks"
    own.mkdir(parents=True)
    text = (packaged_root("benchmarks") / "tasks" / "water.yaml").read_text(encoding="utf-8")
    (own / "mine.yaml").write_text(text, encoding="utf-8")
    assert len(benchmark_files()) == 1 + len(list((packaged_root("benchmarks") / "tasks").glob("*.yaml")))
    old = tmp_path / ".knowflow" / "pkb" / "tasks" / "mine.yaml"
    old.parent.mkdir(parents=True)
    old.write_text(text, encoding="utf-8")
    (problem,) = KnowFlow().check([old])
    assert (problem.code, problem.expected) == ("not_in_use", f"{tmp_path / '.knowflow'}/benchmarks/tasks/")


def test_the_command_writes_schemas_and_tells_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(BROKEN["corpus"][0], encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["bench", "check", str(path), "--write-schemas", str(tmp_path / "schemas"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert ended.value.code == 1
    assert {problem["code"] for problem in told["problems"]} >= {"duplicate_name"}
    assert {Path(one).name for one in told["schemas"]} == {
        f"{kind}.schema.json" for kind in ("benchmark", "folders", "corpus")
    }
