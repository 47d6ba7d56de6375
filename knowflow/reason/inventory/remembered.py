"""What headers say, remembered from one question to the next: a folder that is known is not opened again.

A file is known by its path, size, times of modification and of change, and inode, and by those of every file beside it
that its reader may look at. What replaces a file with its old size and time is another inode, or was changed later. A
store that is damaged, locked or not to be written costs time, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from knowflow import __version__
from knowflow.ground.kept_values import state
from knowflow.ground.opening import told_by_others
from knowflow.ground.resources import state_home
from knowflow.model.artifact import Artifact

STORE = "headers.sqlite"
_FORMAT = 3
# a file changed this recently may change again within the resolution of its time stamp
_SETTLED_NS = 2_000_000_000
_WAIT_S = 0.5
_MOST_ROWS = 500_000
_AT_ONCE = 500
# what GDAL's readers heed of the environment
_HEEDED = ("GDAL_", "OGR_", "CPL_", "PROJ_", "AAIGRID_", "GTIFF_", "KNOWFLOW_TRUST")
# what libraries set for themselves as they are imported: whose servers they would trust, if they asked any
_NOT_HEEDED = "_CURL_CA_BUNDLE"
# endings behind a file's whole name or instead of its own that are other names for the same stem
_BEHIND = (".aux", "_rpc", "_RPC", "_metadata")

Layers = tuple[Artifact, ...]


class Remembered:
    """The layers of files as their headers told them. What stands beside the files is looked at once, now."""

    def __init__(self, stamps: Mapping[Path, tuple[Identity, ...]], database: Path | None = None) -> None:
        self._database = state_home() / STORE if database is None else database
        self._begun = time.time_ns()
        self._stamps = stamps
        self._code = code()

    def known(self, paths: Sequence[Path]) -> dict[Path, Layers]:
        """The layers of those files that are remembered as they are now."""
        wanted = {os.path.abspath(path): path for path in paths if path in self._stamps}
        found: dict[Path, Layers] = {}
        for name, stamp, check, text in self._rows(list(wanted)):
            path = wanted.get(name)
            if path is None or stamp != self._stamp(path) or check != _check(text):
                continue
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                layers = tuple(Artifact.from_json({**layer, "path": str(path)}) for layer in json.loads(text))
                if layers:
                    found[path] = layers
        return found

    def alone(self, path: Path) -> bool:
        """Whether no file beside one shares its name or its stem, so that none can say anything of it."""
        return len(self._stamps.get(path, ())) == 1

    def remember(self, read: Mapping[Path, Layers]) -> set[Path]:
        """Keep what was read of files that are still as they were listed, and say themselves all that they say: which
        these are."""
        rows, kept = [], set()
        for path, layers in read.items():
            stamp = self._stamp(path)
            if (
                stamp
                and settled(self._stamps[path], self._begun)
                and not told_by_others(path)
                and _now(path) == self._stamps[path][0]
            ):
                text = json.dumps([{**layer.to_json(), "path": ""} for layer in layers])
                rows.append((os.path.abspath(path), stamp, _check(text), text))
                kept.add(path)
        if rows:
            self._write(rows)
        return kept

    def _stamp(self, path: Path) -> str:
        """Which state of a file, of those beside it, and of the code that reads it; empty for what is not there."""
        if path not in self._stamps:
            return ""
        return hashlib.sha256(repr((self._code, self._stamps[path])).encode()).hexdigest()

    def _rows(self, names: list[str]) -> Iterator[tuple[str, str, str, str]]:
        if not names or not self._database.is_file():
            return
        try:
            with closing(self._connect()) as connection:
                for start in range(0, len(names), _AT_ONCE):
                    some = names[start : start + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    asked = f"SELECT path, stamp, checked, layers FROM headers WHERE path IN ({marks})"
                    yield from ((str(a), str(b), str(c), str(d)) for a, b, c, d in connection.execute(asked, some))
        except sqlite3.OperationalError:  # in use for too long, or not to be read
            return
        except (sqlite3.DatabaseError, OSError, ValueError):  # damaged: all of it can be found out again
            with suppress(OSError):
                self._database.unlink()

    def _write(self, rows: list[tuple[str, str, str, str]]) -> None:
        with suppress(sqlite3.Error, OSError):
            self._database.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection, connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS headers (path TEXT PRIMARY KEY, stamp TEXT, checked TEXT, layers TEXT)"
                )
                connection.executemany("INSERT OR REPLACE INTO headers VALUES (?, ?, ?, ?)", rows)
                newest = connection.execute("SELECT MAX(rowid) FROM headers").fetchone()[0] or 0
                connection.execute("DELETE FROM headers WHERE rowid <= ?", (newest - _MOST_ROWS,))

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._database, timeout=_WAIT_S)


def _check(text: str) -> str:
    """Damage inside of a row is a wrong number, not an error: it has to be seen."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


Identity = tuple[str, int, int, int, int]
"""Name, size, inode, and the times of modification and change of a file."""


def settled(stamp: Iterable[Identity], now: int) -> bool:
    """Whether files have not changed within the resolution of their times before ``now`` (ns)."""
    return all(now - max(times) > _SETTLED_NS for _, _, _, *times in stamp)


def stamps_of(files: Iterable[Path]) -> dict[Path, tuple[Identity, ...]]:
    """Each file's identity, and behind it those of the files beside it that share its stem."""
    stamps: dict[Path, tuple[Identity, ...]] = {}
    folders: dict[Path, dict[str, Identity]] = {}
    beside: dict[tuple[Path, str], list[str]] = {}
    for path in files:
        folder = path.parent
        if folder not in folders:
            folders[folder] = dict(_listed(folder))
            for name in folders[folder]:
                beside.setdefault((folder, _stem(name)), []).append(name)
        own = folders[folder].get(path.name)
        if own is not None:
            others = {*beside.get((folder, _stem(path.name)), ()), *beside.get((folder, path.name), ())}
            stamps[path] = (own, *sorted(folders[folder][other] for other in others - {path.name}))
    return stamps


def _listed(folder: Path) -> Iterator[tuple[str, Identity]]:
    """The identity of every file in a folder, by name."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_file():
                    yield entry.name, _identity(entry.name, entry.stat())


def _stem(name: str) -> str:
    """What a file has in common with those that belong to it: ``a`` of ``a.tfw``, ``a.tif`` of ``a.tif.aux.xml``."""
    stem = name.rpartition(".")[0] or name
    for end in _BEHIND:
        stem = stem.removesuffix(end)
    return stem


def _now(path: Path) -> Identity | None:
    try:
        return _identity(path.name, os.stat(path))
    except OSError:
        return None


def _identity(name: str, state: os.stat_result) -> Identity:
    return (name, state.st_size, state.st_ino, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=1)
def _versions() -> tuple[str, ...]:
    """Each of the libraries brings its GDAL and PROJ; none of them is imported for a folder that is known."""
    return (__version__, str(_FORMAT), *(metadata.version(name) for name in ("rasterio", "pyogrio", "pyproj")))


def code() -> str:
    """What turns headers into facts, here and now: our code, the libraries, the words at hand, settings."""
    heeded = {name: value for name, value in os.environ.items() if name.startswith(_HEEDED)}
    environment = sorted(item for item in heeded.items() if not item[0].endswith(_NOT_HEEDED))
    return hashlib.sha256(state() + repr((_versions(), environment)).encode()).hexdigest()
