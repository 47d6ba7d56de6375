"""Faults of the machine: a full disk, no room, a folder that cannot be written to, a damaged cache."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch


@contextmanager
def disk_full(folder: Path) -> Iterator[None]:
    """Whatever is written block by block finds the disk full, as under a quota."""
    from knowflow.tools.raster.writer import RasterWriter

    number = errno.EDQUOT if "quota" in folder.name else errno.ENOSPC

    def write(self: RasterWriter, *arguments: Any, **named: Any) -> None:
        raise OSError(number, os.strerror(number), str(self.output.path))

    with patch.object(RasterWriter, "write", write):
        yield


@contextmanager
def no_room(folder: Path) -> Iterator[None]:
    """The disk tells that it has a kilobyte left."""
    usage = SimpleNamespace(total=1 << 40, used=(1 << 40) - 1024, free=1024)
    with patch.object(shutil, "disk_usage", lambda path: usage):
        yield


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing can be made in the folder for results; not by permissions, which an administrator would not heed."""
    own = Path.mkdir

    def mkdir(self: Path, *arguments: Any, **named: Any) -> None:
        if self == folder or folder in self.parents:
            raise PermissionError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        own(self, *arguments, **named)

    with patch.object(Path, "mkdir", mkdir):
        yield


def damage(folder: Path) -> int:
    """Cut every raster in a folder and its folders in half; how many there were."""
    found = [path for path in folder.rglob("*.tif") if path.is_file()]
    for path in found:
        content = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(content[: len(content) // 2])
    return len(found)


MACHINE_FAULTS: Mapping[str, Callable[[Path], AbstractContextManager[None]]] = {
    "disk_full": disk_full,
    "no_room": no_room,
    "read_only": read_only,
}
