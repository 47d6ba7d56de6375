"""The store of vectors and its snapshot."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from knowflow.knowledge import store
from knowflow.knowledge.embedding import DIMENSIONS, ConceptEmbedding, Vector
from knowflow.knowledge.store import Entry, Store, compute, store_folder, vectors


class CountingEmbedding(ConceptEmbedding):
    """Remembers what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed_parts(self, parts: Sequence[tuple[str, float]]) -> Vector:
        self.embedded.append(parts[0][0])
        return super().embed_parts(parts)


def entry(name: str) -> Entry:
    return Entry(name, name.title(), (name,), f"All about {name}.", ((name, 1.0), (f"all about {name}", 0.5)))


ENTRIES = (entry("water"), entry("snow"), entry("heat"))


@pytest.fixture
def embedding() -> CountingEmbedding:
    return CountingEmbedding()


def snapshots() -> list[Path]:
    return sorted(store_folder().parent.glob("cards-*.npz"))


def test_only_what_changed_is_embedded_again(embedding: CountingEmbedding, tmp_path: Path) -> None:
    kept = Store(embedding, tmp_path / "chroma")
    first = kept.synchronise("cards", ENTRIES)
    assert first.added == ("water", "snow", "heat")
    embedding.embedded.clear()
    changed = (ENTRIES[0], replace(ENTRIES[1], content="Snow and ice."), entry("fire"))
    second = kept.synchronise("cards", changed)
    assert (second.added, second.updated, second.removed, second.unchanged) == (("fire",), ("snow",), ("heat",), 1)
    assert sorted(embedding.embedded) == ["fire", "snow"]
    assert kept.synchronise("cards", changed).unchanged == 3


def test_what_is_stored_is_what_was_embedded(embedding: CountingEmbedding, tmp_path: Path) -> None:
    kept = Store(embedding, tmp_path / "chroma")
    kept.synchronise("cards", ENTRIES)
    backwards = tuple(reversed(ENTRIES))
    assert np.allclose(kept.vectors("cards", backwards), compute(backwards, embedding), atol=1e-6)
    assert kept.vectors("cards", ()).shape == (0, DIMENSIONS)


def test_collections_do_not_mix(embedding: CountingEmbedding, tmp_path: Path) -> None:
    kept = Store(embedding, tmp_path / "chroma")
    kept.synchronise("cards", ENTRIES)
    assert kept.synchronise("templates", ENTRIES[:1]).added == ("water",)
    assert kept.synchronise("cards", ENTRIES).unchanged == 3


def test_an_entry_that_is_not_stored_is_an_error(embedding: CountingEmbedding, tmp_path: Path) -> None:
    kept = Store(embedding, tmp_path / "chroma")
    kept.synchronise("cards", ENTRIES)
    with pytest.raises(store.StoreError, match="lacks 1 of 1"):
        kept.vectors("cards", (entry("fire"),))


def test_a_corrupt_store_is_moved_aside_and_made_again(embedding: CountingEmbedding, tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    folder.mkdir()
    (folder / "chroma.sqlite3").write_bytes(b"not a database" * 500)
    assert len(Store(embedding, folder).synchronise("cards", ENTRIES).added) == 3
    assert (tmp_path / "chroma.broken" / "chroma.sqlite3").read_bytes().startswith(b"not a database")


def test_the_snapshot_serves_without_the_store(embedding: CountingEmbedding, monkeypatch: pytest.MonkeyPatch) -> None:
    first = vectors("cards", ENTRIES, embedding)
    monkeypatch.setattr(Store, "synchronise", lambda *_: pytest.fail("the store was used"))
    assert np.array_equal(vectors("cards", ENTRIES, embedding), first)
    assert np.allclose(first, compute(ENTRIES, embedding), atol=1e-6)


def test_a_change_of_the_knowledge_makes_a_new_snapshot_and_old_ones_go(embedding: CountingEmbedding) -> None:
    for number in range(6):
        changed = (*ENTRIES[:2], replace(ENTRIES[2], content=f"Version {number}."))
        assert vectors("cards", changed, embedding).shape == (3, DIMENSIONS)
    assert len(snapshots()) == 3


@pytest.mark.parametrize("broken", [b"", b"PK\x03\x04 cut short", b"nonsense"])
def test_a_broken_snapshot_is_made_again(embedding: CountingEmbedding, broken: bytes) -> None:
    first = vectors("cards", ENTRIES, embedding)
    (snapshot,) = snapshots()
    snapshot.write_bytes(broken)
    assert np.array_equal(vectors("cards", ENTRIES, embedding), first)
    assert snapshot.stat().st_size > len(broken)


def test_a_snapshot_of_the_wrong_shape_is_made_again(embedding: CountingEmbedding) -> None:
    first = vectors("cards", ENTRIES, embedding)
    (snapshot,) = snapshots()
    np.savez(snapshot, vectors=np.zeros((2, DIMENSIONS), dtype=np.float32))
    assert np.array_equal(vectors("cards", ENTRIES, embedding), first)


def test_where_nothing_can_be_written_the_vectors_are_computed(
    embedding: CountingEmbedding, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_the_way = tmp_path / "a_file"
    in_the_way.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("KNOWFLOW_HOME", str(in_the_way))
    assert np.array_equal(vectors("cards", ENTRIES, embedding), compute(ENTRIES, embedding))
    assert "not used" in caplog.text


def test_chromadb_is_imported_only_when_the_store_is_opened() -> None:
    code = (
        "import sys, knowflow.knowledge.retrieval, knowflow.reason.language.understanding as l;"
        "l.understand('share of snow');"
        "print('chromadb' in sys.modules, 'pint' in sys.modules, 'rasterio' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.split() == ["False", "False", "False"]


@pytest.mark.parametrize("error", [ImportError("No module named 'chromadb'"), RuntimeError("sqlite is too old")])
def test_without_chromadb_the_vectors_are_computed(
    embedding: CountingEmbedding,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    class Absent:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name.partition(".")[0] == "chromadb":
                raise error

    for name in [name for name in sys.modules if name.partition(".")[0] == "chromadb"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path / "home"))
    for _ in range(2):
        assert np.array_equal(vectors("cards", ENTRIES, embedding), compute(ENTRIES, embedding))
    assert "chromadb cannot be used" in caplog.text


def test_a_folder_in_place_of_the_database_is_moved_aside(
    embedding: CountingEmbedding, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path / "home"))
    (store_folder() / "chroma.sqlite3" / "in the way").mkdir(parents=True)
    assert np.allclose(vectors("cards", ENTRIES, embedding), compute(ENTRIES, embedding))
