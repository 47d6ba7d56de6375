"""Results of nodes on disk, by derivation key: there whole, or not there.

``<home>/cache/<first two of key>/<key>/`` holds the files of one result and ``result.json``, which describes them. A
result is made in a draft folder beside it and appears by one rename. Whoever makes a result holds a lock on its key,
so that no two processes or threads make the same; a lock and its draft end with the process that held them.

What lies on a disk can be damaged without a change of size. ``result.json`` holds a checksum of itself, which is looked
at whenever it is read, and one of every file, which :meth:`Cache.whole` looks at once in a process that did not write
them. A CRC serves: it tells every damage of up to 32 bits in a row, and all but one in 4 billion of any other, at a
third of the cost of a cryptographic digest. It is no protection against somebody who means it.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.execution.keys import derived_key
from knowflow.execution.persist import read_json, to_text
from knowflow.execution.provenance import library_versions
from knowflow.execution.shared_objects import inside
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.locks import locked, try_lock
from knowflow.model.artifact import Artifact, with_paths
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check

if TYPE_CHECKING:
    from knowflow.execution.shared_cache import SharedCache

RESULT = "result.json"
_FORMAT = 2
_FETCHED = ".fetched"
_CHUNK = 1 << 20


class DamagedResultError(KnowFlowError):
    """Results in the cache are not what was written there, or are gone; ``keys`` are theirs."""

    code = "damaged_result"

    def __init__(self, keys: frozenset[str]) -> None:
        super().__init__(
            "a result in the cache is damaged",
            expected="the files that were written there",
            found=f"{len(keys)} that are gone, or of another content",
            hint="ask again: what is damaged is computed anew",
        )
        self.keys = keys


@dataclass(frozen=True, slots=True)
class Stored:
    """A result that is in the cache; ``seconds`` is how long the tool took when it made it."""

    key: str
    outputs: Mapping[str, Artifact]
    checks: tuple[Check, ...] = ()
    seconds: float = 0.0


class Cache:
    """The cache under one home folder. Safe for threads and processes.

    ``shared`` are results that other machines have made, and have use for: they are fetched into this one.
    """

    def __init__(self, home: Path, shared: SharedCache | None = None) -> None:
        self.shared = shared
        self._root = home / "cache"
        self._drafts = self._root / "drafts"
        self._verified: dict[str, tuple[str, ...]] = {}  # by key, with the states of the files
        self._verifying: dict[str, threading.Lock] = {}

    def folder(self, key: str) -> Path:
        return self._root / key[:2] / key

    def find(self, key: str, *, told: bool = False) -> Stored | None:
        """The result of a key, if it is there and nothing of it has been lost or cut since.

        Its files are not read: who is going to use them asks :meth:`whole` before. With ``told``, facts and checks of a
        raster that was not kept are welcome, too.
        """
        folder = self.folder(key)
        try:
            data = _document(folder)
            if data.get("told", False) and not told:
                return None
            for name, (size, _) in data["files"].items():
                if os.stat(folder / name).st_size != size:
                    return None
            outputs = {name: _placed(Artifact.from_json(item), folder) for name, item in data["outputs"].items()}
            found = Stored(key, outputs, tuple(Check(**check) for check in data["checks"]), data["seconds"])
            os.utime(folder / RESULT)  # when it was used last
            return found
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def key_of(self, path: str) -> str | None:
        """The key of the result that a file belongs to; None of files that are not in the cache."""
        place = Path(path)
        inside = place.parts[len(self._root.parts) :]
        return inside[1] if place.is_relative_to(self._root) and len(inside) > 1 else None

    def whole(self, key: str) -> bool:
        """Whether the files of a result are what was written; read once, and again where one was touched since.

        A result that is not whole is taken out of the cache.
        """
        folder = self.folder(key)
        with self._verifying.setdefault(key, threading.Lock()):
            try:
                document = _document(folder)
                if document.get("told", False):
                    return False  # there is nothing to use; what is told of it stays
                files = document["files"]
                states = tuple(_state(folder / name) for name in files)
                if self._verified.get(key) == states:
                    return True
                if all(_checksum(folder / name) == checksum for name, (_, checksum) in files.items()):
                    self._verified[key] = states
                    return True
            except (OSError, ValueError, KeyError, TypeError):
                pass
            self.drop(key)
            return False

    def drop(self, key: str) -> None:
        """Take a result out of the cache; who reads its files at this moment keeps them."""
        self._verified.pop(key, None)
        gone = self._drafts / f"{key}.dropped-{os.getpid()}-{threading.get_ident()}"
        self._drafts.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            os.rename(self.folder(key), gone)
        shutil.rmtree(gone, ignore_errors=True)

    @contextmanager
    def claim(self, key: str, while_waiting: Callable[[], None] | None = None) -> Iterator[Path]:
        """The sole right to make the result of a key, and an empty draft folder to make it in.

        Blocks while somebody else is at it (look again with :meth:`find` then); ``while_waiting`` may raise to give up.
        The draft is removed at the end, unless it was published.
        """
        draft = self._drafts / key
        with locked(self._lock(key), while_waiting, remove=True):
            try:
                draft.mkdir()  # beside its lock
            except FileExistsError:  # of somebody who was killed
                shutil.rmtree(draft)
                draft.mkdir()
            try:
                yield draft
            finally:
                if os.path.lexists(draft):
                    shutil.rmtree(draft, ignore_errors=True)

    def publish(
        self,
        key: str,
        draft: Path,
        schema: ToolSchema,
        outputs: Mapping[str, Artifact],
        checks: tuple[Check, ...],
        seconds: float,
        *,
        told: bool = False,
    ) -> Stored:
        """Make a finished draft the result of its key; the paths of the outputs move with it.

        ``told``: the outputs are told of only, their rasters were not kept.
        """
        folder = self.folder(key)
        keyed = {name: with_keys(artifact, derived_key(key, name)) for name, artifact in outputs.items()}
        document: dict[str, Any] = {
            "result": _FORMAT,
            "key": key,
            "tool": schema.tool,
            "tool_version": schema.version,
            "versions": library_versions(),
            "made": time.time(),
            "seconds": seconds,
            "outputs": {name: _relative(artifact, draft).to_json() for name, artifact in keyed.items()},
            **({"told": True} if told else {}),
            "files": {name: (os.stat(draft / name).st_size, _checksum(draft / name)) for name in _files_in(draft)},
            "checks": [
                {"phase": check.phase, "condition": check.condition, "truth": check.truth, "because": check.because}
                for check in checks
            ],
        }
        text = _with_checksum(document)
        (draft / RESULT).write_text(text, encoding="utf-8")  # which nobody sees before the rename
        self._place(key, draft, document["files"])
        if self.shared is not None:
            self.shared.push(key, folder, text, tuple(document["files"]), told=told)
        moved = {name: _moved(artifact, draft, folder) for name, artifact in keyed.items()}
        return Stored(key, moved, checks, seconds)

    def _place(self, key: str, made: Path, files: Iterable[str]) -> None:
        """Let a folder with all of a result be what its key names."""
        folder = self.folder(key)
        broken = self._drafts / f"{key}.broken"
        with suppress(FileNotFoundError):  # what find() refused: lost files, another format
            os.rename(folder, broken)
        try:
            os.rename(made, folder)
        except FileNotFoundError:  # the first key that begins so
            folder.parent.mkdir(parents=True, exist_ok=True)
            os.rename(made, folder)
        if os.path.lexists(broken):
            shutil.rmtree(broken, ignore_errors=True)
        self._verified[key] = tuple(_state(folder / name) for name in files)

    @contextmanager
    def alone(self, drafts: Mapping[str, Path], while_waiting: Callable[[], None]) -> Iterator[bool]:
        """While no other machine makes what is claimed here (drafts by key): whether some of it was fetched instead.

        Look again with :meth:`find` then. Without a shared cache nobody is waited for.
        """
        if self.shared is None or not drafts:
            yield False
            return
        wanted = dict(drafts)

        def come() -> bool:
            for key in self._fetched(wanted):
                del wanted[key]
            return not wanted

        with self.shared.making([*drafts][-1], come, while_waiting):
            yield len(wanted) < len(drafts)

    def _fetched(self, drafts: Mapping[str, Path]) -> frozenset[str]:
        """The keys of results that were fetched from other machines; what is told of only, and known, is not."""
        assert self.shared is not None

        def place(key: str, fetched: Path) -> bool:
            document = _document(fetched)
            if document.get("told", False) and self.find(key, told=True) is not None:
                return False
            for item in document["outputs"].values():
                with_paths(Artifact.from_json(item), inside)
            if document["key"] != key or sorted([*document["files"], RESULT]) != _files_in(fetched):
                raise ValueError(f"{key} is another result, or has other files than it tells of")
            self._place(key, fetched, document["files"])
            return True

        folders = {key: draft / _FETCHED for key, draft in drafts.items()}
        try:
            return self.shared.pull(folders, place)
        finally:
            for folder in folders.values():
                shutil.rmtree(folder, ignore_errors=True)

    def reform(self, path: str, make: Callable[[Path], None]) -> None:
        """Put a file of another form, which ``make`` writes and which means the same, in the place of one of a result.

        Raises:
            OSError, ValueError, KeyError, TypeError: the result is not there any more, or not whole.
        """
        key, place = self.key_of(path), Path(path)
        assert key is not None, f"{path} is of no result"
        with self.claim(key) as draft, self._verifying.setdefault(key, threading.Lock()):
            other, told = draft / place.name, draft / RESULT
            make(other)
            document = _document(self.folder(key))
            document["files"][place.relative_to(self.folder(key)).as_posix()] = (other.stat().st_size, _checksum(other))
            told.write_text(_with_checksum(document), encoding="utf-8")
            os.replace(other, place)  # until the next line a reader finds a result that is not whole, and waits for us
            os.replace(told, self.folder(key) / RESULT)
            self._verified[key] = tuple(_state(self.folder(key) / name) for name in document["files"])

    def sweep(self) -> int:
        """Remove the drafts that killed processes left behind; those of living ones stay. Returns how many went."""
        removed = 0
        if not self._drafts.is_dir():
            return removed
        for draft in list(self._drafts.iterdir()):
            if not draft.is_dir():
                continue
            lock = self._lock(draft.name)
            handle = try_lock(lock)
            if handle is not None:
                shutil.rmtree(draft, ignore_errors=True)
                lock.unlink(missing_ok=True)
                os.close(handle)
                removed += 1
        return removed

    def _lock(self, key: str) -> Path:
        return self._drafts / f"{key}.lock"


def _document(folder: Path) -> dict[str, Any]:
    """What describes a result.

    Raises:
        OSError, ValueError, KeyError, TypeError: it is not there, not whole, or of another format.
    """
    data = read_json(folder / RESULT)
    checksum = data.pop("checksum")
    if data["result"] != _FORMAT or checksum != _checksum_of(data):
        raise ValueError(f"{folder / RESULT} is not what was written")
    return dict(data)


def _checksum_of(document: Mapping[str, Any]) -> int:
    return zlib.crc32(to_text(document).encode())


def _with_checksum(document: Mapping[str, Any]) -> str:
    """The text of a document, with its checksum inside."""
    text = to_text(document)
    return f'{text[:-1]}, "checksum": {zlib.crc32(text.encode())}}}\n'


def _files_in(folder: Path) -> list[str]:
    """The names of all files below a folder, from it."""
    found: list[str] = []
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(folder / above) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{above}{entry.name}/")
                elif entry.is_file():
                    found.append(f"{above}{entry.name}")
    return sorted(found)


def _checksum(file: Path) -> int:
    found, buffer = 0, memoryview(bytearray(_CHUNK))
    with file.open("rb", buffering=0) as stream:
        while count := stream.readinto(buffer):
            found = zlib.crc32(buffer[:count], found)
    return found


def _state(file: Path) -> str:
    state = os.stat(file)
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino}"


def with_keys(artifact: Artifact, key: str) -> Artifact:
    """An output with its key, and each of its parts with one of its own: a part may go on alone."""
    return replace(
        artifact,
        key=key,
        items=tuple(with_keys(item, f"{key}.{index}") for index, item in enumerate(artifact.items)),
        members={name: with_keys(member, f"{key}.{name}") for name, member in artifact.members.items()},
    )


def _relative(artifact: Artifact, draft: Path) -> Artifact:
    return with_paths(artifact, lambda path: Path(path).relative_to(draft).as_posix())


def _placed(artifact: Artifact, folder: Path) -> Artifact:
    return with_paths(artifact, lambda path: str(folder / path))


def _moved(artifact: Artifact, draft: Path, folder: Path) -> Artifact:
    return _placed(_relative(artifact, draft), folder)
