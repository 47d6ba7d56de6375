"""The local Prefect server: started once, reused by every run, stopped on request. Prefect itself is not imported.

Under ``<home>/prefect``: Prefect's own files (database), ``server.json`` (address, pid, version), ``server.log``, and
two locks. ``server.lock`` is held while somebody starts or stops the server; ``alive.lock`` is inherited by the server
itself and so held exactly as long as it lives, whatever its pid is recycled for after that.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from knowflow.execution.persist import read_json, write_json
from knowflow.ground.errors import ServerError
from knowflow.ground.locks import is_locked, locked, try_lock
from knowflow.ground.resources import state_home

_HOST = "127.0.0.1"
_ATTEMPTS = 3
_POLL_S = 0.1
_STOP_PATIENCE_S = 10.0
_LOG_TAIL_LINES = 15
_OWN_DATABASE = "in the home folder"
_OF_DATABASE = ("PREFECT_API_DATABASE_", "PREFECT_SERVER_DATABASE_")
_DATABASE_ADDRESSES = tuple(f"{begin}CONNECTION_URL" for begin in _OF_DATABASE)
_PASSWORD = re.compile(r"(://[^\s/:@]*:)[^\s@]*@")
# servers that this process has started: to be waited for when they end, so that they leave no zombies
_CHILDREN: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known of the server that runs would use. ``ours`` is false for one that the user configured;
    ``database`` is that of ours, without its password."""

    running: bool
    ours: bool
    api_url: str | None
    ui_url: str | None
    pid: int | None
    version: str | None
    log: Path | None
    database: str = ""


def ensure_server(home: Path | None = None, timeout: float = 120.0) -> str:
    """The address (``http://127.0.0.1:PORT/api``) of a server that answers: the user's, else ours, started if need be.

    Raises:
        ServerError: it did not come up within ``timeout`` seconds; the message holds the end of its log.
    """
    configured = configured_server()
    if configured is not None:
        return configured
    folder = server_folder(home)
    state = _state(folder)
    if state is not None and _is_current(state) and answers(state["api_url"]):
        return str(state["api_url"])
    with locked(folder / "server.lock"):
        state = _state(folder)
        if state is not None:
            if _is_current(state) and _await(state["api_url"], folder, timeout):
                return str(state["api_url"])
            _end(folder, state)
        return _start(folder, timeout)


def stop_server(home: Path | None = None) -> bool:
    """Stop our server; whether there was one. A server that the user configured is left alone."""
    folder = server_folder(home)
    with locked(folder / "server.lock"):
        state = _state(folder)
        if state is None:
            return False
        _end(folder, state)
        return True


def server_status(home: Path | None = None) -> ServerStatus:
    """The server that runs would use, without starting it."""
    configured = configured_server()
    if configured is not None:
        return ServerStatus(answers(configured), False, configured, ui_of(configured), None, None, None)
    folder = server_folder(home)
    state = _state(folder)
    log = folder / "server.log"
    if state is None:
        return ServerStatus(False, True, None, None, None, None, log if log.exists() else None)
    url = str(state["api_url"])
    database = str(state.get("database") or _OWN_DATABASE)
    return ServerStatus(answers(url), True, url, ui_of(url), state["pid"], state["version"], log, database)


def server_folder(home: Path | None = None) -> Path:
    return (home or state_home()) / "prefect"


def ui_of(api_url: str) -> str:
    """Where the pages of a server with that API are."""
    return api_url.rstrip("/").removesuffix("/api")


def configured_server() -> str | None:
    """The API address that the user gave Prefect, by environment or by the active profile; None without one."""
    said = os.environ.get("PREFECT_API_URL")
    if said:
        return said.rstrip("/")
    home = Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect")
    profiles = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml")
    try:
        document = tomllib.loads(profiles.read_text(encoding="utf-8"))
        active = os.environ.get("PREFECT_PROFILE") or document.get("active", "")
        url = document.get("profiles", {}).get(active, {}).get("PREFECT_API_URL")
    except (OSError, tomllib.TOMLDecodeError, AttributeError):
        return None
    return str(url).rstrip("/") if url else None


def wanted_database() -> str:
    """The database that a server of ours would keep its runs in, by Prefect's own variables: without its password."""
    address = next((os.environ[name] for name in _DATABASE_ADDRESSES if os.environ.get(name)), "")
    if not address:
        names = [name for name in os.environ if name.startswith(_OF_DATABASE) and name.endswith("_HOST")]
        return f"at {os.environ[names[0]]}" if names else _OWN_DATABASE
    scheme, _, rest = address.partition("://")
    return f"{scheme.partition('+')[0]} {rest.partition('?')[0].rpartition('@')[2]}".strip()


