"""The embedding: deterministic, of length 1, and near where the meaning is near."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import forget
from knowflow.knowledge.embedding import DIMENSIONS, ConceptEmbedding, learn, learnt

EMBEDDING = ConceptEmbedding()


def cosine(first: str, second: str) -> float:
    return float(EMBEDDING.embed(first) @ EMBEDDING.embed(second))


@given(st.text(max_size=120))
@settings(max_examples=80, deadline=None)
def test_a_vector_has_length_one_or_is_zero(text: str) -> None:
    vector = EMBEDDING.embed(text)
    assert vector.shape == (DIMENSIONS,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5) or not vector.any()


def test_another_process_computes_the_same_vector() -> None:
    text = "share of dense vegetation"
    code = f"from knowflow.knowledge.embedding import ConceptEmbedding as E; print(E().embed({text!r}).tobytes().hex())"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == EMBEDDING.embed(text).tobytes().hex()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("lake area", "extent of open water", "trend of night lights"),
        ("LST above 300 K", "hot land surface temperature", "hillshade of the terrain"),
        ("mean NDVI of each parcel", "average greenness per field", "mean NDVI of the scene"),
        ("where did snow melt", "change of snow cover", "share of snow cover"),
    ],
)
def test_what_means_the_same_is_nearer_than_what_does_not(text: str, near: str, far: str) -> None:
    assert cosine(text, near) > cosine(text, far)


def test_letters_bring_related_words_nearer() -> None:
    assert cosine("landslide", "landslip") > cosine("landslide", "orchestra")


def test_rare_features_weigh_more_than_common_ones() -> None:
    frequencies = learn(["water of a lake", "water of a river", "water of a glacier"])
    assert frequencies.weight("w:glacier") > frequencies.weight("w:river") - 1e-9 > frequencies.weight("w:water")
    assert frequencies.weight("w:unheard") > frequencies.weight("w:glacier")


def test_parts_of_a_text_count_by_their_weight() -> None:
    water, snow = "open water", "snow cover"
    mostly_water = EMBEDDING.embed_parts([(water, 3.0), (snow, 1.0)])
    assert mostly_water @ EMBEDDING.embed(water) > mostly_water @ EMBEDDING.embed(snow)


def test_a_vector_depends_on_the_frequencies_and_says_so() -> None:
    assert ConceptEmbedding(learn(["one text"])).digest != EMBEDDING.digest


def test_it_serves_chromadb_as_an_embedding_function() -> None:
    (vector,) = EMBEDDING(["open water"])
    assert np.array_equal(vector, EMBEDDING.embed("open water"))
    again = ConceptEmbedding.build_from_config(EMBEDDING.get_config())
    assert again.name() == EMBEDDING.name()
    assert np.array_equal(again.embed("open water"), vector)
    with pytest.raises(ValueError, match="dimensions"):
        ConceptEmbedding.validate_config({"version": 1, "dimensions": 3})


def test_broken_frequencies_are_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pkb").mkdir()
    (tmp_path / "pkb" / "embedding.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    forget()
    try:
        with pytest.raises(DocumentError, match="calibrate"):
            learnt()
    finally:
        forget()
