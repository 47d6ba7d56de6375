"""What the operating system refuses, and which systems can be worked on, as named errors."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress

from knowflow.ground.errors import KnowFlowError, NoSpaceError, OutputError, UnreadableDataError

# a full disk, a full quota, and a file larger than the process or the file system may write
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# what the system says of a place that is not what it should be, for people
_IN_WORDS = {
    errno.EEXIST: "a file of that name, in place of a folder",
    errno.ENOTDIR: "a file, in place of a folder",
    errno.EISDIR: "a folder, in place of a file",
}

POSIX = os.name == "posix"
# options of mallopt(3): the largest that is not asked of the system one by one (it allows no larger), and what may lie
# idle before it is given back
_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD = -3, -1
_GLIBC = {_M_MMAP_THRESHOLD: 32 << 20, _M_TRIM_THRESHOLD: 256 << 20}


class UnsupportedSystemError(KnowFlowError):
    """KnowFlow does not run on this operating system."""

    code = "unsupported_system"


def reuse_memory() -> None:
    """Have this process keep the memory that it frees for what it asks for next.

    The system clears every page that it hands out, which costs as much as most of the arithmetic on it; a run that goes
    through a scene block by block asks for the same sizes over and over. Where the C library is not glibc, nothing.
    """
    with suppress(OSError, AttributeError):
        for name, value in _GLIBC.items():
            ctypes.CDLL(None).mallopt(name, value)


def require_posix() -> None:
    """Go on only where there are the locks and process groups that runs are kept whole with.

    Raises:
        UnsupportedSystemError: this is Windows.
    """
    if not POSIX:
        raise UnsupportedSystemError(
            "KnowFlow does not run on this operating system",
            expected="Linux (or macOS, untested)",
            found=sys.platform,
            hint="on Windows use the Windows Subsystem for Linux (WSL); docs/systems.md says why",
        )


def refusal(error: OSError, where: str | None = None, *, writing: bool = True) -> KnowFlowError:
    """The named error of what the system refused while writing to ``where`` (or reading it)."""
    place = where or (str(error.filename) if error.filename else None)
    said = _IN_WORDS.get(error.errno or 0) or error.strerror or str(error)
    if error.errno in FULL:
        return NoSpaceError(
            "no space is left to write",
            where=place,
            expected="room for the results",
            found=said,
            hint="free some space, or write elsewhere: --out DIR, KNOWFLOW_HOME",
        )
    if writing:
        return OutputError(
            "the results cannot be written",
            where=place,
            expected="a place that can be written to",
            found=said,
            hint="choose another place: --out DIR, KNOWFLOW_HOME",
        )
    return UnreadableDataError(
        "the system refused",
        where=place,
        expected="a path that can be used",
        found=said,
        hint="check the path and its permissions",
    )