def without_proxy(environment: dict[str, str]) -> None:
    """Loopback addresses are reached directly, whatever proxy the environment names."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in environment.get(name, "").split(",") if host]
        environment[name] = ",".join(dict.fromkeys([*hosts, _HOST, "localhost"]))


def _state(folder: Path) -> dict[str, Any] | None:
    """What the last start recorded, if that server still lives; a stale record is as good as none."""
    if not is_locked(folder / "alive.lock"):
        _reap()
        return None
    try:
        state = read_json(folder / "server.json")
    except (OSError, json.JSONDecodeError):
        return None
    return state if isinstance(state, dict) and {"pid", "api_url", "version"} <= state.keys() else None


def _reap() -> None:
    """Let go of servers of this process that have died by themselves."""
    for pid, child in tuple(_CHILDREN.items()):
        if child.poll() is not None:
            _CHILDREN.pop(pid, None)


def _is_current(state: dict[str, Any]) -> bool:
    return bool(state["version"] == version("prefect"))


def answers(api_url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{api_url}/health", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError, ValueError):
        return False


def _await(api_url: str, folder: Path, timeout: float) -> bool:
    """Wait until the server answers; False when it dies or takes too long."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if answers(api_url):
            return True
        if not is_locked(folder / "alive.lock"):
            return False
        time.sleep(_POLL_S)
    return False


def _start(folder: Path, timeout: float) -> str:
    for _ in range(_ATTEMPTS):
        port = _free_port(folder)
        api_url = f"http://{_HOST}:{port}/api"
        state = {
            "pid": _launch(folder, port),
            "api_url": api_url,
            "version": version("prefect"),
            "database": wanted_database(),
        }
        write_json(folder / "server.json", state)
        try:
            if _await(api_url, folder, timeout):
                return api_url
        except BaseException:
            _end(folder, state)
            raise
        died = not is_locked(folder / "alive.lock")
        _end(folder, state)
        if not (died and "already in use" in _log_tail(folder)):
            break
    raise ServerError(
        "the local Prefect server did not come up",
        expected=f"an answer within {timeout:g} s",
        found=_log_tail(folder) or "an empty log",
        hint=f"its log is {folder / 'server.log'}; `--runner local` works without it",
    )


def _launch(folder: Path, port: int) -> int:
    """Start a server process in a session of its own, so that Ctrl-C in this terminal does not reach it."""
    alive = try_lock(folder / "alive.lock")
    if alive is None:
        raise ServerError("a Prefect server of ours is running, but has lost its record", hint=_stray_hint(folder))
    try:
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "prefect", "server", "start", "--host", _HOST, "--port", str(port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=_environment(folder, port),
                start_new_session=True,
                pass_fds=(alive,),
            )
    finally:
        os.close(alive)
    _CHILDREN[process.pid] = process
    return process.pid


def _environment(folder: Path, port: int) -> dict[str, str]:
    """The server's settings: its own home, no telemetry, and of what the user told Prefect only its database."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PREFECT_") or name.startswith(_OF_DATABASE)
    }
    without_proxy(environment)
    return environment | {
        "PREFECT_HOME": str(folder),
        "PREFECT_PROFILE": "ephemeral",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_API_URL": f"http://{_HOST}:{port}/api",
        # One transaction for each event of a task, as Prefect has it, keeps SQLite locked for seconds: clients are told
        # to come back, and do 2 to 14 s later. In batches of a second everything is recorded at once (3.8.8). The
        # interval takes whole seconds only: half a second is read as none at all, and keeps a core busy for ever.
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
        "PREFECT_CLI_PROMPT": "false",
        "DO_NOT_TRACK": "1",
        "NO_COLOR": "1",
    }


def _free_port(folder: Path) -> int:
    """The port of last time, so that addresses of runs stay good; else any that is free."""
    with contextlib.suppress(OSError, json.JSONDecodeError, KeyError, ValueError, TypeError):
        last = int(read_json(folder / "server.json")["api_url"].split(":")[2].split("/")[0])
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((_HOST, last))
            return last
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _end(folder: Path, state: dict[str, Any]) -> None:
    """End the server of a record, gently first. Its pid is good as long as it holds its lock."""
    pid = int(state["pid"])
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if not is_locked(folder / "alive.lock"):
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, sign)
        deadline = time.monotonic() + _STOP_PATIENCE_S
        while is_locked(folder / "alive.lock") and time.monotonic() < deadline:
            time.sleep(_POLL_S)
    child = _CHILDREN.pop(pid, None)
    if child is not None:
        child.wait()


def _log_tail(folder: Path) -> str:
    try:
        lines = (folder / "server.log").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return _PASSWORD.sub(r"\1***@", "\n".join([line for line in lines if line.strip()][-_LOG_TAIL_LINES:]))


def _stray_hint(folder: Path) -> str:
    return f"end the process that holds {folder / 'alive.lock'}, then run again"
