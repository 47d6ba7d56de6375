"""Completion: a real bash completes names, by the script that is printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent


def completed(line: str, home: Path) -> list[str]:
    """What bash would offer at the end of a line."""
    words = line.split(" ")
    script = (
        'eval "$(knowflow completion bash)"\n'
        f"COMP_WORDS=({' '.join(words)} {'' if words[-1] else chr(39) * 2}); COMP_CWORD={len(words) - 1}\n"
        '_knowflow_completion knowflow\nprintf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "KNOWFLOW_HOME": str(home)}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_names(tmp_path: Path) -> None:
    for name in ("20260101-000000-aaaa", "20260202-000000-bbbb"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    assert completed("knowflow pl", tmp_path) == ["plan"]
    assert completed("knowflow run --templ", tmp_path) == ["--template"]
    assert completed("knowflow run --template true_", tmp_path) == ["true_colour_picture"]
    assert completed("knowflow tools show conto", tmp_path) == ["contour"]
    assert completed("knowflow runs show 2026", tmp_path) == ["20260202-000000-bbbb", "20260101-000000-aaaa"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str) -> None:
    done = subprocess.run([BIN / "knowflow", "completion", shell], capture_output=True, text=True, timeout=60)
    assert "_KNOWFLOW_COMPLETE" in done.stdout


def test_without_a_command_there_is_help() -> None:
    done = subprocess.run([BIN / "knowflow"], capture_output=True, text=True, timeout=60)
    assert "Usage: knowflow" in done.stdout + done.stderr
    assert "defect" not in done.stderr
