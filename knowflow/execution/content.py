"""What files hold, by digest: remembered across processes, and watched while a run relies on it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from knowflow.execution.dataset_files import parts_of
from knowflow.execution.standing import Standing
from knowflow.ground.errors import EXIT_RUN_FAILED, DataNotFoundError, KnowFlowError, OutputError, UnreadableDataError
from knowflow.ground.files import in_place_of_file

# a file changed this recently may change again within the resolution of its time stamp: its stamp proves nothing
_SETTLED_NS = 2_000_000_000
_ATTEMPTS = 4
_MOST_PENDING = 500
_MANY = 1000  # files of a run, from which on they are noted folder by folder
DIGESTS = "digests.sqlite"
"""The file in a home folder that remembers digests."""
_TABLES = ("digests", "parts")


class InputChangedError(KnowFlowError):
    """A file was written while a run was at it: what was read of it is of no one state of it."""

    code = "changed_input"
    exit_code = EXIT_RUN_FAILED


@dataclass(frozen=True, slots=True)
class _Part:
    """One file at the moment it was digested. ``fresh``: it had just been written, so its stamp may stay the same."""

    stamp: str
    digest: str
    fresh: bool


@dataclass(frozen=True, slots=True)
class Content:
    """What a path held at one moment: one digest, and every file behind it. Nothing where there was no such file."""

    digest: str | None
    parts: Mapping[str, _Part]


NOTHING = Content(None, {})


class FileDigests:
    """Content digests of files, remembered by path, size, inode and times of change across processes.

    What copies a file with its old time of modification (``cp -p``, ``rsync -t``, an archive) does not set the time at
    which the system noted the change: both count. Safe for threads.

    ``told`` has those that results of this run rest on, by path as it was given.
    """

    def __init__(self, database: Path) -> None:
        database.parent.mkdir(parents=True, exist_ok=True)
        self._database = database
        self._locks: dict[str, threading.Lock] = {}
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        self._begun: dict[str, dict[str, str]] = {}
        self._standing = Standing(_stamp)
        self._relying = threading.Lock()
        self._pending: dict[tuple[str, str], tuple[str, str]] = {}
        self._writing = threading.Lock()
        self.told: dict[str, str] = {}
        try:
            self._connection = self._prepared()
        except sqlite3.OperationalError as error:  # in use for too long, or not to be written: no damage
            raise OutputError(
                "what is known of the files that were read cannot be kept",
                where=str(database),
                expected="a file that can be written, used by one process at a time",
                found="a folder of that name" if database.is_dir() else str(error),
                hint="take it away or close what uses it, or set KNOWFLOW_HOME to another folder",
            ) from error
        except sqlite3.DatabaseError:  # damaged: all that it remembers can be found out again
            database.unlink(missing_ok=True)
            self._connection = self._prepared()
        weakref.finalize(self, self._connection.close)

    def _prepared(self) -> sqlite3.Connection:
        """One connection for all threads, which take turns."""
        connection = sqlite3.connect(self._database, timeout=60, check_same_thread=False)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # what a power cut takes can be found out again
            with connection:
                for table in _TABLES:
                    columns = "path TEXT PRIMARY KEY, stamp TEXT, held TEXT"
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    # --- what a path holds -----------------------------------------------------------------------------------------

    def digest(self, path: str) -> str:
        """The digest of a file with all that is read with it (world file, sidecar...), or of everything in a folder.

        ``path`` may be one that only GDAL reads (``/vsizip/scene.zip/band.tif``): then the file around it counts.

        Raises: as :meth:`look`.
        """
        found = self.look(path)
        self.keep()
        return str(found.digest)

    def look(self, path: str) -> Content:
        """What a path holds now, every file of it in a state of its own that it kept while it was read.

        Raises:
            DataNotFoundError: there is no such file.
            UnreadableDataError: it cannot be read, or is no file (a pipe, a device).
            InputChangedError: it is written all the time.
        """
        try:
            named = self._files(path)
            parts = {str(file): self._part(file) for _, file in named}
        except PermissionError as error:
            raise UnreadableDataError(f"cannot read {path}", found=str(error.strerror)) from error
        except FileNotFoundError as error:
            raise _gone(path) from error
        return Content(_combined([(name, parts[str(file)].digest) for name, file in named]), parts)

    def _files(self, path: str) -> list[tuple[str, Path]]:
        """The files behind a path, each with a name that does not tell where they are, nor the name of the first."""
        target = on_disk(path)
        if target.is_dir():
            inside = [(file.relative_to(target).as_posix(), file) for file in sorted(target.rglob("*"))]
            return [(name, file) for name, file in inside if file.is_file()]
        return [(_name_of(part, target), part) for part in self._parts(target)]

    def _parts(self, file: Path) -> tuple[Path, ...]:
        """The files of a dataset, remembered as long as neither it nor the entries of its folder change."""
        states = require_file(file), os.stat(os.path.dirname(file) or ".")
        stamp, name = " ".join(map(_stamp, states)), os.path.abspath(file)
        known = self._recalled("parts", name, stamp)
        if known is not None:
            names = json.loads(known)
            return (file,) if names == [file.name] else tuple(map(file.with_name, names))
        found = parts_of(file)
        if all(part.parent == file.parent for part in found) and file.suffix.lower() != ".vrt":
            held = json.dumps([part.name for part in found])
            self._remember("parts", name, stamp, held, settled=not any(map(_is_fresh, states)))
        return found

    def _part(self, file: Path) -> _Part:
        name = os.path.abspath(file)  # behind other names it is told by its inode
        with self._locks.setdefault(name, threading.Lock()):
            for _ in range(_ATTEMPTS):
                state = require_file(file)
                stamp, fresh = _stamp(state), _is_fresh(state)
                known = self._recalled("digests", name, stamp)
                if known is not None:
                    return _Part(stamp, known, fresh)
                found = file_digest(file)
                if _stamp(os.stat(file)) == stamp:
                    self._remember("digests", name, stamp, found, settled=not fresh)
                    return _Part(stamp, found, fresh)
        raise _never_still(str(file))

    def _recalled(self, table: str, path: str, stamp: str) -> str | None:
        row = self._known.get((table, path))
        if row is None or row[0] != stamp:
            with self._writing:
                asked = self._connection.execute(f"SELECT stamp, held FROM {table} WHERE path = ?", (path,))
                row = asked.fetchone()
            if row is not None:
                self._known[table, path] = row
        return row[1] if row is not None and row[0] == stamp else None

    def _remember(self, table: str, path: str, stamp: str, held: str, *, settled: bool) -> None:
        if settled:
            self._known[table, path] = (stamp, held)
            with self._writing:
                self._pending[table, path] = (stamp, held)
            if len(self._pending) >= _MOST_PENDING:
                self.keep()

    def keep(self) -> None:
        """Write down what was found out; what cannot be written, or is lost before, is found out again."""
        with self._writing:
            pending, self._pending = self._pending, {}
            with suppress(sqlite3.Error), self._connection:
                for table in _TABLES:
                    rows = [(path, *held) for (of, path), held in pending.items() if of == table]
                    self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", rows)

    # --- what a run relies on --------------------------------------------------------------------------------------

    def begin(self, paths: Iterable[str]) -> None:
        """Note the states of the files that a run is going to read: from here on they are to stay as they are.

        What cannot be looked at is left to whoever reads it.
        """
        noted = tuple(dict.fromkeys(paths))
        for path in noted if len(noted) < _MANY else self._standing.note(noted):
            try:
                self._begun[path] = self._states(path)
            except (KnowFlowError, OSError):
                continue
        self.keep()

    def _stayed(self, path: str, content: Content) -> bool:
        """Whether a path is what it was when the run began; so is one of which nothing was noted."""
        now = {file: part.stamp for file, part in content.parts.items()}
        if path in self._standing:
            return self._standing.stayed(path, now)
        return self._begun.get(path, now) == now

    def changed(self, looked: Mapping[str, Content]) -> str | None:
        """The first file that is not what it was when it was looked at; None where all are, beyond doubt."""
        for path, before in looked.items():
            try:
                now = self._states(path)
            except (DataNotFoundError, FileNotFoundError):
                now = {}
            for file in (*before.parts, *now):
                part = before.parts.get(file)
                if part is None or now.get(file) != part.stamp:
                    return file
                if part.fresh and self._part(Path(file)).digest != part.digest:
                    return file
        return None

    def rely(self, looked: Mapping[str, Content]) -> None:
        """Let results of this run rest on what was looked at, before it is read.

        Raises:
            InputChangedError: other results of it rest on something else, or the plan does, whose facts are those that
                the headers had when the run began.
        """
        with self._relying:
            for path, content in looked.items():
                if content.digest is None:
                    continue
                first = path not in self.told
                if self.told.setdefault(path, content.digest) != content.digest:
                    raise written_meanwhile(path)
                if first and not self._stayed(path, content):
                    raise written_meanwhile(path)

    def _states(self, path: str) -> dict[str, str]:
        return {str(file): _stamp(os.stat(file)) for _, file in self._files(path)}


def file_digest(file: Path) -> str:
    """The SHA-256 (hex) of the bytes of one file, whatever lies beside it.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def written_meanwhile(file: str) -> InputChangedError:
    """The error of a file that is not what it was when the run began."""
    return InputChangedError(
        f"{Path(file).name} was written while the run was at it",
        where=file,
        expected="files that stay as they are until the run has ended",
        found="another state than at the beginning",
        hint="when nobody writes to it any more: `knowflow runs resume RUN`, or ask again",
    )


