"""The index of runs in a real Postgres, where there is one: several homes and processes at once, kill -9 among them."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_examples import index_and_look, kept

from knowflow.service.run_index import FILE, runs_found


def _program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(installed[-1]) if installed else None)


def _other_user() -> str | None:
    """Who runs the server: it refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    return next((one.pw_name for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")), "")


pytestmark = [
    pytest.mark.skipif(_program("initdb") is None or _program("pg_ctl") is None, reason="there is no Postgres here"),
    pytest.mark.skipif(importlib.util.find_spec("psycopg") is None, reason="psycopg (the extra postgres) is missing"),
    pytest.mark.skipif(_other_user() == "", reason="Postgres is not run by root, and there is no other user"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a database of a server of its own, that is reached through a socket in a folder."""
    user = _other_user()
    with tempfile.TemporaryDirectory(prefix="kf-pg-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        if user is not None:
            shutil.chown(folder / "data", user)
            shutil.chown(folder, user)

        def call(program: str, *arguments: str) -> None:
            subprocess.run(
                [str(_program(program)), "-D", str(folder / "data"), *arguments],
                user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

        call("initdb", "-U", "knowflow", "-A", "trust", "-E", "UTF8", "--no-locale")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        call("pg_ctl", "-w", "-o", options, "-l", str(folder / "log"), "start")
        try:
            yield f"postgresql+psycopg://knowflow@/postgres?host={folder}"
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")


def _work(home: Path, numbers: range, dies: bool) -> None:
    index_and_look(home, numbers)
    if dies:
        kept(99, home, ended=False)
        os.kill(os.getpid(), signal.SIGKILL)


def test_processes_at_once_share_the_index_of_a_server_though_one_is_killed(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_TRACES", server)
    home, other = tmp_path / "one", tmp_path / "other"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(home, range(4 * n, 4 * n + 4), n == 3)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, -signal.SIGKILL]
    assert {one.query for one in runs_found(home)} == {f"question {n}" for n in (*range(16), 99)}
    assert {one.query for one in runs_found(home, ["interrupted"])} == {"question 99"}
    cloudy = {f"question {n}" for n in range(1, 16, 2)} | {"question 99"}
    assert {one.query for one in runs_found(home, cause=["too_cloudy"])} == cloudy
    second = kept(0, other)
    assert [one.run_id for one in runs_found(other)] == [second]
    assert len(runs_found(home)) == 17
    assert not (home / FILE).exists()
