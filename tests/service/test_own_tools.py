"""A tool of a project's own runs in a worker process, which finds its module by itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from knowflow import KnowFlow

MODULE = """
import os


def whereabouts(word: str) -> str:
    return f"{word} {os.getpid()}"
"""
SCHEMA = """
tool: whereabouts
title: Where a tool runs
kit: io
layers: [2]
parameters: {word: {type: string}}
returns: {type: text}
run: python:own_whereabouts:whereabouts
isolate: process
"""


def test_a_tool_of_the_project_runs_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".knowflow" / "schemas").mkdir(parents=True)
    (tmp_path / ".knowflow" / "own_whereabouts.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / ".knowflow" / "schemas" / "whereabouts.yaml").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    result = KnowFlow().run_tool("whereabouts", {"word": "here"}, out=tmp_path / "out")
    assert result.status == "completed", result.error
    word, process = str(result.answer).split()
    assert word == "here"
    assert int(process) != os.getpid()


def test_checking_a_project_imports_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "imported.txt"
    (tmp_path / ".knowflow" / "schemas").mkdir(parents=True)
    module = f"{MODULE}\nfrom pathlib import Path\nPath({str(marker)!r}).write_text('imported')\n"
    (tmp_path / ".knowflow" / "own_unseen.py").write_text(module, encoding="utf-8")
    schema = tmp_path / ".knowflow" / "schemas" / "whereabouts.yaml"
    schema.write_text(SCHEMA.replace("own_whereabouts", "own_unseen"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert [problem for problem in KnowFlow().check([schema]) if problem.severity == "error"] == []
    schema.write_text(schema.read_text(encoding="utf-8").replace("word:", "words:"), encoding="utf-8")
    assert {problem.code for problem in KnowFlow().check([schema])} >= {"unknown_parameter", "missing_parameter"}
    assert not marker.exists()
