"""The store of the knowledge base's vectors: chromadb on disk, and a snapshot beside it that reads in milliseconds.

chromadb holds the entries (task cards, templates) with their vectors, embedded again only where their content or the
embedding changed. Importing it costs seconds, so the vectors are exported once per state of the knowledge, as an npz
named after the digest of all entries, and that is what retrieval reads. A snapshot that is missing, outdated or broken
is made again from the store; a store that is broken is made again from the entries.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.resources import state_home
from knowflow.knowledge.embedding import DIMENSIONS, ConceptEmbedding, Vector

Collection = Literal["cards", "templates"]

_LOG = logging.getLogger(__name__)
_KEPT_SNAPSHOTS = 3  # per collection: projects that share a state folder may know different things


class StoreError(KnowFlowError):
    """The knowledge store cannot be used, and making it again did not help."""

    code = "knowledge_store"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be found: how it is called, described, and embedded (``parts``: texts with weights)."""

    id: str
    title: str
    keywords: tuple[str, ...]
    content: str
    parts: tuple[tuple[str, float], ...]

    @property
    def digest(self) -> str:
        return _digest([self.id, self.title, self.keywords, self.content, self.parts])


@dataclass(frozen=True, slots=True)
class Synchronised:
    """What ``Store.synchronise`` did, by entry id."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


class Store:
    """The chromadb store in a folder (default: ``knowledge`` in the state home); opened on first use."""

    def __init__(self, embedding: ConceptEmbedding, folder: Path | None = None) -> None:
        self.folder = store_folder() if folder is None else folder
        self._embedding = embedding
        self._client: Any = None

    def synchronise(self, collection: Collection, entries: Sequence[Entry]) -> Synchronised:
        """Bring a collection to the state of the entries; only what is new or changed is embedded.

        A store that cannot be read is moved aside and made again. Raises ``StoreError`` when that fails too.
        """
        try:
            return self._synchronise(collection, entries)
        except StoreError:
            raise
        except Exception as error:  # chromadb raises its own, sqlite's and its Rust core's errors
            _LOG.warning("the knowledge store in %s is made again: %s", self.folder, error)
            self._start_over(error)
        try:
            return self._synchronise(collection, entries)
        except Exception as error:
            raise self._unusable(error) from error

    def vectors(self, collection: Collection, entries: Sequence[Entry]) -> Vector:
        """The stored vectors of the entries, in their order, shape (len(entries), DIMENSIONS)."""
        if not entries:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        found = self._collection(collection).get(ids=[entry.id for entry in entries], include=["embeddings"])
        by_id = dict(zip(found["ids"], found["embeddings"], strict=True))
        missing = [entry.id for entry in entries if entry.id not in by_id]
        if missing:
            raise StoreError(
                f"the knowledge store lacks {len(missing)} of {len(entries)} entries",
                where=str(self.folder),
                found=", ".join(missing[:5]),
                hint="another process may be changing it; try again",
            )
        return np.asarray([by_id[entry.id] for entry in entries], dtype=np.float32)

    def _synchronise(self, collection: Collection, entries: Sequence[Entry]) -> Synchronised:
        stored = self._collection(collection)
        present = stored.get(include=["metadatas"])
        digests = {
            name: (meta or {}).get("digest") for name, meta in zip(present["ids"], present["metadatas"], strict=True)
        }
        wanted = {entry.id: f"{entry.digest} {self._embedding.digest}" for entry in entries}
        removed = tuple(name for name in digests if name not in wanted)
        changed = [entry for entry in entries if digests.get(entry.id) != wanted[entry.id]]
        if removed:
            stored.delete(ids=list(removed))
        if changed:
            stored.upsert(
                ids=[entry.id for entry in changed],
                embeddings=[self._embedding.embed_parts(entry.parts) for entry in changed],
                documents=[f"{entry.title}. {entry.content}" for entry in changed],
                metadatas=[{"title": entry.title, "digest": wanted[entry.id]} for entry in changed],
            )
        added = tuple(entry.id for entry in changed if entry.id not in digests)
        updated = tuple(entry.id for entry in changed if entry.id in digests)
        return Synchronised(added, updated, removed, len(entries) - len(changed))

    def _collection(self, name: Collection) -> Any:
        if self._client is None:
            chromadb, settings = _chromadb()
            self.folder.mkdir(parents=True, exist_ok=True)
            self._client = chromadb.PersistentClient(str(self.folder), settings(anonymized_telemetry=False))
        return self._client.get_or_create_collection(
            name, embedding_function=self._embedding, configuration={"hnsw": {"space": "cosine"}}
        )

    def _start_over(self, error: Exception) -> None:
        """Move the store aside, so that nothing is lost that somebody may want to look at."""
        self._client = None
        _chromadb()[0].api.shared_system_client.SharedSystemClient.clear_system_cache()
        aside = self.folder.with_name(f"{self.folder.name}.broken")
        try:
            shutil.rmtree(aside, ignore_errors=True)
            if self.folder.exists():
                self.folder.rename(aside)
        except OSError as moving:
            raise self._unusable(moving) from error

    def _unusable(self, error: Exception) -> StoreError:
        return StoreError(
            "the knowledge store cannot be used",
            where=str(self.folder),
            expected="a folder that can be written, used by one process at a time",
            found=str(error) or type(error).__name__,
            hint="close other runs, or set KNOWFLOW_HOME to another folder",
        )


def _chromadb() -> tuple[Any, Any]:
    """The module and its settings; ``StoreError`` where it is not installed, or does not work here."""
    try:
        import chromadb
        import chromadb.api.shared_system_client
        from chromadb.config import Settings
    except Exception as error:  # it raises RuntimeError, too: for a system's sqlite that is too old
        raise StoreError(
            "chromadb cannot be used",
            expected="the package chromadb, as it is installed with KnowFlow",
            found=f"{type(error).__name__}: {error}",
            hint="install it again: pip install chromadb",
        ) from error
    return chromadb, Settings


def store_folder() -> Path:
    """Where the store lives."""
    return state_home() / "knowledge" / "chroma"


def vectors(collection: Collection, entries: Sequence[Entry], embedding: ConceptEmbedding) -> Vector:
    """The vectors of the entries, rows in their order: from the snapshot, else from the store.

    Where the store cannot be used (read-only home, another process holds it, no chromadb) the vectors are computed and
    not kept, and a warning is logged: retrieval still works.
    """
    snapshot = _snapshot_path(collection, entries, embedding)
    found = _read_snapshot(snapshot, len(entries))
    if found is not None:
        return found
    try:
        with _writing(snapshot.parent):
            store = Store(embedding)
            store.synchronise(collection, entries)
            matrix = store.vectors(collection, entries)
            _write_snapshot(snapshot, matrix)
            _forget_old(snapshot.parent, collection)
    except (OSError, StoreError) as error:
        _LOG.warning("the knowledge store is not used: %s", error)
        return compute(entries, embedding)
    return matrix


def compute(entries: Sequence[Entry], embedding: ConceptEmbedding) -> Vector:
    """The vectors of the entries, computed here and now."""
    if not entries:
        return np.zeros((0, DIMENSIONS), dtype=np.float32)
    return np.stack([embedding.embed_parts(entry.parts) for entry in entries])


def _snapshot_path(collection: Collection, entries: Sequence[Entry], embedding: ConceptEmbedding) -> Path:
    state = _digest([embedding.digest, [entry.digest for entry in entries]])
    return store_folder().parent / f"{collection}-{state}.npz"


def _read_snapshot(path: Path, rows: int) -> Vector | None:
    """The matrix of a snapshot; None when there is none, or it is not what it should be."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
            matrix: Vector = np.asarray(data["vectors"], dtype=np.float32)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        _LOG.warning("the snapshot %s is made again: %s", path, error)
        return None
    return matrix if matrix.shape == (rows, DIMENSIONS) and bool(np.isfinite(matrix).all()) else None


def _write_snapshot(path: Path, matrix: Vector) -> None:
    """Whole or not at all: a temporary file, then a rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".snapshot-", suffix=".npz")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, vectors=matrix)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _forget_old(folder: Path, collection: Collection) -> None:
    snapshots = sorted(folder.glob(f"{collection}-*.npz"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in snapshots[_KEPT_SNAPSHOTS:]:
        path.unlink(missing_ok=True)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Only one process at a time changes the store; the others wait for it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield


def _digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, ensure_ascii=False).encode(), digest_size=16).hexdigest()
