"""Functions that tests call in worker processes, most of which do what no tool should."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from knowflow.ground.errors import NoSpaceError, UnreadableDataError
from knowflow.ground.report import Problem
from knowflow.tools.context import report_progress

_kept = b""


def add(a: float, b: float) -> float:
    return a + b


def who() -> int:
    return os.getpid()


def hang() -> None:
    threading.Event().wait()


def hang_after_telling(marker: str) -> None:
    Path(marker).write_text(str(os.getpid()))
    hang()


def hang_with_a_child(marker: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
    Path(marker).write_text(str(child.pid))
    hang()


def segfault() -> None:
    print("last words", flush=True)
    ctypes.string_at(0)


def leave(code: int) -> None:
    os._exit(code)


def grow() -> None:
    held = []
    while True:
        held.append(bytearray(os.urandom(1024) * 4096))


def ask_for(megabytes: int) -> None:
    bytearray(megabytes * 1024 * 1024)


def keep(megabytes: int) -> int:
    global _kept
    _kept = b"x" * (megabytes * 1024 * 1024)
    return os.getpid()


def raise_named() -> None:
    raise UnreadableDataError(
        "the raster cannot be read",
        where="a.tif",
        expected="pixels",
        found="none",
        hint="fetch it again",
        problems=(Problem("x", "one", "two"),),
    )


def raise_plain() -> None:
    raise ValueError("seven is not a colour")


class AwkwardError(NoSpaceError):
    """An error that pickles but cannot be read back."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def raise_awkward() -> None:
    raise AwkwardError("a", "b")


def raise_full_disk() -> None:
    raise OSError(28, "No space left on device")


def exit_politely() -> None:
    sys.exit(3)


def unpicklable() -> Any:
    return lambda: None


def in_steps(count: int) -> str:
    for step in range(count):
        report_progress((step + 1) / count)
    return "done"


def print_much() -> str:
    print("noise on stdout")
    return "fine"
