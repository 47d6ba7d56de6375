"""What stands at a path, before anybody opens it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from knowflow.ground.files import endless, in_place_of_file


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # addresses of sockets may not be long
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    return tmp_path


WAITED_FOR = {"pipe": "a named pipe", "device": "a device", "socket": "a socket"}
OTHERS = {**WAITED_FOR, "folder": "a folder", "lost": "a link to nothing", "nowhere": "nothing"}


def test_what_is_no_file_is_named(places: Path) -> None:
    assert {name: in_place_of_file(places / name) for name in OTHERS} == OTHERS
    assert {in_place_of_file(places / name) for name in ("file", "link")} == {None}


def test_only_what_would_be_waited_for_is_endless(places: Path) -> None:
    assert {name: found for name in (*OTHERS, "file", "link") if (found := endless(places / name))} == WAITED_FOR
    assert endless(Path("x" * 5000)) is None
