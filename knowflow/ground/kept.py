"""What is made of authored files is made once and kept, until these files are others.

A file that is edited, added or taken away makes others of them, and so does the ``.knowflow/`` of another project.
Programs that live long (notebooks, servers) call ``as_authored`` before each question: what is kept by then is of the
files as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import ParamSpec, TypeVar, cast

from knowflow.ground.resources import Kind, search_path

P = ParamSpec("P")
T = TypeVar("T")

_KINDS: tuple[Kind, ...] = ("schemas", "templates", "pkb")
_forget: list[Callable[[], None]] = []
_lock = Lock()
_files: tuple[tuple[str, int, int], ...] | None = None
_changes = 0


def kept(most: int = 1) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function makes of authored files, for as many as ``most`` arguments; an error is not kept."""

    def keep(make: Callable[P, T]) -> Callable[P, T]:
        keeping = lru_cache(maxsize=most)(make)
        _forget.append(keeping.cache_clear)
        return cast("Callable[P, T]", keeping)

    return keep


def forget() -> None:
    """Make anew whatever is asked for next."""
    for clear in _forget:
        clear()


def as_authored() -> int:
    """Forget what was made of files that are others by now; a number that is another one after each such change."""
    global _files, _changes
    with _lock:
        found = tuple(sorted(file for kind in _KINDS for _, folder in search_path(kind) for file in _inside(folder)))
        if found != _files:
            forget()
            _files, _changes = found, _changes + 1
        return _changes


def _inside(folder: Path | str) -> Iterator[tuple[str, int, int]]:
    """The path, size and time of every file below a folder; what cannot be looked at tells its reader why."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _inside(entry.path)
                continue
            with suppress(OSError):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
