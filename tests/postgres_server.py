"""A real Postgres of a test's own, where the machine has one."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(installed[-1]) if installed else None)


def _other_user() -> str | None:
    """Who runs the server: it refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    return next((one.pw_name for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")), "")


NEEDS_POSTGRES = [
    pytest.mark.skipif(_program("initdb") is None or _program("pg_ctl") is None, reason="there is no Postgres here"),
    pytest.mark.skipif(importlib.util.find_spec("psycopg") is None, reason="psycopg (the extra postgres) is missing"),
    pytest.mark.skipif(_other_user() == "", reason="Postgres is not run by root, and there is no other user"),
]


@contextmanager
def postgres() -> Iterator[Path]:
    """The folder with the socket of a server of its own, whose user and owner of the database postgres is knowflow."""
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
            yield folder
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")
