"""A file alone tells which question it answers, by which steps and of which files, whatever it is called."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError, UnknownNameError

SENTINEL = {
    "name": "S2",
    "sensor": "sentinel-2",
    "quantity": "surface_bidirectional_reflectance",
    "bands": {"red": "0.1", "nir": "0.1 + 0.4 * x"},
    "dates": ["2022-06-01"],
}
QUESTION = "What share of the area has NDVI above 0.4?"


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """A home with one run, its data in ``data`` and its results in ``out``."""
    scene(tmp_path / "data", SENTINEL)
    result = KnowFlow(tmp_path / "home").run(QUESTION, tmp_path / "data", out=tmp_path / "out")
    assert result.status == "completed", result.error
    return tmp_path


def test_a_renamed_result_tells_its_question_its_steps_and_what_it_was_made_of(answered: Path) -> None:
    away = answered / "elsewhere" / "picture from Anna.tif"
    away.parent.mkdir()
    (answered / "out" / "map.tif").rename(away)
    found = KnowFlow(answered / "home").whence(away)
    assert found.trace.plan.query == QUESTION
    assert found.outputs == ("map",)
    assert [tool for _, tool, _ in found.steps] == ["spectral_index", "threshold"]  # not the share, which it is not of
    truth = {str(p.resolve()): hashlib.sha256(p.read_bytes()).hexdigest() for p in (answered / "data").glob("*.tif")}
    assert {str(Path(one.path).resolve()): one.digest for one in found.sources} == truth
    assert all(one.still_there for one in found.sources)
    json.dumps(found.to_json(), allow_nan=False)


def test_the_file_of_all_values_is_of_all_of_them(answered: Path) -> None:
    found = KnowFlow(answered / "home").whence(answered / "out" / "answer.json")
    assert found.outputs == ("answer",)
    assert [tool for _, tool, _ in found.steps][-1] == "mask_share"


def test_an_input_that_changed_since_is_told(answered: Path) -> None:
    changed = sorted((answered / "data").glob("*.tif"))[0]
    changed.write_bytes(changed.read_bytes() + b"\0")
    found = KnowFlow(answered / "home").whence(answered / "out" / "map.tif")
    assert {Path(one.path).name for one in found.sources if not one.still_there} == {changed.name}


def test_a_file_that_was_changed_or_is_of_nobody_is_refused_with_its_digest(answered: Path) -> None:
    file = answered / "out" / "map.tif"
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(UnknownNameError) as refused:
        KnowFlow(answered / "home").whence(file)
    assert hashlib.sha256(file.read_bytes()).hexdigest() in str(refused.value.found)
    with pytest.raises(KnowFlowError, match="no such file"):
        KnowFlow(answered / "home").whence(answered / "nothing.tif")
