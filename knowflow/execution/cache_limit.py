"""How large the cache may become, and what goes when it is larger: what was used least recently, and no run needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from pydantic import Field

from knowflow.execution.cache import RESULT, Cache
from knowflow.execution.run_store import oldest_execution
from knowflow.ground.errors import DocumentError
from knowflow.ground.locks import try_lock
from knowflow.ground.resources import user_root
from knowflow.knowledge.documents import load_model
from knowflow.model.tool import Document

SETTINGS_FILE = "cache.yaml"
VARIABLE = "KNOWFLOW_CACHE_GB"
GIGABYTE = 10**9
_WITHOUT_LIMIT = ("none", "off", "unlimited")
_DEFAULT_GB = 50.0


class CacheSettings(Document):
    """The settings file, ``cache.yaml`` in the user's folder."""

    size_gb: float | None = Field(_DEFAULT_GB, ge=0, description="how large the cache may become; null: any size")
    shared: str | None = Field(None, description="a folder or s3://bucket/prefix where results are shared")


@dataclass(frozen=True, slots=True)
class Entry:
    """One result in the cache: its key, the bytes of its files, and when it was used last (seconds since the epoch)."""

    key: str
    size: int
    used: float


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What was taken out of the cache, or would be; ``left`` are the bytes that are in it after that."""

    results: int
    freed: int
    left: int


def cache_limit() -> int | None:
    """How many bytes the cache may have: from the environment, else the user's settings, else 50 GB; None for any.

    Raises:
        DocumentError: what is set is no size.
    """
    said = os.environ.get(VARIABLE, "").strip()
    if said:
        return None if said.casefold() in _WITHOUT_LIMIT else int(_gigabytes(said) * GIGABYTE)
    size = settings().size_gb
    return None if size is None else int(size * GIGABYTE)


def settings() -> CacheSettings:
    """The settings of the cache, those of the user's file or as they are without one.

    Raises:
        DocumentError: the file is not valid.
    """
    file = user_root() / SETTINGS_FILE
    if not file.exists():
        return CacheSettings(size_gb=_DEFAULT_GB, shared=None)
    loaded = load_model(file, CacheSettings)
    if loaded.model is None:
        raise DocumentError("the settings of the cache are not valid", where=str(file), problems=loaded.problems)
    return loaded.model


def _gigabytes(said: str) -> float:
    try:
        found = float(said)
    except ValueError:
        found = -1.0
    if not (isfinite(found) and found >= 0):
        raise DocumentError("no size of the cache", where=VARIABLE, expected="GB, or none for any size", found=said)
    return found


def entries(home: Path) -> Iterator[Entry]:
    """Every result in the cache of a home; one that goes while it is looked at is left out."""
    root = home / "cache"
    for group in sorted(root.iterdir()) if root.is_dir() else ():
        if len(group.name) != 2 or not group.is_dir():
            continue
        for folder in group.iterdir():
            try:
                used = os.stat(folder / RESULT).st_mtime
                yield Entry(folder.name, sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()), used)
            except OSError:
                continue


def trim(home: Path, limit: int | None, *, dry_run: bool = False) -> Trimmed:
    """Take results out of the cache until it has no more than ``limit`` bytes, least recently used first.

    What a run that has not ended has used or made stays, and so the cache may stay larger. Where another process is at
    it, nothing is done.
    """
    found = sorted(entries(home), key=lambda entry: entry.used)
    total = sum(entry.size for entry in found)
    if limit is None or total <= limit:
        return Trimmed(0, 0, total)
    lock = try_lock(home / "cache" / "trim.lock")
    if lock is None:
        return Trimmed(0, 0, total)
    try:
        needed = oldest_execution(home)
        return _trimmed(Cache(home), found, total, limit, needed, dry_run=dry_run)
    finally:
        os.close(lock)


def _trimmed(
    cache: Cache, found: list[Entry], total: int, limit: int, needed: float | None, *, dry_run: bool
) -> Trimmed:
    results, freed = 0, 0
    for entry in found:
        if total - freed <= limit or (needed is not None and entry.used >= needed):
            break
        if dry_run or _drop(cache, entry):
            results, freed = results + 1, freed + entry.size
    return Trimmed(results, freed, total - freed)


def _drop(cache: Cache, entry: Entry) -> bool:
    """Whether a result went: one that was used since it was looked at stays."""
    try:
        used = os.stat(cache.folder(entry.key) / RESULT).st_mtime
    except OSError:
        return False
    if used != entry.used:
        return False
    cache.drop(entry.key)
    return True
