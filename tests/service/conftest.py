"""The command line, for tests of the whole way from a question to its answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from service_examples import Answered, Command

from knowflow.roof.cli import main


@pytest.fixture
def knowflow(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run a command with ``--json`` in this process, in an empty current directory; never a traceback."""
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    monkeypatch.chdir(cwd)

    def call(*arguments: object) -> Answered:
        with pytest.raises(SystemExit) as end:
            main([*map(str, arguments), "--json"])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        result = json.loads(out) if out else {}
        told = json.loads(err.strip().splitlines()[-1])["error"] if err.strip().endswith("}") else {}
        return Answered(int(end.value.code or 0), result, told or result.get("error") or {}, err)

    return call
