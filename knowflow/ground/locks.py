"""Locks between processes that the operating system releases when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_FIRST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.25


def try_lock(path: Path, mode: int = 0o600) -> int | None:
    """Take the lock of a path and return the open file that holds it, or None where somebody has it.

    ``mode`` are the permissions of the file, where it is made, less the umask.

    Closing the file (or the death of every process that inherited it) releases the lock.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, mode)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, flags, mode)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            return None
        raise
    if not _is_still(path, handle):
        os.close(handle)
        return try_lock(path, mode)
    return handle


def _is_still(path: Path, handle: int) -> bool:
    """Whether the path still names the locked file: its last holder may have removed it in between."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock."""
    if not path.exists():
        return False
    handle = try_lock(path)
    if handle is None:
        return True
    os.close(handle)
    return False


@contextmanager
def locked(path: Path, while_waiting: Callable[[], None] | None = None, remove: bool = False) -> Iterator[None]:
    """Hold the lock of a path; ``while_waiting`` is called at intervals and may raise to give up.

    With ``remove`` the file goes when the lock is released: for locks of things that are many.
    """
    pause = _FIRST_PAUSE_S
    while (handle := try_lock(path)) is None:
        if while_waiting is not None:
            while_waiting()
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    try:
        yield
    finally:
        if remove:
            path.unlink(missing_ok=True)
        os.close(handle)