def _never_still(file: str) -> InputChangedError:
    return InputChangedError(
        f"{Path(file).name} is written all the time",
        where=file,
        expected="a file that stays as it is while it is read",
        found=f"another state each of {_ATTEMPTS} times",
        hint="wait until whoever writes to it has ended, or work on a copy",
    )


def require_file(file: Path) -> os.stat_result:
    """The state of a file; refuse what would be opened for ever: a named pipe, a socket, a device.

    Raises:
        UnreadableDataError: it is something else. FileNotFoundError: it is not there.
    """
    with suppress(OSError):
        state = os.stat(file)
        if stat.S_ISREG(state.st_mode):
            return state
    other = in_place_of_file(file)
    if other == "nothing":
        raise FileNotFoundError(file)
    if other is not None:
        raise UnreadableDataError(f"{file.name} is no file", where=str(file), expected="a file", found=other)
    return os.stat(file)  # it has come meanwhile


def _stamp(state: os.stat_result) -> str:
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_dev}:{state.st_ino}"


def _is_fresh(state: os.stat_result) -> bool:
    return time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) <= _SETTLED_NS


def _name_of(part: Path, first: Path) -> str:
    """What a part is called by, without what only says where the dataset is and how it is named."""
    if part == first:
        return ""
    if part.parent == first.parent and part.name.startswith(first.stem):
        return part.name.removeprefix(first.stem)
    return os.path.relpath(part, first.parent)


def on_disk(path: str) -> Path:
    """The file or folder behind a path, also behind GDAL's ``/vsi.../`` prefixes and ``DRIVER:"file":layer``.

    Raises:
        DataNotFoundError: there is none.
    """
    for candidate in _candidates(path):
        if candidate.exists():
            return candidate
    raise _gone(path)


def _candidates(path: str) -> Iterator[Path]:
    yield Path(path)
    if path.startswith("/vsi"):
        inner = path
        while inner.startswith("/vsi"):
            inner = inner.partition("/vsi")[2].partition("/")[2]
        for text in (inner, f"/{inner}"):
            yield Path(text)
            yield from (parent for parent in Path(text).parents if parent.is_file())
    for part in path.replace('"', "").split(":"):
        if len(part) > 1:
            yield Path(part)


def _gone(path: str) -> DataNotFoundError:
    return DataNotFoundError(
        f"no file {path}", expected="the file that the plan names", hint="plan again, or put the file back"
    )


def _combined(parts: list[tuple[str, str]]) -> str:
    if len(parts) == 1:
        return parts[0][1]
    return hashlib.sha256(repr(parts).encode()).hexdigest()
