"""Faults of the machine: a full disk, no room, folders that cannot be written to, a damaged cache, a wrong clock."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

_TURN_S = 20.0
"""How long one run waits for another, which may wait for the first."""


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
    with _closed(folder):
        yield


@contextmanager
def home_read_only(folder: Path) -> Iterator[None]:
    """Nothing can be made in the folder where runs and earlier results are kept."""
    with _closed(folder.parent / "home"):
        yield


@contextmanager
def _closed(folder: Path) -> Iterator[None]:
    own = Path.mkdir

    def mkdir(self: Path, *arguments: Any, **named: Any) -> None:
        if self == folder or folder in self.parents:
            raise PermissionError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        own(self, *arguments, **named)

    with patch.object(Path, "mkdir", mkdir):
        yield


@contextmanager
def taken(folder: Path) -> Iterator[None]:
    """Where the folder for results should be, there is a file."""
    folder.write_text("results of last week\n", encoding="utf-8")
    yield


@contextmanager
def clock_back(folder: Path) -> Iterator[None]:
    """The clock of the machine is set back by an hour each time that somebody looks at it."""
    own, looked = time.time, count()
    with patch.object(time, "time", lambda: own() - 3600 * next(looked)):
        yield


@contextmanager
def far_away(folder: Path) -> Iterator[None]:
    """The machine stands where it is tomorrow already, and where numbers have a decimal comma."""
    places = {"TZ": "Pacific/Kiritimati", "LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    with patch.dict(os.environ, places):
        time.tzset()
        try:
            yield
        finally:
            os.environ.pop("TZ")
            time.tzset()


def damage(folder: Path) -> int:
    """Cut every raster in a folder and its folders in half; how many there were."""
    found = [path for path in folder.rglob("*.tif") if path.is_file()]
    for path in found:
        content = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(content[: len(content) // 2])
    return len(found)


def lower(folder: Path) -> None:
    """Other numbers in all rasters of a folder: those of the lower half are the least of the file."""
    import rasterio

    for path in sorted(folder.glob("*.tif")):
        with rasterio.open(path, "r+") as file:
            pixels = file.read()
            pixels[:, pixels.shape[1] // 2 :, :] = pixels.min()
            file.write(pixels)


def swap(folder: Path, aside: Path) -> None:
    """Put other rasters in the place of those of a folder; or the old ones back, with the times that they had."""
    if aside.exists():
        for path in aside.glob("*.tif"):
            path.replace(folder / path.name)
        aside.rmdir()
        return
    aside.mkdir()
    for path in folder.glob("*.tif"):
        shutil.copy2(path, aside / path.name)
    lower(folder)


@contextmanager
def interrupted_by(folder: Path, other: Callable[[], None]) -> Iterator[None]:
    """Something else that writes to a folder has its turn after the first file that is put there."""
    own, begun = Path.replace, threading.Event()

    def replace(self: Path, target: Any) -> Path:
        made = own(self, target)
        if Path(target).parent == folder and not begun.is_set():
            begun.set()
            turn = threading.Thread(target=other, daemon=True)
            turn.start()
            turn.join(_TURN_S)
        return made

    with patch.object(Path, "replace", replace):
        yield


def damage_inside(folder: Path) -> int:
    """Change bytes in the middle of every raster in a folder and its folders, which keep their sizes and times."""
    found = [path for path in folder.rglob("*.tif") if path.is_file()]
    for path in found:
        told, content = path.stat(), bytearray(path.read_bytes())
        middle = len(content) // 2
        for place in range(middle - 64, middle + 64):
            content[place] ^= 0x55
        path.chmod(0o644)
        path.write_bytes(bytes(content))
        os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
    return len(found)


MACHINE_FAULTS: Mapping[str, Callable[[Path], AbstractContextManager[None]]] = {
    "disk_full": disk_full,
    "no_room": no_room,
    "read_only": read_only,
    "home_read_only": home_read_only,
    "taken": taken,
    "clock_back": clock_back,
    "far_away": far_away,
}
