"""What stands at a path, asked before it is opened: a named pipe waits for a writer that may never come."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_ENDLESS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_KINDS = {**_ENDLESS, stat.S_IFDIR: "a folder"}


def in_place_of_file(path: Path) -> str | None:
    """What stands at a path in place of a file, in words; None of a file, also behind links."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return "a link to nothing" if path.is_symlink() else "nothing"
    except OSError as error:
        return error.strerror or str(error)
    return None if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no file")


def endless(path: Path) -> str | None:
    """What would be waited for, or read, for ever, in words; None of files, folders, and names of nothing on disk."""
    try:
        return _ENDLESS.get(stat.S_IFMT(os.stat(path).st_mode))
    except (OSError, ValueError):
        return None
