"""Homes, notes of calls, and one real Prefect server for the whole session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import execution_toolbox
import pytest
from execution_examples import toolbox_catalogue

from knowflow.execution import prefect_server
from knowflow.model.tool import ToolSchema


@pytest.fixture(scope="session")
def catalogue() -> dict[str, ToolSchema]:
    return toolbox_catalogue()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the tools note that they were called."""
    path = tmp_path / "calls"
    path.touch()
    monkeypatch.setenv(execution_toolbox.CALLS, str(path))
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Our own Prefect server, started by our own code: its API address and the home it belongs to."""
    saved = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("PREFECT_")}
    home = tmp_path_factory.mktemp("server")
    os.environ["PREFECT_HOME"] = str(home / "prefect")
    try:
        yield prefect_server.ensure_server(home), home
    finally:
        _deliver_logs()
        assert prefect_server.stop_server(home)
        assert not prefect_server.server_status(home).running
        del os.environ["PREFECT_HOME"]
        os.environ.update(saved)


def _deliver_logs() -> None:
    """What Prefect's background threads still hold is delivered before the server goes."""
    if "prefect.logging.handlers" in sys.modules:
        sys.modules["prefect.logging.handlers"].APILogWorker.drain_all()
