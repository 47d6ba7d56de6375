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
