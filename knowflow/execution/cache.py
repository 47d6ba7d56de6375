"""Results of nodes on disk, by derivation key: there whole, or not there.

``<home>/cache/<first two of key>/<key>/`` holds the files of one result and ``result.json``, which describes them. A
result is made in a draft folder beside it and appears by one rename. Whoever makes a result holds a lock on its key,
so that no two processes or threads make the same; a lock and its draft end with the process that held them.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from knowflow.execution.keys import derived_key
from knowflow.execution.locks import locked, try_lock
from knowflow.execution.persist import read_json, write_json
from knowflow.execution.provenance import library_versions
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check

RESULT = "result.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Stored:
    """A result that is in the cache; ``seconds`` is how long the tool took when it made it."""

    key: str
    outputs: Mapping[str, Artifact]
    checks: tuple[Check, ...] = ()
    seconds: float = 0.0


class Cache:
    """The cache under one home folder. Safe for threads and processes."""

    def __init__(self, home: Path) -> None:
        self._root = home / "cache"
        self._drafts = self._root / "drafts"

    def folder(self, key: str) -> Path:
        return self._root / key[:2] / key

    def find(self, key: str) -> Stored | None:
        """The result of a key, if it is there and nothing of it has been lost or cut since."""
        folder = self.folder(key)
        try:
            data = read_json(folder / RESULT)
            if data["result"] != _FORMAT:
                return None
            for name, size in data["files"].items():
                if os.stat(folder / name).st_size != size:
                    return None
            outputs = {name: _placed(Artifact.from_json(item), folder) for name, item in data["outputs"].items()}
            return Stored(key, outputs, tuple(Check(**check) for check in data["checks"]), data["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def claim(self, key: str, while_waiting: Callable[[], None] | None = None) -> Iterator[Path]:
        """The sole right to make the result of a key, and an empty draft folder to make it in.

        Blocks while somebody else is at it (look again with :meth:`find` then); ``while_waiting`` may raise to give up.
        The draft is removed at the end, unless it was published.
        """
        draft = self._drafts / key
        with locked(self._lock(key), while_waiting, remove=True):
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            try:
                yield draft
            finally:
                shutil.rmtree(draft, ignore_errors=True)

    def publish(
        self,
        key: str,
        draft: Path,
        schema: ToolSchema,
        outputs: Mapping[str, Artifact],
        checks: tuple[Check, ...],
        seconds: float,
    ) -> Stored:
        """Make a finished draft the result of its key; the paths of the outputs move with it."""
        folder = self.folder(key)
        keyed = {name: replace(artifact, key=derived_key(key, name)) for name, artifact in outputs.items()}
        document = {
            "result": _FORMAT,
            "key": key,
            "tool": schema.tool,
            "tool_version": schema.version,
            "versions": library_versions(),
            "made": time.time(),
            "seconds": seconds,
            "outputs": {name: _relative(artifact, draft).to_json() for name, artifact in keyed.items()},
            "files": {
                file.relative_to(draft).as_posix(): file.stat().st_size
                for file in sorted(draft.rglob("*"))
                if file.is_file()
            },
            "checks": [
                {"phase": check.phase, "condition": check.condition, "truth": check.truth, "because": check.because}
                for check in checks
            ],
        }
        write_json(draft / RESULT, document)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # what find() refused: lost files, another format
            os.rename(folder, draft.with_name(f"{key}.broken"))
        os.rename(draft, folder)
        shutil.rmtree(draft.with_name(f"{key}.broken"), ignore_errors=True)
        moved = {name: _moved(artifact, draft, folder) for name, artifact in keyed.items()}
        return Stored(key, moved, checks, seconds)

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


def _with_path(artifact: Artifact, change: Callable[[str], str]) -> Artifact:
    return replace(
        artifact,
        path=None if artifact.path is None else change(artifact.path),
        items=tuple(_with_path(item, change) for item in artifact.items),
        members={name: _with_path(member, change) for name, member in artifact.members.items()},
    )


def _relative(artifact: Artifact, draft: Path) -> Artifact:
    return _with_path(artifact, lambda path: Path(path).relative_to(draft).as_posix())


def _placed(artifact: Artifact, folder: Path) -> Artifact:
    return _with_path(artifact, lambda path: str(folder / path))


def _moved(artifact: Artifact, draft: Path, folder: Path) -> Artifact:
    return _placed(_relative(artifact, draft), folder)
