"""The local server: started once, found again, recovered from, and left alone where it is not ours."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from knowflow.execution import prefect_server
from knowflow.ground.errors import ServerError
from knowflow.ground.locks import is_locked


@pytest.fixture
def nothing_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "user"))
    return tmp_path / "user"


def test_the_running_server_is_found_and_not_started_again(server: tuple[str, Path]) -> None:
    api_url, home = server
    before = prefect_server.server_status(home)
    assert prefect_server.ensure_server(home) == api_url
    assert prefect_server.server_status(home) == before
    assert before.running
    assert before.ours
    assert before.ui_url == api_url.removesuffix("/api")
    assert before.pid is not None
    assert os.getsid(before.pid) != os.getsid(0)


def test_a_record_whose_server_is_gone_counts_for_nothing(tmp_path: Path, nothing_configured: Path) -> None:
    folder = prefect_server.server_folder(tmp_path)
    folder.mkdir(parents=True)
    record = {"pid": os.getpid(), "api_url": "http://127.0.0.1:9/api", "version": "3"}
    (folder / "server.json").write_text(json.dumps(record))
    assert not prefect_server.server_status(tmp_path).running
    assert prefect_server.stop_server(tmp_path) is False


def test_a_server_that_does_not_come_up_is_an_error_with_the_end_of_its_log(
    tmp_path: Path, nothing_configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho the database is bewitched\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setattr(prefect_server.sys, "executable", str(broken))
    with pytest.raises(ServerError) as caught:
        prefect_server.ensure_server(tmp_path)
    assert caught.value.found == "the database is bewitched"
    assert "--runner local" in str(caught.value)
    folder = prefect_server.server_folder(tmp_path)
    assert not is_locked(folder / "alive.lock")
    assert not is_locked(folder / "server.lock")


def test_a_server_that_hangs_is_ended_when_patience_does(
    tmp_path: Path, nothing_configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n")
    hanging.chmod(0o700)
    monkeypatch.setattr(prefect_server.sys, "executable", str(hanging))
    with pytest.raises(ServerError):
        prefect_server.ensure_server(tmp_path, timeout=0.3)
    assert not is_locked(prefect_server.server_folder(tmp_path) / "alive.lock")


def test_the_users_server_is_known_from_the_environment(
    nothing_configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prefect_server.configured_server() is None
    monkeypatch.setenv("PREFECT_API_URL", "http://example.test/api/")
    assert prefect_server.configured_server() == "http://example.test/api"


def test_the_users_server_is_known_from_the_active_profile(nothing_configured: Path) -> None:
    nothing_configured.mkdir()
    profiles = nothing_configured / "profiles.toml"
    profiles.write_text('active = "work"\n[profiles.work]\nPREFECT_API_URL = "http://work.test/api"\n[profiles.home]\n')
    assert prefect_server.configured_server() == "http://work.test/api"
    profiles.write_text('active = "home"\n[profiles.home]\nPREFECT_LOGGING_LEVEL = "INFO"\n')
    assert prefect_server.configured_server() is None
    profiles.write_text("not toml [")
    assert prefect_server.configured_server() is None


def test_the_server_gets_nothing_of_what_the_user_told_other_prefects_and_no_telemetry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_KEY", "secret")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test")
    environment = prefect_server._environment(tmp_path, 4321)
    assert "PREFECT_API_KEY" not in environment
    assert environment["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert environment["PREFECT_SERVER_UI_API_URL"] == "http://127.0.0.1:4321/api"
    assert "127.0.0.1" in environment["NO_PROXY"]
