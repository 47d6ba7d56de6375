"""Taking the records of old runs away. What they delivered stays where it is; a run that has not ended stays, too."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowflow.execution.cache_limit import Trimmed, cache_limit, trim
from knowflow.execution.run_store import LOCK, list_runs, runs_folder
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.locks import is_locked, try_lock
from knowflow.model.trace import RunStatus

_REMOVED = "removed"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Which:
    """Which runs go: those of ``statuses`` (empty: of any) that are older than ``older_than`` seconds, or are not among
    the ``keep`` newest, or are beyond ``max_bytes`` counted from the newest. ``cache_bytes`` is how large the cache may
    be afterwards (None: as it is set). A run whose record cannot be read has the status ``unreadable``.
    """

    older_than: float | None = None
    keep: int | None = None
    max_bytes: int | None = None
    statuses: Collection[RunStatus | str] = ()
    cache_bytes: int | None = None

    @property
    def names_runs(self) -> bool:
        """Whether it says of any run that it goes."""
        said = (self.older_than, self.keep, self.max_bytes)
        return any(one is not None for one in said) or bool(self.statuses)


@dataclass(frozen=True, slots=True)
class PrunedRun:
    """The record of one run on disk, with its status and the bytes of its files."""

    run_id: str
    status: str
    started: float
    size: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went, or would go: runs, oldest first, and results of the cache. ``running`` are those that were passed over
    because they have not ended."""

    runs: tuple[PrunedRun, ...] = ()
    running: tuple[str, ...] = ()
    cache: Trimmed = field(default_factory=lambda: Trimmed(0, 0, 0))
    dry_run: bool = False

    @property
    def freed(self) -> int:
        return sum(run.size for run in self.runs) + self.cache.freed

    def to_json(self) -> dict[str, Any]:
        return {
            "dry_run": self.dry_run,
            "runs": [
                {"run_id": run.run_id, "status": run.status, "started": run.started, "bytes": run.size}
                for run in self.runs
            ],
            "running": list(self.running),
            "cache": {"results": self.cache.results, "bytes": self.cache.freed, "left_bytes": self.cache.left},
            "freed_bytes": self.freed,
        }


def prune(home: Path, which: Which, *, dry_run: bool = False) -> Pruned:
    """Remove the records of runs, and the results that the cache has no room for. With ``dry_run`` nothing goes.

    Raises:
        KnowFlowError: nothing says which runs, and the cache has its size as well; or the limit of the cache is none.
    """
    if not which.names_runs and which.cache_bytes is None:
        raise KnowFlowError(
            "nothing says which runs are to go",
            expected="one of --older-than, --keep, --max-size, --status, --cache-size",
            found="none of them",
        )
    running, chosen = _chosen(home, which) if which.names_runs else ((), [])
    gone = [run for run in chosen if dry_run or _remove(home, run.run_id)]
    if not dry_run:
        shutil.rmtree(home / _REMOVED, ignore_errors=True)
    cache = trim(home, cache_limit() if which.cache_bytes is None else which.cache_bytes, dry_run=dry_run)
    return Pruned(tuple(gone), running, cache, dry_run)


def _chosen(home: Path, which: Which) -> tuple[tuple[str, ...], list[PrunedRun]]:
    """The runs that have not ended, and of the others those that go, oldest first."""
    every = _records(home)
    running = tuple(run.run_id for run in every if is_locked(runs_folder(home) / run.run_id / LOCK))
    ended = [run for run in every if run.run_id not in running]
    now, chosen, taken = time.time(), [], 0
    for index, run in enumerate(ended):
        taken += run.size
        named = which.older_than is None and which.keep is None and which.max_bytes is None
        named = named or (which.older_than is not None and now - run.started > which.older_than)
        named = named or (which.keep is not None and index >= which.keep)
        named = named or (which.max_bytes is not None and taken > which.max_bytes)
        if named and (not which.statuses or run.status in which.statuses):
            chosen.append(run)
    return running, chosen[::-1]


def _records(home: Path) -> list[PrunedRun]:
    """What is kept of every run, newest first, readable or not."""
    known = {run.run_id: run for run in list_runs(home)}
    folder = runs_folder(home)
    found = []
    for entry in folder.iterdir() if folder.is_dir() else ():
        if not entry.is_dir():
            continue
        size = sum(file.lstat().st_size for file in entry.rglob("*") if not file.is_dir())
        run = known.get(entry.name)
        status, started = (UNREADABLE, entry.stat().st_mtime) if run is None else (run.status, run.started)
        found.append(PrunedRun(entry.name, status, started, size))
    return sorted(found, key=lambda run: (run.started, run.run_id), reverse=True)


def _remove(home: Path, run_id: str) -> bool:
    """Whether the record of a run went: out of the folder of runs in one step, while nobody can go on with it."""
    folder = runs_folder(home) / run_id
    lock = try_lock(folder / LOCK)
    if lock is None:
        return False
    try:
        aside = home / _REMOVED / run_id
        aside.parent.mkdir(parents=True, exist_ok=True)
        os.rename(folder, aside)
        shutil.rmtree(aside, ignore_errors=True)
        return True
    finally:
        os.close(lock)
